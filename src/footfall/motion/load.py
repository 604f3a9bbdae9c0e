"""Stages 12 and 13: how load and the wrenches on the hands are passed on (spec 003c sections 5.10 and 5.11).

In motion phases loads are constant; load switches blend between them and reach some way into the motion phases, so that
the tangent in the middle of a load switch is the straight line across it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.moves import hermite_pieces, moves_and_rests
from footfall.motion.parameters import LoadParameters
from footfall.motion.schedule import Schedule

Array = np.ndarray[Any, np.dtype[np.float64]]
LOADS = slice(0, 4)  # of the result of `plan_load`: RF, LF, RH, LH
WRENCHES = slice(4, 16)  # force and torque on RH, then on LH


def plan_load(
    schedule: Schedule, parameters: LoadParameters, *, start: Array | None = None
) -> PolynomialTrajectory:
    """Load factors of RF, LF, RH, LH and the wrenches (N, Nm, world axes) on RH and LH, (16,).

    The load factors of the feet sum up to one. start (3, 16): value, velocity and acceleration to continue from.
    """
    levels = _levels(schedule)
    switches = np.flatnonzero(~schedule.motion)
    begin, end = schedule.times[switches], schedule.times[switches + 1]
    before, after = _extensions(schedule, switches, parameters.extension)
    times = np.stack([begin - before, end + after], axis=1)
    # A plan that is continued may begin with a motion phase, whose level holds before the first load switch.
    first = int(schedule.motion[0])
    states = np.zeros((len(switches), 2, 3, 16))
    states[:, 0, 0], states[:, 1, 0] = levels[first : first + len(switches)], levels[first + 1 :]
    initial = levels[0]
    if start is not None:
        initial = start[0]
        states[0, 0] = start
        times[0, 0] = schedule.times[0]
    pieces = hermite_pieces(states, times[:, 1:] - times[:, :1])
    return moves_and_rests(initial, times, pieces, states[:, 1, 0], schedule.times[0], schedule.times[-1])


def _levels(schedule: Schedule) -> Array:
    """What is carried at the begin, in every motion phase and at the end, (M + 2, 16)."""
    owner = schedule.motion_transition
    count = len(owner)
    rows = np.empty((count + 2, schedule.begin.shape[1]))
    rows[0], rows[1:-1], rows[-1] = schedule.begin[0], schedule.begin[owner], schedule.end[-1]
    carrying = rows[:, PoseRow.CLOSED].copy()
    carrying[1:-1] *= ~schedule.moving[owner, :4]
    feet = carrying[:, :2].sum(axis=1)
    carrying[:, :2] /= np.maximum(feet, 1.0)[:, None]
    levels = np.empty((count + 2, 16))
    levels[:, LOADS] = carrying
    for hand in range(2):
        levels[:, 4 + 6 * hand : 10 + 6 * hand] = rows[:, PoseRow.WRENCH[hand]] * carrying[:, 2 + hand, None]
    return levels


def _extensions(schedule: Schedule, switches: Any, share: float) -> tuple[Array, Array]:
    """How far each load switch reaches before its begin and past its end, s, 003c (6.21).

    Where a motion phase is too short for those of both neighbours, they meet in it.
    """
    durations = schedule.times[1:] - schedule.times[:-1]
    wanted = share * durations[switches]
    before, after = wanted.copy(), wanted.copy()
    if switches[0] == 0:
        before[0] = 0.0
    after[-1] = 0.0
    room = durations[switches[:-1] + 1]
    scale = np.minimum(1.0, room / np.maximum(after[:-1] + before[1:], 1e-12))
    after[:-1] *= scale
    before[1:] *= scale
    return before, after
