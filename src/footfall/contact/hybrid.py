"""Gauss-Seidel sweeps for what is easy, Newton's method for the rest, and sweeps again where that is stuck.

Sweeps are done in no time with a few contacts, but slow where contacts load one another, as in a tower, and go in
circles where slip turns, as on the corners of a sole that lands. Newton's method on the natural map with the exact
cone takes some ten steps for both, by the same springs as the native time step (`law.linear_law`).
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.contact.gauss_seidel import SweepOptions, cone_sweeps, impulse_scale, stopping_residual
from footfall.contact.impulse_state import ImpulseState
from footfall.contact.natural_newton import ROUND, newton_round
from footfall.contact.problem import ContactProblem, ContactSolution, checked_start
from footfall.contact.validation import friction_bound, natural_map_residual


def solve_hybrid(
    problem: ContactProblem,
    *,
    start: Array | None = None,
    tolerance: float | None = None,
    sweeps: int = 10,
    max_rounds: int = 4,
) -> ContactSolution:
    """Solve a contact problem to high accuracy, redundant contacts and towers included.

    start: impulses (n,) to start from. tolerance: natural-map residual at which to stop, N s; 1e-10 of the
    problem's own scale unless given. sweeps: before each round of 46 steps of Newton's method, twice as many each
    time. `iterations` counts sweeps and steps.
    """
    p, w = checked_start(problem, start), np.empty(problem.size)
    limit = stopping_residual(problem, tolerance)
    if problem.size == 0:
        return ContactSolution(p, w, 0, 0.0, True, "hybrid")
    scale = impulse_scale(problem) or 1.0
    state = ImpulseState(problem.rows(), p, w)
    best, least, total = p.copy(), np.inf, 0
    for number in range(max_rounds):
        count, residual = cone_sweeps(state, SweepOptions(1.0, limit, sweeps << number, 3))
        total += count
        if residual > limit:
            count, residual = newton_round(state, ROUND, scale, limit)
            total += count
        if residual < least:
            best, least = p.copy(), residual
        if least <= limit:
            break
    best, least = _tidied(problem, best, float(least))
    converged = least <= limit
    status = "solved" if converged else f"residual above {limit:g} N s after {max_rounds} rounds"
    return ContactSolution(best, problem.velocities(best), total, least, converged, "hybrid", status)


def _tidied(problem: ContactProblem, impulses: Array, residual: float) -> tuple[Array, float]:
    """The impulses (n,) brought into what is allowed, unless that makes the residual greater, and the residual."""
    inside = projected(problem, impulses)
    left = natural_map_residual(problem, inside, problem.velocities(inside))
    return (inside, left) if left <= residual else (impulses, residual)


def projected(problem: ContactProblem, impulses: Array) -> Array:
    """The impulses (n,) brought into what is allowed: no pull, within the cone, within the boxes."""
    p = impulses.copy()
    first, last = 3 * problem.contacts, problem.size - len(problem.box)
    blocks = p[:first].reshape(-1, 3)
    blocks[:, 2] = np.maximum(blocks[:, 2], 0.0)
    bound = friction_bound(problem, blocks[:, 2])
    length = np.hypot(blocks[:, 0], blocks[:, 1])
    blocks[:, :2] *= np.where(length > bound, bound / np.maximum(length, 1e-300), 1.0)[:, None]
    p[first:last] = np.maximum(p[first:last], 0.0)
    p[last:] = np.clip(p[last:], -problem.box, problem.box)
    return p
