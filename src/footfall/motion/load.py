"""Stages 12 and 13: how load and the wrenches on the hands are passed on (spec 003c sections 5.10 and 5.11).

In motion phases loads are constant; load switches blend between them and reach some way into the motion phases, so that
the tangent in the middle of a load switch is the straight line across it.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import filled, room
from footfall.motion.load_loops import load_course
from footfall.motion.parameters import LoadParameters
from footfall.motion.schedule import Schedule

LOADS = slice(0, 4)  # of the result of `plan_load`: RF, LF, RH, LH
WRENCHES = slice(4, 16)  # force and torque on RH, then on LH
_NOWHERE = np.zeros((3, 16))


def plan_load(
    schedule: Schedule, parameters: LoadParameters, *, start: Array | None = None
) -> PolynomialTrajectory:
    """Load factors of RF, LF, RH, LH and the wrenches (N, Nm, world axes) on RH and LH, (16,).

    The load factors of the feet sum up to one. start (3, 16): value, velocity and acceleration to continue from.
    """
    times, pieces = room(schedule, 2 * len(schedule.motion) + 1, 16)
    size = load_course(
        schedule.begin,
        schedule.end,
        schedule.moving,
        schedule.transition,
        schedule.motion,
        schedule.times,
        parameters.extension,
        _NOWHERE if start is None else np.ascontiguousarray(start),
        start is not None,
        times,
        pieces,
    )
    return filled(times, pieces, size)
