"""Lemke's method: exact solutions of linear complementarity problems by pivoting, 001 section 11."""

from __future__ import annotations

from functools import partial

import numpy as np

from footfall.arrays import Array
from footfall.contact.linear_complementarity import LCPResult, Status, scaled_lcp, solve_on_pyramid
from footfall.contact.problem import ContactProblem, ContactSolution

_STATUS: tuple[Status, ...] = ("solved", "ray", "limit")
_PIVOT_TOLERANCE = (
    1e-9  # of numbers that are scaled to the order of one; redundant contacts leave noise below it
)


def solve_lemke_lcp(matrix: Array, bias: Array, *, max_pivots: int | None = None) -> LCPResult:
    """Find u >= 0 with `w = A u + b >= 0` and u.w = 0; matrix A (n, n), bias b (n,).

    status: "solved"; "ray" if the method ends on a ray, which for semimonotone matrices (those of contact) says
    that there is no solution; "limit" after max_pivots, max(100, 50 n) unless given. u is NaN unless solved.
    """
    from footfall.contact.native_lemke import lemke_pivots

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
