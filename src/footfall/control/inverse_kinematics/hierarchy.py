"""Strict priorities by null-space projection: each level moves only as those before it allow.

RSL 2022, (2.216)-(2.220).
Levels of equations are solved by `strict_priorities`; here is the same recursion with singular values, for inequalities
and filters.
Levels are solved in an orthonormal basis of the motion that is left, which is the recursion with projectors
`N_i = N_{i-1} - (J_i N_{i-1})+ (J_i N_{i-1})`, without their rounding. A projected Jacobian is often rank-deficient by
construction: singular values count as zero below `tolerance` times the norm of the Jacobian before its projection, so
that a Jacobian that vanishes altogether is seen as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.control.dual_active_set import SOLVED, RowLimits
from footfall.control.inverse_kinematics.limits import Bounds
from footfall.control.inverse_kinematics.problem import Level, preferred_velocity
from footfall.control.strict_priorities import Levels, solve_levels
from footfall.errors import InvalidTask, NoSolution
from footfall.math.generalised_inverses import RANK_TOLERANCE


@dataclass(frozen=True, eq=False)
class HierarchySolution:
    """v (n,); ranks: directions that each level got; missing: what each level lacks (m,); freedom: directions left."""

    v: Array
    ranks: tuple[int, ...]
    missing: tuple[Array, ...]
    freedom: int


def solve_hierarchy(
    levels: Sequence[Level],
    *,
    tolerance: float = RANK_TOLERANCE,
    threshold: float = 0.0,
    preferred: Array | None = None,
) -> HierarchySolution:
    """The velocity (n,) that is best for each level among those that are best for all levels before it.

    tolerance: of rank decisions. threshold: singular values below it are damped, see `filtered_inverse`; zero: none
    are. preferred: velocity (n,) for the directions that no level needs; default zero. Rows of inequalities take part
    where they are not fulfilled; `solve_hierarchical_qp` keeps them also elsewhere.
    """
    if not levels:
        raise InvalidTask("a hierarchy has at least one level")
    if threshold == 0.0 and not any(level.inequality.any() for level in levels):
        return solve_equal_levels(levels, tolerance=tolerance, preferred=preferred)
    return _by_singular_values(levels, tolerance, threshold, preferred)


def solve_equal_levels(
    levels: Sequence[Level],
    *,
    bounds: Bounds | None = None,
    tolerance: float = RANK_TOLERANCE,
    preferred: Array | None = None,
) -> HierarchySolution:
    """The same for levels of equations, within bounds on v (n,), as native code."""
    n = levels[0].jacobian.shape[1]
    limits = RowLimits(np.zeros((0, n)), np.zeros(0), np.zeros(0))
    if bounds is not None:
        limited = np.flatnonzero(np.isfinite(bounds.lower) | np.isfinite(bounds.upper))
        limits = RowLimits(
            np.eye(n)[limited], np.array(bounds.lower[limited]), np.array(bounds.upper[limited])
        )
    equations = Levels(
        np.concatenate([level.jacobian for level in levels]),
        np.concatenate([level.rate for level in levels]),
        np.concatenate([level.weight for level in levels]),
        np.cumsum([len(level.rate) for level in levels]),
    )
    status, v, ranks, freedom = solve_levels(equations, limits, preferred_velocity(preferred, n), tolerance)
    missing = tuple(level.missing(v) for level in levels)
    if status != SOLVED:
        norms = {f"level {k}": float(np.linalg.norm(left)) for k, left in enumerate(missing)}
        raise NoSolution("no motion keeps the bounds", norms, evidence=(tuple(levels), bounds))
    return HierarchySolution(v, tuple(ranks.tolist()), missing, freedom)


def _by_singular_values(
    levels: Sequence[Level], tolerance: float, threshold: float, preferred: Array | None
) -> HierarchySolution:
    n = levels[0].jacobian.shape[1]
    v, basis = np.zeros(n), np.eye(n)
    ranks = []
    for level in levels:
        active = ~level.inequality | (level.rate - level.jacobian @ v > 0.0)
        root = np.sqrt(level.weight[active])
        jacobian = root[:, None] * level.jacobian[active]
        left = root * level.rate[active] - jacobian @ v
        step, kept = _best_step(jacobian @ basis, left, np.linalg.norm(jacobian), tolerance, threshold)
        ranks.append(basis.shape[1] - kept.shape[1])
        v = v + basis @ step  # RSL 2022, (2.219)
        basis = basis @ kept
    if preferred is not None:
        v = v + basis @ (basis.T @ (preferred_velocity(preferred, n) - v))
    return HierarchySolution(v, tuple(ranks), tuple(level.missing(v) for level in levels), basis.shape[1])


def _best_step(
    projected: Array, left: Array, scale: Any, tolerance: float, threshold: float
) -> tuple[Array, Array]:
    """Least-norm step (k,) towards what is left (m,), and a basis (k, k - rank) of the steps that do not matter."""
    columns = projected.shape[1]
    if columns == 0 or not len(projected) or scale == 0.0:
        return np.zeros(columns), np.eye(columns)
    u, values, vt = np.linalg.svd(projected)
    rank = int(np.count_nonzero(values > tolerance * scale))
    inverse = 1.0 / values[:rank]
    if threshold > 0.0:
        lost = np.clip(1.0 - values[:rank] / threshold, 0.0, 1.0)
        inverse = values[:rank] / (values[:rank] ** 2 + (threshold * lost * (2.0 - lost)) ** 2)
    return vt[:rank].T @ (inverse * (u[:, :rank].T @ left)), vt[rank:].T
