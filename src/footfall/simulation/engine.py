"""What computes the steps of a simulation: an engine, and a course for each run.

There are three engines. `WorldEngine` finds contacts while it runs, for any number of things. `FeetEngine` has native
code made for a list of places that may touch: the fastest for a few feet, in lanes for thousands of robots.
`LayeredEngine` lets robots stand on soft layers that have states of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from time import monotonic, perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import InvalidInput
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene
from footfall.simulation.run_values import ContactLog, SimulationState, Trajectory, join_logs
from footfall.simulation.step_values import Command

Pushes = Mapping[str, Array]  # body -> wrench [f; n] (6,) at its origin, world axes, N and N m


class Deepest(NamedTuple):
    """Where a body is inside of another one: depth in m, and their names."""

    depth: float
    body: str
    other: str


def body_numbers(robot: Robot, names: Sequence[str]) -> Integers:
    """Places (n,) in `robot.bodies` of bodies and objects by name; -1 for those that are no bodies."""
    places = {body.name: k for k, body in enumerate(robot.bodies)}
    return np.array([places.get(name, -1) for name in names], dtype=np.int64)


class RecordedRows(NamedTuple):
    """What is recorded of some control periods (n of them) beside their states.

    effort: (n, nv). currents: (n, motors) A. counts: (n,) of what touches at the end of each. positions, forces: (m, 3)
    of all that touches, one period after the other, m and N. bodies: (m,) numbers of those that forces act on, -1 for
    things that are no bodies of the robot.
    """

    effort: Array
    currents: Array
    counts: Integers
    positions: Array
    forces: Array
    bodies: Integers


class Course(Protocol):
    """A run of some control periods. q (periods, nq), v (periods, nv): as far as they are computed."""

    @property
    def q(self) -> Array: ...

    @property
    def v(self) -> Array: ...

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, times: Array
    ) -> SimulationState:
        """Compute the periods from `first` to before `last` under one command; gives the state at the end. times: at
        which each of them ends, s: however many are computed in a call, what moves on a path is where it was."""
        ...

    def rows(self, first: int, last: int) -> RecordedRows:
        """What is recorded of the periods from `first` to before `last`."""
        ...

    def trajectory(self, time: Array) -> Trajectory:
        """All of it; time (periods,) s."""
        ...


class Period(NamedTuple):
    """A control period: the state at its end, efforts (nv,) and currents (motors,) there, the worst residual, N s, the
    most steps of the solver, and what touches."""

    state: SimulationState
    effort: Array
    currents: Array
    residual: float
    solver_steps: int
    contacts: ContactLog


class PeriodEngine(Protocol):
    """An engine that computes one control period a call."""

    @property
    def robot(self) -> Robot: ...

    def period(self, state: SimulationState, command: Command, pushes: Pushes) -> Period: ...


class PeriodCourse:
    """See `Course`: a run of periods one after the other."""

    def __init__(self, engine: PeriodEngine, periods: int) -> None:
        self._engine, self._done = engine, list[Period]()
        self.q, self.v = np.empty((periods, engine.robot.nq)), np.empty((periods, engine.robot.nv))

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, times: Array
    ) -> SimulationState:
        del self._done[first:]
        for k in range(first, last):
            self._done.append(self._engine.period(state, command, pushes))
            state = replace(self._done[k].state, time=float(times[k - first]))
            self.q[k], self.v[k] = state.q, state.v
        return state

    def rows(self, first: int, last: int) -> RecordedRows:
        done = self._done[first:last]
        log = join_logs([each.contacts for each in done])
        effort, currents = (np.array([each[k] for each in done]) for k in (1, 2))
        bodies = body_numbers(self._engine.robot, log.names)[log.first]
        return RecordedRows(effort, currents, log.counts, log.positions, log.forces, bodies)

    def trajectory(self, time: Array) -> Trajectory:
        effort, currents, residual, steps = (
            np.array([period[k] for period in self._done]) for k in (1, 2, 3, 4)
        )
        log = join_logs([period.contacts for period in self._done])
        return Trajectory(time, self.q, self.v, effort, log, residual, steps.astype(np.int64), currents)


class Batch(NamedTuple):
    """Robots that run at once, see `Simulation.rollout`. q (batch, nq) or (nq,), v (batch, nv) or (nv,). threads: None:
    all cores. out: arrays for what comes of it."""

    q: Array
    v: Array
    commands: Command
    steps: int | None
    threads: int | None
    out: Sequence[Array] | None


class RolloutParts:
    """A batch as arrays that fit each other: q (count, nq), v (count, nv), steps, and out (count, steps, ...) for what
    comes of it."""

    def __init__(self, robot: Robot, joints: int, batch: Batch) -> None:
        q, v, *parts = (np.asarray(part, dtype=np.float64) for part in (batch.q, batch.v, *batch.commands))
        self.count = _batch_size(robot, q, v, parts)
        lengths = {part.shape[1] for part in parts if part.ndim == 3 and part.shape[1] > 1}
        self.steps = max(lengths, default=1) if batch.steps is None else batch.steps
        if lengths - {self.steps}:
            raise InvalidInput(f"commands have {sorted(lengths)} steps; they must have {self.steps}, or one")
        self.q = np.broadcast_to(q, (self.count, robot.nq))
        self.v = np.broadcast_to(v, (self.count, robot.nv))
        shapes = [(self.count, self.steps, *more) for more in ((robot.nq,), (robot.nv,), ())]
        out = [np.empty(shape) for shape in shapes] if batch.out is None else batch.out
        _check_out(out, shapes)
        self.out = out[0], out[1], out[2]
        wide = [
            part[None, None] if part.ndim == 1 else part[:, None] if part.ndim == 2 else part
            for part in parts
        ]
        given = max((part.shape[1] for part in wide), default=1)
        self._commands = [np.broadcast_to(part, (self.count, given, joints)) for part in wide]

    def commands(self, row: int) -> Array:
        """Of a robot, (steps or 1, 6, joints)."""
        return np.ascontiguousarray(np.stack([part[row] for part in self._commands], axis=1))


def _batch_size(robot: Robot, q: Array, v: Array, parts: Sequence[Array]) -> int:
    """How many robots there are; refuses arrays that do not fit."""
    for name, values, size in (("q", q, robot.nq), ("v", v, robot.nv)):
        if values.ndim not in (1, 2) or values.shape[-1] != size:
            raise InvalidInput(f"{name} has shape {values.shape}; it must be (batch, {size}) or ({size},)")
    counts = {len(values) for values in (q, v) if values.ndim == 2}
    counts |= {len(part) for part in parts if part.ndim > 1}
    if len(counts - {1}) > 1:
        raise InvalidInput(
            f"q, v and commands are of {sorted(counts)} robots; these must be the same, or one"
        )
    return max(counts, default=1)


def _check_out(out: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> None:
    """Native code writes into them: they must be what it takes them for."""
    if len(out) != len(shapes):
        raise InvalidInput(f"out has {len(out)} arrays; it must have q, v and residual")
    for name, array, shape in zip(("q", "v", "residual"), out, shapes, strict=True):
        right = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.float64
        if not (right and array.flags.c_contiguous and array.flags.writeable):
            found = getattr(array, "shape", type(array).__name__)
            raise InvalidInput(
                f"out for {name} is {found}; it must be a contiguous array of float64 of shape {shape}"
            )


class Engine(Protocol):
    @property
    def scene(self) -> Scene:
        """As it is now."""
        ...

    def copy(self) -> Engine:
        """Another one, which goes on by itself and shares the native code."""
        ...

    def start(self, q: Array, v: Array) -> SimulationState:
        """The state at time zero with q (nq,) and v (nv,)."""
        ...

    def course(self, periods: int) -> Course: ...

    def deepest(self, state: SimulationState) -> Deepest | None:
        """What is deepest inside of something else, if anything is."""
        ...

    @property
    def attachments(self) -> Mapping[str, Attachment]:
        """The link that carries each body and frame, as `link_places` numbers them, and where on it."""
        ...

    @property
    def touching(self) -> Set[str]:
        """Names of the bodies whose shapes may touch something."""
        ...

    def link_places(self, q: Array) -> tuple[Array, Array]:
        """Rotations (links, 3, 3) and positions (links, 3), m, of all links in the world at q (nq,), to which the last
        step has led; they may be those at its beginning."""
        ...

    def rollout(self, batch: Batch) -> tuple[Array, Array, Array]:
        """q (batch, steps, nq), v (batch, steps, nv) and residual (batch, steps), see `Simulation.rollout`."""
        ...


# How much to do in one native call: Python answers Ctrl-C between two of them.

_CALL = 0.05  # s that a call should take
_MOST_PERIODS = 1_000_000  # periods
_FASTER = 4  # at most so many times as much as in the call before, which may have been an easy one


class Pace:
    """periods: how many to compute in the next call; `with pace:` goes around it."""

    def __init__(self) -> None:
        self.periods = 1
        self._begin = 0.0

    def __enter__(self) -> None:
        self._begin = perf_counter()

    def __exit__(self, *error: object) -> None:
        spent = max(perf_counter() - self._begin, 1e-9)
        self.periods = min(max(1, int(self.periods * min(_FASTER, _CALL / spent))), _MOST_PERIODS)


# What a run gives to a recorder while it goes on: many control periods at once, which costs a tenth of one by one.

_INTERVAL = 0.02  # s of wall time that periods wait


class RunRecording:
    """Around a run: `with RunRecording(...) as recording:`, and `recording.done(last)` after each stretch of it.

    recorder: a `RecordingWriter`, or None. times: (periods,) s, at which the periods end. currents: whether there are
    any. What was computed is recorded also if the run ends with an error.
    """

    def __init__(self, recorder: Any, course: Course, times: Array, *, currents: bool) -> None:
        self._recorder = recorder
        self._course = course
        self._times = times
        self._currents = currents
        self._recorded = self._done = 0  # periods
        self._due = monotonic() + _INTERVAL

    def __enter__(self) -> RunRecording:
        return self

    def __exit__(self, *error: object) -> None:
        if self._recorder is not None and self._done > self._recorded:
            self._record()

    def done(self, last: int) -> None:
        """The periods before `last` are computed."""
        self._done = last
        if self._recorder is not None and monotonic() >= self._due:
            self._record()
            self._due = monotonic() + _INTERVAL

    def _record(self) -> None:
        first, last = self._recorded, self._done
        course, times, rows = self._course, self._times[first:last], self._course.rows(first, last)
        currents = rows.currents if self._currents else None
        self._recorded = last
        self._recorder.states(
            times, course.q[first:last], course.v[first:last], rows.effort, currents=currents
        )
        self._recorder.contacts_at(times, rows.counts, rows.positions, rows.forces, bodies=rows.bodies)
