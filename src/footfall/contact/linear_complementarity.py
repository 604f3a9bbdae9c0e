"""What the solvers of linear complementarity problems share: input, result, and the way back to contacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.gauss_seidel import impulse_scale
from footfall.contact.problem import ContactProblem, ContactSolution
from footfall.contact.pyramid import build_pyramid_problem, pyramid_residual, without_lost_extra
from footfall.errors import InvalidContact

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
        raise InvalidContact(
            f"a complementarity problem needs A (n, n) and b (n,), not shapes {a.shape} and {b.shape}"
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InvalidContact("the complementarity problem holds NaN or infinite values")
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
