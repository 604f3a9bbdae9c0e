"""Simulate a robot in a scene: steps in native code, controllers in Python at their own rate.

`SimulationBase` is what all plants share: state, commands, runs, rollouts. `Simulation` finds contacts while it runs;
`plants.py` has the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.threads import available_cores
from footfall.contact.detection.world import standing_in
from footfall.dynamics.kinematics import frame_attachment
from footfall.dynamics.loops import close_loops
from footfall.errors import InvalidInput, LoopAtDeadPoint
from footfall.option_checks import require_switch
from footfall.robot.combine import Placed
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.robot.start import start_of
from footfall.robot.validation import checked_configuration
from footfall.scene.assembly import combined_robot, initial_state, placed_robots
from footfall.scene.load import load_scene
from footfall.scene.model import Scene, SceneObject
from footfall.simulation.commands import (
    TimedPushes,
    carried_by_the_world,
    holding_gains,
    pd_command,
    require_controller,
    required_gains,
    whole_command,
)
from footfall.simulation.drive_step import DriveTrain, Gears
from footfall.simulation.energy_watch import EnergyWatch
from footfall.simulation.engine import Batch, Course, Engine, Pace, RunRecording
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.old_words import AcceptsOldWords
from footfall.simulation.run_values import SimulationState, Trajectory
from footfall.simulation.run_watch import (
    LoopWatch,
    RunWatch,
    are_good,
    require_good,
    warn_of_dead_points,
    warn_of_divergence,
    warn_of_residuals,
)
from footfall.simulation.start import standing_start, without_missing_meshes
from footfall.simulation.step_values import Command, StepOptions
from footfall.simulation.world.engine import Setting, WorldEngine, begin_early

if TYPE_CHECKING:
    from footfall.simulation.lanes.engine import FeetEngine

Controller = Callable[[float, Array, Array], Command | Array]
_MOST_THREADS = 64  # that share a step: more of them find no piece that is left


class SimulationBase(ABC):
    """A robot in a scene, as all plants have it; each says what touches, and how.

    robot: or None, if the scene has robots.
    scene: objects, free bodies, robots; or the name of one that we ship, such as "flat", or a file; empty by default.
    drives: "rigid" or "elastic" gears between servos and joints, see `DriveTrain`; without, joints give what is
        commanded.
    options: how a step is computed.
    dt: s, length of a step, instead of that of the options.
    substeps: steps in a control period.
    q, v: (nq,) and (nv,) at the start, see `reset`. `start` says which configuration was taken otherwise.
    """

    engine: Engine

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        drives: Gears | None = None,
        options: StepOptions | None = None,
        dt: float | None = None,
        substeps: int = 1,
        q: Array | None = None,
        v: Array | None = None,
    ) -> None:
        if robot is not None:
            require_robot("Simulation", robot)
        if robot is None and scene is None:
            raise ValueError("a simulation needs a robot, or a scene with robots or free bodies")
        place = _scene(scene)
        self.options = options or StepOptions()
        if dt is not None:
            self.options = replace(self.options, dt=dt)
        self._begin(placed_robots(place, robot), place, drives)
        self.start = None if robot is None else standing_start(robot, place) if q is None else start_of(robot)
        start = None if self.start is None else self.start.q
        self.robot = self._with_shapes(combined_robot(place, robot, q=start))
        self.train = None if drives is None else DriveTrain(self.robot, drives, self.options.dt)
        if substeps < 1 or substeps != int(substeps):
            raise InvalidInput(f"substeps is {substeps}; it must be at least 1, and whole")
        self.substeps = substeps
        self.joints = len(actuated_velocities(self.robot))
        placed = placed_robots(place, robot, q=start)
        setting = Setting(self.robot, place, tuple(placed), self.options, substeps, drives)
        self.engine = self._made_engine(setting)
        self._pushes = TimedPushes()
        self._pace = Pace()
        self._watch = RunWatch(self.robot, self.engine, recovery_speed=self.options.contact.recovery_speed)
        self._energy = EnergyWatch(self.robot, place, self.options.dt, given=robot)
        self.reset(q, v)

    @abstractmethod
    def _made_engine(self, setting: Setting) -> Any:
        """What computes the steps."""

    @abstractmethod
    def _contact_words(self) -> str:
        """How it touches and what may, for `repr`."""

    def _begin(self, placed: Sequence[Placed], scene: Scene, drives: Gears | None) -> None:
        """Before anything is made."""
        return

    def _with_shapes(self, robot: Robot) -> Robot:
        """The robot with the shapes that it is simulated with."""
        return without_missing_meshes(robot)

    @property
    def motors(self) -> int:
        """Number of motors that are simulated."""
        return 0 if self.train is None else len(self.train.motors)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} of {self.robot.name!r} in scene {self.scene.name!r}: "
            f"t = {self.state.time:.6g} s, steps of {1e3 * self.options.dt:g} ms, {self.substeps} a control period, "
            f"{self._contact_words()}"
        )

    def __copy__(self) -> Any:
        """Another simulation in the same state, which goes on by itself; it shares the native code."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self), state=deepcopy(self.state), engine=self.engine.copy())
        twin._pushes, twin._watch, twin._energy = (
            self._pushes.copy(),
            self._watch.of(twin.engine),
            copy(self._energy),
        )
        return twin

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    @property
    def scene(self) -> Scene:
        """Objects, free bodies and robots, as they are now."""
        return self.engine.scene

    # State

    def reset(self, q: Array | None = None, v: Array | None = None) -> None:
        """Start again at time zero: q (nq,) and v (nv,) by default as the scene has them, the robot in "idle", else in
        its first configuration, else neutral; inside its limits and above the ground, see `start`.

        Pushes end. Loops are closed, by joints that follow from others.
        """
        q_start, v_start = initial_state(self.scene, self.robot)
        q = _checked("q", q_start if q is None else q, self.robot.nq)
        checked_configuration("for reset", q, self.robot.joints)  # the quaternions in it
        q = close_loops(self.robot, q)
        v = _checked("v", v_start if v is None else v, self.robot.nv)
        self._pushes = TimedPushes()
        self.state = self.engine.start(q, v)

    @property
    def control_period(self) -> float:
        """Time between two calls of a controller, s."""
        return self.options.dt * self.substeps

    @cached_property
    def _weight_impulse(self) -> float:
        """Weight times a step, N s: what residuals are compared with."""
        return self.robot.mass * float(np.linalg.norm(self.robot.gravity)) * self.options.dt

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

        kp, kd: in N m/rad and N m s/rad. By default those of the robot's servos; where it has none, they are chosen
        from its weight and greatest efforts, see `holding_gains`. kd is kp times 0.1 s if kp is given.
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
        self._pushes.add(body, _checked("wrench", wrench, 6), seconds, now=self.state.time)

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
            raise InvalidInput(
                f"seconds is {seconds}; it must be finite and at least one control period, {self.control_period} s"
            )
        require_controller(controller)
        self._watch.look_at_start(self.state)
        count = round(seconds / self.control_period)
        fixed = None if callable(controller) else whole_command(controller, self.robot, self.joints)
        course = self.engine.course(count)
        loops = LoopWatch(self.robot, self.state.q)
        began = self.state.time
        pace, done, start = self._pace, 0, self.state.time
        times = self._times(start, np.arange(1, count + 1))
        with RunRecording(recorder, course, times, currents=self.train is not None) as recording:
            while done < count:
                state = self.state
                command = fixed
                if command is None:  # copies, so that a controller may work in them
                    given = controller(state.time, state.q.copy(), state.v.copy())  # type: ignore[operator]
                    command = whole_command(given, self.robot, self.joints)
                last = done + 1
                if fixed is not None and not loops.watching:
                    most = min(pace.periods, count - done)
                    last = done + self._pushes.periods_left(state.time, self.control_period, most)
                with pace:
                    self._advance(course, command, start, done, last)
                if loops.watching:
                    self._look_at_loops(loops, state)
                recording.done(last)
                done = last
        trajectory = course.trajectory(times)
        warn_of_residuals(
            trajectory.residual,
            tolerance=self.options.solver.tolerance,
            scale=self._weight_impulse,
            asked=trajectory.asked,
        )
        self._watch.look_at_end(trajectory)
        # Pushes that a controller began during the run, too.
        self._energy.look(trajectory, passive=not self._pushes.acting(began), began=began)
        return trajectory

    def _look_at_loops(self, loops: LoopWatch, before: SimulationState) -> None:
        """Stop at a dead point of a loop, in the state before it."""
        try:
            loops.look(self.state.q, before)
        except LoopAtDeadPoint:
            self.state = before
            raise

    def _advance(self, course: Course, command: Command, start: float, first: int, last: int) -> None:
        """Control periods of a course that began at a time, s, under one command and what is pushed now."""
        state = self.state
        pushes = self._pushes.acting(state.time)
        times = self._times(start, np.arange(first + 1, last + 1))
        after = course.advance(state, command, pushes, first, last, times)
        if not are_good(course.q[first:last], course.v[first:last]):
            if last == first + 1:
                require_good(self.robot, course.q[first], course.v[first], state, command)
            for one in range(first, last):  # once more, to the last period that was good
                self._advance(course, command, start, one, one + 1)
        self.state = after

    def _times(self, start: float, periods: Any) -> Array:
        """Times, s, some periods after a start, as multiples of a step wherever they are.

        With a whole number of steps a second they are quotients: 9 * 0.001 is 0.009000000000000001, 9 / 1000 is 0.009.
        """
        steps = start / self.options.dt
        if abs(steps - round(steps)) < 1e-6:
            number, rate = round(steps) + self.substeps * periods, 1.0 / self.options.dt
            if abs(rate - round(rate)) < 1e-9 * rate:
                return np.asarray(number / round(rate))
            return np.asarray(number * self.options.dt)
        return np.asarray(start + periods * self.control_period)

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
        _require_counts(steps=steps, threads=threads)
        commands = whole_command(commands, self.robot, self.joints)
        q, v, residual = self.engine.rollout(Batch(q, v, commands, steps, threads, out))
        warn_of_divergence(q, v)
        warn_of_dead_points(self.robot, q)
        warn_of_residuals(residual, tolerance=self.options.solver.tolerance, scale=self._weight_impulse)
        return q, v, residual


class Simulation(SimulationBase, metaclass=AcceptsOldWords):
    """A robot in a scene: contacts are found while it runs, between all that has a shape.

    self_contact: whether robots touch themselves.
    sleep: whether loose things that have been slower than 1e-4 m/s and rad/s for 0.2 s sleep, with all that they touch,
        until something touches or pushes them or the scene changes: they cost next to nothing, and `asleep` names them.
        Robots, and what touches them, do not sleep.
    divided_meshes: whether meshes of robots and loose things touch as several convex parts each, by CoACD, which must
        be installed (`pip install coacd`); else as their convex hull. By default loose things whose hull is empty for
        more than three tenths (rings, cups, hooks) are divided if it is installed, and you are warned if it is not.
    threads: how many share a step where hundreds of loose things move or touch, 64 at the most; None: all cores.
        Results are the same to the bit. It pays where things form many separate heaps.
    robot, scene, drives, options, dt, substeps, q, v: see `SimulationBase`.

    The scene may change (`add`, `replace`, `remove`). Where nothing can touch, steps run in lanes as feet do
    (`FeetSimulation`), until something is added.
    """

    engine: WorldEngine | FeetEngine

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        self_contact: bool = True,
        sleep: bool = False,
        divided_meshes: bool | None = None,
        threads: int | None = 1,
        drives: Gears | None = None,
        options: StepOptions | None = None,
        dt: float | None = None,
        substeps: int = 1,
        q: Array | None = None,
        v: Array | None = None,
    ) -> None:
        self.self_contact, self.sleep, self.divided_meshes = self_contact, sleep, divided_meshes
        _require_counts(threads=threads)
        self.threads = available_cores() if threads is None else min(int(threads), _MOST_THREADS)
        require_switch(self, "self_contact", "sleep")
        if divided_meshes is not None:
            require_switch(self, "divided_meshes")
        super().__init__(robot, scene, drives=drives, options=options, dt=dt, substeps=substeps, q=q, v=v)

    def _begin(self, placed: Sequence[Placed], scene: Scene, drives: Gears | None) -> None:
        if scene.free_objects or not _nothing_touches(
            [each.robot for each in placed], scene, self_contact=True
        ):
            begin_early(placed, self.options, drives)

    def _made_engine(self, setting: Setting) -> WorldEngine | FeetEngine:
        setting = replace(
            setting,
            self_contact=self.self_contact,
            sleep=self.sleep,
            divided_meshes=self.divided_meshes,
            threads=self.threads,
        )
        self._setting = setting
        several = len(setting.placed) + len(setting.scene.free_objects) > 1
        if _nothing_touches([setting.robot], setting.scene, self_contact=setting.self_contact or several):
            from footfall.simulation.lanes.engine import FeetEngine  # few scenes need it
            from footfall.simulation.lanes.step import ExactStep

            return FeetEngine(_in_the_middle(setting), (), ExactStep(), self.train)
        return WorldEngine(setting)

    def _contact_words(self) -> str:
        shapes = self.engine.contacts.shape_count if isinstance(self.engine, WorldEngine) else 0
        return f"exact contact, {shapes} shapes may touch"

    @property
    def asleep(self) -> tuple[str, ...]:
        """Names of the loose things that sleep now."""
        return self.engine.asleep if isinstance(self.engine, WorldEngine) else ()

    def add(self, thing: SceneObject) -> None:
        """Put an object into the scene, now; a free one must be there from the start."""
        self._world().add(_object(thing))

    def replace(self, thing: SceneObject) -> None:
        """Let an object be as given from now on: elsewhere, of another size, shape or material."""
        self._world().replace(_object(thing))

    def remove(self, name: str) -> None:
        """Take an object out of the scene, now."""
        self._world().remove(name)

    def _world(self) -> WorldEngine:
        """The engine of a scene that may change; steps went in lanes as long as nothing could touch."""
        if not isinstance(self.engine, WorldEngine):
            before, self.engine = self.state, WorldEngine(self._setting)
            begun = self.engine.start(before.q, before.v)
            self.state = replace(begun, time=before.time, integral=before.integral, drives=before.drives)
            self._watch = self._watch.of(self.engine)
        return self.engine


def _in_the_middle(setting: Setting) -> Setting:
    """Gyroscopic forces as where contacts are found."""
    if setting.options.velocity_terms != "auto" or setting.robot.loops:
        return setting
    return replace(setting, options=replace(setting.options, velocity_terms="middle"))


def _nothing_touches(robots: Sequence[Robot], scene: Scene, *, self_contact: bool) -> bool:
    """Whether there is nothing to find, so that batches may as well run in lanes."""
    if any(robot.tree.loops is not None and robot.tree.loops.held for robot in robots):
        return False  # what holds them is solved with contacts
    shaped = sum(
        sum(bool(body.collisions) for body in robot.bodies) + len(standing_in(robot)) for robot in robots
    )
    things = sum(thing.contact for thing in scene.fixed_objects)
    return shaped == 0 or (things == 0 and (shaped == 1 or not self_contact))


def _scene(given: Scene | str | Path | None) -> Scene:
    if isinstance(given, str | Path):
        return load_scene(given)
    return given or Scene("empty")


def _object(thing: Any) -> SceneObject:
    if not isinstance(thing, SceneObject):
        raise TypeError(f"an object of the scene is a SceneObject, not {thing!r}")
    return thing


def _require_counts(**given: int | None) -> None:
    for name, value in given.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer)):
            raise InvalidInput(f"{name} is {value!r}; it must be a whole number")
        if value is not None and value < 1:
            raise InvalidInput(f"{name} is {value}; it must be at least 1")


def _checked(name: str, value: Any, size: int) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InvalidInput(
            f"{name} must be {size} finite numbers, not an array of shape {array.shape}: {array}"
        )
    return array
