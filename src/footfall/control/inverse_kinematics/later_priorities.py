"""Lower priorities on position level: what they can have without taking anything from those before them.

The first priority is met (or missed as little as can be) before anybody asks for the second. Each step for a later one
lies in the null space of all before it; what curvature spoils is taken back by a few steps of the first ones, and a
step that cannot be taken back is made smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.arrays import Array, Flags
from footfall.control.inverse_kinematics.levenberg_marquardt import levenberg_marquardt
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.control.tasks.stack import TaskStack
from footfall.math.generalised_inverses import RANK_TOLERANCE, null_space_basis

_FARTHEST = 0.7  # rad or m in one step: beyond, the Jacobian says nothing
_CORRECTION = 20  # steps that take back what curvature spoiled
_UNCHANGED = 1e-9  # relative decrease of the cost that is no progress
_SMALLEST = 1e-12  # step, rad or m, below which nothing changes
_KEPT = 1e-6  # relative increase of the cost of an earlier priority that is rounding


def refine(
    before: Sequence[Objective], goal: Objective, first: Progress, tolerance: float, iterations: int
) -> Progress:
    """Improve a goal from where objectives before it have led (first), without loss for them."""
    q, count, stalled, damping = first.q, first.iterations, 0, 1e-3
    costs = [each.cost(each.evaluate(q)[0]) for each in before]
    met = [each for each in before if np.abs(each.evaluate(q)[0]).max() <= tolerance]
    back = _together(met)
    error, jacobian = goal.evaluate(q)
    cost = goal.cost(error)
    for _ in range(iterations):
        if np.abs(error).max() <= tolerance or stalled >= 3:
            break
        step = _step(before, goal, q, error, jacobian, damping)
        if np.abs(step).max(initial=0.0) < _SMALLEST:
            break
        candidate = goal.moved(q, step)
        if back is not None:
            candidate = levenberg_marquardt(back, candidate, tolerance, _CORRECTION).q
        count += 1
        new_error, new_jacobian = goal.evaluate(candidate)
        new_cost = goal.cost(new_error)
        if new_cost < cost and _harmless(before, candidate, costs, met, tolerance):
            stalled = stalled + 1 if cost - new_cost <= _UNCHANGED * cost else 0
            q, error, jacobian, cost = candidate, new_error, new_jacobian, new_cost
            damping = max(damping / 4, 1e-9)
        else:
            stalled = stalled + 1 if damping > 1e6 else stalled
            damping *= 8
    return replace(first, q=q, iterations=count)


def _together(objectives: Sequence[Objective]) -> Objective | None:
    """Objectives that can all be met, as one."""
    if len(objectives) < 2:
        return objectives[0] if objectives else None
    tasks = [task for each in objectives for task in each.stack.tasks]
    return Objective(TaskStack(objectives[0].stack.robot, tasks), objectives[0].limits)


def _harmless(
    before: Sequence[Objective],
    q: Array,
    costs: Sequence[float],
    met: Sequence[Objective],
    tolerance: float,
) -> bool:
    """Whether those that were met still are, and the others have not lost anything."""
    for each, cost in zip(before, costs, strict=True):
        error, _ = each.evaluate(q)
        if each in met:
            if np.abs(error).max() > tolerance:
                return False
        elif each.cost(error) > cost * (1.0 + _KEPT):
            return False
    return True


def _step(
    before: Sequence[Objective], goal: Objective, q: Array, error: Array, jacobian: Array, damping: float
) -> Array:
    """A damped step (nv,) for the goal that none before it feels; joints that it would press to stops are held."""
    root = goal.root_weights
    rows, left = root[:, None] * jacobian, root * error
    earlier = np.vstack([each.root_weights[:, None] * each.evaluate(q)[1] for each in before])
    free: Flags = np.ones(rows.shape[1], dtype=bool)
    step = np.zeros(rows.shape[1])
    for _ in range(5):
        axes = null_space_basis(earlier[:, free], tolerance=RANK_TOLERANCE)
        along = rows[:, free] @ axes
        normal = along.T @ along
        normal += (damping * np.trace(normal) + 1e-300) * np.eye(len(normal))
        step[:] = 0.0
        step[free] = axes @ np.linalg.solve(normal, along.T @ left) if len(normal) else 0.0
        pressed = free & ~goal.free(q, step)
        if not pressed.any():
            break
        free &= ~pressed
    largest = float(np.abs(step).max(initial=0.0))
    return step * min(1.0, _FARTHEST / largest) if largest > 0.0 else step
