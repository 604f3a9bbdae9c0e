"""Stages 12 and 13: how load and the wrenches on the hands are passed on (Seiwald 2023).

In motion phases loads are constant; load switches blend between them and reach some way into the motion phases, so that
the tangent in the middle of a load switch is the straight line across it.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.gait.pose_records import Changes, HandRecord, PoseRecord
from footfall.math.interpolation import quintic_between, set_column
from footfall.math.polynomials import Jet
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Segments, new_course
from footfall.motion.parameters import LoadParameters
from footfall.motion.schedule import Schedule

LOADS = slice(0, 4)  # of the result of `plan_load`: RF, LF, RH, LH
WRENCHES = slice(4, 16)  # force and torque on RH, then on LH


def plan_load(
    schedule: Schedule, parameters: LoadParameters, *, start: Array | None = None
) -> PolynomialTrajectory:
    """Load factors of RF, LF, RH, LH and the wrenches (N, Nm, world axes) on RH and LH, (16,).

    The load factors of the feet sum up to one. start (3, 16): value, velocity and acceleration to continue from.
    """
    return load_course(schedule, parameters.extension, start).trajectory


def carried(pose: PoseRecord, moving: Changes, *, still: bool) -> Array:
    """What is carried in a pose, (16,), see `plan_load`. What moves carries only if still."""
    right = pose.right_foot.closed and (still or not moving.right_foot)
    left = pose.left_foot.closed and (still or not moving.left_foot)
    right_hand = pose.right_hand.closed and (still or not moving.right_hand)
    left_hand = pose.left_hand.closed and (still or not moving.left_hand)
    feet = max(float(right) + float(left), 1.0)
    loads = np.array([float(right) / feet, float(left) / feet, float(right_hand), float(left_hand)])
    return np.concatenate([loads, pushed(pose.right_hand, right_hand), pushed(pose.left_hand, left_hand)])


def pushed(hand: HandRecord, carries: bool) -> Array:
    """The wrench (6,) on a hand if it carries."""
    return float(carries) * np.concatenate([hand.force, hand.torque])


def in_phase(schedule: Schedule, phase: int) -> Array:
    """What is carried as a phase begins, (16,)."""
    k = schedule.transition[phase]
    return carried(schedule.begin[k], schedule.moving[k], still=not schedule.motion[phase])


@routine(quick=True)
def load_course(schedule: Schedule, extension: float, start: Array | None) -> Segments:
    """Loads and wrenches (16,): constant in motion phases, blended by load switches that reach some way into these.

    extension: share of a load switch by which it does. start (3, 16): motion to continue from.
    """
    borders, phases = schedule.times, len(schedule.motion)
    course = new_course(borders[0], in_phase(schedule, 0), 2 * phases + 1)
    following, rates, seconds = np.empty(16), np.zeros(16), np.zeros(16)
    continues = False
    if start is not None:
        continues = True
        course.value[:], rates[:], seconds[:] = start[0], start[1], start[2]
    for p in range(phases):
        if schedule.motion[p]:
            continue
        duration = borders[p + 1] - borders[p]
        before, after = extension * duration if p > 0 else 0.0, 0.0
        if p > 1:  # where a motion phase is too short for both its neighbours, they meet in it
            wanted = before + extension * (borders[p - 1] - borders[p - 2])
            before *= min(1.0, (borders[p] - borders[p - 1]) / max(wanted, 1e-12))
        if p < phases - 1:
            after = extension * duration
            wanted = after + (extension * (borders[p + 3] - borders[p + 2]) if p + 2 < phases else 0.0)
            after *= min(1.0, (borders[p + 2] - borders[p + 1]) / max(wanted, 1e-12))
            following[:] = in_phase(schedule, p + 1)
        else:
            k = schedule.transition[p]
            following[:] = carried(schedule.end[k], schedule.moving[k], still=True)
        if not continues:  # else what moves goes on moving
            course.rest_until(borders[p] - before)
        opening, closing = course.now, borders[p + 1] + after
        if course.segment_until(closing):
            for d in range(16):
                first = Jet(course.value[d], rates[d], seconds[d])
                coefficients = quintic_between(first, Jet(following[d], 0.0, 0.0), closing - opening)
                set_column(course.piece, d, coefficients)
        course.value[:], rates[:], seconds[:] = following, 0.0, 0.0
        continues = False
    return course.ended(borders[phases])
