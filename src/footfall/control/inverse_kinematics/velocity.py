"""Velocity level: the problem as a value to look at, v by priorities within bounds, and references in time; and
acceleration level, what the joints should do so that tasks follow their references.

RSL 2022, chapter 2 and (2.256)-(2.258), Schwienbacher 2014, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits
from footfall.control.gains import Gains
from footfall.control.inverse_kinematics.limits import (
    NO_LIMITS,
    Bounds,
    Limits,
    checked_bounds,
    velocity_bounds,
)
from footfall.control.priorities import Level, level, solve_hierarchy
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.configuration import integrate
from footfall.errors import InvalidInput, UnknownName
from footfall.math.generalised_inverses import RANK_TOLERANCE, Singularity, singularity
from footfall.option_checks import require_above_zero
from footfall.renamed import warn_renamed
from footfall.robot.model import Robot


@dataclass(frozen=True, eq=False)
class VelocityProblem:
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
        if not isinstance(task.weight, float) and np.shape(task.weight) not in ((), (size,)):
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
    sizes = [place.stop - place.start for place in stack.places]
    counts = np.repeat([task.priority for task in stack.tasks], sizes)
    levels = []
    for priority in priorities:
        rows = counts == priority
        labels = tuple([task.label for task in stack.tasks if task.priority == priority])
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
) -> VelocityProblem:
    """The problem of moving from q (nq,) so that tasks get their rates; `solve_velocity` solves it.

    dt: length of a step, s, for limits on position. bounds: on v (nv,), instead of `limits`. collisions: what must stay
    apart, as inequalities before all priorities; method "qp" keeps them. time: s, for targets that are functions of it.
    """
    require_above_zero({"dt": dt})
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
    return VelocityProblem(robot, q, tuple(stack.tasks), error, jacobian, rate, levels, allowed)


Integrator = Literal["euler", "adams", "runge_kutta"]

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
    if integrator not in get_args(Integrator):
        raise UnknownName("integrator", integrator, get_args(Integrator))

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


Method = Literal["hierarchy", "qp"]


def solve_velocity(
    problem: VelocityProblem,
    *,
    method: Method = "hierarchy",
    tolerance: float = RANK_TOLERANCE,
    preferred: Array | None = None,
    **textbook: Any,
) -> Array:
    """The velocity v (nv,) for a problem of `build_ik`, by the priorities of its tasks.

    method: "hierarchy" keeps inequalities, "qp" bounds as well. tolerance: relative, of rank decisions. preferred: a
    velocity (nv,) for the null space, such as minus a cost's gradient. Other methods and their options: deprecated;
    `solve_velocity_textbook` has them.
    """
    if textbook or method not in get_args(Method):
        from footfall.control.inverse_kinematics.textbook import INVERSES, solve_velocity_textbook

        names = "".join(f", {name}=" for name in textbook)
        if method in INVERSES:
            warn_renamed(f"solve_velocity(method={method!r}{names})", "solve_velocity_textbook", depth=3)
            options = {"method": method, "tolerance": tolerance, "preferred": preferred, **textbook}
            return solve_velocity_textbook(problem, **options)
        if method not in get_args(Method):
            known = (*get_args(Method), *INVERSES)
            raise UnknownName("method of velocity-level inverse kinematics", method, known)
        warn_renamed(f"solve_velocity({names[2:]})", "an option of solve_velocity_textbook alone", depth=3)
    bounds = problem.bounds if method == "qp" else None
    return solve_hierarchy(problem.levels, bounds=bounds, tolerance=tolerance, preferred=preferred).v


def scaled_to_bounds(v: Array, problem: VelocityProblem) -> tuple[Array, float]:
    """v (nv,) slowed down as a whole to keep the problem's bounds, and the factor in [0, 1].

    The direction stays, so that the tasks still go the right way. Zero must lie within the bounds.
    """
    lower, upper = problem.bounds
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(v > 0.0, upper / v, np.where(v < 0.0, lower / v, np.inf))
    factor = float(np.clip(np.min(ratios, initial=1.0), 0.0, 1.0))
    return factor * v, factor


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
    for task, place in zip(stack.tasks, stack.places, strict=True):
        task.check("acceleration")
        wanted[place] = task.asked(error[place], speed[place], USUAL) - bias[place]
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


class JointState(NamedTuple):
    """Configuration (nq,) and velocity (nv,)."""

    q: Array
    v: Array


def trapezoid_step(robot: Robot, state: JointState, a: Array, dt: float) -> JointState:
    """The state after dt, s, with constant acceleration a (nv,): the mean velocity moves it.

    Schwienbacher 2014, (4.21).
    """
    v = state.v + dt * a
    return JointState(integrate(robot, state.q, dt * (state.v + v) / 2), v)
