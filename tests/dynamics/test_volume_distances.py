"""Distances between a robot's volumes: against Pinocchio and coal, by differences, and each pair by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.compiler import build_kernel
from footfall.errors import FootfallError, UnknownName
from footfall.geometry.swept_distance import swept_distance
from footfall.geometry.swept_sphere import SweptVolume, swept_line, swept_point
from footfall.robot.model import WORLD, Robot
from footfall.robot.volumes import BodyVolume, checked_pairs, movable_pairs
from tests.looped_robots import four_bar

LOLA = footfall.load("lola")


def states(robot: Robot, count: int, *, spread: float = 0.4, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    start = robot.configuration("idle")
    return np.array(
        [footfall.integrate(robot, start, spread * rng.normal(size=robot.nv)) for _ in range(count)]
    )


def slope(robot: Robot, q: Array, v: Array, step: float = 1e-6) -> Array:
    """Rates (pairs,) of the distances by differences."""
    ahead, behind = (
        footfall.volumes.volume_distances(robot, footfall.integrate(robot, q, sign * step * v)).distance
        for sign in (1.0, -1.0)
    )
    return (ahead - behind) / (2 * step)


def test_each_pair_by_itself() -> None:
    """The same as two volumes at the poses of their bodies, at states where some overlap."""
    volumes = {volume.name: volume for volume in LOLA.volumes}
    overlapping = 0
    for q in states(LOLA, 5):
        found = footfall.volumes.volume_distances(LOLA, q)
        overlapping += int((found.distance < 0.0).sum())
        for k, pair in enumerate(checked_pairs(LOLA)):
            first, second = (volumes[name] for name in pair)
            poses = [footfall.frame_pose(LOLA, q, volume.body) for volume in (first, second)]
            alone = swept_distance(first.shape, second.shape, first_pose=poses[0], second_pose=poses[1])
            assert found.distance[k] == pytest.approx(alone.distance, abs=1e-13)
            np.testing.assert_allclose(found.normal[k], alone.normal, atol=1e-12)
            np.testing.assert_allclose(found.second_point[k], alone.second_point, atol=1e-12)
            one, other = found.elements[k]  # of elements that share a corner either may be the closest one
            closest = first.shape.elements[one].moved(poses[0]), second.shape.elements[other].moved(poses[1])
            assert swept_distance(*closest).distance == pytest.approx(alone.distance, abs=1e-13)
    assert overlapping > 0


def test_jacobian_by_differences() -> None:
    """Schwienbacher 2014, (5.6), apart and in overlap; a state where the closest element changes within the step is
    rare."""
    rng = np.random.default_rng(1)
    wrong = 0
    for q in states(LOLA, 10, seed=2):
        v = rng.normal(size=LOLA.nv)
        found = footfall.volumes.volume_distances(LOLA, q)
        wrong += int((np.abs(found.jacobian @ v - slope(LOLA, q, v)) > 1e-6).sum())
        assert found.jacobian.shape == (len(checked_pairs(LOLA)), LOLA.nv)
        np.testing.assert_array_equal(found.jacobian[:, :6], 0.0)  # the base carries all
    assert wrong <= 1


def test_batches_are_the_same_to_the_bit() -> None:
    q = states(LOLA, 70)
    batch = footfall.volumes.volume_distances(LOLA, q, threads=2)
    for k in (0, 33, 69):
        for one, many in zip(footfall.volumes.volume_distances(LOLA, q[k]), batch, strict=True):
            np.testing.assert_array_equal(one, many[k])


def test_inside_a_traced_kernel() -> None:
    """One native call in a kernel of one's own; its Jacobian is traced, so it checks the native one."""

    def distances(q: Any) -> dict[str, Any]:
        found = footfall.volumes.volume_distances(LOLA, q)
        return {"distance": found.distance, "jacobian": found.jacobian, "normal": found.normal}

    kernel = build_kernel(distances, {"q": LOLA.nq})
    q = states(LOLA, 9)
    batch = footfall.volumes.volume_distances(LOLA, q)
    distance, jacobian, normal = kernel(q)
    np.testing.assert_allclose(distance, batch.distance, atol=1e-13)
    np.testing.assert_allclose(normal, batch.normal, atol=1e-12)
    np.testing.assert_allclose(jacobian, batch.jacobian, atol=1e-12)


def test_threshold() -> None:
    """What is nearer is exact; what is not has a bound and no row."""
    for q in states(LOLA, 10, spread=0.2):
        exact, bound = (
            footfall.volumes.volume_distances(LOLA, q),
            footfall.volumes.volume_distances(LOLA, q, threshold=0.1),
        )
        near = exact.distance < 0.1
        np.testing.assert_array_equal(bound.exact, near)
        np.testing.assert_array_equal(bound.distance[near], exact.distance[near])
        np.testing.assert_array_equal(bound.jacobian[near], exact.jacobian[near])
        assert (bound.distance[~near] >= 0.1).all()
        assert (bound.distance[~near] <= exact.distance[~near] + 1e-12).all()
        assert not bound.jacobian[~near].any()
        assert exact.exact.all()


def test_mirrored_pose_has_mirrored_distances() -> None:
    """LOLA's sides are alike: what the right forearm has, the left one has in the idle pose."""
    found = footfall.volumes.volume_distances(LOLA, LOLA.configuration("idle"))
    distances = dict(zip(checked_pairs(LOLA), found.distance, strict=True))
    for first, second in checked_pairs(LOLA):
        if first == "forearm_right" and second != "forearm_left":
            other = "forearm_left", second.replace("right", "left")
            assert distances[first, second] == pytest.approx(distances[other], abs=1e-3)


def test_shipped_volumes_hold_their_shapes_and_are_free_when_idle() -> None:
    coverage = footfall.volumes.volume_coverage(LOLA, visuals=True)
    assert len(coverage) == len(LOLA.volumes)
    assert max(each.protrusion for each in coverage.values()) <= 1e-12
    assert sum(each.volume for each in coverage.values()) < 1.15 * sum(
        each.hull for each in coverage.values()
    )
    assert footfall.volumes.free_pairs(LOLA, LOLA.configuration("idle")) == LOLA.volume_pairs


def test_looped_robot() -> None:
    """Dependent joints move along: the Jacobian is that of the independent velocities."""
    robot = four_bar()
    moving = [body.name for body in robot.bodies]
    volumes = tuple(
        BodyVolume(name, name, SweptVolume((swept_line((0, 0, 0), (0.1, 0, 0.3), 0.02),)))
        for name in (moving[0], moving[-1])
    )
    fixed = BodyVolume("post", WORLD, SweptVolume((swept_point((0.3, 0.4, 0.2), 0.05),)))
    robot = replace(
        robot, volumes=(*volumes, fixed), volume_pairs=((volumes[0].name, "post"), (volumes[1].name, "post"))
    )
    q = footfall.close_loops(robot, footfall.neutral(robot))
    v = np.ones(robot.nv)
    found = footfall.volumes.volume_distances(robot, q)
    assert found.jacobian.shape == (2, robot.nv)
    assert np.abs(found.jacobian).max() > 1e-3
    np.testing.assert_allclose(found.jacobian @ v, slope(robot, q, v), atol=1e-6)


def test_neighbours_are_no_pairs() -> None:
    bare = replace(LOLA, volume_pairs=())
    pairs = movable_pairs(bare)
    assert ("thigh_right", "shank_right") not in pairs
    assert ("thigh_right", "foot_right") in pairs
    assert checked_pairs(bare) == pairs
    assert set(footfall.volumes.free_pairs(bare, bare.configuration("idle"))) < set(pairs)


def test_agrees_with_pinocchio_and_coal() -> None:
    """All volumes, placed by Pinocchio and measured by coal, which iterates; in overlap it is less exact."""
    pytest.importorskip("coal")
    pytest.importorskip("pinocchio")
    from tests.peers.volumes import VolumePeer

    peer = VolumePeer.from_robot(LOLA)
    for q in states(LOLA, 5, seed=4):
        ours, theirs = footfall.volumes.volume_distances(LOLA, q), peer.distances(q)
        apart = ours.core_distance > 1e-3
        np.testing.assert_allclose(ours.distance[apart], theirs[apart], atol=1e-5)
        np.testing.assert_allclose(ours.distance[~apart], theirs[~apart], atol=1e-3)


def test_bad_requests_are_named() -> None:
    q = LOLA.configuration("idle")
    with pytest.raises(UnknownName, match="no volume 'tail'"):
        footfall.volumes.volume_distances(LOLA, q, pairs=[("tail", "torso")])
    with pytest.raises(FootfallError, match="has no volumes"):
        footfall.volumes.volume_distances(replace(LOLA, volumes=(), volume_pairs=()), q)
    with pytest.raises(FootfallError, match="two names"):
        footfall.volumes.volume_distances(LOLA, q, pairs=["torso"])  # type: ignore[list-item]
    with pytest.raises(FootfallError, match="threshold is -1"):
        footfall.volumes.volume_distances(LOLA, q, threshold=-1.0)
    single = replace(LOLA, volumes=LOLA.volumes[:1], volume_pairs=())
    with pytest.raises(FootfallError, match="no pair"):
        footfall.volumes.volume_distances(single, q)
