"""Simulations that leave the numbers: an error for one robot, a warning for some of many."""

from __future__ import annotations

import warnings

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.loop_margin import has_margin, loop_margin, tightest_loops
from footfall.errors import SimulationDiverged, SimulationWarning
from footfall.robot.model import Robot
from footfall.simulation.run_values import SimulationState
from footfall.simulation.step_values import Command

_MEANINGLESS = 1e6  # m/s, rad/s or m
NEAR_DEAD_POINT = 0.1  # loop_margin from which one long step may have gone beyond the dead point


def are_good(q: Array, v: Array) -> bool:
    """Whether all of q (n, nq) and v (n, nv) have a meaning."""
    return bool(np.isfinite(v).all() and np.isfinite(q).all() and np.abs(v).max(initial=0.0) < _MEANINGLESS)


def require_good(robot: Robot, q: Array, v: Array, state: SimulationState, command: Command) -> None:
    """Raise SimulationDiverged if q (nq,) or v (nv,), which the command made of the state, have no meaning."""
    if are_good(q, v):
        return
    for name, part in command._asdict().items():
        if not np.isfinite(part).all():
            raise SimulationDiverged(f"{name} of the command is {part}, which is not finite", state)
    if np.isfinite(v).all() and not np.isfinite(q).all():
        raise SimulationDiverged(_lost_coordinates(robot, q) + _tight_loops(robot, state.q), state)
    joint = _first_bad(robot, v)
    speed = f"the velocity of {joint} is {np.abs(v).max()} rad/s or m/s"
    raise SimulationDiverged(speed + _tight_loops(robot, state.q), state)


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
            SimulationWarning,
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


def _tight_loops(robot: Robot, q: Array) -> str:
    """Which loops were near a dead point in the last good configuration q (nq,), empty if none was."""
    margin = float(loop_margin(robot, q)) if has_margin(robot) else 1.0
    return (
        f"; before it, loop_margin of {named_loops(robot, q)} was {margin:.2g}"
        if margin < NEAR_DEAD_POINT
        else ""
    )


def named_loops(robot: Robot, q: Array) -> str:
    """The loops that are nearest to a dead point in a configuration q (nq,), for messages."""
    names = tightest_loops(robot, q)
    return f"loop {names[0]!r}" if len(names) == 1 else f"the loops {', '.join(names)}"


def _first_bad(robot: Robot, v: Array) -> str:
    worst = int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))
    return next(
        f"joint {joint.name!r}"
        for joint in robot.joints
        if robot.v_slice(joint.name).start <= worst < robot.v_slice(joint.name).stop
    )
