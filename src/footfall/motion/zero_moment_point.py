"""Stage 5: the course of the zero-moment point through the support areas (Seiwald 2023).

Stages 12 and 13: how load and the wrenches on the hands are passed on (Seiwald 2023).

In motion phases loads are constant; load switches blend between them and reach some way into the motion phases, so that
the tangent in the middle of a load switch is the straight line across it.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.gait.pose_records import Changes, HandRecord, PoseRecord
from footfall.math.interpolation import quintic_between, rest_to_rest_quintic, set_column
from footfall.math.polygons import blended_connection, centroid, closest
from footfall.math.polynomials import Jet
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Segments, new_course
from footfall.motion.parameters import LoadParameters, ZeroMomentPointParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.support import SupportAreas


def plan_zmp(
    schedule: Schedule, areas: SupportAreas, *, blend: float, start: Array | None = None
) -> PolynomialTrajectory:
    """Zero-moment point (3,) in the world, m, one segment a phase.

    blend: by how much other connections of two areas may be longer than the shortest one to count, m. start (3,): where
    it is at the begin of a plan that is continued.
    """
    return zmp_course(schedule, areas, blend, start).trajectory


def blend_length(model: ReducedModel, parameters: ZeroMomentPointParameters) -> float:
    """The `blend` of `plan_zmp` for the soles of a robot, m."""
    _, _, right, left = model.sole
    return parameters.blend_widths * (left - right)


@routine(quick=True)
def zmp_course(schedule: Schedule, areas: SupportAreas, blend: float, start: Vector3 | None) -> Segments:
    """The zero-moment point between its control points; its height changes in load switches, to that of the stance
    foot."""
    points, count = control_points(schedule, areas, blend, start), len(schedule.motion)
    pieces = np.empty((count, 6, 3))
    height = stance_height(schedule.begin[0]) if start is None else start[2]
    starts = start is None or count == 1
    for p in range(count):
        k = schedule.transition[p]
        reached = height
        if not schedule.motion[p]:
            reached = stance_height(schedule.end[k] if p == count - 1 else schedule.begin[k])
        flat = horizontal_piece(points[p], points[p + 1], starts and p == 0, p == count - 1)
        rise = rest_to_rest_quintic(height, reached)
        for power in (0, 1, 2, 3, 4, 5):
            pieces[p, power] = np.array([flat[power, 0], flat[power, 1], rise[power]])
        height = reached
    return Segments(schedule.times.copy(), pieces)


def stance_height(pose: PoseRecord) -> float:
    """Height of the stance foot, m."""
    return float(pose.foot(pose.stance).position[2])


def horizontal_piece(begin: Vector2, end: Vector2, starts: bool, stops: bool) -> Array:
    """Coefficients (6, 2) of the way from one control point to the next, Seiwald 2023, appendix G: straight at constant
    speed, with cubics where it starts or stops, from rest to rest where it only stands."""
    change, none = end - begin, 0.0 * begin
    if starts and stops:
        return rest_to_rest_quintic(begin, end)
    if starts:
        return np.array([none, none, change, none, none, begin])
    if stops:
        return np.array([none, none, change, -3.0 * change, 3.0 * change, begin])
    return np.array([none, none, none, none, change, begin])


def control_points(
    schedule: Schedule, areas: SupportAreas, blend: float, start: Vector3 | None
) -> ArrayOf[Vector2]:
    """Where the zero-moment point is at the begin and end of every phase, (P + 1, 2); Seiwald 2023, section 6.5, with
    connections that are continuous in the poses."""
    count = len(schedule.motion)
    points: ArrayOf[Vector2] = np.empty((count + 1, 2))
    points[0] = centroid(areas.polygon(0)) if start is None else start[:2]
    points[count] = centroid(areas.polygon(count - 1))
    for p in range(count):
        if schedule.motion[p]:
            continue
        before, after = p > 0, p < count - 1
        if before and after:
            between = blended_connection(areas.polygon(p - 1), areas.polygon(p + 1), blend)
            points[p], points[p + 1] = between.start, between.end
        elif after:
            points[p + 1] = closest(areas.polygon(p + 1), points[p])
        elif before:
            points[p] = closest(areas.polygon(p - 1), points[p + 1])
    return points


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
