"""Simulate a robot in a scene: steps in native code, controllers in Python at their own rate."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from footfall.compiler import Kernel, build_kernel, maximum, repeat
from footfall.contact.candidates import Candidate, scene_candidates
from footfall.contact.penalty import PenaltyLaw, warn_if_unstable
from footfall.dynamics.kinematics import frame_attachment
from footfall.dynamics.loops import close_loops
from footfall.errors import FootfallError, UnknownName
from footfall.robot.model import Robot
from footfall.scene.assembly import combined_robot, initial_state
from footfall.scene.model import Scene
from footfall.simulation.drive_step import DriveTrain, Gears, driven_step
from footfall.simulation.joint_action import JointAction
from footfall.simulation.penalty_step import penalty_delassus, penalty_row_count, penalty_step
from footfall.simulation.singular_loops import warn_of_singular_loops
from footfall.simulation.start_depth import warn_if_inside
from footfall.simulation.step_values import Command, InvalidOption, StepOptions, StepReport, StepState
from footfall.simulation.time_step import actuated_velocities, contact_step, row_count
from footfall.simulation.touching_bodies import touched_by, warn_of_many

Array = np.ndarray[Any, np.dtype[np.float64]]

_ROLLOUT = ("residual", "q", "v")  # what a rollout gives, in the order of the kernel

_MEANINGLESS = 1e6  # m/s, rad/s or m


class ConvergenceWarning(UserWarning):
    """Contact impulses that were not found as exactly as asked for."""


class DivergedWarning(UserWarning):
    """Robots of a rollout that left the numbers."""


class SimulationDiverged(FootfallError, ArithmeticError):
    """A simulation left the numbers. `state` is the last good one, `quantity` what went wrong first."""

    def __init__(self, quantity: str, state: SimulationState) -> None:
        self.quantity = quantity
        self.state = state
        super().__init__(
            f"the simulation diverged after t = {state.time:.6g} s: {quantity}; the last good state is kept"
        )


@dataclass(frozen=True)
class SimulationState:
    """All that a simulation goes on from: time (s), q (nq,), v (nv,), integral (joints,) of the joint controllers,
    impulses (rows,) of the last step and the state of the drives, see `DriveTrain`. A value: keep it to
    return to it."""

    time: float
    q: Array
    v: Array
    integral: Array
    impulses: Array
    drives: Array = field(default_factory=lambda: np.zeros(0))


class Trajectory(NamedTuple):
    """What a run gives, one row a control period: time (n,) s, q (n, nq), v (n, nv), effort (n, nv) N m, contact
    positions (n, contacts, 3) m, forces (n, contacts, 3) N in world axes, residual (n,) N s, sweeps (n,) and currents
    (n, motors) A of a robot with drives."""

    time: Array
    q: Array
    v: Array
    effort: Array
    positions: Array
    forces: Array
    residual: Array
    sweeps: Array
    currents: Array

    def __repr__(self) -> str:
        span = f"{self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self.time) else "no time"
        shapes = ", ".join(f"{name} {part.shape}" for name, part in self._asdict().items())
        return f"Trajectory over {span}: {shapes}"


ContactModel = Literal["exact", "impacts", "penalty"]
Controller = Callable[[float, Array, Array], Command]


class Simulation:
    """A robot in a scene.

    robot: or None, if the scene has robots. scene: objects, free bodies, robots. candidates: contacts that may occur;
    by default all points of collision geometry against all surfaces. options: see `StepOptions`. substeps: steps of
    `options.dt` in a control period. contact: "exact" constraints, "impacts" one after the other, or "penalty" springs
    of the given law. drives: "rigid" or "elastic" gears between servos and joints, see `DriveTrain`; without, joints
    give what is commanded. touching: bodies of the robots that may touch something, its feet say; all by default. The
    fewer, the sooner native code is compiled.
    """

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | None = None,
        *,
        candidates: Sequence[Candidate] | None = None,
        contact: ContactModel = "exact",
        law: PenaltyLaw | None = None,
        options: StepOptions | None = None,
        dt: float | None = None,
        substeps: int = 1,
        q: Array | None = None,
        v: Array | None = None,
        drives: Gears | None = None,
        touching: Sequence[str] | None = None,
    ) -> None:
        if robot is not None and not isinstance(robot, Robot):
            raise TypeError(f"the first argument is a robot, not {robot!r}; use footfall.load")
        if robot is None and scene is None:
            raise ValueError("a simulation needs a robot, or a scene with robots or free bodies")
        self.scene = scene or Scene("empty")
        known = {} if robot is None else robot.configurations
        start = known["idle"] if "idle" in known else next(iter(known.values()), None)
        self.robot = combined_robot(self.scene, robot, q=start)
        self.candidates = tuple(
            scene_candidates(self.robot, self.scene) if candidates is None else candidates
        )
        if touching is not None:
            self.candidates = touched_by(touching, self.candidates, self.robot, self.scene)
        elif candidates is None:
            warn_of_many(self.candidates)
        for candidate in self.candidates:
            frame_attachment(self.robot, candidate.body)
            frame_attachment(self.robot, candidate.surface.body)
        self.options = options or StepOptions()
        if dt is not None:
            self.options = replace(self.options, dt=dt)
        if contact == "impacts":
            self.options = replace(self.options, contact_rule="impacts")
        self.contact = contact
        self.law = law or PenaltyLaw()
        self.train = None if drives is None else DriveTrain(self.robot, drives, self.options.dt)
        self._check_contact_model()
        if substeps < 1 or substeps != int(substeps):
            raise InvalidOption(f"substeps is {substeps}; it must be at least 1, and whole")
        self.substeps = substeps
        self.joints = len(actuated_velocities(self.robot))
        count = penalty_row_count if self._smooth else row_count
        self.rows = count(self.robot, self.candidates, self.options)
        self.friction = np.array([each.surface.material.friction for each in self.candidates])
        self.restitution = np.array([each.surface.material.restitution for each in self.candidates])
        self._pushes: dict[str, tuple[Array, float]] = {}
        self._started = False
        self.reset(q, v)

    @property
    def _smooth(self) -> bool:
        """Whether all forces are functions of the state."""
        return self.contact == "penalty" or self.options.integrator != "semi-implicit"

    def _check_contact_model(self) -> None:
        if self.contact not in get_args(ContactModel):
            raise UnknownName("contact model", self.contact, get_args(ContactModel), "Simulation")
        if self.contact != "penalty" and self.options.integrator != "semi-implicit" and self.candidates:
            raise ValueError(
                f"integrator is {self.options.integrator!r}, which has no impulses; with {self.contact!r} contact it "
                "must be 'semi-implicit'"
            )

        loops = self.robot.tree.loops
        if loops is not None and loops.held and not self._smooth:
            names = ", ".join(cut.loop.name for cut in loops.held)
            raise ValueError(
                f"forces hold the loops {names}; only penalty contact and the integrators 'explicit' and 'rk4' know "
                "such forces"
            )
        if self.train is not None and self.options.integrator != "semi-implicit":
            raise ValueError(
                f"integrator is {self.options.integrator!r}; with drives it must be 'semi-implicit'"
            )

    @property
    def motors(self) -> int:
        """Number of motors that are simulated."""
        return 0 if self.train is None else len(self.train.motors)

    def __repr__(self) -> str:
        places = f"{len(self.candidates)} place{'' if len(self.candidates) == 1 else 's'} may touch"
        return (
            f"Simulation of {self.robot.name!r} in scene {self.scene.name!r}: t = {self.state.time:.6g} s, steps of "
            f"{1e3 * self.options.dt:g} ms, {self.substeps} a control period, {self.contact} contact, {places}"
        )

    def __getstate__(self) -> dict[str, Any]:
        """All but native code, which a reader of the pickle finds in its cache or compiles."""
        return {name: value for name, value in vars(self).items() if name != "_kernels"}

    def __copy__(self) -> Simulation:
        """Another simulation in the same state, which goes on by itself; it shares the native code."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self), _kernels=self._kernels, state=deepcopy(self.state))
        twin.friction, twin._pushes = self.friction.copy(), dict(self._pushes)
        return twin

    def __deepcopy__(self, memo: Any) -> Simulation:
        return self.__copy__()

    # State

    def reset(self, q: Array | None = None, v: Array | None = None) -> None:
        """Start again at time zero: q (nq,) and v (nv,) by default as the scene has them, the robot in "idle",
        else in its first configuration, else neutral.

        Pushes end. Loops are closed, by joints that follow from others.
        """
        q_start, v_start = initial_state(self.scene, self.robot)
        q = close_loops(self.robot, _checked("q", q_start if q is None else q, self.robot.nq))
        v = _checked("v", v_start if v is None else v, self.robot.nv)
        drives = np.zeros(0) if self.train is None else self.train.start(q, v)
        self._pushes.clear()
        self.state = SimulationState(0.0, q, v, np.zeros(self.joints), np.zeros(self.rows), drives)
        if self.contact == "penalty" and self.options.integrator == "semi-implicit":
            delassus = penalty_delassus(self.robot, self.state.q, self.candidates)
            warn_if_unstable(self.law, delassus, dt=self.options.dt)

    @property
    def control_period(self) -> float:
        """Time between two calls of a controller, s."""
        return self.options.dt * self.substeps

    @cached_property
    def _timed(self) -> bool:
        """Whether something moves on a given path, so that a step must know the time."""
        return any(candidate.surface.motion is not None for candidate in self.candidates)

    @cached_property
    def _weight_impulse(self) -> float:
        """Weight times a step, N s: what residuals are compared with."""
        return self.robot.mass * float(np.linalg.norm(self.robot.gravity)) * self.options.dt

    @cached_property
    def _no_impulses(self) -> tuple[Array, Array]:
        """Integrals of the controllers and impulses that a rollout starts with."""
        return np.zeros(self.joints), np.zeros(self.rows)

    @cached_property
    def hold(self) -> Command:
        """A command without any effort."""
        zero = np.zeros(self.joints)
        return Command(zero, zero, zero, zero, zero, zero)

    def joint_positions(self, q: Array | None = None) -> Array:
        """Positions (joints,) of the joints that drives act on, rad or m."""
        q = self.state.q if q is None else q
        return np.array([q[coordinate] for coordinate, _ in actuated_velocities(self.robot)])

    def pd(
        self, position: Array, *, kp: float | Array, kd: float | Array, ki: float | Array = 0.0
    ) -> Command:
        """A command to hold joint positions (joints,), with gains in N m/rad, N m s/rad and N m/(rad s)."""
        gains = [_checked_gain(*named, self.joints) for named in (("kp", kp), ("ki", ki), ("kd", kd))]
        zero = np.zeros(self.joints)
        return Command(_checked("position", position, self.joints), zero, zero, *gains)

    # Running

    def push(self, body: str, wrench: Array, seconds: float) -> None:
        """From now on, for some time, a wrench [f; n] (6,) in N and N m acts on a body, world axes, at its origin."""
        frame_attachment(self.robot, body)
        if not 0.0 <= seconds < np.inf:  # NaN neither
            raise InvalidOption(f"seconds is {seconds}; it must be finite and not negative")
        self._pushes[body] = (_checked("wrench", wrench, 6), self.state.time + seconds)

    def step(self, command: Command | None = None) -> Trajectory:
        """Advance by one control period; gives one row."""
        return self.run(lambda time, q, v: command or self.hold, self.control_period)

    def run(self, controller: Controller | Command, seconds: float, *, recorder: Any = None) -> Trajectory:
        """Advance by some time. controller: `controller(time, q, v)` gives a `Command` every control period.

        seconds: rounded to control periods, of which there must be one at least. recorder: a `RecordingWriter`, which
        gets every row.
        """
        if not 0.5 * self.control_period < seconds < np.inf:  # NaN neither
            raise InvalidOption(
                f"seconds is {seconds}; it must be finite and at least one control period, {self.control_period} s"
            )
        self._look_at_start()
        count = round(seconds / self.control_period)
        fixed = controller if isinstance(controller, Command) else None
        rows: list[tuple[Any, ...]] = []
        for _ in range(count):
            state = self.state
            # Copies, so that a controller may work in them.
            command = fixed or controller(state.time, state.q.copy(), state.v.copy())  # type: ignore[operator]
            if not isinstance(command, Command):
                raise TypeError(f"a controller gave a {type(command).__name__}; it must give a Command")
            pushes = {
                body: wrench for body, (wrench, until) in self._pushes.items() if state.time < until - 1e-12
            }
            kernel = self._kernel(tuple(pushes))
            result = kernel(
                state.q,
                state.v,
                state.integral,
                state.impulses,
                *command,
                self.friction,
                *pushes.values(),
                *([state.time] if self._timed else []),
                *([state.drives] if self.train else []),
            )
            residual, sweeps, q, v, integral, impulses, *report = result
            drives = report[-4] if self.train else state.drives
            currents = self.train.currents(drives) if self.train else drives
            report = [*report[-3:], residual, sweeps, currents]
            self._require_good(q, v, state, command)
            self.state = SimulationState(state.time + self.control_period, q, v, integral, impulses, drives)
            rows.append((self.state.time, q, v, *report))
            if recorder is not None:
                recorder.state(self.state.time, q, v, report[0], currents=currents if self.train else None)
                recorder.contacts(self.state.time, report[1], report[2])
        trajectory = Trajectory(*(np.array(column) for column in zip(*rows, strict=True)))
        self._warn_of_residuals(trajectory.residual)
        warn_of_singular_loops(self.robot, trajectory.q)
        return trajectory

    def _look_at_start(self) -> None:
        """Once, before the first step: what is inside of something is seldom meant to be."""
        if not self._started:
            state, speed = self.state, self.options.recovery_speed
            warn_if_inside(self.robot, state.q, self.candidates, time=state.time, speed=speed)
            self._started = True

    def _warn_of_residuals(self, residuals: Array) -> None:
        """Contact that is not solved as asked is never silent."""
        scale = self._weight_impulse
        worst = np.fmax.reduce(residuals, axis=None)  # robots that left the numbers have none
        if scale > 0.0 and worst > self.options.tolerance * scale:
            bad = residuals > self.options.tolerance * scale
            warnings.warn(
                f"{bad.sum()} of {bad.size} control periods ended with contact impulses that still changed by up to "
                f"{worst:.2g} N s a sweep ({worst / scale:.2g} of weight times dt); "
                "more StepOptions.sweeps or a smaller dt may help",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _warn_of_divergence(self, q: Array, v: Array) -> None:
        """Of robots (batch, steps, n) that end with no numbers, or with such that have no meaning."""
        ends = np.abs(np.concatenate([q[:, -1], v[:, -1]], axis=1))
        if np.maximum.reduce(ends, axis=None) < _MEANINGLESS:
            return
        lost = np.flatnonzero(~(ends < _MEANINGLESS).all(axis=1))
        if len(lost):
            good = (np.abs(v[lost]) < _MEANINGLESS).all(axis=2) & np.isfinite(q[lost]).all(axis=2)
            first = good.argmin(axis=1)  # in a robot that is lost the last is not good
            warnings.warn(
                f"{len(lost)} of {len(q)} robots left the numbers, the first of them, robot {lost[first.argmin()]}, in "
                f"step {first.min()}: are all initial states and commands finite, and is dt small enough?",
                DivergedWarning,
                stacklevel=3,
            )

    def rollout(
        self,
        q: Array,
        v: Array,
        commands: Command,
        *,
        steps: int | None = None,
        threads: int | None = None,
        out: Sequence[Array] | None = None,
    ) -> tuple[Array, Array, Array]:
        """Many robots at once, in one native call: q (batch, steps, nq), v (batch, steps, nv), residual (batch, steps).

        q, v: states to start from, (batch, n) or (n,). commands: arrays (joints,), (batch, joints) or (batch, steps,
        joints); axes of length one hold for all. One step is one control period. out: arrays for what is given.
        Warns of robots that diverged (they hold NaN or senseless numbers from there on; the others are not touched by
        that) and of contact that was not solved as asked.
        """
        for name, value in (("steps", steps), ("threads", threads)):
            if value is not None and value < 1:
                raise InvalidOption(f"{name} is {value}; it must be at least 1")
        # The kernel of single steps: another one for the same arithmetic would differ in the last bits.
        residual, q, v = self.step_kernel.rollout(
            q, v, *self._no_impulses, *commands, self.friction,
            *([0.0] if self._timed else []),
            *([self._starts(q, v)] if self.train else []),
            steps=steps, only=_ROLLOUT, threads=threads, out=out if out is None else (*out[2:], *out[:2]),
        )  # fmt: skip
        self._warn_of_divergence(q, v)
        self._warn_of_residuals(residual)
        return q, v, residual

    def _starts(self, q: Array, v: Array) -> Array:
        """States of the drives for a rollout from q and v, (batch, n) or (n,)."""
        assert self.train is not None
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        rows = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        q, v = np.broadcast_to(q, (*rows, q.shape[-1])), np.broadcast_to(v, (*rows, v.shape[-1]))
        starts = [self.train.start(a, b) for a, b in zip(np.atleast_2d(q), np.atleast_2d(v), strict=True)]
        return np.array(starts).reshape(*rows, self.train.size)

    # Kernels

    @property
    def step_kernel(self) -> Kernel:
        """Native code of one control period without pushes, to bind to arrays in hot loops."""
        return self._kernel(())

    def _kernel(self, pushed: tuple[str, ...]) -> Kernel:
        if pushed not in self._kernels:
            self._kernels[pushed] = self._build(pushed)
        return self._kernels[pushed]

    @cached_property
    def _kernels(self) -> dict[tuple[str, ...], Kernel]:
        return {}

    def _build(self, pushed: tuple[str, ...]) -> Kernel:
        """Trace and compile a control period."""
        robot, joints, contacts = self.robot, self.joints, len(self.candidates)
        inputs: dict[str, int | tuple[int, ...]] = {
            "q": robot.nq,
            "v": robot.nv,
            "integral": joints,
            "impulses": self.rows,
        }
        inputs |= dict.fromkeys((f"command_{name}" for name in Command._fields), joints)
        inputs |= {"friction": contacts}
        inputs |= {f"push_{k}": 6 for k in range(len(pushed))}
        if self._timed:
            inputs["time"] = ()
        if self.train:
            inputs["drives"] = self.train.size

        def period(**arrays: Any) -> Mapping[str, Any]:
            state = StepState(*(arrays[name] for name in StepState._fields))
            command = Command(*(arrays[f"command_{name}"] for name in Command._fields))
            wrenches = {body: arrays[f"push_{k}"] for k, body in enumerate(pushed)}

            def step(time: Any, drives: Any, *parts: Any) -> tuple[Any, StepState, StepReport]:
                state = StepState(*parts)

                def advance(command: Command, action: JointAction | None) -> tuple[StepState, StepReport]:
                    start = (robot, self.candidates, self.options, state, command)
                    given = {"friction": arrays["friction"], "wrenches": wrenches or None, "time": time}
                    if self._smooth:
                        return penalty_step(*start, law=self.law, action=action, **given)
                    return contact_step(*start, restitution=self.restitution.tolist(), action=action, **given)

                return driven_step(robot, self.train, self.options.dt, state, drives, command, advance)

            worst: Any = 0.0
            time = arrays.get("time", 0.0)
            drives = self.train.begin_command(arrays["drives"]) if self.train else np.zeros(0)
            if self.substeps > 1:

                def substep(*parts: Any) -> tuple[Any, ...]:
                    worst, time, drives, *state = parts
                    drives, following, happened = step(time, drives, *state)
                    return maximum(worst, happened.residual), time + self.options.dt, drives, *following

                worst, time, drives, *parts = repeat(
                    substep, (0.0, time, drives, *state), count=self.substeps - 1
                )
                state = StepState(*parts)
            drives, state, happened = step(time, drives, *state)
            residual = maximum(worst, happened.residual)
            outputs = {**state._asdict()}
            if self._timed:
                outputs["time"] = time + self.options.dt
            if self.train:
                outputs["drives"] = drives
            outputs |= {
                "effort": happened.effort,
                "positions": happened.positions,
                "forces": happened.forces,
            }
            return {"residual": residual, "sweeps": happened.sweeps, **outputs}

        return build_kernel(period, inputs, name="period", check_finite=False)

    def _require_good(self, q: Array, v: Array, state: SimulationState, command: Command) -> None:
        if np.isfinite(v).all() and np.isfinite(q).all() and np.abs(v).max(initial=0.0) < _MEANINGLESS:
            return
        for name, part in command._asdict().items():
            if not np.isfinite(part).all():
                raise SimulationDiverged(f"{name} of the command is {part}, which is not finite", state)
        if np.isfinite(v).all() and not np.isfinite(q).all():
            raise SimulationDiverged(_lost_coordinates(self.robot, q), state)
        joint = _first_bad(self.robot, v)
        raise SimulationDiverged(f"the velocity of {joint} is {np.abs(v).max()} rad/s or m/s", state)


def _lost_coordinates(robot: Robot, q: Array) -> str:
    """Which joints have coordinates that are NaN: loops that could not be closed, or quaternions of zeros."""
    lost = {joint.name for joint in robot.joints if not np.isfinite(q[robot.q_slice(joint.name)]).all()}
    names = ", ".join(sorted(lost))
    if not robot.loops:
        return f"coordinates of the joints {names} are not finite; does a quaternion have norm zero?"
    return (
        f"loops cannot be closed with the joints {names} in that direction: a singular position, the "
        "end of a linkage's range, or too long a step"
    )


def _first_bad(robot: Robot, v: Array) -> str:
    worst = int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))
    return next(
        f"joint {joint.name!r}"
        for joint in robot.joints
        if robot.v_slice(joint.name).start <= worst < robot.v_slice(joint.name).stop
    )


def _checked_gain(name: str, gain: float | Array, joints: int) -> Array:
    array = np.array(gain, dtype=np.float64)
    if array.shape not in ((), (joints,)) or not (np.isfinite(array) & (array >= 0.0)).all():
        raise InvalidOption(
            f"{name} is {gain}; it must be a number or one for each of {joints} joints, finite and not negative"
        )
    return np.broadcast_to(array, joints).copy()


def _checked(name: str, value: Any, size: int) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InvalidOption(
            f"{name} must be {size} finite numbers, not an array of shape {array.shape}: {array}"
        )
    return array
