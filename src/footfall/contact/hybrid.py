"""Gauss-Seidel sweeps that find out which contacts stick, slide or separate, and Newton steps that then finish.

Sweeps are robust but slow where contacts load one another, as in a tower. Newton's method on the natural map with
the exact cone (Alart and Curnier) converges in a few steps once the state of each contact is known. Sweeps take
over again wherever a step does not help, so that the result is never worse than theirs.
"""

from __future__ import annotations

import numpy as np

from footfall.contact.gauss_seidel import stopping_residual
from footfall.contact.lemke import solve_lemke
from footfall.contact.problem import Array, ContactProblem, ContactSolution, checked_start
from footfall.contact.validation import friction_bound, natural_map_residual

_DAMPING = 1e-10  # of the diagonal: makes the steps of redundant contacts unique


def solve_hybrid(
    problem: ContactProblem,
    *,
    start: Array | None = None,
    tolerance: float | None = None,
    max_rounds: int = 6,
    sweeps: int = 10,
    relaxation: float = 1.2,
    facets: tuple[int, ...] = (8, 16, 4),
) -> ContactSolution:
    """Solve a contact problem to high accuracy, redundant contacts and towers included.

    start: impulses (n,) to start from. tolerance: natural-map residual at which to stop, N s; 1e-10 of the
    problem's own scale unless given. sweeps: in the first round; twice as many in each that follows, and with
    over-relaxation. facets: where all rounds fail, as sweeps can that go in circles, they begin once more from the
    solution by Lemke's method with that many facets. `iterations` counts sweeps, Newton steps and pivots.
    """
    best = checked_start(problem, start)
    limit = stopping_residual(problem, tolerance)
    if problem.size == 0:
        return ContactSolution(best, best.copy(), 0, 0.0, True, "hybrid")
    best, total, residual = _rounds(problem, best, limit, max_rounds, sweeps, relaxation)
    for number in facets:
        if residual <= limit:
            break
        pyramid = solve_lemke(problem, facets=number)
        total += pyramid.iterations
        if pyramid.converged:
            p, count, left = _rounds(problem, pyramid.impulses, limit, max_rounds, sweeps, relaxation)
            total += count
            best, residual = (p, left) if left < residual else (best, residual)
    converged = residual <= limit
    status = "solved" if converged else f"residual above {limit:g} N s after all rounds"
    return ContactSolution(best, problem.velocities(best), total, residual, converged, "hybrid", status)


def _rounds(
    problem: ContactProblem, start: Array, limit: float, rounds: int, sweeps: int, relaxation: float
) -> tuple[Array, int, float]:
    """Impulses after rounds of sweeps and Newton steps, how many of both, and the residual."""
    from footfall.contact.native_sweeps import cone_sweeps  # Numba takes its time to import

    p, w, total, residual = start.copy(), np.empty(problem.size), 0, np.inf
    matrix = problem.matrix()
    data = (matrix, problem.bias, problem.friction, problem.extra, problem.box)
    for number in range(rounds):
        factor = relaxation if number else 1.0  # without, few contacts are done in a sweep or two
        count, residual = cone_sweeps(*data, p, w, factor, limit, sweeps << number, 3)
        total += count
        if residual <= limit:
            break
        better, steps, left = newton_steps(problem, p, residual, limit, matrix=matrix)
        total += steps
        if left < residual:
            p, residual = better, left
        if residual <= limit:
            break
    return p, total, float(residual)


def newton_steps(
    problem: ContactProblem,
    start: Array,
    residual: float,
    tolerance: float,
    *,
    matrix: Array | None = None,
    most: int = 15,
) -> tuple[Array, int, float]:
    """Best impulses (n,) on the way of Newton's method from `start`, its number of steps, and their residual, N s."""
    matrix = problem.matrix() if matrix is None else matrix
    damped = matrix + np.diag(_DAMPING * problem.diagonal())
    best, p, risen = start, start, 0
    for step in range(1, most + 1):
        value, slope = _natural_map_slope(problem, p, problem.velocities(p), damped)
        try:
            p = p - np.linalg.solve(slope, value)
        except np.linalg.LinAlgError:
            return best, step, residual
        p = projected(problem, p)
        left = natural_map_residual(problem, p, problem.velocities(p))
        risen = 0 if left < 0.5 * residual else risen + 1
        if left < residual:
            best, residual = p, left
        if residual <= tolerance or risen > 4 or not np.isfinite(left):
            return best, step, residual
    return best, most, residual


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


def _natural_map_slope(problem: ContactProblem, p: Array, w: Array, matrix: Array) -> tuple[Array, Array]:
    """The natural map `F = p - project(p - w / W)` (n,) and its derivative (n, n).

    The cone's bound follows the projected normal impulse, which has the same solutions.
    """
    first, last = 3 * problem.contacts, problem.size - len(problem.box)
    inverse = 1 / problem.diagonal()
    blocks = inverse[:first].reshape(-1, 3)
    blocks[:, :2] = 2 / (1 / blocks[:, :2]).sum(axis=1, keepdims=True)
    z = p - inverse * w
    image, moves = np.empty(problem.size), np.empty(problem.size)
    moves[first:last] = z[first:last] > 0.0
    image[first:last] = moves[first:last] * z[first:last]
    image[last:] = np.clip(z[last:], -problem.box, problem.box)
    moves[last:] = np.abs(z[last:]) < problem.box
    image[:first], follows = _projected_cones(problem, z[:first].reshape(-1, 3))

    step = inverse[:, None] * matrix  # derivative of p - z
    slope = np.empty_like(step)
    slope[:first] = (follows @ step[:first].reshape(-1, 3, problem.size)).reshape(first, -1)
    slope[first:] = moves[first:, None] * step[first:]
    rows = np.arange(first, problem.size)
    slope[rows, rows] += 1 - moves[first:]
    for k in range(3):
        for j in range(3):
            slope[np.arange(k, first, 3), np.arange(j, first, 3)] += float(k == j) - follows[:, k, j]
    return p - image, slope


def _projected_cones(problem: ContactProblem, z: Array) -> tuple[Array, Array]:
    """Impulses (contacts, 3) brought into the cone in two steps, normal and disc, (rows,), and the derivative of
    that (contacts, 3, 3)."""
    pressed = z[:, 2] > 0.0
    bound = np.where(pressed, problem.friction * z[:, 2] + problem.extra, 0.0)
    length = np.hypot(z[:, 0], z[:, 1])
    slides = length > bound
    along = z[:, :2] / np.maximum(length, 1e-300)[:, None]
    scale = np.where(slides, bound / np.maximum(length, 1e-300), 1.0)
    image = np.concatenate([scale[:, None] * z[:, :2], np.maximum(z[:, 2:], 0.0)], axis=1)
    follows = np.zeros((len(z), 3, 3))
    across = np.eye(2) - np.where(slides, 1.0, 0.0)[:, None, None] * along[:, :, None] * along[:, None, :]
    follows[:, :2, :2] = scale[:, None, None] * across
    follows[:, :2, 2] = np.where(slides & pressed, problem.friction, 0.0)[:, None] * along
    follows[:, 2, 2] = pressed
    return image.ravel(), follows
