"""Inverse kinematics as textbooks have it: generalised inverses on velocity level; on position level Newton,
transpose, descents with line searches.

RSL 2022, (2.242)-(2.244) and Schwienbacher 2014, chapter 4. `solve_ik` is faster and meets more targets than any of
them (benchmarks/search_methods.md); they are here to be compared, and to be read beside the books.

| method | step |
|---|---|
| newton | `gain J+ e`, J made anew every `refresh` iterations |
| hierarchy | the same by priorities, damped near singular poses |
| transpose | `gain J^T e`: inverts nothing |
| steepest, gauss_newton, quasi_newton, conjugate_gradient | along a direction, as far as a line search says |

Line searches get `along(step)`, the cost and its derivative at a step length, and start at the whole step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.limits import Limits
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.control.inverse_kinematics.position import Effort, Solution, search_together
from footfall.control.inverse_kinematics.velocity import VelocityProblem, split_levels
from footfall.control.priorities import HierarchySolution, Level, preferred_velocity
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidInput, NoSolution, UnknownName
from footfall.math.generalised_inverses import (
    RANK_TOLERANCE,
    damped_inverse,
    decompose,
    filtered_inverse,
    motion_weighted_inverse,
    null_space_basis,
    pseudo_inverse,
)
from footfall.robot.model import Robot

Along = Callable[[float], tuple[float, float]]
Direction = Literal["steepest", "gauss_newton", "quasi_newton", "conjugate_gradient"]
TextbookMethod = Literal["newton", "hierarchy", "transpose", Direction]
METHODS: tuple[str, ...] = ("newton", "hierarchy", "transpose", *get_args(Direction))
Inverse = Literal["pseudo", "damped", "filtered", "weighted", "transpose"]
INVERSES: tuple[str, ...] = get_args(Inverse)
_REGULARISATION = 1e-6  # redundant robots have a rank-deficient J^T J; relative to its trace


def solve_ik_textbook(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    *,
    method: TextbookMethod = "newton",
    gain: float = 1.0,
    refresh: int = 1,
    line_search: Literal["wolfe", "armijo"] = "wolfe",
    limits: Limits = Limits(velocity=None),  # noqa: B008 (immutable)
    tolerance: float = 1e-8,
    iterations: int = 100,
    restarts: int = 0,
    seed: int = 0,
    time: float = 0.0,
) -> Solution:
    """A configuration that meets all tasks in one search by a method of the books; compare `solve_ik`.

    method, gain, refresh, line_search: see the table of this module. limits, tolerance, iterations, restarts, seed,
    time: as of `solve_ik`.
    """
    if not (gain > 0.0 and refresh >= 1):
        raise InvalidInput(f"gain {gain} and refresh {refresh} must be above zero")
    if method not in METHODS:
        raise UnknownName("method of inverse kinematics", method, METHODS)
    if line_search not in SEARCHES:
        raise UnknownName("line search", line_search, SEARCHES)

    def descent(objective: Objective, start: Array) -> Progress:
        if method in get_args(Direction):
            return descend(objective, start, tolerance, iterations, direction=method, search=line_search)
        return newton(objective, start, tolerance, iterations, method=method, gain=gain, refresh=refresh)

    effort = Effort(tolerance, iterations, restarts, seed)
    return search_together(robot, q, tasks, limits, effort, time, descent)


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
    step = solve_damped_hierarchy(levels, threshold=0.02).v
    return step / max(1.0, 2 * float(np.abs(step).max()))


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
            heading = _gauss_newton(objective, jacobian, gradient)
        elif direction == "quasi_newton":
            heading = -curvature @ gradient
        elif direction == "conjugate_gradient" and count > 0:
            share = gradient @ (gradient - last_gradient) / (last_gradient @ last_gradient)  # Polak, Ribiere
            heading = -gradient + max(0.0, float(share)) * previous
        else:
            heading = -gradient
        if heading @ gradient >= 0.0:
            heading, curvature = -gradient, np.eye(len(gradient))
        heading = np.where(objective.free(q, heading), heading, 0.0)
        try:
            step = SEARCHES[search](_along(objective, q, heading), cost, float(heading @ gradient))
        except NoSolution:
            reason = "the error does not fall any more"
            break
        q = objective.moved(q, step * heading)
        error, jacobian = objective.evaluate(q)
        previous, last_gradient = heading, gradient
        cost, gradient = objective.cost(error), _gradient(objective, error, jacobian)
        curvature = _updated(curvature, step * heading, gradient - last_gradient, first=count == 0)
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


def _along(objective: Objective, q: Array, heading: Array) -> Any:
    """Cost and slope as functions of the step length; coordinates that have met a limit do not move on."""

    def along(step: float) -> tuple[float, float]:
        moved = objective.moved(q, step * heading)
        error, jacobian = objective.evaluate(moved)
        moving = np.where(objective.free(moved, heading), heading, 0.0)
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


def _no_descent(slope: float, evaluations: int) -> NoSolution:
    return NoSolution(
        f"the cost does not fall along the direction: its slope is {slope:.3g} and must be negative, "
        f"{evaluations} steps tried"
    )


def armijo(
    along: Along, cost: float, slope: float, *, decrease: float = 1e-4, shrink: float = 0.5, most: int = 40
) -> float:
    """A step that lowers the cost by at least `decrease` times what its slope promises.

    cost, slope: at step zero. shrink: factor between steps tried, at most `most` of them.
    """
    step = 1.0
    if slope < 0.0:
        for _ in range(most):
            if along(step)[0] <= cost + decrease * step * slope:
                return step
            step *= shrink
    raise _no_descent(slope, most)


def wolfe(
    along: Along,
    cost: float,
    slope: float,
    *,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    most: int = 40,
) -> float:
    """A step that fulfils the strong Wolfe conditions: low enough, and flatter than `curvature` times the start.

    cost, slope: at step zero. First a bracket is found by doubling, then it is narrowed with parabolas through the
    known values, kept away from its ends.
    """
    if not slope < 0.0:
        raise _no_descent(slope, 0)
    low, low_cost, low_slope = 0.0, cost, slope
    high: float | None = None
    step = 1.0
    best: float | None = None
    for _ in range(most):
        here, here_slope = along(step)
        if here > cost + decrease * step * slope or (low > 0.0 and here >= low_cost):
            high = step
        elif abs(here_slope) <= -curvature * slope:
            return step
        else:
            best = step
            if here_slope * ((high if high is not None else 2 * step) - low) >= 0.0:
                high = low
            low, low_cost, low_slope = step, here, here_slope
        if high is None:
            step = 2 * step
            continue
        width = high - low
        if abs(width) < 1e-14:
            break
        far = along(high)[0]
        bend = far - low_cost - low_slope * width
        guess = 0.5 if bend <= 0.0 else -low_slope * width / (2 * bend)
        step = low + min(max(guess, 0.1), 0.9) * width
    if best is None:
        raise _no_descent(slope, most)
    return best  # low enough, but steeper than asked for: the cost is flat to rounding


SEARCHES: dict[str, Callable[..., float]] = {"wolfe": wolfe, "armijo": armijo}


def solve_velocity_textbook(
    problem: VelocityProblem,
    *,
    method: Inverse = "pseudo",
    tolerance: float = RANK_TOLERANCE,
    damping: float = 0.1,
    threshold: float = 0.1,
    motion_weights: Array | None = None,
    preferred: Array | None = None,
) -> Array:
    """The velocity v (nv,) for a problem of `build_ik` that takes all tasks at once, by weight; compare
    `solve_velocity`.

    method: "pseudo" is the Moore-Penrose inverse, "damped" trades error for slow motion everywhere (RSL 2022, (2.208)),
    "filtered" only near singularities, "weighted" prefers joints with small motion_weights (nv,) (Schwienbacher 2014,
    (4.12)), "transpose" follows the gradient and inverts nothing (Schwienbacher 2014, chapter 4). tolerance: relative,
    of rank decisions. damping, threshold: in the unit of the weighted Jacobian. preferred: a velocity (nv,) for the
    null space, such as minus a cost's gradient.
    """
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
            raise UnknownName("method of velocity-level inverse kinematics", method, INVERSES)
    v = inverse @ rate
    if preferred is not None:
        # Null-space motion by the exact projector: a damped one would disturb the tasks (Schwienbacher 2014, chapter
        # 4).
        root_weights = np.sqrt(weights)
        right = decompose(jacobian / root_weights, tolerance=tolerance).right
        scaled = root_weights * (preferred_velocity(preferred, count) - v)
        v = v + (scaled - right.T @ (right @ scaled)) / root_weights
    return np.asarray(v)


def solve_damped_hierarchy(
    levels: Sequence[Level],
    *,
    threshold: float,
    tolerance: float = RANK_TOLERANCE,
    preferred: Array | None = None,
) -> HierarchySolution:
    """Priorities by projection, RSL 2022, (2.219), damped near singular poses; compare `solve_hierarchy`.

    threshold: singular values below it are damped, see `filtered_inverse`. Inequalities count only where the levels
    before break them. tolerance: of rank decisions, relative to the Jacobian before its projection. preferred: velocity
    (n,) for the directions that no level needs.
    """
    n = levels[0].jacobian.shape[1]
    v, basis, ranks = np.zeros(n), np.eye(n), []
    for level in levels:
        active = ~level.inequality | (level.rate - level.jacobian @ v > 0.0)
        root = np.sqrt(level.weight[active])
        jacobian = root[:, None] * level.jacobian[active]
        seen = decompose(jacobian @ basis, tolerance=tolerance, scale=float(np.linalg.norm(jacobian)))
        inverse = filtered_inverse(np.diag(seen.values), threshold=threshold, damping=threshold)
        left = seen.left.T @ (root * level.rate[active] - jacobian @ v)
        ranks.append(seen.rank)
        v = v + basis @ (seen.right.T @ (inverse @ left))
        basis = basis @ null_space_basis(seen.right)
    if preferred is not None:
        v = v + basis @ (basis.T @ (preferred_velocity(preferred, n) - v))
    return HierarchySolution(v, tuple(ranks), tuple(level.missing(v) for level in levels), basis.shape[1])
