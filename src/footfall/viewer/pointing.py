"""Where a pointer points: at the ground, at an object of a scene, or at a body of a robot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import Poses
from footfall.scene.model import SceneObject
from footfall.viewer.surfaces import Surface, object_surface

_FARTHEST_CLICK = 60.0  # m


def on_level(origin: Array, direction: Array, height: float) -> Array | None:
    """Where a ray (3,) meets a level plane, m; None if it does not, or too far away."""
    if abs(direction[2]) < 1e-9:
        return None
    along = (height - origin[2]) / direction[2]
    if along <= 0.0:
        return None
    place = origin + along * direction
    return place if float(np.hypot(*(place - origin)[:2])) < _FARTHEST_CLICK else None


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


def body_at(
    origin: Array, direction: Array, poses: Poses, surfaces: Sequence[Sequence[Surface]]
) -> tuple[int, float] | None:
    """The first body that a ray (3,) meets, by its number, and how far away that is, m. surfaces: of each body."""
    ray = direction / float(np.linalg.norm(direction))
    nearest, found = np.inf, None
    for k, (position, rotation, drawn) in enumerate(zip(*poses, surfaces, strict=True)):
        local = rotation.T @ (origin - position), rotation.T @ ray
        for each in drawn:
            along = _through_triangles(*local, each.vertices[each.triangles])
            if along < nearest:
                nearest, found = along, k
    return None if found is None else (found, nearest)


def _through_triangles(origin: Array, ray: Array, corners: Array) -> float:
    """How far along a ray of length 1 the first of triangles (n, 3, 3) is met; infinite if none is (Moeller and
    Trumbore 1997)."""
    middle = corners.reshape(-1, 3).mean(axis=0)
    size = float(np.linalg.norm(corners - middle, axis=2).max(initial=0.0))
    if np.linalg.norm(np.cross(middle - origin, ray)) > size:
        return np.inf
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(ray, two)
    scale = np.einsum("ij,ij->i", one, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = origin - corners[:, 0]
        u = np.einsum("ij,ij->i", apart, across) / scale
        turned = np.cross(apart, one)
        v = turned @ ray / scale
        along = np.einsum("ij,ij->i", two, turned) / scale
        met = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (along > 0.0)
    return float(along[met].min(initial=np.inf))


def _through_box(origin: Array, direction: Array, lower: Array, upper: Array) -> float | None:
    """How far along a ray a box begins; None if it is missed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.stack([(lower - origin) / direction, (upper - origin) / direction])
    first, last = np.nanmax(sides.min(axis=0)), np.nanmin(sides.max(axis=0))
    return float(first) if 0.0 < first <= last else None
