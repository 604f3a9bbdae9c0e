"""Projected Gauss-Seidel on the exact friction cone: contact after contact, each solved exactly."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.contact.problem import ContactProblem, ContactSolution, checked_start
from footfall.contact.validation import natural_map_residual
from footfall.errors import InvalidContact


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
    from footfall.contact.native_sweeps import cone_sweeps

    _check_options(relaxation, max_sweeps)
    p, w = checked_start(problem, start), np.empty(problem.size)
    limit = stopping_residual(problem, tolerance)
    if problem.size == 0:
        return ContactSolution(p, w, 0, 0.0, True, "gauss-seidel")
    sweeps, residual = cone_sweeps(
        problem.matrix(),
        problem.bias,
        problem.friction,
        problem.extra,
        problem.box,
        p,
        w,
        relaxation,
        limit,
        max_sweeps,
        newton_steps,
    )
    converged = residual <= limit
    status = "solved" if converged else f"residual above {limit:g} N s after {max_sweeps} sweeps"
    return ContactSolution(p, w, sweeps, residual, converged, "gauss-seidel", status)


def impulse_scale(problem: ContactProblem) -> float:
    """Largest impulse that a contact, limit or box needs on its own, N s: what residuals are measured against.

    Rows that separate by themselves do not count. Where nothing presses, a thousandth of what would stop all sliding.
    """
    contacts, boxes = 3 * problem.contacts, problem.size - len(problem.box)
    alone = -problem.bias / problem.diagonal()
    held = np.minimum(np.abs(alone[boxes:]), problem.box)
    pressed = np.concatenate([alone[2:contacts:3], alone[contacts:boxes], held])
    sliding = np.abs(alone[:contacts].reshape(-1, 3)[:, :2])
    return max(float(pressed.max(initial=0.0)), 1e-3 * float(sliding.max(initial=0.0)))


def stopping_residual(problem: ContactProblem, tolerance: float | None) -> float:
    """The given tolerance, or 1e-10 of the problem's scale, N s."""
    if tolerance is None:
        return 1e-10 * impulse_scale(problem)
    if not tolerance >= 0.0:
        raise InvalidContact(f"tolerance is {tolerance}; it must not be negative")
    return tolerance


def _check_options(relaxation: float, max_sweeps: int) -> None:
    if not 0.0 < relaxation < 2.0:
        raise InvalidContact(f"relaxation is {relaxation}; it must be between 0 and 2")
    if max_sweeps < 0:
        raise InvalidContact(f"max_sweeps is {max_sweeps}; it must not be negative")


def solve_gauss_seidel_source(
    problem: ContactProblem,
    *,
    start: Array | None = None,
    tolerance: float = 1e-20,
    max_sweeps: int = 100,
) -> ContactSolution:
    """The scheme of 001 section 12 with its own numbers: normal, then tangential by the mean eigenvalue.

    tolerance: change of the impulses in a sweep over their size, (4.39). At 1e-20 it is met only when nothing
    changes any more, so that the cap decides; `converged` then is False and the residual tells how far it came.
    """
    from footfall.contact.native_pyramid import source_sweeps

    _check_options(1.0, max_sweeps)
    p = checked_start(problem, start)
    if problem.size == 0:
        return ContactSolution(p, p.copy(), 0, 0.0, True, "gauss-seidel source")
    data = (problem.matrix(), problem.diagonal(), problem.bias, problem.friction, problem.extra, problem.box)
    sweeps, converged = source_sweeps(*data, p, tolerance, max_sweeps)
    w = problem.velocities(p)
    residual = natural_map_residual(problem, p, w)
    status = "solved" if converged else f"relative change above {tolerance:g} after {max_sweeps} sweeps"
    return ContactSolution(p, w, sweeps, residual, bool(converged), "gauss-seidel source", status)
