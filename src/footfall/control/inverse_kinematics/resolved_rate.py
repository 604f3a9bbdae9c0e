"""Resolved motion rate in one native call: errors, Jacobian, cost gradient and solution.

Schwienbacher 2014, (4.6)-(4.16).
    v minimises  v W v / 2 + grad H . v  subject to  J v = rate + gain * error

For hot loops: everything, the factorisation included, is native code made for the robot and the tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, maximum
from footfall.control.inverse_kinematics.limits import Limits, position_limits, single_coordinates
from footfall.control.inverse_kinematics.motion_weights import JointWeights, MotionWeight
from footfall.control.inverse_kinematics.null_space import NullSpaceTerm, Smoothing, TaskMotion
from footfall.control.inverse_kinematics.problem import decay_rates
from footfall.control.inverse_kinematics.repulsion import NullSpaceCost
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidTask
from footfall.math.positive_definite import solve_positive_definite
from footfall.math.spatial import symmetric
from footfall.robot.model import Robot


@dataclass(frozen=True)
class ComfortCost:
    """A cost that pulls joints to a comfortable pose and away from their stops, Schwienbacher 2014, (4.6)-(4.16).

    `H = k_c (q - q_c)^2 / 2`, and `k_l d^2 / 2` for the way d that a joint is beyond a soft limit, which lies `margin`
    (rad or m) inside the hard one. comfort: q_c (nq,) as a tuple. comfort_gain, limit_gain: in 1/s, since the gradient
    is used as a velocity.
    """

    comfort: tuple[float, ...]
    comfort_gain: float = 0.1
    limit_gain: float = 1.0
    margin: float = 0.1

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""
        at, comfort, below, above = self._terms(robot, q)
        return (self.comfort_gain * (at - comfort) ** 2 + self.limit_gain * (below**2 + above**2)).sum() / 2

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,): zero for floating bases and ball joints."""
        at, comfort, below, above = self._terms(robot, q)
        slopes = self.comfort_gain * (at - comfort) + self.limit_gain * (above - below)
        result: list[Any] = [0.0] * robot.nv
        for index, slope in zip(self._places(robot)[1], slopes, strict=True):
            result[index] = slope
        return np.array(result)

    def _places(self, robot: Robot) -> tuple[Array, Array]:
        in_q, in_v = single_coordinates(robot)
        base = {
            index for joint in robot.joints if joint.type == "floating" for index in _range(robot, joint.name)
        }
        joints = np.array([index not in base for index in in_v.tolist()], dtype=bool)
        return in_q[joints], in_v[joints]

    def _terms(self, robot: Robot, q: Array) -> tuple[Array, Array, Array, Array]:
        if len(self.comfort) != robot.nq:
            raise InvalidTask(
                f"comfort has {len(self.comfort)} entries; robot {robot.name!r} has nq {robot.nq}"
            )
        in_q, in_v = self._places(robot)
        lower, upper = position_limits(robot, Limits(velocity=None))
        at = q[in_q]
        # Infinite limits have no slope: far away but finite, so that symbols stay finite.
        below = maximum(np.maximum(lower[in_v], -1e9) + self.margin - at, 0.0)
        above = maximum(at - np.minimum(upper[in_v], 1e9) + self.margin, 0.0)
        return at, np.array(self.comfort)[in_q], below, above


class ResolvedRate:
    """Velocity-level inverse kinematics for one robot and list of tasks, as native code.

    motion_weights: W, numbers (nv,), large for joints that should move little, a matrix (nv, nv), or a
    `MomentumWeight`. cost: its gradient moves what the tasks leave free; smoothing: of that motion, which gives the
    object a memory: one for each run. terms: further motion for what is free that sees what the tasks do, such as
    `MomentumCompensation`. damping: added to the smallest singular values, in the unit of the Jacobian; it keeps the
    factorisation possible where tasks lose rank. All tasks count the same: weights and priorities do not matter here.
    """

    def __init__(
        self,
        robot: Robot,
        tasks: Sequence[MotionTask],
        *,
        motion_weights: Array | MotionWeight | None = None,
        cost: NullSpaceCost | None = None,
        terms: Sequence[NullSpaceTerm] = (),
        smoothing: Smoothing | None = None,
        damping: float = 1e-6,
    ) -> None:
        self.stack = TaskStack(robot, tasks)
        if any(task.inequality for task in self.stack.tasks):
            raise InvalidTask("half-spaces need a solver with inequalities: solve_velocity with method='qp'")
        self.weight = _weight(robot, motion_weights)
        self.cost, self.damping, self.terms = cost, damping, tuple(terms)
        self.smoothing = smoothing if cost is not None else None
        self._memory = np.zeros((2, robot.nv) if self.smoothing is not None else (0, robot.nv))
        self._told = np.zeros(sum(term.told for term in self.terms))
        self._numbers = np.concatenate([self.weight.numbers, *(term.numbers for term in self.terms)])
        self._plain = not (len(self._numbers) or self.terms or self.smoothing)
        self._own_feedback = self.feedback(self.stack)
        self.kernel = self._compiled()

    def __reduce__(self) -> tuple[Any, ...]:
        options: dict[str, Any] = {
            "motion_weights": self.weight,
            "cost": self.cost,
            "terms": self.terms,
            "smoothing": self.smoothing,
            "damping": self.damping,
        }
        return partial(ResolvedRate, self.stack.robot, self.stack.tasks, **options), ()

    def __call__(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        told: Array | None = None,
    ) -> Array:
        """v (nv,) at q (nq,); tasks: the same with other targets and rates, at a time, s.

        told: numbers of the terms, one after the other, such as the momentum that is wanted; zero by default.
        """
        if tasks is None:
            return self.run(q, self.stack.parameters, *self._own_feedback, told)
        stack = TaskStack(self.stack.robot, tasks, time)
        if stack.structure != self.stack.structure:
            raise InvalidTask("the tasks differ in more than targets and rates; make another ResolvedRate")
        return self.run(q, stack.parameters, *self.feedback(stack), told)

    def run(self, q: Array, parameters: Array, rate: Array, gain: Array, told: Array | None = None) -> Array:
        """v (nv,) from bare arrays: targets (p,), feed-forward rates (m,), gains (m,), 1/s, and numbers of terms."""
        if self._plain:
            result: Array = self.kernel(q, parameters, rate, gain)
            return result
        own = self._told if told is None else np.asarray(told, dtype=np.float64)
        if own.shape != self._told.shape:
            raise InvalidTask(f"told has shape {own.shape}; the terms need {self._told.shape}")
        numbers = np.concatenate([self._numbers, own])
        found, memory = self.kernel(q, parameters, rate, gain, numbers, self._memory)
        self._memory = memory
        return np.asarray(found)

    def feedback(self, stack: TaskStack) -> tuple[Array, Array]:
        """Rates (m,) and gains (m,) of the tasks."""
        return stack.feed_forward("rate"), decay_rates(stack)

    def _compiled(self) -> Kernel:
        robot, size = self.stack.robot, self.stack.size
        shapes: dict[str, Any] = {
            "q": robot.nq,
            "parameters": len(self.stack.parameters),
            "rate": size,
            "gain": size,
        }
        facts = (self.weight.facts(), self.cost, self.damping)
        if self._plain:
            return build_kernel(self._traced, shapes, name="resolved_rate", key=self.stack.key(*facts))
        shapes |= {"numbers": len(self._numbers) + len(self._told), "memory": self._memory.shape}
        key = self.stack.key(*facts, tuple(term.facts() for term in self.terms), self.smoothing)
        return build_kernel(self._traced_whole, shapes, name="resolved_rate_terms", key=key)

    def _traced(self, q: Array, parameters: Array, rate: Array, gain: Array) -> Array:
        memory = np.zeros(self._memory.shape)
        return self._traced_whole(q, parameters, rate, gain, np.zeros(0), memory)["v"]

    def _traced_whole(
        self, q: Array, parameters: Array, rate: Array, gain: Array, numbers: Array, memory: Array
    ) -> dict[str, Array]:
        robot = self.stack.robot
        values = self.stack.traced(q, parameters)
        jacobian = values["jacobian"]
        wanted = rate + gain * values["error"] - values["drift"]

        def divide(rows: Array) -> Array:
            return self.weight.divide(robot, q, rows, numbers[: len(self.weight.numbers)])

        scaled = divide(jacobian)
        square = self.damping**2
        matrix = symmetric(len(wanted), lambda i, j: scaled[i] @ jacobian[j] + (square if i == j else 0.0))
        free = np.zeros(robot.nv)
        if self.cost is not None:
            free = -divide(self.cost.gradient(robot, q)[None])[0]
        if self.smoothing is not None:
            free, memory = self.smoothing.step(memory, free)
        if self.terms:
            particular = scaled.T @ solve_positive_definite(matrix, wanted)

            def project(v: Array) -> Array:
                projected: Array = v - scaled.T @ solve_positive_definite(matrix, jacobian @ v)
                return projected

            start, given = len(self.weight.numbers), len(self._numbers)
            for term in self.terms:
                own, told = numbers[start : start + len(term.numbers)], numbers[given : given + term.told]
                start, given = start + len(own), given + len(told)
                motion = TaskMotion(particular, project(free), project, own, told)
                free = free + term.velocity(robot, q, motion)
        # Schwienbacher 2014, algorithm 4.3, with what is free beside the gradient (7.8).
        v = free + scaled.T @ solve_positive_definite(matrix, wanted - jacobian @ free)
        return {"v": v, "memory": memory}


def _weight(robot: Robot, given: Array | MotionWeight | None) -> MotionWeight:
    """The weight of motion that was asked for, checked."""
    if given is None:
        return JointWeights(np.ones(robot.nv))
    if hasattr(given, "divide"):
        chosen: MotionWeight = given  # type: ignore[assignment]
        return chosen
    weights = JointWeights(np.asarray(given))
    if weights.values.shape not in ((robot.nv,), (robot.nv, robot.nv)):
        raise InvalidTask(
            f"motion_weights have shape {weights.values.shape}; it must be {(robot.nv,)} or {(robot.nv, robot.nv)}"
        )
    return weights


def _range(robot: Robot, joint: str) -> range:
    return range(robot.nv)[robot.v_slice(joint)]
