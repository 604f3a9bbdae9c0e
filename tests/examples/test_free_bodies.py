"""Free bodies with reactions against the recursive algorithms, on random trees of hinges and slides."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from examples.free_bodies import solve_free_bodies
from footfall.errors import FootfallError
from tests.random_robots import random_robot, random_state


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("floating", [False, True])
def test_accelerations_and_reactions(seed: int, floating: bool) -> None:
    """Spatial trees: accelerations of forward dynamics, and in each joint what `joint_wrenches` has but the drive's."""
    rng = np.random.default_rng(seed)
    types = [
        "floating" if floating else "revolute",
        *rng.choice(["revolute", "prismatic", "fixed"], 6).tolist(),
    ]
    robot = random_robot(seed, types=types, armature=False)
    q, v, _, tau = random_state(robot, seed)
    if floating:
        tau[:6] = 0.0
    found = solve_free_bodies(robot, q, v, tau)
    a = footfall.forward_dynamics(robot, q, v, tau)
    np.testing.assert_allclose(found.joint_accelerations, a, rtol=1e-7, atol=1e-7)
    wrenches = np.asarray(footfall.dynamics.joint_wrenches(robot, q, v, a))
    scale = np.abs(wrenches).max()
    for joint, wrench, reaction in zip(robot.joints, wrenches, found.reactions, strict=True):
        moves = np.asarray(footfall.frame_jacobian(robot, q, joint.child))[:, robot.v_slice(joint.name)]
        driven = (
            np.zeros(6) if floating and joint is robot.joints[0] else moves @ tau[robot.v_slice(joint.name)]
        )
        np.testing.assert_allclose(reaction + driven, wrench, atol=1e-8 * scale)


def test_velocities_matter() -> None:
    """A negative test: without the terms of velocities the comparison fails, so that it can fail."""
    robot = footfall.load("arm-7r")
    q, v = np.full(7, 0.4), np.full(7, 3.0)
    still = solve_free_bodies(robot, q, np.zeros(7), np.zeros(7)).joint_accelerations
    assert np.abs(still - footfall.forward_dynamics(robot, q, v, np.zeros(7))).max() > 1.0


def test_other_joints_are_refused() -> None:
    robot = random_robot(1, types=["revolute", "spherical"], armature=False)
    q, v, _, tau = random_state(robot, 1)
    with pytest.raises((ValueError, FootfallError), match="hinges and slides"):
        solve_free_bodies(robot, q, v, tau)
