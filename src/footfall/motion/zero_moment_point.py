"""Stage 5: the course of the zero-moment point through the support areas (spec 003c section 5.3)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.schedule import Schedule
from footfall.motion.support import SupportAreas
from footfall.motion.support_loops import zmp_control_points, zmp_pieces

_NOWHERE = np.zeros(2)


def plan_zmp(schedule: Schedule, areas: SupportAreas, *, start: Array | None = None) -> PolynomialTrajectory:
    """Zero-moment point (3,) in the world, m, one segment a phase.

    start (3,): where it is at the begin of a plan that is continued.
    """
    origin = _NOWHERE if start is None else np.array(start[:2])
    count, continues = len(schedule.motion), start is not None
    points, pieces = np.empty((count + 1, 2)), np.empty((count, 6, 3))
    zmp_control_points(areas.corners, areas.sizes, schedule.motion, origin, continues, points)
    first = schedule.begin[0]
    height = float(first[3 + 7 * int(first[0])] if start is None else start[2])
    zmp_pieces(
        schedule.begin,
        schedule.end,
        schedule.transition,
        schedule.motion,
        points,
        height,
        continues,
        pieces,
    )
    return PolynomialTrajectory.unchecked(schedule.times.copy(), pieces)
