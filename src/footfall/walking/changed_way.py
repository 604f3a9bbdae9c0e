"""Whether what a robot has come to see concerns the way that it has planned."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.environment.model import Environment, difference
from footfall.gait.poses import RobotPose

_BODY_BORDER = 0.5  # m, beside the feet of a plan: what stands there is in the way of body and arms


def way_changed(before: Environment, after: Environment, poses: tuple[RobotPose, ...]) -> bool:
    """Whether a thing came, changed or went beside the feet of a plan."""
    feet = np.array([foot.position[:2] for pose in poses for foot in pose.feet]).reshape(-1, 2)
    update = difference(before, after)
    ids = {*update.remove, *(each.id for each in update.objects)}
    was = [before.objects[id] for id in ids if id in before.objects]
    for thing in (*update.objects, *was):
        corners = thing.surface.mesh.vertices @ thing.placement.rotation.T + thing.placement.translation
        if _near(feet, corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)):
            return True
    return False


def _near(places: Array, lower: Array, upper: Array) -> bool:
    """Whether one of the places (n, 2) is near a box, m."""
    away = np.maximum(np.maximum(lower - places, places - upper), 0.0)
    return bool((np.hypot(away[:, 0], away[:, 1]) < _BODY_BORDER).any())
