"""Whole-body control, RSL 2022, chapter 3: accelerations, contact forces and torques at once, by priorities.

The equation of motion and the contacts come first, always. They are solved exactly and eliminated, which leaves a small
problem in the motions and internal forces that the robot is free to choose. The tasks then share these by strict
priorities: as prioritised least squares, or as a sequence of quadratic programs that keep to limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import driven_velocities, torque_command
from footfall.control.contact_constraints import Contact
from footfall.control.dual_active_set import SOLVED
from footfall.control.priorities import Levels, bounded, solve_levels
from footfall.control.quadratic_program import UNBOUNDED
from footfall.control.requests import checked_state, checked_values
from footfall.control.stance import StanceLimits, StanceSolution, reduce_stance, solve_stance
from footfall.control.tasks.task import Task
from footfall.control.whole_body_program import (
    WholeBodyLimits,
    WholeBodyProblem,
    WholeBodyProgram,
    program_for,
)
from footfall.errors import InvalidInput, LimitsExceeded, NoSolution, UnknownName
from footfall.math.generalised_inverses import RANK_TOLERANCE
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.simulation.step_values import Command

Method = Literal["least squares", "quadratic programs"]
OnLimits = Literal["raise", "closest"]
METHODS, WAYS = get_args(Method), get_args(OnLimits)
MISSED_LIMIT = 1e-3  # by which limits may be missed, N, N m or rad/s2


@dataclass(frozen=True, eq=False)
class WholeBodySolution:
    """acceleration (nv,), forces (rows,) of the contacts on the robot, torque (joints,); missing: what each level lacks
    (m,) of its tasks; freedom: directions that no task uses. exceeded: by name, limits that no motion keeps and how far
    they are missed, N, N m or rad/s2; empty unless the closest solution was asked for."""

    acceleration: Array
    forces: Array
    torque: Array
    missing: tuple[Array, ...]
    freedom: int
    exceeded: Mapping[str, float] = field(default_factory=dict)


def build_whole_body(
    robot: Robot,
    q: Array,
    v: Array,
    *,
    contacts: Sequence[Contact],
    tasks: Sequence[Task],
    limits: WholeBodyLimits | None = None,
    time: float = 0.0,
) -> WholeBodyProblem:
    """The problem in the state q (nq,), v (nv,)."""
    if not tasks:
        raise InvalidInput("there is no task; give at least one")
    q, v = checked_state(robot, q, v)
    contacts, tasks = tuple(contacts), tuple(tasks)
    return program_for(robot, contacts, tasks, limits).problem(time, q, v, tasks, contacts)


def solve_whole_body(
    problem: WholeBodyProblem,
    *,
    method: Method = "quadratic programs",
    tolerance: float = MISSED_LIMIT,
    on_limits: OnLimits = "raise",
) -> WholeBodySolution:
    """Solve by priorities.

    "least squares" is the recursion of RSL 2022, (3.102)-(3.107) and knows no limits; "quadratic programs" is the
    sequence of RSL 2022, (3.108) with limits before all tasks. tolerance: by which limits may be missed, N, N m or
    rad/s2.
    on_limits: if no motion keeps them, raise `LimitsExceeded`, or give the solution that comes closest, which says so.
    """
    _check_words(method, on_limits)
    bounds = problem.bounds
    if method == "least squares":
        bounds = StanceLimits(*(part[:0] for part in bounds))  # type: ignore[arg-type]
    found = solve_stance(problem.stance, problem.tasks, bounds, RANK_TOLERANCE)
    if found.status == SOLVED and found.worst <= tolerance:
        return _solution(problem, found)
    found = _closest(problem, bounds)
    solution = _solution(problem, found)
    rows = problem.limits
    if found.status != SOLVED or rows is None or method != "quadratic programs":
        norms = {str(k): float(np.linalg.norm(left)) for k, left in enumerate(solution.missing)}
        raise NoSolution("whole-body control found no solution", norms, evidence=problem)
    lacking = np.maximum(rows.value - rows.matrix @ found.x, 0.0)
    if lacking.max(initial=0.0) <= tolerance:
        return solution
    error = LimitsExceeded(problem, solution, lacking)
    if on_limits == "raise":
        raise error
    return replace(solution, exceeded=error.exceeded)


def _closest(problem: WholeBodyProblem, bounds: StanceLimits) -> StanceSolution:
    """The solution with limits as inequalities before all tasks, so that they are missed by as little as can be."""
    reduced, tasks = reduce_stance(problem.stance, problem.tasks, bounds), problem.tasks
    rows, lower, upper = reduced.limits
    least, most = lower > -UNBOUNDED, upper < UNBOUNDED
    limits = np.vstack([rows[least], -rows[most]])
    added = np.ones(len(limits))
    levels = Levels(
        np.vstack([limits, reduced.rows]),
        np.concatenate([lower[least], -upper[most], reduced.missing]),
        np.concatenate([added, tasks.weights]),
        np.concatenate([added > 0.0, tasks.one_sided]),
        np.concatenate([[len(limits)], len(limits) + tasks.ends]),
    )
    size = rows.shape[1]
    status, y, _, freedom = solve_levels(levels, bounded(None, size), np.zeros(size), RANK_TOLERANCE)
    x, missing = reduced.motions.start + reduced.motions.basis @ y, reduced.missing - reduced.rows @ y
    missing[tasks.one_sided] = np.maximum(missing[tasks.one_sided], 0.0)
    return StanceSolution(status, x, missing, freedom, 0.0)


def _check_words(method: str, on_limits: str) -> None:
    if method not in METHODS:
        raise UnknownName("method", method, METHODS, "whole-body control")
    if on_limits not in WAYS:
        raise UnknownName("way to treat limits", on_limits, WAYS, "whole-body control")


@dataclass(frozen=True)
class WholeBodyControl:
    """A controller: the tasks are solved anew in every state, and the torques applied.

    Quadratic programs run as native code that is made on first use and kept with the robot, see `whole_body_program`.

    contacts, tasks: fixed, or functions of time (s). limits: see `WholeBodyLimits`; only for quadratic programs.
    on_limits: "raise" ends a run with `LimitsExceeded` when no motion keeps all limits, after a push too hard, say;
    "closest" goes on with what comes closest, and `WholeBodySolution.exceeded` tells.
    """

    robot: Robot
    contacts: tuple[Contact, ...] | Callable[[float], tuple[Contact, ...]]
    tasks: tuple[Task, ...] | Callable[[float], tuple[Task, ...]]
    limits: WholeBodyLimits | None = None
    method: Method = "quadratic programs"
    on_limits: OnLimits = "raise"
    _last: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_robot("WholeBodyControl", self.robot)
        for name, kind in (("contacts", Contact), ("tasks", Task)):
            given = getattr(self, name)
            if callable(given):
                continue
            object.__setattr__(self, name, checked_values(name, given, kind))
        if self.limits is not None and not isinstance(self.limits, WholeBodyLimits):
            raise InvalidInput(f"limits are {self.limits!r}; they must be WholeBodyLimits, or None")
        _check_words(self.method, self.on_limits)
        if self.method == "least squares" and self.limits is not None:
            raise InvalidInput(
                'method "least squares" does not support limits; use method="quadratic programs" or limits=None'
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_last": []}  # native code is made again where it is needed

    def _program(self, contacts: tuple[Contact, ...], tasks: tuple[Task, ...]) -> WholeBodyProgram:
        """The program of the last call if it was for the same tuples, which saves to compare what is in them."""
        if not self._last or self._last[0] is not contacts or self._last[1] is not tasks:
            self._last[:] = [contacts, tasks, program_for(self.robot, contacts, tasks, self.limits)]
        return self._last[2]  # type: ignore[no-any-return]

    def solve(self, time: float, q: Array, v: Array) -> WholeBodySolution:
        """Accelerations, forces and torques in the state q (nq,), v (nv,)."""
        contacts = self.contacts(time) if callable(self.contacts) else self.contacts
        tasks = self.tasks(time) if callable(self.tasks) else self.tasks
        if not tasks:
            raise InvalidInput("there is no task; give at least one")
        problem = self._program(contacts, tasks).problem(time, q, v, tasks, contacts)
        return solve_whole_body(problem, method=self.method, on_limits=self.on_limits)

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N; not beyond what drives give, where these are limited."""
        solution = self.solve(time, q, v)
        if not solution.exceeded or self.limits is None or not self.limits.torque:
            return solution.torque
        most = self.robot.effort_limits[driven_velocities(self.robot)]
        return np.clip(solution.torque, -most, most)

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        return torque_command(self.torque(time, q, v))


def _solution(problem: WholeBodyProblem, found: StanceSolution) -> WholeBodySolution:
    layout, x = problem.situation.layout, found.x
    levels = tuple([found.missing[place] for place in problem.level_places])
    return WholeBodySolution(x[layout.a], x[layout.f], x[layout.tau], levels, found.freedom)
