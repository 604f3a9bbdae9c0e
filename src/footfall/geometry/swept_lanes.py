"""Closest points of eight pairs of cores side by side, in vector registers.

All ways that the closest points can lie are tried, without a branch. Two cores are shown to be apart by the planes
through the points across their difference: if no corner lies beyond, the points are the closest ones, whatever led to
them. Pairs for which that fails, since they cross or almost touch, are left to `swept_cores`, one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, EightInts, Lanes, LanesOfVector3, Vector3, lanes_at, routine
from footfall.geometry.swept_features import NO_DIRECTION

WIDTH = 8  # pairs side by side
ROWS = 5  # vectors that an `Element` is: three numbers, its middle, three corners
FIRST_CORNER = 2  # the first of those that is a corner
_POINT = 1e-60  # m2, square of a length that is none
_PARALLEL = 1e-24  # square of the sine of an angle that is rounding
_SLIVER = 1e-20  # square of height over length of a triangle that counts as its edges
# m that a corner may lie beyond the planes between two cores; distances are right to twice of it
_RANGE_SLACK = 1e-13
_SAFE = 1e-5  # m; closer than this planes between two cores are not known well


class EightElements(NamedTuple):
    """Eight elements among vectors, `ROWS` for each; places: where they begin."""

    vectors: ArrayOf[Vector3]
    places: EightInts

    @property
    def size(self) -> Lanes:
        """How many corners they have."""
        size: Lanes = lanes_at(self.vectors, self.places)[0]
        return size

    @property
    def radius(self) -> Lanes:
        """In m."""
        radius: Lanes = lanes_at(self.vectors, self.places)[1]
        return radius

    @property
    def middle(self) -> LanesOfVector3:
        """The middles of their cores."""
        middle: LanesOfVector3 = lanes_at(self.vectors, self.places + 1)
        return middle

    def corner(self, k: int) -> LanesOfVector3:
        """The corners with this number."""
        corner: LanesOfVector3 = lanes_at(self.vectors, self.places + (FIRST_CORNER + k))
        return corner


class LaneClosest(NamedTuple):
    """Squares of eight distances, m2, and the closest points on both."""

    square: Lanes
    first: LanesOfVector3
    second: LanesOfVector3


class LaneFace(NamedTuple):
    """A triangle in each lane: a corner, the edges from there, their cross product and one over its square.

    flat: minus one where it is a sliver, which counts as its edges; else zero.
    """

    corner: LanesOfVector3
    u: LanesOfVector3
    v: LanesOfVector3
    normal: LanesOfVector3
    inverse: Lanes
    flat: Lanes


@routine(fused=True)
def _clamped(x: Lanes) -> Lanes:
    return np.minimum(np.maximum(x, 0.0), 1.0)


@routine(fused=True)
def _between(first: LanesOfVector3, second: LanesOfVector3) -> LaneClosest:
    apart = second - first
    return LaneClosest(apart @ apart, first, second)


@routine(fused=True)
def _nearer(best: LaneClosest, found: LaneClosest) -> LaneClosest:
    closer = found.square < best.square
    return LaneClosest(
        np.where(closer, found.square, best.square),
        np.where(closer, found.first, best.first),
        np.where(closer, found.second, best.second),
    )


@routine(fused=True)
def point_to_line(point: LanesOfVector3, a: LanesOfVector3, b: LanesOfVector3) -> LaneClosest:
    """Schwienbacher 2014, section 6.3.1."""
    u = b - a
    s = _clamped((point - a) @ u / np.maximum(u @ u, _POINT))
    return _between(point, a + s * u)


@routine(fused=True)
def line_to_line(a: LanesOfVector3, b: LanesOfVector3, c: LanesOfVector3, d: LanesOfVector3) -> LaneClosest:
    """Schwienbacher 2014, algorithm B.3, with cross products; parallel lines meet in the middle of their overlap."""
    u, v, w = b - a, d - c, c - a
    uu, vv, uv, uw, vw = np.maximum(u @ u, _POINT), np.maximum(v @ v, _POINT), u @ v, u @ w, v @ w
    across = np.cross(u, v)
    square, both = across @ across, uu * vv
    sure = np.maximum(square, _PARALLEL * both)
    by_all = 1.0 / (both * sure)  # one division serves three
    by_u, by_v = by_all * sure * vv, by_all * sure * uu
    s = _clamped(np.cross(w, v) @ across * (by_all * both))  # (6.31)
    if np.any(square < sure):
        start, end = uw * by_u, (uw + uv) * by_u
        middle = (np.maximum(np.minimum(start, end), 0.0) + np.minimum(np.maximum(start, end), 1.0)) * 0.5
        s = np.where(square < sure, _clamped(middle), s)
    wanted = (s * uv - vw) * by_v
    t = _clamped(wanted)
    s = np.where(wanted == t, s, _clamped((uw + t * uv) * by_u))
    return _between(a + s * u, c + t * v)


@routine(fused=True)
def face(a: LanesOfVector3, b: LanesOfVector3, c: LanesOfVector3) -> LaneFace:
    """What the distances of points from triangles share."""
    u, v = b - a, c - a
    normal = np.cross(u, v)
    square = normal @ normal
    longest = np.maximum(np.maximum(u @ u, v @ v), (v - u) @ (v - u))
    flat = square <= _SLIVER * longest * longest
    return LaneFace(a, u, v, normal, 1.0 / np.where(flat, 1.0, square), np.where(flat, -1.0, 0.0))


@routine(fused=True)
def point_over_face(point: LanesOfVector3, triangle: LaneFace) -> LaneClosest:
    """The foot of a point on a triangle; infinitely far where it lies beside it."""
    w = point - triangle.corner
    s = np.cross(w, triangle.v) @ triangle.normal * triangle.inverse + triangle.flat
    t = np.cross(triangle.u, w) @ triangle.normal * triangle.inverse + triangle.flat
    found = _between(point, triangle.corner + s * triangle.u + t * triangle.v)
    beside = np.minimum(np.minimum(s, t), 1.0 - s - t) < 0.0
    return LaneClosest(np.where(beside, np.inf, found.square), found.first, found.second)


@routine(fused=True)
def turned_round(found: LaneClosest) -> LaneClosest:
    """The same points of the same elements, in the other order."""
    return LaneClosest(found.square, found.second, found.first)


@routine(fused=True)
def _farthest(corner: LanesOfVector3, point: LanesOfVector3, way: LanesOfVector3) -> Lanes:
    return (corner - point) @ way


@routine(fused=True)
def points_to_points(one: EightElements, other: EightElements) -> LaneClosest:
    """Eight points against eight points."""
    return _between(one.corner(0), other.corner(0))


@routine(fused=True)
def points_to_lines(one: EightElements, other: EightElements) -> LaneClosest:
    """Eight points against eight lines."""
    return point_to_line(one.corner(0), other.corner(0), other.corner(1))


@routine(fused=True)
def lines_to_lines(one: EightElements, other: EightElements) -> LaneClosest:
    """Eight lines against eight lines."""
    return line_to_line(one.corner(0), one.corner(1), other.corner(0), other.corner(1))


@routine(fused=True)
def points_to_triangles(one: EightElements, other: EightElements) -> LaneClosest:
    """Eight points against eight triangles."""
    point, a, b, c = one.corner(0), other.corner(0), other.corner(1), other.corner(2)
    best = _nearer(point_over_face(point, face(a, b, c)), point_to_line(point, a, b))
    best = _nearer(best, point_to_line(point, b, c))
    return _nearer(best, point_to_line(point, c, a))


@routine(fused=True)
def lines_to_triangles(one: EightElements, other: EightElements) -> LaneClosest:
    """Eight lines against eight triangles; the square is -1 where nothing shows that they are apart."""
    start, end = one.corner(0), one.corner(1)
    a, b, c = other.corner(0), other.corner(1), other.corner(2)
    triangle = face(a, b, c)
    best = _nearer(point_over_face(start, triangle), point_over_face(end, triangle))
    best = _nearer(best, line_to_line(start, end, a, b))
    best = _nearer(best, line_to_line(start, end, b, c))
    best = _nearer(best, line_to_line(start, end, c, a))
    way = best.second - best.first
    beyond = np.maximum(_farthest(start, best.first, way), _farthest(end, best.first, way))
    for corner in (a, b, c):
        beyond = np.maximum(beyond, -_farthest(corner, best.second, way))
    return _shown(best, beyond)


@routine(fused=True)
def triangles_to_triangles(one: EightElements, other: EightElements) -> LaneClosest:
    """Eight triangles against eight; the square is -1 where nothing shows that they are apart."""
    a, b, c = one.corner(0), one.corner(1), one.corner(2)
    d, e, f = other.corner(0), other.corner(1), other.corner(2)
    face_one, face_other = face(a, b, c), face(d, e, f)
    best = point_over_face(a, face_other)
    for corner in (b, c):
        best = _nearer(best, point_over_face(corner, face_other))
    for corner in (d, e, f):
        best = _nearer(best, turned_round(point_over_face(corner, face_one)))
    for start, end in ((a, b), (b, c), (c, a)):
        for second_start, second_end in ((d, e), (e, f), (f, d)):
            best = _nearer(best, line_to_line(start, end, second_start, second_end))
    way = best.second - best.first
    beyond = _farthest(a, best.first, way)
    for corner in (b, c):
        beyond = np.maximum(beyond, _farthest(corner, best.first, way))
    for corner in (d, e, f):
        beyond = np.maximum(beyond, -_farthest(corner, best.second, way))
    return _shown(best, beyond)


@routine(fused=True)
def closest_in_lanes(kind: int, one: EightElements, other: EightElements) -> LaneClosest:
    """The closest points of eight pairs of a kind, see `pair_kind`; the first have no more corners than the others.

    The square is not above that of NO_DIRECTION where the pair has to be measured by itself.
    """
    if kind == 0:
        return points_to_points(one, other)
    if kind == 1:
        return points_to_lines(one, other)
    if kind == 2:
        return lines_to_lines(one, other)
    if kind == 3:
        return points_to_triangles(one, other)
    if kind == 4:
        return lines_to_triangles(one, other)
    return triangles_to_triangles(one, other)


@routine
def pair_kind(small: int, large: int) -> int:
    """Number of a kind of pair (PP, PL, LL, PT, LT, TT) by how many corners its elements have."""
    return large * (large - 1) // 2 + small - 1


@routine(fused=True)
def _shown(best: LaneClosest, beyond: Lanes) -> LaneClosest:
    """The points where they are the closest ones; a square of -1 where a corner lies beyond them."""
    far = best.square > _SAFE * _SAFE
    apart = np.where(far, beyond, np.inf) <= _RANGE_SLACK * np.sqrt(best.square)
    return LaneClosest(np.where(apart, best.square, -1.0), best.first, best.second)


class LaneDistance(NamedTuple):
    """Distances of eight pairs of cores, m, the unit vectors from the first to the second, and the points on both.

    The distance is -1 where a pair has to be measured by itself.
    """

    distance: Lanes
    normal: LanesOfVector3
    first: LanesOfVector3
    second: LanesOfVector3


@routine(fused=True)
def distance_of(found: LaneClosest) -> LaneDistance:
    """What closest points say."""
    known = found.square > NO_DIRECTION * NO_DIRECTION
    distance = np.sqrt(np.where(known, found.square, 1.0))
    normal = (1.0 / distance) * (found.second - found.first)
    return LaneDistance(np.where(known, distance, -1.0), normal, found.first, found.second)
