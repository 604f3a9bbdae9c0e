"""Levenberg and Marquardt's method with joint limits: damped Newton steps that always lower the error.

The damping is in proportion to the squared error (Sugihara 2011), so that it vanishes where the solver converges and
convergence is quadratic; joints pressed against their stops are held while the others move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.control.inverse_kinematics.objective import Objective, Progress

Array = np.ndarray[Any, np.dtype[Any]]
_FARTHEST = 0.7  # rad or m in one step: beyond, the Jacobian says nothing
_FLOOR = 1e-12  # damping that keeps redundant robots solvable, relative to the Jacobian
_STALLED = 1e-9  # relative decrease of the cost that is no progress


def levenberg_marquardt(objective: Objective, start: Array, tolerance: float, iterations: int) -> Progress:
    """Minimise from start (nq,) until the largest entry of the error is below tolerance."""
    q = objective.inside(start)
    error, jacobian = objective.evaluate(q)
    cost = objective.cost(error)
    factor, history, stalled = 1e-2, [float(np.linalg.norm(error))], 0
    for iteration in range(iterations):
        if np.abs(error).max() <= tolerance:
            return Progress(q, cost, True, iteration, "tasks are met", history)
        weighted = objective.root_weights[:, None] * jacobian
        downhill = weighted.T @ (objective.root_weights * error)
        normal = weighted.T @ weighted
        scale = float(np.trace(normal)) / len(normal)
        before = cost
        for _ in range(12):
            damping = factor * cost + _FLOOR * scale
            step = _step(objective, q, normal, downhill, damping)
            step = step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-12))
            candidate = objective.moved(q, step)
            new_error, new_jacobian = objective.evaluate(candidate)
            new_cost = objective.cost(new_error)
            if new_cost < cost:
                q, error, jacobian, cost = candidate, new_error, new_jacobian, new_cost
                factor = max(factor / 4, 1e-6)
                break
            factor = max(factor * 8, 1e-3 * scale / max(cost, 1e-300))
        history.append(float(np.linalg.norm(error)))
        stalled = stalled + 1 if before - cost <= _STALLED * before else 0
        if stalled >= 3 or cost == before:
            done = bool(np.abs(error).max() <= tolerance)
            return Progress(q, cost, done, iteration + 1, "the error does not fall any more", history)
    done = bool(np.abs(error).max() <= tolerance)
    return Progress(q, cost, done, iterations, "tasks are met" if done else "out of iterations", history)


def _step(objective: Objective, q: Array, normal: Array, downhill: Array, damping: float) -> Array:
    """The damped Newton step (nv,), with those joints held that it would press against their stops."""
    free = objective.free(q, downhill)
    step = np.zeros(len(downhill))
    for _ in range(3):
        if not free.any():
            return step
        block = normal[np.ix_(free, free)] + damping * np.eye(int(free.sum()))
        step = np.zeros(len(downhill))
        step[free] = np.linalg.solve(block, downhill[free])
        pressed = free & ~objective.free(q, step)
        if not pressed.any():
            return step
        free &= ~pressed
    return np.where(free, step, 0.0)
