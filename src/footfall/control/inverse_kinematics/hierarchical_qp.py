"""Strict priorities with limits: a sequence of quadratic programs (RSL 2022, (3.108)).

Each level is solved as well as the levels before it and the bounds allow. What it achieves is kept: equalities by
moving only in their null space from then on, inequalities with the slack that they needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.control.dual_active_set import (
    INFEASIBLE,
    LIMIT,
    NOT_CONVEX,
    SOLVED,
    RowLimits,
    inverse_factor,
    minimise,
)
from footfall.control.inverse_kinematics.hierarchy import HierarchySolution, solve_equal_levels
from footfall.control.inverse_kinematics.limits import Bounds
from footfall.control.inverse_kinematics.problem import Level, preferred_velocity
from footfall.errors import InvalidTask, QuadraticProgramFailed
from footfall.math.generalised_inverses import RANK_TOLERANCE

_FAR = 1e20  # bounds beyond are none
_REASONS = {INFEASIBLE: "infeasible", LIMIT: "out of steps", NOT_CONVEX: "not strictly convex"}
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

    def check(self) -> None:
        """Refuse shapes that do not fit and what is no number; solvers ask, so that building stays cheap."""
        size, rows = len(self.gradient), len(self.gradient) + len(self.matrix)
        shapes = {
            "hessian": (size, size),
            "matrix": (len(self.matrix), size),
            "lower": (rows,),
            "upper": (rows,),
        }
        for name, shape in shapes.items():
            if np.shape(getattr(self, name)) != shape:
                raise InvalidTask(f"{name} has shape {np.shape(getattr(self, name))}; it must be {shape}")
        if not all(np.isfinite(each).all() for each in (self.hessian, self.gradient, self.matrix)):
            raise InvalidTask("a quadratic program's hessian, gradient and matrix must be finite")
        if np.isnan(self.lower).any() or np.isnan(self.upper).any():
            raise InvalidTask("a quadratic program's bounds must be numbers or infinite")


def solve_quadratic_program(program: QuadraticProgram, *, tolerance: float = 1e-10) -> Array:
    """The minimiser (n,).

    tolerance: by which rows may be missed, relative to their norm times the size of the minimiser, or one; a hundred
    times more where that finds nothing.
    """
    program.check()
    size = len(program.gradient)
    rows = np.empty((len(program.lower), size))
    rows[:size], rows[size:] = np.eye(size), program.matrix
    factor = inverse_factor(np.array(program.hessian, dtype=np.float64), 0.0)
    if len(factor) != size:
        raise QuadraticProgramFailed(program, NOT_CONVEX, _REASONS[NOT_CONVEX])
    limited = np.isfinite(program.lower) & (program.lower > -_FAR) | (program.upper < _FAR)
    gradient, lower, upper = (
        np.array(each, dtype=np.float64)
        for each in (program.gradient, program.lower[limited], program.upper[limited])
    )
    for tolerated in (tolerance, 1e2 * tolerance):  # nearly flat costs in a corner may need the second
        status, x, _, _ = minimise(factor, gradient, RowLimits(rows[limited], lower, upper), tolerated)
        if status == SOLVED:
            break
    else:
        raise QuadraticProgramFailed(program, status, _REASONS[status])
    return x


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
    if not any(level.inequality.any() for level in levels):
        return solve_equal_levels(levels, bounds=bounds, tolerance=tolerance, preferred=preferred)
    n = levels[0].jacobian.shape[1]
    lower, upper = (np.full(n, -np.inf), np.full(n, np.inf)) if bounds is None else bounds
    wanted = preferred_velocity(preferred, n)
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
    program = build_step(level, v, basis, bounds, kept_rows, kept_rates)
    return np.zeros(size) if program is None else solve_quadratic_program(program)[:size]


def build_step(
    level: Level, v: Array, basis: Array, bounds: Bounds, kept_rows: Array, kept_rates: Array
) -> QuadraticProgram | None:
    """The program of the best step for a level from v (n,), in coordinates of `basis` (n, k) and slacks.

    kept_rows (m, n), kept_rates (m,): inequalities of earlier levels. None where those have decided all that the level
    is about.
    """
    size = basis.shape[1]
    equal, slack = ~level.inequality, level.inequality
    count = int(np.count_nonzero(slack))
    root = np.sqrt(level.weight)
    rows = (root[:, None] * level.jacobian) @ basis
    left = root * (level.rate - level.jacobian @ v)
    scale = max(float(np.linalg.norm(rows)), 1e-12)
    if count == 0 and scale <= RANK_TOLERANCE * float(np.linalg.norm(root[:, None] * level.jacobian)):
        return None  # what is left is rounding
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
    return QuadraticProgram(
        hessian,
        gradient,
        np.vstack(blocks),
        np.concatenate([np.full(size + count, -np.inf), *lower]),
        np.concatenate([np.full(size + count, np.inf), *upper]),
    )
