"""Contact problems with the friction cone replaced by a pyramid: a linear complementarity problem.

The disc of tangential impulses becomes the polygon whose corners lie on it in `facets` directions d_j, the first
of them t1: `p_t = sum beta_j d_j`, `sum beta_j <= mu p_n + extra`. Unknowns and rows stand in the order normal
impulses, beta (contact by contact), limits, boxes (shifted by their bound), then one multiplier for each cone
(the sliding speed) and each box (Stewart and Trinkle, Anitescu and Potra; 001 section 11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.arrays import Array
from footfall.contact.gauss_seidel import stopping_residual
from footfall.contact.problem import ContactProblem, ContactSolution, checked_start
from footfall.errors import InvalidContact

LEAST_FACETS = 3


@dataclass(frozen=True)
class PyramidProblem:
    """Find z >= 0 with `matrix z + bias >= 0` and complementary to it; the impulses are `expand z - shift`."""

    matrix: Array
    bias: Array
    expand: Array
    shift: Array

    def impulses(self, z: Array) -> Array:
        """Impulses (n,) of the contact problem, N s."""
        result: Array = self.expand @ z - self.shift
        return result


def build_pyramid_problem(problem: ContactProblem, *, facets: int = 8) -> PyramidProblem:
    """The linear complementarity problem of a contact problem with that many facets a cone, at least 3.

    `extra` acts whether there is a normal impulse or not; see `without_lost_extra`.
    """
    directions = facet_directions(facets)
    contacts, boxes = problem.contacts, len(problem.box)
    primal = contacts * (1 + facets) + problem.limits + boxes
    expand = np.zeros((problem.size, primal + contacts + boxes))
    for i in range(contacts):
        expand[3 * i + 2, i] = 1.0
        columns = slice(contacts + facets * i, contacts + facets * (i + 1))
        expand[3 * i : 3 * i + 2, columns] = directions.T
    rest = np.arange(problem.limits + boxes)
    expand[3 * contacts + rest, contacts * (1 + facets) + rest] = 1.0
    shift = np.zeros(problem.size)
    shift[problem.size - boxes :] = problem.box

    matrix = expand.T @ problem.matrix() @ expand
    bias = expand.T @ problem.velocities(-shift)
    for i in range(contacts):
        columns = slice(contacts + facets * i, contacts + facets * (i + 1))
        row = primal + i
        matrix[columns, row] = 1.0
        matrix[row, columns] = -1.0
        matrix[row, i] = problem.friction[i]
        bias[row] = problem.extra[i]
    for k in range(boxes):
        row, column = primal + contacts + k, primal - boxes + k
        matrix[column, row] = 1.0
        matrix[row, column] = -1.0
        bias[row] = 2 * problem.box[k]
    return PyramidProblem(matrix, bias, expand, shift)


def facet_directions(facets: int) -> Array:
    """Unit directions (facets, 2) of the corners."""
    if facets < LEAST_FACETS:
        raise InvalidContact(f"facets is {facets}; a pyramid has at least {LEAST_FACETS}")
    angles = 2 * np.pi * np.arange(facets) / facets
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def without_lost_extra(problem: ContactProblem, impulses: Array) -> ContactProblem | None:
    """The problem with no `extra` where contacts separate; None if that is so already."""
    normal = slice(2, 3 * problem.contacts, 3)
    lost = problem.diagonal()[normal] * impulses[normal] <= problem.velocities(impulses)[normal]
    lost &= problem.extra > 0.0
    return replace(problem, extra=np.where(lost, 0.0, problem.extra)) if lost.any() else None


def pyramid_residual(problem: ContactProblem, impulses: Array, *, facets: int) -> float:
    """Natural-map residual with the polygon in place of the disc, N s."""
    from footfall.contact.native_pyramid import residual

    w = problem.velocities(impulses)
    data = (problem.friction, problem.extra, problem.box)
    return float(residual(problem.diagonal(), *data, impulses, w, facets))


def solve_gauss_seidel_pyramid(
    problem: ContactProblem,
    *,
    facets: int = 4,
    start: Array | None = None,
    tolerance: float | None = None,
    max_sweeps: int = 2000,
) -> ContactSolution:
    """Projected Gauss-Seidel on the pyramid: normal, then tangential impulses of one contact after the other.

    start: impulses (n,). tolerance: residual of the pyramid's natural map at which to stop, N s; 1e-10 of the
    problem's scale unless given. The residual of the solution is that of the pyramid, not of the cone.
    """
    from footfall.contact.native_pyramid import pyramid_sweeps

    facet_directions(facets)
    p, w = checked_start(problem, start), np.empty(problem.size)
    limit = stopping_residual(problem, tolerance)
    if problem.size == 0:
        return ContactSolution(p, w, 0, 0.0, True, "gauss-seidel pyramid")
    data = (problem.matrix(), problem.diagonal(), problem.bias, problem.friction, problem.extra, problem.box)
    sweeps, left = pyramid_sweeps(*data, p, w, facets, limit, max_sweeps)
    converged = left <= limit
    status = "solved" if converged else f"residual above {limit:g} N s after {max_sweeps} sweeps"
    return ContactSolution(p, w, sweeps, left, converged, "gauss-seidel pyramid", status)
