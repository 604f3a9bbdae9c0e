"""Stage 4: the area on which the feet stand in each phase (spec 003c section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.gait.plan import InvalidTransition
from footfall.gait.poses import PoseRow
from footfall.motion.parameters import SupportParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Flags, Integers, Schedule
from footfall.motion.support_loops import support_hulls

Array = np.ndarray[Any, np.dtype[np.float64]]


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
    pose = np.where(
        schedule.motion[:, None], schedule.end[schedule.transition], schedule.begin[schedule.transition]
    )
    used = standing_feet(schedule, pose)
    bare = np.flatnonzero(~used.any(axis=1))
    if len(bare):
        number = int(schedule.transition[bare[0]])
        raise InvalidTransition(
            number, "both feet swing at once or none touches the ground; one must stand", value=2, limit=1
        )
    shrink = (1.0 - parameters.length_margin, 1.0 - parameters.width_margin)
    return SupportAreas(*support_hulls(sole_corners(pose, model, shrink), used))


def unshrunk_support(schedule: Schedule, model: ReducedModel) -> SupportAreas:
    """Support areas of whole soles: where the zero-moment point may physically be."""
    pose = np.where(
        schedule.motion[:, None], schedule.end[schedule.transition], schedule.begin[schedule.transition]
    )
    return SupportAreas(*support_hulls(sole_corners(pose, model, (1.0, 1.0)), standing_feet(schedule, pose)))


def standing_feet(schedule: Schedule, pose: Array) -> Flags:
    """Whether each foot stands during all of a phase, (P, 2); pose (P, 50): that of the phase."""
    closed = pose[:, PoseRow.CLOSED][:, :2] > 0.5
    moving = schedule.moving[schedule.transition, :2] & schedule.motion[:, None]
    standing: Flags = closed & ~moving
    return standing


def sole_corners(pose: Array, model: ReducedModel, shrink: tuple[float, float]) -> Array:
    """Corners (P, 2, 4, 2) of the soles in contact, projected to the ground, m; shrink: of length and width."""
    full, toe = _rectangle(model.sole, shrink), _rectangle(model.toe_sole, shrink)
    corners = np.empty((len(pose), 2, 4, 2))
    for foot in range(2):
        whole = pose[:, PoseRow.CONTACT.start + foot] == 0.0
        local = np.where(whole[:, None, None], full, toe)
        w, x, y, z = pose[:, PoseRow.FOOT_ROTATION[foot]].T
        # The upper left part of the rotation matrix: soles lie in the x-y plane of their foot, z is dropped.
        plane = np.stack(
            [1.0 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (w * z + x * y), 1.0 - 2 * (x * x + z * z)],
            axis=-1,
        ).reshape(-1, 2, 2)
        corners[:, foot] = (
            local @ plane.transpose(0, 2, 1) + pose[:, None, PoseRow.FOOT_POSITION[foot]][..., :2]
        )
    return corners


def _rectangle(sole: tuple[float, float, float, float], shrink: tuple[float, float]) -> Array:
    rear, front, right, left = sole
    x = (rear + front) / 2 + shrink[0] * (front - rear) / 2 * np.array([-1.0, 1.0, 1.0, -1.0])
    y = (right + left) / 2 + shrink[1] * (left - right) / 2 * np.array([-1.0, -1.0, 1.0, 1.0])
    return np.stack([x, y], axis=-1)
