"""Newton's method on the tasks: Algorithm 1 of RSL 2022, (2.242)-(2.244), Schwienbacher 2014, chapter 4, with
priorities if there are any."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.hierarchy import solve_hierarchy
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.control.inverse_kinematics.problem import split_levels
from footfall.math.generalised_inverses import RANK_TOLERANCE, pseudo_inverse


def newton(
    objective: Objective,
    start: Array,
    tolerance: float,
    iterations: int,
    *,
    method: str = "newton",
    gain: float = 1.0,
    refresh: int = 1,
) -> Progress:
    """Iterate from start (nq,): `q <- q + gain J+ error`, J made anew every `refresh` iterations.

    method: "newton" by the pseudo-inverse of all tasks, "hierarchy" by priorities, "transpose" with J^T for J+.
    """
    q = objective.inside(start)
    error, jacobian = objective.evaluate(q)
    history = [float(np.linalg.norm(error))]
    count = 0
    reason = "out of iterations"
    while np.abs(error).max() > tolerance and count < iterations:
        root = objective.root_weights
        if method == "transpose":
            step = jacobian.T @ (root**2 * error)
        elif method == "hierarchy":
            step = _by_priority(objective, error, jacobian)
        else:
            step = pseudo_inverse(root[:, None] * jacobian) @ (root * error)
        q = objective.moved(q, gain * step)
        error, newer = objective.evaluate(q)
        count += 1
        if count % refresh == 0:
            jacobian = newer
        history.append(float(np.linalg.norm(error)))
        if not np.isfinite(history[-1]):
            reason = "the iteration diverged"
            break
        if np.abs(step).max() < 1e-14 or (method == "hierarchy" and np.abs(step).max() < 1e-10):
            reason = "no step changes anything any more"
            break
    done = bool(np.abs(error).max() <= tolerance)
    return Progress(q, objective.cost(error), done, count, "tasks are met" if done else reason, history)


def _by_priority(objective: Objective, error: Array, jacobian: Array) -> Array:
    """The step (nv,) of the hierarchy; near singular poses it is damped, and no joint goes farther than 1/2."""
    levels = split_levels(objective.stack, jacobian, error, objective.root_weights**2)
    step = solve_hierarchy(levels, tolerance=RANK_TOLERANCE, threshold=0.02).v
    return step / max(1.0, 2 * float(np.abs(step).max()))
