"""A walk that is commanded while it runs, from Python or by the signals of a request."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.compiler.making_time import making_seconds, running_seconds
from footfall.environment.model import Environment
from footfall.errors import InvalidInput, UnknownName
from footfall.gait.actions import idle
from footfall.gait.plan import Action, MotionPlan
from footfall.gait.poses import mean_foot_frame
from footfall.gait.walking_transitions import idle_pose
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.motion.motion import Motion
from footfall.motion.parameters import MotionParameters, TorsoParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.plans import load_plan
from footfall.motion.whole_body import WholeBody
from footfall.planning.contacts import Goal, PlannedContacts
from footfall.planning.transition_planner import GoTo
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.scene.load import load_scene
from footfall.scene.model import Scene
from footfall.walking import signals as kinds
from footfall.walking.arrival import middle_of
from footfall.walking.body import walking_body
from footfall.walking.log import CHUNK, LOG_MEMORY, cut
from footfall.walking.operator import Operator
from footfall.walking.pilot import Pilot, hands_used, is_at
from footfall.walking.recorded import environment_data, plan_data
from footfall.walking.request import Push, WalkRequest
from footfall.walking.routes import plan_way_from_rest, start_pose
from footfall.walking.settings import PlanningParameters, WalkSettings, planner_parameters
from footfall.walking.sight import LOOK, Sight, WholeSight, sight_for
from footfall.walking.signal_effects import added_object, changed_objects, requested
from footfall.walking.step_ground import ground_around, unknown_ground
from footfall.walking.summary import WalkTally
from footfall.walking.vision.led_sight import GIVE_UP, LedSight
from footfall.walking.vision.localisation import Localiser, localiser_for
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode, soft_scene
from footfall.walking.walls import moved_walls, walls_around

_NEVER = math.inf
_BELIEVED, _AREA = 120.0, 500.0  # m and m2, of level ground that a robot believes in at once
_TALL = 1.6  # heights of the centre of mass that a robot is high
_CATCHING = 0.05  # s, between two looks at a robot that catches itself, before it may follow another plan


class Follower(Protocol):
    """Is told of all that happens in a session, and takes what is new to it: rows of the log, events, signals."""

    def follow(self, session: WalkSession) -> None:
        """Something may have happened."""


class WalkSession:
    """A robot in a scene that follows signals while it walks.

    >>> session = WalkSession(scene="flat", noise=True)
    >>> session.drive(0.4)
    >>> session.run(4.0)
    >>> session.walk_to(3.0, 1.0, yaw=1.57)
    >>> session.run_to_rest()

    Every verb is a signal of the present time; `session.request` has all of them and replays the walk to the same bits.
    request, or fields of a `WalkRequest` by name; `robot` may be a `Robot` too (a replay then looks for its name).
    Without a route, a goal or signals the robot stands. code: native code of the robot, if it is there already; by
    default it is made for the robot of the request. log_every: periods that a row of `session.walker.log` stands for.
    log_memory: bytes that it may take; then its oldest rows go, and what follows the session (`follow`) has had them.
    """

    def __init__(
        self,
        request: WalkRequest | None = None,
        *,
        code: WalkingCode | None = None,
        log_every: int = 1,
        log_memory: float = LOG_MEMORY,
        **fields: Any,
    ) -> None:
        if request is not None and fields:
            raise InvalidInput("give a request or fields of one, not both")
        machine: Robot | None = None
        if isinstance(fields.get("robot"), Robot):
            machine = fields["robot"]
            fields["robot"] = machine.name
        self.asked = WalkRequest(**({"scene": "flat"} | fields)) if request is None else request
        asked = self.asked
        scene = load_scene(asked.scene)
        if code is None:
            if machine is None:
                machine = load(asked.robot, strict=not asked.lenient)
            code = WalkingCode(walking_body(machine, frames=asked.frames, sole=asked.sole))
        self.code = code
        body, whole = self.code.body, self.code.whole
        self._begun = making_seconds()
        self.planning = 0.0  # s, that planning took
        self.computing = 0.0  # s, that walking took
        self._contacts: PlannedContacts | None = None  # of the first plan
        self._wide = False  # whether that took a wider map
        self.sight: Sight = self._new_sight(asked)
        self.localiser: Localiser | LedSight = (
            self.sight if isinstance(self.sight, LedSight) else localiser_for(asked)
        )
        for push in asked.pushes:
            self._require_body(push.body)
        self._goal = None if asked.goal is None else Goal(*asked.goal, asked.goal_height)
        self._require_near(self._goal, scene)
        self.surroundings = Environment()
        self._generating = MotionParameters(torso=TorsoParameters(generator=asked.generator))
        motion = self._first_motion(soft_scene(scene), whole)
        options = WalkerOptions(
            asked.period,
            asked.substeps,
            asked.noise,
            asked.seed,
            asked.pushes,
            log_every=log_every,
            log_memory=log_memory,
            mode=asked.mode,
            bus=asked.bus,
            faults=asked.faults,
            drop=asked.drop,
            sensor_delay=asked.sensor_delay,
        )
        self.walker = Walker(self.code, scene, motion, options)
        gains = self.walker.gains
        self._tally = WalkTally(
            body,
            gains.mass * gains.gravity,
            self.walker.row_time,
            # Motors of full mode give no more than they can.
            self.code.limits.effort[body.driven] if self.walker.options.mode == "reduced" else None,
        )
        self.walker.leaving_log.append(self._tally.take)
        self.followers: list[Follower] = []
        seeing = not isinstance(self.sight, WholeSight)
        settings = WalkSettings(
            planner=planner_parameters(body.model, speed=asked.speed),
            motion=self._generating,
            planning=PlanningParameters(look_s=LOOK) if seeing else PlanningParameters(),
            gains=self.walker.gains,
        )
        self.pilot = Pilot(body.model, whole, settings, motion)
        self.operator = Operator(self.walker, settings)
        self.pilot.seeing, self.pilot.wide = seeing, self._wide
        self.pilot.begin(self._goal, 1e3 * self.planning, self.surroundings, self._contacts)
        if asked.scan and seeing:
            self.pilot.scan()
        self._signals = list(asked.ordered_signals)  # that are still to come
        self.sent: list[kinds.AnySignal] = []
        # Time, name and data of events: signals, plans, what was seen.
        self.happened: list[tuple[float, str, Mapping[str, Any]]] = []
        if self.surroundings.version > 0:
            self._note("environment", environment_data(Environment(), self.surroundings))
        self._note("plan", plan_data(self.pilot.versions[0], body.model.sole))
        self.scenes = [(0.0, self.walker.scene)]  # as it was from a time on, s
        # When it has looked last, and when walls are next looked for, s: however `run` cuts the time.
        self._looked = self._walls_at = -_NEVER
        self._blind: float | None = None  # s, since when nothing has come from vision
        # Ground that feet may be put on: by which plan it stands there, and of which version of the surroundings.
        self._ground = (0, 0)

    def _new_sight(self, asked: WalkRequest) -> Sight:
        """How the robot sees."""
        return sight_for(asked)

    # Verbs

    def drive(self, forward: float = 0.0, left: float = 0.0, turn: float = 0.0) -> None:
        """Walk with a velocity from now on, m/s and rad/s; the nearest that steps can give."""
        self.send(kinds.Drive(time=self.time, forward=float(forward), left=float(left), turn=float(turn)))

    def walk_to(self, x: float, y: float = 0.0, yaw: float = 0.0) -> None:
        """Walk to a place, m and rad, around and over what is in the way."""
        self.send(kinds.WalkTo(time=self.time, x=float(x), y=float(y), yaw=float(yaw)))

    def stop(self) -> None:
        """Come to rest as soon as possible."""
        self.send(kinds.Stop(time=self.time))

    def perform(self, motion: str, **options: Any) -> None:
        """Do something that begins and ends at rest: walk, follow, stamp, bow, look_around, one_leg, balance, wave."""
        words = [str(kind.__struct_config__.tag) for kind in kinds.MOTIONS]
        if motion not in words:
            raise UnknownName("motion", motion, words)
        self.send(kinds.made_signal(motion, {"time": self.time, **options}))

    def set(self, name: str, value: Any) -> None:
        """Let a parameter have another value from now on; `parameters` lists them."""
        self.send(kinds.Set(time=self.time, name=name, value=value))

    def happen(self, event: str, **options: Any) -> None:
        """Let something happen around the robot: push, load, frame, move, add, remove, surface."""
        self.happen_at(self.time, event, **options)

    def happen_at(self, time: float, event: str, **options: Any) -> None:
        """The same at a time that is to come, s."""
        words = [str(kind.__struct_config__.tag) for kind in kinds.EVENTS]
        if event not in words:
            raise UnknownName("event", event, words)
        self.send(kinds.made_signal(event, {"time": time, **options}))

    def send(self, signal: kinds.AnySignal) -> None:
        """Send a signal: now, or at its time if that is to come; one of the past counts from now on."""
        if signal.time > self.time + 1e-9:
            self._signals.append(signal)
            self._signals.sort(key=lambda each: each.time)
            return
        self._take(msgspec.structs.replace(signal, time=self.time))

    def close(self) -> None:
        """Leave the process that sees for the robot, if there is one."""
        if isinstance(self.sight, LedSight):
            self.sight.close()

    def go_on_as(self, asked: WalkRequest) -> None:
        """Go on as a request asks that has been the same until now, see `footfall.walking.branch`."""
        self.asked = asked
        self._signals = [each for each in asked.ordered_signals if each.time >= self.time - 1e-9]

    # What is known

    @property
    def time(self) -> float:
        """s."""
        return self.walker.time

    @property
    def fallen(self) -> bool:
        """Whether it has fallen; then it does nothing more."""
        return self.walker.fallen or self.walker.lost

    @property
    def compiling(self) -> float:
        """CPU time that making and loading native code took so far, s; none of it is in other times."""
        return making_seconds() - self._begun

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters that `set` takes, with their values."""
        return dict(self.pilot.settings.names())

    @property
    def request(self) -> WalkRequest:
        """What was asked for so far, with every signal: it replays the walk until now."""
        return msgspec.structs.replace(
            self.replayed, signals=(*self.sent, *self._signals), seconds=self.time or None
        )

    @property
    def replayed(self) -> WalkRequest:
        """What it was asked for at first, as it is replayed: what another process saw for it stands in a file."""
        if self.asked.perception is None:
            return self.asked
        return msgspec.structs.replace(self.asked, vision=None)

    @property
    def resting(self) -> bool:
        """Whether the robot stands and has nothing left to do."""
        pilot = self.pilot
        waits = pilot.busy or pilot.waits(self.time)
        return not self._signals and pilot.rests(self.time) and not waits

    @property
    def problem(self) -> str | None:
        """Why there is no plan for what was asked for last, if there is none."""
        return self.pilot.problem

    @property
    def succeeded(self) -> bool:
        """Whether it is on its feet, and has come to its goal if it has one."""
        pilot = self.pilot
        arrived = not isinstance(pilot.order, GoTo) or (pilot.arrives and pilot.rests(self.time))
        routed = self.asked.route is None or pilot.rests(self.time)
        return not self.fallen and self.problem is None and arrived and routed

    @property
    def destination(self) -> Goal:
        """Where it shall stand in the end: its goal, or where its plan ends."""
        order = self.pilot.order
        return order.goal if isinstance(order, GoTo) else middle_of(self.pilot.motion.given.end)

    def tally(self) -> WalkTally:
        """What a summary needs of all rows of the log until now, also of those that are no longer kept."""
        walker, tally = self.walker, self._tally
        complete = walker.period // walker.options.log_every
        tally.take(cut(walker.log_from(tally.rows), tally.rows, complete))
        return tally

    def forget_log(self) -> None:
        """Let go of the log, but for what is being written; what a summary needs of it is kept."""
        self.tally()
        self.walker.forget_log()

    # Running

    def follow(self, follower: Follower) -> None:
        """Let it follow all that happens, at least twice a simulated second: a recorder, say."""
        self.followers.append(follower)
        follower.follow(self)

    def run(self, seconds: float) -> bool:
        """Go on for some seconds; whether the robot is still on its feet."""
        return self.run_until(self.time + seconds)

    def run_to_rest(self, most: float = 600.0) -> bool:
        """Go on until all is done and the robot stands, for `most` seconds at most; whether it does."""
        end = self.time + most
        while self.time < end - 1e-9 and not self.fallen:
            stop = self._next_stop(end)
            if self.resting:
                break
            self._advance(stop)
        return self.resting and not self.fallen

    def run_until(self, end: float) -> bool:
        """Go on until a time, s; whether the robot is still on its feet."""
        while self.time < end - 1e-9 and not self.fallen:
            self._advance(self._next_stop(end))
        return not self.fallen

    def _next_stop(self, end: float) -> float:
        """Until when nothing has to be done in Python, after what has to be done now."""
        self._serve()
        now, period = self.time, self.walker.gains.period
        times = [self.pilot.next_time(now), self._looked + self.pilot.settings.planning.look_s]
        if self._signals:
            times.append(self._signals[0].time)
        if self.walker.catches_itself:
            times.append(now + _CATCHING)
        due = max(math.ceil(min(times) / period - 1e-6) * period, now + period)
        if now >= self._walls_at - 1e-9:
            self._walls_at = due
        return max(min(due, end), now + period)

    def _advance(self, end: float) -> None:
        if self.walker.period == 0:
            self.walker.run_until(self.walker.gains.period)  # what takes long now is compilation
        walker = self.walker
        last = round(end / walker.gains.period)
        while walker.period < last and not self.fallen:
            begin = running_seconds()
            walker.run_until(min(end, self.time + CHUNK))
            self.computing += running_seconds() - begin
            self._tell_followers()

    def _tell_followers(self) -> None:
        for each in self.followers:
            each.follow(self)

    def _serve(self) -> None:
        """Do what is due: signals, looks, plans."""
        while self._signals and self._signals[0].time <= self.time + 1e-9:
            self._take(self._signals.pop(0))
        self._take_up()
        if self.time >= self._looked + self.pilot.settings.planning.look_s - 1e-9:
            self._look()
        known, begin = len(self.pilot.versions), running_seconds()
        if not self.walker.catches_itself:
            self._locate()
            self.pilot.think(self.time, self._shift)
            self._know_ground()
        self.planning += running_seconds() - begin
        for version in self.pilot.versions[known:]:
            self._note("no plan", {"about": version.about, "problem": version.problem})
        self._take_up()  # without latency it is there at once
        if self.time >= self._walls_at - 1e-9:
            self._know_walls()

    @property
    def _shift(self) -> Array:
        """By which feet have landed beside the plan (3,), m."""
        return np.array(self.walker.brain.state.body["plan_shift"][0])

    def _know_ground(self) -> None:
        """A robot that stands looks where it may put its feet if it is pushed."""
        pilot = self.pilot
        known = (len(pilot.versions), pilot.environment.version)
        if known == self._ground or not pilot.rests(self.time) or pilot.environment.version == 0:
            return
        self._ground = known
        limits, gains = pilot.settings.planner.foothold, self.walker.gains
        pose = pilot.motion.given.end
        self.walker.know_ground(ground_around(pilot.environment, pose, self._shift, limits, gains))

    def _know_walls(self) -> None:
        """What arms yield to: things beside the robot that it believes in, from where it sees itself among them."""
        if self.pilot.environment.version == 0:
            return
        state, height = self.walker.brain.state, self.code.body.model.com_height
        middle = self.walker.motion.sample(self.time).feet[0].mean(axis=0) + self._shift
        drift = self._alignment
        there = drift.inverse() @ Transform(np.eye(3), middle)
        walls = walls_around(self.pilot.environment, there.translation, _TALL * height)
        state.walls[:] = moved_walls(walls, drift)

    @property
    def _alignment(self) -> Transform:
        """Pose of the map in the world of the plan, as far as the robot knows."""
        return self.localiser.alignment(self.walker)

    def _locate(self) -> None:
        """Let the pilot know where the robot is in the map."""
        if self.localiser.smooth:
            self.pilot.locate(self._alignment)
        elif isinstance(self.pilot.order, GoTo):
            self.pilot.drift = self._alignment

    def _take_up(self) -> None:
        coming = self.pilot.take_up(self.time)
        if coming is None:
            return
        # The plan has been displaced by as much as it is shifted: nothing that the robot could notice.
        self.walker.brain.state.body["plan_shift"][0] -= coming.shift
        self.walker.follow(coming.motion)
        self.walker.know_ground(unknown_ground())
        version = coming.version
        self._note("plan", plan_data(version, self.code.body.model.sole))

    def _look(self) -> None:
        self._looked = self.time
        if isinstance(self.sight, LedSight):
            seen = self.sight.look(self.walker)
            self._watch_vision(self.sight)
        else:
            assert isinstance(self.localiser, Localiser)
            goes = isinstance(self.pilot.order, GoTo)
            if not (goes or self.localiser.smooth):
                return  # nobody needs to know where the camera is
            places = self.localiser.look(self.walker)
            if not goes:
                return
            seen = self.sight.look(self.walker, self._goal, places)
        if seen is not None:
            self._note("environment", environment_data(self.pilot.environment, seen))
            self.pilot.see(seen, now=self.time)

    def _watch_vision(self, sight: LedSight) -> None:
        """A robot that nobody sees for any more comes to rest, and goes on when it is seen for again."""
        pilot, silent = self.pilot, sight.silent(self.time)
        if silent and self._blind is None:
            self._blind = self.time
            pilot.hold()
            self._note("vision lost", {"problem": sight.arrivals.status})
            self._tell_followers()
        elif not silent and self._blind is not None:
            self._blind = None
            pilot.resume()
            self._note("vision back", {"refused": sight.refused})
            self._tell_followers()
        elif silent and self._blind is not None and isinstance(pilot.order, GoTo):
            pilot.hold()  # it was told of a goal meanwhile
        waited = 0.0 if self._blind is None else self.time - self._blind
        if pilot.held is not None and waited > GIVE_UP and pilot.rests(self.time):
            pilot.give_up(f"nothing was seen for {waited:.0f} s: {sight.arrivals.status}")

    def _note(self, name: str, data: Mapping[str, Any]) -> None:
        self.happened.append((self.time, name, data))

    # How it begins

    def _first_motion(self, scene: Scene, whole: WholeBody) -> Motion:
        """The motion that it begins with: a route, the way to the goal, or standing."""
        asked, model = self.asked, self.code.body.model
        start = start_pose(scene, model)
        standing = start or idle_pose(gait_dimensions(model))
        begin = running_seconds()
        if asked.route is not None:
            plan = load_plan(asked.route, model)
        elif self._goal is None or is_at(standing, self._goal) or not isinstance(self.sight, WholeSight):
            plan = MotionPlan((idle(standing),))
        else:
            seen = self.sight.see(scene, self._goal)
            assert seen is not None
            self.surroundings = seen
            begin = running_seconds()  # what a camera sees is there already
            middle, _ = mean_foot_frame(*standing.feet)
            away = math.hypot(self._goal.x - middle[0], self._goal.y - middle[1])
            way = plan_way_from_rest(
                seen,
                model,
                self._goal,
                planner_parameters(model, speed=asked.speed),
                start=start,
                horizon=PlanningParameters().goal_steps if away > PlanningParameters().far_m else None,
                accepts=lambda sequence: generate_motion(
                    MotionPlan((sequence,)), model, parameters=self._generating, body=whole
                ),
            )
            plan, self._contacts, self._wide = MotionPlan((way.sequence,)), way.contacts, way.wide
        self.planning += running_seconds() - begin
        for sequence in plan.sequences:
            for hand in hands_used(sequence):
                whole.arm(hand)  # made once for a robot: no part of planning
        begin = running_seconds()
        motion = generate_motion(plan, model, parameters=self._generating, body=whole)
        self.planning += running_seconds() - begin
        return motion

    # What signals do

    def _take(self, signal: kinds.AnySignal) -> None:
        """Do what a signal says."""
        self._walls_at = -_NEVER
        if isinstance(signal, kinds.EVENTS):
            self._let_happen(signal)
        elif isinstance(signal, kinds.OPERATOR):
            self._operate(signal)
        else:
            if not isinstance(signal, kinds.Set | kinds.Stop):
                self.operator.require_active(signal.word)
            self._obey(signal)
        if self.walker.scene is not self.scenes[-1][1]:
            self.scenes.append((self.time, self.walker.scene))
        self.sent.append(signal)
        self._note("signal", msgspec.to_builtins(signal))
        self._tell_followers()

    def _operate(self, signal: kinds.AnySignal) -> None:
        """What the operator switches."""
        if isinstance(signal, kinds.ForceControl):
            for name, value in self.operator.forces(signal.factor).items():
                self._set(name, value)
            return
        self.operator.operate(signal, rests=self._stands)
        if isinstance(signal, kinds.EmergencyStop | kinds.Deactivate):
            self.pilot.stop()  # what was asked for is forgotten: a robot that is moved must not walk back

    @property
    def _stands(self) -> bool:
        """Whether it neither moves nor is about to."""
        pilot = self.pilot
        sequence, _ = pilot.motion.plan.at(self.time)
        idles = pilot.motion.plan.sequences[sequence].action is Action.IDLE
        return (pilot.rests(self.time) or idles) and not pilot.busy

    def _let_happen(self, signal: kinds.AnySignal) -> None:
        """Change the world around the robot."""
        if isinstance(self.sight, LedSight):
            self.sight.happened(signal)
        match signal:
            case kinds.PushBody(body=body, force=force, torque=torque, seconds=seconds):
                self._require_body(body)
                self.walker.push(Push(body, force, self.time, seconds, torque))
            case kinds.Load(body=body, mass=mass, at=at):
                self._require_body(body)
                self.walker.loads[body, at] = mass
            case kinds.Frame(slack=slack, on=on):
                self.walker.hang(slack if on else None)
            case kinds.Add():
                self.walker.put(added_object(signal))
            case kinds.Remove(object=name):
                self.walker.take_away(name)
            case kinds.Move() | kinds.Surface():
                for thing in changed_objects(signal, self.walker.scene):
                    self.walker.put(thing)

    def _obey(self, signal: kinds.AnySignal) -> None:
        """Do what the robot is told."""
        match signal:
            case kinds.Set(name=name, value=value):
                self._set(name, value)
            case kinds.Stop():
                self.pilot.stop()
            case _:
                order = requested(signal, self.pilot.settings)
                if isinstance(order, GoTo):
                    self._require_near(order.goal)
                    self._goal, self._looked = order.goal, -_NEVER
                self.pilot.tell(order)

    def _set(self, name: str, value: Any) -> None:
        self.pilot.settings = self.pilot.settings.changed(name, value)
        if self.pilot.settings.gains != self.walker.gains:
            self.walker.tune(self.pilot.settings.gains)

    def _require_near(self, goal: Goal | None, scene: Scene | None = None) -> None:
        """What is seen of level ground lies around start and goal: how much of it is believed in is bounded."""
        scene = scene or self.walker.scene
        if goal is None or not any(isinstance(each.shape, Plane) for each in scene.objects if each.visible):
            return
        start = np.zeros(3) if scene.start is None else scene.start.translation
        along, across = (
            abs(float(one) - float(two)) for one, two in zip((goal.x, goal.y), start[:2], strict=True)
        )
        if math.hypot(along, across) > _BELIEVED or (along + 2.0) * (across + 2.0) > _AREA:
            raise InvalidInput(
                f"the goal x = {goal.x:g} m, y = {goal.y:g} m is too far: goals are within {_BELIEVED:g} m of the "
                f"start, and the rectangle around both is at most {_AREA:g} m2; walk there by goals on the way"
            )

    def _require_body(self, name: str) -> None:
        known = [each.name for each in self.code.body.robot.bodies]
        if name not in known:
            raise UnknownName("body", name, known, f"robot {self.code.body.robot.name!r}")
