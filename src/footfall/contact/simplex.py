"""The point of a simplex of up to four corners that is closest to the origin."""

from __future__ import annotations

import math

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.convex import Corner

# A face whose squared doubled area is below this fraction of its edges' fourth power is an edge.
_FLAT = 1e-14


@routine
def closest_of_simplex(corners: ArrayOf[Corner], count: int, weights: Array) -> int:
    """Weights (4,) of the corners at the point closest to the origin; gives a mask of those that count.

    Each face, edge and corner whose own nearest point lies within it is a candidate; the nearest one wins. All four
    are the answer where the origin lies inside.
    """
    if count == 4 and _contains_origin(corners, weights):
        return 15
    least, mask = np.inf, 0
    trial = np.zeros(3)
    for i in range(count):
        corner = corners[i].difference
        square = corner @ corner
        if square < least:
            least, mask = square, 1 << i
            weights[:] = 0.0
            weights[i] = 1.0
    for i in range(count):
        for j in range(i + 1, count):
            square = _edge(corners[i].difference, corners[j].difference, trial)
            if square < least:
                least, mask = square, (1 << i) | (1 << j)
                weights[:] = 0.0
                weights[i], weights[j] = trial[0], trial[1]
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(j + 1, count):
                square = _face(corners[i].difference, corners[j].difference, corners[k].difference, trial)
                if square < least:
                    least, mask = square, (1 << i) | (1 << j) | (1 << k)
                    weights[:] = 0.0
                    weights[i], weights[j], weights[k] = trial[0], trial[1], trial[2]
    return mask


@routine
def _triple(a: Vector3, b: Vector3, c: Vector3) -> float:
    return float(a @ np.cross(b, c))


@routine
def _contains_origin(corners: ArrayOf[Corner], weights: Array) -> bool:
    a, b = corners[0].difference, corners[1].difference
    c, d = corners[2].difference, corners[3].difference
    volumes = (_triple(b, c, d), -_triple(a, c, d), _triple(a, b, d), -_triple(a, b, c))
    total = volumes[0] + volumes[1] + volumes[2] + volumes[3]
    size = math.sqrt(((b - a) @ (b - a)) * ((c - a) @ (c - a)) * ((d - a) @ (d - a)))
    if abs(total) <= 1e-13 * size:
        return False
    for k in range(4):
        if volumes[k] / total < 0.0:
            return False
    for k in range(4):
        weights[k] = volumes[k] / total
    return True


@routine
def _edge(a: Vector3, b: Vector3, weights: Array) -> float:
    """Square of the distance to the inside of an edge, infinite if the nearest point is an end."""
    edge = b - a
    length = edge @ edge
    t = -(a @ edge)
    if not (0.0 < t < length):
        return np.inf
    t /= length
    weights[0], weights[1] = 1.0 - t, t
    point = a + t * edge
    return float(point @ point)


@routine
def _face(a: Vector3, b: Vector3, c: Vector3, weights: Array) -> float:
    """Square of the distance to the inside of a face, infinite if the nearest point is on its rim."""
    normal = np.cross(b - a, c - a)
    area = normal @ normal
    scale = max((b - a) @ (b - a), (c - a) @ (c - a), (c - b) @ (c - b))
    if area <= _FLAT * scale * scale:
        return np.inf
    u, v, w = _triple(normal, b, c), _triple(normal, c, a), _triple(normal, a, b)
    if u <= 0.0 or v <= 0.0 or w <= 0.0:
        return np.inf
    total = u + v + w
    weights[0], weights[1], weights[2] = u / total, v / total, w / total
    height = a @ normal
    return float(height * height / area)
