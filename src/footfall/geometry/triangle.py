"""The point of a triangle that is closest to another point, and the feature it lies on."""

from __future__ import annotations

from footfall.arrays import Array
from footfall.compiler.routines import routine

FACE = 0  # features: the face; 1, 2, 3: edges 01, 12, 20; 4, 5, 6: the vertices


@routine
def closest_on_triangle(corners: Array, x: float, y: float, z: float) -> tuple[float, float, float, int]:
    """Closest point (x, y, z) and its feature; corners: nine numbers.

    By the Voronoi regions of the triangle's features: the signs of the projections decide.
    """
    ax, ay, az = corners[0], corners[1], corners[2]
    ux, uy, uz = corners[3] - ax, corners[4] - ay, corners[5] - az
    vx, vy, vz = corners[6] - ax, corners[7] - ay, corners[8] - az
    px, py, pz = x - ax, y - ay, z - az
    d1, d2 = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    if d1 <= 0.0 and d2 <= 0.0:
        return ax, ay, az, 4
    px, py, pz = x - corners[3], y - corners[4], z - corners[5]
    d3, d4 = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    if d3 >= 0.0 and d4 <= d3:
        return corners[3], corners[4], corners[5], 5
    weight = d1 * d4 - d3 * d2
    if weight <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return ax + t * ux, ay + t * uy, az + t * uz, 1
    px, py, pz = x - corners[6], y - corners[7], z - corners[8]
    d5, d6 = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    if d6 >= 0.0 and d5 <= d6:
        return corners[6], corners[7], corners[8], 6
    other = d5 * d2 - d1 * d6
    if other <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return ax + t * vx, ay + t * vy, az + t * vz, 3
    third = d3 * d6 - d5 * d4
    if third <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        wx, wy, wz = corners[6] - corners[3], corners[7] - corners[4], corners[8] - corners[5]
        return corners[3] + t * wx, corners[4] + t * wy, corners[5] + t * wz, 2
    total = weight + other + third
    s, t = other / total, weight / total
    return ax + s * ux + t * vx, ay + s * uy + t * vy, az + s * uz + t * vz, FACE
