"""Position level: the configuration that meets the tasks, or comes closest.

RSL 2022, (2.242)-(2.244), Schwienbacher 2014, chapter 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits
from footfall.control.inverse_kinematics.collision_free import TOUCHING, descend_apart
from footfall.control.inverse_kinematics.later_priorities import refine
from footfall.control.inverse_kinematics.levenberg_marquardt import levenberg_marquardt
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Limits
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.control.inverse_kinematics.problem import by_task
from footfall.control.inverse_kinematics.starts import closest, promising_start
from footfall.control.requests import checked_array
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidInput, TargetOutOfReach
from footfall.math.generalised_inverses import Singularity, singularity
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair

_GRADE = 1e-3  # weight of a priority beside that before it, where volumes must stay apart
# Methods of earlier releases; all but the first are those of `solve_ik_textbook`.
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


class Effort(NamedTuple):
    """How long to search: tolerance of the error, iterations of a start, restarts, and the seed of these."""

    tolerance: float
    iterations: int
    restarts: int
    seed: int


def solve_ik(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    *,
    limits: Limits = Limits(velocity=None),  # noqa: B008 (immutable)
    tolerance: float = 1e-8,
    iterations: int = 100,
    restarts: int = 0,
    seed: int = 0,
    collisions: CollisionLimits | None = None,
    by_weight: bool = False,
    time: float = 0.0,
    method: Method | None = None,
    **textbook: Any,
) -> Solution:
    """A configuration that meets the tasks, searched from q (nq,); where there is none, one that comes closest.

    Levenberg and Marquardt's method meets the first priority, and later ones get what they can have without taking
    anything from those before. limits: joints stay within their position limits. tolerance: of the largest entry of the
    error, m and rad. iterations: at most, from each start. restarts: new starts if tasks are not met, each from the
    best of some random joint angles (seed). With none, q is the closest pose that a descent from the given one finds;
    with some, where all of them fail, further descents from random angles and from the best pose with a limb changed
    search for the closest one, until six rounds of 16 brought nothing. collisions: what must stay apart, before all
    tasks (later priorities then count little instead of nothing beside earlier ones, and are given up for them in the
    end). by_weight: all tasks at once by their weights, whatever their priorities. time: s, for targets that are
    functions of it. method and its options: deprecated; `solve_ik_textbook` has the methods of the books.
    """
    if method is not None or textbook:
        return _deprecated_method(
            robot,
            q,
            tasks,
            method,
            collisions,
            limits=limits,
            tolerance=tolerance,
            iterations=iterations,
            restarts=restarts,
            seed=seed,
            time=time,
            **textbook,
        )
    effort = Effort(tolerance, iterations, restarts, seed)
    if by_weight:
        if collisions is not None:
            raise InvalidInput(
                "collisions go with priorities only: leave out by_weight, or give all tasks one"
            )

        def descent(objective: Objective, start: Array) -> Progress:
            return levenberg_marquardt(objective, start, tolerance, iterations)

        return search_together(robot, q, tasks, limits, effort, time, descent, thorough=True)
    stack, q, kept = _checked(robot, q, tasks, limits, effort, time)
    if collisions is not None:
        return _solve_apart(stack, kept, collisions, q, effort)
    levels = _levels(stack, kept)
    return _searched(
        Objective(stack, kept),
        levels,
        q,
        effort,
        lambda start: levenberg_marquardt(levels[0], start, tolerance, iterations),
        thorough=True,
    )


def search_together(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    limits: Limits,
    effort: Effort,
    time: float,
    descent: Callable[[Objective, Array], Progress],
    *,
    thorough: bool = False,
) -> Solution:
    """A search from q (nq,) for all tasks at once, by a descent of one's choice; see `solve_ik`."""
    stack, q, kept = _checked(robot, q, tasks, limits, effort, time)
    whole = Objective(stack, kept)
    return _searched(whole, [whole], q, effort, lambda start: descent(whole, start), thorough=thorough)


def _checked(
    robot: Robot, q: Array, tasks: Sequence[MotionTask], limits: Limits, effort: Effort, time: float
) -> tuple[TaskStack, Array, Limits]:
    stack = TaskStack(robot, tasks, time)
    for task in stack.tasks:
        task.check("position")
    if not (effort.tolerance > 0.0 and effort.iterations >= 1 and effort.restarts >= 0):
        raise InvalidInput(
            f"tolerance {effort.tolerance} and iterations {effort.iterations} must be above zero, restarts "
            f"{effort.restarts} at least zero"
        )
    kept = limits if limits.position else NO_LIMITS
    return stack, np.array(checked_array("q", q, (robot.nq,))), kept


def _searched(
    whole: Objective,
    levels: list[Objective],
    q: Array,
    effort: Effort,
    descent: Callable[[Array], Progress],
    *,
    thorough: bool,
) -> Solution:
    """The best of several starts for the first level, then what later ones can have; thorough: with descents for the
    closest pose where all starts fail."""
    tolerance, iterations, restarts, seed = effort
    rng, used, start = np.random.default_rng(seed), 0, q
    best: Progress | None = None
    for attempt in range(restarts + 1):
        progress = descent(start)
        used += progress.iterations
        if best is None or progress.cost < best.cost:
            best = progress
        if progress.reached or attempt == restarts:
            break
        start = promising_start(levels[0], q, rng)
    assert best is not None
    best, descents = replace(best, iterations=used), 0
    if restarts and not best.reached and thorough:
        best, descents = closest(levels[0], best, rng, tolerance, iterations)
    for number in range(1, len(levels)):
        best = refine(levels[:number], levels[number], best, tolerance, iterations)
    return _solution(whole, _levels(whole.stack, whole.limits), best, attempt, descents, tolerance)


def _deprecated_method(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    method: str | None,
    collisions: CollisionLimits | None,
    **options: Any,
) -> Solution:
    """Methods of earlier releases, by their new names."""
    from footfall.control.inverse_kinematics import textbook

    known = {"gain", "refresh", "line_search", *(solve_ik.__kwdefaults__ or {})}
    for name in options.keys() - known:
        raise TypeError(f"solve_ik() got an unexpected keyword argument {name!r}")
    if collisions is not None:
        raise InvalidInput(f"method is {method!r}; collision limits go with the default method only")
    new = (
        "by_weight=True"
        if method == "levenberg_marquardt"
        else "nothing: gain, refresh and line_search have no effect"
        if method is None
        else f"solve_ik_textbook(..., method={method!r})"
    )
    warnings.warn(f"solve_ik(method={method!r}) is deprecated; use {new}", DeprecationWarning, stacklevel=3)
    if method in (None, "levenberg_marquardt"):
        for name in ("gain", "refresh", "line_search"):
            options.pop(name, None)
        return solve_ik(robot, q, tasks, by_weight=method is not None, **options)
    return textbook.solve_ik_textbook(robot, q, tasks, method=method, **options)  # type: ignore[arg-type]


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
