"""Where two convex shapes of any kind touch."""

from __future__ import annotations

from typing import NamedTuple

from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, routine
from footfall.contact.detection.axes import NEAR, Axis, axis_along, deepest, refined
from footfall.contact.detection.box_axis import box_axis
from footfall.contact.detection.gjk import FAR, OVERLAP, closest_points
from footfall.contact.detection.patch import patch_spots
from footfall.contact.detection.shapes import Kind, Pools, Spot
from footfall.contact.detection.solids import Solid
from footfall.math.transform import Transform

_DEEP = 0.1  # of the smaller shape's size: overlaps from which on the axis of the last time may be stale


class Found(NamedTuple):
    """points: how many were found. axis: unit normal in the world, to start from next time."""

    points: int
    axis: Vector3


@routine
def convex_spots(
    pools: Pools,
    one: Solid,
    place: Transform,
    other: Solid,
    other_place: Transform,
    small: float,
    margin: float,
    axis: Vector3,
    known: bool,
    spots: ArrayOf[Spot],
) -> Found:
    """Points at which two convex shapes are nearer than `margin` (m).

    small: size of the smaller one, m. axis: unit normal from the second to the first in the world, a guess, or the
    answer of the last time if it is `known`.
    """
    turn = place.rotation.T @ other_place.rotation
    way = place.rotation.T @ (other_place.translation - place.translation)
    limit = margin + one.radius + other.radius
    best = best_axis(pools, one, other, turn, way, small, limit, place.rotation.T @ axis, known)
    if best.separation > limit:
        return Found(0, place.rotation @ best.normal)
    count = patch_spots(pools, one, other, turn, way, best, small, margin, spots)
    put_into_world(spots, count, place)
    return Found(count, place.rotation @ best.normal)


@routine
def put_into_world(spots: ArrayOf[Spot], count: int, place: Transform) -> None:
    """Points that are given in a frame which stands at a place."""
    for k in range(count):
        spot = spots[k]
        spots[k] = Spot(place.apply(spot.position), place.rotation @ spot.normal, spot.gap, spot.feature)


@routine
def best_axis(
    pools: Pools,
    one: Solid,
    other: Solid,
    turn: Matrix3,
    way: Vector3,
    small: float,
    limit: float,
    axis: Vector3,
    known: bool,
) -> Axis:
    """The axis along which two cores are farthest apart, or any that separates them by more than `limit` (m).

    turn, way: pose of the second in the frame of the first. axis, known: see `convex_spots`, in the first's frame.
    """
    near = NEAR * small
    if one.kind == Kind.BOX and other.kind == Kind.BOX:
        best, follows = box_axis(one.size, other.size, turn, way, limit), True
        if best.separation > limit:
            return best._replace(normal=axis)
    else:
        best = axis_along(pools, one, other, turn, way, axis)
        if best.separation > limit:
            return best
        follows = known and -_DEEP * small < best.separation < near
        if follows:
            best = refined(pools, one, other, turn, way, best, small)
    if best.separation < near and follows:
        return best
    found = closest_points(pools, one, other, turn, way, best.normal, limit)
    if found.state == OVERLAP:
        return deepest(pools, one, other, turn, way, axis, small)
    best = Axis(found.normal, found.distance, found.point, found.first_corner, found.second_corner)
    if found.state != FAR and best.separation < near:
        return refined(pools, one, other, turn, way, best, small)
    return best
