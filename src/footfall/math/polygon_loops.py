"""Native loops on convex polygons: arrays (n, 2), counter-clockwise, n = 1 a point, n = 2 a segment."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop

Array = np.ndarray[Any, np.dtype[np.float64]]

TIE = 1e-9  # m: connections that differ by less are equally short (003c section 5.3.2)


@native_loop
def turn(a: Array, b: Array, c: Array) -> float:
    """Twice the area of the triangle, positive if counter-clockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


@native_loop
def hull(points: Array) -> Array:
    """Strictly convex hull: the chains of Graham's scan over sorted points."""
    count = len(points)
    ordered = np.empty((count, 2))
    for i in range(count):  # by x, then by y; there are few points
        j = i
        while j > 0 and (
            points[i, 0] < ordered[j - 1, 0]
            or (points[i, 0] == ordered[j - 1, 0] and points[i, 1] < ordered[j - 1, 1])
        ):
            ordered[j, 0], ordered[j, 1] = ordered[j - 1, 0], ordered[j - 1, 1]
            j -= 1
        ordered[j, 0], ordered[j, 1] = points[i, 0], points[i, 1]
    extent = 0.0
    for i in range(count):
        extent = max(extent, abs(points[i, 0] - points[0, 0]), abs(points[i, 1] - points[0, 1]))
    flat = 1e-12 * extent * extent
    chain = np.empty((2 * count + 1, 2))
    size = 0
    for i in range(count):
        while size >= 2 and turn(chain[size - 2], chain[size - 1], ordered[i]) <= flat:
            size -= 1
        chain[size, 0], chain[size, 1] = ordered[i, 0], ordered[i, 1]
        size += 1
    lower = size + 1
    for i in range(count - 2, -1, -1):
        while size >= lower and turn(chain[size - 2], chain[size - 1], ordered[i]) <= flat:
            size -= 1
        chain[size, 0], chain[size, 1] = ordered[i, 0], ordered[i, 1]
        size += 1
    size = max(size - 1, 1)
    near = 1e-12 * extent
    if size == 2 and abs(chain[1, 0] - chain[0, 0]) <= near and abs(chain[1, 1] - chain[0, 1]) <= near:
        size = 1
    return chain[:size].copy()


@native_loop
def area(polygon: Array) -> float:
    """Area, m2."""
    total = 0.0
    for i in range(1, len(polygon) - 1):
        total += 0.5 * turn(polygon[0], polygon[i], polygon[i + 1])
    return total


@native_loop
def centroid(polygon: Array) -> Array:
    """Centre of the area (2,); of a point or segment its middle."""
    result = np.zeros(2)
    total = 0.0
    for i in range(1, len(polygon) - 1):
        part = turn(polygon[0], polygon[i], polygon[i + 1])
        total += part
        for d in range(2):
            result[d] += part * (polygon[i, d] + polygon[i + 1, d] - 2.0 * polygon[0, d]) / 3.0
    for d in range(2):
        if total > 0.0:
            result[d] = polygon[0, d] + result[d] / total
        else:
            for i in range(len(polygon)):
                result[d] += polygon[i, d] / len(polygon)
    return result


@native_loop
def closest_on_segment(a: Array, b: Array, point: Array) -> Array:
    """The point of a segment that is closest to a point, (2,)."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    share = 0.0
    if square > 0.0:
        share = min(max(((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / square, 0.0), 1.0)
    result = np.empty(2)
    result[0], result[1] = a[0] + share * dx, a[1] + share * dy
    return result


@native_loop
def inside(polygon: Array, point: Array) -> bool:
    """Whether a point lies in a polygon or on its border; points and segments contain nothing."""
    count = len(polygon)
    if count < 3:
        return False
    least = 0.0
    for i in range(count):
        least = min(least, turn(polygon[i], polygon[(i + 1) % count], point))
    return least >= 0.0


@native_loop
def closest(polygon: Array, point: Array) -> Array:
    """The point of a polygon that is closest to a point, (2,): the point itself if it lies inside."""
    if inside(polygon, point):
        return point.copy()
    return closest_on_border(polygon, point)


@native_loop
def closest_on_border(polygon: Array, point: Array) -> Array:
    """The point of the border that is closest to a point, (2,)."""
    count = len(polygon)
    best = np.empty(2)
    smallest = np.inf
    for i in range(count):
        candidate = closest_on_segment(polygon[i], polygon[(i + 1) % count], point)
        square = (candidate[0] - point[0]) ** 2 + (candidate[1] - point[1]) ** 2
        if square < smallest:
            smallest = square
            best = candidate
    return best


@native_loop
def border_distances(polygon: Array, points: Array) -> Array:
    """Distances (k,) to the border, positive inside, negative outside."""
    result = np.empty(len(points))
    for k in range(len(points)):
        nearest = closest_on_border(polygon, points[k])
        distance = np.hypot(nearest[0] - points[k, 0], nearest[1] - points[k, 1])
        result[k] = distance if inside(polygon, points[k]) else -distance
    return result


@native_loop
def clipped(polygon: Array, origin: Array, dx: float, dy: float) -> Array:
    """The part of a polygon to the left of the line through origin along (dx, dy), after Sutherland and Hodgman."""
    count = len(polygon)
    result = np.empty((count + 2, 2))
    size = 0
    for i in range(count):
        here, there = polygon[i], polygon[(i + 1) % count]
        s = dx * (here[1] - origin[1]) - dy * (here[0] - origin[0])
        e = dx * (there[1] - origin[1]) - dy * (there[0] - origin[0])
        if s >= 0.0:
            result[size, 0], result[size, 1] = here[0], here[1]
            size += 1
        if (s > 0.0 and e < 0.0) or (s < 0.0 and e > 0.0):
            share = s / (s - e)
            result[size, 0] = here[0] + share * (there[0] - here[0])
            result[size, 1] = here[1] + share * (there[1] - here[1])
            size += 1
    return result[:size].copy()


@native_loop
def overlap(a: Array, b: Array) -> Array:
    """Intersection of two polygons with area; (0, 2) if there is none with area."""
    result = a.copy()
    for i in range(len(b)):
        if len(result) == 0:
            break
        following = (i + 1) % len(b)
        result = clipped(result, b[i], b[following, 0] - b[i, 0], b[following, 1] - b[i, 1])
    if len(result) < 3 or len(b) < 3:
        return np.empty((0, 2))
    result = hull(result)
    if len(result) < 3:
        return np.empty((0, 2))
    return result


@native_loop
def shrunk(polygon: Array, distance: float) -> Array:
    """All points that are at least `distance` inside; (0, 2) if there are none with area."""
    result = polygon.copy()
    origin = np.empty(2)
    count = len(polygon)
    if count < 3:
        return np.empty((0, 2))
    for i in range(count):
        following = (i + 1) % count
        dx, dy = polygon[following, 0] - polygon[i, 0], polygon[following, 1] - polygon[i, 1]
        length = np.hypot(dx, dy)
        origin[0] = polygon[i, 0] - distance * dy / length
        origin[1] = polygon[i, 1] + distance * dx / length
        result = clipped(result, origin, dx, dy)
        if len(result) < 3:
            return np.empty((0, 2))
    return hull(result)


@native_loop
def connection(a: Array, b: Array) -> Array:
    """Ends (2, 2), on a and on b, of the shortest connection (003c section 5.3.2).

    Of many equally short ones (parallel edges) the mean of the two extreme ones. Where the polygons overlap,
    both ends are the centre of the overlap.
    """
    common = overlap(a, b)
    ends = np.empty((len(a) + len(b), 2, 2))
    result = np.empty((2, 2))
    if len(common) > 0:
        middle = centroid(common)
        for side in range(2):
            result[side, 0], result[side, 1] = middle[0], middle[1]
        return result
    shortest = np.inf
    lengths = np.empty(len(ends))
    for k in range(len(ends)):
        one, other = (a[k], b) if k < len(a) else (b[k - len(a)], a)
        nearest, own = closest(other, one), 0 if k < len(a) else 1
        for d in range(2):
            ends[k, own, d], ends[k, 1 - own, d] = one[d], nearest[d]
        lengths[k] = np.hypot(ends[k, 1, 0] - ends[k, 0, 0], ends[k, 1, 1] - ends[k, 0, 1])
        shortest = min(shortest, lengths[k])
    widest = -1.0
    for i in range(len(ends)):
        if lengths[i] > shortest + TIE:
            continue
        for j in range(i, len(ends)):
            if lengths[j] > shortest + TIE:
                continue
            between = np.hypot(ends[j, 0, 0] - ends[i, 0, 0], ends[j, 0, 1] - ends[i, 0, 1])
            if between > widest:
                widest = between
                for side in range(2):
                    for d in range(2):
                        result[side, d] = 0.5 * (ends[i, side, d] + ends[j, side, d])
    return result
