"""Penetration of convex cores: a polytope inside their Minkowski difference grows until its nearest face is final.

The nearest face of the Minkowski difference to the origin is the shortest way to part the cores.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import Vector3, routine
from footfall.contact.convex import support
from footfall.geometry.native_vectors import along, copy, cross, dot, minus

_CORNERS = 256
_FACES = 2048
_TOLERANCE = 1e-10  # of the size of the polytope; must be well above rounding


@routine
def penetration(
    points: Array,
    disc: Array,
    other_points: Array,
    other_disc: Array,
    corners: Array,
    on_one: Array,
    on_other: Array,
    count: int,
) -> tuple[float, Vector3, Vector3, Vector3]:
    """Distance (negative), normal and deepest points of overlapping cores.

    corners, on_one, on_other: a simplex of `count` corners in the Minkowski difference that holds the origin.
    """
    store = np.zeros((_CORNERS, 9))  # corner of the difference, on the first, on the second
    for k in range(count):
        copy(corners[k], store[k, :3])
        copy(on_one[k], store[k, 3:6])
        copy(on_other[k], store[k, 6:])
    count = _grow_to_tetrahedron(points, disc, other_points, other_disc, store, count)
    if count < 4:
        point: Vector3 = store[0, 3:6]
        return 0.0, _normal_of_flat(store, count), point, point
    faces = np.zeros((_FACES, 3), dtype=np.int64)
    planes = np.zeros((_FACES, 4))  # outward unit normal and distance
    used = _first_faces(store, faces, planes)
    scale = 0.0
    for k in range(4):
        scale = max(scale, _length(store[k]))
    edges = np.zeros((_FACES, 2), dtype=np.int64)
    depth: float = np.inf
    answer = np.zeros(4)
    face = faces[0].copy()
    while True:
        best = _nearest(planes, used)
        n = planes[best, :3]
        _difference(points, disc, other_points, other_disc, n, store, count)
        reach = dot(store[count], n)
        if reach < depth:  # moving so far along this normal parts them, whether the face is final or not
            depth = reach
            copy(planes[best], answer)
            copy(faces[best], face)
        if reach - planes[best, 3] <= _TOLERANCE * scale or count + 1 == _CORNERS:
            break
        added = _expand(store, faces, planes, edges, used, count, best, _TOLERANCE * scale)
        if added < 0:
            break
        used, count = added, count + 1
    return _answer(store, face, answer, depth)


@routine
def _difference(
    points: Array, disc: Array, other_points: Array, other_disc: Array, d: Array, store: Array, place: int
) -> None:
    """Write the support of the Minkowski difference along d."""
    a = support(points, disc, d[0], d[1], d[2])
    b = support(other_points, other_disc, -d[0], -d[1], -d[2])
    for k in range(3):
        store[place, k], store[place, 3 + k], store[place, 6 + k] = a[k] - b[k], a[k], b[k]


@routine
def _length(a: Array) -> float:
    return math.sqrt(dot(a, a))


@routine
def _scaled(a: Array, scale: float) -> Array:
    return np.array([scale * a[0], scale * a[1], scale * a[2]])


@routine
def _least(a: Vector3) -> int:
    """Which component is least in size."""
    x, y, z = abs(a[0]), abs(a[1]), abs(a[2])
    return 0 if x <= min(y, z) else 1 if y <= z else 2


@routine
def _directions(store: Array, count: int) -> Array:
    """Where to look for a corner that makes a simplex of one more dimension."""
    result = np.zeros((8, 3))
    if count == 1:
        for k in range(6):
            result[k, k % 3] = 1.0 if k < 3 else -1.0
        return result[:6]
    edge = minus(store[1], store[0])
    if count == 2:
        axis: Vector3 = np.zeros(3)
        axis[_least(edge)] = 1.0
        one = cross(edge, axis)
        one = _scaled(one, 1.0 / _length(one))
        two = _scaled(cross(edge, one), 1.0 / _length(edge))
        for k in range(8):
            angle = k * math.pi / 4
            copy(along(_scaled(one, math.cos(angle)), math.sin(angle), two), result[k])
        return result
    normal = cross(edge, minus(store[2], store[0]))
    copy(_scaled(normal, 1.0 / _length(normal)), result[0])
    copy(_scaled(normal, -1.0 / _length(normal)), result[1])
    return result[:2]


@routine
def _spans(store: Array, count: int) -> bool:
    """Whether the corner at `count` adds a dimension to those before."""
    new = minus(store[count], store[0])
    scale = max(_length(new), 1e-300)
    for k in range(1, count):
        scale = max(scale, _length(minus(store[k], store[0])))
    if count == 1:
        return scale > 1e-12
    edge = minus(store[1], store[0])
    if count == 2:
        return _length(cross(edge, new)) > 1e-10 * scale * _length(edge)
    normal = cross(edge, minus(store[2], store[0]))
    return abs(dot(normal, new)) > 1e-10 * scale * _length(normal)


@routine
def _grow_to_tetrahedron(
    points: Array, disc: Array, other_points: Array, other_disc: Array, store: Array, count: int
) -> int:
    for k in range(1, count):  # what comes from a nearly flat simplex starts again smaller
        if not _spans(store, k):
            count = k
            break
    while count < 4:
        grown = False
        directions = _directions(store, count)
        for k in range(len(directions)):
            _difference(points, disc, other_points, other_disc, directions[k], store, count)
            if _spans(store, count):
                count += 1
                grown = True
                break
        if not grown:
            return count
    return count


@routine
def _normal_of_flat(store: Array, count: int) -> Vector3:
    """A direction in which cores with a flat Minkowski difference do not overlap at all."""
    if count > 1:
        first: Vector3 = _directions(store, count)[0]
        return first
    return np.array([0.0, 0.0, 1.0])


@routine
def _plane(store: Array, face: Integers, plane: Array) -> None:
    """Plane of a face; one without area is never the nearest."""
    a = store[face[0]]
    one, other = minus(store[face[1]], a), minus(store[face[2]], a)
    normal = cross(one, other)
    length = _length(normal)
    if length <= 1e-14 * max(dot(one, one), dot(other, other)):
        plane[:3] = 0.0
        plane[3] = np.inf
        return
    for k in range(3):
        plane[k] = normal[k] / length
    plane[3] = dot(plane, a)


@routine
def _first_faces(store: Array, faces: Integers, planes: Array) -> int:
    base = cross(minus(store[1], store[0]), minus(store[2], store[0]))
    swap = dot(base, minus(store[3], store[0])) > 0.0
    for k in range(4):
        # Faces 012, 031, 023 and 132, outwards for one handedness of the corners.
        a, b, c = (0, 1, 2) if k == 0 else (0, 3, 1) if k == 1 else (0, 2, 3) if k == 2 else (1, 3, 2)
        faces[k, 0], faces[k, 1], faces[k, 2] = a, c if swap else b, b if swap else c
        _plane(store, faces[k], planes[k])
    return 4


@routine
def _nearest(planes: Array, used: int) -> int:
    best = 0
    for k in range(1, used):
        if planes[k, 3] < planes[best, 3]:
            best = k
    return best


@routine
def _share_edge(faces: Integers, one: int, other: int) -> bool:
    """Whether two faces of a closed polytope are neighbours."""
    for e in range(3):
        start, end = faces[one, e], faces[one, (e + 1) % 3]
        for f in range(3):
            if faces[other, f] == end and faces[other, (f + 1) % 3] == start:
                return True
    return False


@routine
def _mark_seen(
    store: Array, faces: Integers, planes: Array, used: int, corner: int, nearest: int, slack: float
) -> Any:
    """Which faces go: the nearest one, and from neighbour to neighbour those below the corner or without area.

    Only neighbours, so that their rim is one loop whatever rounding says about faces in one plane.
    """
    seen = np.zeros(used, dtype=np.bool_)
    waiting = np.zeros(used, dtype=np.bool_)
    for k in range(used):
        below = planes[k, 3] < np.inf and dot(planes[k], store[corner]) - planes[k, 3] > slack
        waiting[k] = below or planes[k, 3] == np.inf
    queue = np.zeros(used, dtype=np.int64)
    queue[0], filled, done = nearest, 1, 0
    seen[nearest], waiting[nearest] = True, False
    while done < filled:
        for k in range(used):
            if waiting[k] and _share_edge(faces, k, queue[done]):
                seen[k], waiting[k] = True, False
                queue[filled] = k
                filled += 1
        done += 1
    return seen


@routine
def _expand(
    store: Array,
    faces: Integers,
    planes: Array,
    edges: Integers,
    used: int,
    corner: int,
    nearest: int,
    slack: float,
) -> int:
    """Replace the faces that the new corner sees; gives the number of faces, negative if there is no room."""
    seen = _mark_seen(store, faces, planes, used, corner, nearest, slack)
    rim, kept = 0, 0
    for k in range(used):
        if not seen[k]:
            continue
        for e in range(3):
            start, end = faces[k, e], faces[k, (e + 1) % 3]
            shared = -1
            for r in range(rim):
                if edges[r, 0] == end and edges[r, 1] == start:
                    shared = r
                    break
            if shared >= 0:
                rim -= 1
                copy(edges[rim], edges[shared])
            else:
                edges[rim, 0], edges[rim, 1] = start, end
                rim += 1
    for k in range(used):
        if not seen[k]:
            kept += 1
    if kept + rim > _FACES or rim == 0:
        return -1
    kept = 0
    for k in range(used):
        if not seen[k]:
            copy(faces[k], faces[kept])
            copy(planes[k], planes[kept])
            kept += 1
    for r in range(rim):
        faces[kept, 0], faces[kept, 1], faces[kept, 2] = edges[r, 0], edges[r, 1], corner
        _plane(store, faces[kept], planes[kept])
        kept += 1
    return kept


@routine
def _answer(
    store: Array, face: Integers, plane: Array, depth: float
) -> tuple[float, Vector3, Vector3, Vector3]:
    """Deepest points from the weights of the origin's projection onto the face."""
    a, b, c = store[face[0]], store[face[1]], store[face[2]]
    foot = _scaled(plane, plane[3])
    ab, ac, ap = minus(b, a), minus(c, a), minus(foot, a)
    d00, d01, d11 = dot(ab, ab), dot(ab, ac), dot(ac, ac)
    d20, d21 = dot(ap, ab), dot(ap, ac)
    denominator = d00 * d11 - d01 * d01
    v = (d11 * d20 - d01 * d21) / denominator
    w = (d00 * d21 - d01 * d20) / denominator
    first: Vector3 = np.empty(3)
    second: Vector3 = np.empty(3)
    for k in range(3):
        one = (1.0 - v - w) * a[3 + k] + v * b[3 + k] + w * c[3 + k]
        other = (1.0 - v - w) * a[6 + k] + v * b[6 + k] + w * c[6 + k]
        # On a curved shape the face is a chord: both points move out to where the depth is.
        first[k] = (one + other + depth * plane[k]) / 2
        second[k] = (one + other - depth * plane[k]) / 2
    # The first has to move against the outward normal of (first - second) to be free.
    return -depth, _scaled(plane, -1.0), first, second
