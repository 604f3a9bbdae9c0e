"""The axis along which two convex cores are farthest apart, also where they touch or overlap.

Apart, it is that of the closest points. Cores that touch have none that is worth its digits: then the first core is
moved away along an axis, so that closest points tell a better one, and so on. Each step is one of the proximal point
method on the separation (Rockafellar 1976): it never falls, and at flat faces and crossing edges it is at its greatest
after one or two. Cores that overlap start from the axis of the last time, or from that of an expanding polytope.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3, routine
from footfall.contact.detection.expanding_polytope import depth
from footfall.contact.detection.gjk import APART, closest_points
from footfall.contact.detection.shapes import Kind, Pools
from footfall.contact.detection.solids import Solid, support

UNKNOWN = -1  # instead of a corner: the point of an axis is not known
NEAR = 1e-3  # of the smaller shape's size: closer cores are moved apart to look at them
_APART = 0.05  # of it: by so much
_STEPS = 20
_GAINED = 1e-13  # of it: less is rounding


class Axis(NamedTuple):
    """An axis in the frame of the first core: unit normal from the second to the first, separation of the cores along
    it (m), the point of the first that is nearest there, and the numbers of the farthest corners of both."""

    normal: Vector3
    separation: float
    point: Vector3
    first_corner: int
    second_corner: int


@routine
def axis_along(pools: Pools, one: Solid, other: Solid, turn: Matrix3, way: Vector3, normal: Vector3) -> Axis:
    """The axis of a unit normal."""
    a, first = support(pools, one, -normal, 0)
    b, second = support(pools, other, turn.T @ normal, 0)
    return Axis(normal, normal @ (a - (turn @ b + way)), a, first, second)


@routine
def refined(
    pools: Pools, one: Solid, other: Solid, turn: Matrix3, way: Vector3, start: Axis, small: float
) -> Axis:
    """The axis of the greatest separation that leads up from a start; small: size of the smaller shape, m."""
    best = start
    for _ in range(_STEPS):
        lift = max(-best.separation, 0.0) + _APART * small
        found = closest_points(pools, one, other, turn, way - lift * best.normal, best.normal, np.inf)
        if found.state != APART:
            break
        next = axis_along(pools, one, other, turn, way, found.normal)
        gained = next.separation - best.separation
        if gained < -_GAINED * small:
            break
        turned = next.normal - best.normal
        best = next._replace(point=found.point)
        # On a face of the difference it is at its greatest: a small turn of the axis keeps the foot within the face.
        if gained <= _GAINED * small or (found.corners == 3 and turned @ turned < 1e-8):
            break
    return best


@routine
def deepest(
    pools: Pools, one: Solid, other: Solid, turn: Matrix3, way: Vector3, axis: Vector3, small: float
) -> Axis:
    """Of cores that overlap the axis of the least overlap; axis: one to start from if they are flat."""
    found = depth(pools, one, other, turn, way)
    if found.found:
        start = axis_along(pools, one, other, turn, way, -found.normal)._replace(point=found.point)
    else:
        start = _best_of_faces(pools, one, other, turn, way, axis)
    return refined(pools, one, other, turn, way, start, small)


@routine
def _best_of_faces(
    pools: Pools, one: Solid, other: Solid, turn: Matrix3, way: Vector3, axis: Vector3
) -> Axis:
    """The best of a given axis, that between the centres, and the normals of all faces, both ways."""
    best = axis_along(pools, one, other, turn, way, axis / math.sqrt(axis @ axis))
    length = math.sqrt(way @ way)
    if length > 0.0:
        best = _better(best, axis_along(pools, one, other, turn, way, -way / length))
    for k in range(_face_count(pools, one)):
        normal = _face_normal(pools, one, k)
        best = _better(best, axis_along(pools, one, other, turn, way, -normal))
        best = _better(best, axis_along(pools, one, other, turn, way, normal))
    for k in range(_face_count(pools, other)):
        normal = turn @ _face_normal(pools, other, k)
        best = _better(best, axis_along(pools, one, other, turn, way, normal))
        best = _better(best, axis_along(pools, one, other, turn, way, -normal))
    return best


@routine
def _better(one: Axis, other: Axis) -> Axis:
    return other if other.separation > one.separation else one


@routine
def _face_count(pools: Pools, solid: Solid) -> int:
    """Of shapes that may be flat."""
    if solid.kind == Kind.HULL:
        return pools.hulls[solid.hull].faces
    if solid.kind == Kind.BOX:
        return 3
    return 1 if solid.kind in (Kind.FACET, Kind.CYLINDER) else 0


@routine
def _face_normal(pools: Pools, solid: Solid, k: int) -> Vector3:
    if solid.kind == Kind.HULL:
        return pools.faces[pools.hulls[solid.hull].first_face + k].normal
    if solid.kind == Kind.FACET:
        normal = np.cross(solid.points[1] - solid.points[0], solid.points[2] - solid.points[0])
        return normal / math.sqrt(normal @ normal)
    axis = k if solid.kind == Kind.BOX else 2
    return np.array([float(axis == 0), float(axis == 1), float(axis == 2)])
