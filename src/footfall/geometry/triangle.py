"""Closest points of points, segments and triangles.

Distances are always those of the points that are given, so that a sliver or nearly parallel lines can make a point
inexact, but no distance smaller than it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3, routine

# Features of a triangle: its face; its edges 01, 12, 20; its corners.
FACE, EDGE_01, EDGE_12, EDGE_20, CORNER_0, CORNER_1, CORNER_2 = 0, 1, 2, 3, 4, 5, 6
_PARALLEL = 1e-24  # square of the sine of an angle that is rounding
_SLIVER = 1e-20  # square of height over length of a triangle that counts as its edges


class Triangle(NamedTuple):
    """Corners, m."""

    a: Vector3
    b: Vector3
    c: Vector3


class OnTriangle(NamedTuple):
    """The closest point of a triangle, the square of its distance, m2, and the feature it lies on."""

    square: float
    point: Vector3
    feature: int


class Closest(NamedTuple):
    """The square of a distance, m2, and the closest points of two shapes."""

    square: float
    first: Vector3
    second: Vector3


@routine
def closest_points(first: Vector3, second: Vector3) -> Closest:
    """Two points with the square of their distance."""
    apart = second - first
    return Closest(apart @ apart, first, second)


@routine
def _on_edge(a: Vector3, b: Vector3, point: Vector3, edge: int, corner: int, other: int) -> OnTriangle:
    """Closest point of the segment from a to b, Schwienbacher 2014, chapter 6; the numbers of its features."""
    u = b - a
    square, s = u @ u, 0.0
    if square > 0.0:
        s = min(max((point - a) @ u / square, 0.0), 1.0)
    found: Vector3 = a + s * u
    feature = corner if s == 0.0 else other if s == 1.0 else edge
    return OnTriangle((point - found) @ (point - found), found, feature)


@routine
def point_to_line(point: Vector3, a: Vector3, b: Vector3) -> Closest:
    """Closest point of the segment from a to b."""
    found = _on_edge(a, b, point, EDGE_01, CORNER_0, CORNER_1)
    return Closest(found.square, point, found.point)


@routine
def on_triangle(triangle: Triangle, point: Vector3) -> OnTriangle:
    """Closest point of a triangle, Schwienbacher 2014, table 6.2: of the face, else of the edges that the point is
    beyond.

    A point beyond an edge's line can be closest to that edge only, or to another that it is beyond as well.
    """
    a, b, c = triangle.a, triangle.b, triangle.c
    u, v, w = b - a, c - a, point - a
    normal: Vector3 = np.cross(u, v)
    uu, vv, uv = u @ u, v @ v, u @ v
    doubled = normal @ normal
    longest = max(uu, vv, uu - 2.0 * uv + vv)
    s, t, first = -1.0, -1.0, -1.0
    if doubled > _SLIVER * longest * longest:
        # Barycentric coordinates by areas: Schwienbacher 2014, (6.21) without its cancellation.
        s, t = float(np.cross(w, v) @ normal), float(np.cross(u, w) @ normal)
        first = float(doubled - s - t)
        if s >= 0.0 and t >= 0.0 and first >= 0.0:
            found: Vector3 = a + s / doubled * u + t / doubled * v
            return OnTriangle((point - found) @ (point - found), found, FACE)
    best = OnTriangle(np.inf, a, FACE)
    if t < 0.0:
        best = _on_edge(a, b, point, EDGE_01, CORNER_0, CORNER_1)
    if first < 0.0:
        other = _on_edge(b, c, point, EDGE_12, CORNER_1, CORNER_2)
        if other.square < best.square:
            best = other
    if s < 0.0:
        other = _on_edge(c, a, point, EDGE_20, CORNER_2, CORNER_0)
        if other.square < best.square:
            best = other
    return best


@routine
def point_to_triangle(point: Vector3, triangle: Triangle) -> Closest:
    """Closest point of a triangle, beside the point itself."""
    found = on_triangle(triangle, point)
    return Closest(found.square, point, found.point)


@routine
def line_to_line(a: Vector3, b: Vector3, c: Vector3, d: Vector3) -> Closest:
    """Closest points of the segments from a to b and from c to d, Schwienbacher 2014, chapter 6.

    Parallel ones meet in the middle of where they overlap. Products of cross products keep nearly parallel lines exact.
    """
    u, v, w = b - a, d - c, c - a
    uu, vv, uv, uw, vw = u @ u, v @ v, u @ v, u @ w, v @ w
    across = np.cross(u, v)
    square = across @ across
    s = 0.0
    if square > _PARALLEL * uu * vv:  # Schwienbacher 2014, (6.34)
        s = min(max(np.cross(w, v) @ across / square, 0.0), 1.0)  # Schwienbacher 2014, (6.31)
    elif uu > 0.0:
        low, high = min(uw, uw + uv) / uu, max(uw, uw + uv) / uu
        s = min(max((max(low, 0.0) + min(high, 1.0)) / 2, 0.0), 1.0)
    t = (s * uv - vw) / vv if vv > 0.0 else 0.0
    # Schwienbacher 2014, algorithm B.3, with the lines in the other order.
    if t < 0.0 or t > 1.0 or vv == 0.0:
        t = min(max(t, 0.0), 1.0)
        if uu > 0.0:
            s = min(max((uw + t * uv) / uu, 0.0), 1.0)
    return closest_points(a + s * u, c + t * v)
