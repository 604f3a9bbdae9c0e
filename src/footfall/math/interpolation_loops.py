"""Native loops of spline interpolation: (block-)tridiagonal elimination after Thomas (spec 003c section 11)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine

KAPPA = float(np.sqrt(64.0 / 3.0))  # scales the second derivatives: the best condition, 003c section 11.4


@routine
def rest_pieces(points: Array) -> Array:
    """Coefficients (n, 6, dimension) of quintics that stop in each of the points (n + 1, dimension)."""
    count, dimension = len(points) - 1, points.shape[1]
    result = np.zeros((count, 6, dimension))
    for i in range(count):
        for d in range(dimension):
            change = points[i + 1, d] - points[i, d]
            result[i, 0, d] = 6.0 * change
            result[i, 1, d] = -15.0 * change
            result[i, 2, d] = 10.0 * change
            result[i, 5, d] = points[i, d]
    return result


@routine
def hermite_pieces(times: Array, points: Array, velocities: Array, accelerations: Array) -> Array:
    """Coefficients (n, 6, dimension) of quintics with given motion at their ends, 003c (G.32)."""
    count, dimension = len(times) - 1, points.shape[1]
    result = np.empty((count, 6, dimension))
    for i in range(count):
        h = times[i + 1] - times[i]
        for d in range(dimension):
            change = points[i + 1, d] - points[i, d]
            v0, v1 = velocities[i, d] * h, velocities[i + 1, d] * h
            a0, a1 = accelerations[i, d] * h * h, accelerations[i + 1, d] * h * h
            result[i, 0, d] = 6.0 * change - 3.0 * (v0 + v1) + 0.5 * (a1 - a0)
            result[i, 1, d] = -15.0 * change + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
            result[i, 2, d] = 10.0 * change - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
            result[i, 3, d] = 0.5 * a0
            result[i, 4, d] = v0
            result[i, 5, d] = points[i, d]
    return result


@routine
def cubic_curvatures(times: Array, points: Array, start: Array, end: Array) -> Array:
    """Second derivatives (n + 1, dimension) of the cubic spline, Thomas' elimination of 003c (G.19)."""
    count, dimension = len(times) - 1, points.shape[1]
    result = np.empty((count + 1, dimension))
    for d in range(dimension):
        result[0, d], result[count, d] = start[d], end[d]
    factors = np.zeros(count + 1)
    for i in range(1, count):
        before, after = times[i] - times[i - 1], times[i + 1] - times[i]
        pivot = 2.0 * (before + after) - before * factors[i - 1]
        factors[i] = after / pivot
        for d in range(dimension):
            load = (
                6.0 * (points[i + 1, d] - points[i, d]) / after
                - 6.0 * (points[i, d] - points[i - 1, d]) / before
            )
            result[i, d] = (load - before * result[i - 1, d]) / pivot
    for i in range(count - 1, 0, -1):
        for d in range(dimension):
            result[i, d] -= factors[i] * result[i + 1, d]
    return result


@routine
def quintic_slopes(times: Array, points: Array, start: Array, end: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (n + 1, dimension) of the quintic spline, 003c Algorithm G.1.

    start, end (2, dimension): velocity and acceleration there. The unknown of knot i is
    X_i = [-y', y'' / (kappa g_i)] with g_i = 1 / h_i of the segment after it.
    """
    count, dimension = len(times) - 1, points.shape[1]
    velocities, accelerations = np.empty((count + 1, dimension)), np.empty((count + 1, dimension))
    for d in range(dimension):
        velocities[0, d], accelerations[0, d] = start[0, d], start[1, d]
        velocities[count, d], accelerations[count, d] = end[0, d], end[1, d]
    k = KAPPA
    h = np.zeros((count, 4))  # h11, h12, h21, h22
    first, second = np.zeros((count, dimension)), np.zeros((count, dimension))
    for i in range(1, count):
        g0, g1 = 1.0 / (times[i] - times[i - 1]), 1.0 / (times[i + 1] - times[i])
        p0, p1 = g0 * g0, g1 * g1
        d11 = 64.0 * (p0 * g0 + p1 * g1)
        d12 = 12.0 * k * (p0 - p1) * g1
        d21 = d12
        d22 = 3.0 * k * k * (g0 + g1) * p1
        # L_i = U_(i-1)^T with g_(i-1) = g0, g_i = g1.
        l11, l12 = 56.0 * p0 * g0, -8.0 * k * p0 * g0
        l21, l22 = 8.0 * k * p0 * g1, -k * k * p0 * g1
        if i > 1:
            d11 -= l11 * h[i - 1, 0] + l12 * h[i - 1, 2]
            d12 -= l11 * h[i - 1, 1] + l12 * h[i - 1, 3]
            d21 -= l21 * h[i - 1, 0] + l22 * h[i - 1, 2]
            d22 -= l21 * h[i - 1, 1] + l22 * h[i - 1, 3]
        determinant = d11 * d22 - d12 * d21
        if i < count - 1:
            g2 = 1.0 / (times[i + 2] - times[i + 1])
            u11, u12 = 56.0 * p1 * g1, 8.0 * k * p1 * g2
            u21, u22 = -8.0 * k * p1 * g1, -k * k * p1 * g2
            h[i, 0] = (d22 * u11 - d12 * u21) / determinant
            h[i, 1] = (d22 * u12 - d12 * u22) / determinant
            h[i, 2] = (d11 * u21 - d21 * u11) / determinant
            h[i, 3] = (d11 * u22 - d21 * u12) / determinant
        for d in range(dimension):
            ahead, behind = points[i + 1, d] - points[i, d], points[i, d] - points[i - 1, d]
            b1 = -120.0 * (p1 * p1 * ahead + p0 * p0 * behind)
            b2 = 20.0 * k * g1 * (p1 * g1 * ahead - p0 * g0 * behind)
            if i == 1:
                b1 += 56.0 * p0 * g0 * start[0, d] + 8.0 * p0 * start[1, d]
                b2 += k * g1 * (8.0 * p0 * start[0, d] + g0 * start[1, d])
            else:
                b1 -= l11 * first[i - 1, d] + l12 * second[i - 1, d]
                b2 -= l21 * first[i - 1, d] + l22 * second[i - 1, d]
            if i == count - 1:
                b1 += 56.0 * p1 * g1 * end[0, d] - 8.0 * p1 * end[1, d]
                b2 += k * g1 * (-8.0 * p1 * end[0, d] + g1 * end[1, d])
            first[i, d] = (d22 * b1 - d12 * b2) / determinant
            second[i, d] = (d11 * b2 - d21 * b1) / determinant
    for i in range(count - 1, 0, -1):
        g = 1.0 / (times[i + 1] - times[i])
        for d in range(dimension):
            if i < count - 1:
                one, two = first[i + 1, d], second[i + 1, d]
                first[i, d] -= h[i, 0] * one + h[i, 1] * two
                second[i, d] -= h[i, 2] * one + h[i, 3] * two
            velocities[i, d] = -first[i, d]
            accelerations[i, d] = k * g * second[i, d]
    return velocities, accelerations
