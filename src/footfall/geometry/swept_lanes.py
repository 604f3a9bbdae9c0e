"""Closest points of eight pairs of cores side by side, in vector registers.

All ways that the closest points can lie are tried, without a branch. Two cores are shown to be apart by the planes
through the points across their difference: if no corner lies beyond, the points are the closest ones, whatever led to
them. Pairs for which that fails, since they cross or almost touch, are left to `swept_cores`, one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, LanesOfVector3, routine
from footfall.geometry.swept_features import NEAR

WIDTH = 8  # pairs side by side
_PARALLEL = 1e-24  # square of the sine of an angle that is rounding
_SLIVER = 1e-20  # square of height over length of a triangle that counts as its edges
_BEYOND = (
    1e-13  # m that a corner may lie beyond the planes between two cores; distances are right to twice of it
)
_SURE = 1e-5  # m; closer than this planes between two cores are not known well


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
def corner_lanes(block: Array, corner: int) -> LanesOfVector3:
    """A corner of eight cores; block: three rows for each corner, (9 or 18, 8)."""
    x: Lanes = block[3 * corner]
    y: Lanes = block[3 * corner + 1]
    z: Lanes = block[3 * corner + 2]
    return np.array([x, y, z])


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
    square = u @ u
    s = _clamped((point - a) @ u / np.where(square > 0.0, square, 1.0))
    return _between(point, a + s * u)


@routine(fused=True)
def line_to_line(a: LanesOfVector3, b: LanesOfVector3, c: LanesOfVector3, d: LanesOfVector3) -> LaneClosest:
    """Schwienbacher 2014, algorithm B.3, with cross products; parallel lines meet in the middle of their overlap."""
    u, v, w = b - a, d - c, c - a
    uu, vv, uv, uw, vw = u @ u, v @ v, u @ v, u @ w, v @ w
    across = np.cross(u, v)
    square = across @ across
    parallel = square <= _PARALLEL * uu * vv
    by_u = 1.0 / np.where(uu > 0.0, uu, 1.0)
    by_v = 1.0 / np.where(vv > 0.0, vv, 1.0)
    start, end = uw * by_u, (uw + uv) * by_u
    middle = (np.maximum(np.minimum(start, end), 0.0) + np.minimum(np.maximum(start, end), 1.0)) * 0.5
    meeting = np.cross(w, v) @ across / np.where(parallel, 1.0, square)  # (6.31)
    s = _clamped(np.where(parallel, middle, meeting))
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
def _turned_round(found: LaneClosest) -> LaneClosest:
    return LaneClosest(found.square, found.second, found.first)


@routine(fused=True)
def _farthest(corner: LanesOfVector3, point: LanesOfVector3, way: LanesOfVector3) -> Lanes:
    return (corner - point) @ way


@routine(fused=True)
def point_to_point_lanes(block: Array) -> LaneClosest:
    """Eight points against eight points."""
    return _between(corner_lanes(block, 0), corner_lanes(block, 3))


@routine(fused=True)
def point_to_line_lanes(block: Array) -> LaneClosest:
    """Eight points against eight lines."""
    return point_to_line(corner_lanes(block, 0), corner_lanes(block, 3), corner_lanes(block, 4))


@routine(fused=True)
def line_to_line_lanes(block: Array) -> LaneClosest:
    """Eight lines against eight lines."""
    return line_to_line(
        corner_lanes(block, 0), corner_lanes(block, 1), corner_lanes(block, 3), corner_lanes(block, 4)
    )


@routine(fused=True)
def point_to_triangle_lanes(block: Array) -> LaneClosest:
    """Eight points against eight triangles."""
    point = corner_lanes(block, 0)
    a, b, c = corner_lanes(block, 3), corner_lanes(block, 4), corner_lanes(block, 5)
    best = _nearer(point_over_face(point, face(a, b, c)), point_to_line(point, a, b))
    best = _nearer(best, point_to_line(point, b, c))
    return _nearer(best, point_to_line(point, c, a))


@routine(fused=True)
def line_to_triangle_lanes(block: Array) -> LaneClosest:
    """Eight lines against eight triangles; the square is -1 where nothing shows that they are apart."""
    start, end = corner_lanes(block, 0), corner_lanes(block, 1)
    a, b, c = corner_lanes(block, 3), corner_lanes(block, 4), corner_lanes(block, 5)
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
def triangle_to_triangle_lanes(block: Array) -> LaneClosest:
    """Eight triangles against eight; the square is -1 where nothing shows that they are apart."""
    a, b, c = corner_lanes(block, 0), corner_lanes(block, 1), corner_lanes(block, 2)
    d, e, f = corner_lanes(block, 3), corner_lanes(block, 4), corner_lanes(block, 5)
    one, other = face(a, b, c), face(d, e, f)
    best = point_over_face(a, other)
    for corner in (b, c):
        best = _nearer(best, point_over_face(corner, other))
    for corner in (d, e, f):
        best = _nearer(best, _turned_round(point_over_face(corner, one)))
    for i in (0, 1, 2):
        for j in (0, 1, 2):
            start, end = corner_lanes(block, i), corner_lanes(block, (i + 1) % 3)
            second_start, second_end = corner_lanes(block, 3 + j), corner_lanes(block, 3 + (j + 1) % 3)
            best = _nearer(best, line_to_line(start, end, second_start, second_end))
    way = best.second - best.first
    beyond = _farthest(a, best.first, way)
    for corner in (b, c):
        beyond = np.maximum(beyond, _farthest(corner, best.first, way))
    for corner in (d, e, f):
        beyond = np.maximum(beyond, -_farthest(corner, best.second, way))
    return _shown(best, beyond)


@routine(fused=True)
def _shown(best: LaneClosest, beyond: Lanes) -> LaneClosest:
    """The points where they are the closest ones; a square of -1 where a corner lies beyond them."""
    far = best.square > _SURE * _SURE
    apart = np.where(far, beyond, np.inf) <= _BEYOND * np.sqrt(best.square)
    return LaneClosest(np.where(apart, best.square, -1.0), best.first, best.second)


@routine(fused=True)
def write_lanes(found: LaneClosest, results: ArrayOf[Lanes]) -> None:
    """Write (10, 8): distances of cores, -1 where they are not known, normals, and points on both."""
    known = found.square > NEAR * NEAR
    distance = np.sqrt(np.where(known, found.square, 1.0))
    normal = (1.0 / distance) * (found.second - found.first)
    results[0] = np.where(known, distance, -1.0)
    for i in (0, 1, 2):
        results[1 + i] = normal[i]
        results[4 + i] = found.first[i]
        results[7 + i] = found.second[i]
