"""Trajectories through given points: straight, from rest to rest, smooth (spec 003c sections 4 and 11).

All functions take times (n + 1,) in s and points (n + 1,) or (n + 1, dimension).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidPolynomial
from footfall.math.interpolation_loops import cubic_curvatures, hermite_pieces, quintic_slopes, rest_pieces
from footfall.math.polynomials import CLOSE
from footfall.math.trajectories import PolynomialTrajectory


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
    acceleration (spec 003c section 4.4).
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
    """Quintics from point to point that stop in each: no velocity, no acceleration (spec 003c section 4.2).

    Points whose time is that of the point before take its place.
    """
    t = np.array(times, dtype=np.float64)
    y = _columns(points)
    if t.ndim != 1 or len(t) != len(y) or len(t) == 0:
        raise InvalidPolynomial(
            f"{len(y)} points for times of shape {t.shape}; there must be as many, and some"
        )
    kept = np.append(np.diff(t) > CLOSE, True)
    if not kept.all():
        t, y = t[kept], y[kept]
    return PolynomialTrajectory(t, rest_pieces(y))


def hermite_quintic(times: Any, values: Any, velocities: Any, accelerations: Any) -> PolynomialTrajectory:
    """Quintics between points with velocities and accelerations, all (n + 1, dimension): twice differentiable."""
    t, y = _points(times, values)
    return PolynomialTrajectory(t, hermite_pieces(t, y, _columns(velocities), _columns(accelerations)))


def cubic_spline(
    times: Any, points: Any, *, start_acceleration: Any = 0.0, end_acceleration: Any = 0.0
) -> PolynomialTrajectory:
    """The twice differentiable cubic spline with given accelerations (dimension,) at its ends, 003c (G.16-G.29)."""
    t, y = _points(times, points)
    h = np.diff(t)[:, None]
    curvature = cubic_curvatures(t, y, _boundary(start_acceleration, y), _boundary(end_acceleration, y))
    before, after = curvature[:-1] * h * h, curvature[1:] * h * h
    change = np.diff(y, axis=0)
    coefficients = np.stack(
        [(after - before) / 6, before / 2, change - before / 3 - after / 6, y[:-1]], axis=1
    )  # 003c (G.18)
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
    """The four times differentiable quintic spline with given motion (dimension,) at its ends, 003c (G.30-G.47)."""
    t, y = _points(times, points)
    start, end = np.empty((2, y.shape[1])), np.empty((2, y.shape[1]))
    start[0], start[1], end[0], end[1] = start_velocity, start_acceleration, end_velocity, end_acceleration
    velocities, accelerations = quintic_slopes(t, y, start, end)
    return PolynomialTrajectory(t, hermite_pieces(t, y, velocities, accelerations))


def _points(times: Any, points: Any) -> tuple[Array, Array]:
    t = np.array(times, dtype=np.float64)
    y = _columns(points)
    if t.ndim != 1 or len(t) != len(y) or len(t) < 2:
        raise InvalidPolynomial(
            f"{len(y)} points for times of shape {t.shape}; there must be as many, and two at least"
        )
    if not (t[1:] > t[:-1]).all():
        raise InvalidPolynomial(f"times {t} must increase")
    return t, y


def _columns(points: Any) -> Array:
    y = np.array(points, dtype=np.float64, order="C")
    return y[:, None] if y.ndim == 1 else y


def _boundary(value: Any, points: Array) -> Array:
    result = np.empty(points.shape[1])
    result[:] = value
    return result
