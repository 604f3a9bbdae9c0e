"""Where two shapes touch, by their kinds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.boxes import half_extent
from footfall.contact.detection.convex_pairs import SMALLEST, Convex, Found, convex_spots
from footfall.contact.detection.facet_pairs import Nearness, facet_spots
from footfall.contact.detection.facets import Source
from footfall.contact.detection.round_pairs import (
    capsule_capsule,
    sphere_box,
    sphere_capsule,
    sphere_cylinder,
)
from footfall.contact.detection.shapes import ContactMemory, Kind, ManifoldPoint, Pair, Pools, ShapeTable
from footfall.contact.detection.solids import Solid
from footfall.math.transform import Transform

# Where a convex shape touches a half space: every corner by itself, so that all gaps are exact.

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
    manifold: ArrayOf[ManifoldPoint],
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
            count = _put(manifold, 0, facing, np.zeros(3), height, one.radius, 0)
    elif one.kind == Kind.CAPSULE:
        for side in (-1, 1):
            reach = side * one.size[2]
            gap = height + reach * up[2]
            if gap <= limit:
                corner = np.array([0.0, 0.0, reach])
                count = _put(manifold, count, facing, corner, gap, one.radius, side)
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
                count = _put(manifold, count, facing, corner, gap, one.radius, k)
    elif one.kind == Kind.CYLINDER:
        count = _cylinder_spots(one.size, facing, height, limit, manifold)
    else:
        for k in range(len(one.points)):
            corner = one.points[k]
            gap = height + up @ corner
            if gap <= limit and count < len(manifold):
                count = _put(manifold, count, facing, corner, gap, one.radius, k)
    return count


@routine
def _put(
    manifold: ArrayOf[ManifoldPoint],
    count: int,
    facing: Facing,
    corner: Vector3,
    gap: float,
    radius: float,
    feature: int,
) -> int:
    """Add the lowest point of a ball around a corner whose middle has this gap; how many there are then."""
    manifold[count] = ManifoldPoint(
        facing.place.apply(corner - radius * facing.up), facing.normal, gap - radius, feature
    )
    return count + 1


@routine
def _cylinder_spots(
    size: Vector3, facing: Facing, height: float, limit: float, manifold: ArrayOf[ManifoldPoint]
) -> int:
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
            count = _put(manifold, count, facing, corner, gap, 0.0, feature)
    return count


MOST_SPOTS = 512  # of a pair, before they are chosen from


@routine
def solid_of(table: ShapeTable, k: int) -> Solid:
    """The convex shape of a number."""
    shape = table.shapes[k]
    first, count = 0, 0
    if shape.kind == Kind.HULL:
        hull = table.pools.hulls[shape.content]
        first, count = hull.first_point, hull.points
    points = table.pools.points[first : first + count]
    return Solid(shape.kind, shape.size, shape.radius, points, first, shape.content)


@routine
def motion_between(memory: ContactMemory, one: int, other: int) -> float:
    """How far points of two shapes move against each other in this step, at most, m."""
    apart = memory.drift[one] - memory.drift[other]
    return math.sqrt(apart @ apart) + memory.spin[one] + memory.spin[other]


@routine
def pair_spots(
    table: ShapeTable, memory: ContactMemory, pair: Pair, margin: float, manifold: ArrayOf[ManifoldPoint]
) -> Found:
    """Points at which the shapes of a pair are nearer than `margin` (m); more of them than matter."""
    shapes = table.shapes
    one, other = pair.first, pair.second
    if shapes[other].kind == Kind.MESH or shapes[other].kind == Kind.TERRAIN:
        count = _facets_near(table, memory, one, other, margin, manifold)
        return Found(count, pair._replace(known=1))
    # Closed forms know the kinds in one order only.
    swapped = shapes[other].kind < shapes[one].kind and shapes[other].kind != Kind.PLANE
    a, b = (other, one) if swapped else (one, other)
    count = _closed_form(table, memory, a, b, margin, manifold)
    if count >= 0:
        if swapped:
            _turn_round(manifold, count)
        return Found(count, pair._replace(known=1))
    first, second = _convex(table, memory, one), _convex(table, memory, other)
    return convex_spots(table.pools, first, second, margin, pair, manifold)


@routine
def _convex(table: ShapeTable, memory: ContactMemory, k: int) -> Convex:
    return Convex(solid_of(table, k), memory.places[k], table.shapes[k].bound)


@routine
def _facets_near(
    table: ShapeTable,
    memory: ContactMemory,
    one: int,
    other: int,
    margin: float,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    """A convex shape against the facets that are near its box."""
    shapes = table.shapes
    place, other_place = memory.places[one], memory.places[other]
    turn = other_place.rotation.T @ place.rotation
    middle = other_place.rotation.T @ (place.translation - other_place.translation)
    half = half_extent(shapes[one].kind, shapes[one].size, shapes[one].radius, turn) + margin
    source = Source(shapes[other].kind, shapes[other].content, middle - half, middle + half)
    return facet_spots(
        table.pools,
        solid_of(table, one),
        place,
        max(shapes[one].bound, SMALLEST),
        source,
        other_place,
        Nearness(margin, motion_between(memory, one, other)),
        manifold,
    )


@routine
def _closed_form(
    table: ShapeTable,
    memory: ContactMemory,
    one: int,
    other: int,
    margin: float,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    """The number of points, or -1 where there is no closed form; the kinds are in order."""
    shapes = table.shapes
    kind, other_kind = shapes[one].kind, shapes[other].kind
    place, other_place = memory.places[one], memory.places[other]
    if other_kind == Kind.PLANE:
        spare = shapes[one].spare & shapes[other].spare
        return plane_spots(table.pools, solid_of(table, one), place, other_place, margin, spare, manifold)
    size, other_size = shapes[one].size, shapes[other].size
    radius, other_radius = shapes[one].radius, shapes[other].radius
    if kind == Kind.SPHERE:
        centre = place.translation
        if other_kind == Kind.SPHERE or other_kind == Kind.CAPSULE:
            return sphere_capsule(centre, radius, other_place, other_size[2], other_radius, margin, manifold)
        if other_kind == Kind.BOX:
            return sphere_box(centre, radius, other_place, other_size, margin, manifold)
        if other_kind == Kind.CYLINDER:
            return sphere_cylinder(centre, radius, other_place, other_size, margin, manifold)
    if kind == Kind.CAPSULE and other_kind == Kind.CAPSULE:
        return capsule_capsule(
            place, size[2], radius, other_place, other_size[2], other_radius, margin, manifold
        )
    return -1


@routine
def _turn_round(manifold: ArrayOf[ManifoldPoint], count: int) -> None:
    """The same points for the shapes in the other order."""
    for k in range(count):
        spot = manifold[k]
        manifold[k] = ManifoldPoint(
            spot.position - spot.gap * spot.normal, -spot.normal, spot.gap, spot.feature
        )
