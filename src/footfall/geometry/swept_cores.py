"""Signed distance of two cores of swept-sphere volumes, with direction and closest points.

Where cores cross, the distance is minus the least way that parts them: that of the Minkowski difference, whose faces
are spanned by edges of both. So the distance goes smoothly through zero, and its direction stays known.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3, routine
from footfall.geometry.swept_features import (
    NO_DIRECTION,
    Corners,
    closest_features,
    edges_of,
    line_to_triangle,
    triangle_of,
    triangle_to_triangle,
)
from footfall.geometry.triangle import (
    Closest,
    closest_points,
    line_to_line,
    point_to_line,
    point_to_triangle,
)

_NO_AXIS = 1e-24  # square of the sine between edges that span no face


class CoreDistance(NamedTuple):
    """Signed distance of two cores, m; the unit vector from the first to the second; the closest points on both."""

    distance: float
    normal: Vector3
    first: Vector3
    second: Vector3


class Overlap(NamedTuple):
    """How far the second core has to move along a direction until the two are parted, m; negative if they are."""

    depth: float
    normal: Vector3


@routine
def core_distance(one: Corners, other: Corners) -> CoreDistance:
    """Signed distance of two cores; the first has no more corners than the second."""
    found = _closest_of_cores(one, other)
    if found.square > NO_DIRECTION * NO_DIRECTION:
        distance = math.sqrt(found.square)
        normal = 1.0 / distance * (found.second - found.first)
        return CoreDistance(distance, normal, found.first, found.second)
    return _distance_of_close_cores(one, other, found)


@routine
def _closest_of_cores(one: Corners, other: Corners) -> Closest:
    """Closest points, or UNDECIDED."""
    if len(one) == 1:
        if len(other) == 1:
            return closest_points(one[0], other[0])
        if len(other) == 2:
            return point_to_line(one[0], other[0], other[1])
        return point_to_triangle(one[0], triangle_of(other))
    if len(other) == 2:
        return line_to_line(one[0], one[1], other[0], other[1])
    if len(one) == 2:
        return line_to_triangle(one, triangle_of(other))
    return triangle_to_triangle(one, other)


@routine
def _distance_of_close_cores(one: Corners, other: Corners, found: Closest) -> CoreDistance:
    """The answer for cores that touch, cross or were not shown to be apart."""
    overlap = least_overlap(one, other)
    normal = overlap.normal
    if len(other) == 3 and len(one) > 1:
        # Where they touch after the least way apart, they are closest.
        shift = overlap.depth * normal if overlap.depth > NO_DIRECTION else 0.0 * normal
        moved: Corners = np.empty((3, 3))
        for k in range(3):
            moved[k] = other[k] + shift
        found = closest_features(one, moved)
        if overlap.depth > NO_DIRECTION:
            return CoreDistance(-overlap.depth, normal, found.first, found.second - shift)
    apart = found.second - found.first
    distance = math.sqrt(apart @ apart)
    if distance > NO_DIRECTION:
        return CoreDistance(distance, apart / distance, found.first, found.second)
    sign = 1.0 if apart @ normal >= 0.0 else -1.0
    return CoreDistance(distance, sign * normal, found.first, found.second)


@routine
def least_overlap(one: Corners, other: Corners) -> Overlap:
    """The least way that parts two cores.

    Faces of the Minkowski difference are those of the cores and those between an edge of each. Cores without any, such
    as points on lines, are parted across the edge that there is.
    """
    best = Overlap(np.inf, np.array([0.0, 0.0, 1.0]))
    for core in (one, other):
        if len(core) == 3:
            best = _smaller(best, one, other, core[1] - core[0], core[2] - core[1])
    for i in range(edges_of(one)):
        for j in range(edges_of(other)):
            best = _smaller(best, one, other, one[(i + 1) % 3] - one[i], other[(j + 1) % 3] - other[j])
    return best if best.depth < np.inf else Overlap(0.0, _across_longest_edge(one, other))


@routine
def _smaller(best: Overlap, one: Corners, other: Corners, u: Vector3, v: Vector3) -> Overlap:
    """The least overlap so far, or that along the direction across two edges."""
    normal = np.cross(u, v)
    square = normal @ normal
    if square <= _NO_AXIS * (u @ u) * (v @ v):
        return best
    normal = normal / math.sqrt(square)
    low, high = _extent(one, normal)
    other_low, other_high = _extent(other, normal)
    if high - other_low < best.depth:
        best = Overlap(high - other_low, normal)
    if other_high - low < best.depth:
        best = Overlap(other_high - low, -normal)
    return best


@routine
def _extent(corners: Corners, way: Vector3) -> tuple[float, float]:
    """From where to where a core reaches along a direction, m."""
    low, high = np.inf, -np.inf
    for corner in corners:
        along = way @ corner
        low, high = min(low, along), max(high, along)
    return low, high


@routine
def _across_longest_edge(one: Corners, other: Corners) -> Vector3:
    """A unit vector, level if the edge is steep."""
    edge: Vector3 = np.zeros(3)
    for core in (one, other):
        for i in range(edges_of(core)):
            way = core[(i + 1) % 3] - core[i]
            if way @ way > edge @ edge:
                edge = way
    x, y, z = edge
    across = np.array([-y, x, 0.0]) if x * x + y * y > 0.5 * z * z else np.array([0.0, -z, y])
    length = math.sqrt(across @ across)
    return across / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
