"""The steps of V-Clip: for each kind of feature pair, the better pair or the news that there is none.

A polyhedron comes as its arrays (see `Polyhedron.at`). A step writes the new features into `pair` and gives MOVED,
DONE or OVERLAP.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.geometry.native_vectors import along, cross, dot, minus

MOVED, DONE, OVERLAP, LOST = 0, 1, 2, 3
VERTEX, EDGE, FACE = 0, 1, 2
_STEPS = 400
# Sine of an angle to a plane below which it is 0: rounding must not lead back to where one was.
_PARALLEL = 1e-12


@routine
def walk(one: Any, other: Any, start: Integers) -> Integers:
    """From the start features to the closest ones: (kind, index, kind, index, steps, state)."""
    pair = start.copy()
    state, steps = MOVED, 0
    while state == MOVED and steps < _STEPS:
        steps += 1
        if pair[0] > pair[2] or (pair[0] == pair[2] == EDGE and steps % 2):
            turned = np.empty(4, dtype=np.int64)
            turned[:] = pair[2], pair[3], pair[0], pair[1]
            state = _step(other, one, turned)
            pair[0], pair[1], pair[2], pair[3] = turned[2], turned[3], turned[0], turned[1]
        else:
            state = _step(one, other, pair)
    if state == MOVED:
        state = LOST
    return np.array([pair[0], pair[1], pair[2], pair[3], steps, state])


@routine
def _step(one: Any, other: Any, pair: Integers) -> int:
    """A step for features in the order vertex, edge, face."""
    if pair[0] == VERTEX:
        if pair[2] == VERTEX:
            return _vertex_vertex(one, other, pair)
        if pair[2] == EDGE:
            return _vertex_edge(one, other, pair)
        return _vertex_face(one, other, pair)
    if pair[2] == EDGE:
        return _edge_edge(one, other, pair)
    return _edge_face(one, other, pair)


@routine
def _product(a: Array, b: Array) -> float:
    """Scalar product of two directions, 0 if they are at right angles but for rounding."""
    product = dot(a, b)
    return product if product * product > _PARALLEL * _PARALLEL * dot(a, a) * dot(b, b) else 0.0


@routine
def _far_end(body: Any, edge: int, vertex: int) -> int:
    """The vertex at the other end of an edge."""
    return int(body[1][edge, 1] if body[1][edge, 0] == vertex else body[1][edge, 0])


@routine
def _inward(body: Any, face: int, edge: int) -> Array:
    """Direction in a face, away from one of its edges."""
    tail, head = body[0][body[1][edge, 0]], body[0][body[1][edge, 1]]
    direction = minus(head, tail) if body[1][edge, 2] == face else minus(tail, head)
    return cross(body[2][face], direction)


@routine
def _vertex_vertex(one: Any, other: Any, pair: Integers) -> int:
    a, b = one[0][pair[1]], other[0][pair[3]]
    apart = minus(a, b)
    for k in range(other[5][pair[3]], other[5][pair[3] + 1]):
        edge = other[6][k]
        if _product(apart, minus(other[0][_far_end(other, edge, pair[3])], b)) > 0.0:
            pair[2], pair[3] = EDGE, edge
            return MOVED
    for k in range(one[5][pair[1]], one[5][pair[1] + 1]):
        edge = one[6][k]
        if _product(apart, minus(one[0][_far_end(one, edge, pair[1])], a)) < 0.0:
            pair[0], pair[1] = EDGE, edge
            return MOVED
    return DONE


@routine
def _vertex_edge(one: Any, other: Any, pair: Integers) -> int:
    vertex, edge = pair[1], pair[3]
    point = one[0][vertex]
    tail, head = other[0][other[1][edge, 0]], other[0][other[1][edge, 1]]
    direction, apart = minus(head, tail), minus(point, tail)
    if dot(apart, direction) < 0.0:
        pair[2], pair[3] = VERTEX, other[1][edge, 0]
        return MOVED
    if dot(minus(point, head), direction) > 0.0:
        pair[2], pair[3] = VERTEX, other[1][edge, 1]
        return MOVED
    for side in range(2, 4):
        face = other[1][edge, side]
        if _product(apart, _inward(other, face, edge)) > 0.0:
            pair[2], pair[3] = FACE, face
            return MOVED
    # The edge against the Voronoi region of the vertex.
    low, high = 0.0, 1.0
    low_edge, high_edge = -1, -1
    for k in range(one[5][vertex], one[5][vertex + 1]):
        neighbour = one[6][k]
        outward = minus(one[0][_far_end(one, neighbour, vertex)], point)
        at_tail, at_head = -_product(minus(tail, point), outward), -_product(minus(head, point), outward)
        if at_tail < 0.0 and at_head < 0.0:
            pair[0], pair[1] = EDGE, neighbour
            return MOVED
        if at_tail < 0.0 and at_tail / (at_tail - at_head) > low:
            low, low_edge = at_tail / (at_tail - at_head), neighbour
        elif at_head < 0.0 and at_tail / (at_tail - at_head) < high:
            high, high_edge = at_tail / (at_tail - at_head), neighbour
    if low_edge >= 0 and _product(direction, minus(along(tail, low, direction), point)) > 0.0:
        pair[0], pair[1] = EDGE, low_edge
        return MOVED
    if high_edge >= 0 and _product(direction, minus(along(tail, high, direction), point)) < 0.0:
        pair[0], pair[1] = EDGE, high_edge
        return MOVED
    return DONE


@routine
def _vertex_face(one: Any, other: Any, pair: Integers) -> int:
    vertex, face = pair[1], pair[3]
    point = one[0][vertex]
    worst, nearest = 0.0, -1
    for k in range(other[3][face], other[3][face + 1]):
        edge = other[4][k]
        inward = _inward(other, face, edge)
        inside = dot(minus(point, other[0][other[1][edge, 0]]), inward) / np.sqrt(dot(inward, inward))
        if inside < worst:
            worst, nearest = inside, edge
    if nearest >= 0:
        pair[2], pair[3] = EDGE, nearest
        return MOVED
    height = dot(other[2][face], point) - other[2][face, 3]
    steepest, towards = 0.0, -1
    for k in range(one[5][vertex], one[5][vertex + 1]):
        edge = one[6][k]
        slope = _rises(other, face, point, minus(one[0][_far_end(one, edge, vertex)], point))
        if slope < steepest:
            steepest, towards = slope, edge
    if towards >= 0 and height != 0.0:
        pair[0], pair[1] = EDGE, towards
        return MOVED
    if height > 0.0:
        return DONE
    # Behind the face: within the polyhedron, or the face is one at its back.
    greatest = -np.inf
    for k in range(len(other[2])):
        value = dot(other[2][k], point) - other[2][k, 3]
        if value > greatest:
            greatest, face = value, k
    if greatest <= 0.0:
        return OVERLAP
    pair[2], pair[3] = FACE, face
    return MOVED


@routine
def _edge_edge(one: Any, other: Any, pair: Integers) -> int:
    state = _edge_against_edge(one, other, pair)
    if state == MOVED:
        return MOVED
    turned = np.empty(4, dtype=np.int64)
    turned[:] = pair[2], pair[3], pair[0], pair[1]
    state = _edge_against_edge(other, one, turned)
    pair[0], pair[1], pair[2], pair[3] = turned[2], turned[3], turned[0], turned[1]
    return state


@routine
def _edge_against_edge(one: Any, other: Any, pair: Integers) -> int:
    """The first edge against the Voronoi region of the second, which alone may change."""
    edge, fixed = pair[1], pair[3]
    tail, head = one[0][one[1][edge, 0]], one[0][one[1][edge, 1]]
    direction = minus(head, tail)
    low, high = 0.0, 1.0
    base, tip = other[0][other[1][fixed, 0]], other[0][other[1][fixed, 1]]
    axis = minus(tip, base)
    low_part, high_part = -1, -1
    for part in range(2):  # the planes at its ends
        end = base if part == 0 else tip
        sign = 1.0 if part == 0 else -1.0
        at_tail, at_head = sign * dot(minus(tail, end), axis), sign * dot(minus(head, end), axis)
        if at_tail < 0.0 and at_head < 0.0:
            pair[2], pair[3] = VERTEX, other[1][fixed, part]
            return MOVED
        if at_tail < 0.0 and at_tail / (at_tail - at_head) > low:
            low, low_part = at_tail / (at_tail - at_head), part
        elif at_head < 0.0 and at_tail / (at_tail - at_head) < high:
            high, high_part = at_tail / (at_tail - at_head), part
    if low_part >= 0:
        end = other[0][other[1][fixed, low_part]]
        if dot(direction, minus(along(tail, low, direction), end)) > 0.0:
            pair[2], pair[3] = VERTEX, other[1][fixed, low_part]
            return MOVED
    if high_part >= 0:
        end = other[0][other[1][fixed, high_part]]
        if dot(direction, minus(along(tail, high, direction), end)) < 0.0:
            pair[2], pair[3] = VERTEX, other[1][fixed, high_part]
            return MOVED
    low_part, high_part = -1, -1
    for part in range(2, 4):  # the planes to its faces
        inward = _inward(other, other[1][fixed, part], fixed)
        at_tail, at_head = -_product(minus(tail, base), inward), -_product(minus(head, base), inward)
        if at_tail < 0.0 and at_head < 0.0:
            pair[2], pair[3] = FACE, other[1][fixed, part]
            return MOVED
        if at_tail < 0.0 and at_tail / (at_tail - at_head) > low:
            low, low_part = at_tail / (at_tail - at_head), part
        elif at_head < 0.0 and at_tail / (at_tail - at_head) < high:
            high, high_part = at_tail / (at_tail - at_head), part
    if low_part >= 0 and _rises(other, other[1][fixed, low_part], along(tail, low, direction), direction) > 0:
        pair[2], pair[3] = FACE, other[1][fixed, low_part]
        return MOVED
    if (
        high_part >= 0
        and _rises(other, other[1][fixed, high_part], along(tail, high, direction), direction) < 0
    ):
        pair[2], pair[3] = FACE, other[1][fixed, high_part]
        return MOVED
    return DONE


@routine
def _rises(body: Any, face: int, point: Array, direction: Array) -> float:
    """Change of a point's distance to a face's plane along a direction, 0 if they are parallel."""
    slope = _product(body[2][face], direction)
    return slope if dot(body[2][face], point) - body[2][face, 3] > 0.0 else -slope


@routine
def _edge_face(one: Any, other: Any, pair: Integers) -> int:
    edge, face = pair[1], pair[3]
    tail, head = one[0][one[1][edge, 0]], one[0][one[1][edge, 1]]
    direction = minus(head, tail)
    low, high = 0.0, 1.0
    low_edge, high_edge = -1, -1
    outside = False
    for k in range(other[3][face], other[3][face + 1]):
        side = other[4][k]
        inward, base = _inward(other, face, side), other[0][other[1][side, 0]]
        at_tail, at_head = dot(minus(tail, base), inward), dot(minus(head, base), inward)
        if at_tail < 0.0 and at_head < 0.0:
            outside = True
            break
        if at_tail < 0.0 and at_tail / (at_tail - at_head) > low:
            low, low_edge = at_tail / (at_tail - at_head), side
        elif at_head < 0.0 and at_tail / (at_tail - at_head) < high:
            high, high_edge = at_tail / (at_tail - at_head), side
        if low > high:
            outside = True
            break
    if outside:
        pair[2], pair[3] = EDGE, _nearest_side(other, face, tail, head)
        return MOVED
    normal = other[2][face]
    at_low = dot(normal, along(tail, low, direction)) - normal[3]
    at_high = dot(normal, along(tail, high, direction)) - normal[3]
    if at_low * at_high <= 0.0:
        return OVERLAP
    if _rises(other, face, along(tail, (low + high) / 2.0, direction), direction) >= 0.0:
        if low_edge >= 0:
            pair[2], pair[3] = EDGE, low_edge
        else:
            pair[0], pair[1] = VERTEX, one[1][edge, 0]
    elif high_edge >= 0:
        pair[2], pair[3] = EDGE, high_edge
    else:
        pair[0], pair[1] = VERTEX, one[1][edge, 1]
    return MOVED


@routine
def _nearest_side(body: Any, face: int, tail: Array, head: Array) -> int:
    """The edge of a face that is closest to a segment."""
    best, least = -1, np.inf
    for k in range(body[3][face], body[3][face + 1]):
        side = body[4][k]
        square = _segment_distance(tail, head, body[0][body[1][side, 0]], body[0][body[1][side, 1]])
        if square < least:
            best, least = side, square
    return best


@routine
def _segment_distance(a: Array, b: Array, c: Array, d: Array) -> float:
    """Square of the distance of segments ab and cd."""
    u, v, w = minus(b, a), minus(d, c), minus(a, c)
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    denominator = uu * vv - uv * uv
    s = min(max((uv * vw - vv * uw) / denominator, 0.0), 1.0) if denominator > 1e-14 * uu * vv else 0.0
    t = min(max((uv * s + vw) / vv, 0.0), 1.0)
    s = min(max((uv * t - uw) / uu, 0.0), 1.0)
    apart = minus(along(a, s, u), along(c, t, v))
    return dot(apart, apart)
