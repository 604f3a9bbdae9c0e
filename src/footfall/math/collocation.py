"""Splines that obey a linear differential equation, with motion given at both ends (Seiwald 2023).

    alpha(t) y'' + beta(t) y' + gamma(t) y = tau(t)

Value, velocity and acceleration are given at both ends: six conditions, four more than the equation bears, so
that no solution exists in general. Here are two ways to a spline that keeps all six and obeys the equation at the inner
break points ("sites"); `footfall.math.least_squares_splines` has a third one.

- `collocate`: by the source's Algorithm G.2.
- `collocate_banded`: the same splines from a banded system of B-splines; its cost is linear.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.linalg import lapack

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.errors import InvalidInput
from footfall.math.b_splines import basis_windows
from footfall.math.interpolation import cubic_curvatures, cubic_spline, hermite_pieces, quintic_slopes
from footfall.math.trajectories import PolynomialTrajectory

SplineKind = Literal["cubic_free", "cubic", "quintic"]
SPLINE_KINDS: tuple[SplineKind, ...] = ("cubic_free", "cubic", "quintic")
_WIDTH = 2  # diagonals on either side of a collocation's matrix


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
    """The spline that obeys the equation at the inner times, by gradients and a dense solve, Seiwald 2023, algorithm
    G.2.

    times (n + 1,) in s; equation: at times[1:-1]. start, end (3, dimension): value, velocity and acceleration.
    kind: `quintic`, `cubic` (with a virtual break point in the middle of the first and last segment) or
    `cubic_free` (velocities at the ends are not kept).
    """
    t, start, end = checked_problem(times, equation, start, end)
    if kind == "quintic":
        return _collocate_quintic(t, equation, start, end)
    return _collocate_cubic(t, equation, start, end, virtual=kind == "cubic")


def collocate_banded(
    times: Any, equation: LinearEquation, start: Any, end: Any, *, kind: SplineKind = "quintic"
) -> PolynomialTrajectory:
    """The same as `collocate` for `quintic` and `cubic`, by B-splines and a banded solve: cost linear in n."""
    if kind == "cubic_free":
        raise InvalidInput(
            "a free cubic has no banded form here; use collocate, or kind 'cubic' or 'quintic'"
        )
    t, start, end = checked_problem(times, equation, start, end)
    degree = 5 if kind == "quintic" else 3
    knots = t if kind == "quintic" else _with_virtual_points(t)
    sites = np.arange(1, len(knots) - 1) if kind == "quintic" else np.arange(2, len(knots) - 2)
    windows = basis_windows(knots, degree, knots[sites], sites)
    coefficients = coefficients_of_ends(knots, start, end, degree)
    bands, load = collocation_bands(windows, equation, coefficients, sites)
    _, _, solution, info = lapack.dgbsv(_WIDTH, _WIDTH, bands, load, overwrite_ab=True)
    if info != 0:
        raise InvalidInput(
            "the equations at the sites contradict each other: the matrix is singular; choose other sites"
        )
    coefficients[3:-3] = solution
    return _from_coefficients(knots, degree, coefficients)


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
    # Seiwald 2023, (G.65), (G.66): velocities at the ends instead of the equation at the virtual points.
    if virtual:
        rows = np.concatenate([rates[:1], rows, rates[-1:]])
        tau = np.concatenate([start[1:2], tau, end[1:2]])
    given = np.stack([start[0], end[0], start[2], end[2]])
    values = _solved(rows[:, 1 : count - 1], tau - rows[:, [0, count - 1, count, count + 1]] @ given)
    points = np.concatenate([start[:1], values, end[:1]])
    return cubic_spline(knots, points, start_acceleration=start[2], end_acceleration=end[2])


def knot_gradients(times: Array, kind: Literal["cubic", "quintic"]) -> tuple[Array, Array]:
    """How velocities and accelerations at all n + 1 knots depend on what a spline is given.

    Seiwald 2023, (G.48)-(G.64).
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
        raise InvalidInput(
            f"the equations at the sites contradict each other: {error}; choose other sites"
        ) from error


# The banded way


@routine
def coefficients_of_ends(times: Array, start: Array, end: Array, degree: int) -> Array:
    """Coefficients (n + degree, dimension) of the B-splines on n segments: the first three and last three, which give
    value, velocity and acceleration there, start and end (3, dimension); zeros between them."""
    count, dimension = len(times) - 1, start.shape[1]
    result = np.zeros((count + degree, dimension))
    p, last = float(degree), len(result) - 1
    h0, h1 = times[1] - times[0], times[min(2, count)] - times[0]
    g0, g1 = times[count] - times[count - 1], times[count] - times[max(count - 2, 0)]
    for d in range(dimension):
        result[0, d] = start[0, d]
        slope = start[1, d]
        result[1, d] = result[0, d] + slope * h0 / p
        slope += start[2, d] * h0 / (p - 1.0)
        result[2, d] = result[1, d] + slope * h1 / p
        result[last, d] = end[0, d]
        slope = end[1, d]
        result[last - 1, d] = result[last, d] - slope * g0 / p
        slope -= end[2, d] * g0 / (p - 1.0)
        result[last - 2, d] = result[last - 1, d] - slope * g1 / p
    return result


@routine
def collocation_bands(
    windows: Array, equation: LinearEquation, known: Array, sites: Integers
) -> tuple[Array, Array]:
    """A collocation in LAPACK's band storage (3 width + 1, n), and its right-hand side (n, dimension) without what is
    known: `coefficients_of_ends`.

    windows (n, 3, degree + 1): B-splines at the sites. sites (n,): the segment after each, which is the number of the
    first B-spline that lives there.
    """
    count, dimension = equation.tau.shape
    bands, load = np.zeros((3 * _WIDTH + 1, count)), equation.tau.copy()
    for k in range(count):
        value, rate, second = windows[k, 0], windows[k, 1], windows[k, 2]
        for j in range(len(value)):
            entry = equation.alpha[k] * second[j] + equation.beta[k] * rate[j] + equation.gamma[k] * value[j]
            for d in range(dimension):
                load[k, d] -= entry * known[sites[k] + j, d]
            column = sites[k] + j - 3
            if 0 <= column < count and abs(column - k) <= _WIDTH:
                bands[2 * _WIDTH + k - column, column] = entry
    return bands, load


def _from_coefficients(knots: Array, degree: int, coefficients: Array) -> PolynomialTrajectory:
    """Piecewise polynomials from coefficients of B-splines, by the motion at the knots."""
    segments = np.minimum(np.arange(len(knots)), len(knots) - 2)
    windows = basis_windows(knots, degree, knots, segments)
    alive = np.lib.stride_tricks.sliding_window_view(coefficients, degree + 1, axis=0)[segments]
    values, rates, seconds = np.einsum("kcj,kdj->ckd", windows, alive)
    if degree == 5:
        return PolynomialTrajectory(knots, hermite_pieces(knots, values, rates, seconds))
    h = np.diff(knots)[:, None]
    change = np.diff(seconds, axis=0) * h * h
    pieces = np.stack([change / 6, seconds[:-1] * h * h / 2, rates[:-1] * h, values[:-1]], axis=1)
    return PolynomialTrajectory(knots, pieces)


def _with_virtual_points(t: Array) -> Array:
    return np.concatenate([t[:1], [(t[0] + t[1]) / 2], t[1:-1], [(t[-2] + t[-1]) / 2], t[-1:]])


def checked_problem(
    times: Any, equation: LinearEquation, start: Any, end: Any, *, sites: int | None = None
) -> tuple[Array, Array, Array]:
    """Times (n + 1,), start and end (3, dimension) as arrays; raises unless the equation is known at all sites."""
    t = np.array(times, dtype=np.float64)
    if t.ndim != 1 or len(t) < 3 or not (t[1:] > t[:-1]).all():
        raise InvalidInput(f"times {t} must increase, and be three at least")
    wanted = len(t) - 2 if sites is None else sites
    first, last = (np.array(motion, dtype=np.float64, order="C").reshape(3, -1) for motion in (start, end))
    shapes = [part.shape for part in equation]
    if shapes != [(wanted,), (wanted,), (wanted,), (wanted, first.shape[1])] or last.shape != first.shape:
        raise InvalidInput(
            f"equation of shapes {shapes}, start {first.shape}, end {last.shape}; the equation is needed at "
            f"{wanted} times, with a right-hand side of as many components as start and end have"
        )
    return t, first, last
