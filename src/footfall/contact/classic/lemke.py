"""Lemke's method: exact solutions of linear complementarity problems by pivoting, Ayit 2015, (4.33)."""

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
