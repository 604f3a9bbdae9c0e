"""Feet in lanes: steps in native code that is made for a list of places that may touch, for thousands of robots.

A control period is one kernel: a command is held over some time steps, each of a kind (`StepKind`): exact contact,
impacts one after the other, sweeps, springs, smooth forces.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import Kernel, build_kernel, maximum, repeat
from footfall.contact.candidates import Candidate, detect_contacts, scene_candidates
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.errors import SimulationWarning, UnknownName
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.engine import Batch, Deepest, Pushes, RecordedRows, body_numbers
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.lanes.values import Loads, Place, StepReport, StepState
from footfall.simulation.run_values import ContactLog, SimulationState, Trajectory
from footfall.simulation.smooth_forces import driven
from footfall.simulation.step_values import Command
from footfall.simulation.world.engine import Setting

_ROLLOUT = ("residual", "q", "v")  # what a rollout gives, in the order of the kernel
_MANY_PLACES = 256  # places that may touch


class StepKind(Protocol):
    """How a step is computed, as traced code."""

    def rows(self, place: Place) -> int:
        """Number of values that a step hands to the next besides q, v and integral: impulses, or what springs keep."""
        ...

    def advance(
        self, place: Place, state: StepState, command: Command, loads: Loads
    ) -> tuple[StepState, StepReport]:
        """The state after a step, and what happened in it."""
        ...


class FeetEngine:
    """Steps of a kind for places that may touch. friction (candidates,): may change at any time."""

    def __init__(
        self, setting: Setting, candidates: Sequence[Candidate], kind: StepKind, train: DriveTrain | None
    ) -> None:
        self.robot, self.scene, self.substeps = setting.robot, setting.scene, setting.substeps
        self.place = Place(setting.robot, tuple(candidates), setting.options)
        self.candidates, self.options = self.place.candidates, setting.options
        self.kind, self.train = kind, train
        self.friction = np.array([each.surface.material.friction for each in self.candidates])
        self.restitution = tuple(each.surface.material.restitution for each in self.candidates)
        self.rows = kind.rows(self.place)
        self._kernels: dict[tuple[str, ...], Kernel] = {}

    def __getstate__(self) -> dict[str, object]:
        """All but native code, which a reader of the pickle finds in its cache or compiles."""
        return {**vars(self), "_kernels": {}}

    def copy(self) -> FeetEngine:
        """One with its own friction, which shares the native code."""
        twin = object.__new__(FeetEngine)
        vars(twin).update(vars(self), friction=self.friction.copy())
        return twin

    def start(self, q: Array, v: Array) -> SimulationState:
        drives = np.zeros(0) if self.train is None else self.train.start(q, v)
        return SimulationState(0.0, q, v, *self._no_impulses, drives)

    def course(self, periods: int) -> FeetCourse:
        return FeetCourse(self, periods)

    def deepest(self, state: SimulationState) -> Deepest | None:
        contacts = detect_contacts(self.robot, state.q, self.candidates, margin=0.0, time=state.time)
        if not len(contacts):
            return None
        k = int(np.argmin(contacts.gaps))
        return Deepest(float(-contacts.gaps[k]), contacts.bodies[k], contacts.others[k])

    @property
    def touching(self) -> set[str]:
        """Names of the bodies whose shapes may touch something."""
        return {body.name for body in self.robot.bodies if body.collisions and body.name in self.names}

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
    def names(self) -> tuple[str, ...]:
        """Of all that may touch."""
        return tuple(
            dict.fromkeys(name for each in self.candidates for name in (each.body, each.surface.body))
        )

    @cached_property
    def numbers(self) -> tuple[Integers, Integers]:
        """For each candidate the numbers of the two that touch."""
        pairs = [
            (self.names.index(each.body), self.names.index(each.surface.body)) for each in self.candidates
        ]
        first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return first, second

    def kernel(self, pushed: tuple[str, ...] = ()) -> Kernel:
        """Native code of one control period with a wrench on each of the bodies that are pushed."""
        if pushed not in self._kernels:

            def period(**arrays: Any) -> Mapping[str, Any]:
                return self._trace(pushed, arrays)

            self._kernels[pushed] = build_kernel(
                period, self._inputs(pushed), name="period", check_finite=False
            )
        return self._kernels[pushed]

    def _inputs(self, pushed: tuple[str, ...]) -> dict[str, int | tuple[int, ...]]:
        robot, joints = self.robot, len(actuated_velocities(self.robot))
        inputs: dict[str, int | tuple[int, ...]] = {
            "q": robot.nq,
            "v": robot.nv,
            "integral": joints,
            "impulses": self.rows,
        }
        inputs |= dict.fromkeys((f"command_{name}" for name in Command._fields), joints)
        inputs |= {"friction": len(self.candidates)}
        inputs |= {f"push_{k}": 6 for k in range(len(pushed))}
        if self.timed:
            inputs["time"] = ()
        if self.train:
            inputs["drives"] = self.train.size
        return inputs

    def _trace(self, pushed: tuple[str, ...], arrays: Mapping[str, Any]) -> Mapping[str, Any]:
        dt, train = self.options.dt, self.train
        state = StepState(*(arrays[name] for name in StepState._fields))
        command = Command(*(arrays[f"command_{name}"] for name in Command._fields))
        wrenches = {body: arrays[f"push_{k}"] for k, body in enumerate(pushed)}

        def step(time: Any, drives: Any, *parts: Any) -> tuple[Any, StepState, StepReport]:
            state = StepState(*parts)
            acting = driven(self.robot, train, drives, command, state.q, state.v, dt)
            loads = Loads(arrays["friction"], time, wrenches or None, acting.action)
            state, happened = self.kind.advance(self.place, state, acting.command, loads)
            return acting.following(state.v), state, happened

        worst: Any = 0.0
        time = arrays.get("time", 0.0)
        drives = train.begin_command(arrays["drives"]) if train else np.zeros(0)
        if self.substeps > 1:

            def substep(*parts: Any) -> tuple[Any, ...]:
                worst, time, drives, *state = parts
                drives, following, happened = step(time, drives, *state)
                return maximum(worst, happened.residual), time + dt, drives, *following

            worst, time, drives, *parts = repeat(
                substep, (0.0, time, drives, *state), count=self.substeps - 1
            )
            state = StepState(*parts)
        drives, state, happened = step(time, drives, *state)
        return {
            "residual": maximum(worst, happened.residual),
            "solver_steps": happened.solver_steps,
            **state._asdict(),
            **({"time": time + dt} if self.timed else {}),
            **({"drives": drives} if train else {}),
            "effort": happened.effort,
            "positions": happened.positions,
            "forces": happened.forces,
            "normals": happened.normals,
            "gaps": happened.gaps,
        }

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


class FeetCourse:
    """A run with a `FeetEngine`: arrays of all periods, as a record for each would take a tenth of a short step."""

    def __init__(self, engine: FeetEngine, periods: int) -> None:
        robot, count, train = engine.robot, len(engine.candidates), engine.train
        self.engine = engine
        self.q, self.v = np.empty((periods, robot.nq)), np.empty((periods, robot.nv))
        self.effort, self.residual = np.empty((periods, robot.nv)), np.empty(periods)
        self.solver_steps = np.empty(periods, dtype=np.int64)
        self.currents = np.empty((periods, 0 if train is None else len(train.motors)))
        self.positions, self.normals, self.forces = (np.empty((periods, count, 3)) for _ in range(3))
        self.gaps = np.empty((periods, count))

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, times: Array
    ) -> SimulationState:
        engine, train = self.engine, self.engine.train
        kernel = engine.kernel(tuple(pushes))
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
            state = SimulationState(float(times[k - first]), q, v, integral, impulses, drives)
        return state

    @cached_property
    def _bodies(self) -> Integers:
        return body_numbers(self.engine.robot, self.engine.names)[self.engine.numbers[0]]

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
        first, second = self.engine.numbers
        periods, count = self.gaps.shape
        log = ContactLog(
            self.engine.names,
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


def places_of(
    robot: Robot, scene: Scene, given: Sequence[Candidate] | None, feet: Sequence[str] | None
) -> tuple[Candidate, ...]:
    """The places that may touch: those given, else all points of collision geometry against all surfaces; of the
    robots' bodies only those named feet, if some are."""
    places = tuple(scene_candidates(robot, scene) if given is None else given)
    if feet is not None:
        places = _of_feet(feet, places, robot, scene)
    elif given is None:
        _warn_of_many(places)
    for candidate in places:
        frame_attachment(robot, candidate.body)
        frame_attachment(robot, candidate.surface.body)
    return places


def _of_feet(
    feet: Sequence[str], candidates: Sequence[Candidate], robot: Robot, scene: Scene
) -> tuple[Candidate, ...]:
    """Candidates without those of bodies of robots that are not named."""
    named = {feet} if isinstance(feet, str) else set(feet)
    known = [body.name for body in robot.bodies]
    for name in sorted(named.difference(known)):
        raise UnknownName("body", name, known, "the simulation, for feet")
    silent = set(known) - {thing.name for thing in scene.free_objects} - named
    return tuple(each for each in candidates if not {each.body, each.surface.body} & silent)


def _warn_of_many(candidates: Sequence[Candidate]) -> None:
    """If native code for all of them takes minutes to compile."""
    if len(candidates) > _MANY_PLACES:
        warnings.warn(
            f"{len(candidates)} places may touch, and native code is made for all of them, which may take minutes the "
            "first time; name the bodies that matter: FeetSimulation(..., feet=['left_foot', 'right_foot'])",
            SimulationWarning,
            stacklevel=3,
        )
