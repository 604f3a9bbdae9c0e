"""Stage 4: the area on which the feet stand in each phase (Seiwald 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector2, routine
from footfall.errors import InvalidTransition
from footfall.gait.pose_records import WHOLE_SOLE, FootRecord, PoseRecord
from footfall.math.polygons import hull
from footfall.math.rotations import matrix_from_quaternion
from footfall.motion.parameters import SupportParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule

_LARGEST_SHARE = 0.3  # of a sole that a least margin takes on either side


class Sole(NamedTuple):
    """A rectangle in the frame of a foot, m."""

    rear: float
    front: float
    right: float
    left: float


class Soles(NamedTuple):
    """What a foot stands on: all of it, or the pad of its toes."""

    whole: Sole
    toe_pad: Sole


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
    areas = support_areas(schedule, shrunk_soles(model, parameters))
    if not areas.sizes.all():
        number = int(schedule.transition[areas.sizes.argmin()])
        raise InvalidTransition(
            number, "both feet swing at once or none touches the ground; one must stand", value=2, limit=1
        )
    return areas


def unshrunk_support(schedule: Schedule, model: ReducedModel) -> SupportAreas:
    """Support areas of whole soles: where the zero-moment point may physically be."""
    return support_areas(schedule, soles_of(model))


def soles_of(model: ReducedModel) -> Soles:
    """The soles of a robot."""
    return Soles(Sole(*model.sole), Sole(*model.toe_sole))


@lru_cache(maxsize=16)
def shrunk_soles(model: ReducedModel, parameters: SupportParameters) -> Soles:
    """The soles of a robot without their margins."""
    whole, toe_pad = soles_of(model)
    return Soles(_shrunk(whole, parameters), _shrunk(toe_pad, parameters))


def _shrunk(sole: Sole, parameters: SupportParameters) -> Sole:
    def margin(size: float, share: float) -> float:
        return max(share * size / 2, min(parameters.least_margin_m, _LARGEST_SHARE * size))

    along = margin(sole.front - sole.rear, parameters.length_margin)
    across = margin(sole.left - sole.right, parameters.width_margin)
    return Sole(sole.rear + along, sole.front - along, sole.right + across, sole.left - across)


def ground_corners(foot: FootRecord, soles: Soles) -> Array:
    """Corners (4, 2) of the sole that touches the ground, seen from above, counter-clockwise from rear right, m."""
    sole = soles.whole if foot.contact == WHOLE_SOLE else soles.toe_pad
    turn = matrix_from_quaternion(foot.rotation)
    place, ahead, across = foot.position[:2], turn[:2, 0], turn[:2, 1]
    return np.array(
        [
            place + sole.rear * ahead + sole.right * across,
            place + sole.front * ahead + sole.right * across,
            place + sole.front * ahead + sole.left * across,
            place + sole.rear * ahead + sole.left * across,
        ]
    )


@routine(quick=True)
def support_areas(schedule: Schedule, soles: Soles) -> SupportAreas:
    """The hulls of the soles that stand in all of a phase; a motion phase has the contacts of the pose it ends in."""
    count = len(schedule.motion)
    corners = np.zeros((count, 8, 2))
    sizes = np.zeros(count, dtype=np.int64)
    points: ArrayOf[Vector2] = np.empty((8, 2))
    for p in range(count):
        k, size = schedule.transition[p], 0
        pose = schedule.end[k] if schedule.motion[p] else schedule.begin[k]
        for side in (0, 1):
            foot = pose.foot(side)
            if foot.closed and not (schedule.motion[p] and schedule.moving[k].foot(side)):
                points[size : size + 4] = ground_corners(foot, soles)
                size += 4
        if size > 0:
            found = hull(points[:size])
            sizes[p] = len(found)
            corners[p, : len(found)] = np.asarray(found)
    return SupportAreas(corners, sizes)


@routine(quick=True)
def sole_corners(poses: ArrayOf[PoseRecord], soles: Soles) -> Array:
    """Corners (n, 2, 4, 2) of the soles in contact of RF and LF in poses (n,), see `ground_corners`."""
    corners = np.empty((len(poses), 2, 4, 2))
    for n in range(len(poses)):
        for side in (0, 1):
            corners[n, side] = ground_corners(poses[n].foot(side), soles)
    return corners
