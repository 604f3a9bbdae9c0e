"""Stage 8: how the toes bend (spec 003c section 5.6)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import filled, room
from footfall.motion.parameters import ToeParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.toe_loops import toe_course

_NOWHERE = np.zeros(3)


def plan_toe(
    schedule: Schedule,
    foot: int,
    model: ReducedModel,
    parameters: ToeParameters,
    *,
    start: Array | None = None,
) -> PolynomialTrajectory:
    """Angle (1,) of a toe joint, rad, with the sign of its side; foot: 0 for RF, 1 for LF.

    It bends while the heel lifts in large steps and steps up, 003c (6.13), and as long as the foot stands on tiptoe.
    start (3,): angle, velocity and acceleration to continue from; it comes to rest in the first phase.
    """
    times, pieces = room(schedule, 3 * len(schedule.motion) + 4, 1)
    size = toe_course(
        schedule.begin,
        schedule.end,
        schedule.moving,
        schedule.transition,
        schedule.motion,
        schedule.times,
        foot,
        _numbers(model, parameters, foot),
        _NOWHERE if start is None else np.ascontiguousarray(start),
        start is not None,
        times,
        pieces,
    )
    return filled(times, pieces, size)


def _numbers(model: ReducedModel, parameters: ToeParameters, foot: int) -> Array:
    """The numbers of `toe_course`; the limit is that in the direction in which the heel lifts."""
    length = model.sole[1] - model.sole[0]
    sign = model.toe_signs[foot]
    limits = (0.0, 0.0) if model.toe_limits is None else model.toe_limits[foot]
    return np.array(
        [
            parameters.peak_share,
            parameters.large_stride_soles * length,
            length,
            np.deg2rad(parameters.large_stride_deg) / max(parameters.large_stride_m - length, 1e-9),
            parameters.rise_rad_per_m,
            np.deg2rad(parameters.tiptoe_deg),
            max(sign * limits[0], sign * limits[1], 0.0),
            sign,
        ]
    )
