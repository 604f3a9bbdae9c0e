"""Resolved motion rate that keeps joint limits and distances: what would break them is taken away, and no more.

Null-space costs push, but nothing says that they win: other costs or a task can be stronger, and a step too long. Here
the velocity of a `ResolvedRate` is taken as it is while it keeps all limits. Where it does not, the closest one is used
that does, and tasks give way last.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits
from footfall.control.inverse_kinematics.bounded_rate import RateSolution
from footfall.control.inverse_kinematics.hierarchical_qp import QuadraticProgram
from footfall.control.inverse_kinematics.limited_program import solve_limited
from footfall.control.inverse_kinematics.limits import Limits, velocity_bounds
from footfall.control.inverse_kinematics.repulsion import CostSum, NullSpaceCost, RepulsiveCost
from footfall.control.inverse_kinematics.resolved_rate import ResolvedRate
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidTask, StepWarning
from footfall.math.transform import Transform

_TASKS = 1e4  # weight of what tasks would lose, beside the change of the joints' motion
_KEPT = 1e-9  # rad/s or m/s, by which limits may be missed


class GuardedRate:
    """A `ResolvedRate` within joint limits and with volumes that stay apart. dt: s, length of a step.

    It warns (`StepWarning`, once) when a `RepulsiveCost` is too stiff for such steps.
    """

    def __init__(
        self,
        rate: ResolvedRate,
        *,
        dt: float,
        limits: Limits = Limits(),  # noqa: B008 (immutable)
        collisions: CollisionLimits | None = None,
    ) -> None:
        if not 0.0 < dt < np.inf:
            raise InvalidTask(f"dt is {dt}; it must be finite and above zero")
        self.rate, self.dt, self.limits, self.collisions = rate, dt, limits, collisions
        self._stiff = [
            each for each in _costs(rate.cost) if isinstance(each, RepulsiveCost) and each.step is None
        ]
        if collisions is not None:
            collisions.model(rate.stack.robot)  # says now if something is wrong

    def __call__(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        told: Array | None = None,
        placements: Mapping[str, Transform] | None = None,
    ) -> Array:
        """v (nv,) at q (nq,); arguments as of `ResolvedRate`. placements: where obstacles stand now, by name."""
        return self.solve(q, tasks, time=time, told=told, placements=placements).v

    def solve(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        told: Array | None = None,
        placements: Mapping[str, Transform] | None = None,
    ) -> RateSolution:
        """The same with what is close, and which distances could not be kept."""
        self._check_step(q)
        v = self.rate(q, tasks, time=time, told=told)
        robot, size = self.rate.stack.robot, len(v)
        lower, upper = velocity_bounds(robot, q, dt=self.dt, limits=self.limits)
        matrix, least = np.zeros((0, size)), np.zeros(0)
        rows = None
        if self.collisions is not None:
            rows = self.collisions.rows(robot, q, placements)
            matrix, least = rows.jacobian, self.collisions.least_rates(rows.distance, self.dt)
            if len(least):
                lower, upper = self.collisions.slowed(lower, upper, self.dt)
        if ((v < lower - _KEPT) | (v > upper + _KEPT)).any() or (matrix @ v < least - _KEPT).any():
            jacobian = self.rate.stack.kernel(q, self.rate.stack.parameters)[1]
            hessian = np.eye(size) + _TASKS * jacobian.T @ jacobian
            far = np.full(len(least), 1e30)
            v = solve_limited(
                QuadraticProgram(
                    hessian,
                    -hessian @ v,
                    matrix,
                    np.concatenate([np.maximum(lower, -1e30), least]),
                    np.concatenate([np.minimum(upper, 1e30), far]),
                )
            )
        if rows is None:
            return RateSolution(v, {}, {})
        return RateSolution(v, rows.missing(v, least), rows.least_distances())

    def _check_step(self, q: Array) -> None:
        for cost in self._stiff:
            stiffness = cost.stiffness(self.rate.stack.robot, q) * self.dt
            if stiffness > 1.0:
                warnings.warn(
                    f"the repulsive cost is {stiffness:.2g} times too stiff for steps of {self.dt:g} s: volumes "
                    f"overshoot (from 2 on they ring); give it step={self.dt:g}, less strength or more reach",
                    StepWarning,
                    stacklevel=4,
                )
                self._stiff = []


def _costs(cost: NullSpaceCost | None) -> Iterator[NullSpaceCost]:
    """The single costs of a sum."""
    if isinstance(cost, CostSum):
        for each in cost.costs:
            yield from _costs(each)
    elif cost is not None:
        yield cost
