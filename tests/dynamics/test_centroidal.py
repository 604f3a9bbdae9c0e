"""Momentum about the centre of mass against both peers, differences and the laws of motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.center_of_mass import center_of_mass_velocity
from footfall.dynamics.centroidal import (
    centroidal_momentum,
    centroidal_momentum_bias,
    centroidal_momentum_matrix,
)
from footfall.math.rotations import matrix_from_quaternion
from footfall.robot import library
from footfall.robot.load import load
from footfall.robot.model import JointType, Robot
from tests.dynamics.rates import rate_along
from tests.dynamics.small_robots import free_body
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import MUJOCO_ROBOTS, REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import ALL_TYPES, random_robot, random_rotation, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


def assert_same_momentum(robot: Robot, peer: PinocchioPeer, tolerance: float) -> None:
    q, v, _, _ = random_state(robot, 1)
    matrix = peer.centroidal_momentum_matrix(q)
    assert_agree(centroidal_momentum_matrix.textbook(robot, q), matrix, tolerance)
    scale = float(np.linalg.norm(matrix))
    momentum = peer.centroidal_momentum(q, v)
    assert_agree(centroidal_momentum.textbook(robot, q, v), momentum, tolerance, scale=scale)
    bias = peer.centroidal_momentum_bias(q, v)
    assert_agree(centroidal_momentum_bias.textbook(robot, q, v), bias, tolerance, scale=scale)


def assert_same_momentum_as_mujoco(robot: Robot) -> None:
    q, v, _, _ = random_state(robot, 2)
    peer = MujocoPeer(robot)
    matrix = peer.centroidal_momentum_matrix(q)
    assert_agree(centroidal_momentum_matrix.textbook(robot, q), matrix, 1e-8)
    scale = float(np.linalg.norm(matrix))
    momentum = peer.centroidal_momentum(q, v)
    assert_agree(centroidal_momentum.textbook(robot, q, v), momentum, 1e-8, scale=scale)


@settings(max_examples=40)
@given(robot=robots())
def test_random_robots_agree_with_the_peers(robot: Robot) -> None:
    assert_same_momentum(robot, PinocchioPeer.from_robot(robot), 1e-11)
    assert_same_momentum_as_mujoco(robot)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    assert_same_momentum(robot, peer, 1e-10)


@pytest.mark.parametrize("name", library.names())
def test_shipped_robots_agree_with_pinocchio(name: str) -> None:
    robot = load(name).spanning  # the peers know trees
    assert_same_momentum(robot, PinocchioPeer.from_robot(robot), 1e-11)


@pytest.mark.parametrize("real", MUJOCO_ROBOTS, ids=str)
def test_real_robots_agree_with_mujoco(real: RealRobot) -> None:
    assert_same_momentum_as_mujoco(load_real(real))


@settings(max_examples=20)
@given(robot=robots(max_joints=6))
def test_matrix_gives_momentum_and_bias_its_rate(robot: Robot) -> None:
    q, v, _, _ = random_state(robot, 3)
    momentum = centroidal_momentum.textbook(robot, q, v)
    assert_agree(centroidal_momentum_matrix.textbook(robot, q) @ v, momentum, 1e-12, scale=1.0)
    mass = sum(link.mass for link in robot.tree.links)
    assert_agree(momentum[:3], mass * center_of_mass_velocity.textbook(robot, q, v), 1e-12, scale=1.0)
    expected = rate_along(lambda at: centroidal_momentum.textbook(robot, at, v), robot, q, v)
    assert_agree(centroidal_momentum_bias.textbook(robot, q, v), expected, 1e-9, scale=1.0)


def test_a_wrong_point_would_be_seen() -> None:
    """Angular momentum about the base instead of the centre of mass is another number."""
    robot = random_robot(3, floating_base=True, joints=6)
    q, v, _, _ = random_state(robot, 0)
    expected = PinocchioPeer.from_robot(robot).centroidal_momentum(q, v)
    momentum = centroidal_momentum.textbook(robot, q, v)
    assert relative_error(momentum, expected) < 1e-12
    lever = np.array([0.0, 0.0, 1e-3])
    moved = np.concatenate([momentum[:3], momentum[3:] + np.cross(lever, momentum[:3])])
    assert relative_error(moved, expected) > 1e-6


def test_where_the_robot_stands_does_not_matter() -> None:
    """Bitwise: the position of the base is not even looked at."""
    robot = random_robot(5, floating_base=True, joints=6)
    q, v, _, _ = random_state(robot, 0)
    elsewhere = q.copy()
    elsewhere[:3] += [1e6, -3.0, 0.1]
    for function, arguments in (
        (centroidal_momentum, (v,)),
        (centroidal_momentum_bias, (v,)),
        (centroidal_momentum_matrix, ()),
    ):
        here = function.textbook(robot, q, *arguments)
        np.testing.assert_array_equal(here, function.textbook(robot, elsewhere, *arguments))


@pytest.mark.parametrize("second", ALL_TYPES, ids=str)
@pytest.mark.parametrize("third", ALL_TYPES, ids=str)
def test_slides_at_the_root(second: JointType, third: JointType) -> None:
    """A slide that does not carry all of the mass does matter."""
    robot = random_robot(1, types=["prismatic", second, third], ups=[0, 0, 0])
    assert_same_momentum(robot, PinocchioPeer.from_robot(robot), 1e-11)


def test_free_body() -> None:
    """Schwienbacher 2014, (7.1): p = m v_C, l = R I R^T w; the rate of l in constant body-axis rates is w x l."""
    robot, rng = free_body(), np.random.default_rng(1)
    body = robot.bodies[0]
    q, v, _, _ = random_state(robot, 2)
    rotation = matrix_from_quaternion(q[3:])
    turn = rotation @ v[3:]
    linear = body.mass * (v[:3] + np.cross(turn, rotation @ body.center_of_mass))
    angular = rotation @ body.inertia @ v[3:]
    assert_agree(centroidal_momentum.textbook(robot, q, v), np.concatenate([linear, angular]), 1e-14)
    bias = centroidal_momentum_bias.textbook(robot, q, v)
    assert_agree(bias[3:], np.cross(turn, angular), 1e-13)
    assert relative_error(bias[3:], random_rotation(rng) @ np.cross(turn, angular)) > 1e-3
