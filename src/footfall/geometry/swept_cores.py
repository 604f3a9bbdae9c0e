"""Signed distance of two cores of swept-sphere volumes, with direction and closest points.

Where cores cross, the distance is minus the least way that parts them: that of the Minkowski difference, whose faces
are spanned by edges of both. So the distance goes smoothly through zero, and its direction stays known.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.geometry.swept_features import (
    NEAR,
    closest_features,
    line_to_line,
    line_to_triangle,
    point_to_line,
    point_to_triangle,
    triangle_to_triangle,
)

Axis = tuple[float, float, float, float]  # overlap along a direction, direction
# distance, direction from the first to the second, point on the first, point on the second
Answer = tuple[float, float, float, float, float, float, float, float, float, float]

_NO_AXIS = 1e-24  # square of the sine between edges that span no face


@routine
def core_distance(data: Array, a: int, corners: int, b: int, others: int, room: int) -> Answer:
    """Signed distance of the cores whose corners begin at a and b, m.

    corners, others: how many they have, from 1 to 3, the first no more than the second. room: where 18
    numbers of the array are free to be written.
    """
    px, py, pz = data[a], data[a + 1], data[a + 2]
    if corners == 1:
        if others == 1:
            qx, qy, qz = data[b], data[b + 1], data[b + 2]
            square = (qx - px) ** 2 + (qy - py) ** 2 + (qz - pz) ** 2
        elif others == 2:
            square, qx, qy, qz = point_to_line(data, b, b + 3, px, py, pz)
        else:
            square, qx, qy, qz = point_to_triangle(data, b, px, py, pz)
    elif others == 2:
        square, px, py, pz, qx, qy, qz = line_to_line(data, a, a + 3, b, b + 3)
    elif corners == 2:
        square, px, py, pz, qx, qy, qz = line_to_triangle(data, a, b)
    else:
        square, px, py, pz, qx, qy, qz = triangle_to_triangle(data, a, b)
    if square > NEAR * NEAR:
        d = np.sqrt(square)
        scale = 1.0 / d
        return d, scale * (qx - px), scale * (qy - py), scale * (qz - pz), px, py, pz, qx, qy, qz
    return _close_cores(data, a, corners, b, others, room, px, py, pz, qx, qy, qz)


@routine
def _close_cores(
    data: Array,
    a: int,
    corners: int,
    b: int,
    others: int,
    room: int,
    px: float,
    py: float,
    pz: float,
    qx: float,
    qy: float,
    qz: float,
) -> Answer:
    """The answer for cores that touch, cross or were not shown to be apart."""
    overlap, nx, ny, nz = least_overlap(data, a, corners, b, others)
    shift = overlap if overlap > NEAR else 0.0
    if others == 3 and corners > 1:
        for k in range(9):  # where they touch after the least way apart, they are closest
            data[room + k] = data[a + k]
        moved = room + 9
        for k in range(0, 9, 3):
            data[moved + k] = data[b + k] + shift * nx
            data[moved + k + 1] = data[b + k + 1] + shift * ny
            data[moved + k + 2] = data[b + k + 2] + shift * nz
        _, px, py, pz, qx, qy, qz = closest_features(data, room, corners, moved, others)
        if shift > 0.0:
            return -shift, nx, ny, nz, px, py, pz, qx - shift * nx, qy - shift * ny, qz - shift * nz
    d = np.sqrt((qx - px) ** 2 + (qy - py) ** 2 + (qz - pz) ** 2)
    if d > NEAR:
        return d, (qx - px) / d, (qy - py) / d, (qz - pz) / d, px, py, pz, qx, qy, qz
    sign = 1.0 if (qx - px) * nx + (qy - py) * ny + (qz - pz) * nz >= 0.0 else -1.0
    return d, sign * nx, sign * ny, sign * nz, px, py, pz, qx, qy, qz


@routine
def least_overlap(data: Array, a: int, corners: int, b: int, others: int) -> Axis:
    """The way that parts two cores, m: how far the second has to move, and along which direction; negative if apart.

    Faces of the Minkowski difference are those of the cores and those between an edge of each. Cores without any, such
    as points on lines, are parted across the edge that there is.
    """
    best = (np.inf, 0.0, 0.0, 1.0)
    first_edges, second_edges = max(2 * corners - 3, 0), max(2 * others - 3, 0)
    if corners == 3:
        best = _smaller(data, a, corners, b, others, a, 0, 1, a, 1, 2, best)
    if others == 3:
        best = _smaller(data, a, corners, b, others, b, 0, 1, b, 1, 2, best)
    for i in range(first_edges):
        for j in range(second_edges):
            best = _smaller(data, a, corners, b, others, a, i, i + 1, b, j, j + 1, best)
    if best[0] < np.inf:
        return best
    x, y, z = 0.0, 0.0, 0.0
    for edges, start in ((first_edges, a), (second_edges, b)):
        for i in range(edges):
            k, m = start + 3 * i, start + 3 * ((i + 1) % 3)
            dx, dy, dz = data[m] - data[k], data[m + 1] - data[k + 1], data[m + 2] - data[k + 2]
            if dx * dx + dy * dy + dz * dz > x * x + y * y + z * z:
                x, y, z = dx, dy, dz
    nx, ny, nz = -y, x, 0.0  # across the longest edge, level if it is steep
    if nx * nx + ny * ny <= 0.5 * z * z:
        nx, ny, nz = 0.0, -z, y
    norm = np.sqrt(nx * nx + ny * ny + nz * nz)
    return (0.0, nx / norm, ny / norm, nz / norm) if norm > 0.0 else (0.0, 0.0, 0.0, 1.0)


@routine
def _smaller(
    data: Array,
    a: int,
    corners: int,
    b: int,
    others: int,
    one: int,
    i: int,
    j: int,
    two: int,
    k: int,
    m: int,
    best: Axis,
) -> Axis:
    """The least overlap so far, or that along the direction across two edges: corners i, j of `one`, k, m of `two`."""
    p, q, r, s = one + 3 * i, one + 3 * (j % 3), two + 3 * k, two + 3 * (m % 3)
    ux, uy, uz = data[q] - data[p], data[q + 1] - data[p + 1], data[q + 2] - data[p + 2]
    vx, vy, vz = data[s] - data[r], data[s + 1] - data[r + 1], data[s + 2] - data[r + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    square = nx * nx + ny * ny + nz * nz
    if square <= _NO_AXIS * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz):
        return best
    norm = np.sqrt(square)
    nx, ny, nz = nx / norm, ny / norm, nz / norm
    low = other_low = np.inf
    high = other_high = -np.inf
    for index in range(corners):
        c = a + 3 * index
        along = nx * data[c] + ny * data[c + 1] + nz * data[c + 2]
        low, high = min(low, along), max(high, along)
    for index in range(others):
        c = b + 3 * index
        along = nx * data[c] + ny * data[c + 1] + nz * data[c + 2]
        other_low, other_high = min(other_low, along), max(other_high, along)
    if high - other_low < best[0]:
        best = (high - other_low, nx, ny, nz)
    if other_high - low < best[0]:
        best = (other_high - low, -nx, -ny, -nz)
    return best
