"""Stage 4: the area on which the feet stand in each phase (spec 003c section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.gait.plan import InvalidTransition
from footfall.motion import support_loops as loops
from footfall.motion.parameters import SupportParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Integers, Schedule

Array = np.ndarray[Any, np.dtype[np.float64]]
_WHOLE = (1.0, 1.0)


@dataclass(frozen=True, eq=False)
class SupportAreas:
    """Convex polygons in the world's x-y plane, one a phase: the first sizes[p] of corners (P, 8, 2), m."""

    corners: Array
    sizes: Integers

    def __len__(self) -> int:
        return len(self.sizes)

    def polygon(self, phase: int) -> Array:
        """The polygon (n, 2) of a phase, counter-clockwise, m."""
        return self.corners[phase, : self.sizes[phase]]


def plan_support(schedule: Schedule, model: ReducedModel, parameters: SupportParameters) -> SupportAreas:
    """Support areas of shrunk soles: in a motion phase of the feet that stand still all the time."""
    areas = _support(schedule, model, (1.0 - parameters.length_margin, 1.0 - parameters.width_margin))
    if not areas.sizes.all():
        number = int(schedule.transition[areas.sizes.argmin()])
        raise InvalidTransition(
            number, "both feet swing at once or none touches the ground; one must stand", value=2, limit=1
        )
    return areas


def unshrunk_support(schedule: Schedule, model: ReducedModel) -> SupportAreas:
    """Support areas of whole soles: where the zero-moment point may physically be."""
    return _support(schedule, model, _WHOLE)


def _support(schedule: Schedule, model: ReducedModel, shrink: tuple[float, float]) -> SupportAreas:
    rows, standing = loops.phase_poses(
        schedule.begin, schedule.end, schedule.transition, schedule.motion, schedule.moving
    )
    return SupportAreas(*loops.support_hulls(sole_corners(rows, model, shrink), standing))


def sole_corners(rows: Array, model: ReducedModel, shrink: tuple[float, float] = _WHOLE) -> Array:
    """Corners (n, 2, 4, 2) of the soles in contact in poses (n, 50), projected to the ground, m; shrink: of length and
    width."""
    return loops.sole_corners(rows, np.array([model.sole, model.toe_sole]), np.array(shrink))
