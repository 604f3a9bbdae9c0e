"""Position level: the configuration that meets the tasks, or comes closest.

RSL 2022, (2.242)-(2.244), Schwienbacher 2014, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits
from footfall.control.inverse_kinematics.collision_free import TOUCHING, descend_apart
from footfall.control.inverse_kinematics.descent import DIRECTIONS, descend
from footfall.control.inverse_kinematics.levenberg_marquardt import levenberg_marquardt
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Limits
from footfall.control.inverse_kinematics.newton import newton
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.control.inverse_kinematics.priorities import refine
from footfall.control.inverse_kinematics.problem import by_task
from footfall.control.inverse_kinematics.starts import closest, promising_start
from footfall.control.requests import checked_array
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidTask, TargetOutOfReach, UnknownName
from footfall.math.generalised_inverses import Singularity, singularity
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair

_GRADE = 1e-3  # weight of a priority beside that before it, where volumes must stay apart
Method = Literal[
    "levenberg_marquardt",
    "newton",
    "hierarchy",
    "transpose",
    "steepest",
    "gauss_newton",
    "quasi_newton",
    "conjugate_gradient",
]
METHODS: tuple[str, ...] = ("levenberg_marquardt", "newton", "hierarchy", "transpose", *DIRECTIONS)


@dataclass(frozen=True, eq=False)
class Solution:
    """The configuration q (nq,) that was found.

    reached: whether the tasks of the first priority are met to the tolerance. levels: the same of each priority, first
    comes first. distance: norm of the weighted error of the first priority that is left. error (m,): of all rows.
    residuals: norm of each task's error, by label, m and rad. iterations: of all starts together;
    restarts: how often it began anew. descents: how often more, to find the closest pose after all of these had failed.
    reason: why it stopped. singularity: of the Jacobian there. history: the error's norm after each iteration of the
    start that q is from. closest: with collision limits, the closest pair of volumes within their reach and its
    distance, m; tasks are only reached where no pair is closer than the clearance.
    """

    q: Array
    reached: bool
    levels: tuple[bool, ...]
    distance: float
    error: Array
    residuals: dict[str, float]
    iterations: int
    restarts: int
    descents: int
    reason: str
    singularity: Singularity
    history: tuple[float, ...]
    closest: tuple[Pair, float] | None = None

    def require(self) -> Array:
        """q (nq,), or `TargetOutOfReach` with this solution where tasks of the first priority are not met."""
        if not self.reached:
            raise TargetOutOfReach(self)
        return self.q


def solve_ik(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    *,
    method: Method | None = None,
    limits: Limits = Limits(velocity=None),  # noqa: B008 (immutable)
    tolerance: float = 1e-8,
    iterations: int = 100,
    restarts: int = 0,
    seed: int = 0,
    gain: float = 1.0,
    line_search: Literal["wolfe", "armijo"] = "wolfe",
    refresh: int = 1,
    collisions: CollisionLimits | None = None,
    time: float = 0.0,
) -> Solution:
    """A configuration that meets the tasks, searched from q (nq,); where there is none, one that comes closest.

    method: by default Levenberg and Marquardt's method meets the first priority, and later ones get what they can have
    without taking anything from those before. A method takes all tasks in one descent: "levenberg_marquardt" by their
    weights, "newton" follows the pseudo-inverse (times gain, its Jacobian made anew every `refresh` iterations),
    "hierarchy" does it by priorities, "transpose" the gradient (times gain); "steepest", "gauss_newton",
    "quasi_newton" and "conjugate_gradient" minimise the squared error along their direction with a line search.
    limits: joints stay within their position limits. tolerance: of the largest entry of the error, m and rad.
    iterations: at most, from each start. restarts: new starts if tasks are not met, each from the best of some random
    joint angles (seed). With none, q is the closest pose that a descent from the given one finds; with some, where all
    of them fail, further descents from random angles and from the best pose with a limb changed search for the closest
    one, until six rounds of 16 brought nothing (default method only). collisions: what must stay apart, before all
    tasks (default method only; later priorities then count little instead of nothing beside earlier ones, and are given
    up for them in the end). time: s, for targets that are functions of it.
    """
    stack = TaskStack(robot, tasks, time)
    for task in stack.tasks:
        task.check("position")
    q = checked_array("q", q, (robot.nq,))
    if not (tolerance > 0.0 and iterations >= 1 and restarts >= 0 and gain > 0.0 and refresh >= 1):
        raise InvalidTask(
            f"tolerance {tolerance}, iterations {iterations}, gain {gain} and refresh {refresh} must be above "
            f"zero, restarts {restarts} at least zero"
        )
    if method is not None and method not in METHODS:
        raise UnknownName("method of inverse kinematics", method, METHODS)
    kept = limits if limits.position else NO_LIMITS
    if collisions is not None:
        if method is not None:
            raise InvalidTask(f"method is {method!r}; collision limits go with the default method only")
        return _solve_apart(
            stack,
            kept,
            collisions,
            np.array(q, dtype=np.float64),
            Effort(tolerance, iterations, restarts, seed),
        )
    whole, levels = Objective(stack, kept), _levels(stack, kept)

    def descent(objective: Objective, start: Array) -> Progress:
        if method is None or method == "levenberg_marquardt":
            return levenberg_marquardt(objective, start, tolerance, iterations)
        if method in DIRECTIONS:
            return descend(objective, start, tolerance, iterations, direction=method, search=line_search)
        return newton(objective, start, tolerance, iterations, method=method, gain=gain, refresh=refresh)

    # One priority after the other, or all in one descent where a method was chosen.
    objective = levels[0] if method is None else whole
    rng = np.random.default_rng(seed)
    best: Progress | None = None
    used = 0
    start = np.array(q, dtype=np.float64)
    for attempt in range(restarts + 1):
        progress = descent(objective, start)
        used += progress.iterations
        if best is None or progress.cost < best.cost:
            best = progress
        if progress.reached or attempt == restarts:
            break
        start = promising_start(objective, np.asarray(q), rng)
    assert best is not None
    best, descents = replace(best, iterations=used), 0
    if restarts and not best.reached and method in (None, "levenberg_marquardt"):
        best, descents = closest(objective, best, rng, tolerance, iterations)
    if method is None:
        for number in range(1, len(levels)):
            best = refine(levels[:number], levels[number], best, tolerance, iterations)
    return _solution(whole, levels, best, attempt, descents, tolerance)


class Effort(NamedTuple):
    """How long to search: tolerance of the error, iterations of a start, restarts, and the seed of these."""

    tolerance: float
    iterations: int
    restarts: int
    seed: int


def _solve_apart(
    stack: TaskStack, limits: Limits, collisions: CollisionLimits, q: Array, effort: Effort
) -> Solution:
    """The same with volumes that stay apart."""
    whole, levels = Objective(stack, limits), _levels(stack, limits)
    tolerance, iterations, restarts, seed = effort
    rng, used, start = np.random.default_rng(seed), 0, q
    best: Progress | None = None
    for attempt in range(restarts + 1):
        if len(levels) > 1:  # later priorities lead the way, then the first one has the last word
            start = descend_apart(_graded(stack, limits), collisions, start, tolerance, iterations).q
        progress = descend_apart(levels[0], collisions, start, tolerance, iterations)
        used += progress.iterations
        if best is None or progress.reached or progress.cost < best.cost:
            best = progress
        if progress.reached or attempt == restarts:
            break
        start = promising_start(levels[0], q, rng)
    assert best is not None
    found = _solution(whole, levels, replace(best, iterations=used), attempt, 0, tolerance)
    rows = collisions.rows(stack.robot, best.q)
    closest = None
    if len(rows.distance):
        least = int(np.argmin(rows.distance))
        closest = rows.pairs[least], float(rows.distance[least])
    apart = closest is None or closest[1] >= collisions.clearance - TOUCHING
    met = tuple(level and apart for level in found.levels)
    return replace(found, reached=met[0], levels=met, closest=closest)


def _graded(stack: TaskStack, limits: Limits) -> Objective:
    """All tasks at once, each priority with a thousandth of the weight of that before it."""
    order = sorted({task.priority for task in stack.tasks})
    tasks = [
        replace(task, weight=np.asarray(task.weight) * _GRADE ** order.index(task.priority))
        for task in stack.tasks
    ]
    return Objective(TaskStack(stack.robot, tasks), limits)


def _levels(stack: TaskStack, limits: Limits) -> list[Objective]:
    """The tasks of each priority, first comes first."""
    priorities = sorted({task.priority for task in stack.tasks})
    if len(priorities) == 1:
        return [Objective(stack, limits)]
    return [
        Objective(TaskStack(stack.robot, [task for task in stack.tasks if task.priority == priority]), limits)
        for priority in priorities
    ]


def _solution(
    whole: Objective,
    levels: list[Objective],
    progress: Progress,
    restarts: int,
    descents: int,
    tolerance: float,
) -> Solution:
    error, jacobian = whole.evaluate(progress.q)
    errors = [level.evaluate(progress.q)[0] for level in levels]
    met = tuple(bool(np.abs(each).max() <= tolerance) for each in errors)
    return Solution(
        progress.q,
        met[0],
        met,
        float(np.sqrt(2 * levels[0].cost(errors[0]))),
        error,
        by_task(whole.stack, error),
        progress.iterations,
        restarts,
        descents,
        progress.reason,
        singularity(jacobian),
        tuple(progress.history),
    )
