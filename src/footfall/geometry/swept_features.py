"""Closest points of points, segments and triangles: the cores of swept-sphere volumes.

Corners stand in one array of numbers, three a corner; functions take the places where corners begin. All give the
square of the distance, m2, and the closest points. Distances are always those of the points that are given, so that
a sliver or nearly parallel lines can make a point inexact, but no distance smaller than it is.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine

OnCore = tuple[float, float, float, float]  # square of the distance, point
Closest = tuple[float, float, float, float, float, float, float]  # square, point on the first, on the second

UNDECIDED = -1.0  # instead of a square: the cores may cross
NEAR = 1e-10  # m; closer than this the direction from one point to the other is rounding
_SURE = 1e-5  # m; closer than this rounding of the direction may hide a corner beyond
_PARALLEL = 1e-24  # square of the sine of an angle that is rounding
_SLIVER = 1e-20  # square of height over length of a triangle that counts as its edges
_SHALLOW = 1e-12  # square of sines below which the point where a line meets a plane is not known well


@routine
def point_to_line(data: Array, a: int, b: int, x: float, y: float, z: float) -> OnCore:
    """Closest point of the segment from a to b, 000 section 6.3."""
    ux, uy, uz = data[b] - data[a], data[b + 1] - data[a + 1], data[b + 2] - data[a + 2]
    square = ux * ux + uy * uy + uz * uz
    s = 0.0
    if square > 0.0:
        s = ((x - data[a]) * ux + (y - data[a + 1]) * uy + (z - data[a + 2]) * uz) / square
        s = min(max(s, 0.0), 1.0)
    px, py, pz = data[a] + s * ux, data[a + 1] + s * uy, data[a + 2] + s * uz
    return (x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2, px, py, pz


@routine
def point_to_triangle(data: Array, t: int, x: float, y: float, z: float) -> OnCore:
    """Closest point of the triangle whose corners begin at t, 000 section 6.4: the face, else the edges it is beyond.

    A point beyond an edge's line can be closest to that edge only, or to another that it is beyond as well.
    """
    ux, uy, uz = data[t + 3] - data[t], data[t + 4] - data[t + 1], data[t + 5] - data[t + 2]
    vx, vy, vz = data[t + 6] - data[t], data[t + 7] - data[t + 1], data[t + 8] - data[t + 2]
    wx, wy, wz = x - data[t], y - data[t + 1], z - data[t + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    doubled = nx * nx + ny * ny + nz * nz
    longest = max(uu, vv, uu - 2.0 * uv + vv)
    s = t1 = first = -1.0
    if doubled > _SLIVER * longest * longest:
        # Barycentric coordinates by areas: 000 (6.21) without its cancellation.
        s = (wy * vz - wz * vy) * nx + (wz * vx - wx * vz) * ny + (wx * vy - wy * vx) * nz
        t1 = (uy * wz - uz * wy) * nx + (uz * wx - ux * wz) * ny + (ux * wy - uy * wx) * nz
        first = doubled - s - t1
        if s >= 0.0 and t1 >= 0.0 and first >= 0.0:
            s, t1 = s / doubled, t1 / doubled
            px, py, pz = (
                data[t] + s * ux + t1 * vx,
                data[t + 1] + s * uy + t1 * vy,
                data[t + 2] + s * uz + t1 * vz,
            )
            return (x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2, px, py, pz
    best = (np.inf, 0.0, 0.0, 0.0)
    if t1 < 0.0:
        best = point_to_line(data, t, t + 3, x, y, z)
    if first < 0.0:
        found = point_to_line(data, t + 3, t + 6, x, y, z)
        if found[0] < best[0]:
            best = found
    if s < 0.0:
        found = point_to_line(data, t + 6, t, x, y, z)
        if found[0] < best[0]:
            best = found
    return best


@routine
def line_to_line(data: Array, a: int, b: int, c: int, d: int) -> Closest:
    """Closest points of the segments from a to b and from c to d, 000 section 6.5.

    Parallel ones meet in the middle of where they overlap. Products of cross products keep nearly parallel lines exact.
    """
    ux, uy, uz = data[b] - data[a], data[b + 1] - data[a + 1], data[b + 2] - data[a + 2]
    vx, vy, vz = data[d] - data[c], data[d + 1] - data[c + 1], data[d + 2] - data[c + 2]
    wx, wy, wz = data[c] - data[a], data[c + 1] - data[a + 1], data[c + 2] - data[a + 2]
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    normal = nx * nx + ny * ny + nz * nz
    s = 0.0
    if normal > _PARALLEL * uu * vv:  # 000 (6.34)
        s = (wy * vz - wz * vy) * nx + (wz * vx - wx * vz) * ny + (wx * vy - wy * vx) * nz  # 000 (6.31)
        s = min(max(s / normal, 0.0), 1.0)
    elif uu > 0.0:
        low, high = min(uw, uw + uv) / uu, max(uw, uw + uv) / uu
        s = min(max((max(low, 0.0) + min(high, 1.0)) / 2, 0.0), 1.0)
    t = 0.0
    if vv > 0.0:
        t = (s * uv - vw) / vv
    if t < 0.0 or t > 1.0 or vv == 0.0:  # 000 algorithm B.3, with the lines in the other order
        t = min(max(t, 0.0), 1.0)
        if uu > 0.0:
            s = min(max((uw + t * uv) / uu, 0.0), 1.0)
    px, py, pz = data[a] + s * ux, data[a + 1] + s * uy, data[a + 2] + s * uz
    qx, qy, qz = data[c] + t * vx, data[c + 1] + t * vy, data[c + 2] + t * vz
    return (qx - px) ** 2 + (qy - py) ** 2 + (qz - pz) ** 2, px, py, pz, qx, qy, qz


@routine
def closest_features(data: Array, a: int, corners: int, b: int, others: int) -> Closest:
    """Closest points of edges and corners of two cores of 2 or 3 corners: those of the cores, unless these cross.

    000 section 6.7: each edge to each edge, each corner to the other's face.
    """
    best = (np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(2 * corners - 3):  # a line has one edge
        for j in range(2 * others - 3):
            found = line_to_line(data, a + 3 * i, a + 3 * ((i + 1) % 3), b + 3 * j, b + 3 * ((j + 1) % 3))
            if found[0] < best[0]:
                best = found
    if others == 3:
        for i in range(corners):
            k = a + 3 * i
            square, px, py, pz = point_to_triangle(data, b, data[k], data[k + 1], data[k + 2])
            if square < best[0]:
                best = (square, data[k], data[k + 1], data[k + 2], px, py, pz)
    if corners == 3:
        for j in range(others):
            k = b + 3 * j
            square, px, py, pz = point_to_triangle(data, a, data[k], data[k + 1], data[k + 2])
            if square < best[0]:
                best = (square, px, py, pz, data[k], data[k + 1], data[k + 2])
    return best


@routine
def line_to_triangle(data: Array, a: int, t: int) -> Closest:
    """Closest points of the segment whose corners begin at a and a triangle, 000 section 6.6.

    UNDECIDED if they cross or are nearly parallel.

    Seen from where the line meets the plane, or comes closest to it, only edges that this place is beyond can count.
    """
    ex, ey, ez = data[a + 3] - data[a], data[a + 4] - data[a + 1], data[a + 5] - data[a + 2]
    ux, uy, uz = data[t + 3] - data[t], data[t + 4] - data[t + 1], data[t + 5] - data[t + 2]
    vx, vy, vz = data[t + 6] - data[t], data[t + 7] - data[t + 1], data[t + 8] - data[t + 2]
    wx, wy, wz = data[a] - data[t], data[a + 1] - data[t + 1], data[a + 2] - data[t + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    doubled = nx * nx + ny * ny + nz * nz
    longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz)
    along = nx * ex + ny * ey + nz * ez
    length = ex * ex + ey * ey + ez * ez
    if along * along <= _SHALLOW * doubled * length or doubled <= _SHALLOW * longest * longest:  # 000 (6.45)
        return (UNDECIDED, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    place = -(nx * wx + ny * wy + nz * wz) / along  # 000 (6.46)
    r = min(max(place, 0.0), 1.0)
    wx, wy, wz = wx + r * ex, wy + r * ey, wz + r * ez
    s0 = (wy * vz - wz * vy) * nx + (wz * vx - wx * vz) * ny + (wx * vy - wy * vx) * nz
    s1 = (uy * wz - uz * wy) * nx + (uz * wx - ux * wz) * ny + (ux * wy - uy * wx) * nz
    third = doubled - s0 - s1
    if s0 >= 0.0 and s1 >= 0.0 and third >= 0.0:
        if r == place:
            return (UNDECIDED, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        s0, s1 = s0 / doubled, s1 / doubled
        px, py, pz = data[a] + r * ex, data[a + 1] + r * ey, data[a + 2] + r * ez
        qx, qy, qz = (
            data[t] + s0 * ux + s1 * vx,
            data[t + 1] + s0 * uy + s1 * vy,
            data[t + 2] + s0 * uz + s1 * vz,
        )
        return (qx - px) ** 2 + (qy - py) ** 2 + (qz - pz) ** 2, px, py, pz, qx, qy, qz
    best = (np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if s1 < 0.0:
        best = line_to_line(data, a, a + 3, t, t + 3)
    if third < 0.0:
        found = line_to_line(data, a, a + 3, t + 3, t + 6)
        if found[0] < best[0]:
            best = found
    if s0 < 0.0:
        found = line_to_line(data, a, a + 3, t + 6, t)
        if found[0] < best[0]:
            best = found
    return best


@routine
def triangle_to_triangle(data: Array, a: int, b: int) -> Closest:
    """Closest points of two triangles, UNDECIDED if nothing shows that they are apart; 000 section 6.7.

    A pair of points is the closest one if no corner lies beyond the planes through them across their difference, so
    that most pairs of triangles need no look at all features.
    """
    for i in range(3):
        third = a + 3 * ((i + 2) % 3)
        for j in range(3):
            other = b + 3 * ((j + 2) % 3)
            found = line_to_line(data, a + 3 * i, a + 3 * ((i + 1) % 3), b + 3 * j, b + 3 * ((j + 1) % 3))
            square, px, py, pz, qx, qy, qz = found
            if square <= _SURE * _SURE:
                continue
            cx, cy, cz = qx - px, qy - py, qz - pz
            before = (data[third] - px) * cx + (data[third + 1] - py) * cy + (data[third + 2] - pz) * cz
            behind = (data[other] - qx) * cx + (data[other + 1] - qy) * cy + (data[other + 2] - qz) * cz
            if before <= 0.0 and behind >= 0.0:
                return found
    for i in range(3):
        k = a + 3 * i
        square, qx, qy, qz = point_to_triangle(data, b, data[k], data[k + 1], data[k + 2])
        cx, cy, cz = qx - data[k], qy - data[k + 1], qz - data[k + 2]
        if square > _SURE * _SURE and _no_corner_beyond(data, a, k, cx, cy, cz):
            return square, data[k], data[k + 1], data[k + 2], qx, qy, qz
        k = b + 3 * i
        square, px, py, pz = point_to_triangle(data, a, data[k], data[k + 1], data[k + 2])
        cx, cy, cz = px - data[k], py - data[k + 1], pz - data[k + 2]
        if square > _SURE * _SURE and _no_corner_beyond(data, b, k, cx, cy, cz):
            return square, px, py, pz, data[k], data[k + 1], data[k + 2]
    return (UNDECIDED, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@routine
def _no_corner_beyond(data: Array, t: int, k: int, cx: float, cy: float, cz: float) -> bool:
    """Whether no corner of a triangle lies farther along a direction than its corner at k."""
    for i in range(3):
        c = t + 3 * i
        if (data[c] - data[k]) * cx + (data[c + 1] - data[k + 1]) * cy + (
            data[c + 2] - data[k + 2]
        ) * cz > 0.0:
            return False
    return True
