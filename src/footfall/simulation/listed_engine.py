"""Steps in native code that is made for a list of places that may touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import Kernel
from footfall.contact.candidates import Candidate
from footfall.contact.detection import detect_contacts
from footfall.contact.penalty import PenaltyLaw
from footfall.dynamics.kinematics import link_poses
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene
from footfall.simulation.control_period import ControlPeriod
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.engine import Batch, Deepest, Pushes, RecordedRows, body_numbers
from footfall.simulation.joint_axes import actuated_velocities
from footfall.simulation.penalty_step import penalty_row_count
from footfall.simulation.run_values import SimulationState, TouchLog, Trajectory
from footfall.simulation.step_values import Command, StepOptions
from footfall.simulation.time_step import row_count

_ROLLOUT = ("residual", "q", "v")  # what a rollout gives, in the order of the kernel


@dataclass
class ListedEngine:
    """law: of springs, if all forces are functions of the state. friction (candidates,): may change at any time."""

    robot: Robot
    scene: Scene
    candidates: tuple[Candidate, ...]
    options: StepOptions
    substeps: int
    law: PenaltyLaw | None
    train: DriveTrain | None

    def __post_init__(self) -> None:
        self.friction = np.array([each.surface.material.friction for each in self.candidates])
        self.restitution = tuple(each.surface.material.restitution for each in self.candidates)
        count = row_count if self.law is None else penalty_row_count
        self.rows = count(self.robot, self.candidates, self.options)
        self._kernels: dict[tuple[str, ...], Kernel] = {}

    def __getstate__(self) -> dict[str, object]:
        """All but native code, which a reader of the pickle finds in its cache or compiles."""
        return {**vars(self), "_kernels": {}}

    def copy(self) -> ListedEngine:
        """One with its own friction, which shares the native code."""
        twin = object.__new__(ListedEngine)
        vars(twin).update(vars(self), friction=self.friction.copy())
        return twin

    def start(self, q: Array, v: Array) -> SimulationState:
        drives = np.zeros(0) if self.train is None else self.train.start(q, v)
        return SimulationState(0.0, q, v, *self._no_impulses, drives)

    def course(self, periods: int) -> ListedCourse:
        return ListedCourse(self, periods)

    def deepest(self, state: SimulationState) -> Deepest | None:
        contacts = detect_contacts(self.robot, state.q, self.candidates, margin=0.0, time=state.time)
        if not len(contacts):
            return None
        k = int(np.argmin(contacts.gaps))
        return Deepest(float(-contacts.gaps[k]), contacts.bodies[k], contacts.others[k])

    @property
    def attachments(self) -> Mapping[str, Attachment]:
        return self.robot.tree.attachments

    def link_places(self, q: Array) -> tuple[Array, Array]:
        poses = link_poses(self.robot.tree, q)
        return np.array([pose.rotation for pose in poses]), np.array([pose.translation for pose in poses])

    @cached_property
    def timed(self) -> bool:
        """Whether something moves on a given path, so that a step must know the time."""
        return any(candidate.surface.motion is not None for candidate in self.candidates)

    @cached_property
    def _no_impulses(self) -> tuple[Array, Array]:
        """Integrals of the controllers and impulses to start with."""
        return np.zeros(len(actuated_velocities(self.robot))), np.zeros(self.rows)

    @cached_property
    def touching(self) -> tuple[tuple[str, ...], Integers, Integers]:
        """Names of what may touch, and for each candidate the numbers of the two."""
        pairs = [(each.body, each.surface.body) for each in self.candidates]
        names = tuple(dict.fromkeys(name for pair in pairs for name in pair))
        numbers = np.array([[names.index(name) for name in pair] for pair in pairs], dtype=np.int64).reshape(
            -1, 2
        )
        return names, numbers[:, 0], numbers[:, 1]

    def kernel(self, pushed: tuple[str, ...] = ()) -> Kernel:
        """Native code of one control period with a wrench on each of the bodies that are pushed."""
        if pushed not in self._kernels:
            period = ControlPeriod(
                self.robot,
                self.candidates,
                self.options,
                self.substeps,
                self.rows,
                self.restitution,
                self.law,
                self.train,
                self.timed,
            )
            self._kernels[pushed] = period.kernel(pushed)
        return self._kernels[pushed]

    def rollout(self, batch: Batch) -> tuple[Array, Array, Array]:
        # The kernel of single steps: another one for the same arithmetic would differ in the last bits.
        residual, q, v = self.kernel().rollout(
            batch.q, batch.v, *self._no_impulses, *batch.commands, self.friction,
            *([0.0] if self.timed else []),
            *([self._starts(batch.q, batch.v)] if self.train else []),
            steps=batch.steps, only=_ROLLOUT, threads=batch.threads,
            out=None if batch.out is None else (*batch.out[2:], *batch.out[:2]),
        )  # fmt: skip
        return q, v, residual

    def _starts(self, q: Array, v: Array) -> Array:
        """States of the drives for a rollout from q and v, (batch, n) or (n,)."""
        assert self.train is not None
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        rows = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        q, v = np.broadcast_to(q, (*rows, q.shape[-1])), np.broadcast_to(v, (*rows, v.shape[-1]))
        starts = [self.train.start(a, b) for a, b in zip(np.atleast_2d(q), np.atleast_2d(v), strict=True)]
        return np.array(starts).reshape(*rows, self.train.size)


class ListedCourse:
    """A run with a `ListedEngine`."""

    def __init__(self, engine: ListedEngine, periods: int) -> None:
        robot, count, train = engine.robot, len(engine.candidates), engine.train
        self.engine = engine
        self.q, self.v = np.empty((periods, robot.nq)), np.empty((periods, robot.nv))
        self.effort, self.residual = np.empty((periods, robot.nv)), np.empty(periods)
        self.solver_steps = np.empty(periods, dtype=np.int64)
        self.currents = np.empty((periods, 0 if train is None else len(train.motors)))
        self.positions, self.normals, self.forces = (np.empty((periods, count, 3)) for _ in range(3))
        self.gaps = np.empty((periods, count))

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, time: float
    ) -> SimulationState:
        engine, train = self.engine, self.engine.train
        kernel = engine.kernel(tuple(pushes))
        period = engine.options.dt * engine.substeps
        for k in range(first, last):
            residual, steps, q, v, integral, impulses, *report = kernel(
                state.q,
                state.v,
                state.integral,
                state.impulses,
                *command,
                engine.friction,
                *pushes.values(),
                *([state.time] if engine.timed else []),
                *([state.drives] if train else []),
            )
            drives = state.drives
            if train:
                drives = report[-6]
                self.currents[k] = train.currents(drives)
            self.q[k], self.v[k], self.residual[k], self.solver_steps[k] = q, v, residual, steps
            self.effort[k], self.positions[k], self.forces[k], self.normals[k], self.gaps[k] = report[-5:]
            now = time if k + 1 == last else state.time + period
            state = SimulationState(now, q, v, integral, impulses, drives)
        return state

    @cached_property
    def _bodies(self) -> Integers:
        names, first, _ = self.engine.touching
        return body_numbers(self.engine.robot, names)[first]

    def rows(self, first: int, last: int) -> RecordedRows:
        periods, count = last - first, len(self._bodies)
        return RecordedRows(
            self.effort[first:last],
            self.currents[first:last],
            np.full(periods, count),
            self.positions[first:last].reshape(-1, 3),
            self.forces[first:last].reshape(-1, 3),
            np.tile(self._bodies, periods),
        )

    def trajectory(self, time: Array) -> Trajectory:
        names, first, second = self.engine.touching
        periods, count = self.gaps.shape
        log = TouchLog(
            names,
            count * np.arange(periods + 1),
            np.tile(first, periods),
            np.tile(second, periods),
            self.positions.reshape(-1, 3),
            self.normals.reshape(-1, 3),
            self.forces.reshape(-1, 3),
            self.gaps.reshape(-1),
        )
        return Trajectory(
            time, self.q, self.v, self.effort, log, self.residual, self.solver_steps, self.currents
        )
