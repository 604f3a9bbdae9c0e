"""Derivatives of the dynamics: against Pinocchio and against differences through the manifold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.arrays import Array
from footfall.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.model import Robot
from tests.dynamics.cases import moved, some_wrenches
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")

from tests.peers.pinocchio import PinocchioPeer


def differences(function: Callable[[Array], Array], n: int, h: float = 1e-4) -> Array:
    """Jacobian (m, n) at zero by central differences of fourth order."""
    columns = [
        (8 * (function(h * step) - function(-h * step)) - (function(2 * h * step) - function(-2 * h * step)))
        / (12 * h)
        for step in np.eye(n)
    ]
    return np.array(columns).T


def three_differences(function: Callable[..., Array], n: int) -> list[Array]:
    """Jacobians (m, n) at zero with respect to each of three arguments (n,)."""
    zero = np.zeros(n)
    return [
        differences(lambda step: function(step, zero, zero), n),
        differences(lambda step: function(zero, step, zero), n),
        differences(lambda step: function(zero, zero, step), n),
    ]


@settings(max_examples=40)
@given(robot=robots())
def test_random_robots_agree_with_pinocchio(robot: Robot) -> None:
    q, v, a, tau = random_state(robot, 1)
    peer = PinocchioPeer.from_robot(robot)
    actual = inverse_dynamics_derivatives.textbook(robot, q, v, a)
    for ours, theirs in zip(actual, peer.inverse_dynamics_derivatives(q, v, a), strict=True):
        assert_agree(ours, theirs, 1e-12, scale=1.0)
    condition = float(np.linalg.cond(actual.da))
    forward = forward_dynamics_derivatives.textbook(robot, q, v, tau)
    for ours, theirs in zip(forward, peer.forward_dynamics_derivatives(q, v, tau), strict=True):
        assert_agree(ours, theirs, 1e-13 * condition, scale=1.0)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    q, v, a, _ = random_state(robot, 1)
    actual = inverse_dynamics_derivatives.textbook(robot, q, v, a)
    for ours, theirs in zip(actual, peer.inverse_dynamics_derivatives(q, v, a), strict=True):
        assert_agree(ours, theirs, 1e-10)


@settings(max_examples=15)
@given(robot=robots(max_joints=5))
def test_inverse_dynamics_with_wrenches_against_differences(robot: Robot) -> None:
    """Wrenches stay what they are in world axes while their frames move."""
    q, v, a, _ = random_state(robot, 2)
    wrenches = some_wrenches(robot)
    actual = inverse_dynamics_derivatives.textbook(robot, q, v, a, wrenches=wrenches)

    def forces(dq: Array, dv: Array, da: Array) -> Array:
        at = moved(robot, q, dq)
        return np.asarray(inverse_dynamics.textbook(robot, at, v + dv, a + da, wrenches=wrenches))

    scale = 1.0 + float(np.linalg.norm(forces(*np.zeros((3, robot.nv)))))
    for ours, expected in zip(actual, three_differences(forces, robot.nv), strict=True):
        assert_agree(ours, expected, 1e-8, scale=scale)


@pytest.mark.parametrize("seed", range(2))
def test_forward_dynamics_with_wrenches_against_differences(seed: int) -> None:
    types = ["floating", "revolute", "spherical", "prismatic", "universal", "planar"]
    robot = random_robot(seed, types=types, ups=[0, 0, 0, 1, 0, 2])
    q, v, _, tau = random_state(robot, seed)
    wrenches = some_wrenches(robot)
    actual = forward_dynamics_derivatives.textbook(robot, q, v, tau, wrenches=wrenches)

    def accelerations(dq: Array, dv: Array, dtau: Array) -> Array:
        at = moved(robot, q, dq)
        return np.asarray(forward_dynamics.textbook(robot, at, v + dv, tau + dtau, wrenches=wrenches))

    for ours, expected in zip(actual, three_differences(accelerations, robot.nv), strict=True):
        assert_agree(ours, expected, 1e-7)


def test_forward_derivatives_undo_the_inverse_ones() -> None:
    """`da/dq = -M^-1 dtau/dq` where tau is what the accelerations take."""
    robot = random_robot(17, types=["floating", "revolute", "spherical", "revolute"], ups=[0, 0, 1, 0])
    q, v, _, tau = random_state(robot, 4)
    a = forward_dynamics.textbook(robot, q, v, tau)
    inverse = inverse_dynamics_derivatives.textbook(robot, q, v, a)
    forward = forward_dynamics_derivatives.textbook(robot, q, v, tau)
    assert_agree(mass_matrix.textbook(robot, q) @ forward.dq, -inverse.dq, 1e-10)
    assert_agree(mass_matrix.textbook(robot, q) @ forward.dv, -inverse.dv, 1e-10)
    assert_agree(inverse.da @ forward.dtau, np.eye(robot.nv), 1e-10)


def test_where_and_how_fast_a_robot_is_plays_no_part() -> None:
    """No force depends on the base's position or linear velocity: their columns are exact zeros."""
    robot = random_robot(18, types=["floating", "revolute", "prismatic"], floating_base=True)
    q, v, a, tau = random_state(robot, 5)
    for derivatives in (
        inverse_dynamics_derivatives.textbook(robot, q, v, a),
        forward_dynamics_derivatives.textbook(robot, q, v, tau),
    ):
        assert not np.any(derivatives.dq[:, :3])
        assert not np.any(derivatives.dv[:, :3])


def test_a_comparison_can_fail() -> None:
    """A percent in one inertia, and turning a ball joint by world instead of body axes, are seen."""
    robot = random_robot(19, types=["revolute", "spherical", "revolute"], ups=[0, 0, 0])
    q, v, a, _ = random_state(robot, 6)
    right = PinocchioPeer.from_robot(robot).inverse_dynamics_derivatives(q, v, a)
    body = robot.bodies[2]
    heavier = replace(robot, bodies=(*robot.bodies[:2], replace(body, inertia=1.01 * body.inertia)))
    wrong = inverse_dynamics_derivatives.textbook(heavier, q, v, a)
    ours = inverse_dynamics_derivatives.textbook(robot, q, v, a)
    for bad, good in zip(wrong, right, strict=True):
        assert relative_error(bad, good) > 1e-6
    turned = ours.dq.copy()
    turned[:, 1:4] = turned[:, [2, 3, 1]]
    assert relative_error(turned, right.dq) > 1e-3
