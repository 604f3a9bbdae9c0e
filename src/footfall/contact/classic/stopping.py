"""When an iterative method stops, and what it returns: shared by all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.problem import ContactProblem, ContactSolution
from footfall.errors import InvalidInput


class Swept(NamedTuple):
    """Number of sweeps, and the residual that is left, N s."""

    sweeps: int
    residual: float


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
        raise InvalidInput(f"tolerance is {tolerance}; it must not be negative")
    return tolerance


def stopped(
    impulses: Array, velocities: Array, swept: Swept, limit: float, *, solver: str, effort: str
) -> ContactSolution:
    """The solution of a method that stops at a residual of `limit` (N s), or after its effort, in words."""
    sweeps, residual = swept
    converged = residual <= limit
    status = "solved" if converged else f"residual above {limit:g} N s after {effort}"
    return ContactSolution(impulses, velocities, sweeps, residual, converged, solver, status)
