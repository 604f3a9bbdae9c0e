"""Convex polygons in a plane: support areas and what is asked of them (spec 003c section 4.6).

A polygon is an array (n, 2) in m, convex and counter-clockwise; n = 1 is a point, n = 2 a segment, n = 0 nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidPolygon
from footfall.math import polygon_loops as loops


def convex_hull(points: Any) -> Array:
    """The convex hull of points (k, 2): corners (n, 2) without those on straight edges."""
    return loops.hull(_pairs(points, "points"))


def polygon_area(polygon: Any) -> float:
    """Area, m2."""
    return loops.area(_pairs(polygon, "polygon"))


def polygon_centroid(polygon: Any) -> Array:
    """Centre (2,) of the area; the middle of a point or segment."""
    return np.array(loops.centroid(_pairs(polygon, "polygon")))


def contains(polygon: Any, points: Any, *, tolerance: float = 0.0) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether each of the points (k, 2) lies in the polygon or at most `tolerance` m outside: (k,)."""
    return np.asarray(boundary_distance(polygon, points) >= -tolerance)


def boundary_distance(polygon: Any, points: Any) -> Array:
    """Distance (k,) of points (k, 2) from the border, positive inside, negative outside, m."""
    return loops.border_distances(_pairs(polygon, "polygon"), _pairs(points, "points"))


def closest_point(polygon: Any, point: Any) -> Array:
    """The point (2,) of the polygon that is closest to a point (2,): itself if it lies inside."""
    return np.array(loops.closest(_pairs(polygon, "polygon"), *_pairs([point], "point")[0].tolist()))


def intersection(first: Any, second: Any) -> Array:
    """What two polygons have in common (n, 2); (0, 2) if that has no area."""
    return loops.overlap(_pairs(first, "first polygon"), _pairs(second, "second polygon"))


def inset(polygon: Any, distance: float) -> Array:
    """All points that are at least `distance` m inside (n, 2); (0, 2) if there are none."""
    if not distance >= 0.0:
        raise InvalidPolygon(f"distance is {distance:g} m; it must not be negative")
    return loops.shrunk(_pairs(polygon, "polygon"), float(distance))


def shortest_connection(first: Any, second: Any) -> tuple[Array, Array]:
    """The points (2,) of two polygons that are closest to each other.

    Between parallel edges the middle of all shortest connections. Where the polygons overlap, both points are
    the centre of the overlap.
    """
    ends = np.array(loops.connection(_pairs(first, "first polygon"), _pairs(second, "second polygon")))
    return ends[:2], ends[2:]


def _pairs(points: Any, what: str) -> Array:
    array = np.array(points, dtype=np.float64, order="C")
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0 or not np.isfinite(array).all():
        raise InvalidPolygon(
            f"{what} of shape {array.shape}; there must be finite numbers, (n, 2), n at least 1"
        )
    return array
