"""Acceleration level: what the joints should do so that tasks follow their references.

Schwienbacher 2014, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.gains import Gains
from footfall.control.inverse_kinematics.problem import row_weights, split_levels
from footfall.control.priorities import Level, solve_hierarchy
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask, RowMotion, RowNumbers
from footfall.dynamics.configuration import integrate
from footfall.math.generalised_inverses import RANK_TOLERANCE
from footfall.robot.model import Robot

USUAL = Gains(1.0, 2.0)  # of tasks without gains: errors die out as exp(-t), as they do on velocity level


@dataclass(frozen=True, eq=False)
class AccelerationProblem:
    """What tasks want of the acceleration a (nv,) in one state q (nq,), v (nv,).

    error (m,), jacobian (m, nv), speed (m,) and bias (m,) of all tasks in the given order: their values move with
    `jacobian @ v + drift = speed` and accelerate with `jacobian @ a + bias`. levels: rows on a by priority, feedback
    included, first comes first.
    """

    robot: Robot
    q: Array
    v: Array
    tasks: tuple[MotionTask, ...]
    error: Array
    jacobian: Array
    speed: Array
    bias: Array
    levels: tuple[Level, ...]


def build_acceleration(
    robot: Robot, q: Array, v: Array, tasks: Sequence[MotionTask], *, time: float = 0.0
) -> AccelerationProblem:
    """The problem `J a = x'' + damping dx' + stiffness dx - dJ/dt v`, Schwienbacher 2014, (4.20); `solve_acceleration`
    solves it.

    A gain k of a task stands for stiffness k^2 and damping 2 k: errors die out with the rate k and do not overshoot.
    time: s, for targets that are functions of it.
    """
    stack = TaskStack(robot, tasks, time)
    error, jacobian, speed, bias = stack.motion_kernel(q, v, stack.parameters)
    wanted = np.empty(stack.size)
    rate, acceleration = stack.feed_forward("rate"), stack.feed_forward("acceleration")
    for task, place in zip(stack.tasks, stack.places, strict=True):
        task.check("acceleration")
        task.check_row_gains(place.stop - place.start)
        stiffness, damping = (np.broadcast_to(gain, rate[place].shape) for gain in task.row_gains(USUAL))
        numbers = RowNumbers(rate[place], acceleration[place], stiffness, damping)
        asked = task.law(RowMotion(error[place], speed[place]), numbers, task.parameters)
        wanted[place] = asked - bias[place]
    levels = split_levels(stack, jacobian, wanted, row_weights(stack))
    q, v = np.array(q, dtype=np.float64), np.array(v, dtype=np.float64)
    return AccelerationProblem(robot, q, v, tuple(stack.tasks), error, jacobian, speed, bias, levels)


def solve_acceleration(
    problem: AccelerationProblem, *, tolerance: float = RANK_TOLERANCE, preferred: Array | None = None
) -> Array:
    """The acceleration a (nv,) for a problem of `build_acceleration`, by the priorities of its tasks.

    preferred: acceleration (nv,) for what the tasks leave free, such as damping of v.
    """
    return solve_hierarchy(problem.levels, tolerance=tolerance, preferred=preferred).v


class State(NamedTuple):
    """Configuration (nq,) and velocity (nv,)."""

    q: Array
    v: Array


def trapezoid_step(robot: Robot, state: State, a: Array, dt: float) -> State:
    """The state after dt, s, with constant acceleration a (nv,): the mean velocity moves it.

    Schwienbacher 2014, (4.21).
    """
    v = state.v + dt * a
    return State(integrate(robot, state.q, dt * (state.v + v) / 2), v)
