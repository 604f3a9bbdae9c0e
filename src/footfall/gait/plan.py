"""The motion plan: a tree of sequences, transitions and phases, the language of planner, generator and controller.

Every part is an immutable value. A plan that is being executed is never changed: cutting, stopping and replanning give
new plans, and `PlanSlot` replaces one by the other in one go (Seiwald 2023).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Generic, Literal, TypeVar

from footfall.errors import InvalidInput, InvalidTransition, TooLate
from footfall.gait.poses import RobotPose

T = TypeVar("T")
Enforced = Literal["foot", "RH", "LH", "upper_body", "pose"]
ENFORCED: tuple[Enforced, ...] = ("foot", "RH", "LH", "upper_body", "pose")


class PhaseKind(Enum):
    """LOAD_SWITCH: nothing in task space moves, the load shifts. MOTION: something moves."""

    LOAD_SWITCH = "load switch"
    MOTION = "motion"


@dataclass(frozen=True)
class Phase:
    """Part of a transition; duration in s."""

    kind: PhaseKind
    duration: float


@dataclass(frozen=True)
class Transition:
    """From one pose to the next.

    duration: s, or None for the default of the generator. step_height: clearance of the swing foot, m, or None for the
    default. swing_timing: in [0, 1], from 0 (lift and advance together) to 1 (one after the other). enforced: what
    moves although begin and end are the same: "foot" (the swing foot), a hand, "upper_body", or "pose" (nothing moves,
    the pose is held for the duration of a motion phase). phases: one or two, once the generator has chosen them.
    """

    begin: RobotPose
    end: RobotPose
    duration: float | None = None
    step_height: float | None = None
    swing_timing: float = 0.0
    enforced: frozenset[Enforced] = frozenset()
    phases: tuple[Phase, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "enforced", frozenset(self.enforced))
        unknown = self.enforced - set(ENFORCED)
        if unknown:
            raise InvalidInput(f"enforced motion {sorted(unknown)[0]!r}; there are: {', '.join(ENFORCED)}")

    @cached_property
    def seconds(self) -> float:
        """Duration of its phases, s."""
        if not self.phases:
            raise InvalidInput("the transition has no phases yet: generate the motion first")
        return sum(phase.duration for phase in self.phases)


class Action(Enum):
    """What a sequence is for; says whether it may be replanned or stopped (Seiwald 2023)."""

    IDLE = "idle"
    STRAIGHT = "straight"
    STEPS = "steps"
    TELEOPERATED = "teleoperated"
    AUTONOMOUS = "autonomous"
    SPECIAL = "special"

    @property
    def replannable(self) -> bool:
        """Whether its future may be replaced while it runs."""
        return self in (Action.TELEOPERATED, Action.AUTONOMOUS)

    @property
    def stoppable(self) -> bool:
        """Whether it may be cut short by a closing step."""
        return self not in (Action.IDLE, Action.SPECIAL)


@dataclass(frozen=True)
class TransitionSequence:
    """Transitions of one action; it begins and ends at rest with both feet on the ground."""

    action: Action
    transitions: tuple[Transition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "transitions", tuple(self.transitions))
        if not self.transitions:
            raise InvalidInput(f"a sequence of action {self.action.value!r} has no transitions")
        for number, (before, after) in enumerate(
            zip(self.transitions[:-1], self.transitions[1:], strict=True), start=1
        ):
            # The stance foot is often given by identity: most transitions share the pose in between.
            if before.end is not after.begin and not before.end.equivalent(after.begin):
                raise InvalidTransition(
                    number, "its begin pose is not equivalent to the end pose of the one before"
                )

    @property
    def begin(self) -> RobotPose:
        """Pose before the first transition."""
        return self.transitions[0].begin

    @property
    def end(self) -> RobotPose:
        """Pose after the last transition."""
        return self.transitions[-1].end

    @property
    def seconds(self) -> float:
        """Duration of all transitions, s; they need phases."""
        return sum(transition.seconds for transition in self.transitions)


@dataclass(frozen=True)
class MotionPlan:
    """Sequences one after the other. begin_time: s, of the clock of whoever executes it."""

    sequences: tuple[TransitionSequence, ...]
    begin_time: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sequences", tuple(self.sequences))
        if not self.sequences:
            raise InvalidInput("a plan has no sequences; a robot that does nothing has an idle one")
        if not math.isfinite(self.begin_time):
            raise InvalidInput(f"a plan begins at {self.begin_time} s; that must be a finite number")
        for before, after in zip(self.sequences[:-1], self.sequences[1:], strict=True):
            if not before.end.equivalent(after.begin):
                raise InvalidInput(
                    f"the sequence of action {after.action.value!r} must begin with the pose in which the one "
                    "before ends"
                )

    @property
    def begin(self) -> RobotPose:
        """Pose before the first transition."""
        return self.sequences[0].begin

    @property
    def end(self) -> RobotPose:
        """Pose after the last transition."""
        return self.sequences[-1].end

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """All transitions in order."""
        return tuple(transition for sequence in self.sequences for transition in sequence.transitions)

    @property
    def poses(self) -> tuple[RobotPose, ...]:
        """The pose in which it begins, then that in which each transition ends."""
        transitions = self.transitions
        return (transitions[0].begin, *(transition.end for transition in transitions))

    @property
    def end_time(self) -> float:
        """When it ends, s; transitions need phases."""
        return self.begin_time + sum(sequence.seconds for sequence in self.sequences)

    def spans(self) -> Iterator[tuple[int, int, float, float]]:
        """Number of the sequence, number of the transition in it, begin and end, s, of every transition in order."""
        time = self.begin_time
        for first, sequence in enumerate(self.sequences):
            for second, transition in enumerate(sequence.transitions):
                end = time + transition.seconds
                yield first, second, time, end
                time = end

    def at(self, time: float) -> tuple[int, int]:
        """Number of the sequence and of the transition in it that run at a time, s; the first or last outside."""
        found = (0, 0)
        for first, second, begin, _ in self.spans():
            if begin > time:
                break
            found = first, second
        return found


def cut_back(sequence: TransitionSequence, last: int) -> TransitionSequence:
    """The sequence up to and with transition number `last`."""
    if not 0 <= last < len(sequence.transitions):
        raise InvalidInput(
            f"no transition {last} to cut behind; the sequence has {len(sequence.transitions)}"
        )
    return replace(sequence, transitions=sequence.transitions[: last + 1])


def cut_front(plan: MotionPlan, now: float) -> MotionPlan:
    """The plan without the transitions that have ended before `now`, s; it begins when the running one began."""
    first, second = plan.at(now)
    begin = next(start for a, b, start, _ in plan.spans() if (a, b) == (first, second))
    running = plan.sequences[first]
    kept = replace(running, transitions=running.transitions[second:])
    return MotionPlan((kept, *plan.sequences[first + 1 :]), begin)


class PlanSlot(Generic[T]):
    """Holds the current plan for readers and one planner: a new plan takes its place in one go.

    Readers get a whole plan, old or new, and need no lock: the value itself never changes.
    """

    def __init__(self, plan: T) -> None:
        self._plan = plan
        self._lock = threading.Lock()

    @property
    def current(self) -> T:
        """The plan that holds now."""
        return self._plan

    def replace(self, new: T, *, of: T) -> None:
        """Put `new` in the place of `of`; refused if that is no longer the current plan."""
        with self._lock:
            if self._plan is not of:
                raise TooLate(
                    "the plan has been replaced by another one meanwhile; plan again from the current"
                )
            self._plan = new
