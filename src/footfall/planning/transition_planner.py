"""From an action to transitions: what a robot shall do, as poses one after the other (Seiwald 2023, section 5.4).

Actions are values: `Stand`, `WalkStraight`, `FollowSteps`, `FollowFile`, `Teleoperate`, `GoTo`, `Perform`. Each makes
the transitions of one sequence from a pose and a context, which does not change while it is planned with. All but
special motions go through walking transitions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from footfall.compiler.making_time import running_seconds
from footfall.environment.model import Environment
from footfall.errors import InvalidInput, NoPath, UnknownName
from footfall.gait import actions
from footfall.gait.plan import Action, MotionPlan, TransitionSequence
from footfall.gait.plan_file import build_plan, read_plan_description
from footfall.gait.poses import Foot, RobotPose
from footfall.gait.walking_transitions import GaitDimensions, WalkingTransition, walking_sequence
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.replanning import continuation, replan
from footfall.planning.contacts import Goal
from footfall.planning.parameters import PlannerParameters
from footfall.planning.planner import plan_contacts
from footfall.planning.teleoperation import STEPS_AHEAD, VelocityCommand, commanded_steps, first_foot

SPECIAL = ("bow", "look_around", "one_leg", "wave", "balance")
_REMEMBERED = 5  # runs of each action, for the prediction of the next
_MARGIN = 1.2  # of that prediction


@dataclass(frozen=True)
class PlanningContext:
    """What planning works on: a snapshot of what the robot knows. parameters: by default those of the robot's size."""

    model: ReducedModel
    environment: Environment = field(default_factory=Environment)
    parameters: PlannerParameters | None = None

    @property
    def dimensions(self) -> GaitDimensions:
        """What walking must know of the robot."""
        return gait_dimensions(self.model)


class Request(Protocol):
    """What a robot is asked for."""

    @property
    def action(self) -> Action:
        """Its type, which says whether it may be replanned or stopped."""

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """Its transitions from a pose. walking: the robot is on its way, so that the swing foot of the pose is next."""


@dataclass(frozen=True)
class Stand:
    """Do nothing, s."""

    duration: float = 1.0
    action: Action = field(default=Action.IDLE, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """One transition at rest."""
        return actions.idle(begin, duration=self.duration)


@dataclass(frozen=True)
class WalkStraight:
    """Walk straight ahead, m; backward if negative. shortest, longest, gradient: of the steps, as for `straight`."""

    distance: float
    shortest: float = 0.1
    longest: float = 0.4
    gradient: float = 0.1
    action: Action = field(default=Action.STRAIGHT, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """Steps that ramp up and down."""
        steps = actions.straight(
            self.distance, shortest=self.shortest, longest=self.longest, gradient=self.gradient
        )
        return walking_sequence(steps, begin, context.dimensions, action=self.action)


@dataclass(frozen=True)
class FollowSteps:
    """Make given steps. first_swing: foot that moves first, by default the swing foot of the pose."""

    steps: tuple[WalkingTransition, ...]
    first_swing: Foot | None = None
    action: Action = field(default=Action.STEPS, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """The steps as they are."""
        first = None if walking else self.first_swing
        return walking_sequence(self.steps, begin, context.dimensions, first_swing=first, action=self.action)


@dataclass(frozen=True)
class FollowFile:
    """Play a plan file, or a shipped plan by its name; it must be of one walk."""

    source: Path | str
    action: Action = field(default=Action.STEPS, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """The only sequence of the file."""
        plan = build_plan(read_plan_description(self.source), context.dimensions, begin=begin)
        if len(plan.sequences) != 1:
            raise InvalidInput(
                f"{self.source} has {len(plan.sequences)} sequences; an action has one: load it with `load_plan`"
            )
        return replace(plan.sequences[0], action=self.action)


@dataclass(frozen=True)
class Teleoperate:
    """Walk as an operator commands; plan again with every new command. steps: planned ahead before it comes to rest."""

    command: VelocityCommand
    steps: int = STEPS_AHEAD
    action: Action = field(default=Action.TELEOPERATED, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """Steps on level ground, without hands."""
        moving = begin.swing if walking else first_foot(self.command, begin)
        steps = commanded_steps(
            self.command, moving, context.parameters, count=self.steps, model=context.model
        )
        return walking_sequence(
            steps, begin, context.dimensions, first_swing=moving if steps else None, action=self.action
        )


@dataclass(frozen=True)
class GoTo:
    """Walk to a goal through the environment. horizon: steps that are planned at most, None for the whole way."""

    goal: Goal
    horizon: int | None = None
    action: Action = field(default=Action.AUTONOMOUS, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """Steps and hand contacts that the planner finds; `NoPath` says what closes the way."""
        found = plan_contacts(
            context.environment,
            context.model,
            self.goal,
            start=begin,
            parameters=context.parameters,
            horizon=self.horizon,
        )
        if found.motion_plan is None or not found.found:
            reason = "there is none" if found.why_not is None else found.why_not.text
            raise NoPath(f"no way to ({self.goal.x:g}, {self.goal.y:g}): {reason}", found)
        return found.motion_plan.sequences[0]


@dataclass(frozen=True)
class Perform:
    """A motion that is no gait: bow, look_around, one_leg, wave or balance. options: those of the functions of
    `footfall.gait`, `hold=3.0` say."""

    motion: Literal["bow", "look_around", "one_leg", "wave", "balance"]
    options: Mapping[str, Any] = field(default_factory=dict)
    action: Action = field(default=Action.SPECIAL, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """Poses, held and left again."""
        match self.motion:
            case "bow":
                return actions.bow(begin, **self.options)
            case "look_around":
                return actions.look_around(begin, **self.options)
            case "one_leg":
                return actions.stand_on_one_leg(begin, **self.options)
            case "wave":
                return actions.wave(begin, **self.options)
            case "balance":
                return actions.balance(begin, context.dimensions, **self.options)
        raise UnknownName("special motion", str(self.motion), SPECIAL)


class TransitionPlanner:
    """Plans one action after the other, and learns how long each kind takes.

    context: what it plans with; put a new one in its place when the robot has seen more.
    """

    def __init__(self, context: PlanningContext) -> None:
        self.context = context
        self._seconds: dict[Action, deque[float]] = {}

    def plan(self, request: Request, begin: RobotPose, *, walking: bool = False) -> TransitionSequence:
        """The sequence of an action from a pose."""
        before = running_seconds()
        sequence = request.sequence(begin, self.context, walking=walking)
        taken = self._seconds.setdefault(request.action, deque(maxlen=_REMEMBERED))
        taken.append(running_seconds() - before)
        return sequence

    def predicted(self, action: Action) -> float:
        """How long planning an action will take, s of CPU time without making native code: the slowest of the last
        runs and a fifth more; 0 before the first."""
        return _MARGIN * max(self._seconds.get(action, (0.0,)))

    def begin(self, request: Request, pose: RobotPose, *, begin_time: float = 0.0) -> Motion:
        """The motion of an action from rest."""
        plan = MotionPlan((self.plan(request, pose),), begin_time)
        return generate_motion(plan, self.context.model)

    def change(self, motion: Motion, now: float, request: Request, *, spare: float = 0.005) -> Motion:
        """A running motion with another future: what runs when planning will be done is finished first.

        now: s. spare: s for the motion itself beside the predicted planning. Refused if the running sequence may not
        be replanned; what is refused leaves the motion as it is.
        """
        first, _ = motion.plan.at(now)
        running = motion.plan.sequences[first].action
        if not running.replannable:
            raise InvalidInput(
                f"a sequence of action {running.value!r} runs, which is not replanned; stop it or wait for its end"
            )
        at = continuation(motion, now, run_time=self.predicted(request.action) + spare)
        sequence = self.plan(request, at.pose, walking=True)
        return replan(motion, at, sequence.transitions)
