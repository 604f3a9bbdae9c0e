"""The problem that a velocity-level solver gets, as a value to look at: what the tasks want, and what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits
from footfall.control.inverse_kinematics.limits import (
    NO_LIMITS,
    Bounds,
    Limits,
    checked_bounds,
    velocity_bounds,
)
from footfall.control.priorities import Level, level
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidInput
from footfall.math.generalised_inverses import Singularity, singularity
from footfall.robot.model import Robot


@dataclass(frozen=True, eq=False)
class Problem:
    """Inverse kinematics at one configuration q (nq,).

    error (m,) and jacobian (m, nv) of all tasks in the given order; rate (m,): velocity that is wanted, feedback
    included; levels: the same by priority, first comes first; bounds on v.
    """

    robot: Robot
    q: Array
    tasks: tuple[MotionTask, ...]
    error: Array
    jacobian: Array
    rate: Array
    levels: tuple[Level, ...]
    bounds: Bounds

    @property
    def singularity(self) -> Singularity:
        """How close the stacked Jacobian is to losing a direction."""
        return singularity(self.jacobian)

    def residuals(self, v: Array) -> dict[str, float]:
        """Norm of what each task misses of its rate at v (nv,)."""
        left = self.rate - self.jacobian @ v
        return by_task(TaskStack(self.robot, self.tasks), left)


def by_task(stack: TaskStack, error: Array) -> dict[str, float]:
    """Norm of each task's part of an error (m,); inequalities that hold count as nothing."""
    norms: dict[str, float] = {}
    for task, place in zip(stack.tasks, stack.places, strict=True):
        part = np.maximum(error[place], 0.0) if task.inequality else error[place]
        norms[task.label] = float(np.hypot(norms.get(task.label, 0.0), np.linalg.norm(part)))
    return norms


def row_weights(stack: TaskStack) -> Array:
    """Weight (m,) of each row."""
    weights = np.empty(stack.size)
    for task, place in zip(stack.tasks, stack.places, strict=True):
        size = place.stop - place.start
        if np.shape(task.weight) not in ((), (size,)):
            raise InvalidInput(
                f"{task.label}: there are {len(np.atleast_1d(task.weight))} weights; "
                f"it must be one, or one for each of {size} rows"
            )
        weights[place] = task.weight
    if not weights.any():
        raise InvalidInput("the weights of all tasks are zero; at least one must be above")
    return weights


def split_levels(stack: TaskStack, jacobian: Array, rate: Array, weight: Array) -> tuple[Level, ...]:
    """Rows (m,) of all tasks by priority, first comes first."""
    priorities = sorted({task.priority for task in stack.tasks})
    one_sided = stack.one_sided
    if len(priorities) == 1:
        return (Level(jacobian, rate, weight, one_sided, tuple(task.label for task in stack.tasks)),)
    levels = []
    for priority in priorities:
        members = [k for k, task in enumerate(stack.tasks) if task.priority == priority]
        rows = np.concatenate([np.arange(stack.size)[stack.places[k]] for k in members])
        labels = tuple(stack.tasks[k].label for k in members)
        levels.append(Level(jacobian[rows], rate[rows], weight[rows], one_sided[rows], labels))
    return tuple(levels)


def decay_rates(stack: TaskStack) -> Array:
    """Gain (m,), 1/s, of each row on velocity level."""
    gains = np.empty(stack.size)
    for task, place in zip(stack.tasks, stack.places, strict=True):
        task.check("velocity")
        task.check_row_gains(place.stop - place.start)
        gains[place] = task.decay
    return gains


def build_ik(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    *,
    dt: float = 1e-3,
    limits: Limits = NO_LIMITS,
    bounds: Bounds | None = None,
    collisions: CollisionLimits | None = None,
    time: float = 0.0,
) -> Problem:
    """The problem of moving from q (nq,) so that tasks get their rates; `solve_velocity` solves it.

    dt: length of a step, s, for limits on position. bounds: on v (nv,), instead of `limits`. collisions: what must stay
    apart, as inequalities before all priorities; method "qp" keeps them. time: s, for targets that are functions of it.
    """
    if not dt > 0.0:
        raise InvalidInput(f"dt is {dt}; it must be above zero")
    stack = TaskStack(robot, tasks, time)
    error, jacobian = stack.kernel(q, stack.parameters)
    # Velocity of the tasks: their own rate and gain times error, RSL 2022, (2.257), Schwienbacher 2014, (4.13).
    rate = decay_rates(stack) * error + stack.feed_forward("rate")
    if stack.drifting:
        rate -= stack.drift(q)
    weight = row_weights(stack)
    levels = split_levels(stack, jacobian, rate, weight)
    if collisions is not None:
        rows = collisions.rows(robot, q)
        if len(rows.distance):
            least = collisions.least_rates(rows.distance, dt)
            levels = (replace(level(rows.jacobian, least, inequality=True), labels=("distances",)), *levels)
    allowed = (
        velocity_bounds(robot, q, dt=dt, limits=limits) if bounds is None else checked_bounds(robot, *bounds)
    )
    q = np.array(q, dtype=np.float64)
    return Problem(robot, q, tuple(stack.tasks), error, jacobian, rate, levels, allowed)
