"""Stage 5: the course of the zero-moment point through the support areas (Seiwald 2023)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.gait.pose_records import PoseRecord
from footfall.math.interpolation import rest_to_rest_quintic
from footfall.math.polygons import blended_connection, centroid, closest
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Segments
from footfall.motion.parameters import ZeroMomentPointParameters
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
    way, none = end - begin, 0.0 * begin
    if starts and stops:
        return rest_to_rest_quintic(begin, end)
    if starts:
        return np.array([none, none, way, none, none, begin])
    if stops:
        return np.array([none, none, way, -3.0 * way, 3.0 * way, begin])
    return np.array([none, none, none, none, way, begin])


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
