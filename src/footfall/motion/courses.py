"""Room for the trajectories that native loops fill."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Integers
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.schedule import Schedule
from footfall.motion.stage_loops import turn_course


def room(schedule: Schedule, segments: int, dimension: int) -> tuple[Array, Array]:
    """Times and pieces for a number of segments at most; the first and last time are those of the schedule."""
    times, pieces = np.empty(segments + 1), np.empty((segments, 6, dimension))
    times[0], times[-1] = schedule.times[0], schedule.times[-1]
    return times, pieces


def filled(times: Array, pieces: Array, size: int) -> PolynomialTrajectory:
    """The trajectory in the first `size` segments."""
    return PolynomialTrajectory.unchecked(times[: size + 1], pieces[:size])


def turns_and_rests(
    schedule: Schedule, initial: Array, controls: Array, which: Integers, shares: Array, timing: Array
) -> QuaternionTrajectory:
    """A rotation that rests except for n turns, one in each of the motion phases `which` (n,).

    initial (4,): before the first turn. controls (n, 4, 4): quaternions of each turn; their signs are changed. shares
    (s + 1,), timing (s, 6): how the parameter of each turn runs from 0 to 1 in its phase.
    """
    if len(which) == 0:
        times, pieces = room(schedule, 1, 1)
        pieces[:] = 0.0
        resting = CubicQuaternionSpline.unchecked(np.array([[initial] * 4]))
        return QuaternionTrajectory(resting, filled(times, pieces, 1))
    times, pieces = room(schedule, len(which) * (len(timing) + 1) + 1, 1)
    size = turn_course(
        controls, which, schedule.motion_begin, schedule.motion_end, shares, timing, times, pieces
    )
    return QuaternionTrajectory(CubicQuaternionSpline.unchecked(controls), filled(times, pieces, size))
