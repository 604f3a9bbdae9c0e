"""Velocity level: v from what the tasks want, by the inverse of one's choice.

RSL 2022, chapter 2, Schwienbacher 2014, (4.6)-(4.16).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.problem import Problem
from footfall.control.priorities import preferred_velocity, solve_hierarchy
from footfall.errors import InvalidInput, UnknownName
from footfall.math.generalised_inverses import (
    RANK_TOLERANCE,
    damped_inverse,
    decompose,
    filtered_inverse,
    motion_weighted_inverse,
    pseudo_inverse,
)

Method = Literal["hierarchy", "qp", "pseudo", "damped", "filtered", "weighted", "transpose"]
METHODS: tuple[str, ...] = ("hierarchy", "qp", "pseudo", "damped", "filtered", "weighted", "transpose")


def solve_velocity(
    problem: Problem,
    *,
    method: Method = "hierarchy",
    tolerance: float = RANK_TOLERANCE,
    damping: float = 0.1,
    threshold: float = 0.1,
    motion_weights: Array | None = None,
    preferred: Array | None = None,
) -> Array:
    """The velocity v (nv,) for a problem of `build_ik`.

    method: "hierarchy" and "qp" keep priorities and inequalities, "qp" also bounds. The others take all tasks at once,
    by weight: "pseudo" is the Moore-Penrose inverse, "damped" trades error for slow motion everywhere (RSL 2022,
    (2.208)), "filtered" only near singularities, "weighted" prefers joints with small motion_weights (nv,)
    (Schwienbacher 2014, (4.12)), "transpose" follows the gradient and inverts nothing (Schwienbacher 2014, chapter 4).
    tolerance: relative, of rank decisions. damping, threshold: in the unit of the weighted Jacobian. preferred: a
    velocity (nv,) for the null space, such as minus a cost's gradient.
    """
    if method in ("hierarchy", "qp"):
        bounds = problem.bounds if method == "qp" else None
        return solve_hierarchy(problem.levels, bounds=bounds, tolerance=tolerance, preferred=preferred).v
    rows = np.concatenate([~level.inequality | (level.rate > 0.0) for level in problem.levels])
    root = np.sqrt(np.concatenate([level.weight for level in problem.levels]))[rows]
    jacobian = root[:, None] * np.vstack([level.jacobian for level in problem.levels])[rows]
    rate = root * np.concatenate([level.rate for level in problem.levels])[rows]
    count = problem.robot.nv
    weights = np.ones(count) if motion_weights is None else np.asarray(motion_weights, dtype=np.float64)
    if weights.shape != (count,) or not (np.isfinite(weights) & (weights > 0.0)).all():
        raise InvalidInput(f"motion_weights are {weights.tolist()}; they must be {count} numbers above zero")
    if not (0.0 <= damping < np.inf and 0.0 <= threshold < np.inf):
        raise InvalidInput(f"damping is {damping}, threshold {threshold}; both are finite and at least zero")
    match method:
        case "transpose":
            return np.asarray(jacobian.T @ rate)
        case "pseudo":
            inverse = pseudo_inverse(jacobian, tolerance=tolerance)
        case "damped":
            inverse = damped_inverse(jacobian, damping)
        case "filtered":
            inverse = filtered_inverse(jacobian, threshold=threshold, damping=damping)
        case "weighted":
            inverse = motion_weighted_inverse(jacobian, weights, tolerance=tolerance)
        case _:
            raise UnknownName("method of velocity-level inverse kinematics", method, METHODS)
    v = inverse @ rate
    if preferred is not None:
        # Null-space motion by the exact projector: a damped one would disturb the tasks (Schwienbacher 2014, chapter
        # 4).
        root_weights = np.sqrt(weights)
        right = decompose(jacobian / root_weights, tolerance=tolerance).right
        scaled = root_weights * (preferred_velocity(preferred, count) - v)
        v = v + (scaled - right.T @ (right @ scaled)) / root_weights
    return np.asarray(v)


def scaled_to_bounds(v: Array, problem: Problem) -> tuple[Array, float]:
    """v (nv,) slowed down as a whole to keep the problem's bounds, and the factor in [0, 1].

    The direction stays, so that the tasks still go the right way. Zero must lie within the bounds.
    """
    lower, upper = problem.bounds
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(v > 0.0, upper / v, np.where(v < 0.0, lower / v, np.inf))
    factor = float(np.clip(np.min(ratios, initial=1.0), 0.0, 1.0))
    return factor * v, factor
