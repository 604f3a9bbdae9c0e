"""Where two convex shapes of any kind touch."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, routine
from footfall.contact.detection.axes import NEAR, Axis, axis_along, deepest, refined
from footfall.contact.detection.boxes import box_axis
from footfall.contact.detection.gjk import FAR, OVERLAP, closest_points
from footfall.contact.detection.manifold import manifold_points
from footfall.contact.detection.round_pairs import UP
from footfall.contact.detection.shapes import Kind, ManifoldPoint, Pair, Pools
from footfall.contact.detection.solids import Couple, Solid
from footfall.math.transform import Transform

SMALLEST = 1e-3  # m: shapes without size are looked at as if they had this
_DEEP = 0.1  # of the smaller shape's size: overlaps from which on the axis of the last time may be stale


class Convex(NamedTuple):
    """A convex shape in the world. bound: m, how far its points are from its origin at most."""

    solid: Solid
    place: Transform
    bound: float


class Found(NamedTuple):
    """points: how many were found. pair: with what is known of it now, to start from next time."""

    points: int
    pair: Pair


@routine
def convex_spots(
    pools: Pools, first: Convex, second: Convex, margin: float, pair: Pair, manifold: ArrayOf[ManifoldPoint]
) -> Found:
    """Points at which the two convex shapes of a pair are nearer than `margin` (m)."""
    one, other, place, other_place = first.solid, second.solid, first.place, second.place
    turn = place.rotation.T @ other_place.rotation
    way = place.rotation.T @ (other_place.translation - place.translation)
    limit = margin + one.radius + other.radius
    if pair.apart - _moved(pair, turn, way, second.bound) > limit:
        return Found(0, pair)
    couple = Couple(one, other, turn, way, max(min(first.bound, second.bound), SMALLEST))
    axis = pair.axis if pair.known else guess(place, other_place)
    best = best_axis(pools, couple, limit, place.rotation.T @ axis, pair.known != 0)
    normal, apart = place.rotation @ best.normal, max(best.separation, 0.0)
    known = Pair(pair.first, pair.second, normal, 1, apart, turn, way)
    if best.separation > limit:
        return Found(0, known)
    count = manifold_points(pools, couple, best, margin, manifold)
    put_into_world(manifold, count, place)
    return Found(count, known)


@routine
def _moved(pair: Pair, turn: Matrix3, way: Vector3, bound: float) -> float:
    """How far points of the second shape have moved against the first since they were looked at, at most, m.

    A turn by an angle moves points at a distance r by `2 r sin(angle / 2)`, and differs from none by a matrix whose
    squares sum up to `8 sin(angle / 2)^2`.
    """
    shift, turned = way - pair.way, turn - pair.turn
    squares = turned[:, 0] @ turned[:, 0] + turned[:, 1] @ turned[:, 1] + turned[:, 2] @ turned[:, 2]
    return math.sqrt(shift @ shift) + bound * math.sqrt(0.5 * squares)


@routine
def guess(place: Transform, other_place: Transform) -> Vector3:
    """The direction from one centre to the other, as a first axis."""
    apart = place.translation - other_place.translation
    length = math.sqrt(apart @ apart)
    return apart / length if length > 0.0 else UP


@routine
def put_into_world(manifold: ArrayOf[ManifoldPoint], count: int, place: Transform) -> None:
    """Points that are given in a frame which stands at a place."""
    for k in range(count):
        spot = manifold[k]
        manifold[k] = ManifoldPoint(
            place.apply(spot.position), place.rotation @ spot.normal, spot.gap, spot.feature
        )


@routine
def best_axis(pools: Pools, couple: Couple, limit: float, axis: Vector3, known: bool) -> Axis:
    """The axis along which two cores are farthest apart, or any that separates them by more than `limit` (m).

    axis: unit normal from the second to the first in the first's frame, a guess, or the answer of the last time if it
    is `known`.
    """
    one, other, turn, way, small = couple
    near = NEAR * small
    if one.kind == Kind.BOX and other.kind == Kind.BOX:
        best, follows = box_axis(one.size, other.size, turn, way, limit), True
        if best.separation > limit:
            return best._replace(normal=axis)
    else:
        best = axis_along(pools, couple, axis)
        if best.separation > limit:
            return best
        follows = known and -_DEEP * small < best.separation < near
        if follows:
            best = refined(pools, couple, best)
    if best.separation < near and follows:
        return best
    found = closest_points(pools, couple, best.normal, limit)
    if found.state == OVERLAP:
        return deepest(pools, couple, axis)
    best = Axis(found.normal, found.distance, found.point, found.first_corner, found.second_corner)
    if found.state != FAR and best.separation < near:
        return refined(pools, couple, best)
    return best
