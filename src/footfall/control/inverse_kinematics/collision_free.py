"""Position level with volumes that stay apart: a sequence of quadratic programs within a trust region.

    step minimises  |e - J step|^2 / 2 + damping |step|^2 / 2   with   d + D step >= clearance, joints within limits

e: errors of the tasks, J their Jacobian; d: distances of the pairs within reach, D theirs. A step counts if it lowers
the cost together with what distances lack; else the region shrinks (Fletcher 1987, section 12.4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits, CollisionRows
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.control.quadratic_program import QuadraticProgram, solve_with_soft_rows

TOUCHING = 1e-6  # m by which a clearance may be missed
_FARTHEST = 0.5  # rad or m in one step
_SMALLEST = 1e-10  # rad or m; steps that change nothing
_DAMPING = 1e-4  # of a step, relative to the Jacobian, times the error


class _Place(NamedTuple):
    """A configuration: errors and Jacobian of the tasks, with weights; pairs within reach; what the merit is."""

    q: Array
    error: Array
    jacobian: Array
    rows: CollisionRows
    worst: float
    cost: float
    lacking: float

    @property
    def merit(self) -> float:
        return self.cost + 10.0 * self.lacking


def descend_apart(
    objective: Objective, collisions: CollisionLimits, start: Array, tolerance: float, iterations: int
) -> Progress:
    """Minimise from start (nq,) until the error is below tolerance and all pairs are apart."""
    at = _look(objective, collisions, objective.inside(start))
    history, farthest, reason = [float(np.linalg.norm(at.error))], _FARTHEST, "out of iterations"
    count = stalled = 0
    for count in range(1, iterations + 1):
        if at.worst <= tolerance and at.lacking <= TOUCHING:
            return Progress(at.q, at.cost, True, count - 1, "tasks are met", history)
        step = _step(objective, collisions, at, farthest)
        size = float(np.abs(step).max(initial=0.0))
        ahead = _look(objective, collisions, objective.moved(at.q, step))
        if ahead.merit < at.merit:
            stalled = stalled + 1 if at.merit - ahead.merit <= 1e-9 * at.merit else 0
            at, farthest = ahead, min(2.0 * max(size, farthest / 2), _FARTHEST)
        else:
            farthest = size / 4
        history.append(float(np.linalg.norm(at.error)))
        if size < _SMALLEST or farthest < _SMALLEST or stalled >= 5:
            reason = "volumes are in the way" if len(at.rows.distance) else "the error does not fall any more"
            break
    reached = at.worst <= tolerance and at.lacking <= TOUCHING
    return Progress(at.q, at.merit, reached, count, "tasks are met" if reached else reason, history)


def _look(objective: Objective, collisions: CollisionLimits, q: Array) -> _Place:
    error, jacobian = objective.evaluate(q)
    worst, root = float(np.abs(error).max()), objective.root_weights
    rows = collisions.rows(objective.stack.robot, q)
    lacking = float(np.maximum(collisions.clearance - rows.distance, 0.0).sum())
    return _Place(q, root * error, root[:, None] * jacobian, rows, worst, objective.cost(error), lacking)


def _step(objective: Objective, collisions: CollisionLimits, at: _Place, farthest: float) -> Array:
    """A step (nv,) within the trust region, joint limits and distances."""
    size = at.jacobian.shape[1]
    hessian = at.jacobian.T @ at.jacobian
    scale = float(np.trace(hessian)) / size
    hessian[np.diag_indices(size)] += scale * (1e-9 + _DAMPING * min(1.0, float(at.error @ at.error)))
    lower, upper = np.full(size, -farthest), np.full(size, farthest)
    in_q, in_v, least, most, turning = objective.box
    held = ~turning
    lower[in_v[held]] = np.clip(least[held] - at.q[in_q[held]], -farthest, 0.0)
    upper[in_v[held]] = np.clip(most[held] - at.q[in_q[held]], 0.0, farthest)
    wanted = collisions.clearance - at.rows.distance
    program = QuadraticProgram(
        hessian,
        -(at.jacobian.T @ at.error),
        at.rows.jacobian,
        np.concatenate([lower, wanted]),
        np.concatenate([upper, np.full(len(wanted), 1e30)]),
    )
    return solve_with_soft_rows(program)
