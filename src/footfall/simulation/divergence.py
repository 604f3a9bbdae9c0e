"""Simulations that leave the numbers: an error for one robot, a warning for some of many."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.robot.model import Robot
from footfall.simulation.run_values import SimulationState
from footfall.simulation.step_values import Command

Array = np.ndarray[Any, np.dtype[np.float64]]

_MEANINGLESS = 1e6  # m/s, rad/s or m


class DivergedWarning(UserWarning):
    """Robots of a rollout that left the numbers."""


class SimulationDiverged(FootfallError, ArithmeticError):
    """A simulation left the numbers. `state` is the last good one, `quantity` what went wrong first."""

    def __init__(self, quantity: str, state: SimulationState) -> None:
        self.quantity = quantity
        self.state = state
        super().__init__(
            f"the simulation diverged after t = {state.time:.6g} s: {quantity}; the last good state is kept"
        )


def require_good(robot: Robot, q: Array, v: Array, state: SimulationState, command: Command) -> None:
    """Raise SimulationDiverged if q (nq,) or v (nv,), which the command made of the state, have no meaning."""
    if np.isfinite(v).all() and np.isfinite(q).all() and np.abs(v).max(initial=0.0) < _MEANINGLESS:
        return
    for name, part in command._asdict().items():
        if not np.isfinite(part).all():
            raise SimulationDiverged(f"{name} of the command is {part}, which is not finite", state)
    if np.isfinite(v).all() and not np.isfinite(q).all():
        raise SimulationDiverged(_lost_coordinates(robot, q), state)
    joint = _first_bad(robot, v)
    raise SimulationDiverged(f"the velocity of {joint} is {np.abs(v).max()} rad/s or m/s", state)


def warn_of_divergence(q: Array, v: Array) -> None:
    """Of robots (batch, steps, n) that end with no numbers, or with such that have no meaning."""
    ends = np.abs(np.concatenate([q[:, -1], v[:, -1]], axis=1))
    if np.maximum.reduce(ends, axis=None) < _MEANINGLESS:
        return
    lost = np.flatnonzero(~(ends < _MEANINGLESS).all(axis=1))
    if len(lost):
        good = (np.abs(v[lost]) < _MEANINGLESS).all(axis=2) & np.isfinite(q[lost]).all(axis=2)
        first = good.argmin(axis=1)  # in a robot that is lost the last is not good
        warnings.warn(
            f"{len(lost)} of {len(q)} robots left the numbers, the first of them, robot {lost[first.argmin()]}, in "
            f"step {first.min()}: are all initial states and commands finite, and is dt small enough?",
            DivergedWarning,
            stacklevel=3,
        )


def _lost_coordinates(robot: Robot, q: Array) -> str:
    """Which joints have coordinates that are NaN: loops that could not be closed, or quaternions of zeros."""
    lost = {joint.name for joint in robot.joints if not np.isfinite(q[robot.q_slice(joint.name)]).all()}
    names = ", ".join(sorted(lost))
    if not robot.loops:
        return f"coordinates of the joints {names} are not finite; does a quaternion have norm zero?"
    return (
        f"loops cannot be closed with the joints {names} in that direction: a singular position, the "
        "end of a linkage's range, or too long a step"
    )


def _first_bad(robot: Robot, v: Array) -> str:
    worst = int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))
    return next(
        f"joint {joint.name!r}"
        for joint in robot.joints
        if robot.v_slice(joint.name).start <= worst < robot.v_slice(joint.name).stop
    )
