"""Maximal coordinates against the recursive algorithms: accelerations, joint forces, and the drift of theirs alone."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from examples.maximal_coordinates import RodChain
from footfall.arrays import Array
from footfall.control.actuation import torque_command
from footfall.simulation.plants import FeetSimulation

IDLE = torque_command(np.zeros(2))
ANGLES, RATES = np.array([0.9, -0.4]), np.array([1.2, -2.0])


def reduced(angles: Array, rates: Array) -> tuple[Array, Array]:
    """Joint angles and rates of the double pendulum: each rod counts from the last."""
    return np.diff(angles, prepend=0.0), np.diff(rates, prepend=0.0)


def absolute(robot_values: Array) -> Array:
    return np.cumsum(robot_values, axis=-1)


def test_accelerations_and_joint_forces() -> None:
    robot = footfall.load("double-pendulum")
    q, v = reduced(ANGLES, RATES)
    chain = RodChain(2)
    sign = swing_direction(robot)
    a, forces = chain.accelerations(*chain.from_angles(ANGLES, RATES))
    expected = footfall.forward_dynamics(robot, sign * q, sign * v, np.zeros(2))
    assert np.abs(a[2::3] - sign * absolute(expected)).max() < 1e-10
    wrenches = footfall.dynamics.joint_wrenches(robot, sign * q, sign * v, expected)
    for k in range(2):
        assert np.abs(wrenches[k][[0, 2]] - forces[2 * k : 2 * k + 2]).max() < 1e-10


def test_same_motion_as_in_reduced_coordinates() -> None:
    """Unstabilised, angles do not feel the drift of positions: they agree to rounding, step by step.

    Stabilised they do feel it, and agree to first order in the step.
    """
    robot = footfall.load("double-pendulum")
    sign, chain = swing_direction(robot), RodChain(2)
    q, v = reduced(ANGLES, RATES)
    distances: dict[float, list[float]] = {0.0: [], 20.0: []}
    for dt in (2e-3, 1e-3):
        run = FeetSimulation(robot, q=sign * q, v=sign * v, dt=dt, candidates=()).run(IDLE, 0.4)
        for alpha, found in distances.items():
            start = chain.from_angles(ANGLES, RATES)
            states = chain.simulate(*start, dt=dt, seconds=0.4, alpha=alpha).states
            found.append(float(np.abs(states[-1][2::3] - sign * absolute(run.q[-1])).max()))
    assert max(distances[0.0]) < 1e-12
    assert 1e-6 < distances[20.0][1] < 2e-2
    assert distances[20.0][0] / distances[20.0][1] == pytest.approx(2.0, rel=0.2)


def test_drift_with_and_without_stabilisation() -> None:
    """Joints open steadily without it, stay within a bound with it, and never open in reduced coordinates."""
    chain, dt = RodChain(2), 2e-3
    start = chain.from_angles(ANGLES, RATES)
    free = chain.simulate(*start, dt=dt, seconds=4.0).drift
    kept = chain.simulate(*start, dt=dt, seconds=4.0, alpha=0.2 / dt).drift
    quarter = len(free) // 4
    assert free[-quarter:].mean() > 4 * free[:quarter].mean()  # it grows
    assert free[-1] > 1e-2
    assert kept[-quarter:].max() < 0.1 * free[-1]
    assert kept[-quarter:].mean() < 3 * kept[quarter : 2 * quarter].mean() + 1e-6  # it does not
    finer = chain.simulate(*start, dt=dt / 2, seconds=4.0).drift
    assert finer[-1] < free[-1]
    closed = chain.simulate(*start, dt=dt, seconds=1.0, project=True)
    assert closed.drift.max() < 1e-12
    assert (
        np.abs(
            chain.constraints(closed.states[-1], closed.velocities[-1]).jacobian @ closed.velocities[-1]
        ).max()
        < 1e-12
    )


def test_jacobian_and_bias_are_derivatives() -> None:
    """Five rods in a state that no joints allow; central differences of the gaps and of their rates."""
    chain, random, step = RodChain(5, length=0.7, mass=2.0), np.random.default_rng(0), 1e-6
    x, v = random.normal(size=15), random.normal(size=15)
    _, jacobian, bias = chain.constraints(x, v)
    for k in range(15):
        push = step * np.eye(15)[k]
        change = (chain.constraints(x + push, v).gaps - chain.constraints(x - push, v).gaps) / (2 * step)
        np.testing.assert_allclose(jacobian[:, k], change, atol=1e-8)
    rates = [chain.constraints(x + sign * step * v, v).jacobian @ v for sign in (1.0, -1.0)]
    np.testing.assert_allclose(bias, (rates[0] - rates[1]) / (2 * step), atol=1e-8)
    moved, velocity = chain.projected(*chain.from_angles(x[:5], v[:5]))
    np.testing.assert_allclose(moved[2::3], x[:5], atol=1e-12)  # closed joints are left alone
    np.testing.assert_allclose(velocity[2::3], v[:5], atol=1e-12)


def swing_direction(robot: footfall.Robot) -> float:
    """+1 if a positive joint angle moves the first rod's mass towards +x, as in `RodChain`, else -1."""
    moved = footfall.center_of_mass(robot, np.array([0.1, 0.0]))
    return float(np.sign(moved[0]))
