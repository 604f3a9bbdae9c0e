"""How deep two cores overlap: a polytope within their Minkowski difference grows where it is nearest to the origin.

The face nearest to the origin (or, seen from it, farthest outside) is the one whose normal separates best. Where the
difference reaches beyond it, the polytope gets another corner there; where it does not, the face is one of the
difference itself, and its distance is the depth (van den Bergen 2001).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.contact.detection.shapes import Pools
from footfall.contact.detection.solids import Couple, farthest

_MOST_CORNERS = 160
_MOST_FACES = 400
_FLAT = 1e-9  # of the size: thinner differences have no volume
_GROWS = 1e-10  # of the size: by less a corner is no better


class Side(NamedTuple):
    """A triangle of the polytope: corners counter-clockwise seen from outside, unit normal, distance from the origin
    along it; alive: whether it is still there."""

    a: int
    b: int
    c: int
    normal: Vector3
    offset: float
    alive: bool


class Depth(NamedTuple):
    """found: whether the difference has a volume. offset: of its nearest face from the origin, m, positive if the cores
    overlap. normal: of that face; of a flat difference a unit vector across it. point: on the first core, where the
    origin meets the face."""

    found: bool
    offset: float
    normal: Vector3
    point: Vector3


class Polytope(NamedTuple):
    """corners of the difference and the points of the first core they come from; faces; edges that lie open."""

    corners: ArrayOf[Vector3]
    on_one: ArrayOf[Vector3]
    sides: ArrayOf[Side]
    rim: Integers


@routine
def depth(pools: Pools, couple: Couple) -> Depth:
    """The nearest face of the Minkowski difference of two cores, in the frame of the first."""
    corners: ArrayOf[Vector3] = np.empty((_MOST_CORNERS, 3))
    on_one: ArrayOf[Vector3] = np.empty((_MOST_CORNERS, 3))
    body = Polytope(
        corners, on_one, new_records(Side, _MOST_FACES), np.empty((_MOST_FACES, 2), dtype=np.int64)
    )
    size, across = _start(pools, couple, body)
    if size == 0.0:
        return Depth(False, 0.0, across, np.zeros(3))
    count, faces = 4, 4
    side, met, least = body.sides[0], body.on_one[0], np.inf
    while True:
        best = _nearest(body.sides, faces)
        normal = body.sides[best].normal
        _reach(pools, couple, body, count, normal)
        reach = corners[count] @ normal
        final = reach - body.sides[best].offset <= _GROWS * size
        if (
            final or reach < least
        ):  # moving so far along this normal parts them; a curved core has no final face
            side, met, least = body.sides[best], _met(body, body.sides[best]), reach
        if final or count + 1 == _MOST_CORNERS:
            break
        more = _grow(body, faces, count, _GROWS * size)
        if more == faces or more > _MOST_FACES - 3 * _MOST_CORNERS // 4:
            break
        faces = more
        count += 1
    return Depth(True, side.offset, side.normal, met)


@routine
def _reach(pools: Pools, couple: Couple, body: Polytope, k: int, along: Vector3) -> None:
    """Make corner k the farthest of the difference along a direction."""
    far = farthest(pools, couple, along, 0, 0)
    body.corners[k] = far.corner
    body.on_one[k] = far.on_one


class _Start(NamedTuple):
    """Size of a Minkowski difference, m; zero if it is flat, and then a unit vector across it."""

    size: float
    across: Vector3


@routine
def _start(pools: Pools, couple: Couple, body: Polytope) -> _Start:
    """A tetrahedron within the difference."""
    corners = body.corners
    edge: Vector3 = np.zeros(3)
    for k in (0, 1, 2):
        if edge @ edge == 0.0:
            axis = np.array([float(k == 0), float(k == 1), float(k == 2)])
            _reach(pools, couple, body, 0, axis)
            _reach(pools, couple, body, 1, -axis)
            edge = corners[1] - corners[0]
    size = math.sqrt(edge @ edge)
    x, y, z = np.abs(edge)
    least = np.array(
        [1.0 if x <= y and x <= z else 0.0, 1.0 if y < x and y <= z else 0.0, 1.0 if z < x and z < y else 0.0]
    )
    across = np.cross(edge, least)
    if across @ across == 0.0:
        return _Start(0.0, np.array([0.0, 0.0, 1.0]))
    if not _reach_aside(pools, couple, body, 2, across, size):
        across = np.cross(edge, across)
        if not _reach_aside(pools, couple, body, 2, across, size):
            return _Start(0.0, across / math.sqrt(across @ across))
    normal = np.cross(edge, corners[2] - corners[0])
    if not _reach_aside(pools, couple, body, 3, normal, size):
        return _Start(0.0, normal / math.sqrt(normal @ normal))
    if (corners[3] - corners[0]) @ normal > 0.0:
        _add(body, 0, 0, 2, 1)
        _add(body, 1, 0, 1, 3)
        _add(body, 2, 1, 2, 3)
        _add(body, 3, 2, 0, 3)
    else:
        _add(body, 0, 0, 1, 2)
        _add(body, 1, 0, 3, 1)
        _add(body, 2, 1, 3, 2)
        _add(body, 3, 2, 3, 0)
    return _Start(size, normal)


@routine
def _reach_aside(pools: Pools, couple: Couple, body: Polytope, k: int, along: Vector3, size: float) -> bool:
    """Make corner k the farthest from the first one, along a direction or against it; whether there is any."""
    length = math.sqrt(along @ along)
    _reach(pools, couple, body, k, along)
    there = (body.corners[k] - body.corners[0]) @ along
    _reach(pools, couple, body, k, -along)
    back = (body.corners[k] - body.corners[0]) @ along
    if abs(there) >= abs(back):
        _reach(pools, couple, body, k, along)
    return max(abs(there), abs(back)) > _FLAT * size * length


@routine
def _add(body: Polytope, k: int, a: int, b: int, c: int) -> None:
    """Triangle k; one without an area is never the nearest."""
    p, q, r = body.corners[a], body.corners[b], body.corners[c]
    normal = np.cross(q - p, r - p)
    length = math.sqrt(normal @ normal)
    longest = max((q - p) @ (q - p), (r - p) @ (r - p), (r - q) @ (r - q))
    if length <= 1e-14 * longest:
        body.sides[k] = Side(a, b, c, np.zeros(3), np.inf, True)
    else:
        normal = normal / length
        body.sides[k] = Side(a, b, c, normal, normal @ (p + q + r) / 3.0, True)


@routine
def _nearest(sides: ArrayOf[Side], count: int) -> int:
    best, least = 0, np.inf
    for k in range(count):
        if sides[k].alive and sides[k].offset < least:
            best, least = k, sides[k].offset
    return best


@routine
def _grow(body: Polytope, faces: int, corner: int, slack: float) -> int:
    """Replace the faces that a new corner sees by those between it and their rim; the number of faces, old and new."""
    rim, sides = body.rim, body.sides
    point = body.corners[corner]
    open_edges = 0
    for k in range(faces):
        side = sides[k]
        if not side.alive or point @ side.normal - side.offset <= slack:
            continue
        sides[k] = side._replace(alive=False)
        open_edges = toggle_edge(rim, open_edges, side.a, side.b)
        open_edges = toggle_edge(rim, open_edges, side.b, side.c)
        open_edges = toggle_edge(rim, open_edges, side.c, side.a)
    # New faces take the places of old ones as far as there are any.
    place = 0
    for k in range(open_edges):
        while place < faces and sides[place].alive:
            place += 1
        if place == _MOST_FACES:
            return faces
        _add(body, place, rim[k, 0], rim[k, 1], corner)
        faces = max(faces, place + 1)
    return faces


@routine
def toggle_edge(rim: Integers, count: int, a: int, b: int) -> int:
    """An edge that two faces share is not on the rim."""
    for k in range(count):
        if rim[k, 0] == b and rim[k, 1] == a:
            rim[k, 0], rim[k, 1] = rim[count - 1, 0], rim[count - 1, 1]
            return count - 1
    rim[count, 0], rim[count, 1] = a, b
    return count + 1


@routine
def _met(body: Polytope, side: Side) -> Vector3:
    """Point of the first core that belongs to the point of a face next to the origin."""
    p, q, r = body.corners[side.a], body.corners[side.b], body.corners[side.c]
    u, v, w = side.normal @ np.cross(q, r), side.normal @ np.cross(r, p), side.normal @ np.cross(p, q)
    total = u + v + w
    if total == 0.0:
        return body.on_one[side.a]
    return (u * body.on_one[side.a] + v * body.on_one[side.b] + w * body.on_one[side.c]) / total
