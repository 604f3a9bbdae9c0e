"""Whole-body control for hot loops: one native call forms the problem, another one solves it.

Made once for a robot, where its contacts are on it, what its tasks are about, and limits; targets, gains, weights,
normals, friction and sizes of soles are numbers. Mass matrix, bias forces, Jacobians, task rows, friction cones and
joint bounds come from code traced for them; elimination, priorities and quadratic programs are routines (`stance.py`).
What is left to Python is to collect numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, less, maximum, minimum, sqrt, where
from footfall.control.actuation import driven_coordinates, driven_velocities
from footfall.control.contact_constraints import POINT, SURFACE, Contact, constrained_system, geometry_of
from footfall.control.dual_active_set import SOLVED
from footfall.control.friction_pyramid import rows_in_axes, unit_axes
from footfall.control.inverse_kinematics.hierarchical_qp import QuadraticProgram
from footfall.control.rectangular_contact import sole_rows
from footfall.control.stance import Stance, StanceLimits, StanceTasks, reduce_stance, solve_stance
from footfall.control.strict_priorities import WEAK
from footfall.control.tasks.forces import ContactForce, Layout, LeastForce, LeastTorque
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask, Task
from footfall.control.whole_body_limits import WholeBodyLimits
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidRequest
from footfall.math.generalised_inverses import RANK_TOLERANCE, null_space_basis
from footfall.math.spatial import cross
from footfall.robot.model import Robot

_FAR = 1e20  # stands for no limit: kernels give finite numbers


class ProgramSolution(NamedTuple):
    """x = (a; f; tau) (n,); missing: what each level lacks (m,); freedom: directions that no task decides; worst: by
    how much the worst limit is missed; solved: whether a solution was found."""

    x: Array
    missing: tuple[Array, ...]
    freedom: int
    worst: float
    solved: bool


def has_program(tasks: Sequence[Task]) -> bool:
    """Whether all tasks are of kinds that native code is known for; inequalities and tasks of one's own are not."""
    return all(
        isinstance(task, (ContactForce, LeastForce, LeastTorque))
        or (isinstance(task, MotionTask) and not task.inequality)
        for task in tasks
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
    """Tasks of one robot in one stance; `solve` takes tasks and contacts that differ from these in numbers only."""

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
        self.places = np.cumsum([0, *(len(rows) for *_, rows in self.geometry)])
        self._soles = any(rows == SURFACE and self._cone_size(rows) for *_, rows in self.geometry)
        self.layout = Layout(robot.nv, int(self.places[-1]), len(self.driven))
        self.order = sorted(range(len(tasks)), key=lambda k: tasks[k].priority)
        self.structure = _structure(tasks)
        self._tasks: Sequence[Task] = ()
        self._contacts: Sequence[Contact] = ()
        self._arrange_rows(tasks)
        self._arrange_limits()
        self.kernel = self._compiled(self._motions(tasks, 0.0))

    def solve(
        self, time: float, q: Array, v: Array, tasks: Sequence[Task], contacts: Sequence[Contact]
    ) -> ProgramSolution:
        """The solution in the state q (nq,), v (nv,) at a time, s."""
        status, x, missing, freedom, worst = solve_stance(
            *self._problem(time, q, v, tasks, contacts), RANK_TOLERANCE
        )
        return ProgramSolution(
            x, tuple([missing[level] for level in self._levels]), freedom, worst, status == SOLVED
        )

    def build(
        self, time: float, q: Array, v: Array, tasks: Sequence[Task], contacts: Sequence[Contact]
    ) -> QuadraticProgram:
        """The quadratic program of the first priority, in the motions and forces that physics leaves free.

        Motions that no task of the first priority sees have a small cost of their own, as in `solve`.
        """
        reduced = reduce_stance(*self._problem(time, q, v, tasks, contacts))
        end = int(self.ends[0])
        root = np.sqrt(self._weights[:end])
        matrix, left = root[:, None] * reduced.rows[:end], root * reduced.missing[:end]
        hessian = matrix.T @ matrix
        axes = null_space_basis(matrix)
        hessian += WEAK * np.trace(hessian) * (axes @ axes.T)
        rows, lower, upper = reduced.limits
        far = np.full(len(hessian), np.inf)
        return QuadraticProgram(
            hessian, -matrix.T @ left, rows, np.concatenate([-far, lower]), np.concatenate([far, upper])
        )

    def _problem(
        self, time: float, q: Array, v: Array, tasks: Sequence[Task], contacts: Sequence[Contact]
    ) -> tuple[Stance, StanceTasks, StanceLimits]:
        """What `solve_stance` takes."""
        if tasks is not self._tasks or contacts is not self._contacts:
            self._remember(tasks, contacts)
        if self._moving:
            self._follow(time)
        mass, forces, jacobian, bias, motion, asked, cones, lower, upper = self.kernel(q, v, self._numbers)
        if mass.ndim != 2:
            raise InvalidRequest("q and v are batches; whole-body control takes one state at a time")
        if self._soles:
            self._refuse_flat_soles(cones)
        return (
            Stance(mass, forces, jacobian, bias, self.driven, self.undriven),
            StanceTasks(motion, asked, self.sources, self._wanted, self._weights, self.ends),
            StanceLimits(cones, self.cone_places, self.least, self.bounded, lower, upper, self.efforts),
        )

    def _refuse_flat_soles(self, cones: Array) -> None:
        """Cones that are no numbers come of soles whose length has no direction."""
        without = self.cone_places[np.isnan(cones).any(axis=1)]
        if len(without):
            frame = self.geometry[self.places.tolist().index(without[0])][0]
            raise InvalidRequest(f"contact of {frame!r}: its normal lies along the frame's x axis")

    def _motions(self, tasks: Sequence[Task], time: float) -> TaskStack | None:
        """The tasks about motion, in the order of the rows."""
        chosen = [task for k in self.order if isinstance(task := tasks[k], MotionTask)]
        return TaskStack(self.robot, tuple(chosen), time) if chosen else None

    def _remember(self, tasks: Sequence[Task], contacts: Sequence[Contact]) -> None:
        """Collect what does not change with time: targets, what is wanted of forces and torques, weights, cones."""
        if _structure(tasks) != self.structure or geometry_of(self.robot, contacts) != self.geometry:
            raise InvalidRequest("the tasks or contacts differ in more than numbers; make another program")
        self._wanted, self._weights = np.zeros(len(self.sources)), np.empty(len(self.sources))
        for k, place in zip(self.order, self.row_places, strict=True):
            task, size = tasks[k], place.stop - place.start
            if np.shape(task.weight) not in ((), (size,)):
                raise InvalidRequest(
                    f"{task.label}: weight has shape {np.shape(task.weight)}; it must be a number, or {size} of them"
                )
            self._weights[place] = task.weight
            if isinstance(task, (ContactForce, LeastTorque)):
                self._wanted[place] = task.wanted(size)
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

    def _arrange_rows(self, tasks: Sequence[Task]) -> None:
        """Where each row comes from, where tasks stand among the rows, and where priorities end."""
        robot, contacts = self.robot, int(self.places[-1])
        sources: list[int] = []
        self.row_places: list[slice] = []
        ends: dict[int, int] = {}
        moved = 0
        for k in self.order:
            task, begin = tasks[k], len(sources)
            if isinstance(task, MotionTask):
                task.check("acceleration")
                count = task.settled(robot).size(robot)
                sources += [-1 - moved - i for i in range(count)]
                moved += count
            elif isinstance(task, ContactForce):
                task.check_contact(len(self.geometry))
                sources += range(
                    robot.nv + int(self.places[task.contact]), robot.nv + int(self.places[task.contact + 1])
                )
            elif isinstance(task, LeastForce):
                sources += range(robot.nv, robot.nv + contacts)
            else:
                sources += range(robot.nv + contacts, robot.nv + contacts + len(self.driven))
            self.row_places.append(slice(begin, len(sources)))
            ends[task.priority] = len(sources)
        self.sources = np.array(sources, dtype=np.int64)
        self.ends = np.array([ends[priority] for priority in sorted(ends)], dtype=np.int64)
        self._levels = [slice(*pair) for pair in itertools.pairwise([0, *self.ends.tolist()])]

    def _arrange_limits(self) -> None:
        """Which entries of x have bounds, which cones stand where, and what contacts must press with."""
        limits, size = self.limits, int(self.places[-1])
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
        for (*_, rows), place in zip(self.geometry, self.places.tolist(), strict=False):
            count = self._cone_size(rows)
            places += [place] * count
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
                "motion": rows["matrix"],
                "wanted": rows["value"],
                "cones": self._cones(q, numbers[count:].reshape(-1, 6)),
                "lower": lower,
                "upper": upper,
            }

        shapes = {"q": robot.nq, "v": robot.nv, "numbers": count + 6 * len(self.geometry)}
        facts = (self.geometry, self.limits)
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
                fastest = min(float(robot.velocity_limits[in_v]), _FAR * h)
                least, most = (-fastest - v[in_v]) / h, (fastest - v[in_v]) / h
                if np.isfinite(robot.lower_limits[in_q]):
                    least = maximum(least, 2 * (robot.lower_limits[in_q] - q[in_q] - v[in_v] * h) / h**2)
                if np.isfinite(robot.upper_limits[in_q]):
                    most = minimum(most, 2 * (robot.upper_limits[in_q] - q[in_q] - v[in_v] * h) / h**2)
                lower.append(least)
                upper.append(most)
        return np.array(lower), np.array(upper)
