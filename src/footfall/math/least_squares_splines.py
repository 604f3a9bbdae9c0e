"""The spline with the least squared error of a linear differential equation, see `footfall.math.collocation`.

Collocation leaves what does not fit of six conditions to the spaces between the first and last sites, where the error
grows as the grid gets finer. Here the squared error over the whole time is least: what does not fit spreads over the
time that the equation itself takes to forget.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector6, routine
from footfall.errors import InvalidInput
from footfall.math.b_splines import basis_windows
from footfall.math.collocation import LinearEquation, checked_problem, coefficients_of_ends
from footfall.math.interpolation import hermite_pieces
from footfall.math.linear_systems import solve_bands
from footfall.math.polynomials import Jet
from footfall.math.trajectories import PolynomialTrajectory

_ALIKE = 12  # of equal segments, six at either end have B-splines of their own


class LeastSquaresGrid(NamedTuple):
    """Break points (n + 1,) in s, quintic B-splines with two derivatives at the quadrature's points (windows, points,
    3) and at both ends (windows, 2, 3) of segments, for times divided by scale, and the quadrature's weights
    (points n,)."""

    times: Array
    inside: ArrayOf[Vector6]
    borders: ArrayOf[Vector6]
    scale: float
    weights: Array

    @property
    def segments(self) -> int:
        return len(self.times) - 1

    def window(self, segment: int) -> int:
        """Number of the B-splines that serve a segment: of equal segments all but those near the ends are alike."""
        kept = len(self.inside)
        if self.segments <= kept or segment < kept // 2:
            return segment
        return kept // 2 if segment < self.segments - kept // 2 else segment - self.segments + kept


def quadrature_times(times: Any, *, points: int = 3) -> Array:
    """Where `least_squares` may take the equation (points n,): Gauss' points of each segment, s."""
    t = np.asarray(times, dtype=np.float64)
    middles, halves = (t[1:] + t[:-1]) / 2, np.diff(t) / 2
    return np.asarray((middles[:, None] + halves[:, None] * _gauss(points)[0]).ravel())


@cache
def _gauss(points: int) -> tuple[Array, Array]:
    """Nodes and weights on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return nodes, weights


def least_squares(
    times: Any, equation: LinearEquation, start: Any, end: Any, *, weights: Array | None = None
) -> PolynomialTrajectory:
    """The quintic spline with the least integral of the squared residual that keeps all six conditions.

    times (n + 1,) in s; equation: at `quadrature_times(times)`, with two points or more a segment. start, end
    (3, dimension). weights: how much the squared residual counts at these times, all 1 by default. Four times
    differentiable, as by collocation.
    """
    points = max(len(equation.alpha) // (len(times) - 1), 2)
    t, start, end = checked_problem(times, equation, start, end, sites=points * (len(times) - 1))
    h = np.diff(t)
    step = float(t[-1] - t[0]) / len(h)
    if np.abs(h - step).max() < 1e-9 * step:
        grid = equal_grid(t, points)
    else:
        grid = LeastSquaresGrid(t, *_windows(t, points), 1.0, (h[:, None] * _gauss(points)[1]).ravel())
    if weights is not None:
        grid = grid._replace(weights=grid.weights * weights)
    return PolynomialTrajectory.unchecked(t, least_squares_pieces(grid, equation, start, end))


def equal_grid(times: Array, points: int) -> LeastSquaresGrid:
    """The grid of break points (n + 1,) at equal distances: in steps all of these are alike, and so are the B-splines
    except near the ends."""
    count = len(times) - 1
    step = float(times[-1] - times[0]) / count
    inside, borders = _windows_of_equal_segments(min(count, _ALIKE), points)
    return LeastSquaresGrid(times, inside, borders, step, _equal_quadrature(count, points)[1])


def equal_quadrature_times(times: Array, points: int) -> Array:
    """`quadrature_times` of break points (n + 1,) at equal distances."""
    count = len(times) - 1
    return np.asarray(times[0] + (times[-1] - times[0]) / count * _equal_quadrature(count, points)[0])


@lru_cache(maxsize=256)
def _equal_quadrature(count: int, points: int) -> tuple[Array, Array]:
    """Gauss' points (points count,) of segments of length 1, and their weights."""
    return quadrature_times(np.arange(count + 1.0), points=points), np.tile(_gauss(points)[1], count)


@cache
def _windows_of_equal_segments(count: int, points: int) -> tuple[Array, Array]:
    return _windows(np.arange(count + 1.0), points)


def _windows(times: Array, points: int) -> tuple[Array, Array]:
    """Quintic B-splines (n, points, 3, 6) at the quadrature's points and at both ends of each segment."""
    count = len(times) - 1
    numbers = np.arange(count)
    inside = basis_windows(times, 5, quadrature_times(times, points=points), np.repeat(numbers, points))
    both = np.stack([times[:-1], times[1:]], axis=1).ravel()
    borders = basis_windows(times, 5, both, np.repeat(numbers, 2))
    return inside.reshape(count, points, 3, 6), borders.reshape(count, 2, 3, 6)


def least_squares_pieces(grid: LeastSquaresGrid, equation: LinearEquation, start: Array, end: Array) -> Array:
    """Coefficients (n, 6, dimension) of the spline of `least_squares`; start, end (3, dimension)."""
    return hermite_pieces(grid.times, *least_squares_motion(grid, equation, start, end))


@routine
def least_squares_motion(grid: LeastSquaresGrid, equation: LinearEquation, start: Array, end: Array) -> Jet:
    """Value, velocity and acceleration (n + 1, dimension) of that spline at the break points."""
    coefficients = coefficients_of_ends(grid.times, start, end, 5)
    bands, load = normal_equations(grid, equation, coefficients)
    unknown = len(coefficients) - 3
    if not solve_bands(bands[3:unknown], load[3:unknown]):
        raise InvalidInput("the residual does not determine the spline; the equation vanishes somewhere")
    coefficients[3:unknown] = load[3:unknown]
    return motion_at_knots(grid, coefficients)


@routine
def normal_equations(grid: LeastSquaresGrid, equation: LinearEquation, known: Array) -> tuple[Array, Array]:
    """The normal equations of all B-splines' coefficients: bands (n + 5, 6), see `solve_bands`, and load (n + 5,
    dimension), from which what is known, `coefficients_of_ends`, has been taken away."""
    dimension, points = known.shape[1], grid.inside.shape[1]
    bands, load = np.zeros((len(known), 6)), np.zeros((len(known), dimension))
    rest = np.empty(dimension)
    for k in range(len(grid.weights)):
        segment = k // points
        window, point = grid.window(segment), k - segment * points
        second = equation.alpha[k] / (grid.scale * grid.scale) * grid.inside[window, point, 2]
        first = equation.beta[k] / grid.scale * grid.inside[window, point, 1]
        row = second + first + equation.gamma[k] * grid.inside[window, point, 0]
        for d in range(dimension):
            rest[d] = equation.tau[k, d]
            for j, entry in enumerate(row):
                rest[d] -= entry * known[segment + j, d]
        for j, entry in enumerate(row):
            scaled = grid.weights[k] * entry
            for d in range(dimension):
                load[segment + j, d] += scaled * rest[d]
            for i, other in enumerate(row):
                if i <= j:
                    bands[segment + j, 5 + i - j] += scaled * other
    return bands, load


@routine
def motion_at_knots(grid: LeastSquaresGrid, coefficients: Array) -> Jet:
    """Value, velocity and acceleration (n + 1, dimension) at the break points."""
    dimension = coefficients.shape[1]
    motion = np.empty((3, grid.segments + 1, dimension))
    for k in range(grid.segments + 1):
        segment = min(k, grid.segments - 1)
        basis, factor = grid.borders[grid.window(segment), k - segment], 1.0
        for derivative in range(3):
            for d in range(dimension):
                value = 0.0
                for j, entry in enumerate(basis[derivative]):
                    value += entry * coefficients[segment + j, d]
                motion[derivative, k, d] = factor * value
            factor /= grid.scale
    return Jet(motion[0], motion[1], motion[2])
