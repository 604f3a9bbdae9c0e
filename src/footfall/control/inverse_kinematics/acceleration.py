"""Acceleration level: what the joints should do so that tasks follow their references (000 section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.control.inverse_kinematics.errors import InvalidTask
from footfall.control.inverse_kinematics.hierarchy import solve_hierarchy
from footfall.control.inverse_kinematics.problem import Level, row_weights, split_levels
from footfall.control.inverse_kinematics.stack import TaskStack
from footfall.control.inverse_kinematics.task import Task
from footfall.dynamics.configuration import integrate
from footfall.math.generalised_inverses import RANK_TOLERANCE
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[Any]]


def acceleration_levels(
    robot: Robot, q: Array, v: Array, tasks: Sequence[Task], *, accelerations: Sequence[Array | None] = ()
) -> tuple[Level, ...]:
    """What tasks want of the acceleration a (nv,), by priority: `J a = x'' + 2 k dx' + k^2 dx - dJ/dt v`, 000 (4.20).

    k is the task's gain: errors die out with the rate k and do not overshoot. accelerations: feed-forward x'' (m,) of
    each task, None for none.
    """
    stack = TaskStack(robot, tuple(tasks))
    error, jacobian, bias = stack.bias_kernel(q, stack.parameters, v, np.zeros(1))
    speed, wanted = jacobian @ v, -bias
    feeds = [*accelerations, *[None] * (len(stack.tasks) - len(accelerations))]
    for task, place, feed in zip(stack.tasks, stack.places, feeds, strict=True):
        rate = 0.0 if task.rate is None else task.rate
        wanted[place] += 2 * task.gain * (rate - speed[place]) + task.gain**2 * error[place]
        if feed is not None:
            if np.shape(feed) != error[place].shape:
                raise InvalidTask(
                    f"{task.label}: acceleration has shape {np.shape(feed)}, not {error[place].shape}"
                )
            wanted[place] += feed
    return split_levels(stack, jacobian, wanted, row_weights(stack))


def solve_acceleration(
    robot: Robot,
    q: Array,
    v: Array,
    tasks: Sequence[Task],
    *,
    accelerations: Sequence[Array | None] = (),
    tolerance: float = RANK_TOLERANCE,
    preferred: Array | None = None,
) -> Array:
    """The acceleration a (nv,) for the tasks at q (nq,), v (nv,), by their priorities.

    preferred: acceleration (nv,) for what the tasks leave free, such as damping of v.
    """
    levels = acceleration_levels(robot, q, v, tasks, accelerations=accelerations)
    return solve_hierarchy(levels, tolerance=tolerance, preferred=preferred).v


class State(NamedTuple):
    """Configuration (nq,) and velocity (nv,)."""

    q: Array
    v: Array


def trapezoid_step(robot: Robot, state: State, a: Array, dt: float) -> State:
    """The state after dt, s, with constant acceleration a (nv,): the mean velocity moves it, 000 (4.21)."""
    v = state.v + dt * a
    return State(integrate(robot, state.q, dt * (state.v + v) / 2), v)
