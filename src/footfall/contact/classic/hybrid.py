"""Gauss-Seidel sweeps for what is easy, Newton's method for the rest, and sweeps again where that is stuck.

Sweeps are done in no time with a few contacts, but slow where contacts load one another, as in a tower, and go in
circles where slip turns, as on the corners of a sole that lands. Newton's method on the natural map with the exact
cone takes some ten steps for both, by the same springs as the native time step (`law.linear_law`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, as_records, routine
from footfall.contact.classic.gauss_seidel import SweepOptions, cone_sweeps
from footfall.contact.classic.pyramid import SweptPyramid, impulse_scale, stopped, stopping_residual
from footfall.contact.law import ContactLaw, linear_law, linear_row, made_law
from footfall.contact.law import natural_map as contact_map
from footfall.contact.newton_schedule import (
    HALVINGS,
    LEAST_SOFTNESS,
    MEMORY,
    MOST_SOFTNESS,
    ONE_ROUND,
    NewtonStep,
)
from footfall.contact.problem import (
    ContactProblem,
    ContactRows,
    ContactSolution,
    ImpulseState,
    checked_start,
    natural_map,
)
from footfall.contact.validation import friction_bound, natural_map_residual
from footfall.math.linear_systems import solve_in_place

_ROUNDING = 1e-15  # by which a projected impulse may be longer than its bound


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
    return stopped(
        best,
        problem.velocities(best),
        SweptPyramid(total, least),
        limit,
        solver="hybrid",
        effort=f"{max_rounds} rounds",
    )


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
    outside = length > bound * (1.0 + _ROUNDING)  # what was projected once stays, to the bit
    blocks[:, :2] *= np.where(outside, bound / np.maximum(length, 1e-300), 1.0)[:, None]
    p[first:last] = np.maximum(p[first:last], 0.0)
    p[last:] = np.clip(p[last:], -problem.box, problem.box)
    return p


ROUND = as_records(NewtonStep, np.array(ONE_ROUND))


class NewtonSteps(NamedTuple):
    """Number of steps, and the least natural-map residual, N s."""

    steps: int
    residual: float


class _Springs(NamedTuple):
    """Contacts and rows near their impulses: matrix K W (n, n) of their springs, and shift (n,), N s."""

    matrix: Array
    shift: Array


@routine
def newton_round(
    state: ImpulseState, kinds: ArrayOf[NewtonStep], scale: float, tolerance: float
) -> NewtonSteps:
    """Steps of the given kinds (steps,); impulses and velocities become the best that was found.

    scale: of impulses, N s. tolerance: of the residual, N s.
    """
    p, ahead, best, merits = state.p, np.empty(len(state.p)), state.p.copy(), np.zeros(MEMORY)
    state.refresh()
    residual = natural_map(state)
    least, count = residual, 0
    while count < len(kinds) and least > tolerance:
        kind = kinds[count]
        softness = max(kind.softness * residual / scale, kind.least_softness)
        softness = min(max(softness, LEAST_SOFTNESS), MOST_SOFTNESS)
        if count > 0 and _differ(kind, kinds[count - 1]):
            merits[:] = 0.0
        merits[1:] = merits[:-1]
        merits[0] = _merit(state, kind.reach)
        count += 1
        change = _direction(state, kind, softness)
        if not _advance(state, change, kind.reach, np.max(merits), ahead) < np.inf:
            break
        p[:] = ahead
        state.refresh()
        residual = natural_map(state)
        if residual < least:
            least = residual
            best[:] = p
    p[:] = best
    state.refresh()
    return NewtonSteps(count, least)


@routine
def _differ(one: NewtonStep, other: NewtonStep) -> bool:
    return (
        one.reach != other.reach
        or one.softness != other.softness
        or one.least_softness != other.least_softness
        or one.leaning != other.leaning
    )


@routine
def _law(rows: ContactRows, k: int) -> ContactLaw:
    """Springs are part of the matrix, and so of mobilities and velocities."""
    along = 0.5 * (rows.diagonal[3 * k] + rows.diagonal[3 * k + 1])
    return made_law(along, rows.diagonal[3 * k + 2], rows.friction[k], rows.extra[k])


@routine
def _merit(state: ImpulseState, reach: float) -> float:
    """Sum of the squares of the natural map, weighted so that it is an energy, J."""
    rows, p, w, total = state.rows, state.p, state.w, 0.0
    for k in range(len(rows.friction)):
        cone = _law(rows, k)
        f1, f2, fn = contact_map(cone, p[3 * k : 3 * k + 3], w[3 * k : 3 * k + 3], reach)
        total += cone.along * (f1 * f1 + f2 * f2) + cone.normal * fn * fn
    for row in range(rows.contact_rows, len(p)):
        allowed = rows.allowed(row, p[row] - reach / rows.diagonal[row] * w[row])
        total += rows.diagonal[row] * (p[row] - allowed) ** 2
    return total


@routine
def _direction(state: ImpulseState, kind: NewtonStep, softness: float) -> Array:
    """Newton's change (n,) of the impulses: `(1 + K W) dp = shift` with the springs K of contacts and rows."""
    springs = _Springs(np.empty((len(state.p), len(state.p))), np.empty(len(state.p)))
    _add_contacts(state, kind, softness, springs)
    _add_joints(state, kind, softness, springs)
    for row in range(len(state.p)):
        springs.matrix[row, row] += 1.0
    solve_in_place(springs.matrix, springs.shift)
    return springs.shift


@routine
def _add_contacts(state: ImpulseState, kind: NewtonStep, softness: float, springs: _Springs) -> None:
    rows, p, w = state.rows, state.p, state.w
    for k in range(len(rows.friction)):
        r = 3 * k
        own, velocity = np.array([p[r], p[r + 1], p[r + 2]]), np.array([w[r], w[r + 1], w[r + 2]])
        linear = linear_law(_law(rows, k), own, velocity, softness, kind.reach, kind.leaning)
        stiffness = linear.stiffness
        shift = linear.impulse - own - stiffness @ velocity
        for i in (0, 1, 2):
            springs.shift[r + i] = shift[i]
            first, second, third = rows.matrix[r], rows.matrix[r + 1], rows.matrix[r + 2]
            springs.matrix[r + i] = (
                stiffness[i, 0] * first + stiffness[i, 1] * second + stiffness[i, 2] * third
            )


@routine
def _add_joints(state: ImpulseState, kind: NewtonStep, softness: float, springs: _Springs) -> None:
    rows, p, w = state.rows, state.p, state.w
    for row in range(rows.contact_rows, len(p)):
        step = kind.reach / rows.diagonal[row] * w[row]
        linear, _ = linear_row(rows.diagonal[row], rows.bound(row), p[row], step, softness)
        springs.shift[row] = linear.impulse - p[row] - linear.stiffness * w[row]
        springs.matrix[row] = linear.stiffness * rows.matrix[row]


@routine
def _advance(state: ImpulseState, change: Array, reach: float, allowed: float, ahead: Array) -> float:
    """Impulses ahead, after a step that is halved until its merit is below what is allowed; gives that merit."""
    turned = np.empty(len(change))
    still = state.rows._replace(bias=np.zeros(len(change)))
    ImpulseState(still, change, turned).refresh()
    length, merit = 2.0, np.inf
    for _ in range(HALVINGS + 1):
        if merit < allowed:
            break
        length *= 0.5
        ahead[:] = state.p + length * change
        merit = _merit(ImpulseState(state.rows, ahead, state.w + length * turned), reach)
    return merit
