"""Stage 8: how the toes bend (Seiwald 2023)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector3, routine
from footfall.gait.pose_records import TIPTOE, PoseRecord
from footfall.math.interpolation import quintic_between, set_column
from footfall.math.polynomials import Jet
from footfall.math.rotations import quaternion_inverse, rotate_by_quaternion
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Segments, new_course
from footfall.motion.parameters import ToeParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule

_AT_REST = 1e-12  # rad, rad/s, rad/s2
_EVEN = 1e-9  # m


class ToeShape(NamedTuple):
    """How a toe bends while its foot moves. Angles are positive where the heel lifts."""

    sole: float  # m, length
    bends_from: float  # m, stride from which it bends
    per_stride: float  # rad/m beyond the sole's length
    per_rise: float  # rad/m upwards
    high: float  # m, of a swing; what it is higher counts as a rise
    tiptoe: float  # rad
    largest: float  # rad
    peak_share: float  # of the time of a bend, at which it is largest
    sign: float  # of the joint's angle when the heel lifts


def toe_shape(model: ReducedModel, parameters: ToeParameters, foot: int) -> ToeShape:
    """The shape for a foot of a robot: 0 for RF, 1 for LF."""
    sole, sign = model.sole[1] - model.sole[0], model.toe_signs[foot]
    limits = (0.0, 0.0) if model.toe_limits is None else model.toe_limits[foot]
    largest = max(sign * limits[0], sign * limits[1], 0.0)
    return ToeShape(
        sole,
        parameters.large_stride_soles * sole,
        float(np.deg2rad(parameters.large_stride_deg)) / max(parameters.large_stride_m - sole, 1e-9),
        parameters.rise_rad_per_m,
        parameters.high_swing_m,
        min(float(np.deg2rad(parameters.tiptoe_deg)), largest),
        largest,
        parameters.peak_share,
        sign,
    )


def toe_angle(stride: Vector3, lift: float, toe: ToeShape) -> float:
    """Angle at the peak of a swing whose foot goes this way, in axes of the other foot, Seiwald 2023, (6.13), rad.

    lift: by how much it is higher in between, m. The source knows none; but a foot that is lifted behind the body over
    something high brings its ankle to its limit, and the leg that stands would have to be longer, if its heel does not
    rise first.
    """
    ahead, up = stride[0], stride[2]
    bend = toe.per_stride * (abs(ahead) - toe.sole) if abs(ahead) >= toe.bends_from else 0.0
    bend += toe.per_rise * up if up > _EVEN else 0.0
    bend += toe.per_rise * max(lift - toe.high, 0.0)
    return min(toe.largest, bend)


def stride_from_other_foot(begin: PoseRecord, end: PoseRecord, foot: int) -> Vector3:
    """Way of a foot in axes of the other one, m."""
    stride = end.foot(foot).position - begin.foot(foot).position
    return rotate_by_quaternion(quaternion_inverse(begin.foot(1 - foot).rotation), stride)


@routine(quick=True)
def toe_course(schedule: Schedule, foot: int, toe: ToeShape, start: Jet | None) -> Segments:
    """Angle (1,) of a toe joint; start: motion to continue from."""
    phases = len(schedule.motion)
    begins_on_tiptoe = schedule.begin[0].foot(foot).contact == TIPTOE
    resting = toe.sign * toe.tiptoe if begins_on_tiptoe else 0.0
    course = new_course(schedule.times[0], np.array([resting]), 3 * phases + 4)
    if start is not None and max(abs(start.value - resting), abs(start.rate), abs(start.second)) > _AT_REST:
        course.segment_until(schedule.times[1])  # it comes to rest in the first phase
        duration = schedule.times[1] - schedule.times[0]
        set_column(course.piece, 0, quintic_between(start, Jet(resting, 0.0, 0.0), duration))
    for p in range(phases):
        k = schedule.transition[p]
        if not schedule.motion[p] or not schedule.moving[k].foot(foot):
            continue
        begin, end = schedule.begin[k], schedule.end[k]
        opening, closing = schedule.times[p], schedule.times[p + 1]
        lands_on_tiptoe = end.foot(foot).contact == TIPTOE
        if lands_on_tiptoe or begin.foot(foot).contact == TIPTOE:
            course.rest_until(max(opening, course.now))
            course.blend_to(np.array([toe.sign * toe.tiptoe if lands_on_tiptoe else 0.0]), closing)
            continue
        stride = stride_from_other_foot(begin, end, foot)
        lift = schedule.step_height[k]
        bend = toe_angle(stride, 0.0 if np.isnan(lift) else lift, toe)
        if bend <= 0.0:
            continue
        # Going forward the toe bends from the load switch before on, going backward until the one after has ended.
        if stride[0] >= 0.0 and p > 0 and not schedule.motion[p - 1]:
            opening = schedule.times[p - 1]
        elif stride[0] < 0.0 and p + 1 < phases and not schedule.motion[p + 1]:
            closing = schedule.times[p + 2]
        opening = max(opening, course.now)  # a step back before has the load switch in between
        course.rest_until(opening)
        course.blend_to(np.array([toe.sign * bend]), opening + toe.peak_share * (closing - opening))
        course.blend_to(np.array([0.0]), closing)
    return course.ended(schedule.times[-1])


def plan_toe(
    schedule: Schedule,
    foot: int,
    model: ReducedModel,
    parameters: ToeParameters,
    *,
    start: Array | None = None,
) -> PolynomialTrajectory:
    """Angle (1,) of a toe joint, rad, with the sign of its side; foot: 0 for RF, 1 for LF.

    It bends while the heel lifts in large, high and upward steps, and as long as the foot stands on tiptoe. start (3,):
    angle, velocity and acceleration to continue from; it comes to rest in the first phase.
    """
    state = None if start is None else Jet(*start.tolist())
    return toe_course(schedule, foot, toe_shape(model, parameters, foot), state).trajectory
