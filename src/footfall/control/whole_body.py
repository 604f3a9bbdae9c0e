"""Whole-body control, RSL 2022, chapter 3: accelerations, contact forces and torques at once, by priorities.

The equation of motion and the contacts come first, always. They are solved exactly and eliminated, which leaves a small
problem in the motions and internal forces that the robot is free to choose. The tasks then share these by strict
priorities: as prioritised least squares, or as a sequence of quadratic programs that keep to limits.

Native code forms the problem, which is a value to look at. The code is made once for a robot, where its contacts are on
it, what its tasks are about, and limits; targets, gains, weights, normals, friction and sizes of soles are numbers.
Mass matrix, bias forces, Jacobians, task rows, friction cones and joint bounds come from code traced for them;
elimination, priorities and quadratic programs are routines (`stance.py`). What is left to Python is to collect numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, less, maximum, minimum, sqrt, where
from footfall.control.actuation import driven_coordinates, driven_names, driven_velocities, torque_command
from footfall.control.collision_limits import CollisionLimits, CollisionRows
from footfall.control.contact_constraints import (
    POINT,
    SURFACE,
    ConstrainedSystem,
    Contact,
    constrained_system,
    geometry_of,
)
from footfall.control.dual_active_set import SOLVED
from footfall.control.priorities import WEAK, Level, Levels, bounded, solve_levels
from footfall.control.quadratic_program import UNBOUNDED, QuadraticProgram
from footfall.control.requests import checked_state, checked_values
from footfall.control.stance import (
    StanceDynamics,
    StanceLimits,
    StanceSolution,
    StanceTasks,
    reduce_stance,
    solve_stance,
)
from footfall.control.tasks.forces import EntryTask, Layout, Situation, TaskRows, WholeBodyTask
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask, Task
from footfall.control.wrench_cone import rows_in_axes, sole_rows, unit_axes
from footfall.dynamics.configuration import integrate
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput, LimitsExceeded, NoSolution, UnknownName
from footfall.math.generalised_inverses import RANK_TOLERANCE, null_space_basis
from footfall.math.spatial import cross
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.simulation.step_values import Command

_DIFFERENCE_TIME = 1e-5  # s, over which the change of a rate is measured
_SHARPEST = 100.0  # m/s2, that a distance changes by its curvature


@dataclass(frozen=True)
class WholeBodyLimits:
    """torque: whether the efforts of the drives are limited, as the robot says. friction: whether contacts only push
    and hold by friction; otherwise they may pull as well, like bolts. facets: of friction pyramids, inside the cones.
    least_force: that every contact must press with, N. joints: whether positions and velocities of the joints are
    limited, so that they are kept at the end of a horizon (s) of constant acceleration. collisions: what must stay
    apart, in the same way; `approach` and dt do not matter here.
    """

    torque: bool = True
    friction: bool = True
    joints: bool = True
    facets: int = 4
    least_force: float = 0.0
    horizon: float = 0.05
    collisions: CollisionLimits | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.least_force < np.inf:
            raise InvalidInput(f"least_force is {self.least_force} N; it must be finite and at least zero")
        if not isinstance(self.facets, int) or self.facets < 3:
            raise InvalidInput(f"facets is {self.facets}; a pyramid has at least 3, a whole number")
        if self.least_force > 0.0 and not self.friction:
            raise InvalidInput(
                f"least_force is {self.least_force} N; contacts without friction limits may pull"
            )
        if not 0.0 < self.horizon < np.inf:
            raise InvalidInput(f"horizon is {self.horizon} s; it must be finite and above zero")

    def distance_rows(self, robot: Robot, q: Array, v: Array) -> tuple[CollisionRows, Array]:
        """Pairs within reach, and what their distances' `jacobian @ a` must be at least (m,), m/s2.

        A distance stays above the clearance to the end of the horizon; one that is below grows with `recovery`.
        """
        assert self.collisions is not None
        rows, h = self.collisions.rows(robot, q), self.horizon
        if not len(rows.distance):
            return rows, np.zeros(0)
        rate = rows.jacobian @ v
        ahead = self.collisions.model(robot).measure(integrate(robot, q, _DIFFERENCE_TIME * v))
        later = np.where(ahead.exact[rows.places], ahead.jacobian[rows.places] @ v, rate)
        # Where the closest elements change, rates jump: that is no acceleration.
        turning = np.clip((later - rate) / _DIFFERENCE_TIME, -_SHARPEST, _SHARPEST)
        keeping = 2 * (self.collisions.clearance - rows.distance - rate * h) / h**2
        return rows, np.minimum(keeping, (self.collisions.recovery - rate) / h) - turning


class LimitRows(NamedTuple):
    """`matrix x >= value`: (m, n) and (m,); labels (m,): what each row is about."""

    matrix: Array
    value: Array
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class WholeBodyProblem:
    """What is to be solved, in x = (a; f; tau), to look at.

    stance, tasks, bounds: as routines take them. limited: whether limits were asked for; horizon: theirs, s. labels: of
    the tasks, by level; pairs: of the volumes whose distances are limited.
    """

    situation: Situation
    stance: StanceDynamics
    tasks: StanceTasks
    bounds: StanceLimits
    limited: bool
    horizon: float
    labels: tuple[tuple[str, ...], ...]
    pairs: tuple[tuple[str, str], ...]

    @cached_property
    def physics(self) -> TaskRows:
        """The equation of motion, RSL 2022, (3.110), and the contacts; they must hold."""
        layout, stance = self.situation.layout, self.stance
        matrix = np.zeros((layout.velocities + layout.forces, layout.size))
        matrix[: layout.velocities, layout.a] = stance.mass
        matrix[: layout.velocities, layout.f] = -stance.jacobian.T
        matrix[stance.driven, range(layout.tau.start, layout.tau.stop)] = -1.0
        matrix[layout.velocities :, layout.a] = stance.jacobian
        return TaskRows(matrix, -np.concatenate([stance.forces, stance.jacobian_bias]))

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The tasks by priority, as rows on x."""
        tasks, layout = self.tasks, self.situation.layout
        motion = np.zeros((len(tasks.motion), layout.size))
        motion[:, layout.a] = tasks.motion
        every = np.concatenate([np.eye(layout.size), tasks.own[::-1], motion[::-1]])
        rows = every[tasks.sources]
        asked, moving = tasks.wanted.copy(), (tasks.sources < 0) & (tasks.sources >= -len(motion))
        asked[moving] = tasks.asked[-1 - tasks.sources[moving]]
        return tuple(
            Level(rows[place], asked[place], tasks.weights[place], tasks.one_sided[place], labels)
            for place, labels in zip(self.level_places, self.labels, strict=True)
        )

    @property
    def level_places(self) -> list[slice]:
        """Which rows each level has."""
        return [slice(*pair) for pair in itertools.pairwise([0, *self.tasks.ends.tolist()])]

    @cached_property
    def limits(self) -> LimitRows | None:
        """Rows that must not be undercut, or None."""
        if not self.limited:
            return None
        bounds, layout, robot = self.bounds, self.situation.layout, self.situation.robot
        matrices, values, labels = [np.zeros((0, layout.size))], [np.zeros(0)], []
        places = [place.start - layout.velocities for place in self.situation.contact_places()]
        for row, place, least in zip(bounds.cones, bounds.cone_places.tolist(), bounds.least, strict=True):
            matrix = np.zeros((1, layout.size))
            held = min(6, layout.forces - place)
            matrix[0, layout.f][place : place + held] = row[:held]
            index = places.index(place)
            matrices, values = [*matrices, matrix], [*values, np.array([least])]
            labels.append(f"friction of contact {index} ({self.situation.contacts[index].frame})")
        select = np.eye(layout.size)[bounds.bounded]
        names = dict(zip(driven_velocities(robot).tolist(), driven_names(robot), strict=True))
        names |= dict(zip(range(layout.tau.start, layout.tau.stop), driven_names(robot), strict=True))
        for sign, least in ((1.0, bounds.lower), (-1.0, -bounds.upper)):
            slowing = -(robot.velocity_limits + sign * self.situation.v) / self.horizon
            for entry, value in zip(bounds.bounded.tolist(), least.tolist(), strict=False):
                kind = "stop" if value > slowing[entry] + 1e-9 * abs(value) else "speed"
                labels.append(f"{kind} of joint {names[entry]!r}")
            labels += [f"torque of joint {names[entry]!r}" for entry in bounds.bounded[len(least) :].tolist()]
            matrices, values = [*matrices, sign * select], [*values, least, -bounds.efforts]
        apart = np.zeros((len(bounds.parting), layout.size))
        apart[:, layout.a] = bounds.distances
        labels += [f"distance of {first!r} and {second!r}" for first, second in self.pairs]
        matrix = np.vstack([*matrices, apart])
        value = np.concatenate([*values, bounds.parting])
        kept = value > -UNBOUNDED
        return LimitRows(matrix[kept], value[kept], tuple(np.array(labels, dtype=object)[kept]))

    def first_program(self) -> QuadraticProgram:
        """The quadratic program of the first priority, in the motions and forces that physics leaves free.

        Motions that no task of the first priority sees have a small cost of their own, as in `solve_whole_body`.
        """
        reduced, end = reduce_stance(self.stance, self.tasks, self.bounds), int(self.tasks.ends[0])
        root = np.sqrt(self.tasks.weights[:end])
        matrix, left = root[:, None] * reduced.rows[:end], root * reduced.missing[:end]
        hessian = matrix.T @ matrix
        axes = null_space_basis(matrix)
        hessian += WEAK * np.trace(hessian) * (axes @ axes.T)
        rows, lower, upper = reduced.limits
        far = np.full(len(hessian), np.inf)
        return QuadraticProgram(
            hessian, -matrix.T @ left, rows, np.concatenate([-far, lower]), np.concatenate([far, upper])
        )


def program_for(
    robot: Robot,
    contacts: Sequence[Contact],
    tasks: Sequence[Task],
    limits: WholeBodyLimits | None,
) -> WholeBodyProgram:
    """The program for a stance and tasks, kept with the robot; targets, gains, weights, normals and friction do not
    matter."""
    place = ("whole-body program", geometry_of(robot, contacts), _structure(tasks), limits)
    kernels = robot.tree.kernels
    if place not in kernels:
        kernels[place] = WholeBodyProgram(robot, contacts, tasks, limits)
    return kernels[place]  # type: ignore[no-any-return]


def _structure(tasks: Sequence[Task]) -> tuple[Any, ...]:
    return tuple(
        (
            task.priority,
            type(task).__name__,
            task.structure if isinstance(task, MotionTask) else getattr(task, "contact", None),
        )
        for task in tasks
    )


class WholeBodyProgram:
    """Tasks of one robot in one stance; `problem` takes tasks and contacts that differ from these in numbers only."""

    def __init__(
        self,
        robot: Robot,
        contacts: Sequence[Contact],
        tasks: Sequence[Task],
        limits: WholeBodyLimits | None,
    ) -> None:
        self.robot, self.limits = robot, limits
        self.geometry = geometry_of(robot, contacts)
        self.driven = driven_velocities(robot)
        self.undriven = np.setdiff1d(np.arange(robot.nv), self.driven)
        sizes = [len(rows) for *_, rows in self.geometry]
        self._soles = any(rows == SURFACE and self._cone_size(rows) for *_, rows in self.geometry)
        self.layout = Layout(robot.nv, sum(sizes), len(self.driven))
        self.contact_places = self.layout.contact_places(sizes)
        self.order = sorted(range(len(tasks)), key=lambda k: tasks[k].priority)
        self.structure = _structure(tasks)
        self._tasks: Sequence[Task] = ()
        self._contacts: Sequence[Contact] = ()
        self._arrange_limits()
        self.kernel = self._compiled(self._motions(tasks, 0.0))

    def problem(
        self, time: float, q: Array, v: Array, tasks: Sequence[Task], contacts: Sequence[Contact]
    ) -> WholeBodyProblem:
        """The problem in the state q (nq,), v (nv,) at a time, s."""
        if tasks is not self._tasks or contacts is not self._contacts:
            self._remember(tasks, contacts)
        if self._moving:
            self._follow(time)
        mass, forces, jacobian, bias, positions, motion, asked, cones, lower, upper = self.kernel(
            q, v, self._numbers
        )
        if mass.ndim != 2:
            raise InvalidInput("q and v are batches; whole-body control takes one state at a time")
        if self._soles:
            self._refuse_flat_soles(cones)
        system = ConstrainedSystem(mass, forces, jacobian, bias, positions)
        situation = Situation(self.robot, time, q, v, tuple(contacts), system, self.layout)
        parts = self._task_parts if self._task_parts is not None else self._parts(tasks, situation)
        distances, parting = self._no_rows, self._no_numbers
        pairs: tuple[tuple[str, str], ...] = ()
        if self.limits is not None and self.limits.collisions is not None:
            rows, parting = self.limits.distance_rows(self.robot, np.asarray(q), np.asarray(v))
            distances, pairs = rows.jacobian, rows.pairs
        bounds = (cones, self.cone_places, self.least, self.bounded, lower, upper, self.efforts)
        return WholeBodyProblem(
            situation,
            StanceDynamics(mass, forces, jacobian, bias, self.driven, self.undriven),
            StanceTasks(motion, asked, *parts),
            StanceLimits(*bounds, distances, parting),
            self.limits is not None,
            1.0 if self.limits is None else self.limits.horizon,
            self._labels,
            pairs,
        )

    def _refuse_flat_soles(self, cones: Array) -> None:
        """Cones that are no numbers come of soles whose length has no direction."""
        without = self.cone_places[np.isnan(cones).any(axis=1)]
        if len(without):
            places = [place.start - self.robot.nv for place in self.contact_places]
            frame = self.geometry[places.index(without[0])][0]
            raise InvalidInput(
                f"contact of {frame!r}: its normal lies along the frame's x axis, which must lie in the sole"
            )

    def _motions(self, tasks: Sequence[Task], time: float) -> TaskStack | None:
        """The tasks about motion, in the order of the rows."""
        chosen = [task for k in self.order if isinstance(task := tasks[k], MotionTask)]
        return TaskStack(self.robot, tuple(chosen), time) if chosen else None

    def _remember(self, tasks: Sequence[Task], contacts: Sequence[Contact]) -> None:
        """Collect what does not change with time: targets, what is wanted of forces and torques, weights, cones."""
        if _structure(tasks) != self.structure or geometry_of(self.robot, contacts) != self.geometry:
            raise InvalidInput("the tasks or contacts differ in more than numbers; make another program")
        chosen = [tasks[k] for k in self.order]
        own = any(isinstance(task, WholeBodyTask) and not isinstance(task, EntryTask) for task in chosen)
        self._task_parts = None if own else self._parts(tasks, None)
        groups = itertools.groupby(chosen, key=lambda task: task.priority)
        self._labels = tuple(tuple(task.label for task in group) for _, group in groups)
        motions = self._motions(tasks, 0.0)
        cones = [(*each.normal, each.friction, *each.half_size) for each in contacts]
        numbers = np.zeros(0) if motions is None else motions.numbers()
        self._numbers = np.concatenate([numbers, np.ravel(cones)])
        given = [task for k in self.order if isinstance(task := tasks[k], MotionTask)]
        places = () if motions is None else motions.number_places
        self._moving = [pair for pair in zip(given, places, strict=True) if pair[0].moving]
        self._tasks, self._contacts = tasks, contacts

    def _follow(self, time: float) -> None:
        """Take the numbers of tasks that move."""
        for task, places in self._moving:
            now = task.settled(self.robot, time)
            for place, numbers in zip(places, (now.parameters, now.rate, now.acceleration), strict=True):
                self._numbers[place] = 0.0 if numbers is None else numbers

    def _parts(self, tasks: Sequence[Task], situation: Situation | None) -> tuple[Any, ...]:
        """What `StanceTasks` has after the rows about motion. situation: what tasks of one's own look at."""
        moved = 0
        motions = sum(self._size(task) for task in tasks if isinstance(task, MotionTask))
        sources: list[int] = []
        own: list[Array] = [np.zeros((0, self.layout.size))]
        wanted, weights, one_sided = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, dtype=bool)]
        ends: dict[int, int] = {}
        for k in self.order:
            task = tasks[k]
            if isinstance(task, MotionTask):
                task.check("acceleration")
                values = np.zeros(self._size(task))
                sources += range(-1 - moved, -1 - moved - len(values), -1)
                moved += len(values)
            elif isinstance(task, EntryTask):
                entries = task.entries(self.layout, self.contact_places)
                sources += range(entries.start, entries.stop)
                values = task.wanted(entries.stop - entries.start)
            elif isinstance(task, WholeBodyTask) and situation is not None:
                matrix, values = task.rows(situation)
                first = -1 - motions - sum(len(each) for each in own)
                sources += range(first, first - len(values), -1)
                own.append(matrix)
            else:
                raise InvalidInput(f"{task!r} is no task; see footfall.control")
            if np.shape(task.weight) not in ((), np.shape(values)):
                raise InvalidInput(
                    f"{task.label}: weight has shape {np.shape(task.weight)}; it must be a number, or "
                    f"{len(values)} of them"
                )
            wanted.append(values)
            weights.append(np.broadcast_to(task.weight, np.shape(values)))
            one_sided.append(np.full(len(values), getattr(task, "inequality", False)))
            ends[task.priority] = len(sources)
        return (
            np.concatenate(own),
            np.array(sources, dtype=np.int64),
            np.concatenate(wanted),
            np.concatenate(weights),
            np.concatenate(one_sided),
            np.array([ends[priority] for priority in sorted(ends)], dtype=np.int64),
        )

    def _size(self, task: MotionTask) -> int:
        return task.settled(self.robot).size(self.robot)

    def _arrange_limits(self) -> None:
        """Which entries of x have bounds, which cones stand where, and what contacts must press with."""
        limits, size = self.limits, self.layout.forces
        self._no_rows, self._no_numbers = np.zeros((0, self.robot.nv)), np.zeros(0)
        bounded: list[int] = []
        self.efforts = np.zeros(0)
        if limits is not None and limits.joints:
            bounded += [in_v for _, in_v in self._limited_joints()]
        if limits is not None and limits.torque:
            most = self.robot.effort_limits[self.driven]
            weak = np.flatnonzero(np.isfinite(most))
            bounded += (self.robot.nv + size + weak).tolist()
            self.efforts = most[weak]
        self.bounded = np.array(bounded, dtype=np.int64)
        places, least = [], []
        for (*_, rows), place in zip(self.geometry, self.contact_places, strict=True):
            count = self._cone_size(rows)
            places += [place.start - self.robot.nv] * count
            if count:
                assert limits is not None
                least += [0.0] * (count - 1) + [limits.least_force]
        self.cone_places = np.array(places, dtype=np.int64)
        self.least = np.array(least, dtype=np.float64)

    def _limited_joints(self) -> list[tuple[int, int]]:
        """Places in q and v of driven axes with a greatest rate or a stop."""
        robot = self.robot
        pairs = zip(driven_coordinates(robot).tolist(), self.driven.tolist(), strict=True)
        return [
            (in_q, in_v)
            for in_q, in_v in pairs
            if np.isfinite(
                [robot.velocity_limits[in_v], robot.lower_limits[in_q], robot.upper_limits[in_q]]
            ).any()
        ]

    def _cone_size(self, rows: tuple[int, ...]) -> int:
        if self.limits is None or not self.limits.friction or rows not in (POINT, SURFACE):
            return 0
        return 1 + (self.limits.facets if rows == POINT else 16)

    def _compiled(self, motions: TaskStack | None) -> Kernel:
        robot = self.robot
        count = 0 if motions is None else len(motions.numbers())

        def traced(q: Array, v: Array, numbers: Array) -> dict[str, Array]:
            system = constrained_system(robot, q, v, geometry=self.geometry)
            rows = {"matrix": np.zeros((0, robot.nv)), "value": np.zeros(0)}
            if motions is not None:
                rows = motions.traced_rows(q, v, numbers[:count])
            lower, upper = self._joint_bounds(q, v)
            return {
                "mass": system.mass,
                "forces": system.forces,
                "jacobian": system.jacobian,
                "jacobian_bias": system.jacobian_bias,
                "positions": system.positions,
                "motion": rows["matrix"],
                "wanted": rows["value"],
                "cones": self._cones(q, numbers[count:].reshape(-1, 6)),
                "lower": lower,
                "upper": upper,
            }

        traced_limits = self.limits if self.limits is None else replace(self.limits, collisions=None)
        shapes = {"q": robot.nq, "v": robot.nv, "numbers": count + 6 * len(self.geometry)}
        facts = (self.geometry, traced_limits)
        key = f"{robot.fingerprint} {facts!r}" if motions is None else motions.key(*facts)
        return build_kernel(traced, shapes, name="whole_body_program", key=key)

    def _cones(self, q: Array, numbers: Array) -> Array:
        """Rows (c, 6) on the forces of their contacts that are not negative, on floats or symbols.

        numbers (contacts, 6): normal, friction and half size of each.
        """
        blocks = [np.zeros((0, 6))]
        for (frame, _, held), given in zip(self.geometry, numbers, strict=True):
            if not self._cone_size(held):
                continue
            assert self.limits is not None
            normal, friction = given[:3], given[3]
            pressing = np.concatenate([normal, np.zeros(3)])[None, :]
            if held == POINT:
                rows = rows_in_axes(unit_axes(normal), friction, facets=self.limits.facets)
                blocks += [np.hstack([rows, np.zeros(rows.shape)]), pressing]
                continue
            along = frame_pose(self.robot, q, frame).rotation[:, 0]
            along = along - (along @ normal) * normal
            square = along @ along
            along = along / where(less(square, 1e-12), 0.0, sqrt(square))  # NaN where there is no such axis
            axes = np.array([along, cross(normal, along), normal])
            rows = sole_rows(friction, *given[4:])
            blocks += [np.hstack([rows[:, :3] @ axes, rows[:, 3:] @ axes]), pressing]
        return np.concatenate(blocks)

    def _joint_bounds(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Bounds (joints,) on accelerations, as `WholeBodyLimits` has them, on floats or symbols."""
        lower: list[Any] = []
        upper: list[Any] = []
        if self.limits is not None and self.limits.joints:
            robot, h = self.robot, self.limits.horizon
            for in_q, in_v in self._limited_joints():
                fastest = min(float(robot.velocity_limits[in_v]), UNBOUNDED * h)
                least, most = (-fastest - v[in_v]) / h, (fastest - v[in_v]) / h
                if np.isfinite(robot.lower_limits[in_q]):
                    least = maximum(least, 2 * (robot.lower_limits[in_q] - q[in_q] - v[in_v] * h) / h**2)
                if np.isfinite(robot.upper_limits[in_q]):
                    most = minimum(most, 2 * (robot.upper_limits[in_q] - q[in_q] - v[in_v] * h) / h**2)
                lower.append(least)
                upper.append(most)
        return np.array(lower), np.array(upper)


Method = Literal["least squares", "quadratic programs"]
OnLimits = Literal["raise", "closest"]
METHODS, ON_LIMITS = get_args(Method), get_args(OnLimits)
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
    if on_limits not in ON_LIMITS:
        raise UnknownName("way to treat limits", on_limits, ON_LIMITS, "whole-body control")


@dataclass(frozen=True)
class WholeBodyControl:
    """A controller: the tasks are solved anew in every state, and the torques applied.

    Quadratic programs run as native code that is made on first use and kept with the robot.

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
