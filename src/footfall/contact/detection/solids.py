"""Convex shapes as narrow phases take them: the farthest point along a direction, and the face that looks there."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, routine
from footfall.contact.detection.shapes import Kind, Pools

MOST_SCANNED = 64  # corners of a hull up to which looking at all is faster than walking along edges
MOST_CORNERS = 64  # of a face
CAP_CORNERS = 8  # of the polygon that stands for the cap of a cylinder
_CAP = 0.7  # cosine of the angle to its axis from which on the cap of a cylinder looks along a direction


class Solid(NamedTuple):
    """A convex core in its own frame, with a layer of `radius` around it.

    points: corners of a hull or facet. first, hull: number of its first point in the pools and of its hull.
    """

    kind: int
    size: Vector3
    radius: float
    points: ArrayOf[Vector3]
    first: int
    hull: int


class Couple(NamedTuple):
    """Two convex cores, in the frame of the first. turn, way: pose of the second in it, m. small: size of the smaller
    one, m."""

    one: Solid
    other: Solid
    turn: Matrix3
    way: Vector3
    small: float


class Farthest(NamedTuple):
    """The corner of two cores' Minkowski difference, first minus second, that lies farthest along a direction.

    on_one: the point of the first core that it comes from, m. first, second: numbers of both cores' points.
    """

    corner: Vector3
    on_one: Vector3
    first: int
    second: int


class Polygon(NamedTuple):
    """Room for a flat polygon: corners, what each is, and what follows each one, as numbers that stay the same."""

    corners: ArrayOf[Vector3]
    tags: Integers
    edges: Integers


class FaceView(NamedTuple):
    """How many corners a face has (2: it is an edge, 1: a point), its unit normal outwards, and its number."""

    corners: int
    normal: Vector3
    number: int


@routine
def new_polygon() -> Polygon:
    corners: ArrayOf[Vector3] = np.empty((2 * MOST_CORNERS, 3))
    return Polygon(
        corners, np.empty(2 * MOST_CORNERS, dtype=np.int64), np.empty(2 * MOST_CORNERS, dtype=np.int64)
    )


@routine
def support(pools: Pools, solid: Solid, along: Vector3, hint: int) -> tuple[Vector3, int]:
    """The point of a core that lies farthest along a direction, and its number; hint: a number to start from."""
    if solid.kind == Kind.BOX:
        return _box_corner(solid.size, along), 0
    if solid.kind == Kind.HULL or solid.kind == Kind.FACET:
        number = _farthest(pools, solid, along, hint)
        return solid.points[number], number
    if solid.kind == Kind.CYLINDER:
        return cylinder_support(solid.size, along), 0
    return np.array([0.0, 0.0, solid.size[2] if along[2] >= 0.0 else -solid.size[2]]), 0


@routine
def farthest(pools: Pools, couple: Couple, along: Vector3, first: int, second: int) -> Farthest:
    """The farthest corner of the Minkowski difference; first, second: numbers of points to start from."""
    a, first_corner = support(pools, couple.one, along, first)
    b, second_corner = support(pools, couple.other, -(couple.turn.T @ along), second)
    return Farthest(a - (couple.turn @ b + couple.way), a, first_corner, second_corner)


@routine
def _box_corner(size: Vector3, along: Vector3) -> Vector3:
    return np.array(
        [
            size[0] if along[0] >= 0.0 else -size[0],
            size[1] if along[1] >= 0.0 else -size[1],
            size[2] if along[2] >= 0.0 else -size[2],
        ]
    )


@routine
def cylinder_support(size: Vector3, along: Vector3) -> Vector3:
    across = math.sqrt(along[0] * along[0] + along[1] * along[1])
    scale = size[0] / across if across > 1e-14 * abs(along[2]) else 0.0
    return np.array([scale * along[0], scale * along[1], size[2] if along[2] >= 0.0 else -size[2]])


@routine
def _farthest(pools: Pools, solid: Solid, along: Vector3, hint: int) -> int:
    """Number of the corner of a hull; of many by walking along edges, which on a convex body leads to the best."""
    points = solid.points
    best = hint
    greatest = points[best] @ along
    if len(points) <= MOST_SCANNED or solid.kind == Kind.FACET:
        for k in range(len(points)):
            value = points[k] @ along
            if value > greatest:
                best, greatest = k, value
        return best
    moved = True
    while moved:
        moved = False
        at = solid.first + best
        for k in range(pools.neighbour_starts[at], pools.neighbour_starts[at + 1]):
            number = pools.neighbours[k]
            value = points[number] @ along
            if value > greatest:
                best, greatest, moved = number, value, True
    return best


@routine
def face_along(pools: Pools, solid: Solid, along: Vector3, hint: int, out: Polygon) -> FaceView:
    """The face, edge or point of a core that looks along a direction, in its own frame; along: a unit vector.

    hint: number of the corner that is farthest along it. Corners go counter-clockwise, seen from outside.
    """
    if solid.kind == Kind.BOX:
        return _box_face(solid.size, along, out)
    if solid.kind == Kind.HULL:
        return _hull_face(pools, solid, along, hint, out)
    if solid.kind == Kind.FACET:
        for k in range(len(solid.points)):
            _put(out, k, solid.points[k])
        normal = np.cross(solid.points[1] - solid.points[0], solid.points[2] - solid.points[0])
        return FaceView(len(solid.points), normal / math.sqrt(normal @ normal), 0)
    if solid.kind == Kind.CYLINDER:
        return _cylinder_face(solid.size, along, out)
    if solid.size[2] == 0.0:
        _put(out, 0, np.zeros(3))
        return FaceView(1, along, 0)
    _put(out, 0, np.array([0.0, 0.0, -solid.size[2]]))
    _put(out, 1, np.array([0.0, 0.0, solid.size[2]]))
    return FaceView(2, along, 0)


@routine
def _put(out: Polygon, k: int, corner: Vector3) -> None:
    out.corners[k] = corner
    out.tags[k] = k
    out.edges[k] = k


@routine
def _box_face(size: Vector3, along: Vector3, out: Polygon) -> FaceView:
    x, y, z = np.abs(along)
    hx, hy, hz = size
    if x >= y and x >= z:
        s = 1.0 if along[0] >= 0.0 else -1.0
        _put(out, 0, np.array([s * hx, -s * hy, -hz]))
        _put(out, 1, np.array([s * hx, s * hy, -hz]))
        _put(out, 2, np.array([s * hx, s * hy, hz]))
        _put(out, 3, np.array([s * hx, -s * hy, hz]))
        return FaceView(4, np.array([s, 0.0, 0.0]), 0 if s > 0.0 else 1)
    if y >= z:
        s = 1.0 if along[1] >= 0.0 else -1.0
        _put(out, 0, np.array([-hx, s * hy, -s * hz]))
        _put(out, 1, np.array([-hx, s * hy, s * hz]))
        _put(out, 2, np.array([hx, s * hy, s * hz]))
        _put(out, 3, np.array([hx, s * hy, -s * hz]))
        return FaceView(4, np.array([0.0, s, 0.0]), 2 if s > 0.0 else 3)
    s = 1.0 if along[2] >= 0.0 else -1.0
    _put(out, 0, np.array([-s * hx, -hy, s * hz]))
    _put(out, 1, np.array([s * hx, -hy, s * hz]))
    _put(out, 2, np.array([s * hx, hy, s * hz]))
    _put(out, 3, np.array([-s * hx, hy, s * hz]))
    return FaceView(4, np.array([0.0, 0.0, s]), 4 if s > 0.0 else 5)


@routine
def _hull_face(pools: Pools, solid: Solid, along: Vector3, hint: int, out: Polygon) -> FaceView:
    """Of the faces around the farthest corner the one that looks most along the direction."""
    hull = pools.hulls[solid.hull]
    at = solid.first + hint
    best, greatest = 0, -2.0
    for k in range(pools.face_starts[at], pools.face_starts[at + 1]):
        number = pools.around[k]
        value = pools.faces[hull.first_face + number].normal @ along
        if value > greatest:
            best, greatest = number, value
    face = pools.faces[hull.first_face + best]
    for k in range(face.corners):
        number = pools.corners[face.first + k]
        out.corners[k] = solid.points[number]
        out.tags[k] = number
        out.edges[k] = number
    return FaceView(face.corners, face.normal, best)


@routine
def _cylinder_face(size: Vector3, along: Vector3, out: Polygon) -> FaceView:
    """A polygon in the cap with a corner where the rim is farthest, or the line of the mantle."""
    across = math.sqrt(along[0] * along[0] + along[1] * along[1])
    side = 1.0 if along[2] >= 0.0 else -1.0
    x, y = (along[0] / across, along[1] / across) if across > 1e-9 else (1.0, 0.0)
    if abs(along[2]) < _CAP:
        _put(out, 0, np.array([size[0] * x, size[0] * y, -size[2]]))
        _put(out, 1, np.array([size[0] * x, size[0] * y, size[2]]))
        return FaceView(2, np.array([x, y, 0.0]), 2)
    half = math.sqrt(0.5)
    for k in range(CAP_CORNERS):
        _put(out, k, np.array([size[0] * x, size[0] * y, side * size[2]]))
        x, y = half * (x - side * y), half * (y + side * x)
    return FaceView(CAP_CORNERS, np.array([0.0, 0.0, side]), 0 if side > 0.0 else 1)
