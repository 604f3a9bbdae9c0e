"""Distances of a robot from itself and from obstacles that are numbers: against each pair alone, and by differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import footfall
from footfall.errors import RobotError, UnknownName
from footfall.geometry.swept_distance import swept_distance
from footfall.geometry.swept_sphere import swept_line, swept_point, swept_triangle
from footfall.math.transform import Transform
from footfall.robot.volumes import checked_pairs
from footfall.volumes import CollisionModel, Obstacle, robot_obstacles, volume_distances

LOLA = footfall.load("lola")
IDLE = LOLA.configuration("idle")
BALL = Obstacle("ball", swept_point((0, 0, 0), 0.1), Transform(np.eye(3), np.array([0.5, 0.2, 1.1])))
WALL = Obstacle("wall", swept_triangle((0, 0.6, 0), (1, 0.6, 0), (0, 0.6, 2), 0.02))


def test_own_pairs_are_those_of_the_robot() -> None:
    q = footfall.integrate(LOLA, IDLE, 0.2 * np.random.default_rng(0).normal(size=LOLA.nv))
    model = CollisionModel(LOLA)
    found, expected = model.measure(q), volume_distances(LOLA, q)
    for k, pair in enumerate(checked_pairs(LOLA)):
        own = [n for n, each in enumerate(model.pairs) if each == pair]
        closest = own[int(np.argmin(found.distance[own]))]
        assert found.distance[closest] == pytest.approx(expected.distance[k], abs=1e-13)
        np.testing.assert_allclose(found.jacobian[closest], expected.jacobian[k], atol=1e-9)


def test_obstacles_at_their_places() -> None:
    """Each pair alone, at poses of both; then moved; rates of the distances by differences."""
    rng = np.random.default_rng(1)
    model = CollisionModel(LOLA, pairs=(), obstacles=(BALL, WALL), touching=[("forearm_left", "wall")])
    assert ("forearm_left", "wall") not in model.pairs
    assert len(set(model.pairs)) == 2 * len(LOLA.volumes) - 1
    moved = Transform(Rotation.random(random_state=rng).as_matrix(), np.array([0.3, -0.4, 0.9]))
    q = footfall.integrate(LOLA, IDLE, 0.2 * rng.normal(size=LOLA.nv))
    shapes = {volume.name: volume for volume in LOLA.volumes}
    for placements in (None, {"ball": moved}):
        found = model.measure(q, placements)
        places = {"ball": moved if placements else BALL.placement, "wall": WALL.placement}
        for own, other in set(model.pairs):
            least = min(
                d for d, pair in zip(found.distance, model.pairs, strict=True) if pair == (own, other)
            )
            alone = swept_distance(
                shapes[own].shape,
                {"ball": BALL, "wall": WALL}[other].shape,
                first_pose=footfall.frame_pose(LOLA, q, shapes[own].body),
                second_pose=places[other],
            )
            assert least == pytest.approx(alone.distance, abs=1e-13)
        v, step = rng.normal(size=LOLA.nv), 1e-6
        ahead, behind = (
            model.measure(footfall.integrate(LOLA, q, sign * step * v), placements).distance
            for sign in (1.0, -1.0)
        )
        np.testing.assert_allclose(found.jacobian @ v, (ahead - behind) / (2 * step), atol=1e-6)


def test_another_robot_is_obstacles() -> None:
    """LOLA beside LOLA, turned: distances are symmetric."""
    other = IDLE.copy()
    other[1] += 0.9
    there = CollisionModel(LOLA, pairs=(), obstacles=robot_obstacles(LOLA, other)).measure(IDLE)
    back = CollisionModel(LOLA, pairs=(), obstacles=robot_obstacles(LOLA, IDLE)).measure(other)
    assert there.distance.min() == pytest.approx(back.distance.min(), abs=1e-13)
    assert 0.0 < there.distance.min() < 0.9


def test_bad_input_is_named() -> None:
    with pytest.raises(RobotError, match="the same name"):
        CollisionModel(LOLA, obstacles=(BALL, BALL))
    with pytest.raises(UnknownName, match="ball"):
        CollisionModel(LOLA, obstacles=(BALL,), touching=[("forearm_left", "bal")])
    with pytest.raises(UnknownName, match="obstacle"):
        CollisionModel(LOLA, obstacles=(BALL,)).measure(IDLE, {"wall": WALL.placement})
    with pytest.raises(RobotError, match="must be a SweptVolume"):
        Obstacle("ball", 3.0)  # type: ignore[arg-type]
    with pytest.raises(RobotError, match="has no volumes"):
        CollisionModel(footfall.load("planar-arm"), obstacles=(BALL,))
    assert Obstacle("rod", swept_line((0, 0, 0), (1, 0, 0), 0.1)).moved(BALL.placement).name == "rod"
