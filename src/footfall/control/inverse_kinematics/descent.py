"""Minimising the squared error by directions and line searches (Schwienbacher 2014, chapter 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.line_search import armijo, wolfe
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.errors import NoDescent, UnknownName

DIRECTIONS: tuple[str, ...] = ("steepest", "gauss_newton", "quasi_newton", "conjugate_gradient")
SEARCHES: dict[str, Callable[..., float]] = {"wolfe": wolfe, "armijo": armijo}
_REGULARISATION = 1e-6  # redundant robots have a rank-deficient J^T J; relative to its trace


def descend(
    objective: Objective, start: Array, tolerance: float, iterations: int, *, direction: str, search: str
) -> Progress:
    """Minimise from start (nq,) along a direction, with the line search "wolfe" or "armijo"."""
    if search not in SEARCHES:
        raise UnknownName("line search", search, SEARCHES)
    q = objective.inside(start)
    error, jacobian = objective.evaluate(q)
    cost, gradient = objective.cost(error), _gradient(objective, error, jacobian)
    history = [float(np.linalg.norm(error))]
    curvature = np.eye(len(gradient))  # inverse Hessian of the quasi-Newton method
    previous, last_gradient = np.zeros(len(gradient)), gradient
    reason, count = "out of iterations", 0
    while np.abs(error).max() > tolerance and count < iterations:
        if direction == "gauss_newton":
            way = _gauss_newton(objective, jacobian, gradient)
        elif direction == "quasi_newton":
            way = -curvature @ gradient
        elif direction == "conjugate_gradient" and count > 0:
            share = gradient @ (gradient - last_gradient) / (last_gradient @ last_gradient)  # Polak, Ribiere
            way = -gradient + max(0.0, float(share)) * previous
        else:
            way = -gradient
        if way @ gradient >= 0.0:
            way, curvature = -gradient, np.eye(len(gradient))
        way = np.where(objective.free(q, way), way, 0.0)
        try:
            step = SEARCHES[search](_along(objective, q, way), cost, float(way @ gradient))
        except NoDescent:
            reason = "the error does not fall any more"
            break
        q = objective.moved(q, step * way)
        error, jacobian = objective.evaluate(q)
        previous, last_gradient = way, gradient
        cost, gradient = objective.cost(error), _gradient(objective, error, jacobian)
        curvature = _updated(curvature, step * way, gradient - last_gradient, first=count == 0)
        history.append(float(np.linalg.norm(error)))
        count += 1
    done = bool(np.abs(error).max() <= tolerance)
    return Progress(q, cost, done, count, "tasks are met" if done else reason, history)


def _gradient(objective: Objective, error: Array, jacobian: Array) -> Array:
    """Gradient (nv,) of the cost; exact for rotations too, see `TaskValue`."""
    result: Array = -jacobian.T @ (objective.root_weights**2 * error)
    return result


def _gauss_newton(objective: Objective, jacobian: Array, gradient: Array) -> Array:
    weighted = objective.root_weights[:, None] * jacobian
    normal = weighted.T @ weighted
    normal += _REGULARISATION * np.trace(normal) * np.eye(len(normal))
    return np.asarray(np.linalg.solve(normal, -gradient), dtype=np.float64)


def _along(objective: Objective, q: Array, way: Array) -> Any:
    """Cost and slope as functions of the step length; coordinates that have met a limit do not move on."""

    def along(step: float) -> tuple[float, float]:
        moved = objective.moved(q, step * way)
        error, jacobian = objective.evaluate(moved)
        moving = np.where(objective.free(moved, way), way, 0.0)
        return objective.cost(error), float(_gradient(objective, error, jacobian) @ moving)

    return along


def _updated(inverse: Array, step: Array, change: Array, *, first: bool) -> Array:
    """Broyden, Fletcher, Goldfarb and Shanno's inverse Hessian (n, n) after a step."""
    product = float(step @ change)
    if product <= 1e-14 * float(np.linalg.norm(step) * np.linalg.norm(change)):
        return inverse
    if first:
        inverse = inverse * (product / float(change @ change))
    left = np.eye(len(step)) - np.outer(step, change) / product
    return left @ inverse @ left.T + np.outer(step, step) / product
