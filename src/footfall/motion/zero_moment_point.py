"""Stage 5: the course of the zero-moment point through the support areas (spec 003c section 5.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.schedule import Schedule
from footfall.motion.support import SupportAreas
from footfall.motion.support_loops import zmp_control_points

Array = np.ndarray[Any, np.dtype[np.float64]]
REST_TO_REST = np.array([6.0, -15.0, 10.0, 0.0, 0.0, 0.0])  # of the quintic from 0 to 1


def plan_zmp(schedule: Schedule, areas: SupportAreas, *, start: Array | None = None) -> PolynomialTrajectory:
    """Zero-moment point (3,) in the world, m, one segment a phase.

    start (3,): where it is at the begin of a plan that is continued.
    """
    origin = np.zeros(2) if start is None else np.ascontiguousarray(start[:2])
    points = zmp_control_points(areas.corners, areas.sizes, schedule.motion, origin, start is not None)
    heights = _heights(schedule, start)
    change = np.diff(points, axis=0)
    coefficients = np.zeros((len(change), 6, 3))
    coefficients[:, 5, :2] = points[:-1]
    coefficients[:, 4, :2] = change
    if start is None:  # 003c section 4.4: a cubic that starts at rest
        coefficients[0, 4, :2], coefficients[0, 2, :2] = 0.0, change[0]
    coefficients[-1, 2:5, :2] = np.array([1.0, -3.0, 3.0])[:, None] * change[-1]
    if len(change) == 1:  # only standing
        coefficients[0, :5, :2] = REST_TO_REST[:5, None] * change[0]
    coefficients[:, 5, 2] = heights[:-1]
    coefficients[:, :, 2] += np.diff(heights)[:, None] * REST_TO_REST
    return PolynomialTrajectory(schedule.times, coefficients)


def _heights(schedule: Schedule, start: Array | None) -> Array:
    """Height at the begin and end of every phase (P + 1,): that of the stance foot, reached in load switches."""
    begin, end = schedule.begin, schedule.end
    row = np.arange(len(begin))
    feet = np.stack([begin[:, 3], begin[:, 10]], axis=1)  # height of both feet
    stance = feet[row, begin[:, PoseRow.STANCE].astype(np.int64)]
    last_feet = end[-1, [3, 10]]
    reached = stance[schedule.transition]
    reached[-1] = last_feet[int(end[-1, PoseRow.STANCE])]
    first = stance[0] if start is None else float(start[2])
    heights = np.empty(len(reached) + 1)
    heights[0] = first
    # Motion phases keep the height: that of the load switch before.
    index = np.where(schedule.motion, -1, np.arange(len(reached)))
    index = np.maximum.accumulate(index)
    heights[1:] = np.where(index < 0, first, reached[np.maximum(index, 0)])
    return heights
