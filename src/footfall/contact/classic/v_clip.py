"""Distance of convex polyhedra by V-Clip (Ayit 2015, chapter 2): walk from feature to feature until the closest ones
are found.

The closest points of two polyhedra lie on features (vertex, edge or face), each in the other one's Voronoi region. A
feature that is not is replaced by a neighbour that is nearer. Edges are clipped against the Voronoi planes; how the
distance changes at the clip points tells which neighbour. Started at the features of the last time step it is done in
a few steps. Penetration is noticed when an edge pierces a face or a vertex lies within; its depth comes from the
narrow phase of detection (`convex.py`).

Contact manifolds: the corners of the patch in which two polyhedra touch, not only the deepest point.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector3, routine
from footfall.contact.classic.polyhedron import HEAD, LEFT, RIGHT, TAIL, Polyhedron, Posed
from footfall.contact.convex import Convex, ConvexDistance, convex_distance
from footfall.errors import GeometryError
from footfall.math.transform import Transform

_TOUCHING = 1e-12  # of the size: closer features say nothing about a direction


class PolyhedronDistance(NamedTuple):
    """Distance of two polyhedra, the closest features to start from next time, and the steps taken."""

    result: ConvexDistance
    features: Features
    steps: int


def polyhedron_distance(
    first: Polyhedron,
    first_pose: Transform,
    second: Polyhedron,
    second_pose: Transform,
    *,
    start: Features | None = None,
) -> PolyhedronDistance:
    """Signed distance of two convex polyhedra at their poses in the world.

    start: features to begin with, those of the last query of the same pair.
    """
    one, other = first.at(first_pose), second.at(second_pose)
    corners, other_corners = np.asarray(one.vertices), np.asarray(other.vertices)
    if not math.isfinite(corners.sum() + other_corners.sum()):
        raise GeometryError(
            "a pose is not finite; polyhedra must be somewhere", subject=("shape", "polyhedron")
        )
    begin = Features(0, 0, 0, 0) if start is None else _checked(start, first, second)
    features, steps, state = walk(one, other, begin)
    if state == DONE:
        on_first, on_second = _closest_points(one, other, features)
        apart = on_first - on_second
        distance = float(np.linalg.norm(apart))
        if distance > _TOUCHING * float(np.abs(corners - other_corners[0]).max()):
            result = ConvexDistance(distance, apart / distance, on_first, on_second)
            return PolyhedronDistance(result, features, steps)
    # They overlap, or touch in features that do not tell whether they do, or (features in line while they overlap)
    # the walk went in circles.
    result = convex_distance(Convex(first.vertices), first_pose, Convex(second.vertices), second_pose)
    return PolyhedronDistance(result, features, steps)


def _checked(start: Features, first: Polyhedron, second: Polyhedron) -> Features:
    """The features, if the polyhedra have them."""
    for shape, kind, index in ((first, *start[:2]), (second, *start[2:4])):
        counts = (len(shape.vertices), len(shape.edges), len(shape.planes))
        whole = all(isinstance(each, int | np.integer) for each in (kind, index))
        if len(start) != 4 or not whole or not 0 <= kind < 3 or not 0 <= index < counts[kind]:
            message = (
                f"start is {start}; its polyhedra have {counts} vertices, edges and faces (kinds 0, 1, 2)"
            )
            raise GeometryError(message, subject=("shape", "polyhedron"))
    return Features(*(int(each) for each in start))


@routine
def _closest_points(one: Posed, other: Posed, pair: Features) -> tuple[Vector3, Vector3]:
    """The closest points on two features that are each in the other's Voronoi region."""
    if pair.first_kind > pair.second_kind:
        b, a = _vertex_to_feature(other, one, turned(pair))
        return a, b
    if pair.first_kind == EDGE:
        return _edge_to_edge(one, other, pair)
    return _vertex_to_feature(one, other, pair)


@routine
def _vertex_to_feature(one: Posed, other: Posed, pair: Features) -> tuple[Vector3, Vector3]:
    point = one.vertices[pair.first]
    if pair.second_kind == VERTEX:
        return point, other.vertices[pair.second]
    if pair.second_kind == EDGE:
        tail, head = ends(other, pair.second)
        edge = head - tail
        return point, tail + ((point - tail) @ edge / (edge @ edge)) * edge
    normal = other.normals[pair.second]
    return point, point + (other.distances[pair.second] - normal @ point) * normal


@routine
def _edge_to_edge(one: Posed, other: Posed, pair: Features) -> tuple[Vector3, Vector3]:
    tail, head = ends(one, pair.first)
    other_tail, other_head = ends(other, pair.second)
    edge, other_edge, apart = head - tail, other_head - other_tail, other_tail - tail
    normal = np.cross(edge, other_edge)
    square, length = normal @ normal, edge @ edge
    if square <= 1e-20 * length * (other_edge @ other_edge):
        # Parallel: any point of the shared stretch is as close; take its middle.
        begin = apart @ edge / length
        end = begin + other_edge @ edge / length
        point = tail + (max(0.0, min(begin, end)) + min(1.0, max(begin, end))) / 2 * edge
        t = (point - other_tail) @ other_edge / (other_edge @ other_edge)
        return point, other_tail + t * other_edge
    s = np.cross(apart, other_edge) @ normal / square
    t = np.cross(apart, edge) @ normal / square
    return tail + s * edge, other_tail + t * other_edge


MOVED, DONE, OVERLAP, LOST = 0, 1, 2, 3
VERTEX, EDGE, FACE = 0, 1, 2
NONE = -1  # instead of a number of a feature
_MOST_STEPS = 400
# Sine of an angle to a plane below which it is 0: rounding must not lead back to where one was.
_PARALLEL = 1e-12


class Features(NamedTuple):
    """A feature of each polyhedron: its kind (0 vertex, 1 edge, 2 face) and its index."""

    first_kind: int
    first: int
    second_kind: int
    second: int


class Move(NamedTuple):
    """The features after a step, and whether they have MOVED, are the closest ones (DONE) or lie in each other."""

    pair: Features
    state: int


class Trail(NamedTuple):
    """Where a walk ended, after how many steps, and in which state: also LOST, if it went in circles."""

    pair: Features
    steps: int
    state: int


class Clip(NamedTuple):
    """What is left of an edge between planes, from `low` to `high` of its length, and the numbers of the planes that
    cut it there. outside: that of a plane beyond which all of it lies."""

    low: float
    high: float
    at_low: int
    at_high: int
    outside: int


@routine
def walk(one: Posed, other: Posed, start: Features) -> Trail:
    """From the start features to the closest ones."""
    pair, state, steps = start, MOVED, 0
    while state == MOVED and steps < _MOST_STEPS:
        steps += 1
        both_edges = pair.first_kind == EDGE and pair.second_kind == EDGE
        if pair.first_kind > pair.second_kind or (both_edges and steps % 2 == 1):
            step = _step(other, one, turned(pair))
            pair, state = turned(step.pair), step.state
        else:
            step = _step(one, other, pair)
            pair, state = step.pair, step.state
    return Trail(pair, steps, LOST if state == MOVED else state)


@routine
def turned(pair: Features) -> Features:
    """The same features for polyhedra in the other order."""
    return Features(pair.second_kind, pair.second, pair.first_kind, pair.first)


@routine
def _step(one: Posed, other: Posed, pair: Features) -> Move:
    """A step for features in the order vertex, edge, face."""
    if pair.first_kind == VERTEX:
        if pair.second_kind == VERTEX:
            return _vertex_vertex(one, other, pair)
        if pair.second_kind == EDGE:
            return _vertex_edge(one, other, pair)
        return _vertex_face(one, other, pair)
    if pair.second_kind == EDGE:
        return _edge_edge(one, other, pair)
    return _edge_face(one, other, pair)


@routine
def _first_to(pair: Features, kind: int, feature: int) -> Move:
    return Move(Features(kind, feature, pair.second_kind, pair.second), MOVED)


@routine
def _second_to(pair: Features, kind: int, feature: int) -> Move:
    return Move(Features(pair.first_kind, pair.first, kind, feature), MOVED)


@routine
def ends(body: Posed, edge: int) -> tuple[Vector3, Vector3]:
    """Tail and head of an edge."""
    return body.vertices[body.edges[edge, TAIL]], body.vertices[body.edges[edge, HEAD]]


@routine
def _away(body: Posed, edge: int, vertex: int) -> Vector3:
    """Along an edge, from one of its ends to the other."""
    far = body.edges[edge, HEAD] if body.edges[edge, TAIL] == vertex else body.edges[edge, TAIL]
    way: Vector3 = body.vertices[far] - body.vertices[vertex]
    return way


@routine
def _inward(body: Posed, face: int, edge: int) -> Vector3:
    """Direction in a face, away from one of its edges."""
    tail, head = ends(body, edge)
    direction = head - tail if body.edges[edge, LEFT] == face else tail - head
    return np.cross(body.normals[face], direction)


@routine
def _product(a: Vector3, b: Vector3) -> float:
    """Scalar product of two directions, 0 if they are at right angles but for rounding."""
    product = float(a @ b)
    return product if product * product > _PARALLEL * _PARALLEL * (a @ a) * (b @ b) else 0.0


@routine
def _height(body: Posed, face: int, point: Vector3) -> float:
    """Of a point above the plane of a face, m."""
    return float(body.normals[face] @ point - body.distances[face])


@routine
def _rises(body: Posed, face: int, point: Vector3, direction: Vector3) -> float:
    """Change of a point's distance to a face's plane along a direction, 0 if they are parallel."""
    slope = _product(body.normals[face], direction)
    return slope if _height(body, face, point) > 0.0 else -slope


@routine
def _whole() -> Clip:
    return Clip(0.0, 1.0, NONE, NONE, NONE)


@routine
def _clipped(clip: Clip, at_tail: float, at_head: float, plane: int) -> Clip:
    """What a plane leaves of a clipped edge whose ends lie so high above it."""
    if at_tail < 0.0 and at_head < 0.0:
        return clip._replace(outside=plane)
    if at_tail < 0.0 and at_tail / (at_tail - at_head) > clip.low:
        return clip._replace(low=at_tail / (at_tail - at_head), at_low=plane)
    if at_head < 0.0 and at_tail / (at_tail - at_head) < clip.high:
        return clip._replace(high=at_tail / (at_tail - at_head), at_high=plane)
    return clip


@routine
def _vertex_vertex(one: Posed, other: Posed, pair: Features) -> Move:
    vertex, fixed = pair.first, pair.second
    apart = one.vertices[vertex] - other.vertices[fixed]
    for k in range(other.vertex_starts[fixed], other.vertex_starts[fixed + 1]):
        edge = other.vertex_edges[k]
        if _product(apart, _away(other, edge, fixed)) > 0.0:
            return _second_to(pair, EDGE, edge)
    for k in range(one.vertex_starts[vertex], one.vertex_starts[vertex + 1]):
        edge = one.vertex_edges[k]
        if _product(apart, _away(one, edge, vertex)) < 0.0:
            return _first_to(pair, EDGE, edge)
    return Move(pair, DONE)


@routine
def _vertex_edge(one: Posed, other: Posed, pair: Features) -> Move:
    vertex, edge = pair.first, pair.second
    point = one.vertices[vertex]
    tail, head = ends(other, edge)
    direction = head - tail
    if (point - tail) @ direction < 0.0:
        return _second_to(pair, VERTEX, other.edges[edge, TAIL])
    if (point - head) @ direction > 0.0:
        return _second_to(pair, VERTEX, other.edges[edge, HEAD])
    for side in (LEFT, RIGHT):
        face = other.edges[edge, side]
        if _product(point - tail, _inward(other, face, edge)) > 0.0:
            return _second_to(pair, FACE, face)
    # The edge against the Voronoi region of the vertex.
    clip = _whole()
    for k in range(one.vertex_starts[vertex], one.vertex_starts[vertex + 1]):
        neighbour = one.vertex_edges[k]
        outward = _away(one, neighbour, vertex)
        clip = _clipped(clip, -_product(tail - point, outward), -_product(head - point, outward), neighbour)
        if clip.outside != NONE:
            return _first_to(pair, EDGE, neighbour)
    if clip.at_low != NONE and _product(direction, tail + clip.low * direction - point) > 0.0:
        return _first_to(pair, EDGE, clip.at_low)
    if clip.at_high != NONE and _product(direction, tail + clip.high * direction - point) < 0.0:
        return _first_to(pair, EDGE, clip.at_high)
    return Move(pair, DONE)


@routine
def _vertex_face(one: Posed, other: Posed, pair: Features) -> Move:
    vertex, face = pair.first, pair.second
    point = one.vertices[vertex]
    side = _side_beyond(other, face, point)
    if side != NONE:
        return _second_to(pair, EDGE, side)
    steepest, towards = 0.0, NONE
    for k in range(one.vertex_starts[vertex], one.vertex_starts[vertex + 1]):
        edge = one.vertex_edges[k]
        slope = _rises(other, face, point, _away(one, edge, vertex))
        if slope < steepest:
            steepest, towards = slope, edge
    height = _height(other, face, point)
    if towards != NONE and height != 0.0:
        return _first_to(pair, EDGE, towards)
    if height > 0.0:
        return Move(pair, DONE)
    # Behind the face: within the polyhedron, or the face is one at its back.
    greatest = -np.inf
    for k in range(len(other.distances)):
        height = _height(other, k, point)
        if height > greatest:
            greatest, face = height, k
    return Move(pair, OVERLAP) if greatest <= 0.0 else _second_to(pair, FACE, face)


@routine
def _side_beyond(body: Posed, face: int, point: Vector3) -> int:
    """The edge of a face that a point lies farthest beyond, if it lies beyond any."""
    worst, found = 0.0, NONE
    for k in range(body.face_starts[face], body.face_starts[face + 1]):
        edge = body.face_edges[k]
        inward = _inward(body, face, edge)
        tail, _ = ends(body, edge)
        inside = float((point - tail) @ inward) / math.sqrt(inward @ inward)
        if inside < worst:
            worst, found = inside, edge
    return found


@routine
def _edge_edge(one: Posed, other: Posed, pair: Features) -> Move:
    step = _edge_against_edge(one, other, pair)
    if step.state == MOVED:
        return step
    back = _edge_against_edge(other, one, turned(pair))
    return Move(turned(back.pair), back.state)


@routine
def _edge_against_edge(one: Posed, other: Posed, pair: Features) -> Move:
    """The first edge against the Voronoi region of the second, which alone may change."""
    fixed = pair.second
    tail, head = ends(one, pair.first)
    base, tip = ends(other, fixed)
    direction, axis = head - tail, tip - base
    # The planes at its ends.
    clip = _clipped(_whole(), float((tail - base) @ axis), float((head - base) @ axis), TAIL)
    if clip.outside == NONE:
        clip = _clipped(clip, float((tip - tail) @ axis), float((tip - head) @ axis), HEAD)
    if clip.outside != NONE:
        return _second_to(pair, VERTEX, other.edges[fixed, clip.outside])
    if clip.at_low != NONE:
        end = other.vertices[other.edges[fixed, clip.at_low]]
        if direction @ (tail + clip.low * direction - end) > 0.0:
            return _second_to(pair, VERTEX, other.edges[fixed, clip.at_low])
    if clip.at_high != NONE:
        end = other.vertices[other.edges[fixed, clip.at_high]]
        if direction @ (tail + clip.high * direction - end) < 0.0:
            return _second_to(pair, VERTEX, other.edges[fixed, clip.at_high])
    # The planes to its faces.
    clip = clip._replace(at_low=NONE, at_high=NONE)
    for side in (LEFT, RIGHT):
        face = other.edges[fixed, side]
        inward = _inward(other, face, fixed)
        clip = _clipped(clip, -_product(tail - base, inward), -_product(head - base, inward), face)
        if clip.outside != NONE:
            return _second_to(pair, FACE, face)
    if clip.at_low != NONE and _rises(other, clip.at_low, tail + clip.low * direction, direction) > 0.0:
        return _second_to(pair, FACE, clip.at_low)
    if clip.at_high != NONE and _rises(other, clip.at_high, tail + clip.high * direction, direction) < 0.0:
        return _second_to(pair, FACE, clip.at_high)
    return Move(pair, DONE)


@routine
def _edge_face(one: Posed, other: Posed, pair: Features) -> Move:
    edge, face = pair.first, pair.second
    tail, head = ends(one, edge)
    direction = head - tail
    clip = _whole()
    for k in range(other.face_starts[face], other.face_starts[face + 1]):
        side = other.face_edges[k]
        inward = _inward(other, face, side)
        base, _ = ends(other, side)
        clip = _clipped(clip, float((tail - base) @ inward), float((head - base) @ inward), side)
        if clip.outside != NONE or clip.low > clip.high:
            return _second_to(pair, EDGE, _nearest_side(other, face, tail, head))
    at_low = _height(other, face, tail + clip.low * direction)
    at_high = _height(other, face, tail + clip.high * direction)
    if at_low * at_high <= 0.0:
        return Move(pair, OVERLAP)
    if _rises(other, face, tail + (clip.low + clip.high) / 2.0 * direction, direction) >= 0.0:
        if clip.at_low != NONE:
            return _second_to(pair, EDGE, clip.at_low)
        return _first_to(pair, VERTEX, one.edges[edge, TAIL])
    if clip.at_high != NONE:
        return _second_to(pair, EDGE, clip.at_high)
    return _first_to(pair, VERTEX, one.edges[edge, HEAD])


@routine
def _nearest_side(body: Posed, face: int, tail: Vector3, head: Vector3) -> int:
    """The edge of a face that is closest to a segment."""
    best, least = NONE, np.inf
    for k in range(body.face_starts[face], body.face_starts[face + 1]):
        side = body.face_edges[k]
        base, tip = ends(body, side)
        square = _segment_distance(tail, head, base, tip)
        if square < least:
            best, least = side, square
    return best


@routine
def _segment_distance(a: Vector3, b: Vector3, c: Vector3, d: Vector3) -> float:
    """Square of the distance of segments ab and cd."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = u @ u, u @ v, v @ v, u @ w, v @ w
    denominator = uu * vv - uv * uv
    s = min(max((uv * vw - vv * uw) / denominator, 0.0), 1.0) if denominator > 1e-14 * uu * vv else 0.0
    t = min(max((uv * s + vw) / vv, 0.0), 1.0)
    s = min(max((uv * t - uw) / uu, 0.0), 1.0)
    apart = a + s * u - (c + t * v)
    return float(apart @ apart)


_FACING = 0.95  # cosine between a face's normal and the contact's from which on the face counts as touching


class Manifold(NamedTuple):
    """n points of a contact between two bodies.

    normal: (3,) from the second towards the first. positions: (n, 3) in the middle of the gaps, m. distances: (n,)
    along the normal, negative in penetration, m. features: to start the next query from.
    """

    normal: Array
    positions: Array
    distances: Array
    features: Features


def contact_manifold(
    first: Polyhedron,
    first_pose: Transform,
    second: Polyhedron,
    second_pose: Transform,
    *,
    margin: float = 1e-3,
    start: Features | None = None,
) -> Manifold:
    """Points at which two polyhedra touch or are closer than `margin` (m); none if they are farther apart.

    The face that lies most squarely against the contact normal is the reference; the face of the other body that looks
    at it is clipped by its sides, and what is left below the margin are the points. Where no face does, an edge crosses
    an edge, and there is one point.
    """
    found = polyhedron_distance(first, first_pose, second, second_pose, start=start)
    distance, normal, on_first, on_second = found.result
    if distance > margin:
        return Manifold(normal, np.zeros((0, 3)), np.zeros(0), found.features)
    one, other = first.at(first_pose), second.at(second_pose)
    along_one, along_other = np.asarray(one.normals) @ -normal, np.asarray(other.normals) @ normal
    single = Manifold(normal, (on_first + on_second)[None] / 2, np.array([distance]), found.features)
    if max(along_one.max(), along_other.max()) < _FACING:
        return single
    if along_other.max() >= along_one.max():
        positions, depths = _clipped_face(other, int(along_other.argmax()), one, margin)
        shift = -0.5
    else:
        positions, depths = _clipped_face(one, int(along_one.argmax()), other, margin)
        shift = 0.5
    if not len(positions):  # an edge that passes beside the face
        return single
    return Manifold(normal, positions + shift * depths[:, None] * normal, depths, found.features)


def _clipped_face(reference: Posed, face: int, incident: Posed, margin: float) -> tuple[Array, Array]:
    """Points of the incident body's opposite face within the reference face's sides, and their heights over it."""
    normal, distance = reference.normals[face], reference.distances[face]
    opposite = int((np.asarray(incident.normals) @ normal).argmin())
    polygon = _corners(incident, opposite)
    rim = _corners(reference, face)
    for tail, head in zip(rim, np.roll(rim, -1, axis=0), strict=True):
        polygon = _cut(polygon, tail, np.cross(normal, head - tail))
    heights = polygon @ normal - distance
    near = heights <= margin
    return polygon[near], heights[near]


def _corners(body: Posed, face: int) -> Array:
    """Corners (n, 3) of a face, counter-clockwise seen from outside."""
    following = {}
    for edge in body.face_edges[body.face_starts[face] : body.face_starts[face + 1]]:
        tail, head, left, _ = body.edges[edge].tolist()
        following[tail if left == face else head] = head if left == face else tail
    order = [next(iter(following))]
    while len(order) < len(following):
        order.append(following[order[-1]])
    return np.asarray(body.vertices)[order]


def _cut(polygon: Array, point: Array, inward: Array) -> Array:
    """The part of a polygon on the inner side of a plane."""
    if not len(polygon):
        return polygon
    sides = (polygon - point) @ inward
    slack = 1e-12 * float(np.abs(sides).max())  # corners on the plane stay
    kept = []
    for k in range(len(polygon)):
        after = (k + 1) % len(polygon)
        if sides[k] >= -slack:
            kept.append(polygon[k])
        if (sides[k] < -slack and sides[after] > slack) or (sides[k] > slack and sides[after] < -slack):
            kept.append(polygon[k] + sides[k] / (sides[k] - sides[after]) * (polygon[after] - polygon[k]))
    return np.array(kept).reshape(-1, 3)
