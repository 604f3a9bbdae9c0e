"""Simulate a robot in a scene: steps in native code, controllers in Python at their own rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel
from footfall.contact.candidates import Candidate, scene_candidates
from footfall.contact.penalty import PenaltyLaw, warn_if_unstable
from footfall.dynamics.kinematics import frame_attachment
from footfall.dynamics.loops import close_loops
from footfall.errors import InvalidOption, UnknownName
from footfall.robot.model import Robot
from footfall.scene.assembly import combined_robot, initial_state
from footfall.scene.load import load_scene
from footfall.scene.model import Scene
from footfall.simulation.commands import (
    carried_by_the_world,
    holding_gains,
    pd_command,
    required_gains,
    whole_command,
)
from footfall.simulation.control_period import ControlPeriod
from footfall.simulation.divergence import require_good, warn_of_divergence
from footfall.simulation.drive_step import DriveTrain, Gears
from footfall.simulation.missing_meshes import without_missing_meshes
from footfall.simulation.penalty_step import penalty_delassus, penalty_row_count
from footfall.simulation.run_values import SimulationState, Trajectory
from footfall.simulation.singular_loops import LoopWatch, warn_of_dead_points
from footfall.simulation.start_depth import warn_if_inside
from footfall.simulation.step_values import Command, StepOptions
from footfall.simulation.time_step import actuated_velocities, row_count
from footfall.simulation.touching_bodies import touched_by, warn_of_many
from footfall.simulation.unsolved_contact import warn_of_residuals

_ROLLOUT = ("residual", "q", "v")  # what a rollout gives, in the order of the kernel

ContactModel = Literal["exact", "impacts", "penalty"]
Controller = Callable[[float, Array, Array], Command | Array]


class Simulation:
    """A robot in a scene.

    robot: or None, if the scene has robots.
    scene: objects, free bodies, robots; or the name of one that we ship, such as "flat", or a file; empty by default.
    candidates: contacts that may occur; by default all points of collision geometry against all surfaces.
    touching: bodies of the robots that may touch something, its feet say; all by default. The fewer, the sooner native
        code is compiled.
    contact: "exact" constraints, "impacts" one after the other, or "penalty" springs; a `PenaltyLaw` says which.
    drives: "rigid" or "elastic" gears between servos and joints, see `DriveTrain`; without, joints give what is
        commanded.
    options: how a step is computed.
    dt: s, length of a step, instead of that of the options.
    substeps: steps in a control period.
    q, v: (nq,) and (nv,) at the start, see `reset`.
    """

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        candidates: Sequence[Candidate] | None = None,
        touching: Sequence[str] | None = None,
        contact: ContactModel | PenaltyLaw = "exact",
        drives: Gears | None = None,
        options: StepOptions | None = None,
        dt: float | None = None,
        substeps: int = 1,
        q: Array | None = None,
        v: Array | None = None,
    ) -> None:
        if robot is not None and not isinstance(robot, Robot):
            raise TypeError(f"the first argument is a robot, not {robot!r}; use footfall.load")
        if robot is None and scene is None:
            raise ValueError("a simulation needs a robot, or a scene with robots or free bodies")
        self.scene = _scene(scene)
        known = {} if robot is None else robot.configurations
        start = known["idle"] if "idle" in known else next(iter(known.values()), None)
        self.robot = combined_robot(self.scene, robot, q=start)
        if candidates is None:
            self.robot = without_missing_meshes(self.robot)
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
            self.options = replace(self.options, solver=replace(self.options.solver, rule="impacts"))
        self.law = contact if isinstance(contact, PenaltyLaw) else PenaltyLaw()
        self.contact: ContactModel = "penalty" if isinstance(contact, PenaltyLaw) else contact
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

    @property
    def time(self) -> float:
        """Time since the start, s."""
        return self.state.time

    @property
    def q(self) -> Array:
        """Configuration (nq,), a copy; `reset` sets one."""
        return self.state.q.copy()

    @property
    def v(self) -> Array:
        """Velocities (nv,), a copy."""
        return self.state.v.copy()

    # Commands

    @cached_property
    def zero_command(self) -> Command:
        """A command without any effort: joints are limp."""
        zero = np.zeros(self.joints)
        return Command(zero, zero, zero, zero, zero, zero)

    def hold(self, *, kp: float | Array | None = None, kd: float | Array | None = None) -> Command:
        """A command to stay as it is now: gains hold the joints where they are, and arms that hang on the world carry
        their own weight.

        kp, kd: in N m/rad and N m s/rad. By default those of the robot's servos; where it has none, a radian holds the
        weight of all at 1 m, and kd is kp times 0.1 s.
        """
        if kp is None:
            kp, usual = holding_gains(self.robot)
        else:
            usual = 0.1 * np.asarray(kp)
        command = self.pd(self.joint_positions(), kp=kp, kd=usual if kd is None else kd)
        return command._replace(effort=carried_by_the_world(self.robot, self.state.q))

    def joint_positions(self, q: Array | None = None) -> Array:
        """Positions (joints,) of the joints that drives act on, rad or m."""
        q = self.state.q if q is None else q
        return np.array([q[coordinate] for coordinate, _ in actuated_velocities(self.robot)])

    def pd(
        self,
        position: Array,
        *,
        kp: float | Array | None = None,
        kd: float | Array | None = None,
        ki: float | Array = 0.0,
    ) -> Command:
        """A command to hold joint positions, with gains in N m/rad, N m s/rad and N m/(rad s).

        position: (joints,) rad or m; for rollouts also (batch, joints) or (batch, steps, joints). Gains: numbers, or
        arrays of such shapes; by default those of the robot's own servos, if it has them (`Robot.servo_gains`).
        """
        if kp is None or kd is None:
            own = required_gains(self.robot)
            kp, kd = own[0] if kp is None else kp, own[1] if kd is None else kd
        return pd_command(position, kp=kp, kd=kd, ki=ki, joints=self.joints)

    # Running

    def push(self, body: str, wrench: Array, seconds: float) -> None:
        """From now on, for some time, a wrench [f; n] (6,) in N and N m acts on a body, world axes, at its origin."""
        frame_attachment(self.robot, body)
        if not 0.0 <= seconds < np.inf:  # NaN neither
            raise InvalidOption(f"seconds is {seconds}; it must be finite and not negative")
        self._pushes[body] = (_checked("wrench", wrench, 6), self.state.time + seconds)

    def step(self, command: Command | Array | None = None) -> Trajectory:
        """Advance by one control period under a command or efforts (joints,), limp without; gives one row."""
        return self.run(self.zero_command if command is None else command, self.control_period)

    def run(
        self, controller: Controller | Command | Array, seconds: float, *, recorder: Any = None
    ) -> Trajectory:
        """Advance by some time. controller: `controller(time, q, v)` gives a `Command`, or efforts (joints,) or (nv,),
        every control period; or such a command, which is held.

        seconds: rounded to control periods, of which there must be one at least. recorder: a `RecordingWriter`, which
        gets every row.
        """
        if not 0.5 * self.control_period < seconds < np.inf:  # NaN neither
            raise InvalidOption(
                f"seconds is {seconds}; it must be finite and at least one control period, {self.control_period} s"
            )
        self._look_at_start()
        count = round(seconds / self.control_period)
        fixed = None if callable(controller) else whole_command(controller, self.robot, self.joints)
        rows: list[tuple[Any, ...]] = []
        loops = LoopWatch(self.robot, self.state.q)
        for _ in range(count):
            state = self.state
            # Copies, so that a controller may work in them.
            command = fixed
            if command is None:
                given = controller(state.time, state.q.copy(), state.v.copy())  # type: ignore[operator]
                command = whole_command(given, self.robot, self.joints)
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
            require_good(self.robot, q, v, state, command)
            loops.look(q, state)
            self.state = SimulationState(state.time + self.control_period, q, v, integral, impulses, drives)
            rows.append((self.state.time, q, v, *report))
            if recorder is not None:
                recorder.state(self.state.time, q, v, report[0], currents=currents if self.train else None)
                recorder.contacts(self.state.time, report[1], report[2])
        trajectory = Trajectory(*(np.array(column) for column in zip(*rows, strict=True)))
        warn_of_residuals(
            trajectory.residual, tolerance=self.options.solver.tolerance, scale=self._weight_impulse
        )
        return trajectory

    def _look_at_start(self) -> None:
        """Once, before the first step: what is inside of something is seldom meant to be."""
        if not self._started:
            state, speed = self.state, self.options.contact.recovery_speed
            warn_if_inside(self.robot, state.q, self.candidates, time=state.time, speed=speed)
            self._started = True

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
        commands = whole_command(commands, self.robot, self.joints)
        # The kernel of single steps: another one for the same arithmetic would differ in the last bits.
        residual, q, v = self.step_kernel.rollout(
            q, v, *self._no_impulses, *commands, self.friction,
            *([0.0] if self._timed else []),
            *([self._starts(q, v)] if self.train else []),
            steps=steps, only=_ROLLOUT, threads=threads, out=out if out is None else (*out[2:], *out[:2]),
        )  # fmt: skip
        warn_of_divergence(q, v)
        warn_of_dead_points(self.robot, q)
        warn_of_residuals(residual, tolerance=self.options.solver.tolerance, scale=self._weight_impulse)
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
            self._kernels[pushed] = self._period.kernel(pushed)
        return self._kernels[pushed]

    @property
    def _period(self) -> ControlPeriod:
        return ControlPeriod(
            self.robot,
            self.candidates,
            self.options,
            self.substeps,
            self.rows,
            tuple(self.restitution.tolist()),
            self.law if self._smooth else None,
            self.train,
            self._timed,
        )

    @cached_property
    def _kernels(self) -> dict[tuple[str, ...], Kernel]:
        return {}


def _scene(given: Scene | str | Path | None) -> Scene:
    if isinstance(given, str | Path):
        return load_scene(given)
    return given or Scene("empty")


def _checked(name: str, value: Any, size: int) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InvalidOption(
            f"{name} must be {size} finite numbers, not an array of shape {array.shape}: {array}"
        )
    return array
