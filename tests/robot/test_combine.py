"""Robots side by side as one: names, places, and dynamics that do not mix."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import RobotError
from footfall.math.transform import Transform
from footfall.robot.combine import Placed, combine, q_of
from tests.poses import random_pose


def members(seed: int = 0) -> tuple[Transform, footfall.Robot, footfall.Robot]:
    return random_pose(np.random.default_rng(seed)), footfall.load("quadruped"), footfall.load("arm-6r")


def test_bodies_stand_where_the_pose_puts_them() -> None:
    """A floating root is moved through its coordinates, a fixed one through its joint."""
    pose, walker, arm = members()
    rng = np.random.default_rng(1)
    q_walker = footfall.random_configuration(walker, seed=rng)
    q_arm = rng.normal(size=arm.nq)
    both = combine([Placed(walker, pose, q_walker, "walker"), Placed(arm, pose, q_arm, "arm")])
    q = both.configuration("initial")
    for name, robot, own in (("walker", walker, q_walker), ("arm", arm, q_arm)):
        assert len(q[q_of(both, name)]) == robot.nq
        for body in robot.bodies:
            found = footfall.frame_pose(both, q, f"{name}/{body.name}")
            expected = pose @ footfall.frame_pose(robot, own, body.name)
            assert np.abs(found.translation - expected.translation).max() < 1e-12
            assert np.abs(found.rotation - expected.rotation).max() < 1e-12


def test_the_mass_matrix_is_that_of_each() -> None:
    _, walker, arm = members()
    both = combine([Placed(walker, name="a"), Placed(arm, name="b"), Placed(arm, name="c")])
    rng = np.random.default_rng(2)
    parts = [footfall.random_configuration(walker, seed=rng), rng.normal(size=6), rng.normal(size=6)]
    matrix = footfall.mass_matrix(both, np.concatenate(parts))
    start = 0
    for robot, q in zip((walker, arm, arm), parts, strict=True):
        stop = start + robot.nv
        assert np.abs(matrix[start:stop, start:stop] - footfall.mass_matrix(robot, q)).max() < 1e-11
        matrix[start:stop, start:stop] = 0.0
        start = stop
    assert not matrix.any()


def test_names_have_the_member_in_front() -> None:
    _, walker, arm = members()
    both = combine([Placed(walker), Placed(arm, name="arm")], gravity=(0.0, 0.0, -1.62))
    assert set(walker.frame_names) <= set(both.frame_names)
    assert all(f"arm/{body.name}" in both.frame_names for body in arm.bodies)
    assert both.gravity == (0.0, 0.0, -1.62)
    lola = footfall.load("lola")
    two = combine([Placed(lola, name="a"), Placed(lola, name="b")])
    for name, group in lola.groups.items():
        assert two.groups[f"b/{name}"] == tuple(f"b/{joint}" for joint in group)
    for name, limits in lola.limit_sets.items():
        assert dict(two.limit_sets[f"a/{name}"]) == {f"a/{joint}": limit for joint, limit in limits.items()}


def test_bad_members_are_refused() -> None:
    _, walker, arm = members()
    with pytest.raises(RobotError, match="nothing to combine"):
        combine([])
    with pytest.raises(RobotError, match="coordinates"):
        combine([Placed(arm, q=np.zeros(3))])
    with pytest.raises(RobotError, match="no member 'leg'"):
        q_of(combine([Placed(walker, name="walker")]), "leg")
    with pytest.raises(ValueError, match="two bodies have this name"):
        combine([Placed(arm), Placed(arm)])
