"""Contact problems with the friction cone replaced by a pyramid: a linear complementarity problem.

The disc of tangential impulses becomes the polygon whose corners lie on it in `facets` directions d_j, the first
of them t1: `p_t = sum beta_j d_j`, `sum beta_j <= mu p_n + extra`. Unknowns and rows stand in the order normal
impulses, beta (contact by contact), limits, boxes (shifted by their bound), then one multiplier for each cone
(the sliding speed) and each box (Stewart and Trinkle, Anitescu and Potra; Ayit 2015, (4.33)).

Here too stands when an iterative method stops, and what it returns: shared by all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector2, routine
from footfall.contact.problem import ContactProblem, ContactSolution, ImpulseState, checked_start
from footfall.errors import InvalidInput


class SweptPyramid(NamedTuple):
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
    impulses: Array, velocities: Array, swept: SweptPyramid, limit: float, *, solver: str, effort: str
) -> ContactSolution:
    """The solution of a method that stops at a residual of `limit` (N s), or after its effort, in words."""
    sweeps, residual = swept
    converged = residual <= limit
    status = "solved" if converged else f"residual above {limit:g} N s after {effort}"
    return ContactSolution(impulses, velocities, sweeps, residual, converged, solver, status)


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
    problem.require_no_followers("a problem with pyramids")
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
        raise InvalidInput(f"facets is {facets}; a pyramid has at least {LEAST_FACETS}")
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
    return residual(ImpulseState(problem.rows(), impulses, problem.velocities(impulses)), facets)


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
    facet_directions(facets)
    p, w = checked_start(problem, start), np.empty(problem.size)
    limit = stopping_residual(problem, tolerance)
    if problem.size == 0:
        return ContactSolution(p, w, 0, 0.0, True, "gauss-seidel pyramid")
    swept = pyramid_sweeps(ImpulseState(problem.rows(), p, w), facets, limit, max_sweeps)
    return stopped(p, w, swept, limit, solver="gauss-seidel pyramid", effort=f"{max_sweeps} sweeps")


@routine
def in_polygon(target: Vector2, radius: float, facets: int) -> Vector2:
    """Nearest point of the regular polygon with corners on the circle, one of them at (radius, 0)."""
    if radius <= 0.0:
        return np.array([0.0, 0.0])
    sector = 2 * math.pi / facets
    first = math.floor(math.atan2(target[1], target[0]) / sector) * sector  # the edge ahead starts here
    middle = first + sector / 2
    if target @ np.array([math.cos(middle), math.sin(middle)]) <= radius * math.cos(sector / 2):
        return target
    corner = radius * np.array([math.cos(first), math.sin(first)])
    edge = radius * np.array([math.cos(first + sector), math.sin(first + sector)]) - corner
    along = float((target - corner) @ edge / (edge @ edge))
    return corner + min(max(along, 0.0), 1.0) * edge


@routine
def residual(state: ImpulseState, facets: int) -> float:
    """Natural-map residual of the pyramid, N s."""
    largest = state.residual_without_friction()
    for k in range(len(state.rows.friction)):
        inside = in_polygon(state.friction_target(k), state.friction_bound(k), facets)
        largest = max(largest, state.away_from(k, inside))
    return largest


@routine
def pyramid_sweeps(state: ImpulseState, facets: int, tolerance: float, most: int) -> SweptPyramid:
    """Sweeps until the residual is below the tolerance, at most so many."""
    rows, p = state.rows, state.p
    state.refresh()
    left = residual(state, facets)
    for sweep in range(most):
        if left <= tolerance:
            state.refresh()
            left = residual(state, facets)
            if left <= tolerance:
                return SweptPyramid(sweep, left)
        for k in range(len(rows.friction)):
            n = 3 * k + 2
            state.change(n, max(0.0, state.stopping(n)))
            bound = rows.friction[k] * p[n] + rows.extra[k] if p[n] > 0.0 else 0.0
            inside = in_polygon(state.friction_target(k), bound, facets)
            state.change(n - 2, inside[0])
            state.change(n - 1, inside[1])
        for row in range(rows.contact_rows, len(p)):
            state.change(row, rows.allowed(row, state.stopping(row)))
        left = residual(state, facets)
    state.refresh()
    return SweptPyramid(most, residual(state, facets))


Status = Literal["solved", "ray", "limit", "stalled"]
ACCEPTED = 1e-7  # residual over the scale of the problem, above which a result is not called solved


class LCPResult(NamedTuple):
    """u (n,) as far as the solver came (NaN if nowhere), how it ended, number of pivots or steps."""

    u: Array
    status: Status
    iterations: int


class ScaledLCP(NamedTuple):
    """A problem brought to numbers of the order of one: `u = unit * (solution of matrix, bias)`."""

    matrix: Array
    bias: Array
    unit: float


def scaled_lcp(matrix: Any, bias: Any) -> ScaledLCP:
    """Check A (n, n) and b (n,) and scale them."""
    a, b = np.array(matrix, dtype=np.float64, ndmin=2), np.array(bias, dtype=np.float64, ndmin=1)
    if a.shape != (len(b), len(b)) and len(b):
        raise InvalidInput(f"A has shape {a.shape} and b {b.shape}; they must be (n, n) and (n,)")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InvalidInput("the complementarity problem holds NaN or infinite values; all must be finite")
    # Rows with a large positive b, such as far limits, have no say in the size of the solution.
    size_a, size_b = float(np.abs(a).max(initial=0.0)) or 1.0, float((-b).max(initial=0.0)) or 1.0
    return ScaledLCP(a / size_a, b / size_b, size_b / size_a)


def solve_on_pyramid(
    problem: ContactProblem, solve: Callable[[Array, Array], LCPResult], *, facets: int, solver: str
) -> ContactSolution:
    """Solve a contact problem as a linear complementarity problem; impulses are zero if `solve` gives none."""
    current: ContactProblem | None = problem
    impulses, iterations, status = np.zeros(problem.size), 0, "solved"
    while current is not None:
        pyramid = build_pyramid_problem(current, facets=facets)
        result = solve(pyramid.matrix, pyramid.bias)
        iterations, status = iterations + result.iterations, str(result.status)
        if np.isfinite(result.u).all():
            impulses = pyramid.impulses(result.u)
        current = without_lost_extra(current, impulses) if status == "solved" else None
    residual = pyramid_residual(problem, impulses, facets=facets)
    accurate = residual <= ACCEPTED * impulse_scale(problem)
    if status == "solved" and not accurate:
        status = "inaccurate"
    velocities = problem.velocities(impulses)
    return ContactSolution(impulses, velocities, iterations, residual, status == "solved", solver, status)
