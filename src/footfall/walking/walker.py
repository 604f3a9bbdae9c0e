"""A robot that walks in a scene: the closed loop with all its arrays, advanced from Python."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel
from footfall.compiler.once import once_property
from footfall.compiler.routines import new_records
from footfall.contact.ground import place_on_ground
from footfall.errors import InvalidInput, SceneError
from footfall.math.transform import Transform
from footfall.motion.motion import Motion
from footfall.motion.whole_body import WholeBody
from footfall.robot.drives.drive_limits import DriveLimits, drive_limits
from footfall.robot.model import WORLD, Robot
from footfall.robot.tree import Attachment
from footfall.scene.assembly import combined_robot, placed_robots
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation.derived_drives import with_derived_drives, with_firmer_servos
from footfall.simulation.drive_step import Gears
from footfall.simulation.step_values import StepOptions
from footfall.simulation.world.engine import Setting, WorldEngine
from footfall.simulation.world.plant import WorldPlant
from footfall.simulation.world.records import Forces, Workspace, World, WorldState
from footfall.walking.arrival import middle_of, standing
from footfall.walking.body import WalkingBody
from footfall.walking.clearance import clearance_kernel, clearance_room
from footfall.walking.clock import new_clock
from footfall.walking.controller import ControllerRoom
from footfall.walking.feed_forward import feed_forward_kernel, new_feed_forward, torque_shares
from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.hardware import Hardware
from footfall.walking.hardware_request import BusQuality, HardwareFault
from footfall.walking.hardware_setup import TICKS, new_hardware
from footfall.walking.joint_watch import JointWatch, new_watch
from footfall.walking.log import CHUNK, LOG_MEMORY, LogKeeper
from footfall.walking.loop import Brain, Judgement, Plant, Progress, Signals, WalkLog, act, run_walk, think
from footfall.walking.mailbox import Mailbox, Word, fits, new_mailbox, put_plan, with_boxes
from footfall.walking.noise import new_delay, new_noise, noise_sizes
from footfall.walking.plan_sampling import PlanTable, new_stream_room, plan_table
from footfall.walking.request import Push, WalkMode
from footfall.walking.safety_frame import INTERVAL, SafetyFrame
from footfall.walking.safety_frame import STEEPEST as HANGS
from footfall.walking.sensing import sensing_code, sensing_kernel
from footfall.walking.start import come_to, on_the_ground, require_reached, require_within_limits
from footfall.walking.state import JointPlaces, Sensors, new_controller_state, new_sensors
from footfall.walking.step_ground import StepGround, ground_room, most_cells, put_ground, unknown_ground
from footfall.walking.task_space import TaskCode, TaskKernels, task_code, task_kernels
from footfall.walking.touch_watch import BodyTouch, TouchLog

POINT_STIFFNESS, POINT_DAMPING = 5e4, 5e2  # N/m and N s/m of a contact point, Seiwald (2023) section 7.4
# Of what sticks. Joints that are prescribed strain two stuck feet against each other: with rigid friction or a
# spring of 1e3 times the normal one their forces alternate by hundreds of N a millisecond and hips seem to need twice
# the torque; with the normal one alone, which has no damper along the surface, a robot on its toes sways.
SHEAR_SHARE = 10.0  # of the normal spring
_LONG_CHUNK = 10.0  # s, of the log of a loop that runs on: the next chunk is made by Python
_MOST_BEGUN = 24  # starts and scenes that are remembered
SERVO_SHARE = 4.0  # velocity loops of servos over those that are tuned to limbs
# From when on it has fallen: tilt, of height, of weight.
_STEEPEST, _SUNK, _STRUCK = (
    np.deg2rad(30.0),
    1 / 3,
    0.01,
)


def gears_of(robot: Robot) -> Gears:
    """Elastic ones if any is."""
    return "elastic" if any(drive.elasticity is not None for drive in robot.drives) else "rigid"


def _content(value: Any) -> Any:
    """What a record holds, to be compared with that of others."""
    if isinstance(value, tuple):
        return tuple(_content(each) for each in value)
    return value.tobytes() if isinstance(value, np.ndarray) else value


def soft(material: Material) -> Material:
    """A surface as soft soles meet it: with springs where it has none, and one along the surface to match."""
    if not np.isfinite(material.stiffness):
        material = replace(material, stiffness=POINT_STIFFNESS, damping=POINT_DAMPING, shear_stiffness=np.inf)
    if np.isfinite(material.shear_stiffness):
        return material
    return replace(material, shear_stiffness=SHEAR_SHARE * material.stiffness)


def soft_scene(scene: Scene) -> Scene:
    """The scene as soft soles meet it: what is rigid gets the springs of contact points."""
    return replace(
        scene, objects=tuple(replace(thing, material=soft(thing.material)) for thing in scene.objects)
    )


@dataclass(frozen=True)
class WalkerOptions:
    """period: of the controller, s. substeps: steps of the plant in it; 2, and 4 in full mode by default. noise:
    whether sensors have errors; seed: of theirs. pushes: forces on bodies. friction: of all that is touched, instead of
    the scene's. log_every: periods that a row of the log stands for; log_memory: bytes that the log may take, its
    oldest rows go. mode: "reduced", where joints follow their set points exactly, or "full", where servos, motors and
    gears move them; bus and faults are those of full mode. drop: m, how far above the ground it begins. sensor_delay:
    s, by which all sensors are later than they are anyway."""

    period: float = 1e-3
    substeps: int | None = None
    noise: bool = False
    seed: int = 0
    pushes: tuple[Push, ...] = ()
    friction: float | None = None
    log_every: int = 1
    log_memory: float = LOG_MEMORY
    mode: WalkMode = "reduced"
    bus: BusQuality = field(default_factory=BusQuality)
    faults: tuple[HardwareFault, ...] = ()
    drop: float = 0.0
    sensor_delay: float = 0.0

    def __post_init__(self) -> None:
        if self.log_every < 1:
            raise InvalidInput(f"log_every is {self.log_every}; it must be at least 1 period")

    @property
    def steps(self) -> int:
        """Of the plant in a period."""
        return self.substeps or (TICKS if self.mode == "full" else 2)


@dataclass(frozen=True, eq=False)
class WalkingCode:
    """Native code that walking needs of a robot, made once for it."""

    body: WalkingBody
    # Where walks have begun, and the tables of their scenes: the next one of the same kind has them already.
    begun: dict[Any, Any] = field(default_factory=dict, repr=False)

    def remembered(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key; the latest of them are kept."""
        if key not in self.begun:
            while len(self.begun) >= _MOST_BEGUN:
                self.begun.pop(next(iter(self.begun)))
            self.begun[key] = make()
        return self.begun[key]

    @once_property
    def tasks(self) -> TaskKernels:
        return TaskKernels(
            *task_kernels(self.body), clearance_kernel(self.body), clearance_kernel(self.body, walls=0)
        )

    @once_property
    def sight(self) -> Kernel:
        return sensing_kernel(self.body)

    @once_property
    def feed_forward(self) -> Kernel:
        return feed_forward_kernel(self.body)

    @cached_property
    def driven(self) -> Robot:
        """The robot with a drive for every joint; where it has none one is derived, see `with_derived_drives`."""
        return with_firmer_servos(with_derived_drives(self.body.robot, self.body.comfort), SERVO_SHARE)

    @cached_property
    def limits(self) -> DriveLimits:
        """Of joints of the robot, by its description and its drives."""
        return drive_limits(self.body.robot)

    @cached_property
    def driven_limits(self) -> DriveLimits:
        """The same of the robot with a drive for every joint."""
        return drive_limits(self.driven)

    @cached_property
    def whole(self) -> WholeBody:
        """The robot whose angular momentum plans know."""
        return WholeBody(self.body.robot, self.body.model)


Controller = Callable[[float, Brain], object]  # time, s, and all that the controller has


class Walker:
    """The closed loop of one robot in one scene. It begins in the first pose of a motion.

    Walkers of the same code share what does not change: the second in a scene is made in milliseconds.
    """

    def __init__(
        self,
        code: WalkingCode,
        scene: Scene,
        motion: Motion,
        options: WalkerOptions | None = None,
    ) -> None:
        self.code, self.options = code, options or WalkerOptions()
        body, model = code.body, code.body.model
        self.gains = control_gains(model, period=self.options.period, point_stiffness=POINT_STIFFNESS)
        self.judge = self._new_judgement(_STEEPEST)
        self.pushes = self.options.pushes
        self.loads: dict[tuple[str, tuple[float, float, float]], float] = {}  # kg by body and place on it, m
        self.frame: SafetyFrame | None = None
        self.senses = True  # whether its sensors are of now: not of one that is put where another walks
        self.ground = unknown_ground()  # as it was told
        self.fallen, self.lost = False, False
        self.motion: Motion = motion
        self.mail: Mailbox = new_mailbox(plan_table(motion))
        self._tasks: TaskCode = task_code(body, code.tasks, self.gains, code.limits)
        self._room = self._new_room()
        start = (self.options.period, middle_of(motion.given.begin), _content(self.plan))
        q: Array = code.remembered(("start", start), self._start_configuration).copy()
        scene = soft_scene(scene)
        place = (pickle.dumps(scene), q.tobytes(), self.options.mode)
        self.engine: WorldEngine = code.remembered(
            ("engine", place, self.options.period, self.options.steps), lambda: self._new_engine(scene, q)
        ).copy()
        whole = self.engine.setting.robot
        start = whole.configuration("initial")
        start[: body.robot.nq] = code.remembered(
            ("ground", place, self.options.drop), lambda: self._on_true_ground(scene, q)
        )
        self.plant = WorldPlant(self.engine, friction=self.options.friction)
        self.plant.take(self.engine.start(start, np.zeros(whole.nv)))
        self.brain = self._new_brain(q)
        self.hardware = self._new_hardware(q)
        self.watch: JointWatch = new_watch(body, code.limits)
        self._touches = TouchLog()
        rows = max(1, round(CHUNK / self.row_time))
        # A log that knew its walker would keep both, and much memory, until somebody looks for cycles.
        self._new_log = partial(_new_log, self.engine.setting.robot, body, self.options.log_every)
        self._log = LogKeeper(self._new_log, rows=rows, memory=self.options.log_memory)

    def follow(self, motion: Motion) -> None:
        """Walk by a motion from now on."""
        self.motion = motion
        table, slot = plan_table(motion), int(self.mail.words[Word.SLOT])
        if self.mail.plans[0] is self.mail.plans[1] or not fits(self.plan, table):
            boxed = len(self.mail.snapshots.periods) > 0
            self.mail.words[Word.SLOT] = 0
            self.mail = self.mail._replace(plans=(table, table))
            if boxed:
                self.have_boxes()
        else:
            put_plan(self.mail.plans[slot], table)

    @property
    def plan(self) -> PlanTable:
        """The tables of the motion that it walks by."""
        return self.mail.plans[self.mail.words[Word.SLOT]]

    def have_boxes(self, *, largest: PlanTable | None = None) -> None:
        """Have room for what it is given while it runs natively, see `footfall.walking.mailbox`, and for its largest
        plan; logs are kept in longer chunks."""
        self.mail = with_boxes(self.mail, self.brain.state, self.plant.state.q, largest or self.plan)
        self._log.lengthen(max(1, round(_LONG_CHUNK / self.row_time)))

    def have_log(self) -> None:
        """Have the next chunk of the log ready; another thread than the one that walks may call it."""
        self._log.prepare()

    def know_ground(self, ground: StepGround) -> None:
        """Let it catch itself on this ground from now on."""
        self.ground = ground
        if ground.cells[0] > self.brain.state.ground.free.shape[1]:
            room = ground_room(int(ground.cells[0]))
            self.brain = self.brain._replace(state=self.brain.state._replace(ground=room))
        put_ground(ground, self.brain.state.ground)

    @property
    def catches_itself(self) -> bool:
        """Whether it is in a step that no plan has."""
        return bool(self.brain.state.catch["side"][0] != 0.0)

    def push(self, push: Push) -> None:
        """Let a force act on a body."""
        self.plant.forces({push.body: np.zeros(6)})  # refuses bodies that are not there
        self.pushes = (*(each for each in self.pushes if each.end > self.time), push)

    def hang(self, slack: float | None) -> None:
        """Let a safety frame follow the robot, with a rope of this slack, m; None: none."""
        self.judge = self._new_judgement(_STEEPEST if slack is None else HANGS)
        if slack is None:
            self.frame = None
            return
        if self.frame is None:
            gains, q = self.gains, self.arrays[0].q
            self.frame = SafetyFrame(self.code.body, gains.mass, gains.gravity, q)
        self.frame.let_out(slack)

    def tune(self, gains: ControlGains) -> None:
        """Control with other gains from now on."""
        self.gains = gains
        self._tasks = task_code(self.code.body, self.code.tasks, gains, self.code.limits)
        feed = self.brain.feed._replace(shares=torque_shares(self.code.body, gains.feed_forward))
        self.brain = self.brain._replace(gains=gains, tasks=self._tasks, feed=feed)

    # The scene may change while it runs

    def put(self, thing: SceneObject) -> None:
        """Put an object into the scene, or let the one of its name be as given from now on."""
        self.touches()
        thing = replace(thing, material=soft(thing.material))
        known = {each.name: each for each in self.scene.objects}
        old = known.get(thing.name)
        if thing.free is not None or (old is not None and old.free is not None):
            raise SceneError(
                "is a free body; it must be there from the start", subject=("object", thing.name)
            )
        if old is None:
            self.engine.add(thing)
        else:
            self.engine.replace(thing)
        self.plant.follow_scene()

    def take_away(self, name: str) -> None:
        """Take an object out of the scene."""
        self.touches()
        self.engine.remove(name)
        self.plant.follow_scene()

    @property
    def arrays(self) -> tuple[WorldState, Workspace]:
        """Arrays of native code: the state of all that moves, and room for its steps."""
        return self.plant.state, self.plant.room

    @property
    def world(self) -> World:
        """The tables of the scene as it is now."""
        return self.plant.world

    @property
    def scene(self) -> Scene:
        """As it is now, with the springs of soles."""
        return self.engine.scene

    @property
    def log(self) -> WalkLog:
        """What has happened so far, as far as it is kept (`WalkerOptions.log_memory`); joined whenever it is asked for.
        `log.first` is the number of its first row."""
        return self.log_from(0)

    def log_from(self, row: int) -> WalkLog:
        """Rows of the log from one on, as far as they are kept, to the last one that has begun."""
        return self._log.rows_from(row, self.rows)

    def show(self, period: int) -> tuple[WalkLog, int]:
        """Be where another walker of its kind is, which begins this period next: the log and the place in it for its
        latest row. Rows that were left out are lost."""
        row = (period - 1) // self.options.log_every
        if not self.rows - 1 <= row <= self.rows:
            self._log = self._log.anew(row, memory=self.options.log_memory)
        self._log.make_room(row)
        self.period = period
        return self._log.chunk, row - self._log.chunk.first

    @property
    def rows(self) -> int:
        """Of the log that have begun, also those that are no longer kept."""
        return -(-self.period // self.options.log_every)

    @property
    def latest(self) -> Any:
        """Signals of the last period, a record with their names."""
        log = self._log.chunk
        return log.signals[max((self.period - 1) // log.every - log.first, 0)]

    @property
    def leaving_log(self) -> list[Callable[[WalkLog], object]]:
        """Who is given the oldest rows of the log before they go."""
        return self._log.leaving

    @property
    def recent(self) -> deque[WalkLog]:
        """Full chunks of the log, the latest ones."""
        return self._log.full

    @recent.setter
    def recent(self, chunks: deque[WalkLog]) -> None:
        self._log.full = chunks

    def forget_log(self) -> None:
        """Let go of all chunks of the log but the present one."""
        self._log.forget()

    @property
    def row_time(self) -> float:
        """Of a row of the log, s."""
        return self.gains.period * self.options.log_every

    @property
    def period(self) -> int:
        """That begins next, also while it runs."""
        return int(self.mail.words[Word.PROGRESS])

    @period.setter
    def period(self, number: int) -> None:
        self.mail.words[Word.PROGRESS] = number

    @property
    def time(self) -> float:
        """s."""
        return self.period * self.gains.period

    @property
    def pauses(self) -> bool:
        """Whether it does not go on because its mailbox says so."""
        return int(self.mail.words[Word.PAUSE]) <= self.period

    def run_until(self, time: float) -> bool:
        """Walk until a time, s, or a pause; whether it has come there without a fall."""
        end = round(time / self.gains.period)
        for border in self._borders(end):
            self._run(border)
            if self.pauses:
                break
        return not (self.fallen or self.lost)

    def run_with(self, controller: Controller, time: float) -> bool:
        """Walk until a time, s, with a controller of one's own in Python, which is called after ours in every period
        and may change `brain.state.after`, the joint velocities that are followed; whether it came there without a
        fall."""
        end = round(time / self.gains.period)
        while self.period < end and not (self.fallen or self.lost):
            self._log.make_room(self.period // self.options.log_every)
            think(self.brain, self.plan, self.period, self._log.chunk)
            controller(self.time, self.brain)
            self._act()
        return not (self.fallen or self.lost)

    # What it consists of

    def _borders(self, end: int) -> Sequence[int]:
        """Periods at which pushes begin or end."""
        times = [time for push in self.pushes for time in (push.start, push.end)]
        periods = {round(time / self.gains.period) for time in times}
        if self.frame is not None:
            every = self._frame_periods
            periods |= set(range(self.period - self.period % every + every, end, every))
        return sorted({period for period in periods if self.period < period < end} | {end})

    @property
    def _frame_periods(self) -> int:
        """Between two looks at the rope of the safety frame."""
        return max(1, round(INTERVAL / self.gains.period))

    def _forces(self) -> Forces:
        """Pushes that act now."""
        now = self.time + 0.5 * self.gains.period
        pushes: dict[str, Array] = {}
        for push in self.pushes:
            if push.start <= now < push.end:
                wrench = np.array([*push.force, *push.torque])
                pushes[push.body] = pushes.get(push.body, np.zeros(6)) + wrench
        beside: list[tuple[Attachment, Array]] = []
        for (body, at), mass in self.loads.items():
            weight = np.array([0.0, 0.0, -mass * self.gains.gravity, 0.0, 0.0, 0.0])
            if any(at):
                there = self.engine.attachments[body]
                placed = there.placement @ Transform(np.eye(3), np.array(at))
                beside.append((Attachment(there.link, placed), weight))
            else:
                pushes[body] = pushes.get(body, np.zeros(6)) + weight
        if self.frame is not None:
            if self.period % self._frame_periods == 0:
                self.frame.look(self.period, self.arrays[0].q)
            body = self.frame.body
            pushes[body] = pushes.get(body, np.zeros(6)) + self.frame.wrench
        forces = self.plant.forces(pushes)
        if not beside:
            return forces
        return Forces(
            np.array([*forces.links, *(each.link for each, _ in beside)], dtype=np.int64),
            np.concatenate([forces.wrenches, [wrench for _, wrench in beside]]),
            np.concatenate([np.asarray(forces.points), [each.placement.translation for each, _ in beside]]),
        )

    def _new_judgement(self, steepest: float) -> Judgement:
        model = self.code.body.model
        return Judgement(
            float(np.cos(steepest)), _SUNK * model.com_height, _STRUCK * model.mass * model.gravity
        )

    def _plant(self, forces: Forces) -> Plant:
        return Plant(
            self.plant.moment(forces), self.options.steps, self.hardware, self.watch, self._touches.watch
        )

    def _run(self, end: int) -> None:
        forces = self._forces()
        while self.period < end and not (self.fallen or self.lost or self.pauses):
            self._log.make_room(self.period // self.options.log_every)
            stop = min(end, self._log.end * self.options.log_every)
            plant = self._plant(forces)
            self._note(run_walk(self.brain, plant, self.mail, self.judge, self.period, stop, self._log.chunk))

    def _act(self) -> None:
        forces, before = self._forces(), self.period
        while self.period == before:
            self._note(act(self.brain, self._plant(forces), self.judge, before, self._log.chunk))

    def _note(self, done: Progress) -> None:
        """How far it has come; the room that the next step needs is made."""
        self.period, self.fallen, self.lost = done.periods, done.fallen, done.lost
        if done.touches or done.pairs:
            self.plant.make_room(done.touches, done.pairs)
        if self._touches.full:
            self.touches()

    def touches(self) -> tuple[BodyTouch, ...]:
        """What bodies have touched until now, feet excepted."""
        return self._touches.take(self.engine.contacts.owner_of)

    def _new_engine(self, scene: Scene, q: Array) -> WorldEngine:
        full, step = self.options.mode == "full", StepOptions(dt=self.options.period / self.options.steps)
        robot = self.code.driven if full else self.code.body.robot
        placed = tuple(placed_robots(scene, robot, q=q))
        whole = combined_robot(scene, robot, q=q)
        gears = gears_of(robot) if full else None
        return WorldEngine(Setting(whole, scene, placed, step, 1, gears, False, not full))

    def _new_hardware(self, q: Array) -> Hardware:
        train = next(iter(self.engine.trains), None)
        options = self.options
        return new_hardware(
            self.code.body,
            train,
            self.code.limits if train is None else self.code.driven_limits,
            self.gains,
            q,
            bus=options.bus,
            faults=options.faults,
            seed=options.seed,
        )

    def _on_true_ground(self, scene: Scene, q: Array) -> Array:
        """q where the ground is, which the robot may believe to be elsewhere."""
        body, drop = self.code.body, self.options.drop
        if body.soles:
            return place_on_ground(body.robot, q, body.soles, scene=scene, clearance=drop)
        q = q.copy()
        q[self._root][2] += drop
        return q

    def _start_configuration(self) -> Array:
        body = self.code.body
        first = self.motion.snapshot(self.motion.begin_time)
        place = first.center_of_mass[0] + [0.0, 0.0, 0.1 * body.model.com_height]
        q = on_the_ground(body.comfort, self._root, place, 0.0)
        # Whichever way the axes of its base point: its feet point ahead.
        heading = middle_of(self.motion.given.begin).yaw - standing(body, q).yaw
        q = on_the_ground(body.comfort, self._root, place, heading)
        time = self.motion.begin_time
        error = come_to(self.gains, self._tasks, self.plan, time, q, self._room, new_stream_room())
        require_reached(error, time)
        require_within_limits(body, q)
        return q

    @property
    def _root(self) -> slice:
        """Where the floating base is in q."""
        robot = self.code.body.robot
        return robot.q_slice(next(joint.name for joint in robot.joints if joint.parent == WORLD))

    def _new_room(self) -> ControllerRoom:
        kinematics = self.code.tasks.kinematics
        sizes = [
            sum(int(np.prod(shape)) for _, shape in part)
            for part in (kinematics.signature.inputs, kinematics.signature.outputs)
        ]
        robot = self.code.body.robot
        return ControllerRoom(
            inputs=np.zeros(sizes[0]),
            outputs=np.zeros(sizes[1]),
            rates=np.zeros(self._tasks.rows),
            moved=np.zeros(robot.nq + robot.nv),
            clearance=clearance_room(self.code.body),
        )

    def _new_brain(self, q: Array) -> Brain:
        body, gains = self.code.body, self.gains
        sensors = new_sensors(len(body.driven))
        sensors.feet[:, 2] = 0.5 * gains.mass * gains.gravity
        signature = self.code.sight.signature
        seen = sum(int(np.prod(shape)) for _, shape in (*signature.inputs, *signature.outputs))
        sizes = noise_sizes(gains, noisy=self.options.noise)
        full = self.options.mode == "full"
        return Brain(
            gains,
            self._tasks,
            sensing_code(body, self.code.sight, gains),
            JointPlaces(body.driven, body.coordinates),
            sensors,
            new_controller_state(q, body.robot.nv, len(body.driven))._replace(
                ground=ground_room(most_cells(gains))
            ),
            self._room,
            new_stream_room(),
            np.zeros(seen),
            np.zeros((4, 6)),
            new_feed_forward(body, self.code.feed_forward if full else None, gains),
            sizes,
            new_noise(sizes, self.options.seed),
            new_delay(sensors, round(self.options.sensor_delay / gains.period)),
            new_clock(),
        )


def _new_log(whole: Robot, body: WalkingBody, every: int, rows: int, first: int) -> WalkLog:
    return WalkLog(
        np.zeros((rows, whole.nq)),
        np.zeros((rows, whole.nv)),
        np.zeros((rows, body.robot.nq)),
        new_records(Signals, rows),
        Sensors(*(np.zeros((rows, *each.shape)) for each in new_sensors(len(body.driven)))),
        every,
        first,
    )
