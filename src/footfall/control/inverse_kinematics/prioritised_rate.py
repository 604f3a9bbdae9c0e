"""Strict priorities for hot loops: one native call gives errors and Jacobians, another one solves level by level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.arrays import Array
from footfall.control.dual_active_set import SOLVED, RowLimits
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Limits, velocity_bounds
from footfall.control.inverse_kinematics.problem import decay_rates, preferred_velocity, row_weights
from footfall.control.strict_priorities import Levels, solve_levels
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidTask, NoSolution
from footfall.math.generalised_inverses import RANK_TOLERANCE
from footfall.robot.model import Robot


class PrioritisedRate:
    """Tasks of one robot by priorities, within joint limits if asked for; `solve_velocity` with less around it.

    dt: length of a step, s, for limits on position. tolerance: of rank decisions, see `solve_hierarchy`.
    """

    def __init__(
        self,
        robot: Robot,
        tasks: Sequence[MotionTask],
        *,
        dt: float = 1e-3,
        limits: Limits = NO_LIMITS,
        tolerance: float = RANK_TOLERANCE,
    ) -> None:
        given = TaskStack(robot, tasks)
        if any(task.inequality for task in given.tasks):
            raise InvalidTask("half-spaces need solve_velocity with method='qp'")
        if not dt > 0.0:
            raise InvalidTask(f"dt is {dt}; it must be above zero")
        self.stack = TaskStack(robot, tuple(sorted(given.tasks, key=lambda task: task.priority)))
        self.dt, self.limits, self.tolerance = dt, limits, tolerance
        places = self.stack.places
        ends = {task.priority: place.stop for task, place in zip(self.stack.tasks, places, strict=True)}
        self._ends = np.array([ends[priority] for priority in sorted(ends)], dtype=np.int64)
        self._gain, self._rate = decay_rates(self.stack), self.stack.feed_forward("rate")
        self._weights, self._parameters = row_weights(self.stack), np.array(self.stack.parameters)
        self._rest = np.zeros(robot.nv)
        self._rows, self._limited = np.zeros((0, robot.nv)), np.zeros(0, dtype=np.int64)
        if limits != NO_LIMITS:
            lower, upper = velocity_bounds(robot, np.zeros(robot.nq), dt=dt, limits=limits)
            self._limited = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
            self._rows = np.eye(robot.nv)[self._limited]

    def __call__(self, q: Array, preferred: Array | None = None) -> Array:
        """v (nv,) at q (nq,); preferred: velocity (nv,) for what no task decides."""
        error, jacobian = self.stack.kernel(q, self._parameters)
        lower = upper = np.zeros(0)
        if len(self._limited):
            bounds = velocity_bounds(self.stack.robot, q, dt=self.dt, limits=self.limits)
            lower, upper = bounds.lower[self._limited], bounds.upper[self._limited]
        wanted = self._rate + self._gain * error
        if self.stack.drifting:
            wanted -= self.stack.drift(q)
        status, v, _, _ = solve_levels(
            Levels(jacobian, wanted, self._weights, self._ends),
            RowLimits(self._rows, lower, upper),
            self._rest if preferred is None else preferred_velocity(preferred, len(self._rest)),
            self.tolerance,
        )
        if status != SOLVED:
            raise NoSolution("no motion keeps the limits", {}, evidence=(np.array(q), lower, upper))
        return v
