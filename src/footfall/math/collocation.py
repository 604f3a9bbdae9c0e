"""Splines that obey a linear differential equation, with motion given at both ends (spec 003c section 11).

    alpha(t) y'' + beta(t) y' + gamma(t) y = tau(t)

Value, velocity and acceleration are given at both ends: six conditions, four more than the equation bears, so
that no solution exists in general. Three ways to a spline that keeps all six:

- `collocate`: the equation holds at the inner break points ("sites"); by the source's Algorithm G.2.
- `collocate_banded`: the same splines from a banded system of B-splines; its cost is linear.
- `least_squares`: the squared error of the equation over the whole time is least. Collocation leaves what does
  not fit to the spaces between the first and last sites, where the error grows as the grid gets finer; here it
  spreads over the time that the equation itself takes to forget.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.linalg import lapack

from footfall.arrays import Array
from footfall.errors import InvalidPolynomial, NoCollocation
from footfall.math.collocation_loops import (
    basis_windows,
    collocation_bands,
    end_coefficients,
    least_squares_motion,
    values_at_knots,
)
from footfall.math.interpolation import cubic_spline
from footfall.math.interpolation_loops import cubic_curvatures, hermite_pieces, quintic_slopes
from footfall.math.trajectories import PolynomialTrajectory

SplineKind = Literal["cubic_free", "cubic", "quintic"]
SPLINE_KINDS: tuple[SplineKind, ...] = ("cubic_free", "cubic", "quintic")
_ALIKE = 12  # of equal segments, six at either end have B-splines of their own


class LinearEquation(NamedTuple):
    """Coefficients at some times: alpha, beta, gamma (k,), right-hand side tau (k, dimension)."""

    alpha: Array
    beta: Array
    gamma: Array
    tau: Array

    def residual(self, motion: Array) -> Array:
        """alpha y'' + beta y' + gamma y - tau (k, dimension), for y, y', y'' (3, k, dimension) at the times."""
        y, rate, second = motion
        left = self.alpha[:, None] * second + self.beta[:, None] * rate + self.gamma[:, None] * y
        return np.asarray(left - self.tau)


def collocate(
    times: Any, equation: LinearEquation, start: Any, end: Any, *, kind: SplineKind = "quintic"
) -> PolynomialTrajectory:
    """The spline that obeys the equation at the inner times, by gradients and a dense solve, 003c Algorithm G.2.

    times (n + 1,) in s; equation: at times[1:-1]. start, end (3, dimension): value, velocity and acceleration.
    kind: `quintic`, `cubic` (with a virtual break point in the middle of the first and last segment) or
    `cubic_free` (velocities at the ends are not kept).
    """
    t, start, end = _checked(times, equation, start, end)
    if kind == "quintic":
        return _collocate_quintic(t, equation, start, end)
    return _collocate_cubic(t, equation, start, end, virtual=kind == "cubic")


def collocate_banded(
    times: Any, equation: LinearEquation, start: Any, end: Any, *, kind: SplineKind = "quintic"
) -> PolynomialTrajectory:
    """The same as `collocate` for `quintic` and `cubic`, by B-splines and a banded solve: cost linear in n."""
    if kind == "cubic_free":
        raise NoCollocation(
            "a free cubic has no banded form here; use collocate, or kind 'cubic' or 'quintic'"
        )
    t, start, end = _checked(times, equation, start, end)
    degree = 5 if kind == "quintic" else 3
    knots = t if kind == "quintic" else _with_virtual_points(t)
    sites = np.arange(1, len(knots) - 1) if kind == "quintic" else np.arange(2, len(knots) - 2)
    windows = basis_windows(knots, degree, knots[sites], sites)
    ends = end_coefficients(knots, start, end, degree)
    width = 2
    bands, load = collocation_bands(windows, *equation, ends, sites, width)
    _, _, solution, info = lapack.dgbsv(width, width, bands, load, overwrite_ab=True)
    if info != 0:
        raise NoCollocation("the equations at the sites contradict each other: the matrix is singular")
    coefficients = np.concatenate([ends[:3], solution, ends[3:]])
    return _from_coefficients(knots, degree, coefficients)


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
    t, start, end = _checked(times, equation, start, end, sites=points * (len(times) - 1))
    h = np.diff(t)
    step = float(t[-1] - t[0]) / len(h)
    if np.abs(h - step).max() < 1e-9 * step:
        grid = equal_grid(t, points)
    else:
        grid = LeastSquaresGrid(t, *_windows(t, points), 1.0, (h[:, None] * _gauss(points)[1]).ravel())
    if weights is not None:
        grid = grid._replace(weights=grid.weights * weights)
    return PolynomialTrajectory.unchecked(t, least_squares_pieces(grid, equation, start, end))


class LeastSquaresGrid(NamedTuple):
    """Break points (n + 1,) in s, B-splines at the quadrature's points and at the ends of segments, for times divided
    by scale, and the quadrature's weights (points n,)."""

    times: Array
    inside: Array
    borders: Array
    scale: float
    weights: Array


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


def least_squares_pieces(grid: LeastSquaresGrid, equation: LinearEquation, start: Array, end: Array) -> Array:
    """Coefficients (n, 6, dimension) of the spline of `least_squares`; start, end (3, dimension)."""
    motion = np.empty((3, len(grid.times), start.shape[1]))
    if not least_squares_motion(*grid, *equation, start, end, motion):
        raise NoCollocation("the residual does not determine the spline; the equation vanishes somewhere")
    return hermite_pieces(grid.times, motion[0], motion[1], motion[2])


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


# The source's way


def _collocate_quintic(t: Array, equation: LinearEquation, start: Array, end: Array) -> PolynomialTrajectory:
    rates, seconds = knot_gradients(t, "quintic")
    y, first, second = (np.eye(len(t), len(t) + 4)[1:-1], rates[1:-1], seconds[1:-1])
    rows = equation.alpha[:, None] * second + equation.beta[:, None] * first + equation.gamma[:, None] * y
    given = np.concatenate([start[:1], end[:1], start[1:], end[1:]])  # y_0, y_n, y'_0, y''_0, y'_n, y''_n
    known = [0, len(t) - 1, *range(len(t), len(t) + 4)]
    values = _solved(rows[:, 1 : len(t) - 1], equation.tau - rows[:, known] @ given)
    points = np.concatenate([start[:1], values, end[:1]])
    everything = np.concatenate([points, start[1:], end[1:]])
    return PolynomialTrajectory(t, hermite_pieces(t, points, rates @ everything, seconds @ everything))


def _collocate_cubic(
    t: Array, equation: LinearEquation, start: Array, end: Array, *, virtual: bool
) -> PolynomialTrajectory:
    knots = _with_virtual_points(t) if virtual else t
    count = len(knots)
    rates, seconds = knot_gradients(knots, "cubic")
    sites = slice(2, -2) if virtual else slice(1, -1)
    y = np.eye(count, count + 2)[sites]
    rows = equation.alpha[:, None] * seconds[sites]
    rows += equation.beta[:, None] * rates[sites] + equation.gamma[:, None] * y
    tau = equation.tau
    if virtual:  # 003c (G.65), (G.66): velocities at the ends instead of the equation at the virtual points
        rows = np.concatenate([rates[:1], rows, rates[-1:]])
        tau = np.concatenate([start[1:2], tau, end[1:2]])
    given = np.stack([start[0], end[0], start[2], end[2]])
    values = _solved(rows[:, 1 : count - 1], tau - rows[:, [0, count - 1, count, count + 1]] @ given)
    points = np.concatenate([start[:1], values, end[:1]])
    return cubic_spline(knots, points, start_acceleration=start[2], end_acceleration=end[2])


def knot_gradients(times: Array, kind: Literal["cubic", "quintic"]) -> tuple[Array, Array]:
    """How velocities and accelerations at all n + 1 knots depend on what a spline is given, 003c section 11.6.

    Columns: the n + 1 values; then, of a quintic, velocity and acceleration at the start and at the end; of a
    cubic, acceleration at the start and at the end. By one elimination with all columns as right-hand sides.
    """
    count = len(times)
    conditions = 4 if kind == "quintic" else 2
    values = np.eye(count, count + conditions)
    motion = np.eye(conditions, count + conditions, k=count)
    if kind == "quintic":
        rates, seconds = quintic_slopes(times, values, motion[:2].copy(), motion[2:].copy())
        return rates, seconds
    seconds = cubic_curvatures(times, values, motion[0].copy(), motion[1].copy())
    h = np.diff(times)[:, None]
    slopes = np.diff(values, axis=0) / h
    rates = np.empty_like(seconds)
    rates[:-1] = slopes - h * (2 * seconds[:-1] + seconds[1:]) / 6
    rates[-1] = slopes[-1] + h[-1] * (seconds[-2] + 2 * seconds[-1]) / 6
    return rates, seconds


def _solved(matrix: Array, load: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(matrix, load))
    except np.linalg.LinAlgError as error:
        raise NoCollocation(f"the equations at the sites contradict each other: {error}") from error


# The banded way


def _from_coefficients(knots: Array, degree: int, coefficients: Array) -> PolynomialTrajectory:
    """Piecewise polynomials from coefficients of B-splines, by the motion at the knots."""
    count = len(knots) - 1
    both = np.stack([knots[:-1], knots[1:]], axis=1).ravel()
    windows = basis_windows(knots, degree, both, np.repeat(np.arange(count), 2))
    values, rates, seconds = motion = np.empty((3, count + 1, coefficients.shape[1]))
    values_at_knots(windows.reshape(count, 2, 3, degree + 1), 1.0, coefficients, motion)
    if degree == 5:
        return PolynomialTrajectory(knots, hermite_pieces(knots, values, rates, seconds))
    h = np.diff(knots)[:, None]
    change = np.diff(seconds, axis=0) * h * h
    pieces = np.stack([change / 6, seconds[:-1] * h * h / 2, rates[:-1] * h, values[:-1]], axis=1)
    return PolynomialTrajectory(knots, pieces)


def _with_virtual_points(t: Array) -> Array:
    return np.concatenate([t[:1], [(t[0] + t[1]) / 2], t[1:-1], [(t[-2] + t[-1]) / 2], t[-1:]])


def _checked(
    times: Any, equation: LinearEquation, start: Any, end: Any, *, sites: int | None = None
) -> tuple[Array, Array, Array]:
    t = np.array(times, dtype=np.float64)
    if t.ndim != 1 or len(t) < 3 or not (t[1:] > t[:-1]).all():
        raise InvalidPolynomial(f"times {t} must increase, and be three at least")
    wanted = len(t) - 2 if sites is None else sites
    first, last = (np.array(motion, dtype=np.float64, order="C").reshape(3, -1) for motion in (start, end))
    shapes = [part.shape for part in equation]
    if shapes != [(wanted,), (wanted,), (wanted,), (wanted, first.shape[1])] or last.shape != first.shape:
        raise InvalidPolynomial(
            f"equation of shapes {shapes}, start {first.shape}, end {last.shape}; the equation is needed at "
            f"{wanted} times, with a right-hand side of as many components as start and end have"
        )
    return t, first, last
