"""Lemke's method: exact solutions of linear complementarity problems by pivoting, 001 section 11."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from footfall.contact.contacts import InvalidContact
from footfall.contact.gauss_seidel import impulse_scale
from footfall.contact.problem import Array, ContactProblem, ContactSolution
from footfall.contact.pyramid import build_pyramid_problem, pyramid_residual, without_lost_extra

Status = Literal["solved", "ray", "limit"]
_STATUS: tuple[Status, ...] = ("solved", "ray", "limit")
_PIVOT_TOLERANCE = 1e-11  # of numbers that are scaled to the order of one
_ACCEPTED = 1e-7  # residual over the scale of the problem, above which a result is not called solved


class LemkeResult(NamedTuple):
    """u (n,), NaN unless solved; how it ended; number of pivots."""

    u: Array
    status: Status
    pivots: int


def solve_lemke_lcp(matrix: Array, bias: Array, *, max_pivots: int | None = None) -> LemkeResult:
    """Find u >= 0 with `w = A u + b >= 0` and u.w = 0; matrix A (n, n), bias b (n,).

    status: "solved"; "ray" if the method ends on a ray, which for semimonotone matrices (those of contact) says
    that there is no solution; "limit" after max_pivots, max(100, 50 n) unless given.
    """
    from footfall.contact.native_lemke import lemke_pivots

    a, b = np.array(matrix, dtype=np.float64, ndmin=2), np.array(bias, dtype=np.float64, ndmin=1)
    n = len(b)
    if a.shape != (n, n) or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InvalidContact(
            f"a complementarity problem needs finite A (n, n) and b (n,), not {a.shape}, {b.shape}"
        )
    if n == 0 or b.min() >= 0.0:
        return LemkeResult(np.zeros(n), "solved", 0)
    scale_a, scale_b = np.abs(a).max() or 1.0, np.abs(b).max()
    limit = max(100, 50 * n) if max_pivots is None else max_pivots
    code, pivots, basis = lemke_pivots(a / scale_a, b / scale_b, limit, _PIVOT_TOLERANCE)
    if _STATUS[code] != "solved":
        return LemkeResult(np.full(n, np.nan), _STATUS[code], pivots)
    u = np.zeros(n)
    inside = basis[basis >= n] - n
    # From the basis and the given numbers once more: pivots gather rounding errors.
    rows = np.setdiff1d(np.arange(n), basis[basis < n])
    u[inside] = np.linalg.lstsq(a[np.ix_(rows, inside)], -b[rows], rcond=None)[0]
    return LemkeResult(np.maximum(u, 0.0), "solved", pivots)


def solve_lemke(
    problem: ContactProblem, *, facets: int = 8, max_pivots: int | None = None
) -> ContactSolution:
    """Solve a contact problem on the friction pyramid with that many facets (at least 3) by Lemke's method.

    The residual of the solution is that of the pyramid, not of the cone. Impulses are zero if it fails.
    """
    solved_problem: ContactProblem | None = problem
    impulses, pivots, status = np.zeros(problem.size), 0, "solved"
    while solved_problem is not None:
        pyramid = build_pyramid_problem(solved_problem, facets=facets)
        result = solve_lemke_lcp(pyramid.matrix, pyramid.bias, max_pivots=max_pivots)
        pivots, status = pivots + result.pivots, result.status
        if status != "solved":
            break
        impulses = pyramid.impulses(result.u)
        solved_problem = without_lost_extra(solved_problem, impulses)
    residual = pyramid_residual(problem, impulses, facets=facets)
    converged = status == "solved" and residual <= _ACCEPTED * impulse_scale(problem) + 1e-300
    if status == "solved" and not converged:
        status = "inaccurate"
    return ContactSolution(
        impulses, problem.velocities(impulses), pivots, residual, converged, "lemke", status
    )
