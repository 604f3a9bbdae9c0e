"""Closest features of segments and triangles, the cores of swept-sphere volumes.

A core is its corners, an array (1 to 3, 3): views of one, so that nothing is copied.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.geometry.triangle import Closest, Triangle, closest_points, line_to_line, point_to_triangle

UNDECIDED = -1.0  # instead of a square: the cores may cross
NO_DIRECTION = 1e-10  # m; closer than this the direction from one point to the other is rounding
_SAFE = 1e-5  # m; closer than this rounding of the direction may hide a corner beyond
_SHALLOW = 1e-12  # square of sines below which the point where a line meets a plane is not known well

Corners = ArrayOf[Vector3]


@routine
def triangle_of(corners: Corners) -> Triangle:
    """Three corners as a value."""
    return Triangle(corners[0], corners[1], corners[2])


@routine
def edges_of(corners: Corners) -> int:
    """How many edges a core has; edge i goes from corner i to corner (i + 1) % 3."""
    return max(2 * len(corners) - 3, 0)


@routine
def closest_features(one: Corners, other: Corners) -> Closest:
    """Closest points of edges and corners of two cores of 2 or 3 corners: those of the cores, unless these cross.

    Schwienbacher 2014, chapter 6: each edge to each edge, each corner to the other's face.
    """
    best = Closest(np.inf, one[0], other[0])
    for i in range(edges_of(one)):
        for j in range(edges_of(other)):
            best = nearer(best, line_to_line(one[i], one[(i + 1) % 3], other[j], other[(j + 1) % 3]))
    if len(other) == 3:
        for corner in one:
            best = nearer(best, point_to_triangle(corner, triangle_of(other)))
    if len(one) == 3:
        for corner in other:
            best = nearer(best, turned_round(point_to_triangle(corner, triangle_of(one))))
    return best


@routine
def nearer(best: Closest, found: Closest) -> Closest:
    """The pair with the smaller distance, of equal ones the first."""
    return found if found.square < best.square else best


@routine
def turned_round(found: Closest) -> Closest:
    """The same points of the same shapes, in the other order."""
    return Closest(found.square, found.second, found.first)


@routine
def line_to_triangle(line: Corners, triangle: Triangle) -> Closest:
    """Closest points of a segment and a triangle, Schwienbacher 2014, chapter 6; UNDECIDED if they cross or are nearly
    parallel.

    Seen from where the line meets the plane, or comes closest to it, only edges that this place is beyond can count.
    """
    a, b, c = triangle.a, triangle.b, triangle.c
    start, way = line[0], line[1] - line[0]
    u, v = b - a, c - a
    normal = np.cross(u, v)
    doubled, longest, along = normal @ normal, max(u @ u, v @ v), normal @ way
    # Schwienbacher 2014, (6.45)
    if along * along <= _SHALLOW * doubled * (way @ way) or doubled <= _SHALLOW * longest * longest:
        return Closest(UNDECIDED, start, a)
    place = -(normal @ (start - a)) / along  # Schwienbacher 2014, (6.46)
    r = min(max(place, 0.0), 1.0)
    w = start - a + r * way
    s, t = np.cross(w, v) @ normal, np.cross(u, w) @ normal
    third = doubled - s - t
    if s >= 0.0 and t >= 0.0 and third >= 0.0:
        if r == place:
            return Closest(UNDECIDED, start, a)
        return closest_points(start + r * way, a + s / doubled * u + t / doubled * v)
    best = Closest(np.inf, start, a)
    if t < 0.0:
        best = line_to_line(start, line[1], a, b)
    if third < 0.0:
        best = nearer(best, line_to_line(start, line[1], b, c))
    if s < 0.0:
        best = nearer(best, line_to_line(start, line[1], c, a))
    return best


@routine
def triangle_to_triangle(one: Corners, other: Corners) -> Closest:
    """Closest points of two triangles, UNDECIDED if nothing shows that they are apart; Schwienbacher 2014, chapter 6.

    A pair of points is the closest one if no corner lies beyond the planes through them across their difference, so
    that most pairs of triangles need no look at all features.
    """
    for i in range(3):
        for j in range(3):
            found = line_to_line(one[i], one[(i + 1) % 3], other[j], other[(j + 1) % 3])
            if found.square <= _SAFE * _SAFE:
                continue
            apart = found.second - found.first
            before, behind = one[(i + 2) % 3] - found.first, other[(j + 2) % 3] - found.second
            if before @ apart <= 0.0 and behind @ apart >= 0.0:
                return found
    for i in range(3):
        found = point_to_triangle(one[i], triangle_of(other))
        if found.square > _SAFE * _SAFE and _is_farthest(one, i, found.second - found.first):
            return found
        found = point_to_triangle(other[i], triangle_of(one))
        if found.square > _SAFE * _SAFE and _is_farthest(other, i, found.second - found.first):
            return turned_round(found)
    return Closest(UNDECIDED, one[0], other[0])


@routine
def _is_farthest(corners: Corners, k: int, way: Vector3) -> bool:
    """Whether no corner lies farther along a direction than corner k."""
    farthest = True
    for corner in corners:
        farthest = farthest and (corner - corners[k]) @ way <= 0.0
    return farthest
