"""Newton's method on the Fischer-Burmeister function, with line search, for the comparison of Ayit 2015, section 2.4.

`phi(u, w) = u + w - sqrt(u^2 + w^2)` is zero exactly where u and w are complementary, so that a complementarity
problem is a system of equations (De Luca, Facchinei and Kanzow). For the exact cone see `hybrid`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from footfall.arrays import Array
from footfall.contact.classic.pyramid import LCPResult, scaled_lcp, solve_on_pyramid
from footfall.contact.problem import ContactProblem, ContactSolution

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
