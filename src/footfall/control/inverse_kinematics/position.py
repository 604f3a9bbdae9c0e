"""Position level: the configuration that meets the tasks, or comes closest (002 section 8.2, 000 sections 4.1, 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.descent import DIRECTIONS, descend
from footfall.control.inverse_kinematics.levenberg_marquardt import levenberg_marquardt
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Limits
from footfall.control.inverse_kinematics.newton import newton
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.control.inverse_kinematics.problem import by_task
from footfall.control.inverse_kinematics.starts import closest, promising_start
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidTask, TargetOutOfReach, UnknownName
from footfall.math.generalised_inverses import Singularity, singularity
from footfall.robot.model import Robot

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

    reached: whether all tasks are met to the tolerance. distance: norm of the weighted error that is left. error (m,):
    of all rows. residuals: norm of each task's error, by label, m and rad. iterations: of all starts together;
    restarts: how often it began anew. descents: how often more, to find the closest pose after all of these had failed.
    reason: why it stopped. singularity: of the Jacobian there. history: the error's norm after each iteration of the
    start that q is from.
    """

    q: Array
    reached: bool
    distance: float
    error: Array
    residuals: dict[str, float]
    iterations: int
    restarts: int
    descents: int
    reason: str
    singularity: Singularity
    history: tuple[float, ...]

    def require(self) -> Array:
        """q (nq,), or `TargetOutOfReach` with this solution where the tasks are not met."""
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
    time: float = 0.0,
) -> Solution:
    """A configuration that meets the tasks, searched from q (nq,); where there is none, one that comes closest.

    method: default is "levenberg_marquardt", or "hierarchy" if the tasks have several priorities. "newton" follows
    the pseudo-inverse (times gain, its Jacobian made anew every `refresh` iterations), "hierarchy" does it by
    priorities, "transpose" the gradient (times gain); "steepest", "gauss_newton", "quasi_newton" and
    "conjugate_gradient" minimise the squared error along their direction with a line search.
    limits: joints stay within their position limits. tolerance: of the largest entry of the error, m and rad.
    iterations: at most, from each start. restarts: new starts if tasks are not met, each from the best of some random
    joint angles (seed). With none, q is the closest pose that a descent from the given one finds; with some, where all
    of them fail, further descents from random angles and from the best pose with a limb changed search for the closest
    one, until six rounds of 16 brought nothing (default method only). time: s, for targets that are functions of it.
    """
    stack = TaskStack(robot, tasks, time)
    for task in stack.tasks:
        task.check("position")
    if not (tolerance > 0.0 and iterations >= 1 and restarts >= 0 and gain > 0.0 and refresh >= 1):
        raise InvalidTask(
            f"tolerance {tolerance}, iterations {iterations}, gain {gain} and refresh {refresh} must be above "
            f"zero, restarts {restarts} at least zero"
        )
    if method is None:
        several = len({task.priority for task in stack.tasks}) > 1
        method = "hierarchy" if several else "levenberg_marquardt"
    if method not in METHODS:
        raise UnknownName("method of inverse kinematics", method, METHODS)
    objective = Objective(stack, limits if limits.position else NO_LIMITS)
    rng = np.random.default_rng(seed)
    best: Progress | None = None
    used = 0
    start = np.array(q, dtype=np.float64)
    for attempt in range(restarts + 1):
        if method == "levenberg_marquardt":
            progress = levenberg_marquardt(objective, start, tolerance, iterations)
        elif method in DIRECTIONS:
            progress = descend(objective, start, tolerance, iterations, direction=method, search=line_search)
        else:
            progress = newton(
                objective, start, tolerance, iterations, method=method, gain=gain, refresh=refresh
            )
        used += progress.iterations
        if best is None or progress.cost < best.cost:
            best = progress
        if progress.reached or attempt == restarts:
            break
        start = promising_start(objective, np.asarray(q), rng)
    assert best is not None
    best, descents = replace(best, iterations=used), 0
    if restarts and not best.reached and method == "levenberg_marquardt":
        best, descents = closest(objective, best, rng, tolerance, iterations)
    return _solution(objective, best, attempt, descents)


def _solution(objective: Objective, progress: Progress, restarts: int, descents: int) -> Solution:
    error, jacobian = objective.evaluate(progress.q)
    return Solution(
        progress.q,
        progress.reached,
        float(np.sqrt(2 * progress.cost)),
        error,
        by_task(objective.stack, error),
        progress.iterations,
        restarts,
        descents,
        progress.reason,
        singularity(jacobian),
        tuple(progress.history),
    )
