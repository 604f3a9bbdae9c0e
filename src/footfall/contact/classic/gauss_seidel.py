"""Projected Gauss-Seidel on the exact friction cone: contact after contact, each solved exactly (`local_cone`)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, new_records, routine
from footfall.contact import local_cone
from footfall.contact.classic.pyramid import SweptPyramid, stopped, stopping_residual
from footfall.contact.problem import (
    ContactProblem,
    ContactRows,
    ContactSolution,
    ImpulseState,
    checked_start,
    natural_map,
)
from footfall.contact.validation import natural_map_residual
from footfall.errors import InvalidInput

_REFRESH = 50  # sweeps after which velocities are computed anew, since rounding errors add up


class SweepOptions(NamedTuple):
    """relaxation: above 1 for over-relaxation, below 2. tolerance: residual at which to stop, N s. most: sweeps.
    newton_steps: for the direction of sliding, in each sweep."""

    relaxation: float
    tolerance: float
    most: int
    newton_steps: int


class Block(NamedTuple):
    """A contact on its own: what solves it, and its symmetric part (3, 3) of the matrix with what the solver adds."""

    cone: local_cone.ConeBlock
    mobility: Matrix3


def solve_gauss_seidel(
    problem: ContactProblem,
    *,
    start: Array | None = None,
    tolerance: float | None = None,
    max_sweeps: int = 2000,
    relaxation: float = 1.0,
    newton_steps: int = 3,
) -> ContactSolution:
    """Solve a contact problem by sweeps of exact one-contact solutions.

    start: impulses (n,) to start from, such as those of the last time step. tolerance: natural-map residual at
    which to stop, N s; 1e-10 of the problem's own scale unless given. relaxation: above 1 for over-relaxation,
    below 2. newton_steps: for the direction of sliding, in each sweep.
    """
    _check_options(relaxation, max_sweeps)
    p, w = checked_start(problem, start), np.empty(problem.size)
    limit = stopping_residual(problem, tolerance)
    if problem.size == 0:
        return ContactSolution(p, w, 0, 0.0, True, "gauss-seidel")
    options = SweepOptions(relaxation, limit, max_sweeps, newton_steps)
    swept = cone_sweeps(ImpulseState(problem.rows(), p, w), options)
    return stopped(p, w, swept, limit, solver="gauss-seidel", effort=f"{max_sweeps} sweeps")


@routine
def cone_sweeps(state: ImpulseState, options: SweepOptions) -> SweptPyramid:
    """Sweeps over contacts and joint rows until the residual is below the tolerance, at most so many."""
    blocks, slip = contact_blocks(state), np.zeros(len(state.rows.friction))
    state.refresh()
    residual = natural_map(state)
    for sweep in range(options.most):
        if residual <= options.tolerance:
            state.refresh()
            residual = natural_map(state)
            if residual <= options.tolerance:
                return SweptPyramid(sweep, residual)
        for k in range(len(slip)):
            slip[k] = _sweep_contact(state, k, blocks[k], slip[k], options)
        for row in range(state.rows.contact_rows, len(state.p)):
            _sweep_joint(state, row, options.relaxation)
        if sweep % _REFRESH == _REFRESH - 1:
            state.refresh()
        residual = natural_map(state)
    state.refresh()
    return SweptPyramid(options.most, natural_map(state))


@routine
def contact_blocks(state: ImpulseState) -> ArrayOf[Block]:
    """The blocks of all contacts."""
    matrix, blocks = state.rows.matrix, new_records(Block, len(state.rows.friction))
    for i in range(len(blocks)):
        k = 3 * i
        a, b, c = matrix[k, k], matrix[k, k + 1], matrix[k, k + 2]
        d, e, f = matrix[k + 1, k + 1], matrix[k + 1, k + 2], matrix[k + 2, k + 2]
        cone = local_cone.cone_block(a, b, c, d, e, f)
        mobility = np.array([[a + cone.added, b, c], [b, d + cone.added, e], [c, e, f + cone.added]])
        blocks[i] = Block(cone, mobility)
    return blocks  # type: ignore[no-any-return]


@routine
def _sweep_contact(state: ImpulseState, k: int, block: Block, slip: float, options: SweepOptions) -> float:
    """Solve one contact with all others as they are; the slip to start from next time."""
    before: Vector3 = state.p[3 * k : 3 * k + 3]
    velocity: Vector3 = state.w[3 * k : 3 * k + 3]
    m, friction, extra = block.mobility, state.rows.friction[k], state.rows.extra[k]
    free = velocity - m[0] * before[0] - m[1] * before[1] - m[2] * before[2]
    p1, p2, pn, slip = local_cone.solve_cone(
        block.cone, free[0], free[1], free[2], friction, extra, slip, options.newton_steps
    )
    if options.relaxation != 1.0 and pn > 0.0:
        pn = max(0.0, before[2] + options.relaxation * (pn - before[2]))
        p1, p2 = (
            before[0] + options.relaxation * (p1 - before[0]),
            before[1] + options.relaxation * (p2 - before[1]),
        )
        length, bound = math.hypot(p1, p2), friction * pn + extra if pn > 0.0 else 0.0
        if length > bound:
            p1, p2 = p1 * bound / length, p2 * bound / length
    state.change_contact(k, np.array([p1, p2, pn]))
    return slip


@routine
def _sweep_joint(state: ImpulseState, row: int, relaxation: float) -> None:
    inverse = relaxation / state.rows.diagonal[row]
    free = state.w[row] - state.p[row] / inverse
    bounded = row - (len(state.p) - len(state.rows.box))
    if bounded < 0:
        state.change(row, local_cone.solve_limit(inverse, free))
    else:
        state.change(row, local_cone.solve_box(inverse, free, state.rows.box[bounded]))


def _check_options(relaxation: float, max_sweeps: int) -> None:
    if not 0.0 < relaxation < 2.0:
        raise InvalidInput(f"relaxation is {relaxation}; it must be between 0 and 2")
    if max_sweeps < 0:
        raise InvalidInput(f"max_sweeps is {max_sweeps}; it must not be negative")


def solve_gauss_seidel_source(
    problem: ContactProblem,
    *,
    start: Array | None = None,
    tolerance: float = 1e-20,
    max_sweeps: int = 100,
) -> ContactSolution:
    """The scheme of Ayit 2015, (4.34)-(4.43) with its own numbers: normal, then tangential by the mean eigenvalue.

    tolerance: change of the impulses in a sweep over their size, (4.39). At 1e-20 it is met only when nothing
    changes any more, so that the cap decides; `converged` then is False and the residual tells how far it came.
    """
    _check_options(1.0, max_sweeps)
    p = checked_start(problem, start)
    if problem.size == 0:
        return ContactSolution(p, p.copy(), 0, 0.0, True, "gauss-seidel source")
    sweeps, converged = source_sweeps(problem.rows(), p, tolerance, max_sweeps)
    w = problem.velocities(p)
    residual = natural_map_residual(problem, p, w)
    status = "solved" if converged else f"relative change above {tolerance:g} after {max_sweeps} sweeps"
    return ContactSolution(p, w, sweeps, residual, bool(converged), "gauss-seidel source", status)


@routine
def source_sweeps(rows: ContactRows, p: Array, tolerance: float, most: int) -> tuple[int, bool]:
    """Ayit 2015, (4.34)-(4.43): row after row with the newest values; stops by (4.39), the relative change in a
    sweep."""
    matrix, bias, diagonal = rows.matrix, rows.bias, rows.diagonal
    before = np.empty(len(p))
    for sweep in range(most):
        before[:] = p
        for k in range(len(rows.friction)):
            n = 3 * k + 2
            p[n] -= (matrix[n] @ p + bias[n]) / diagonal[n]  # (4.41)
            if p[n] <= 0.0:
                p[n - 2 : n + 1] = 0.0
                continue
            mean = (diagonal[n - 2] + diagonal[n - 1]) / 2  # of the eigenvalues
            x = p[n - 2] - (matrix[n - 2] @ p + bias[n - 2]) / mean  # (4.42)
            y = p[n - 1] - (matrix[n - 1] @ p + bias[n - 1]) / mean
            bound = rows.friction[k] * p[n] + rows.extra[k]
            length = math.hypot(x, y)
            if length > bound:  # (4.43)
                x, y = x * bound / length, y * bound / length
            p[n - 2], p[n - 1] = x, y
        for row in range(rows.contact_rows, len(p)):
            p[row] = rows.allowed(row, p[row] - (matrix[row] @ p + bias[row]) / diagonal[row])
        if np.linalg.norm(p - before) <= tolerance * np.linalg.norm(p):
            return sweep + 1, True
    return most, False
