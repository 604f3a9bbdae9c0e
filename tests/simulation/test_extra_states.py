"""States of one's own beside a robot's: against SciPy, order of the step, batches, and a motor in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import footfall
from footfall.arrays import Array
from footfall.errors import FootfallError
from footfall.simulation import SmoothSystem

PENDULUM = footfall.load("double-pendulum")
INDUCTANCE, RESISTANCE, CONSTANT = 0.05, 2.0, 1.5  # H, Ohm, N m/A


def motor(q: Array, v: Array, x: Array, u: Array) -> tuple[Array, Array]:
    """A winding on the first joint, L i' = U - R i - k w, with the torque k i; a filter follows the second angle."""
    current = (u[0] - RESISTANCE * x[0] - CONSTANT * v[0]) / INDUCTANCE
    return np.array([CONSTANT * x[0], 0.0]), np.array([current, 20.0 * (q[1] - x[1])])


def reference(start: Array, voltage: float, end: float) -> Array:
    def slope(_: float, z: Array) -> Array:
        tau, rates = motor(z[:2], z[2:4], z[4:], np.array([voltage]))
        a = footfall.forward_dynamics(PENDULUM, z[:2], z[2:4], tau)
        return np.concatenate([z[2:4], a, rates])

    return np.asarray(solve_ivp(slope, (0.0, end), start, rtol=1e-11, atol=1e-12).y[:, -1])


def test_a_winding_against_scipy() -> None:
    """Errors fall with the fourth power of the step."""
    start = np.array([0.4, -0.3, 0.0, 0.5, 0.0, 0.0])
    exact = reference(start, 12.0, 0.4)
    errors = []
    for steps in (200, 400):
        system = SmoothSystem(PENDULUM, motor, states=2, inputs=1, dt=0.4 / steps)
        run = system.run(start[:2], start[2:4], start[4:], steps, np.array([12.0]))
        last = np.concatenate([run.q[-1], run.v[-1], run.x[-1]])
        errors.append(np.abs(last - exact).max())
        assert run.time[-1] == pytest.approx(0.4)
    assert errors[0] < 1e-6
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)


def test_batches_give_the_same_bits() -> None:
    system = SmoothSystem(PENDULUM, motor, states=2, inputs=1)
    q = np.array([[0.1, 0.2], [0.5, -0.4], [1.0, 0.0]])
    many = system.run(q, np.zeros((3, 2)), np.zeros((3, 2)), 50, np.array([3.0]))
    assert many.q.shape == (3, 50, 2)
    for k in range(3):
        one = system.run(q[k], np.zeros(2), np.zeros(2), 50, np.array([3.0]))
        np.testing.assert_array_equal(one.x, many.x[k])


def test_a_floating_robot() -> None:
    """A tank that empties as a jet: impulse along the body, orientation on the manifold; momentum is what it gave."""
    robot = footfall.load("falling-rod")
    free = footfall.Robot(
        robot.name, robot.bodies, robot.joints, robot.frames, robot.configurations, gravity=(0.0, 0.0, 0.0)
    )
    place = free.v_slice(free.joints[0].name).start

    def jet(q: Array, v: Array, x: Array, u: Array) -> tuple[Array, Array]:
        rate = -2.0 * x[0]
        force = [0.0] * free.nv
        force[place] = -5.0 * rate
        return np.array(force), np.array([rate])

    q = footfall.neutral(free)
    run = SmoothSystem(free, jet, states=1, dt=1e-2).run(q, np.zeros(free.nv), np.ones(1), 100)
    assert run.x[-1, 0] == pytest.approx(np.exp(-2.0), rel=1e-8)
    assert free.mass * run.v[-1, place] == pytest.approx(5.0 * (1.0 - np.exp(-2.0)), rel=1e-6)


def test_bad_input() -> None:
    with pytest.raises(FootfallError, match="states is 0"):
        SmoothSystem(PENDULUM, motor, states=0)
    with pytest.raises(FootfallError, match="dt is -1"):
        SmoothSystem(PENDULUM, motor, states=2, inputs=1, dt=-1.0)
    with pytest.raises(FootfallError, match=r"rates \(2,\); they must be \(2,\) and \(3,\)"):
        SmoothSystem(PENDULUM, motor, states=3, inputs=1)
