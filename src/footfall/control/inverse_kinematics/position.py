"""Position level: the configuration that meets the tasks, or comes closest.

RSL 2022, (2.242)-(2.244), Schwienbacher 2014, chapter 4.

The squared error has many valleys: a knee bent or straight, an arm in front of the body or behind it. Which one a
search ends in is decided where it begins. The first priority is met (or missed as little as can be) before a later one
counts: each step for a later one lies in the null space of all before it; what curvature spoils is taken back by a few
steps of the first ones, and a step that cannot be taken back is made smaller.

Position level with volumes that stay apart: a sequence of quadratic programs within a trust region.

    step minimises  |e - J step|^2 / 2 + damping |step|^2 / 2   with   d + D step >= clearance, joints within limits

e: errors of the tasks, J their Jacobian; d: distances of the pairs within reach, D theirs. A step counts if it lowers
the cost together with what distances lack; else the region shrinks (Fletcher 1987, section 12.4).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.control.collision_limits import CollisionLimits, CollisionRows
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Limits
from footfall.control.inverse_kinematics.objective import Objective, Progress, levenberg_marquardt
from footfall.control.inverse_kinematics.velocity import by_task
from footfall.control.quadratic_program import QuadraticProgram, solve_relaxed
from footfall.control.requests import checked_array
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.configuration import random_configuration
from footfall.errors import InvalidInput, TargetOutOfReach
from footfall.math.generalised_inverses import RANK_TOLERANCE, Singularity, null_space_basis, singularity
from footfall.robot.model import JointType, Robot
from footfall.robot.volumes import Pair

CLEARANCE_TOLERANCE = 1e-6  # m by which a clearance may be missed
_TRUSTED = 0.5  # rad or m in one step
_SHORTEST = 1e-10  # rad or m; steps that change nothing
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
    history, farthest, reason = [float(np.linalg.norm(at.error))], _TRUSTED, "out of iterations"
    count = stalled = 0
    for count in range(1, iterations + 1):
        if at.worst <= tolerance and at.lacking <= CLEARANCE_TOLERANCE:
            return Progress(at.q, at.cost, True, count - 1, "tasks are met", history)
        step = _step_apart(objective, collisions, at, farthest)
        size = float(np.abs(step).max(initial=0.0))
        ahead = _look(objective, collisions, objective.moved(at.q, step))
        if ahead.merit < at.merit:
            stalled = stalled + 1 if at.merit - ahead.merit <= 1e-9 * at.merit else 0
            at, farthest = ahead, min(2.0 * max(size, farthest / 2), _TRUSTED)
        else:
            farthest = size / 4
        history.append(float(np.linalg.norm(at.error)))
        if size < _SHORTEST or farthest < _SHORTEST or stalled >= 5:
            reason = "volumes are in the way" if len(at.rows.distance) else "the error does not fall any more"
            break
    reached = at.worst <= tolerance and at.lacking <= CLEARANCE_TOLERANCE
    return Progress(at.q, at.merit, reached, count, "tasks are met" if reached else reason, history)


def _look(objective: Objective, collisions: CollisionLimits, q: Array) -> _Place:
    error, jacobian = objective.evaluate(q)
    worst, root = float(np.abs(error).max()), objective.root_weights
    rows = collisions.rows(objective.stack.robot, q)
    lacking = float(np.maximum(collisions.clearance - rows.distance, 0.0).sum())
    return _Place(q, root * error, root[:, None] * jacobian, rows, worst, objective.cost(error), lacking)


def _step_apart(objective: Objective, collisions: CollisionLimits, at: _Place, farthest: float) -> Array:
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
    return solve_relaxed(program)


_CANDIDATES, _LOOKED_AT = 256, 64  # random configurations; the best of these are looked at
_LOOK_AHEAD = 10  # steps from each of them
_CERTAIN_COST = 1e-8  # cost from which on tasks are always met, for weights of one
_ROUND = 16  # descents between two looks at the best
_FRUITLESS = 6  # rounds without a closer pose after which it is the closest
_CLOSER = 1e-3  # relative decrease of the cost that is worth going on


def promising_start(objective: Objective, q: Array, rng: np.random.Generator) -> Array:
    """Of random configurations the one (nq,) from which a few steps lead to the smallest cost."""
    candidates = _random_joints(objective.stack.robot, q, rng, _CANDIDATES)
    order = np.argsort(objective.costs(candidates), kind="stable")[:_LOOKED_AT]
    best, lowest, sure = q, np.inf, _CERTAIN_COST * float(objective.root_weights.max()) ** 2
    for k in order:
        look = levenberg_marquardt(objective, candidates[k], 0.0, _LOOK_AHEAD)
        if look.cost < lowest:
            best, lowest = look.q, look.cost
        if lowest < sure:
            break
    return best


def closest(
    objective: Objective, best: Progress, rng: np.random.Generator, tolerance: float, iterations: int
) -> tuple[Progress, int]:
    """The best of descents from random configurations and from the best one so far with a limb changed.

    Gives it, with the iterations of all, and how many descents there were.
    """
    robot = objective.stack.robot
    fruitless, descents = 0, 0
    while fruitless < _FRUITLESS and not best.reached:
        before = best.cost
        for start in (
            *_random_joints(robot, best.q, rng, _ROUND // 2),
            *_changed_limbs(robot, best.q, rng, _ROUND // 2),
        ):
            found = levenberg_marquardt(objective, start, tolerance, iterations)
            used, descents = best.iterations + found.iterations, descents + 1
            best = replace(found if found.cost < best.cost else best, iterations=used)
            if best.reached:
                break
        fruitless = fruitless + 1 if best.cost > (1.0 - _CLOSER) * before else 0
    return best, descents


def _random_joints(robot: Robot, q: Array, rng: np.random.Generator, count: int) -> Array:
    """Random configurations (count, nq) whose floating base stays where it is in q (nq,)."""
    starts: Array = random_configuration(robot, seed=rng, count=count)
    for joint in robot.joints:
        if joint.type is JointType.FLOATING:
            starts[:, robot.q_slice(joint.name)] = q[robot.q_slice(joint.name)]
    return starts


def _changed_limbs(robot: Robot, q: Array, rng: np.random.Generator, count: int) -> Array:
    """Configurations (count, nq) with random angles beyond some joint each, and all others as in q (nq,).

    Robots with loops get random angles everywhere: their joints follow one another.
    """
    starts = _random_joints(robot, q, rng, count)
    links = robot.tree.links
    if robot.tree.loops is not None:
        return starts
    beyond = np.zeros((len(links), robot.nq), dtype=bool)
    for k in reversed(range(len(links))):
        beyond[k, links[k].q] = True
        if links[k].parent >= 0:
            beyond[links[k].parent] |= beyond[k]
    changed = beyond[rng.integers(len(links), size=count)]
    return np.where(changed, starts, q)


_STRIDE = 0.7  # rad or m in one step: beyond, the Jacobian says nothing
_CORRECTION = 20  # steps that take back what curvature spoiled
_UNCHANGED = 1e-9  # relative decrease of the cost that is no progress
_SMALLEST = 1e-12  # step, rad or m, below which nothing changes
_COST_TOLERANCE = 1e-6  # relative increase of the cost of an earlier priority that is rounding


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
        elif each.cost(error) > cost * (1.0 + _COST_TOLERANCE):
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
    return step * min(1.0, _STRIDE / largest) if largest > 0.0 else step


_GRADE = 1e-3  # weight of a priority beside that before it, where volumes must stay apart


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
    method: str | None = None,
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
        options = {"limits": limits, "tolerance": tolerance, "iterations": iterations, "time": time}
        options |= {"restarts": restarts, "seed": seed, **textbook}
        return _deprecated_method(robot, q, tasks, method, collisions, options)
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
    whole = Objective(stack, kept)
    levels = _levels(whole)
    return _searched(
        whole,
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
    tolerance, iterations, rng = effort.tolerance, effort.iterations, np.random.default_rng(effort.seed)
    best, restarts = _best_start(levels[0], q, effort.restarts, rng, descent)
    descents = 0
    if effort.restarts and not best.reached and thorough:
        best, descents = closest(levels[0], best, rng, tolerance, iterations)
    for number in range(1, len(levels)):
        best = refine(levels[:number], levels[number], best, tolerance, iterations)
    return _solution(whole, best, restarts, descents, tolerance)


def _best_start(
    first: Objective,
    q: Array,
    restarts: int,
    rng: np.random.Generator,
    descent: Callable[[Array], Progress],
) -> tuple[Progress, int]:
    """The best of descents from q (nq,) and from promising starts, until one meets the first tasks; with the iterations
    of all, and how often it began anew."""
    best = descent(q)
    used, again = best.iterations, 0
    while not best.reached and again < restarts:
        progress = descent(promising_start(first, q, rng))
        used, again = used + progress.iterations, again + 1
        if progress.reached or progress.cost < best.cost:
            best = progress
    return replace(best, iterations=used), again


def _deprecated_method(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    method: str | None,
    collisions: CollisionLimits | None,
    options: dict[str, Any],
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
    whole = Objective(stack, limits)
    levels, tolerance, iterations = _levels(whole), effort.tolerance, effort.iterations

    def descent(start: Array) -> Progress:
        if len(levels) > 1:  # later priorities lead the way, then the first one has the last word
            start = descend_apart(_graded(stack, limits), collisions, start, tolerance, iterations).q
        return descend_apart(levels[0], collisions, start, tolerance, iterations)

    rng = np.random.default_rng(effort.seed)
    best, restarts = _best_start(levels[0], q, effort.restarts, rng, descent)
    found = _solution(whole, best, restarts, 0, tolerance)
    rows = collisions.rows(stack.robot, best.q)
    closest = None
    if len(rows.distance):
        least = int(np.argmin(rows.distance))
        closest = rows.pairs[least], float(rows.distance[least])
    apart = closest is None or closest[1] >= collisions.clearance - CLEARANCE_TOLERANCE
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


def _levels(whole: Objective) -> list[Objective]:
    """The tasks of each priority, first comes first."""
    stack, limits = whole.stack, whole.limits
    priorities = sorted({task.priority for task in stack.tasks})
    if len(priorities) == 1:
        return [whole]
    return [
        Objective(TaskStack(stack.robot, [task for task in stack.tasks if task.priority == priority]), limits)
        for priority in priorities
    ]


def _solution(
    whole: Objective, progress: Progress, restarts: int, descents: int, tolerance: float
) -> Solution:
    error, jacobian = whole.evaluate(progress.q)
    levels = _levels(whole)
    errors = [error if level is whole else level.evaluate(progress.q)[0] for level in levels]
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
