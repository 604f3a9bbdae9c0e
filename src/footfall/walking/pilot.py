"""The pilot: turns signals into motions while the robot walks, a few steps ahead, and changes them when it must.

A plan always ends at rest. What runs when a new plan will be there is finished; the rest is replaced without a jump
(Seiwald 2023, sections 2.7 and 5.4). How long planning takes is a number of simulated seconds, so that a walk does not
depend on the machine; how long it really took is kept beside it.
"""

from __future__ import annotations

import math
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.making_time import running_seconds
from footfall.environment.model import Environment
from footfall.environment.sampling import sample_footprints
from footfall.errors import FootfallError, InvalidInput, InvalidTransition, MotionWarning, NoPath
from footfall.gait.moved import moved_pose, moved_sequence
from footfall.gait.plan import Action, MotionPlan, TransitionSequence
from footfall.gait.poses import HANDS, Hand, RobotPose, mean_foot_frame
from footfall.gait.walking_transitions import closing_transitions
from footfall.math.transform import Transform, identity_transform
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.replanning import Continuation, continuation, displaced, replan, stop_after
from footfall.motion.set_down import earliest_stop, stop_at_once
from footfall.motion.whole_body import WholeBody
from footfall.planning.contacts import Goal, PlannedContacts
from footfall.planning.parameters import PlannerParameters
from footfall.planning.teleoperation import VelocityCommand, clipped_command
from footfall.planning.transition_planner import GoTo, Perform, PlanningContext, Request, Teleoperate
from footfall.walking.arrival import distance, middle_of
from footfall.walking.changed_way import way_changed
from footfall.walking.retreat import StepBack, stands_on_known_ground
from footfall.walking.routes import passing_near, plan_way, wider_search
from footfall.walking.settings import WalkSettings

_AT_GOAL, _ALIGNED = 0.1, 0.15  # m and rad: so near a plan ends at its goal
_SHIFTED = 1e-4  # m: the plan is displaced if feet have landed farther from it
_ENDING = 2  # transitions that bring a walk to rest: a closing step and the last shift of load
_NEARER, _LEAST = 0.3, 0.4  # m, by which goals on unseen ground are taken back, and that is walked at least
_SEEN_BORDER = 0.15  # m, to all sides of a goal, of which the ground must be known
_TRIES = 4  # plans for a goal that fail one after the other, before no more is hoped for
_NEAR_STEPS = 4  # in which the body may pass near things, if there are no others
_RETREATS, _SAME_PLACE = 3, 1.0  # how often it steps back within m, before it says that there is no way
_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)  # of a change of velocity that are tried
_DRIFTED, _TURNED = 0.01, 0.01  # m and rad: a plan takes more drift than this into account
_ASTRAY, _TURNED_ASTRAY = (
    0.02,
    0.015,
)  # m and rad: plans that are farther off where the robot is are made again
_SCAN, _SCAN_HOLD = 0.6, 0.4  # rad to both sides and s, of a head that looks around before the robot walks
_PAUSE = 0.1  # s, between two plans from rest
_SAME_POINT = 1e-6  # m
STOP = "stop"  # what a plan is for that brings the robot to rest


@dataclass(frozen=True)
class PlanVersion:
    """A plan that was followed. asked, ready, begins: when it was asked for, taken up, and when its own steps begin, s.
    about: what it is for. poses: in which its transitions end, beginning with the one it goes on from. milliseconds:
    of CPU time that planning really took, without making native code. problem: why it is none, if it is none.
    warnings: of the motion generator."""

    number: int
    asked: float
    ready: float
    begins: float
    about: str
    poses: tuple[RobotPose, ...] = ()
    milliseconds: float = 0.0
    problem: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def late(self) -> bool:
        """Whether planning really took longer than the walk simulates."""
        return self.milliseconds > 1e3 * (self.ready - self.asked)


class Trial(Enum):
    """What is tried from rest: to plan, to plan on more of the map, to step back, to plan a few steps in which the body
    may pass near things between stances, and find out what closes the way if there are none, nothing."""

    PLAN = "plan"
    WIDER = "wider"
    RETREAT = "retreat"
    LAST = "last"
    NONE = "none"


Make = Callable[[TransitionSequence], Motion]  # a motion of steps, if there is one


class Coming(NamedTuple):
    """A motion that will be taken up at a time, s. shift (3,): by which the plan is displaced, m."""

    motion: Motion
    shift: Array
    version: PlanVersion


class Pilot:
    """What a robot does now, and what it does next.

    motion: the one it follows. order: what it does until it is told otherwise, drive or come to a goal. environment:
    what it believes. settings: may be replaced while it walks.
    """

    def __init__(self, model: ReducedModel, whole: WholeBody, settings: WalkSettings, motion: Motion) -> None:
        self.model, self.whole, self.settings, self.motion = model, whole, settings, motion
        self.order: Teleoperate | GoTo | None = None
        self.environment = Environment()
        self.coming: Coming | None = None
        self.versions: list[PlanVersion] = []
        self.driving = VelocityCommand()  # the commanded velocity, as far as steps can do it
        self.way, self.walking = 0.0, 0.0  # m, of the middle between the feet, and s that it took
        self.drift = (
            identity_transform()
        )  # in the plane, from where things are to where it believes them to be
        self.seeing = False  # whether it may see more by itself while it walks
        self.wide = False  # whether the way to the goal leads beyond the usual map
        self.problem: str | None = None  # why there is no plan for what was asked for last
        self.held: GoTo | None = None  # what it goes on with when it sees again
        self._planned_drift = identity_transform()  # that the plan takes into account
        self._waiting: deque[Request] = deque()  # that begin at rest
        self._stopping = False
        self._fresh = False  # the order is new, or the surroundings are
        self._changed = -math.inf  # s, when the plan was last changed because of the surroundings
        self._failed = 0
        self._trial = Trial.PLAN  # what is tried next from rest, after a plan was refused
        self._urgent = False  # something came, moved or went beside the plan
        self._retreating = False  # the motion leads back from something
        self._retreats: list[Goal] = []  # where it has stepped back
        self._moved = -math.inf  # s, when the surroundings were last seen to change
        self._counted = motion.begin_time  # s, until when the way is summed up
        self._last: PlannedContacts | None = None  # plan to a goal, which knows the way
        self._kept_hands: tuple[Hand, ...] = ()  # that stay where they are in the plan that is made
        self._scanning = False  # what waits comes before the order
        self._at_once = False  # the stop that is asked for begins in the running step
        self._hurried = False  # the stop that is coming sets the foot in the air down earlier
        self.cancelled: Callable[[], bool] | None = None  # asked while it plans whether to give up
        self.slowness = 1.0  # times the usual latencies, that planning takes now

    # What it is told

    def tell(self, request: Request) -> None:
        """Do something from now on. Motions that begin at rest wait for it, one after the other."""
        if isinstance(request, GoTo) and self.held is not None:
            self.held = request
            return
        self.held = None
        if isinstance(request, Teleoperate | GoTo):
            if not self._scanning:
                self._waiting.clear()
            self._stopping = isinstance(request, Teleoperate) and request.command.stands
            self.order, self._fresh = (None if self._stopping else request), True
            self._changed, self.wide = -math.inf, False
            self._retreats.clear()
            self._hope()
            return
        self._stopping = self.order is not None or self._stopping
        self.order = None
        self._waiting.append(request)

    def stop(self, *, at_once: bool = False) -> None:
        """Come to rest, and forget what was asked for. at_once: from the running step on, not from its landing on."""
        self._at_once, self._scanning = at_once, False
        self._waiting.clear()
        self.order, self._stopping, self.held = None, True, None
        self._hope()

    def pause(self) -> None:
        """Come to rest from the running step on, and go on from there with what was asked for."""
        self._at_once = self._stopping = True

    def scan(self) -> None:
        """Look around with the head before anything else is done."""
        for pan in (_SCAN, -_SCAN):
            self._waiting.append(Perform("look_around", {"pan": pan, "hold": _SCAN_HOLD}))
        self._scanning = True

    def hold(self) -> None:
        """Come to rest since nothing is seen any more, and keep in mind where to go."""
        order, scanning, waiting = self.order, self._scanning, tuple(self._waiting)
        if isinstance(order, GoTo):
            self.stop()
            self.held, self._scanning = order, scanning
            self._waiting.extend(waiting if scanning else ())

    def resume(self) -> None:
        """It sees again: go on with what was held."""
        order, self.held = self.held, None
        if order is not None:
            self.tell(order)

    def give_up(self, problem: str) -> None:
        """What was held will not be gone on with."""
        self.held, self.problem = None, problem

    def locate(self, drift: Transform) -> None:
        """Take the map to lie at `drift` in the world of the plan. A plan to a goal is made again if it ends elsewhere
        in the map than it was to."""
        self.drift = drift
        end, _ = mean_foot_frame(*self.motion.given.end.feet)
        planned, found = self._planned_drift.inverse(), drift.inverse()
        away = float(np.hypot(*(planned.apply(end) - found.apply(end))[:2]))
        turned = math.remainder(_turn(planned) - _turn(found), 2.0 * math.pi)
        if isinstance(self.order, GoTo) and (away > _ASTRAY or abs(turned) > _TURNED_ASTRAY):
            self._fresh, self._planned_drift = True, drift

    def see(self, environment: Environment, *, now: float = -math.inf) -> None:
        """Believe in other surroundings from now on; a way to a goal is planned again: at once if something came, moved
        or went beside the plan. now: s."""
        poses = tuple(self._in_map(pose) for pose in self.motion.given.poses)
        if way_changed(self.environment, environment, poses):
            self._last = None  # what it knows of the way would mislead
            self._urgent = True
        self.environment, self._moved = environment, now
        if not self.seeing:
            self._trial = Trial.PLAN
        self._fresh = self._fresh or isinstance(self.order, GoTo)

    def _hope(self) -> None:
        """Forget that there was no plan."""
        self.problem, self._failed, self._trial = None, 0, Trial.PLAN

    def begin(
        self,
        goal: Goal | None,
        milliseconds: float,
        environment: Environment,
        contacts: PlannedContacts | None,
    ) -> None:
        """With the motion that it has, which leads to a goal or towards it, if there is one and it knows of its
        surroundings. milliseconds: that planning took. contacts: what the planner found, if it was asked."""
        self.environment, self._last = environment, contacts
        poses, start = self.motion.given.poses, self.motion.begin_time
        about = "stand" if len(poses) < 3 else "follow steps"
        if goal is not None:
            self.order = GoTo(goal)
            about = about_request(self.order)
            self._fresh = environment.version == 0
        self.versions.append(PlanVersion(0, start, start, start, about, poses, milliseconds))

    # What it knows of itself

    @property
    def hopeful(self) -> bool:
        """Whether it waits for a way to be found: until too many plans for what was asked for last have failed."""
        return self.seeing and self._failed < _TRIES

    @property
    def busy(self) -> bool:
        """Whether there is something left to do, besides the motion that it follows."""
        going = self.order is not None and not self.arrives and self._trial is not Trial.NONE
        return bool(self._waiting) or self.coming is not None or going or self.held is not None

    def waits(self, now: float) -> bool:
        """Whether it goes on looking although it has found no way: while things move."""
        patience = self.settings.planning.patience_s
        return self._trial is Trial.NONE and not self.seeing and now < self._moved + patience - 1e-9

    @property
    def arrives(self) -> bool:
        """Whether the motion ends where it should."""
        if not isinstance(self.order, GoTo):
            return False
        return is_at(self._in_map(self.motion.given.end), self.order.goal)

    def rests(self, now: float) -> bool:
        """Whether the motion is over."""
        return now >= self.motion.end_time - 1e-9

    def next_time(self, now: float) -> float:
        """When something may have to be done next, s."""
        if self.coming is not None:
            return self.coming.version.ready
        again = now + _PAUSE if self._failed and self.busy else math.inf
        times = (self._extend_at(), self.motion.end_time, self._again_at(), again)
        return min((time for time in times if time > now + 1e-9), default=math.inf)

    def _again_at(self) -> float:
        """When the surroundings are next taken notice of, s."""
        if not self._fresh:
            return math.inf
        return self._changed if self._urgent else self._changed + self.settings.planning.replan_s

    def _extend_at(self) -> float:
        """When more steps are planned, s: while there are enough left."""
        if self.order is None or self.arrives or self._retreating or (self._failed and not self._fresh):
            return math.inf
        spans = list(self.motion.plan.spans())
        ahead = self._ahead() // 2
        begin = spans[max(len(spans) - _ENDING - ahead, 0)][2]
        # Not again and again for a plan that is shorter than that.
        return max(begin, self._changed + self.settings.planning.replan_s)

    def _ahead(self) -> int:
        planning = self.settings.planning
        return planning.drive_steps if isinstance(self.order, Teleoperate) else planning.goal_steps

    # What it does

    def take_up(self, now: float) -> Coming | None:
        """The motion that is followed from now on, if there is a new one."""
        coming = self.coming
        if coming is None or now < coming.version.ready - 1e-9:
            return None
        self.count_way(now)
        self.coming, self.motion, self._hurried = None, coming.motion, False
        self.versions.append(coming.version)
        return coming

    def miss(self) -> None:
        """The motion that was coming is too late to be taken up: what it was for is planned again."""
        coming, self.coming = self.coming, None
        if coming is not None and coming.version.about == STOP:
            self._stopping = True
        elif coming is not None:
            self._fresh, self._changed = True, -math.inf

    def count_way(self, until: float) -> None:
        """Sum up the steps that have ended by a time, s."""
        for first, second, begin, end in self.motion.plan.spans():
            action = self.motion.given.sequences[first].action
            if self._counted < end <= until + 1e-9 and action not in (Action.IDLE, Action.SPECIAL):
                self.walking += end - begin
                each = self.motion.given.sequences[first].transitions[second]
                before, after = (mean_foot_frame(*pose.feet)[0] for pose in (each.begin, each.end))
                self.way += math.hypot(*(after - before)[:2])
        self._counted = max(self._counted, until)

    def think(self, now: float, shift: Array) -> None:
        """Plan if that is due. shift (3,): by which the feet have landed beside the plan, m."""
        if self.coming is not None:
            return
        if self.rests(now):
            self._stopping = self._retreating = False
            self.driving = VelocityCommand()
            order = self._next_order(now)
            if order is not None:
                self._attempt(order, now, None, shift)
            return
        first, _ = self.motion.plan.at(now)
        running = self.motion.plan.sequences[first].action
        if self._stopping or (self.order is not None and not running.replannable):
            self._stopping = False
            if running.stoppable:
                self._stop(now, shift, urgent=self._hurried)
            return
        due = now >= self._extend_at() - 1e-9 or now >= self._again_at() - 1e-9
        if self.order is not None and due and not self._retreating:
            latency = self._latency(self.order)
            if self.motion.end_time <= now + latency + 1e-6:
                return  # it begins again from rest
            at = continuation(self.motion, now, run_time=latency)
            ending = len(self.motion.plan.sequences[at.sequence].transitions) - 1 - _ENDING
            if not (self.arrives and at.transition >= ending):  # else it has only to close its feet
                self._attempt(self.order, now, at, shift)

    def _next_order(self, now: float) -> Request | None:
        """What is planned from rest. What was refused on the way is planned again: the plan that failed began after the
        step that ran then. What is refused from rest is searched for more widely, then from some steps back."""
        self._scanning = self._scanning and bool(self._waiting)
        if self.order is None or self._scanning:
            return self._waiting.popleft() if self._waiting else None
        if self.arrives:
            return None
        paused = now >= self._changed + _PAUSE - 1e-9
        if self._trial is Trial.RETREAT:
            return StepBack() if paused else None
        if not self._failed or now >= self._again_at() - 1e-9:
            return self.order
        return self.order if paused and not self._fresh and self._trial is not Trial.NONE else None

    def _may_retreat(self) -> bool:
        """Whether it has not stepped back too often around here."""
        here = middle_of(self.motion.given.end)
        return sum(distance(each, here).away < _SAME_PLACE for each in self._retreats) < _RETREATS

    def _latency(self, order: Request) -> float:
        planning = self.settings.planning
        usual = planning.goal_latency_s if isinstance(order, GoTo) else planning.drive_latency_s
        return self.slowness * usual

    def _attempt(self, order: Request, now: float, at: Continuation | None, shift: Array) -> None:
        """Plan for an order from rest, or from where a motion can be continued."""
        begin, ready = running_seconds(), now + self._latency(order)
        self._fresh = self._urgent = False
        clipped: tuple[str, ...] = ()
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always", MotionWarning)
                motion, moved = self._displaced(shift)
                if isinstance(order, Teleoperate):
                    sequence, planned, clipped = self._driven(
                        order, motion, now, ready, walking=at is not None
                    )
                else:
                    sequence, planned = self._planned(order, motion, now, ready, walking=at is not None)
        except FootfallError as problem:
            if isinstance(order, Teleoperate) and at is not None:
                # No change of velocity can be walked now: it comes to rest, and goes on from there.
                self._changed, self._fresh = now, True
                self._stop(now, shift)
                return
            if self._gives_up():
                # No refusal: it was not searched to the end. At rest there is time for that.
                self._changed, self._fresh = now, True
                if at is not None:
                    self._stop(now, shift, urgent=isinstance(order, GoTo))
                return
            self._refused(order, now, problem, resting=at is None)
            if at is not None:  # the plan that it has may lead into something
                self._stop(now, shift, urgent=isinstance(order, GoTo))
            return
        self._hope()
        self._changed, self._retreating = now, isinstance(order, StepBack)
        if self._retreating:
            self._retreats.append(middle_of(self.motion.given.end))
        version = PlanVersion(
            len(self.versions),
            now,
            ready,
            ready if at is None else at.time,
            about_request(order),
            (sequence.begin, *(each.end for each in sequence.transitions)),
            1e3 * (running_seconds() - begin),
            warnings=(*clipped, *(str(each.message) for each in warned)),
        )
        self.coming = Coming(planned, moved, version)

    def _driven(
        self, order: Teleoperate, motion: Motion, now: float, ready: float, *, walking: bool
    ) -> tuple[TransitionSequence, Motion, tuple[str, ...]]:
        """Steps of a velocity that is as near to the commanded one as can be walked now, their motion, and what was
        clipped. Feet can do only so much of a change in a step: the rest comes with the next plan."""
        wanted = clipped_command(order.command, self.settings.planner)
        before = self.driving if walking else VelocityCommand()
        problem: FootfallError | None = None
        for share in _SHARES:
            command = before.towards(wanted, share)
            if command.stands:
                continue
            try:
                made = self._planned(replace(order, command=command), motion, now, ready, walking=walking)
            except InvalidTransition as refused:
                problem = problem or refused
                continue
            self.driving = command
            self._fresh = command != wanted
            notes = () if command == order.command else (f"clipped to {command}",)
            return *made, notes
        raise problem or InvalidInput(f"no steps for {order.command}")

    def _planned(
        self, order: Request, motion: Motion, now: float, ready: float, *, walking: bool
    ) -> tuple[TransitionSequence, Motion]:
        """The transitions of an order and the motion that has them, from rest or on the way."""
        at = continuation(motion, now, run_time=ready - now) if walking else None
        drift = self._noticed_drift(order)
        self._planned_drift = self.drift
        made: list[tuple[TransitionSequence, TransitionSequence, Motion]] = []

        def make(sequence: TransitionSequence) -> Motion:
            own = moved_sequence(sequence, drift) if drift is not None else sequence
            for hand in hands_used(sequence):
                self.whole.arm(hand)
            if at is not None:
                found = replan(motion, at, own.transitions, action=own.action)
            else:
                plan = MotionPlan((own,), ready)
                found = generate_motion(plan, self.model, parameters=self.settings.motion, body=self.whole)
            made[:] = [(sequence, own, found)]
            return found

        pose = motion.given.end if at is None else at.pose
        self._kept_hands = () if at is None else hands_that_stay(motion, at)
        pose = pose if drift is None else moved_pose(pose, drift.inverse())
        sequence = self._sequence(order, pose, make, walking=walking)
        if not made or made[0][0] != sequence:  # else the planner has asked for it already
            make(sequence)
        _, own, found = made[0]
        return own, found

    def _noticed_drift(self, order: Request) -> Transform | None:
        """From where things are to where the robot believes them to be, if that makes a difference to an order: it
        plans among what it sees, from where it sees itself."""
        return self.drift if self._astray and isinstance(order, GoTo | StepBack) else None

    @property
    def _astray(self) -> bool:
        """Whether it is not where it believes to be, as far as it notices."""
        way = math.hypot(*self.drift.translation[:2])
        return way > _DRIFTED or abs(_turn(self.drift)) > _TURNED

    def _refused(self, order: Request, now: float, problem: FootfallError, *, resting: bool) -> None:
        """There is no plan."""
        self._failed, self._changed = self._failed + 1, now
        if not isinstance(order, StepBack):
            self.problem = str(problem)
        self._trial = self._next_trial(order) if resting else Trial.PLAN
        version = PlanVersion(len(self.versions), now, now, now, about_request(order), problem=str(problem))
        self.versions.append(version)

    def _next_trial(self, order: Request) -> Trial:
        """What to try after an order was refused from rest."""
        if self.hopeful and not isinstance(order, StepBack):
            return Trial.PLAN
        if not isinstance(order, GoTo | StepBack):
            return Trial.NONE
        if self._trial is Trial.PLAN:
            return Trial.WIDER
        if self._trial is Trial.WIDER and self._may_retreat():
            return Trial.RETREAT
        return Trial.NONE if self._trial is Trial.LAST else Trial.LAST

    def _stop(self, now: float, shift: Array, *, urgent: bool = False) -> None:
        """Come to rest. urgent: the foot in the air is set down earlier, if the ground there is known."""
        latency = self.settings.planning.drive_latency_s
        ready, self._hurried = now + latency, False
        if self.motion.end_time <= ready + 1e-6:
            return
        motion, moved = self._displaced(shift)
        self.driving = VelocityCommand()
        stopped = earliest_stop(motion, ready, self._knows) if urgent else None
        if stopped is None and self._at_once:
            stopped = stop_at_once(motion, ready)
        begins = ready
        if stopped is None:
            at = continuation(motion, now, run_time=latency)
            stopped, begins = stop_after(motion, at), at.time
        if stopped is motion:
            return  # it comes to rest already
        version = PlanVersion(len(self.versions), now, ready, begins, STOP, stopped.given.poses)
        self._hurried = urgent
        self.coming = Coming(stopped, moved, version)

    def _knows(self, pose: RobotPose) -> bool:
        """Whether the ground below the foot that was put down last is known and level."""
        foot = self._in_map(pose).stance_foot
        return stands_on_known_ground([foot], self.environment, self.model, self.settings.planner)

    def _in_map(self, pose: RobotPose) -> RobotPose:
        """A pose of the plan where it is among what the robot sees."""
        return moved_pose(pose, self.drift.inverse()) if self._astray else pose

    def _displaced(self, shift: Array) -> tuple[Motion, Array]:
        """The motion where the feet really are, with the parameters that hold now."""
        motion = replace(self.motion, parameters=self.settings.motion)
        if float(np.hypot(*shift[:2])) < _SHIFTED:
            return motion, np.zeros(3)
        by = np.array([shift[0], shift[1], 0.0])
        return displaced(motion, by), by

    def _sequence(self, order: Request, pose: RobotPose, make: Make, *, walking: bool) -> TransitionSequence:
        """The transitions of an order, of which a motion can be made."""
        if isinstance(order, GoTo):
            return self._way_to(order.goal, pose, make)
        context = PlanningContext(self.model, self.environment, self.settings.planner)
        return order.sequence(pose, context, walking=walking)

    def _way_to(self, goal: Goal, pose: RobotPose, make: Make) -> TransitionSequence:
        """Steps to a goal, or as far towards it as the ground has been seen."""
        middle, _ = mean_foot_frame(*pose.feet)
        away = math.hypot(goal.x - middle[0], goal.y - middle[1])
        if is_at(pose, goal):
            closing = closing_transitions(pose, gait_dimensions(self.model))
            return TransitionSequence(Action.AUTONOMOUS, tuple(closing))
        if not self.hopeful:
            return self._way(goal, pose, away, make)
        problem: NoPath | None = None
        heading = math.atan2(goal.y - middle[1], goal.x - middle[0])
        for nearer in np.arange(0.0, max(away - _LEAST, 1e-9), _NEARER).tolist():
            aim = goal
            if nearer > 0.0:
                x, y = goal.x - nearer * math.cos(heading), goal.y - nearer * math.sin(heading)
                aim = Goal(x, y, heading)
                if not self._is_known(aim):
                    continue
            try:
                return self._way(aim, pose, away - nearer, make)
            except NoPath as refused:
                problem = problem or refused
        raise problem or NoPath(f"no way to x = {goal.x:g} m, y = {goal.y:g} m")

    def _is_known(self, goal: Goal) -> bool:
        """Whether the ground around a goal has been seen well enough to stand on."""
        place, half = np.array([[goal.x, goal.y, goal.yaw]]), np.full(2, _SEEN_BORDER)
        found = sample_footprints(self.environment.terrain, place, lower=-half, upper=half)
        return bool(found.confidence[0] >= self.settings.planner.foothold.least_confidence)

    def _gives_up(self) -> bool:
        return self.cancelled is not None and self.cancelled()

    def _way(self, goal: Goal, pose: RobotPose, away: float, make: Make) -> TransitionSequence:
        planning, parameters = self.settings.planning, self.settings.planner
        if self._gives_up():
            raise NoPath("planning was stopped")
        if self.wide or self._trial is Trial.WIDER:
            parameters = wider_search(parameters)
        horizon = planning.goal_steps if away > planning.far_m else None

        def steps(rules: PlannerParameters, most: int | None, *, explained: bool) -> TransitionSequence:
            way = plan_way(
                self.environment,
                self.model,
                goal,
                rules,
                start=pose,
                horizon=most,
                explained=explained,
                previous=self._last,
                accepts=make,
                kept_hands=self._kept_hands,
                cancelled=self.cancelled,
            )
            self._last, self.wide = way.contacts, self.wide or self._trial is Trial.WIDER
            return way.sequence

        if self._trial is Trial.LAST:
            # A robot that stands aslant in a door takes none of the ways on which its body keeps all of its room.
            with suppress(NoPath):
                return steps(passing_near(parameters), _NEAR_STEPS, explained=False)
        return steps(parameters, horizon, explained=self._trial is Trial.LAST)


def _turn(drift: Transform) -> float:
    return math.atan2(drift.rotation[1, 0], drift.rotation[0, 0])


def hands_that_stay(motion: Motion, at: Continuation) -> tuple[Hand, ...]:
    """Hands that a motion keeps where they are during the step after a continuation."""
    running = motion.plan.sequences[at.sequence].transitions
    if at.transition + 1 >= len(running):
        return ()
    now, later = (running[at.transition + k].end for k in range(2))
    pairs = ((name, now.hand(name), later.hand(name)) for name in HANDS)
    return tuple(
        name
        for name, one, other in pairs
        if one.closed and other.closed and math.dist(one.position, other.position) < _SAME_POINT
    )


def hands_used(sequence: TransitionSequence) -> Iterator[Hand]:
    """Hands that some pose of a sequence puts somewhere."""
    for number, hand in enumerate(HANDS):
        if any(each.end.hands[number].task_space for each in sequence.transitions):
            yield hand


def is_at(pose: RobotPose, goal: Goal) -> bool:
    """Whether the middle between the feet is at a goal."""
    off = distance(middle_of(pose), goal)
    return off.away < _AT_GOAL and abs(off.turned) < _ALIGNED and off.same_storey


def about_request(request: Request) -> str:
    """What a request is, in a few words."""
    match request:
        case GoTo(goal=goal):
            return f"walk to {goal.x:.2f}, {goal.y:.2f} m, {math.degrees(goal.yaw):.0f} degrees"
        case Teleoperate(command=command):
            return f"drive {command.forward:.2f}, {command.left:.2f} m/s, {command.turn:.2f} rad/s"
        case StepBack():
            return "step back"
    return {Action.STRAIGHT: "walk", Action.STEPS: "follow steps", Action.SPECIAL: "perform"}.get(
        request.action, request.action.value
    )
