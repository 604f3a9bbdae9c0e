"""Where a pointer points: at the ground, or at an object of a scene."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from footfall.arrays import Array
from footfall.scene.model import SceneObject
from footfall.viewer.surfaces import object_surface

_FARTHEST = 60.0  # m


def on_level(origin: Array, direction: Array, height: float) -> Array | None:
    """Where a ray (3,) meets a level plane, m; None if it does not, or too far away."""
    if abs(direction[2]) < 1e-9:
        return None
    along = (height - origin[2]) / direction[2]
    if along <= 0.0:
        return None
    place = origin + along * direction
    return place if float(np.hypot(*(place - origin)[:2])) < _FARTHEST else None


def object_at(origin: Array, direction: Array, objects: Iterable[SceneObject]) -> tuple[str, Array] | None:
    """The nearest object that a ray (3,) meets, by the box around it in its own axes, and where, m."""
    nearest, found = np.inf, None
    for each in objects:
        pose = each.placement
        local = pose.rotation.T @ (origin - pose.translation), pose.rotation.T @ direction
        vertices = object_surface(each.shape, None).vertices
        along = _through_box(*local, vertices.min(axis=0), vertices.max(axis=0))
        if along is not None and along < nearest:
            nearest, found = along, (each.name, origin + along * direction)
    return found


def _through_box(origin: Array, direction: Array, lower: Array, upper: Array) -> float | None:
    """How far along a ray a box begins; None if it is missed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.stack([(lower - origin) / direction, (upper - origin) / direction])
    first, last = np.nanmax(sides.min(axis=0)), np.nanmin(sides.max(axis=0))
    return float(first) if 0.0 < first <= last else None
