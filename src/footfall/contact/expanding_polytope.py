"""Penetration of convex cores: a polytope inside their Minkowski difference grows until its nearest face is final.

The nearest face of the Minkowski difference to the origin is the shortest way to part the cores.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Flags, Integers
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.contact.convex import Core, Corner, corner_along
from footfall.contact.detection.expanding_polytope import toggle_edge

_CORNERS = 256
_FACES = 2048
_TOLERANCE = 1e-10  # of the size of the polytope; must be well above rounding


class Meeting(NamedTuple):
    """distance: m, negative for overlapping cores. normal: unit, from the second core to the first. on_first,
    on_second: the closest or deepest points, m."""

    distance: float
    normal: Vector3
    on_first: Vector3
    on_second: Vector3


class Face(NamedTuple):
    """A triangle of the polytope: numbers of its corners, unit normal outwards, distance from the origin along it;
    infinite for one without area, so that it is never the nearest."""

    a: int
    b: int
    c: int
    normal: Vector3
    distance: float


@routine
def penetration(one: Core, other: Core, simplex: ArrayOf[Corner], count: int) -> Meeting:
    """Deepest points of overlapping cores; simplex: of `count` corners in their difference, which holds the origin."""
    corners = new_records(Corner, _CORNERS)
    for k in range(count):
        corners[k] = simplex[k]
    count = _grow_to_tetrahedron(one, other, corners, count)
    if count < 4:
        point = corners[0].on_one
        return Meeting(0.0, _normal_of_flat(corners, count), point, point)
    faces = new_records(Face, _FACES)
    used = _first_faces(corners, faces)
    scale = 0.0
    for k in range(4):
        scale = max(scale, _length(corners[k].difference))
    slack = _TOLERANCE * scale
    rim = np.zeros((_FACES, 2), dtype=np.int64)
    depth: float = np.inf
    answer = faces[0]
    while True:
        best = _nearest(faces, used)
        face = faces[best]
        corners[count] = corner_along(one, other, face.normal)
        reach = float(corners[count].difference @ face.normal)
        if reach < depth:  # moving so far along this normal parts them, whether the face is final or not
            depth, answer = reach, face
        if reach - face.distance <= slack or count + 1 == _CORNERS:
            break
        seen = _mark_seen(corners[count].difference, faces, used, best, slack)
        added = _exchange(corners, faces, used, seen, count, rim)
        if added < 0:
            break
        used, count = added, count + 1
    return _meeting(corners, answer, depth)


@routine
def _length(a: Vector3) -> float:
    return math.sqrt(a @ a)


@routine
def _least_axis(a: Vector3) -> Vector3:
    """The axis along which a vector has its least component."""
    x, y, z = abs(a[0]), abs(a[1]), abs(a[2])
    first, second = x <= min(y, z), y <= z
    if first:
        return np.array([1.0, 0.0, 0.0])
    return np.array([0.0, 1.0, 0.0]) if second else np.array([0.0, 0.0, 1.0])


@routine
def _directions(corners: ArrayOf[Corner], count: int, found: ArrayOf[Vector3]) -> int:
    """Where to look for a corner that makes a simplex of one more dimension; how many directions there are."""
    if count == 1:
        for k in range(3):
            axis = np.array([float(k == 0), float(k == 1), float(k == 2)])
            found[k], found[3 + k] = axis, -axis
        return 6
    edge = corners[1].difference - corners[0].difference
    if count == 2:
        one = np.cross(edge, _least_axis(edge))
        one = one / _length(one)
        two = np.cross(edge, one) / _length(edge)
        for k in range(8):
            angle = k * math.pi / 4
            found[k] = math.cos(angle) * one + math.sin(angle) * two
        return 8
    normal = np.cross(edge, corners[2].difference - corners[0].difference)
    normal = normal / _length(normal)
    found[0], found[1] = normal, -normal
    return 2


@routine
def _spans(corners: ArrayOf[Corner], count: int) -> bool:
    """Whether the corner at `count` adds a dimension to those before."""
    start = corners[0].difference
    new = corners[count].difference - start
    scale = max(_length(new), 1e-300)
    for k in range(1, count):
        scale = max(scale, _length(corners[k].difference - start))
    if count == 1:
        return scale > 1e-12
    edge = corners[1].difference - start
    if count == 2:
        return _length(np.cross(edge, new)) > 1e-10 * scale * _length(edge)
    normal = np.cross(edge, corners[2].difference - start)
    height = abs(float(normal @ new))
    return height > 1e-10 * scale * _length(normal)


@routine
def _grow_to_tetrahedron(one: Core, other: Core, corners: ArrayOf[Corner], count: int) -> int:
    """Add corners until there are four that span a volume; fewer if the difference is flat."""
    for k in range(1, count):  # what comes from a nearly flat simplex starts again smaller
        if not _spans(corners, k):
            count = k
            break
    directions: ArrayOf[Vector3] = np.empty((8, 3))
    while count < 4:
        grown = False
        for k in range(_directions(corners, count, directions)):
            corners[count] = corner_along(one, other, directions[k])
            if _spans(corners, count):
                count += 1
                grown = True
                break
        if not grown:
            return count
    return count


@routine
def _normal_of_flat(corners: ArrayOf[Corner], count: int) -> Vector3:
    """A direction in which cores with a flat Minkowski difference do not overlap at all."""
    normal: Vector3 = np.array([0.0, 0.0, 1.0])
    if count > 1:
        directions: ArrayOf[Vector3] = np.empty((8, 3))
        _directions(corners, count, directions)
        normal = directions[0]
    return normal


@routine
def _face(corners: ArrayOf[Corner], a: int, b: int, c: int) -> Face:
    start = corners[a].difference
    one, other = corners[b].difference - start, corners[c].difference - start
    normal = np.cross(one, other)
    length = _length(normal)
    if length <= 1e-14 * max(one @ one, other @ other):
        return Face(a, b, c, np.zeros(3), np.inf)
    normal = normal / length
    return Face(a, b, c, normal, float(normal @ start))


@routine
def _first_faces(corners: ArrayOf[Corner], faces: ArrayOf[Face]) -> int:
    """Those of a tetrahedron, outwards whichever way its corners go round."""
    start = corners[0].difference
    base = np.cross(corners[1].difference - start, corners[2].difference - start)
    b, c = (2, 1) if base @ (corners[3].difference - start) > 0.0 else (1, 2)
    faces[0] = _face(corners, 0, b, c)
    faces[1] = _face(corners, 0, 3, b)
    faces[2] = _face(corners, 0, c, 3)
    faces[3] = _face(corners, b, 3, c)
    return 4


@routine
def _nearest(faces: ArrayOf[Face], used: int) -> int:
    best = 0
    for k in range(1, used):
        if faces[k].distance < faces[best].distance:
            best = k
    return best


@routine
def _share_edge(one: Face, other: Face) -> bool:
    """Whether two faces of a closed polytope are neighbours: they go along an edge in opposite ways."""
    return _has_edge(other, one.b, one.a) or _has_edge(other, one.c, one.b) or _has_edge(other, one.a, one.c)


@routine
def _has_edge(face: Face, tail: int, head: int) -> bool:
    return (
        (face.a == tail and face.b == head)
        or (face.b == tail and face.c == head)
        or (face.c == tail and face.a == head)
    )


@routine
def _mark_seen(corner: Vector3, faces: ArrayOf[Face], used: int, nearest: int, slack: float) -> Flags:
    """Which faces go: the nearest one, and from neighbour to neighbour those below the corner or without area.

    Only neighbours, so that their rim is one loop whatever rounding says about faces in one plane.
    """
    seen = np.zeros(used, dtype=np.bool_)
    waiting = np.zeros(used, dtype=np.bool_)
    for k in range(used):
        face = faces[k]
        waiting[k] = face.distance == np.inf or face.normal @ corner - face.distance > slack
    queue = np.zeros(used, dtype=np.int64)
    queue[0], filled, done = nearest, 1, 0
    seen[nearest], waiting[nearest] = True, False
    while done < filled:
        for k in range(used):
            if waiting[k] and _share_edge(faces[k], faces[queue[done]]):
                seen[k], waiting[k] = True, False
                queue[filled] = k
                filled += 1
        done += 1
    return seen


@routine
def _exchange(
    corners: ArrayOf[Corner], faces: ArrayOf[Face], used: int, seen: Flags, corner: int, rim: Integers
) -> int:
    """Replace the faces that are seen by those between their rim and a corner; gives the number of faces, negative if
    there is no room."""
    edges, kept = 0, 0
    for k in range(used):
        if seen[k]:
            face = faces[k]
            edges = toggle_edge(rim, edges, face.a, face.b)
            edges = toggle_edge(rim, edges, face.b, face.c)
            edges = toggle_edge(rim, edges, face.c, face.a)
        else:
            kept += 1
    if kept + edges > _FACES or edges == 0:
        return -1
    kept = 0
    for k in range(used):
        if not seen[k]:
            faces[kept] = faces[k]
            kept += 1
    for k in range(edges):
        faces[kept] = _face(corners, rim[k, 0], rim[k, 1], corner)
        kept += 1
    return kept


@routine
def _meeting(corners: ArrayOf[Corner], face: Face, depth: float) -> Meeting:
    """Deepest points from the weights of the origin's projection onto the face."""
    a, b, c = corners[face.a], corners[face.b], corners[face.c]
    foot = face.distance * face.normal
    ab, ac, ap = b.difference - a.difference, c.difference - a.difference, foot - a.difference
    square_b, mixed, square_c = ab @ ab, ab @ ac, ac @ ac
    along_b, along_c = ap @ ab, ap @ ac
    denominator = square_b * square_c - mixed * mixed
    v = (square_c * along_b - mixed * along_c) / denominator
    w = (square_b * along_c - mixed * along_b) / denominator
    u = 1.0 - v - w
    middle = u * (a.on_one + a.on_other) + v * (b.on_one + b.on_other) + w * (c.on_one + c.on_other)
    # On a curved shape the face is a chord: both points move out to where the depth is.
    first, second = (middle + depth * face.normal) / 2, (middle - depth * face.normal) / 2
    # The first has to move against the outward normal of (first - second) to be free.
    return Meeting(-depth, -face.normal, first, second)
