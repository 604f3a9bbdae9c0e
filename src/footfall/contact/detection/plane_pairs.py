"""Where a convex shape touches a half space: every corner by itself, so that all gaps are exact."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import Kind, Pools, Spot
from footfall.contact.detection.solids import Solid
from footfall.math.transform import Transform

# Sine of a cylinder's tilt below which it stands upright: its lowest point is anywhere on the rim.
_UPRIGHT = 1e-9


class Facing(NamedTuple):
    """A shape above a plane: where it is, and the plane's normal in its own axes (up) and in the world's."""

    place: Transform
    up: Vector3
    normal: Vector3


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
    facing = Facing(place, up, normal)
    limit = margin + one.radius
    count = 0
    if one.kind == Kind.SPHERE:
        if height <= limit:
            count = _put(spots, 0, facing, np.zeros(3), height, one.radius, 0)
    elif one.kind == Kind.CAPSULE:
        for side in (-1, 1):
            reach = side * one.size[2]
            gap = height + reach * up[2]
            if gap <= limit:
                corner = np.array([0.0, 0.0, reach])
                count = _put(spots, count, facing, corner, gap, one.radius, side)
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
                count = _put(spots, count, facing, corner, gap, one.radius, k)
    elif one.kind == Kind.CYLINDER:
        count = _cylinder_spots(one.size, facing, height, limit, spots)
    else:
        for k in range(len(one.points)):
            corner = one.points[k]
            gap = height + up @ corner
            if gap <= limit and count < len(spots):
                count = _put(spots, count, facing, corner, gap, one.radius, k)
    return count


@routine
def _put(
    spots: ArrayOf[Spot], count: int, facing: Facing, corner: Vector3, gap: float, radius: float, feature: int
) -> int:
    """Add the lowest point of a ball around a corner whose middle has this gap; how many there are then."""
    spots[count] = Spot(facing.place.apply(corner - radius * facing.up), facing.normal, gap - radius, feature)
    return count + 1


@routine
def _cylinder_spots(size: Vector3, facing: Facing, height: float, limit: float, spots: ArrayOf[Spot]) -> int:
    """Of both rims the lowest point, the two a quarter turn beside it, and that across."""
    up = facing.up
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
            feature = quarter if side > 0.0 else 4 + quarter
            count = _put(spots, count, facing, corner, gap, 0.0, feature)
    return count
