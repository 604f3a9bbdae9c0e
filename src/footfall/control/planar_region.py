"""Convex regions in a plane of which only the farthest point in a direction can be found, by a linear program say.

Found points make an inner polygon, lines through them an outer one (Bretl and Lall); directions are added where the two
are farthest apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.balance import support_polygon

_TURN = 2.0 * np.pi / 3.0
_START = (0.1, 0.1 + _TURN, 0.1 + 2.0 * _TURN)  # no direction along an axis, where ties are common


class PlanarRegion(NamedTuple):
    """inner (k, 2): corners of points that are in the region, counter-clockwise, m. directions (m, 2) and reach (m,):
    `directions @ p <= reach` for all its points. gap: the greatest distance between the two polygons, m."""

    inner: Array
    directions: Array
    reach: Array
    gap: float


def solve_planar_region(
    farthest: Callable[[Array], Array], *, tolerance: float = 1e-3, queries: int = 100
) -> PlanarRegion:
    """The region between two polygons that are closer than tolerance (m), if that many queries suffice.

    farthest: the farthest point (2,) of the region in a direction (2,), m.
    """
    directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in _START]
    points = [farthest(direction) for direction in directions]
    for _ in range(queries - len(points)):
        place, gap, direction = _widest_gap(directions, points)
        if gap <= tolerance:
            break
        directions.insert(place + 1, direction)
        points.insert(place + 1, farthest(direction))
    outward, corners = np.array(directions), np.array(points)
    reach = np.einsum("ij,ij->i", outward, corners)
    gap = max(0.0, _widest_gap(directions, points)[1])
    return PlanarRegion(support_polygon(np.round(corners, 12)), outward, reach, gap)


def _widest_gap(directions: list[Array], points: list[Array]) -> tuple[int, float, Array]:
    """Index, height and outward direction of the widest triangle between two neighbouring points and their tangents."""
    widest: tuple[int, float, Array] = (0, -1.0, directions[0])
    for k, (first, second) in enumerate(zip(points, [*points[1:], points[0]], strict=True)):
        before, after = directions[k], directions[(k + 1) % len(directions)]
        edge = second - first
        length = float(np.linalg.norm(edge))
        if length < 1e-9:
            continue
        normal = np.array([edge[1], -edge[0]]) / length
        tangents = np.array([before, after])
        if abs(np.linalg.det(tangents)) < 1e-12:
            continue
        corner = np.linalg.solve(tangents, [before @ first, after @ second])
        gap = float(normal @ (corner - first))
        if gap > widest[1]:
            widest = (k, gap, normal)
    return widest
