"""Trajectories through given points: straight, from rest to rest, smooth (Seiwald 2023).

All functions take times (n + 1,) in s and points (n + 1,) or (n + 1, dimension).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Matrix2, Vector2, Vector6, routine
from footfall.errors import InvalidInput
from footfall.math.polynomials import CLOSE, Jet
from footfall.math.small_systems import solve_two
from footfall.math.trajectories import PolynomialTrajectory

# Scales the second derivatives: the best condition, Seiwald 2023, (G.30)-(G.47).
KAPPA = float(np.sqrt(64.0 / 3.0))


def constant(value: Any, start: float, end: float) -> PolynomialTrajectory:
    """A value (dimension,) that stays as it is."""
    return PolynomialTrajectory(
        np.array([start, end]), np.atleast_1d(np.asarray(value, dtype=float))[None, None]
    )


def polyline(
    times: Any, points: Any, *, rest_at_start: bool = False, rest_at_end: bool = False
) -> PolynomialTrajectory:
    """Constant velocity from point to point.

    rest_at_start, rest_at_end: the first or last piece is a cubic that starts or ends without velocity and
    acceleration (Seiwald 2023).
    """
    t, y = _points(times, points)
    change = np.diff(y, axis=0)
    powers = 4 if rest_at_start or rest_at_end else 2
    coefficients = np.zeros((len(change), powers, y.shape[1]))
    coefficients[:, -1] = y[:-1]
    coefficients[:, -2] = change
    if rest_at_start:
        coefficients[0, 0], coefficients[0, -2] = change[0], 0.0
    if rest_at_end:  # y1 - (y1 - y0) (1 - eta)^3
        coefficients[-1, :3] = np.array([1.0, -3.0, 3.0])[:, None] * change[-1]
    return PolynomialTrajectory(t, coefficients)


def rest_to_rest(times: Any, points: Any) -> PolynomialTrajectory:
    """Quintics from point to point that stop in each: no velocity, no acceleration (Seiwald 2023).

    Points whose time is that of the point before take its place.
    """
    t = np.array(times, dtype=np.float64)
    y = _columns(points)
    if t.ndim != 1 or len(t) != len(y) or len(t) == 0:
        raise InvalidInput(f"{len(y)} points for times of shape {t.shape}; there must be as many, and some")
    kept = np.append(np.diff(t) > CLOSE, True)
    if not kept.all():
        t, y = t[kept], y[kept]
    return PolynomialTrajectory(t, rest_pieces(y))


def hermite_quintic(times: Any, values: Any, velocities: Any, accelerations: Any) -> PolynomialTrajectory:
    """Quintics between points with velocities and accelerations, all (n + 1, dimension): twice differentiable."""
    t, y = _points(times, values)
    rates, seconds = _columns(velocities), _columns(accelerations)
    if not y.shape == rates.shape == seconds.shape:
        raise InvalidInput(
            f"values, velocities and accelerations have shapes {y.shape}, {rates.shape} and {seconds.shape}; "
            "they must be the same"
        )
    return PolynomialTrajectory(t, hermite_pieces(t, y, rates, seconds))


def cubic_spline(
    times: Any, points: Any, *, start_acceleration: Any = 0.0, end_acceleration: Any = 0.0
) -> PolynomialTrajectory:
    """The twice differentiable cubic spline with given accelerations (dimension,) at its ends, Seiwald 2023,
    (G.16-G.29)."""
    t, y = _points(times, points)
    h = np.diff(t)[:, None]
    curvature = cubic_curvatures(t, y, _boundary(start_acceleration, y), _boundary(end_acceleration, y))
    before, after = curvature[:-1] * h * h, curvature[1:] * h * h
    change = np.diff(y, axis=0)
    # Seiwald 2023, (G.18)
    coefficients = np.stack(
        [(after - before) / 6, before / 2, change - before / 3 - after / 6, y[:-1]], axis=1
    )
    return PolynomialTrajectory(t, coefficients)


def quintic_spline(
    times: Any,
    points: Any,
    *,
    start_velocity: Any = 0.0,
    start_acceleration: Any = 0.0,
    end_velocity: Any = 0.0,
    end_acceleration: Any = 0.0,
) -> PolynomialTrajectory:
    """The four times differentiable quintic spline with given motion (dimension,) at its ends, Seiwald 2023,
    (G.30-G.47)."""
    t, y = _points(times, points)
    start, end = np.empty((2, y.shape[1])), np.empty((2, y.shape[1]))
    start[0], start[1], end[0], end[1] = start_velocity, start_acceleration, end_velocity, end_acceleration
    velocities, accelerations = quintic_slopes(t, y, start, end)
    return PolynomialTrajectory(t, hermite_pieces(t, y, velocities, accelerations))


def _points(times: Any, points: Any) -> tuple[Array, Array]:
    t = np.array(times, dtype=np.float64)
    y = _columns(points)
    if t.ndim != 1 or len(t) != len(y) or len(t) < 2:
        raise InvalidInput(
            f"{len(y)} points for times of shape {t.shape}; there must be as many, and two at least"
        )
    if not (t[1:] > t[:-1]).all():
        raise InvalidInput(f"times {t} must increase")
    return t, y


def _columns(points: Any) -> Array:
    y = np.array(points, dtype=np.float64, order="C")
    return y[:, None] if y.ndim == 1 else y


def _boundary(value: Any, points: Array) -> Array:
    result = np.empty(points.shape[1])
    result[:] = value
    return result


# Coefficients of quintics


def rest_to_rest_quintic(first: Any, last: Any) -> Array:
    """Coefficients (6, ...), highest power first, between two values at rest, Seiwald 2023, appendix G."""
    delta = last - first
    none = 0.0 * delta
    return np.array([6.0 * delta, -15.0 * delta, 10.0 * delta, none, none, first])


def quintic_between(first: Jet, last: Jet, duration: float) -> Array:
    """Coefficients (6, ...), highest power first, of the quintic with given motion at both ends.

    Seiwald 2023, (G.32).
    """
    delta = last.value - first.value
    v0, v1 = first.rate * duration, last.rate * duration
    a0, a1 = first.second * duration * duration / 2.0, last.second * duration * duration / 2.0
    return np.array(
        [
            6.0 * delta - 3.0 * (v0 + v1) + (a1 - a0),
            -15.0 * delta + 8.0 * v0 + 7.0 * v1 + 3.0 * a0 - 2.0 * a1,
            10.0 * delta - 6.0 * v0 - 4.0 * v1 - 3.0 * a0 + a1,
            a0,
            v0,
            first.value,
        ]
    )


def set_column(piece: Array, column: int, coefficients: Vector6) -> None:
    """Give a component of a piece (6, dimension) its coefficients."""
    (
        piece[0, column],
        piece[1, column],
        piece[2, column],
        piece[3, column],
        piece[4, column],
        piece[5, column],
    ) = coefficients


@routine
def rest_pieces(points: Array) -> Array:
    """Coefficients (n, 6, dimension) of quintics that stop in each of the points (n + 1, dimension)."""
    count, dimension = len(points) - 1, points.shape[1]
    result = np.empty((count, 6, dimension))
    for i in range(count):
        for d in range(dimension):
            set_column(result[i], d, rest_to_rest_quintic(points[i, d], points[i + 1, d]))
    return result


@routine
def hermite_pieces(times: Array, points: Array, velocities: Array, accelerations: Array) -> Array:
    """Coefficients (n, 6, dimension) of quintics with given motion (n + 1, dimension) at their ends."""
    count, dimension = len(times) - 1, points.shape[1]
    result = np.empty((count, 6, dimension))
    for i in range(count):
        for d in range(dimension):
            first = Jet(points[i, d], velocities[i, d], accelerations[i, d])
            last = Jet(points[i + 1, d], velocities[i + 1, d], accelerations[i + 1, d])
            set_column(result[i], d, quintic_between(first, last, times[i + 1] - times[i]))
    return result


# Splines: (block-)tridiagonal elimination after Thomas


@routine
def cubic_curvatures(times: Array, points: Array, start: Array, end: Array) -> Array:
    """Second derivatives (n + 1, dimension) of the cubic spline, Thomas' elimination of Seiwald 2023, (G.19).

    start, end (dimension,): second derivatives there.
    """
    count, dimension = len(times) - 1, points.shape[1]
    result = np.empty((count + 1, dimension))
    result[0], result[count] = start, end
    factors = np.zeros(count + 1)
    for i in range(1, count):
        before, after = times[i] - times[i - 1], times[i + 1] - times[i]
        pivot = 2.0 * (before + after) - before * factors[i - 1]
        factors[i] = after / pivot
        for d in range(dimension):
            load = 6.0 * (points[i + 1, d] - points[i, d]) / after
            load -= 6.0 * (points[i, d] - points[i - 1, d]) / before
            result[i, d] = (load - before * result[i - 1, d]) / pivot
    for i in range(count - 1, 0, -1):
        for d in range(dimension):
            result[i, d] -= factors[i] * result[i + 1, d]
    return result


@routine
def quintic_slopes(times: Array, points: Array, start: Array, end: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (n + 1, dimension) of the quintic spline, Seiwald 2023, algorithm G.1.

    start, end (2, dimension): velocity and acceleration there. The unknown of knot i is
    X_i = [-y', y'' / (kappa g_i)] with g_i = 1 / h_i of the segment after it; L X_i-1 + D X_i + U X_i+1 = B.
    """
    count, dimension = len(times) - 1, points.shape[1]
    velocities, accelerations = np.empty((count + 1, dimension)), np.empty((count + 1, dimension))
    velocities[0], accelerations[0] = start[0], start[1]
    velocities[count], accelerations[count] = end[0], end[1]
    unknowns: ArrayOf[Vector2] = np.empty((count, dimension, 2))
    ratios: ArrayOf[Matrix2] = np.empty((count, 2, 2))  # D^-1 U
    k = KAPPA
    for i in range(1, count):
        g0, g1 = 1.0 / (times[i] - times[i - 1]), 1.0 / (times[i + 1] - times[i])
        p0, p1 = g0 * g0, g1 * g1
        mixed = 12.0 * k * (p0 - p1) * g1
        diagonal = np.array([[64.0 * (p0 * g0 + p1 * g1), mixed], [mixed, 3.0 * k * k * (g0 + g1) * p1]])
        lower = np.array([[56.0 * p0 * g0, -8.0 * k * p0 * g0], [8.0 * k * p0 * g1, -k * k * p0 * g1]])
        if i > 1:
            diagonal = diagonal - lower @ ratios[i - 1]
        if i < count - 1:
            g2 = 1.0 / (times[i + 2] - times[i + 1])
            upper = np.array([[56.0 * p1 * g1, 8.0 * k * p1 * g2], [-8.0 * k * p1 * g1, -k * k * p1 * g2]])
            ratios[i] = solve_two(diagonal, upper)
        for d in range(dimension):
            ahead, behind = points[i + 1, d] - points[i, d], points[i, d] - points[i - 1, d]
            load = np.array(
                [
                    -120.0 * (p1 * p1 * ahead + p0 * p0 * behind),
                    20.0 * k * g1 * (p1 * g1 * ahead - p0 * g0 * behind),
                ]
            )
            if i == 1:
                v, a = start[0, d], start[1, d]
                load += np.array([56.0 * p0 * g0 * v + 8.0 * p0 * a, k * g1 * (8.0 * p0 * v + g0 * a)])
            else:
                load -= lower @ unknowns[i - 1, d]
            if i == count - 1:
                v, a = end[0, d], end[1, d]
                load += np.array([56.0 * p1 * g1 * v - 8.0 * p1 * a, k * g1 * (-8.0 * p1 * v + g1 * a)])
            unknowns[i, d] = solve_two(diagonal, load)
    for i in range(count - 1, 0, -1):
        for d in range(dimension):
            if i < count - 1:
                unknowns[i, d] -= ratios[i] @ unknowns[i + 1, d]
            velocities[i, d] = -unknowns[i, d][0]
            accelerations[i, d] = k / (times[i + 1] - times[i]) * unknowns[i, d][1]
    return velocities, accelerations
