"""Objects of scenes as obstacles: distances by hand, and arms that keep off tables, pipes and other robots."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import SceneError
from footfall.geometry.plane import Plane
from footfall.ik import BoundedRate, CollisionLimits
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Sphere
from footfall.scene.model import Scene, SceneObject
from footfall.tasks import frame_position
from footfall.volumes import (
    CollisionModel,
    Obstacle,
    robot_obstacles,
    scene_obstacles,
    swept_distance,
    swept_point,
)

ARM = footfall.load("harvest-arm")
START = ARM.configuration("ready")


def at(x: float, y: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def test_shapes_become_volumes_around_them() -> None:
    """Balls, capsules and planes exactly; a box from outside, with little air."""
    scene = Scene(
        objects=(
            SceneObject("ball", Sphere(0.2), at(0.0, 0.0, 1.0)),
            SceneObject("pipe", Capsule(0.1, 1.0), at(2.0, 0.0, 1.0)),
            SceneObject("floor", Plane()),
            SceneObject("box", Box((0.4, 0.3, 0.02)), at(0.0, 3.0, 1.0)),
        )
    )
    found = {each.name: each for each in scene_obstacles(scene)}
    point = swept_point((0.0, 0.0, 0.0), 0.0)

    def gap(name: str, x: float, y: float, z: float) -> float:
        each = found[name]
        return float(
            swept_distance(each.shape, point, first_pose=each.placement, second_pose=at(x, y, z)).distance
        )

    assert gap("ball", 0.5, 0.0, 1.0) == pytest.approx(0.3, abs=1e-12)
    assert gap("pipe", 2.0, 0.0, 2.0) == pytest.approx(0.4, abs=1e-12)
    assert gap("floor", 7.0, -3.0, 0.25) == pytest.approx(0.25, abs=1e-12)
    assert 0.25 < gap("box", 0.0, 3.0, 1.3) <= 0.29 + 1e-9  # its air takes some
    assert gap("box", 0.2, 3.15, 1.01) <= 1e-9  # a corner is inside
    assert [each.name for each in scene_obstacles(scene, names=["pipe"])] == ["pipe"]
    with pytest.raises(SceneError, match="no object 'tree'"):
        scene_obstacles(scene, names=["tree"])


def test_an_arm_keeps_off_what_stands_in_its_way() -> None:
    """Three scenes: a plate across the way, a pipe beside it, another arm. Without limits the hand gets into each."""
    hand = next(volume.body for volume in reversed(ARM.volumes))
    turned = [START.copy() for _ in range(2)]
    for q, angle in zip(turned, (0.5, 1.0), strict=True):
        q[ARM.q_slice("joint2")] += angle  # about the mast
    between, target = (footfall.frame_pose(ARM, q, hand).translation for q in turned)
    plate = Scene(objects=(SceneObject("plate", Box((0.3, 0.02, 0.3)), Transform(np.eye(3), between)),))
    pipe = Scene(objects=(SceneObject("pipe", Capsule(0.03, 0.5), Transform(np.eye(3), between)),))
    other = Obstacle("other", swept_point((0.0, 0.0, 0.0), 0.05), Transform(np.eye(3), target))
    for obstacles in (scene_obstacles(plate), scene_obstacles(pipe), (other,)):
        least = []
        measured = CollisionModel(ARM, pairs=(), obstacles=obstacles)
        for limits in (None, CollisionLimits(pairs=(), obstacles=obstacles, clearance=0.01)):
            task = [frame_position(hand, target, gains=4.0)]
            step = BoundedRate(ARM, task, dt=0.02, damping=0.02, collisions=limits)
            q, gap = START.copy(), np.inf
            for _ in range(80):
                q = footfall.integrate(ARM, q, 0.02 * step(q))
                gap = min(gap, float(measured.measure(q).distance.min()))
            least.append(gap)
        assert least[0] < 0.0
        assert least[1] > 0.005
    names = [each.name for each in robot_obstacles(ARM, START)]
    assert names[0].startswith(f"{ARM.name}/")
