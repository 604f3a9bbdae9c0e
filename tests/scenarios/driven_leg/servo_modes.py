"""Modes of the leg under its servos: the native step linearised, and the same modes in its response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eig

from footfall.arrays import Array
from footfall.robot.drives.friction import Friction
from footfall.robot.model import Robot
from footfall.scenarios.driven_leg import SERVO_PERIOD, Mode
from footfall.simulation.drive_step import Gears
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import Command

_FASTEST = 200.0  # Hz of modes that are rung; beyond, a servo has but few samples in a period
_SHARPEST = 0.9  # damping ratio above which a mode does not swing


@dataclass(frozen=True, eq=False)
class LinearStep:
    """A step about a state at `rest` (n,). matrix (n, n): of small changes. after: the state (n,) one step later."""

    matrix: Array
    after: Callable[[Array], Array]
    rest: Array


def linear_step(robot: Robot, q: Array, gears: Gears, *, dt: float = SERVO_PERIOD) -> LinearStep:
    """The native step with its servos about q (nq,), by central differences.

    Without friction, whose sign no line replaces. States are positions, velocities and what the drives remember, except
    for their clocks.
    """
    smooth = replace(robot, drives=tuple(replace(drive, friction=Friction()) for drive in robot.drives))
    simulation = FeetSimulation(smooth, candidates=(), dt=dt, q=q, drives=gears)
    assert simulation.train is not None
    zero = np.zeros(simulation.joints)
    command = Command(q, zero, zero, zero, zero, zero)
    simulation.run(command, 1.0)
    still = simulation.state
    whole = np.concatenate([still.q, still.v, still.drives])
    bounds = np.cumsum([len(still.q), len(still.v)])
    varied = np.setdiff1d(np.arange(len(whole)), simulation.train.clocks + bounds[-1])

    def after(values: Array) -> Array:
        state = whole.copy()
        state[varied] = values
        q, v, drives = np.split(state, bounds)
        simulation.state = replace(still, q=q, v=v, drives=drives)
        simulation.step(command)
        state = np.concatenate([simulation.state.q, simulation.state.v, simulation.state.drives])
        return np.asarray(state[varied])

    rest = whole[varied]
    columns = []
    for k, value in enumerate(rest):
        change = np.zeros(len(rest))
        change[k] = 1e-6 * max(1.0, abs(value))
        columns.append((after(rest + change) - after(rest - change)) / (2.0 * change[k]))
    return LinearStep(np.array(columns).T, after, rest)


def step_modes(robot: Robot, q: Array, gears: Gears, *, dt: float = SERVO_PERIOD) -> Array:
    """Eigenvalues (n,) of the leg under its servos about q (nq,), 1/s.

    The real part is a decay, the imaginary one a frequency in rad/s.
    """
    multipliers = eig(linear_step(robot, q, gears, dt=dt).matrix, right=False)
    alive = multipliers[np.abs(multipliers) > 1e-3]
    return np.asarray(np.log(alive) / dt)


def ring_servo_modes(
    robot: Robot, q: Array, gears: Gears, *, dt: float = SERVO_PERIOD, duration: float = 0.4
) -> list[Mode]:
    """Modes of the leg under its servos below 200 Hz that swing, each pushed along its shape in the simulation.

    The peak is that of the spectrum of the response along the mode's own direction, at the damped frequency.
    """
    step = linear_step(robot, q, gears, dt=dt)
    multipliers, left, right = eig(step.matrix, left=True)
    modes = []
    for k in np.argsort(np.abs(np.log(multipliers + 1e-30))):
        value = np.log(multipliers[k] + 1e-30) / dt
        damping = -value.real / abs(value)
        if value.imag <= 0.0 or damping > _SHARPEST or value.imag > 2.0 * np.pi * _FASTEST:
            continue
        shape = right[:, k] / np.abs(right[:, k]).max()
        state, response = step.rest + 1e-3 * shape.real, []
        for _ in range(round(duration / dt)):
            response.append(np.vdot(left[:, k], state - step.rest))
            state = step.after(state)
        spectrum = np.abs(np.fft.fft(np.array(response), 2**20))
        peak = float(np.argmax(spectrum[: 2**19]) / (2**20 * dt))
        modes.append(Mode(float(value.imag / (2.0 * np.pi)), float(damping), peak, np.abs(shape)))
    return modes
