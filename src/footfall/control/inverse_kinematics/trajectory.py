"""Following references in time on velocity level (RSL 2022, (2.256)-(2.258)), with integrators of order one and
four."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.problem import build_ik
from footfall.control.inverse_kinematics.velocity import solve_velocity
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.configuration import integrate
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import Robot

Integrator = Literal["euler", "adams", "runge_kutta"]
INTEGRATORS: tuple[str, ...] = ("euler", "adams", "runge_kutta")

# Fourth order: Adams and Bashforth's predictor, Adams and Moulton's corrector; newest velocity first.
_PREDICTOR = np.array([55.0, -59.0, 37.0, -9.0]) / 24
_CORRECTOR = np.array([9.0, 19.0, -5.0, 1.0]) / 24


def follow(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask] | Callable[[float], Sequence[MotionTask]],
    *,
    dt: float,
    steps: int,
    integrator: Integrator = "euler",
    velocity: Callable[[Array, float], Array] | None = None,
) -> Array:
    """Configurations (steps + 1, nq) that follow tasks whose targets are functions of time (s), or tasks(t).

    Errors decay as exp(-gain t); with Euler's method a step multiplies them by 1 - gain dt, so that gains must stay
    below 2 / dt, and below 1 / dt for no overshoot. integrator: "adams" is a predictor and corrector of fourth order
    (two evaluations a step), "runge_kutta" needs four; their order is that of angles and positions, not of ball
    joints. velocity(q, t): v (nv,) instead of `solve_velocity` of the tasks.
    """
    if not (dt > 0.0 and steps >= 0):
        raise InvalidInput(f"dt is {dt} and steps {steps}; dt must be above zero, steps at least zero")
    if integrator not in INTEGRATORS:
        raise UnknownName("integrator", integrator, INTEGRATORS)

    def at(q: Array, time: float) -> Array:
        if velocity is not None:
            return velocity(q, time)
        return solve_velocity(build_ik(robot, q, tasks(time) if callable(tasks) else tasks, time=time))

    path = np.empty((steps + 1, robot.nq))
    path[0] = q
    history: list[Array] = []  # velocities, newest first
    for step in range(steps):
        here, time = path[step], step * dt
        now = at(here, time)
        history = [now, *history[:3]]
        if integrator == "euler":
            path[step + 1] = integrate(robot, here, dt * now)
        elif integrator == "adams" and len(history) == 4:
            predicted = integrate(robot, here, dt * (_PREDICTOR @ np.array(history)))
            ahead = at(predicted, time + dt)
            path[step + 1] = integrate(robot, here, dt * (_CORRECTOR @ np.array([ahead, *history[:3]])))
        else:
            path[step + 1] = _runge_kutta(robot, at, here, time, dt, now)
    return path


def _runge_kutta(
    robot: Robot, at: Callable[[Array, float], Array], q: Array, time: float, dt: float, first: Array
) -> Array:
    second = at(integrate(robot, q, dt / 2 * first), time + dt / 2)
    third = at(integrate(robot, q, dt / 2 * second), time + dt / 2)
    fourth = at(integrate(robot, q, dt * third), time + dt)
    result: Array = integrate(robot, q, dt * (first + 2 * second + 2 * third + fourth) / 6)
    return result
