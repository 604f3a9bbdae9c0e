"""Where a convex shape touches a half space: every corner by itself, so that all gaps are exact."""

from __future__ import annotations

import math

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import Kind, Pools, Spot
from footfall.contact.detection.solids import Solid
from footfall.math.transform import Transform

_UPRIGHT = (
    1e-9  # sine of a cylinder's tilt below which it stands upright: its lowest point is anywhere on the rim
)


@routine
def plane_spots(
    pools: Pools,
    one: Solid,
    place: Transform,
    plane: Transform,
    margin: float,
    spare: int,
    spots: ArrayOf[Spot],
) -> int:
    """Points of a convex shape that are nearer than `margin` (m) to the plane z = 0 of a frame, or below it; spare:
    bits of corners of a box that are left out."""
    normal = plane.rotation[:, 2]
    height = normal @ (place.translation - plane.translation)
    up = place.rotation.T @ normal
    limit = margin + one.radius
    count = 0
    if one.kind == Kind.SPHERE:
        if height <= limit:
            count = _put(spots, 0, place, np.zeros(3), up, height, one.radius, normal, 0)
    elif one.kind == Kind.CAPSULE:
        for side in (-1, 1):
            reach = side * one.size[2]
            gap = height + reach * up[2]
            if gap <= limit:
                corner = np.array([0.0, 0.0, reach])
                count = _put(spots, count, place, corner, up, gap, one.radius, normal, side)
    elif one.kind == Kind.BOX:
        for k in range(8):
            corner = np.array(
                [
                    one.size[0] if k & 1 else -one.size[0],
                    one.size[1] if k & 2 else -one.size[1],
                    one.size[2] if k & 4 else -one.size[2],
                ]
            )
            gap = height + up @ corner
            if gap <= limit and not (spare >> k) & 1:
                count = _put(spots, count, place, corner, up, gap, one.radius, normal, k)
    elif one.kind == Kind.CYLINDER:
        count = _cylinder_spots(one.size, place, up, height, limit, normal, spots)
    else:
        for k in range(len(one.points)):
            corner = one.points[k]
            gap = height + up @ corner
            if gap <= limit and count < len(spots):
                count = _put(spots, count, place, corner, up, gap, one.radius, normal, k)
    return count


@routine
def _put(
    spots: ArrayOf[Spot],
    count: int,
    place: Transform,
    corner: Vector3,
    up: Vector3,
    height: float,
    radius: float,
    normal: Vector3,
    feature: int,
) -> int:
    spots[count] = Spot(place.apply(corner - radius * up), normal, height - radius, feature)
    return count + 1


@routine
def _cylinder_spots(
    size: Vector3,
    place: Transform,
    up: Vector3,
    height: float,
    limit: float,
    normal: Vector3,
    spots: ArrayOf[Spot],
) -> int:
    """Of both rims the lowest point, the two a quarter turn beside it, and that across."""
    across = math.sqrt(up[0] * up[0] + up[1] * up[1])
    x, y = (-up[0] / across, -up[1] / across) if across > _UPRIGHT else (1.0, 0.0)
    count = 0
    for k in range(8):
        side = size[2] if (k < 4) == (up[2] < 0.0) else -size[2]  # the lower rim first
        quarter = k % 4
        if quarter == 0:
            corner = np.array([size[0] * x, size[0] * y, side])
        elif quarter == 1:
            corner = np.array([-size[0] * y, size[0] * x, side])
        elif quarter == 2:
            corner = np.array([-size[0] * x, -size[0] * y, side])
        else:
            corner = np.array([size[0] * y, -size[0] * x, side])
        gap = height + up @ corner
        if gap <= limit:
            count = _put(
                spots, count, place, corner, up, gap, 0.0, normal, quarter if side > 0.0 else 4 + quarter
            )
    return count
