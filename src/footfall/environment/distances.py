"""Distances of many points to the volumes of all objects, in one native call."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.environment.model import Environment
from footfall.errors import InvalidEnvironment
from footfall.geometry.triangle import Triangle, on_triangle


class ObjectDistances(NamedTuple):
    """How far n points are from the nearest of the volumes.

    distance: (n,) m, negative inside; infinite without objects. nearest: (n,) place of the object in `ids`, -1 without
    objects. ids: of the objects that were looked at.
    """

    distance: Array
    nearest: Integers
    ids: tuple[str, ...]


class PackedVolumes(NamedTuple):
    """Elements of all volumes in vision's world: corners (m, 9), those of points and lines repeated; radii (m,), m;
    owners (m,): number of the object of each."""

    corners: Array
    radii: Array
    owners: Integers


def object_distances(
    environment: Environment, points: Array, *, leave_out: Collection[str] = ("floor",)
) -> ObjectDistances:
    """Distances of points (n, 3), m, to the volumes of the objects. leave_out: classes that do not count."""
    points = np.ascontiguousarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        message = f"points have shape {points.shape}; they must be finite (n, 3)"
        raise InvalidEnvironment(message, subject=("environment", "distances"))
    ids = tuple(each.id for each in environment.objects.values() if each.category not in leave_out)
    result = ObjectDistances(np.full(len(points), np.inf), np.full(len(points), -1, np.int64), ids)
    if ids:
        _measure(packed_volumes(environment, ids), points, result.distance, result.nearest)
    return result


def packed_volumes(environment: Environment, ids: Collection[str]) -> PackedVolumes:
    """The volumes of these objects where they stand."""
    corners, radii, owners = [], [], []
    for number, id in enumerate(ids):
        each = environment.object(id)
        for element in each.volume.elements:
            filled = element.corners[[min(k, len(element.corners) - 1) for k in range(3)]]
            corners.append((filled @ each.placement.rotation.T + each.placement.translation).reshape(9))
            radii.append(element.radius)
            owners.append(number)
    return PackedVolumes(np.array(corners).reshape(-1, 9), np.array(radii), np.array(owners, np.int64))


@routine
def _measure(volumes: PackedVolumes, points: ArrayOf[Vector3], distance: Array, nearest: Integers) -> None:
    for k, point in enumerate(points):
        for m in range(len(volumes.radii)):
            corners = volumes.corners[m]
            found = on_triangle(Triangle(corners[0:3], corners[3:6], corners[6:9]), point)
            gap = np.sqrt(found.square) - volumes.radii[m]
            if gap < distance[k]:
                distance[k] = gap
                nearest[k] = volumes.owners[m]
