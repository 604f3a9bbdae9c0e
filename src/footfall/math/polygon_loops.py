"""Native loops on convex polygons: arrays (n, 2), counter-clockwise, n = 1 a point, n = 2 a segment."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine

TIE = 1e-9  # m: connections that differ by less are equally short (003c section 5.3.2)


@routine
def turn(polygon: Array, i: int, j: int, x: float, y: float) -> float:
    """Twice the area of the triangle of corners i and j and a point, positive if counter-clockwise."""
    ax, ay = polygon[i, 0], polygon[i, 1]
    return float((polygon[j, 0] - ax) * (y - ay) - (polygon[j, 1] - ay) * (x - ax))


@routine
def hull(points: Array) -> Array:
    """Strictly convex hull: the chains of Graham's scan over sorted points."""
    count = len(points)
    ordered, extent = np.empty((count, 2)), 0.0
    for i in range(count):  # by x, then by y; there are few points
        x, y = points[i, 0], points[i, 1]
        extent = max(extent, abs(x - points[0, 0]), abs(y - points[0, 1]))
        j = i
        while j > 0 and (x < ordered[j - 1, 0] or (x == ordered[j - 1, 0] and y < ordered[j - 1, 1])):
            ordered[j, 0], ordered[j, 1] = ordered[j - 1, 0], ordered[j - 1, 1]
            j -= 1
        ordered[j, 0], ordered[j, 1] = x, y
    flat = 1e-12 * extent * extent
    chain, size, least = np.empty((2 * count + 1, 2)), 0, 2
    for k in range(2 * count - 1):  # there and back
        i = k if k < count else 2 * count - 2 - k
        if k == count:
            least = size + 1
        x, y = ordered[i, 0], ordered[i, 1]
        while size >= least and turn(chain, size - 2, size - 1, x, y) <= flat:
            size -= 1
        chain[size, 0], chain[size, 1] = x, y
        size += 1
    size = max(size - 1, 1)
    near = 1e-12 * extent
    if size == 2 and abs(chain[1, 0] - chain[0, 0]) <= near and abs(chain[1, 1] - chain[0, 1]) <= near:
        size = 1
    return chain[:size]


@routine
def area(polygon: Array) -> float:
    """Area, m2."""
    total = 0.0
    for i in range(1, len(polygon) - 1):
        total += 0.5 * turn(polygon, 0, i, polygon[i + 1, 0], polygon[i + 1, 1])
    return total


@routine
def centroid(polygon: Array) -> tuple[float, float]:
    """Centre of the area; of a point or segment its middle."""
    x, y, total, count = 0.0, 0.0, 0.0, len(polygon)
    first_x, first_y = polygon[0, 0], polygon[0, 1]
    for i in range(1, count - 1):
        part = turn(polygon, 0, i, polygon[i + 1, 0], polygon[i + 1, 1])
        total += part
        x += part * (polygon[i, 0] + polygon[i + 1, 0] - 2.0 * first_x) / 3.0
        y += part * (polygon[i, 1] + polygon[i + 1, 1] - 2.0 * first_y) / 3.0
    if total > 0.0:
        return first_x + x / total, first_y + y / total
    for i in range(count):
        x += polygon[i, 0] / count
        y += polygon[i, 1] / count
    return x, y


@routine
def closest_on_border(polygon: Array, x: float, y: float) -> tuple[float, float, bool]:
    """The point of the border that is closest to a point, and whether that lies in the polygon or on its border;
    points and segments contain nothing."""
    count, smallest, least = len(polygon), np.inf, 0.0
    best_x, best_y = polygon[0, 0], polygon[0, 1]
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        ax, ay = polygon[i, 0], polygon[i, 1]
        dx, dy = polygon[j, 0] - ax, polygon[j, 1] - ay
        px, py = x - ax, y - ay
        least = min(least, dx * py - dy * px)
        square, share = dx * dx + dy * dy, 0.0
        if square > 0.0:
            share = min(max((px * dx + py * dy) / square, 0.0), 1.0)
        far_x, far_y = px - share * dx, py - share * dy
        if far_x * far_x + far_y * far_y < smallest:
            smallest = far_x * far_x + far_y * far_y
            best_x, best_y = ax + share * dx, ay + share * dy
    return best_x, best_y, count >= 3 and least >= 0.0


@routine
def closest(polygon: Array, x: float, y: float) -> tuple[float, float]:
    """The point of a polygon that is closest to a point: the point itself if it lies inside."""
    best_x, best_y, inside = closest_on_border(polygon, x, y)
    if inside:
        return x, y
    return best_x, best_y


@routine
def border_distances(polygon: Array, points: Array) -> Array:
    """Distances (k,) to the border, positive inside, negative outside."""
    result = np.empty(len(points))
    for k in range(len(points)):
        x, y, inside = closest_on_border(polygon, points[k, 0], points[k, 1])
        distance = np.hypot(x - points[k, 0], y - points[k, 1])
        result[k] = distance if inside else -distance
    return result


@routine
def clip(polygon: Array, count: int, x: float, y: float, dx: float, dy: float, result: Array) -> int:
    """Fill the part of a polygon (its first `count` corners) to the left of the line through (x, y) along (dx, dy), its
    number of corners; after Sutherland and Hodgman."""
    size = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        ax, ay, bx, by = polygon[i, 0], polygon[i, 1], polygon[j, 0], polygon[j, 1]
        s, e = dx * (ay - y) - dy * (ax - x), dx * (by - y) - dy * (bx - x)
        if s >= 0.0:
            result[size, 0], result[size, 1] = ax, ay
            size += 1
        if (s > 0.0 and e < 0.0) or (s < 0.0 and e > 0.0):
            share = s / (s - e)
            result[size, 0], result[size, 1] = ax + share * (bx - ax), ay + share * (by - ay)
            size += 1
    return size


@routine
def clipped_by(a: Array, b: Array, distance: float) -> Array:
    """The part of a polygon with area that lies at least `distance` inside another with area; (0, 2) if there is none
    with area."""
    count, size = len(b), len(a)
    one, other = np.empty((size + 2 * count, 2)), np.empty((size + 2 * count, 2))
    for i in range(size):
        one[i, 0], one[i, 1] = a[i, 0], a[i, 1]
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        dx, dy = b[j, 0] - b[i, 0], b[j, 1] - b[i, 1]
        shift = distance / np.hypot(dx, dy) if distance != 0.0 else 0.0
        size = clip(one, size, b[i, 0] - shift * dy, b[i, 1] + shift * dx, dx, dy, other)
        one, other = other, one
    if size < 3 or count < 3:
        return one[:0]
    found = hull(one[:size])
    return found if len(found) >= 3 else found[:0]


@routine
def overlap(a: Array, b: Array) -> Array:
    """Intersection of two polygons with area; (0, 2) if there is none with area."""
    return clipped_by(a, b, 0.0)


@routine
def shrunk(polygon: Array, distance: float) -> Array:
    """All points that are at least `distance` inside; (0, 2) if there are none with area."""
    return clipped_by(polygon, polygon, distance)


@routine
def connection(a: Array, b: Array) -> tuple[float, float, float, float]:
    """Ends, on a and on b, of the shortest connection (003c section 5.3.2).

    Of many equally short ones (parallel edges) the mean of the two extreme ones. Where the polygons overlap,
    both ends are the centre of the overlap.
    """
    common = overlap(a, b)
    if len(common) > 0:
        x, y = centroid(common)
        return x, y, x, y
    count = len(a) + len(b)
    ends, lengths, shortest = np.empty((count, 4)), np.empty(count), np.inf
    for k in range(count):
        if k < len(a):
            ends[k, 0], ends[k, 1] = a[k, 0], a[k, 1]
            ends[k, 2], ends[k, 3] = closest(b, a[k, 0], a[k, 1])
        else:
            ends[k, 2], ends[k, 3] = b[k - len(a), 0], b[k - len(a), 1]
            ends[k, 0], ends[k, 1] = closest(a, ends[k, 2], ends[k, 3])
        lengths[k] = np.hypot(ends[k, 2] - ends[k, 0], ends[k, 3] - ends[k, 1])
        shortest = min(shortest, lengths[k])
    widest, first, last = -1.0, 0, 0
    for i in range(count):
        for j in range(i, count):
            between = np.hypot(ends[j, 0] - ends[i, 0], ends[j, 1] - ends[i, 1])
            if max(lengths[i], lengths[j]) <= shortest + TIE and between > widest:
                widest, first, last = between, i, j
    return (
        0.5 * (ends[first, 0] + ends[last, 0]),
        0.5 * (ends[first, 1] + ends[last, 1]),
        0.5 * (ends[first, 2] + ends[last, 2]),
        0.5 * (ends[first, 3] + ends[last, 3]),
    )
