"""Mehrotra's interior-point method for linear complementarity problems, for the comparison of Ayit 2015, 2.4."""

from __future__ import annotations

from functools import partial

import numpy as np

from footfall.arrays import Array
from footfall.contact.classic.pyramid import LCPResult, scaled_lcp, solve_on_pyramid
from footfall.contact.problem import ContactProblem, ContactSolution

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
