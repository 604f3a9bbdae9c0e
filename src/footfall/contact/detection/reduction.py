"""The points of a patch that matter: those that span it, and the deepest."""

from __future__ import annotations

import math

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, routine
from footfall.contact.detection.shapes import ManifoldPoint

FEW, MANY = 4, 8  # points that are kept in any case; at most, besides the deepest
SEVERAL = 12  # points with different normals that are kept in any case
_SAME_NORMAL = 1e-9  # one minus the cosine
_DIRECTIONS = np.array(
    [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-1.0, 1.0], [-1.0, 0.0], [-1.0, -1.0], [0.0, -1.0], [1.0, -1.0]]
)
_AS_DEEP = 1e-9  # m: points that are less above the deepest are as deep
_LOST = 0.01  # of a patch's area: what a point may take away with it
_BELOW = 1e-7  # m: by so much a point must lie below those that span a patch to be one of a curved surface
_LOW = 6  # such points, at most


@routine
def chosen(manifold: ArrayOf[ManifoldPoint], ahead: Array, count: int) -> int:
    """Keep of many points those that span their patch, and the deepest, in their order; how many there are then.

    Of more than eight the outermost in eight directions stay, as a long patch sees them. Then, around the patch, the
    point that takes the least area with it goes, as long as that is little; the ends of a line stay. Of a curved
    surface those stay, too, that are lowest soon: ahead (count,): gaps at the end of the step if nothing stops the
    bodies, m. Points with different normals do not stand for each other: of them only very many are chosen from.
    """
    if count <= FEW:
        return count
    flat = _share_normal(manifold, count)
    if not flat and count <= SEVERAL:
        return count
    place = np.empty((count, 2))
    deepest = _flattened(manifold, count, place)
    kept = np.zeros(count, dtype=np.bool_)
    ring = _around(place, _outermost(place, deepest) if count > MANY else np.arange(count))
    left = _thinned(manifold, place, ring, manifold[deepest].gap + _AS_DEEP) if flat else len(ring)
    for k in range(left):
        kept[ring[k]] = True
    if count > left:
        _keep_low(manifold, ahead, place, ring[:left], deepest, flat, kept)
    number = 0
    for k in range(count):
        if kept[k]:
            manifold[number] = manifold[k]
            number += 1
    return number


@routine
def _share_normal(manifold: ArrayOf[ManifoldPoint], count: int) -> bool:
    same = True
    for k in range(1, count):
        same = same and bool(1.0 - manifold[k].normal @ manifold[0].normal < _SAME_NORMAL)
    return same


@routine
def _thinned(manifold: ArrayOf[ManifoldPoint], place: Array, ring: Integers, low: float) -> int:
    """Leave out points around a patch that add little area; how many are left, the first of the ring then. low: gap of
    those that count as deepest, of which one stays, m."""
    along = _direction(place)
    first, last = ring[0], ring[0]
    for k in ring:
        way = along[0] * place[k, 0] + along[1] * place[k, 1]
        first = k if way < along[0] * place[first, 0] + along[1] * place[first, 1] else first
        last = k if way > along[0] * place[last, 0] + along[1] * place[last, 1] else last
    left = len(ring)
    while left > FEW:
        least, at, total, deep = np.inf, -1, 0.0, 0
        for k in range(left):
            deep += int(manifold[ring[k]].gap <= low)
        for k in range(left):
            before, here, after = ring[k - 1 if k else left - 1], ring[k], ring[k + 1 if k + 1 < left else 0]
            total += place[here, 0] * place[after, 1] - place[here, 1] * place[after, 0]
            area = (place[here, 0] - place[before, 0]) * (place[after, 1] - place[here, 1])
            area -= (place[here, 1] - place[before, 1]) * (place[after, 0] - place[here, 0])
            may_go = here not in (first, last) and (deep > 1 or manifold[here].gap > low)
            if area < least and may_go:
                least, at = area, k
        if at < 0 or least > _LOST * total:
            break
        left -= 1
        for k in range(at, left):
            ring[k] = ring[k + 1]
    return left


@routine
def _direction(place: Array) -> tuple[float, float]:
    """Cosine and sine of the direction in which points (n, 2) about their middle extend most."""
    xx, xy, yy = 0.0, 0.0, 0.0
    for k in range(len(place)):
        xx += place[k, 0] * place[k, 0]
        xy += place[k, 0] * place[k, 1]
        yy += place[k, 1] * place[k, 1]
    angle = 0.5 * math.atan2(2.0 * xy, xx - yy)
    return math.cos(angle), math.sin(angle)


@routine
def _keep_low(
    manifold: ArrayOf[ManifoldPoint],
    ahead: Array,
    place: Array,
    ring: Integers,
    deepest: int,
    flat: bool,
    kept: Flags,
) -> None:
    """Keep those that are lowest soon; of a flat patch only those below the triangles from the deepest to its ring.

    On a flat face there are none. A sole that is bent a little rolls over its corners, and one that was left out would
    sink in before the next step knows it.
    """
    below = np.zeros(len(kept), dtype=np.bool_)
    for k in range(len(kept)):
        if not kept[k]:
            below[k] = not flat or manifold[k].gap < _spanned(manifold, place, ring, deepest, k) - _BELOW
    for _ in range(_LOW):
        lowest = -1
        for k in range(len(kept)):
            if below[k] and (lowest < 0 or ahead[k] < ahead[lowest]):
                lowest = k
        if lowest < 0:
            break
        below[lowest], kept[lowest] = False, True


@routine
def _spanned(manifold: ArrayOf[ManifoldPoint], place: Array, ring: Integers, deepest: int, k: int) -> float:
    """Gap of the triangles from the deepest point to its ring at another point, m: of the plane of the one in whose
    corner at the deepest point it lies, or beside all of them of the nearest one; minus infinity if all is a line."""
    x, y = place[k, 0] - place[deepest, 0], place[k, 1] - place[deepest, 1]
    low, gap, nearest = manifold[deepest].gap, -np.inf, -np.inf
    for number in range(len(ring)):
        one, other = ring[number], ring[number + 1 if number + 1 < len(ring) else 0]
        ax, ay = place[one, 0] - place[deepest, 0], place[one, 1] - place[deepest, 1]
        bx, by = place[other, 0] - place[deepest, 0], place[other, 1] - place[deepest, 1]
        area = ax * by - ay * bx
        if area > 0.0:
            a, b = (x * by - y * bx) / area, (ax * y - ay * x) / area
            if min(a, b) > nearest:
                nearest, gap = (
                    min(a, b),
                    low + a * (manifold[one].gap - low) + b * (manifold[other].gap - low),
                )
                if nearest >= 0.0:
                    break
    return gap


@routine
def _flattened(manifold: ArrayOf[ManifoldPoint], count: int, place: Array) -> int:
    """Places (count, 2) of points in the plane across the first one's normal, about their middle; the deepest."""
    normal = manifold[0].normal
    x, y, z = np.abs(normal)
    across = np.array([float(x <= y and x <= z), float(y < x and y <= z), float(z < x and z < y)])
    across = np.cross(normal, across)
    across = across / math.sqrt(across @ across)
    beside = np.cross(normal, across)
    middle = np.zeros(2)
    deepest = 0
    for k in range(count):
        place[k, 0], place[k, 1] = manifold[k].position @ across, manifold[k].position @ beside
        middle[0] += place[k, 0] / count
        middle[1] += place[k, 1] / count
        if manifold[k].gap < manifold[deepest].gap:
            deepest = k
    for k in range(count):
        place[k, 0] -= middle[0]
        place[k, 1] -= middle[1]
    return deepest


@routine
def _outermost(place: Array, deepest: int) -> Integers:
    """The points that reach farthest in eight directions, seen along and across the patch in units of its extent."""
    c, s = _direction(place)
    long, wide = 1e-300, 1e-300
    for k in range(len(place)):
        long = max(long, abs(c * place[k, 0] + s * place[k, 1]))
        wide = max(wide, abs(c * place[k, 1] - s * place[k, 0]))
    taken = np.zeros(len(place), dtype=np.bool_)
    taken[deepest] = True
    for number in range(len(_DIRECTIONS)):
        x, y = _DIRECTIONS[number, 0] / long, _DIRECTIONS[number, 1] / wide
        best, farthest = 0, -np.inf
        for k in range(len(place)):
            value = x * (c * place[k, 0] + s * place[k, 1]) + y * (c * place[k, 1] - s * place[k, 0])
            if value > farthest:
                best, farthest = k, value
        taken[best] = True
    found, count = np.empty(len(place), dtype=np.int64), 0
    for k in range(len(place)):
        if taken[k]:
            found[count] = k
            count += 1
    return found[:count]


@routine
def _around(place: Array, points: Integers) -> Integers:
    """Points by the direction in which they lie from the middle."""
    angles = np.empty(len(points))
    order = np.empty(len(points), dtype=np.int64)
    for k in range(len(points)):
        x, y = place[points[k], 0], place[points[k], 1]
        size = abs(x) + abs(y)
        slope = y / size if size > 0.0 else 0.0
        angle = slope if x >= 0.0 else 2.0 - slope  # grows with the angle: -1 to 3
        j = k
        while j > 0 and angles[j - 1] > angle:
            angles[j] = angles[j - 1]
            order[j] = order[j - 1]
            j -= 1
        angles[j] = angle
        order[j] = points[k]
    return order
