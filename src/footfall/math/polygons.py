"""Convex polygons in a plane: support areas and what is asked of them (Seiwald 2023).

A polygon is an array (n, 2) in m, convex and counter-clockwise; n = 1 is a point, n = 2 a segment, n = 0 nothing. The
functions at the top check what they are given; the routines below them, which others call, do not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf, Vector2, new_records, routine
from footfall.errors import InvalidInput

TIE = 1e-9  # m: connections that differ by less are equally short (Seiwald 2023, section 6.5)
_FLAT = 1e-12  # part of the extent: corners nearer than this are one, or on a straight edge


def convex_hull(points: Any) -> Array:
    """The convex hull of points (k, 2): corners (n, 2) without those on straight edges."""
    return np.asarray(hull(_pairs(points, "points")))


def polygon_area(polygon: Any) -> float:
    """Area, m2."""
    return area(_pairs(polygon, "polygon"))


def polygon_centroid(polygon: Any) -> Array:
    """Centre (2,) of the area; the middle of a point or segment."""
    return centroid(_pairs(polygon, "polygon"))


def contains(polygon: Any, points: Any, *, tolerance: float = 0.0) -> Flags:
    """Whether each of the points (k, 2) lies in the polygon or at most `tolerance` m outside: (k,)."""
    return np.asarray(boundary_distance(polygon, points) >= -tolerance)


def boundary_distance(polygon: Any, points: Any) -> Array:
    """Distance (k,) of points (k, 2) from the border, positive inside, negative outside, m."""
    return border_distances(_pairs(polygon, "polygon"), _pairs(points, "points"))


def closest_point(polygon: Any, point: Any) -> Array:
    """The point (2,) of the polygon that is closest to a point (2,): itself if it lies inside."""
    return closest(_pairs(polygon, "polygon"), _pairs([point], "point")[0])


def intersection(first: Any, second: Any) -> Array:
    """What two polygons have in common (n, 2); (0, 2) if that has no area."""
    return np.asarray(clipped(_pairs(first, "first polygon"), _pairs(second, "second polygon"), 0.0))


def inset(polygon: Any, distance: float) -> Array:
    """All points that are at least `distance` m inside (n, 2); (0, 2) if there are none."""
    if not distance >= 0.0:
        raise InvalidInput(f"distance is {distance:g} m; it must not be negative")
    corners = _pairs(polygon, "polygon")
    return np.asarray(clipped(corners, corners, float(distance)))


def shortest_connection(first: Any, second: Any) -> tuple[Array, Array]:
    """The points (2,) of two polygons that are closest to each other.

    Between parallel edges the middle of all shortest connections. Where the polygons overlap, both points are
    the centre of the overlap.
    """
    found = connection(_pairs(first, "first polygon"), _pairs(second, "second polygon"))
    return found.start, found.end


def smooth_connection(first: Any, second: Any, reach: float) -> tuple[Array, Array]:
    """Points (2,) of two polygons that are close to each other and move continuously with the polygons: the mean of all
    connections from a corner that are less than `reach` m longer than the shortest one, see `blended_connection`."""
    if not reach > 0.0:
        raise InvalidInput(f"reach is {reach:g} m; it must be above zero")
    corners = _pairs(first, "first polygon"), _pairs(second, "second polygon")
    found = blended_connection(*corners, float(reach))
    return found.start, found.end


def _pairs(points: Any, what: str) -> Array:
    array = np.array(points, dtype=np.float64, order="C")
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0 or not np.isfinite(array).all():
        raise InvalidInput(
            f"{what} of shape {array.shape}; there must be finite numbers, (n, 2), n at least 1"
        )
    return array


# Points


def cross(a: Vector2, b: Vector2) -> float:
    """Area of the parallelogram of two vectors, positive if b is to the left of a."""
    return a[0] * b[1] - a[1] * b[0]


def distance(a: Vector2, b: Vector2) -> float:
    return np.hypot(b[0] - a[0], b[1] - a[1])


def after(k: int, count: int) -> int:
    """Number of the next corner, round about."""
    return k + 1 if k + 1 < count else 0


# Polygons


@routine
def hull(points: ArrayOf[Vector2]) -> ArrayOf[Vector2]:
    """Strictly convex hull: the chains of Graham's scan over sorted points, without corners that are none."""
    ordered = by_x_then_y(points)
    count, extent = len(ordered), 0.0
    for point in points:
        extent = max(extent, abs(point[0] - points[0][0]), abs(point[1] - points[0][1]))
    chain: list[Vector2] = []
    least = 2  # corners that stay
    for k in range(2 * count - 1):  # there and back
        if k == count:
            least = len(chain) + 1
        point = ordered[k if k < count else 2 * count - 2 - k]
        while len(chain) >= least and cross(chain[-1] - chain[-2], point - chain[-2]) <= 0.0:
            chain.pop()
        chain.append(point)
    if count > 1:
        chain.pop()  # the first one again
    return without_flat_corners(np.array(chain), extent)


@routine
def without_flat_corners(corners: ArrayOf[Vector2], extent: float) -> ArrayOf[Vector2]:
    """A convex polygon without corners that rounding alone has made: on the way between their neighbours, or where
    another is. The scan must not drop them: of three points upright above each other but for rounding, the one that
    is sorted between the others may be their end."""
    kept: list[Vector2] = []
    count = len(corners)
    for k in range(count):
        before = kept[-1] if len(kept) > 0 else corners[count - 1]
        ahead = kept[0] if k + 1 == count and len(kept) > 0 else corners[after(k, count)]
        come, gone = corners[k] - before, ahead - corners[k]
        same = k > 0 and max(abs(come[0]), abs(come[1])) <= _FLAT * extent
        again = k > 0 and k + 1 == count and max(abs(gone[0]), abs(gone[1])) <= _FLAT * extent
        between = cross(come, gone) <= _FLAT * extent * extent and come @ gone > 0.0
        if not (same or again or between):
            kept.append(corners[k])
    return np.array(kept)


@routine
def by_x_then_y(points: ArrayOf[Vector2]) -> ArrayOf[Vector2]:
    """Points in order; there are few."""
    ordered = points.copy()
    for i in range(len(points)):
        point = points[i]
        j = i
        while j > 0 and (
            point[0] < ordered[j - 1][0] or (point[0] == ordered[j - 1][0] and point[1] < ordered[j - 1][1])
        ):
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = point
    return ordered


@routine
def area(polygon: ArrayOf[Vector2]) -> float:
    """Area, m2."""
    total = 0.0
    for i in range(1, len(polygon) - 1):
        total += 0.5 * cross(polygon[i] - polygon[0], polygon[i + 1] - polygon[0])
    return total


@routine
def centroid(polygon: ArrayOf[Vector2]) -> Vector2:
    """Centre of the area; of a point or segment its middle."""
    first = polygon[0]
    moment: Vector2 = np.zeros(2)
    total = 0.0
    for i in range(1, len(polygon) - 1):  # triangles at the first corner
        part = cross(polygon[i] - first, polygon[i + 1] - first)
        total += part
        moment += part * (polygon[i] + polygon[i + 1] - 2.0 * first) / 3.0
    if total > 0.0:
        return first + moment / total
    for corner in polygon:
        moment += corner / len(polygon)
    return moment


class BorderPoint(NamedTuple):
    """The point of a border that is closest to some point, and whether that lies in the polygon or on its border."""

    point: Vector2
    inside: bool


@routine
def closest_on_border(polygon: ArrayOf[Vector2], point: Vector2) -> BorderPoint:
    """The closest point of the border; points and segments contain nothing."""
    count, least, smallest, best = len(polygon), 0.0, np.inf, polygon[0]
    for i in range(count):
        edge, away = polygon[after(i, count)] - polygon[i], point - polygon[i]
        least = min(least, cross(edge, away))
        square = edge @ edge
        share = min(max((away @ edge) / square, 0.0), 1.0) if square > 0.0 else 0.0
        far = away - share * edge
        if far @ far < smallest:
            smallest, best = far @ far, polygon[i] + share * edge
    return BorderPoint(best, count >= 3 and least >= 0.0)


@routine
def closest(polygon: ArrayOf[Vector2], point: Vector2) -> Vector2:
    """The point of a polygon that is closest to a point: the point itself if it lies inside."""
    nearest = closest_on_border(polygon, point)
    return point if nearest.inside else nearest.point


@routine
def border_distance(polygon: ArrayOf[Vector2], point: Vector2) -> float:
    """Distance to the border, positive inside, negative outside."""
    nearest = closest_on_border(polygon, point)
    return distance(point, nearest.point) if nearest.inside else -distance(point, nearest.point)


@routine
def border_distances(polygon: ArrayOf[Vector2], points: ArrayOf[Vector2]) -> Array:
    """`border_distance` (k,) of points."""
    result = np.empty(len(points))
    for k, point in enumerate(points):
        result[k] = border_distance(polygon, point)
    return result


@routine
def left_of(polygon: ArrayOf[Vector2], start: Vector2, along: Vector2) -> ArrayOf[Vector2]:
    """The part of a polygon to the left of a line through a point, after Sutherland and Hodgman."""
    kept: list[Vector2] = []
    for i in range(len(polygon)):
        here, there = polygon[i], polygon[after(i, len(polygon))]
        side, other = cross(along, here - start), cross(along, there - start)
        if side >= 0.0:
            kept.append(here)
        if (side > 0.0 and other < 0.0) or (side < 0.0 and other > 0.0):
            kept.append(here + side / (side - other) * (there - here))
    return np.array(kept)


@routine
def clipped(polygon: ArrayOf[Vector2], other: ArrayOf[Vector2], depth: float) -> ArrayOf[Vector2]:
    """The part of a polygon with area that lies at least so deep inside another with area; (0, 2) if there is none
    with area."""
    part, count = polygon, len(other)
    for i in range(count):
        edge = other[after(i, count)] - other[i]
        shift = depth / np.hypot(edge[0], edge[1]) if depth != 0.0 else 0.0
        part = left_of(part, other[i] + shift * np.array([-edge[1], edge[0]]), edge)
    if len(part) < 3 or count < 3:
        return part[:0]
    found = hull(part)
    return found if len(found) >= 3 else found[:0]


class Connection(NamedTuple):
    """A straight line between two points, m."""

    start: Vector2
    end: Vector2

    @property
    def length(self) -> float:
        return distance(self.start, self.end)


@routine
def corner_connections(a: ArrayOf[Vector2], b: ArrayOf[Vector2]) -> ArrayOf[Connection]:
    """From every corner of a to the closest point of b, and from the closest point of a to every corner of b."""
    found = new_records(Connection, len(a) + len(b))
    for i in range(len(a)):
        found[i] = Connection(a[i], closest(b, a[i]))
    for i in range(len(b)):
        found[len(a) + i] = Connection(closest(a, b[i]), b[i])
    return found


@routine
def shortest_of(connections: ArrayOf[Connection]) -> float:
    """Length of the shortest connection, m."""
    shortest = np.inf
    for each in connections:
        shortest = min(shortest, each.length)
    return shortest


@routine
def connection(a: ArrayOf[Vector2], b: ArrayOf[Vector2]) -> Connection:
    """The shortest connection from a to b (Seiwald 2023, section 6.5).

    Of many equally short ones (parallel edges) the mean of the two extreme ones. Where the polygons overlap,
    both ends are the centre of the overlap.
    """
    common = clipped(a, b, 0.0)
    if len(common) > 0:
        middle = centroid(common)
        return Connection(middle, middle)
    found = corner_connections(a, b)
    shortest = shortest_of(found)
    widest, one, other = -1.0, found[0], found[0]
    for i in range(len(found)):
        for j in range(i, len(found)):
            apart = distance(found[i].start, found[j].start)
            if max(found[i].length, found[j].length) <= shortest + TIE and apart > widest:
                widest, one, other = apart, found[i], found[j]
    return Connection(0.5 * (one.start + other.start), 0.5 * (one.end + other.end))


@routine
def blended_connection(a: ArrayOf[Vector2], b: ArrayOf[Vector2], reach: float) -> Connection:
    """A short connection from a to b that is continuous in both.

    The shortest one jumps from corner to corner as edges become parallel. All connections from a corner are continuous,
    and so is their mean with weights that fall from 1 for the shortest one to 0 for those longer by `reach` m. Its ends
    lie in a and b, since these are convex. For parallel edges and for corners alone it is the shortest connection.
    Where the polygons overlap, both ends are the centre of the overlap.
    """
    common = clipped(a, b, 0.0)
    if len(common) > 0:
        middle = centroid(common)
        return Connection(middle, middle)
    found = corner_connections(a, b)
    shortest = shortest_of(found)
    start: Vector2 = np.zeros(2)
    end: Vector2 = np.zeros(2)
    total = 0.0
    for each in found:
        weight = max(0.0, 1.0 - (each.length - shortest) / reach)
        total += weight * weight
        start += weight * weight * each.start
        end += weight * weight * each.end
    return Connection(start / total, end / total)
