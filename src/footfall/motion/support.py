"""Stage 4: the area on which the feet stand in each phase (spec 003c section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import InvalidTransition
from footfall.motion import support_loops as loops
from footfall.motion.parameters import SupportParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule

_LARGEST_SHARE = 0.3  # of a sole that a least margin takes on either side


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
    areas = _support(schedule, shrunk_soles(model, parameters))
    if not areas.sizes.all():
        number = int(schedule.transition[areas.sizes.argmin()])
        raise InvalidTransition(
            number, "both feet swing at once or none touches the ground; one must stand", value=2, limit=1
        )
    return areas


def unshrunk_support(schedule: Schedule, model: ReducedModel) -> SupportAreas:
    """Support areas of whole soles: where the zero-moment point may physically be."""
    return _support(schedule, np.array([model.sole, model.toe_sole]))


def _support(schedule: Schedule, soles: Array) -> SupportAreas:
    count = len(schedule.motion)
    areas = SupportAreas(np.zeros((count, 8, 2)), np.empty(count, dtype=np.int64))
    loops.support_hulls(
        schedule.begin,
        schedule.end,
        schedule.transition,
        schedule.motion,
        schedule.moving,
        soles,
        areas.corners,
        areas.sizes,
    )
    return areas


def shrunk_soles(model: ReducedModel, parameters: SupportParameters) -> Array:
    """Rear, front, right and left (2, 4) of the whole sole and of the toe pad without their margins, m."""
    soles = np.array([model.sole, model.toe_sole])
    for low, high, share in ((0, 1, parameters.length_margin), (2, 3, parameters.width_margin)):
        size = soles[:, high] - soles[:, low]
        least = np.minimum(parameters.least_margin_m, _LARGEST_SHARE * size)
        margin = np.maximum(share * size / 2, least)
        soles[:, low] += margin
        soles[:, high] -= margin
    return soles


def sole_corners(rows: Array, model: ReducedModel, *, whole: bool = False) -> Array:
    """Corners (n, 2, 4, 2) of the soles in contact in poses (n, 50), projected to the ground, m. whole: also of feet of
    which only the toes touch ground."""
    corners = np.empty((len(rows), 2, 4, 2))
    loops.sole_corners(rows, np.array([model.sole, model.sole if whole else model.toe_sole]), corners)
    return corners
