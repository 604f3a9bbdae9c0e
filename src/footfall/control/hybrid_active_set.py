"""Constraints with bounded forces: an active set around hybrid dynamics, Devaramani 2019, chapter 4.

Of each row either the force is within its bounds and the set-point is met, or the force is at a bound and the
acceleration is beyond the set-point on the side that the force cannot help with. Rows that others prevent altogether
count as needing an endless force: they give way to their bound, if they have one, else to those before them. That is
why `dual_active_set.py` cannot solve them: its Hessian is positive definite, here rows depend on rows before them.

The Popov-Vereshchagin solver knows constraints on single segments. Where rows on joint accelerations stand among them
(postures, centres of mass, momentum), all are solved together by dense equations `J M^-1 J^T f = set-points - free
accelerations`, in the same order and with the same decision on what depends on rows before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.hybrid import HybridMotion, constraint_system, hybrid_dynamics
from footfall.dynamics.hybrid_actuation import constraint_jacobian
from footfall.dynamics.hybrid_elimination import solve_semidefinite
from footfall.dynamics.hybrid_rows import BoundedRows, stacked_rows
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.model import Robot


class JointRows(NamedTuple):
    """k rows `matrix a = setpoints` on accelerations a (nv,): matrix (k, nv), the others (k,) as in `BoundedRows`."""

    matrix: Array
    setpoints: Array
    lower: Array
    upper: Array
    compliance: Array
    on: Array


class DenseMotion(NamedTuple):
    """jacobian: (k, nv) of all rows. solve(forces (k,), active (k,)): the motion where active rows hold and the others
    push with given forces."""

    jacobian: Array
    solve: Callable[[Array, Array], HybridMotion]


def dense_motion(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    blocks: Sequence[BoundedRows | JointRows],
    *,
    wrenches: Mapping[str, Array] | None = None,
) -> DenseMotion:
    """Rows of all kinds in the state q (nq,), v (nv,) under tau (nv,) and wrenches by frame."""
    pushed = {} if wrenches is None else {"wrenches": wrenches}
    free = np.asarray(forward_dynamics(robot, q, v, tau, **pushed))
    jacobians, missing = [], []
    for block in blocks:
        if isinstance(block, JointRows):
            jacobians.append(block.matrix)
            missing.append(block.setpoints - block.matrix @ free)
            continue
        held = {"constraints": block.constraints, "directions": block.directions}
        jacobians.append(np.asarray(constraint_jacobian(robot, q, **held)))
        system = constraint_system(robot, q, v, tau, **held, **pushed)
        missing.append(block.setpoints - system.free_accelerations)
    jacobian, left = np.vstack(jacobians), np.concatenate(missing)
    compliance = np.concatenate([block.compliance for block in blocks])
    mass = np.asarray(mass_matrix(robot, q))
    response = np.linalg.solve(mass, jacobian.T)  # M^-1 J^T
    mobility = jacobian @ response
    scales = (jacobian**2) @ (1.0 / np.diag(mass))  # what the rows have if joints do not couple

    def solve(forces: Array, active: Array) -> HybridMotion:
        moved = free + response @ forces
        wanted = (left - mobility @ forces) * active
        matrix = mobility * np.outer(active, active) + np.diag(compliance)
        found = solve_semidefinite(matrix.tolist(), wanted.tolist(), (scales * active).tolist())
        held = np.array(found.x) * active
        residuals = (left - mobility @ (forces + held)) * active
        kept = np.array(found.kept) * active
        torques = held @ jacobian
        return HybridMotion(
            moved + response @ held, held, residuals, kept, tau + forces @ jacobian, torques, np.zeros((0, 6))
        )

    return DenseMotion(jacobian, solve)


_FORCE_TOLERANCE, _RATE_TOLERANCE = 1e-9, 1e-7  # of the greatest force, of the greatest acceleration
_MOST_RETURNS = 2  # of one row to the active set: what keeps an undecided one from going on for ever


class BoundedMotion(NamedTuple):
    """motion: with rows at their bounds as joint forces. forces: (k,) of all rows. jacobian: (k, nv) of the rows.

    at: (k,) -1 at the lower bound, 1 at the upper one, 0 where the set-point holds. reached: (k,) accelerations along
    the rows, m/s2 or rad/s2. rounds: how often the equations were solved.
    """

    motion: HybridMotion
    forces: Array
    jacobian: Array
    at: Array
    reached: Array
    rounds: int


class _Bounds(NamedTuple):
    """Of the forces of all rows; on: those that take part at all."""

    setpoints: Array
    lower: Array
    upper: Array
    on: Array


def solve_bounded(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    rows: BoundedRows | Sequence[BoundedRows | JointRows],
    *,
    wrenches: Mapping[str, Array] | None = None,
) -> BoundedMotion:
    """Motion in the state q (nq,), v (nv,) under tau (nv,), wrenches by frame, and rows with bounded forces.

    rows: the first are the most important; constraints on segments are solved in O(n), rows on joint accelerations
    among them by dense equations. Rows whose bounds are equal are given forces from the start.
    """
    blocks = [rows] if isinstance(rows, BoundedRows) else list(rows)
    pushed = {} if wrenches is None else {"wrenches": wrenches}
    segments = [block for block in blocks if isinstance(block, BoundedRows)]
    if len(segments) == len(blocks):
        whole = stacked_rows(segments)
        jacobian = np.asarray(
            constraint_jacobian(robot, q, constraints=whole.constraints, directions=whole.directions)
        )

        def by_segments(forces: Array, active: Array) -> HybridMotion:
            motion: HybridMotion = hybrid_dynamics(
                robot,
                q,
                v,
                tau + forces @ jacobian,
                constraints=whole.constraints,
                setpoints=whole.setpoints,
                directions=whole.directions,
                active=active,
                compliance=whole.compliance,
                **pushed,
            )
            return motion

        return _active_set(
            _Bounds(whole.setpoints, whole.lower, whole.upper, whole.on), jacobian, by_segments
        )
    dense = dense_motion(robot, q, v, tau, blocks, wrenches=wrenches)
    bounds = _Bounds(
        *(np.concatenate([getattr(block, name) for block in blocks]) for name in _Bounds._fields)
    )
    return _active_set(bounds, dense.jacobian, dense.solve)


def _active_set(
    rows: _Bounds, jacobian: Array, solve: Callable[[Array, Array], HybridMotion]
) -> BoundedMotion:
    """solve(forces (k,), active (k,)): the motion where active rows hold and the others push with given forces."""
    given = rows.lower == rows.upper
    at = np.where(given, 1.0, 0.0)
    returns = np.where(given, _MOST_RETURNS, 0)
    origin = None  # accelerations along the rows and of the joints in the first round
    rounds = 0
    while True:
        rounds += 1
        bounds = np.where(at > 0.0, rows.upper, np.where(at < 0.0, rows.lower, 0.0)) * rows.on
        motion = solve(bounds, rows.on * (at == 0.0))
        if origin is None:
            origin = rows.setpoints - motion.residuals, motion.accelerations
            pulling = (rows.lower == 0.0) & (motion.forces < -_FORCE_TOLERANCE) & (rows.on > 0.0) & ~given
            if pulling.sum() > 1:  # let go of all at once; those that should have stayed come back
                at[pulling] = -1.0
                continue
        reached = origin[0] + jacobian @ (motion.accelerations - origin[1])
        change = _to_clamp(rows, motion, at)
        if change is None and rounds <= 4 * len(at) + 8:
            change = _to_free(rows, reached, at, returns)
        if change is None:
            return BoundedMotion(motion, motion.forces + bounds, jacobian, at, reached, rounds)
        row, side = change
        returns[row] += side == 0.0
        at[row] = side


def _to_clamp(rows: _Bounds, motion: HybridMotion, at: Array) -> tuple[int, float] | None:
    """The row that is farthest beyond its bounds, and on which side."""
    holding = (at == 0.0) & (rows.on > 0.0)
    if not holding.any():
        return None
    scale = max(1.0, float(np.abs(motion.forces).max()))
    excess = np.where(holding, np.maximum(motion.forces - rows.upper, rows.lower - motion.forces), -np.inf)
    worst = int(np.argmax(excess))
    if excess[worst] > _FORCE_TOLERANCE * scale:
        return worst, 1.0 if motion.forces[worst] > rows.upper[worst] else -1.0
    # prevented by rows before it: more force would be needed, endlessly
    lacking = np.where(holding & (motion.kept == 0.0), motion.residuals, 0.0)
    lacking = np.where(np.isfinite(np.where(lacking > 0.0, rows.upper, rows.lower)), lacking, 0.0)
    worst = int(np.argmax(np.abs(lacking)))
    if abs(lacking[worst]) > _RATE_TOLERANCE * max(1.0, float(np.abs(rows.setpoints).max())):
        return worst, float(np.sign(lacking[worst]))
    return None


def _to_free(rows: _Bounds, reached: Array, at: Array, returns: Array) -> tuple[int, float] | None:
    """The row at a bound that would rather hold its set-point: the bound pushes it too far, or not far enough."""
    beyond = np.where(
        (at != 0.0) & (rows.on > 0.0) & (returns < _MOST_RETURNS), at * (reached - rows.setpoints), 0.0
    )
    if not len(beyond):
        return None
    worst = int(np.argmax(beyond))
    if beyond[worst] > _RATE_TOLERANCE * max(1.0, float(np.abs(rows.setpoints).max())):
        return worst, 0.0
    return None
