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
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.control.inverse_kinematics.hierarchical_qp import solve_hierarchical_qp
from footfall.control.inverse_kinematics.hierarchy import solve_hierarchy
from footfall.control.inverse_kinematics.problem import Level, level
from footfall.control.requests import checked_state, checked_values
from footfall.control.tasks.forces import Layout, Situation, TaskRows, WholeBodyTask
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask, Task
from footfall.control.whole_body_limits import LimitRows, WholeBodyLimits
from footfall.control.whole_body_program import WholeBodyProgram, has_program, program_for
from footfall.errors import InvalidRequest, InvalidTask, LimitsExceeded, NoTasks, UnknownName
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.simulation.step_values import Command

Method = Literal["least squares", "quadratic programs"]
OnLimits = Literal["raise", "closest"]
MISSED_LIMIT = 1e-3  # by which limits may be missed, N, N m or rad/s2
RANK_TOLERANCE = 1e-8  # of the equation of motion with the contacts, whose rows have different units


@dataclass(frozen=True, eq=False)
class WholeBodyProblem:
    """What is to be solved, in x = (a; f; tau), to look at.

    physics: the equation of motion (3.110) and the contacts; they must hold. limits: rows that must not be undercut, or
    None. levels: the tasks, by priority; labels: of each level.
    """

    situation: Situation
    physics: TaskRows
    limits: LimitRows | None
    levels: tuple[Level, ...]


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
        raise NoTasks("there is no task; give at least one")
    q, v = checked_state(robot, q, v)
    system = build_constrained_system(robot, q, v, contacts=contacts)
    driven = driven_velocities(robot)
    layout = Layout(robot.nv, len(system.jacobian), len(driven))
    situation = Situation(robot, time, q, v, tuple(contacts), system, layout)
    physics = np.zeros((layout.velocities + layout.forces, layout.size))
    physics[: robot.nv, layout.a] = system.mass  # RSL 2022, (3.110)
    physics[: robot.nv, layout.f] = -system.jacobian.T
    physics[driven, range(layout.tau.start, layout.tau.stop)] = -1.0
    physics[robot.nv :, layout.a] = system.jacobian
    value = -np.concatenate([system.forces, system.jacobian_bias])
    return WholeBodyProblem(
        situation,
        TaskRows(physics, value),
        None if limits is None else limits.rows(situation),
        _by_priority(tasks, situation),
    )


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
    _check_on_limits(on_limits)
    if method not in get_args(Method):
        raise UnknownName("method", method, get_args(Method), "whole-body control")
    start, basis = _physical_motions(problem)
    tasks = [_reduced(each, start, basis) for each in problem.levels]
    if method == "least squares":
        found = solve_hierarchy(tasks)
        missing = found.missing
    else:
        bounds = problem.limits if problem.limits is not None and len(problem.limits.value) else None
        rows = [] if bounds is None else [level(bounds.matrix, bounds.value, inequality=True)]
        found = solve_hierarchical_qp([*(_reduced(each, start, basis) for each in rows), *tasks])
        missing = found.missing[len(rows) :]
    x = start + basis @ found.v
    solution = _solution(problem.situation.layout, x, missing, found.freedom)
    if method == "quadratic programs" and problem.limits is not None:
        lacking = np.maximum(problem.limits.value - problem.limits.matrix @ x, 0.0)
        if lacking.max(initial=0.0) > tolerance:
            error = LimitsExceeded(problem, solution, lacking)
            if on_limits == "raise":
                raise error
            return replace(solution, exceeded=error.exceeded)
    return solution


def _check_on_limits(on_limits: str) -> None:
    if on_limits not in get_args(OnLimits):
        raise UnknownName("way to treat limits", on_limits, get_args(OnLimits), "whole-body control")


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
            raise InvalidRequest(f"limits are {self.limits!r}; they must be WholeBodyLimits, or None")
        if self.method not in get_args(Method):
            raise UnknownName("method", self.method, get_args(Method), "whole-body control")
        _check_on_limits(self.on_limits)
        if self.method == "least squares" and self.limits is not None:
            raise InvalidRequest(
                "least squares know no limits; choose quadratic programs, or leave limits out"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_last": []}  # native code is made again where it is needed

    def _program(self, contacts: tuple[Contact, ...], tasks: tuple[Task, ...]) -> WholeBodyProgram:
        """The program of the last call if it was for the same tuples, which saves to compare what is in them."""
        if not self._last or self._last[0] is not contacts or self._last[1] is not tasks:
            limits = self.limits if self.limits is None else replace(self.limits, collisions=None)
            self._last[:] = [contacts, tasks, program_for(self.robot, contacts, tasks, limits)]
        return self._last[2]  # type: ignore[no-any-return]

    def solve(self, time: float, q: Array, v: Array) -> WholeBodySolution:
        """Accelerations, forces and torques in the state q (nq,), v (nv,)."""
        contacts = self.contacts(time) if callable(self.contacts) else self.contacts
        tasks = self.tasks(time) if callable(self.tasks) else self.tasks
        if self.method == "quadratic programs" and tasks and has_program(tasks):
            program = self._program(contacts, tasks)
            found = program.solve(time, q, v, tasks, contacts)
            if found.solved and found.worst <= MISSED_LIMIT and self._apart(q, v, found.x[program.layout.a]):
                return _solution(program.layout, found.x, found.missing, found.freedom)
        # Tasks of one's own; or no motion keeps all limits, and the problem has to say which are missed.
        problem = build_whole_body(
            self.robot, q, v, contacts=contacts, tasks=tasks, limits=self.limits, time=time
        )
        return solve_whole_body(problem, method=self.method, on_limits=self.on_limits)

    def _apart(self, q: Array, v: Array, acceleration: Array) -> bool:
        """Whether an acceleration (nv,) keeps volumes apart."""
        if self.limits is None or self.limits.collisions is None:
            return True
        rows, least = self.limits.distance_rows(self.robot, q, v)
        return bool((rows.jacobian @ acceleration >= least - MISSED_LIMIT).all())

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N; not beyond what drives give, where these are limited."""
        solution = self.solve(time, q, v)
        if not solution.exceeded or self.limits is None or not self.limits.torque:
            return solution.torque
        most = self.robot.effort_limits[driven_velocities(self.robot)]
        return np.clip(solution.torque, -most, most)

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        return torque_command(self.torque(time, q, v))


def _solution(layout: Layout, x: Array, missing: tuple[Array, ...], freedom: int) -> WholeBodySolution:
    return WholeBodySolution(x[layout.a], x[layout.f], x[layout.tau], missing, freedom)


def _by_priority(tasks: Sequence[Task], situation: Situation) -> tuple[Level, ...]:
    rows = task_rows(tasks, situation)
    levels = []
    for priority in sorted({task.priority for task in tasks}):
        members = [k for k, task in enumerate(tasks) if task.priority == priority]
        matrix = np.vstack([rows[k].matrix for k in members])
        value = np.concatenate([rows[k].value for k in members])
        weights = [np.broadcast_to(tasks[k].weight, rows[k].value.shape) for k in members]
        one_sided = [np.full(len(rows[k].value), getattr(tasks[k], "inequality", False)) for k in members]
        labels = tuple(tasks[k].label for k in members)
        levels.append(Level(matrix, value, np.concatenate(weights), np.concatenate(one_sided), labels))
    return tuple(levels)


def task_rows(tasks: Sequence[Task], situation: Situation) -> list[TaskRows]:
    """Rows of each task now; those about motion come from one native call."""
    motions = [task for task in tasks if isinstance(task, MotionTask)]
    found: dict[int, TaskRows] = {}
    if motions:
        for each in motions:
            each.check("acceleration")
        stack = TaskStack(situation.robot, tuple(motions), situation.time)
        matrix, value = stack.row_kernel(situation.q, situation.v, stack.numbers())
        whole = np.zeros((len(value), situation.layout.size))
        whole[:, situation.layout.a] = matrix
        found = {
            id(task): TaskRows(whole[place], value[place])
            for task, place in zip(motions, stack.places, strict=True)
        }
    rows = []
    for task in tasks:
        if isinstance(task, WholeBodyTask):
            rows.append(task.rows(situation))
        elif isinstance(task, MotionTask):
            rows.append(found[id(task)])
        else:
            raise InvalidTask(f"{task!r} is no task; see footfall.control")
    return rows


def _physical_motions(problem: WholeBodyProblem) -> tuple[Array, Array]:
    """A start x (n,) and a basis (n, k) of all x that obey the equation of motion and the contacts.

    Torques follow from the rest, so only the rows without a drive and those of the contacts have to be solved.
    """
    robot, system, layout = (problem.situation.robot, problem.situation.system, problem.situation.layout)
    driven = driven_velocities(robot)
    undriven = np.setdiff1d(np.arange(robot.nv), driven)
    free = layout.velocities + layout.forces
    kept = [*undriven, *range(robot.nv, len(problem.physics.value))]
    matrix, value = problem.physics.matrix[kept][:, :free], problem.physics.value[kept]
    left, values, right = np.linalg.svd(matrix)
    rank = int(np.count_nonzero(values > RANK_TOLERANCE * values[0])) if len(values) else 0
    start = right[:rank].T @ ((left[:, :rank].T @ value) / values[:rank])
    torques = np.hstack([system.mass[driven], -system.jacobian.T[driven]])
    basis = right[rank:].T
    return (
        np.concatenate([start, torques @ start + system.forces[driven]]),
        np.vstack([basis, torques @ basis]),
    )


def _reduced(each: Level, start: Array, basis: Array) -> Level:
    """A level in the coordinates of the basis."""
    return Level(
        each.jacobian @ basis,
        each.rate - each.jacobian @ start,
        each.weight,
        each.inequality,
        each.labels,
    )
