"""The centre of mass, its velocity, Jacobian and bias against both peers and differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.center_of_mass import (
    center_of_mass,
    center_of_mass_bias,
    center_of_mass_jacobian,
    center_of_mass_velocity,
)
from footfall.dynamics.centroidal import centroidal_momentum_matrix
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import UnsuitableRobot
from footfall.robot.model import WORLD, Body, Joint, Robot
from tests.dynamics.rates import rate_along
from tests.dynamics.small_robots import planar_arm
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import MUJOCO_ROBOTS, REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


def assert_same_center(robot: Robot, peer: PinocchioPeer, tolerance: float) -> None:
    q, v, _, _ = random_state(robot, 1)
    assert_agree(center_of_mass.textbook(robot, q), peer.center_of_mass(q), tolerance, scale=1.0)
    expected = peer.center_of_mass_velocity(q, v)
    assert_agree(center_of_mass_velocity.textbook(robot, q, v), expected, tolerance, scale=1.0)
    assert_agree(center_of_mass_jacobian.textbook(robot, q), peer.center_of_mass_jacobian(q), tolerance)
    bias = peer.center_of_mass_bias(q, v)
    assert_agree(center_of_mass_bias.textbook(robot, q, v), bias, tolerance, scale=1.0)


@settings(max_examples=40)
@given(robot=robots())
def test_random_robots_agree_with_the_peers(robot: Robot) -> None:
    assert_same_center(robot, PinocchioPeer.from_robot(robot), 1e-11)
    q = random_state(robot, 2).q
    assert_agree(center_of_mass.textbook(robot, q), MujocoPeer(robot).center_of_mass(q), 1e-8, scale=1.0)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    assert_same_center(robot, peer, 1e-10)


@pytest.mark.parametrize("real", MUJOCO_ROBOTS, ids=str)
def test_real_robots_agree_with_mujoco(real: RealRobot) -> None:
    robot = load_real(real)
    q = random_state(robot, 2).q
    assert_agree(center_of_mass.textbook(robot, q), MujocoPeer(robot).center_of_mass(q), 1e-8, scale=1.0)


@settings(max_examples=20)
@given(robot=robots(max_joints=6))
def test_velocity_and_bias_are_derivatives(robot: Robot) -> None:
    q, v, _, _ = random_state(robot, 3)
    velocity = center_of_mass_velocity.textbook(robot, q, v)
    expected = rate_along(lambda at: center_of_mass.textbook(robot, at), robot, q, v)
    assert_agree(velocity, expected, 1e-9, scale=1.0)
    assert_agree(center_of_mass_jacobian.textbook(robot, q) @ v, velocity, 1e-12, scale=1.0)
    bias = rate_along(lambda at: center_of_mass_velocity.textbook(robot, at, v), robot, q, v)
    assert_agree(center_of_mass_bias.textbook(robot, q, v), bias, 1e-9, scale=1.0)


def test_sum_over_bodies() -> None:
    """The definition, on a floating robot where every body counts; a wrong mass would be seen."""
    robot = random_robot(8, floating_base=True, joints=9)
    q = random_state(robot, 0).q
    poses = forward_kinematics.textbook(robot, q)
    centers = np.array(
        [
            position + rotation @ body.center_of_mass
            for body, position, rotation in zip(robot.bodies, *poses, strict=True)
        ]
    )
    masses = np.array([body.mass for body in robot.bodies])
    assert_agree(center_of_mass.textbook(robot, q), masses @ centers / masses.sum(), 1e-14)
    masses[2] *= 1.001
    assert relative_error(center_of_mass.textbook(robot, q), masses @ centers / masses.sum()) > 1e-6


def test_planar_arm() -> None:
    """Rods of RSL 2022, chapter 3: centres at mid-link; the potential energy of case A over the weight."""
    height = center_of_mass.textbook(planar_arm(), np.array([1, 2, 2]) * np.pi / 6)[2]
    assert height == pytest.approx(16.99141842 / (3 * 9.81), abs=1e-9)


def test_base_columns_of_the_jacobian() -> None:
    robot = random_robot(3, floating_base=True, joints=6)
    jacobian = center_of_mass_jacobian.textbook(robot, random_state(robot, 0).q)
    np.testing.assert_array_equal(jacobian[:, :3], np.eye(3))


def test_no_mass_is_an_error() -> None:
    joint = Joint("hinge", "revolute", WORLD, "rod", armature=1.0)
    robot = Robot("ghost", (Body("rod"),), (joint,))
    for function in (center_of_mass, center_of_mass_jacobian, centroidal_momentum_matrix):
        with pytest.raises(UnsuitableRobot, match="robot 'ghost' has no centre of mass"):
            function.textbook(robot, np.zeros(1))
