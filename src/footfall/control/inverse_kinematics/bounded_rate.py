"""Velocity level with limits for hot loops: one native call makes the quadratic program, DAQP solves it.

    v minimises  sum weight (rate + gain error - J v)^2 + damping^2 v^2  within the bounds of the joint limits

With bounds on v alone and a Hessian far from singular, DAQP is the fastest solver there is (docs/control.md has the
comparison). Native code holds errors, Jacobians, the Hessian and the bounds; what is left to Python is two calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import build_kernel, maximum, minimum
from footfall.control.collision_limits import CollisionLimits
from footfall.control.inverse_kinematics.hierarchical_qp import QuadraticProgram
from footfall.control.inverse_kinematics.limited_program import solve_limited
from footfall.control.inverse_kinematics.limits import Limits, position_limits, single_coordinates
from footfall.control.inverse_kinematics.problem import decay_rates, row_weights
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidTask
from footfall.math.spatial import symmetric
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair

_FAR = 1e30  # stands for no limit


class RateSolution(NamedTuple):
    """v (nv,); violated: by pair of volumes, how much its distance grows too slowly, m/s, where limits contradict each
    other; distances: of the pairs within reach, m."""

    v: Array
    violated: dict[Pair, float]
    distances: dict[Pair, float]


class BoundedRate:
    """Weighted tasks within joint limits for one robot and list of tasks.

    dt: length of a step, s, for limits on position. damping: in the unit of the weighted Jacobian, above zero.
    collisions: what must stay apart, together with the joint limits; tasks give way to it. Where joint limits and
    distances cannot all be kept, joint limits are, and `solve` says which pairs were not. Priorities do not matter
    here; `solve_velocity` with method "qp" keeps them.
    """

    def __init__(
        self,
        robot: Robot,
        tasks: Sequence[MotionTask],
        *,
        dt: float = 1e-3,
        limits: Limits = Limits(),  # noqa: B008 (immutable)
        damping: float = 1e-4,
        collisions: CollisionLimits | None = None,
    ) -> None:
        self.stack = TaskStack(robot, tasks)
        if any(task.inequality for task in self.stack.tasks):
            raise InvalidTask("half-spaces need solve_velocity with method='qp'")
        if not (dt > 0.0 and damping > 0.0):
            raise InvalidTask(f"dt is {dt} and damping {damping}; both must be above zero")
        self.limits, self.dt, self.damping, self.collisions = limits, dt, damping, collisions
        if collisions is not None:
            collisions.model(robot)  # says now if something is wrong
        size = self.stack.size
        shapes = {
            "q": robot.nq,
            "parameters": len(self.stack.parameters),
            "rate": size,
            "gain": size,
            "weight": size,
        }
        key = self.stack.key(limits, dt, damping)
        self.kernel = build_kernel(self._traced, shapes, name="bounded_rate", key=key)
        self._own_feedback = self.feedback(self.stack)
        self._no_rows = np.zeros((0, robot.nv))

    def __reduce__(self) -> tuple[Any, ...]:
        options: dict[str, Any] = {
            "dt": self.dt,
            "limits": self.limits,
            "damping": self.damping,
            "collisions": self.collisions,
        }
        return partial(BoundedRate, self.stack.robot, self.stack.tasks, **options), ()

    def __call__(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        placements: Mapping[str, Transform] | None = None,
    ) -> Array:
        """v (nv,) at q (nq,); tasks: the same with other targets, rates, gains and weights, at a time, s.

        placements: where obstacles stand now, by name; those not named are where they were made.
        """
        return solve_limited(self.build(q, tasks, time=time, placements=placements))

    def run(self, q: Array, parameters: Array, rate: Array, gain: Array, weight: Array) -> Array:
        """v (nv,) from bare arrays: targets (p,), feed-forward rates (m,), gains (m,), 1/s, and weights (m,).
        Collisions are not looked at."""
        hessian, gradient, lower, upper = self.kernel(q, parameters, rate, gain, weight)
        return solve_limited(QuadraticProgram(hessian, gradient, self._no_rows, lower, upper))

    def solve(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        placements: Mapping[str, Transform] | None = None,
    ) -> RateSolution:
        """The same as a call, with what is close and which distances could not be kept."""
        v = self(q, tasks, time=time, placements=placements)
        if self.collisions is None:
            return RateSolution(v, {}, {})
        rows = self.collisions.rows(self.stack.robot, q, placements)
        least = self.collisions.least_rates(rows.distance, self.dt)
        return RateSolution(v, rows.missing(v, least), rows.least_distances())

    def build(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        placements: Mapping[str, Transform] | None = None,
    ) -> QuadraticProgram:
        """The quadratic program at q (nq,)."""
        if tasks is None:
            stack, feedback = self.stack, self._own_feedback
        else:
            stack = TaskStack(self.stack.robot, tasks, time)
            if stack.structure != self.stack.structure:
                raise InvalidTask("the tasks differ in more than numbers; make another BoundedRate")
            feedback = self.feedback(stack)
        hessian, gradient, lower, upper = self.kernel(q, stack.parameters, *feedback)
        if self.collisions is None:
            return QuadraticProgram(hessian, gradient, self._no_rows, lower, upper)
        rows = self.collisions.rows(self.stack.robot, q, placements)
        least = self.collisions.least_rates(rows.distance, self.dt)
        if len(least):
            lower, upper = self.collisions.slowed(lower, upper, self.dt)
        return QuadraticProgram(
            hessian,
            gradient,
            rows.jacobian,
            np.concatenate([lower, least]),
            np.concatenate([upper, np.full(len(least), _FAR)]),
        )

    def feedback(self, stack: TaskStack) -> tuple[Array, Array, Array]:
        """Rates, gains and weights (m,) of the tasks."""
        return stack.feed_forward("rate"), decay_rates(stack), row_weights(stack)

    def _traced(
        self, q: Array, parameters: Array, rate: Array, gain: Array, weight: Array
    ) -> dict[str, Array]:
        values = self.stack.traced(q, parameters)
        jacobian = values["jacobian"]
        weighted = weight[:, None] * jacobian
        square = self.damping**2
        columns, scaled = jacobian.T, weighted.T
        hessian = symmetric(len(columns), lambda i, j: scaled[i] @ columns[j] + (square if i == j else 0.0))
        lower, upper = self._bounds(q)
        wanted = rate + gain * values["error"] - values["drift"]
        return {"hessian": hessian, "gradient": -(scaled @ wanted), "lower": lower, "upper": upper}

    def _bounds(self, q: Array) -> tuple[Array, Array]:
        """Bounds (nv,) on v as symbols, as `velocity_bounds` has them."""
        robot = self.stack.robot
        fastest = np.full(robot.nv, _FAR)
        if self.limits.velocity is not None:
            fastest = np.minimum(self.limits.velocity * robot.velocity_limits, _FAR)
        below, above = position_limits(robot, self.limits)
        lower: list[Any] = list(-fastest)
        upper: list[Any] = list(fastest)
        share = self.limits.approach / self.dt
        for in_q, in_v in zip(*(places.tolist() for places in single_coordinates(robot)), strict=True):
            top = fastest[in_v]
            if np.isfinite(below[in_v]):
                lower[in_v] = minimum(maximum(share * (below[in_v] - q[in_q]), -top), top)
            if np.isfinite(above[in_v]):
                upper[in_v] = minimum(maximum(share * (above[in_v] - q[in_q]), -top), top)
        return np.array(lower), np.array(upper)
