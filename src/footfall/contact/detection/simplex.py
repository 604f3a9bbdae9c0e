"""The point of a simplex of up to four corners that is closest to the origin; the last corner is the newest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine

# A face whose squared doubled area is below this fraction of its edges' fourth power is an edge.
_FLAT = 1e-14
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
            if area <= _FLAT * longest * longest:
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
