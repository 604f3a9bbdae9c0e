"""Distance of convex cores by Gilbert, Johnson and Keerthi (Ayit 2015, chapter 2).

Two cores are as far apart as their Minkowski difference is from the origin. A simplex of up to four of its points is
improved until no point lies nearer. All is done in the frame of the first core.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.contact.detection.shapes import Pools
from footfall.contact.detection.solids import Couple, farthest

# The point of a simplex of up to four corners that is closest to the origin; the last corner is the newest.

# A face whose squared doubled area is below this fraction of its edges' fourth power is an edge.
_FLAT_SIMPLEX = 1e-14
_VOLUME = 1e-13  # of the product of its edges: a tetrahedron with less is a face


class Nearest(NamedTuple):
    """mask: of the corners that count; all four: the origin is inside. weights: of those that count but the last, in
    their order. point: the closest one; square: of its distance."""

    mask: int
    weights: Vector3
    point: Vector3
    square: float


@routine
def nearest_on_simplex(corners: ArrayOf[Vector3], count: int) -> Nearest:
    """Faces, edges and the corner itself that have the newest corner: each whose own nearest point lies within it is a
    candidate, the nearest one wins. (All others were looked at before, and are farther.)"""
    if count == 4 and _contains_origin(corners):
        return Nearest(15, np.zeros(3), np.zeros(3), 0.0)
    last = count - 1
    c = corners[last]
    best = Nearest(1 << last, np.zeros(3), c, c @ c)
    for i in range(last):
        a = corners[i]
        edge = c - a
        length = edge @ edge
        along = -(a @ edge)
        if 0.0 < along < length:
            t = along / length
            point = a + t * edge
            square = point @ point
            if square < best.square:
                best = Nearest((1 << i) | (1 << last), np.array([1.0 - t, 0.0, 0.0]), point, square)
    for i in range(last):
        for j in range(i + 1, last):
            a, b = corners[i], corners[j]
            normal = np.cross(b - a, c - a)
            area = normal @ normal
            longest = max((b - a) @ (b - a), (c - a) @ (c - a), (c - b) @ (c - b))
            if area <= _FLAT_SIMPLEX * longest * longest:
                continue
            u, v, w = normal @ np.cross(b, c), normal @ np.cross(c, a), normal @ np.cross(a, b)
            if u > 0.0 and v > 0.0 and w > 0.0:
                height = a @ normal
                square = height * height / area
                if square < best.square:
                    total = u + v + w
                    weights = np.array([u / total, v / total, 0.0])
                    best = Nearest(
                        (1 << i) | (1 << j) | (1 << last), weights, (height / area) * normal, square
                    )
    return best


@routine
def _contains_origin(corners: ArrayOf[Vector3]) -> bool:
    a, b, c, d = corners[0], corners[1], corners[2], corners[3]
    bc, da = np.cross(b, c), np.cross(d, a)
    first, second = d @ bc, c @ da
    third, fourth = b @ da, a @ bc
    # Signed volumes opposite to a, b, c, d: bcd, -acd, abd, -abc.
    volumes = np.array([first, -second, third, -fourth])
    total = first - second + third - fourth
    p, q, r = b - a, c - a, d - a
    size = math.sqrt((p @ p) * (q @ q) * (r @ r))
    if abs(total) <= _VOLUME * size:
        return False
    sign = 1.0 if total > 0.0 else -1.0
    return min(sign * volumes[0], sign * volumes[1], sign * volumes[2], sign * volumes[3]) >= 0.0


_MOST_STEPS = 64
_TOLERANCE = 1e-14  # of the squared distance
_TOUCHING = 1e-24  # square of a distance, in units of the squared size: closer cores overlap
APART, FAR, OVERLAP = 0, 1, 2  # states


class Closest(NamedTuple):
    """Answer for two cores, in the frame of the first.

    distance: m. normal: unit, from the second to the first. point: the closest one on the first. corners: how many the
    closest simplex has. first_corner, second_corner: numbers of the last farthest points. If the state is FAR, farther
    than asked for, the distance is a bound from below; if it is OVERLAP, it is zero and the normal is any."""

    state: int
    distance: float
    normal: Vector3
    point: Vector3
    corners: int
    first_corner: int
    second_corner: int


@routine
def closest_points(pools: Pools, couple: Couple, start: Vector3, limit: float) -> Closest:
    """Closest points of two cores.

    start: a direction from the second to the first to begin with. limit: m, from which on distances do not matter.
    """
    corners: ArrayOf[Vector3] = np.empty((4, 3))
    on_one: ArrayOf[Vector3] = np.empty((4, 3))
    v = start
    square: float = np.inf
    count, scale, first, second = 0, 0.0, 0, 0
    weights: Vector3 = np.zeros(3)
    for _ in range(_MOST_STEPS):
        w, a, first, second = farthest(pools, couple, -v, first, second)
        scale = max(scale, float(w @ w))
        ahead = float(v @ w)
        if count == 0:
            length = math.sqrt(v @ v)
            if ahead > limit * length:
                return Closest(FAR, ahead / length, v / length, a, count, first, second)
        else:
            if ahead > 0.0 and ahead * ahead > limit * limit * square:
                length = math.sqrt(square)
                return Closest(FAR, ahead / length, v / length, a, count, first, second)
            if square - ahead <= _TOLERANCE * square:
                break
        known = False
        for k in range(count):
            apart = corners[k] - w
            known = known or apart @ apart == 0.0
        if known:
            break
        corners[count] = w
        on_one[count] = a
        count += 1
        nearest = nearest_on_simplex(corners, count)
        if nearest.mask == 15 or nearest.square <= _TOUCHING * scale:
            return Closest(OVERLAP, 0.0, v, a, count, first, second)
        if nearest.square >= square:  # rounding: the one before is as good as it gets
            count -= 1
            break
        square, v, weights = nearest.square, nearest.point, nearest.weights
        kept = 0
        for k in range(count):
            if nearest.mask & (1 << k):
                corners[kept] = corners[k]
                on_one[kept] = on_one[k]
                kept += 1
        count = kept
    point: Vector3 = np.zeros(3)
    rest = 1.0
    for k in range(count - 1):
        point += weights[k] * on_one[k]
        rest -= weights[k]
    point += rest * on_one[count - 1]
    distance = math.sqrt(square)
    return Closest(APART, distance, v / distance, point, count, first, second)


# How deep two cores overlap: a polytope within their Minkowski difference grows where it is nearest to the origin.
#
# The face nearest to the origin (or, seen from it, farthest outside) is the one whose normal separates best. Where the
# difference reaches beyond it, the polytope gets another corner there; where it does not, the face is one of the
# difference itself, and its distance is the depth (van den Bergen 2001).

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
