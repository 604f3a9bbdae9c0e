"""Strict priorities with limits: a sequence of quadratic programs (002 section 14.3), solved by DAQP.

Each level is solved as well as the levels before it and the bounds allow. What it achieves is kept: equalities by
moving only in their null space from then on, inequalities with the slack that they needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control.inverse_kinematics.errors import InvalidTask, NoSolution
from footfall.control.inverse_kinematics.hierarchy import HierarchySolution
from footfall.control.inverse_kinematics.limits import Bounds
from footfall.control.inverse_kinematics.problem import Level
from footfall.errors import MissingPackage
from footfall.math.generalised_inverses import RANK_TOLERANCE

Array = np.ndarray[Any, np.dtype[Any]]
_INFINITY, _EQUALITY = 1e30, 5  # as DAQP writes them
_REGULARISATION = 1e-9  # of the squared motion beside the squared error, relative to the Jacobian


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """Minimise `x H x / 2 + f x` with `lower <= A x <= upper`; the first rows of the bounds are those of x itself.

    hessian (n, n), gradient (n,), matrix (m, n), lower and upper (n + m,).
    """

    hessian: Array
    gradient: Array
    matrix: Array
    lower: Array
    upper: Array


class QuadraticProgramFailed(NoSolution):
    """A quadratic program without a solution; `evidence` is the program, `flag` what the solver said."""

    def __init__(self, program: QuadraticProgram, flag: int) -> None:
        self.flag = flag
        reason = {-1: "infeasible", -2: "cycling", -3: "unbounded", -4: "out of iterations"}.get(
            flag, "failed"
        )
        super().__init__(f"quadratic program is {reason} (DAQP's flag {flag})", {}, evidence=program)


def solve_quadratic_program(program: QuadraticProgram) -> Array:
    """The minimiser (n,)."""
    try:
        import daqp
    except ImportError:
        raise MissingPackage("quadratic programs need DAQP: pip install daqp") from None
    upper, lower = np.minimum(program.upper, _INFINITY), np.maximum(program.lower, -_INFINITY)
    sense = np.zeros(len(upper), dtype=np.int32)
    sense[upper <= lower] = _EQUALITY
    cost = np.ascontiguousarray(program.hessian), np.ascontiguousarray(program.gradient)
    rows = np.ascontiguousarray(program.matrix)
    for tolerance in (1e-10, 1e-8, 1e-6):  # where many rows meet in a corner, a tight one finds it infeasible
        x, _, flag, _ = daqp.solve(*cost, rows, upper, lower, sense, primal_tol=tolerance)
        if flag >= 1:
            return np.asarray(x)
    raise QuadraticProgramFailed(program, int(flag))


def solve_hierarchical_qp(
    levels: Sequence[Level],
    *,
    bounds: Bounds | None = None,
    tolerance: float = RANK_TOLERANCE,
    preferred: Array | None = None,
) -> HierarchySolution:
    """The velocity (n,) that is best for each level in turn and keeps the bounds; compare `solve_hierarchy`.

    bounds: on the velocity. tolerance: relative, of rank decisions. preferred: velocity (n,) for what no level needs;
    default zero.
    """
    if not levels:
        raise InvalidTask("a hierarchy has at least one level")
    n = levels[0].jacobian.shape[1]
    lower, upper = (np.full(n, -np.inf), np.full(n, np.inf)) if bounds is None else bounds
    wanted = np.zeros(n) if preferred is None else np.asarray(preferred, dtype=np.float64)
    v = np.clip(np.zeros(n), lower, upper)
    basis, kept_rows, kept_rates = np.eye(n), np.zeros((0, n)), np.zeros(0)
    ranks = []
    for level in levels:
        v = v + basis @ _step(level, v, basis, Bounds(lower, upper), kept_rows, kept_rates)
        equal = ~level.inequality
        reached = np.minimum(level.rate, level.jacobian @ v)[level.inequality]
        kept_rows = np.vstack([kept_rows, level.jacobian[level.inequality]])
        kept_rates = np.concatenate([kept_rates, reached])
        after = _remaining(level.jacobian[equal], basis, tolerance)
        ranks.append(basis.shape[1] - after.shape[1])
        basis = after
    if basis.shape[1]:
        last = Level(np.eye(n), wanted, np.ones(n), np.zeros(n, dtype=bool))
        v = v + basis @ _step(last, v, basis, Bounds(lower, upper), kept_rows, kept_rates)
    return HierarchySolution(v, tuple(ranks), tuple(level.missing(v) for level in levels), basis.shape[1])


def _remaining(jacobian: Array, basis: Array, tolerance: float) -> Array:
    """Basis (n, k) of the motion within `basis` that leaves the rows alone."""
    if not len(jacobian) or not basis.shape[1]:
        return basis
    _, values, vt = np.linalg.svd(jacobian @ basis)
    rank = int(np.count_nonzero(values > tolerance * np.linalg.norm(jacobian)))
    return np.asarray(basis @ vt[rank:].T)


def _step(level: Level, v: Array, basis: Array, bounds: Bounds, kept_rows: Array, kept_rates: Array) -> Array:
    """Coordinates (k,) in `basis` of the best step for a level, from v (n,)."""
    size = basis.shape[1]
    if size == 0:
        return np.zeros(0)
    equal, slack = ~level.inequality, level.inequality
    count = int(np.count_nonzero(slack))
    root = np.sqrt(level.weight)
    rows = (root[:, None] * level.jacobian) @ basis
    left = root * (level.rate - level.jacobian @ v)
    scale = max(float(np.linalg.norm(rows)), 1e-12)
    if count == 0 and scale <= RANK_TOLERANCE * float(np.linalg.norm(root[:, None] * level.jacobian)):
        return np.zeros(
            size
        )  # the levels before it have decided all that it is about; what is left is rounding
    hessian = np.zeros((size + count, size + count))
    hessian[:size, :size] = rows[equal].T @ rows[equal] + (_REGULARISATION * scale**2) * np.eye(size)
    hessian[size:, size:] = np.eye(count)
    gradient = np.concatenate([-rows[equal].T @ left[equal], np.zeros(count)])
    limited = np.vstack([np.eye(len(v)), kept_rows])
    least = np.concatenate([bounds.lower - v, kept_rates - kept_rows @ v])
    most = np.concatenate([bounds.upper - v, np.full(len(kept_rows), np.inf)])
    moved = limited @ basis
    # Rows that no step changes would only bring their rounding; to stay is always allowed.
    changes = np.linalg.norm(moved, axis=1) > RANK_TOLERANCE * np.linalg.norm(limited, axis=1)
    changes &= np.isfinite(least) | np.isfinite(most)
    blocks = [
        np.hstack([moved[changes], np.zeros((np.count_nonzero(changes), count))]),
        np.hstack([rows[slack], np.eye(count)]),
    ]
    lower = [np.minimum(least[changes], 0.0), left[slack]]
    upper = [np.maximum(most[changes], 0.0), np.full(count, np.inf)]
    program = QuadraticProgram(
        hessian,
        gradient,
        np.vstack(blocks),
        np.concatenate([np.full(size + count, -np.inf), *lower]),
        np.concatenate([np.full(size + count, np.inf), *upper]),
    )
    return solve_quadratic_program(program)[:size]
