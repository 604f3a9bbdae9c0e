"""The two peers, converted independently from our robots, agree with each other; a comparison can fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.errors import InvalidInput
from footfall.robot.model import Robot
from tests.peers.comparison import assert_agree, relative_error
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


def frames_of(robot: Robot) -> list[str]:
    return [body.name for body in robot.bodies] + [frame.name for frame in robot.frames]


@settings(max_examples=60)
@given(robot=robots())
def test_peers_agree_on_random_robots(robot: Robot) -> None:
    q, v, a, tau = random_state(robot, 1)
    pinocchio, mujoco = PinocchioPeer.from_robot(robot), MujocoPeer(robot)
    for frame in frames_of(robot):
        theirs, ours = mujoco.frame_pose(q, frame), pinocchio.frame_pose(q, frame)
        assert_agree(theirs.translation, ours.translation, 1e-8)
        assert_agree(theirs.rotation, ours.rotation, 1e-8)
        assert_agree(mujoco.frame_jacobian(q, frame), pinocchio.frame_jacobian(q, frame), 1e-8)
        assert_agree(
            mujoco.frame_velocity(q, v, frame), pinocchio.frame_velocity(q, v, frame), 1e-8, scale=1.0
        )
        rate = pinocchio.frame_jacobian_rate(q, v, frame)
        assert_agree(mujoco.frame_jacobian_rate(q, v, frame), rate, 1e-8, scale=1.0)
        expected = pinocchio.frame_acceleration(q, v, a, frame)
        assert_agree(mujoco.frame_acceleration(q, v, a, frame), expected, 1e-8, scale=1.0)
    assert_agree(mujoco.mass_matrix(q), pinocchio.mass_matrix(q), 1e-8)
    assert_agree(mujoco.inverse_dynamics(q, v, a), pinocchio.inverse_dynamics(q, v, a), 1e-8, scale=1.0)
    assert_agree(mujoco.centroidal_momentum(q, v), pinocchio.centroidal_momentum(q, v), 1e-8, scale=1.0)
    assert_agree(mujoco.kinetic_energy(q, v), pinocchio.kinetic_energy(q, v), 1e-8)
    assert_agree(mujoco.potential_energy(q), pinocchio.potential_energy(q), 1e-8, scale=robot.mass)
    assert_agree(mujoco.center_of_mass(q), pinocchio.center_of_mass(q), 1e-8, scale=1.0)
    assert_agree(pinocchio.q(mujoco.integrate(q, a)), pinocchio.integrate(q, a), 1e-8)
    moved = mujoco.integrate(q, a)
    assert_agree(mujoco.difference(q, moved), pinocchio.difference(q, moved), 1e-8)
    residual = pinocchio.inverse_dynamics(q, v, mujoco.forward_dynamics(q, v, tau))
    assert_agree(residual, tau, 1e-8, scale=float(np.linalg.norm(pinocchio.bias_forces(q, v))))


def test_a_comparison_can_fail() -> None:
    """A millimetre in one joint's placement, or one velocity's sign, is seen by all that depends on it."""
    robot = random_robot(3, types=["floating", "revolute", "universal", "spherical"], floating_base=True)
    q, v, a, _ = random_state(robot, 3)
    joint = robot.joints[1]
    placement = joint.placement._replace(translation=joint.placement.translation + np.array([1e-3, 0.0, 0.0]))
    moved = replace(robot, joints=(robot.joints[0], replace(joint, placement=placement), *robot.joints[2:]))
    right, wrong = PinocchioPeer.from_robot(robot), PinocchioPeer.from_robot(moved)
    last = robot.bodies[-1].name
    flipped = v.copy()
    flipped[4] *= -1.0
    assert relative_error(wrong.frame_pose(q, last).translation, right.frame_pose(q, last).translation) > 1e-6
    assert relative_error(wrong.mass_matrix(q), right.mass_matrix(q)) > 1e-6
    assert relative_error(wrong.centroidal_momentum(q, v), right.centroidal_momentum(q, v)) > 1e-6
    assert relative_error(right.inverse_dynamics(q, flipped, a), right.inverse_dynamics(q, v, a)) > 1e-6
    with pytest.raises(AssertionError, match="relative error"):
        assert_agree(wrong.mass_matrix(q), right.mass_matrix(q), 1e-8)
    with pytest.raises(InvalidInput, match="shape"):
        assert_agree(np.zeros(3), np.zeros(4), 1.0)
    assert relative_error([np.nan], [1.0]) == np.inf
