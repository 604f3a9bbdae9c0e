"""Three methods for complementarity problems `u >= 0`, `w = A u + b >= 0`, `u w = 0`; Ayit 2015, (4.33) and 2.4.

Lemke's pivots end at an exact solution. Mehrotra's interior point and Newton's method on the function of Fischer and
Burmeister are there to be compared: `phi(u, w) = u + w - sqrt(u^2 + w^2)` is zero exactly where u and w are
complementary, so that the problem is a system of equations (De Luca, Facchinei and Kanzow). For the exact cone see
`hybrid`.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.contact.classic.pyramid import LCPResult, Status, scaled_lcp, solve_on_pyramid
from footfall.contact.problem import ContactProblem, ContactSolution

_STATUS: tuple[Status, ...] = ("solved", "ray", "limit")
_SOLVED, _RAY, _LIMIT = 0, 1, 2
# Of numbers that are scaled to the order of one; redundant contacts leave noise below it.
_PIVOT_TOLERANCE = 1e-9


class _Pivots(NamedTuple):
    """How pivoting ended, after how many, and the basis (n,): variable of each row, w_i as i, z_i as n + i, z_0 as
    2 n."""

    status: int
    pivots: int
    basis: Integers


class _Tableau(NamedTuple):
    """`w - A z - 1 z_0 = b`: columns (n, 2 n + 1) of w, z and z_0, right side (n,), and the basis.

    The columns of w hold the inverse of the basis; with them the ratio test is lexicographic, so that no basis comes
    twice.
    """

    columns: Array
    right: Array
    basis: Integers


def solve_lemke_lcp(matrix: Array, bias: Array, *, max_pivots: int | None = None) -> LCPResult:
    """Find u >= 0 with `w = A u + b >= 0` and u.w = 0; matrix A (n, n), bias b (n,).

    status: "solved"; "ray" if the method ends on a ray, which for semimonotone matrices (those of contact) says
    that there is no solution; "limit" after max_pivots, max(100, 50 n) unless given. u is NaN unless solved.
    """
    problem = scaled_lcp(matrix, bias)
    n = len(problem.bias)
    if n == 0 or problem.bias.min() >= 0.0:
        return LCPResult(np.zeros(n), "solved", 0)
    limit = max(100, 50 * n) if max_pivots is None else max_pivots
    code, pivots, basis = lemke_pivots(problem.matrix, problem.bias, limit, _PIVOT_TOLERANCE)
    if _STATUS[code] != "solved":
        return LCPResult(np.full(n, np.nan), _STATUS[code], pivots)
    u = np.zeros(n)
    inside = basis[basis >= n] - n
    # From the basis and the given numbers once more: pivots gather rounding errors.
    rows = np.setdiff1d(np.arange(n), basis[basis < n])
    u[inside] = np.linalg.lstsq(problem.matrix[np.ix_(rows, inside)], -problem.bias[rows], rcond=None)[0]
    return LCPResult(problem.unit * np.maximum(u, 0.0), "solved", pivots)


def solve_lemke(
    problem: ContactProblem, *, facets: int = 8, max_pivots: int | None = None
) -> ContactSolution:
    """Solve a contact problem on the friction pyramid with that many facets (at least 3) by Lemke's method.

    The residual of the solution is that of the pyramid, not of the cone. Impulses are zero if it fails.
    """
    solve = partial(solve_lemke_lcp, max_pivots=max_pivots)
    return solve_on_pyramid(problem, solve, facets=facets, solver="lemke")


@routine
def lemke_pivots(matrix: Array, bias: Array, most: int, tolerance: float) -> _Pivots:
    """Pivot until the basis is complementary, at most so often. tolerance: below which an entry counts as zero."""
    n = len(bias)
    tableau = _Tableau(np.zeros((n, 2 * n + 1)), bias.copy(), np.arange(n))
    for i in range(n):
        tableau.columns[i, i] = 1.0
        tableau.columns[i, n : 2 * n] = -matrix[i]
        tableau.columns[i, 2 * n] = -1.0
    row = 0
    for i in range(1, n):
        if bias[i] <= bias[row]:  # of equal ones the last: the lexicographic least of (b_i, e_i)
            row = i
    if bias[row] >= 0.0:
        return _Pivots(_SOLVED, 0, tableau.basis)
    entering = 2 * n
    for pivots in range(1, most + 1):
        _pivot(tableau, row, entering)
        leaving = tableau.basis[row]
        tableau.basis[row] = entering
        if leaving == 2 * n:
            return _Pivots(_SOLVED, pivots, tableau.basis)
        entering = leaving + n if leaving < n else leaving - n
        row = _leaving_row(tableau, entering, tolerance)
        if row < 0:
            return _Pivots(_RAY, pivots, tableau.basis)
    return _Pivots(_LIMIT, most, tableau.basis)


@routine
def _pivot(tableau: _Tableau, row: int, column: int) -> None:
    pivot, right = tableau.columns[row], tableau.right
    factor = 1.0 / pivot[column]
    pivot *= factor
    right[row] *= factor
    pivot[column] = 1.0
    for i in range(len(right)):
        other = tableau.columns[i]
        weight = other[column]
        if i != row and weight != 0.0:
            other -= weight * pivot
            right[i] -= weight * right[row]
            other[column] = 0.0


@routine
def _leaving_row(tableau: _Tableau, column: int, tolerance: float) -> int:
    """Row of the least ratio; of equal ones that of z_0, else the lexicographic least; -1 for a ray."""
    columns, right, basis = tableau.columns, tableau.right, tableau.basis
    n, best = len(basis), -1
    for i in range(n):
        if columns[i, column] <= tolerance:
            continue
        if best < 0:
            best = i
            continue
        difference = right[i] / columns[i, column] - right[best] / columns[best, column]
        if abs(difference) <= tolerance:
            if basis[best] == 2 * n:
                continue
            difference = -1.0 if basis[i] == 2 * n else 0.0
            k = 0
            while difference == 0.0 and k < n:
                step = columns[i, k] / columns[i, column] - columns[best, k] / columns[best, column]
                difference = step if abs(step) > tolerance else 0.0
                k += 1
        if difference < 0.0:
            best = i
    return best


_TO_THE_BOUNDARY = 0.995  # part of the way that a step may go


def solve_interior_point_lcp(
    matrix: Array, bias: Array, *, tolerance: float = 1e-12, max_steps: int = 100
) -> LCPResult:
    """Find u >= 0 with `w = A u + b >= 0` and u.w = 0, by predictor and corrector steps.

    tolerance: of w - A u - b and of the mean of u w, for numbers scaled to the order of one. Made for positive
    semidefinite A. With friction A is not, and the method may stall: status is "stalled" or "limit" then.
    """
    problem = scaled_lcp(matrix, bias)
    a, b = problem.matrix, problem.bias
    n = len(b)
    if n == 0 or b.min() >= 0.0:
        return LCPResult(np.zeros(n), "solved", 0)
    u = np.ones(n)
    w = np.maximum(a @ u + b, 1.0)
    for step in range(1, max_steps + 1):
        error, mean = w - a @ u - b, float(u @ w) / n
        if np.abs(error).max() <= tolerance and mean <= tolerance:
            return LCPResult(problem.unit * _settled(a, b, u, w), "solved", step - 1)
        try:
            inverse = np.linalg.inv(a + np.diag(w / u))
        except np.linalg.LinAlgError:
            return LCPResult(problem.unit * u, "stalled", step)
        du = inverse @ (error - w)
        dw = -w - (w / u) * du
        reach = min(_reach(u, du), _reach(w, dw))
        after = float((u + reach * du) @ (w + reach * dw)) / n
        centering = min(1.0, max(after / mean, 0.0)) ** 3
        correction = (centering * mean - du * dw) / u
        du = inverse @ (error - w + correction)
        dw = correction - w - (w / u) * du
        reach = _TO_THE_BOUNDARY * min(_reach(u, du), _reach(w, dw))
        if not np.isfinite(reach) or reach < 1e-10:
            return LCPResult(problem.unit * u, "stalled", step)
        u, w = u + reach * du, w + reach * dw
    return LCPResult(problem.unit * u, "limit", max_steps)


def solve_interior_point(
    problem: ContactProblem, *, facets: int = 8, tolerance: float = 1e-12, max_steps: int = 100
) -> ContactSolution:
    """Solve a contact problem on the friction pyramid by the interior-point method; see the function above."""
    solve = partial(solve_interior_point_lcp, tolerance=tolerance, max_steps=max_steps)
    return solve_on_pyramid(problem, solve, facets=facets, solver="interior point")


def _reach(value: Array, step: Array) -> float:
    """Largest part of the step, at most all of it, that keeps the values above zero."""
    falls = step < 0.0
    return float(min(1.0, (value[falls] / -step[falls]).min(initial=np.inf)))


def _settled(a: Array, b: Array, u: Array, w: Array) -> Array:
    """u with the smaller of each pair at zero and the equations of the others solved exactly, if that is better."""
    inside = u > w
    exact = np.zeros(len(u))
    exact[inside] = np.linalg.lstsq(a[np.ix_(inside, inside)], -b[inside], rcond=None)[0]
    before, after = np.minimum(u, a @ u + b), np.minimum(exact, a @ exact + b)
    return exact if np.abs(after).max() < np.abs(before).max() else u


_DESCENT = 1e-4  # part of the promised descent that a step must bring
_SHORTEST = 1e-10


def solve_newton_lcp(
    matrix: Array, bias: Array, *, tolerance: float = 1e-12, max_steps: int = 200, start: Array | None = None
) -> LCPResult:
    """Find u >= 0 with `w = A u + b >= 0` and u.w = 0.

    tolerance: of the largest |phi|, for numbers scaled to the order of one. start: u (n,) to start from. Ends with
    "stalled" in a local minimum of |phi|^2, which matrices of frictional contact can have.
    """
    problem = scaled_lcp(matrix, bias)
    a, b = problem.matrix, problem.bias
    u = np.zeros(len(b)) if start is None else np.array(start, dtype=np.float64) / problem.unit
    for step in range(max_steps):
        w = a @ u + b
        phi = _fischer_burmeister(u, w)
        if np.abs(phi).max(initial=0.0) <= tolerance:
            return LCPResult(problem.unit * np.maximum(u, 0.0), "solved", step)
        slope = _slope(a, u, w)
        merit, gradient = 0.5 * float(phi @ phi), slope.T @ phi
        direction = _newton_direction(slope, phi, gradient)
        promised = float(gradient @ direction)
        length = 1.0
        while length > _SHORTEST:
            trial = u + length * direction
            value = _fischer_burmeister(trial, a @ trial + b)
            if 0.5 * float(value @ value) <= merit + _DESCENT * length * promised:
                break
            length /= 2
        else:
            return LCPResult(problem.unit * np.maximum(u, 0.0), "stalled", step)
        u = trial
    return LCPResult(problem.unit * np.maximum(u, 0.0), "limit", max_steps)


def solve_newton(
    problem: ContactProblem, *, facets: int = 8, tolerance: float = 1e-12, max_steps: int = 200
) -> ContactSolution:
    """Solve a contact problem on the friction pyramid by Fischer-Burmeister-Newton; see the function above."""
    solve = partial(solve_newton_lcp, tolerance=tolerance, max_steps=max_steps)
    return solve_on_pyramid(problem, solve, facets=facets, solver="newton")


def _fischer_burmeister(u: Array, w: Array) -> Array:
    """phi, without cancellation where both are positive."""
    size = np.hypot(u, w)
    total = u + w
    safe = np.where(total > 0.0, total + size, 1.0)
    return np.where(total > 0.0, 2 * u * w / safe, total - size)


def _slope(a: Array, u: Array, w: Array) -> Array:
    """An element of the generalised derivative of phi(u, A u + b) (n, n)."""
    size = np.hypot(u, w)
    both_zero = size < 1e-14
    direction = a.sum(axis=1)  # where both are zero, the limit along (1, ..., 1)
    length = np.where(both_zero, np.hypot(1.0, direction), size)
    by_u = 1 - np.where(both_zero, 1.0, u) / length
    by_w = 1 - np.where(both_zero, direction, w) / length
    result: Array = np.diag(by_u) + by_w[:, None] * a
    return result


def _newton_direction(slope: Array, phi: Array, gradient: Array) -> Array:
    """Newton's step, damped where contacts are redundant; down the gradient where it does not descend."""
    damping = 1e-12 * float(np.trace(slope.T @ slope))
    direction = -np.linalg.solve(slope.T @ slope + damping * np.eye(len(phi)), gradient)
    if float(gradient @ direction) < -1e-10 * float(direction @ direction):
        return np.asarray(direction, dtype=np.float64)
    return -gradient
