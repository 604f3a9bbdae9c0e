"""The planner of a live walk: a session that is given where the robot is, and answers what it shall do.

It is the session of a walk that is computed in one go, with the same pilot and the same sight; only its walker does not
walk: before it is asked, it is put where the robot is. So what it answers follows from what it was asked, wherever it
runs: in a process of its own, or in the one that replays a live walk.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.motion.motion import Motion
from footfall.walking import signals as kinds
from footfall.walking.live.perceived import Perceived, PerceivedBox
from footfall.walking.pilot import Coming, Pilot, PlanVersion
from footfall.walking.recorded import plan_data
from footfall.walking.request import WalkRequest
from footfall.walking.session import WalkSession
from footfall.walking.settings import PlanningParameters, WalkSettings
from footfall.walking.sight import Sight
from footfall.walking.step_ground import StepGround, unknown_ground
from footfall.walking.vision.led_sight import LedSight, arrivals_of
from footfall.walking.walker import Walker, WalkingCode

# Of answers, simulated s: the way to the planner and back takes two borders of the loop.
_DRIVE_LATENCY, _GOAL_LATENCY = 0.06, 0.4
_SLOWEST = 8.0  # times these latencies, of a planner whose plans are late
_VERSIONS = 16  # that an answer has: those that are new are among them
# What a pilot has decided; its motions, the surroundings and the robot go other ways.
_DECISIONS = (
    "order",
    "held",
    "driving",
    "problem",
    "_waiting",
    "_scanning",
    "_stopping",
    "_fresh",
    "_changed",
    "_failed",
    "_trial",
    "_urgent",
    "_hurried",
    "_retreating",
    "_retreats",
    "_moved",
)


class Snapshot(NamedTuple):
    """Where a robot is. period: of the controller. q: of all that moves in the simulated world, for cameras. believed:
    of the model. shift (3,): by which feet have landed beside the plan, m. catching: `CatchMemory.side` of
    the step by which it catches itself."""

    period: int
    q: Array
    believed: Array
    shift: Array
    catching: float


class Question(NamedTuple):
    """What a planner is asked: where the robot is, what it was told since the last question, and whether the last
    motion came too late."""

    snapshot: Snapshot
    signals: tuple[kinds.AnySignal, ...] = ()
    missed: bool = False


class Answer(NamedTuple):
    """What a planner answers. coming: a motion that is to be taken up, without the robot that it was made for. ground,
    walls: what the controller shall know of its surroundings. notes: times, names and data of events. decisions: of its
    pilot, by name. versions: the latest plans, the first of which has the number `first`. due: when it wants to be
    asked again, s. gave_up_at: the look at which it was made to give up. perceived: what vision told since the last
    answer. sees: whether vision tells it anything, if it is led."""

    coming: Coming | None
    ground: StepGround | None
    walls: Array
    notes: tuple[tuple[float, str, Mapping[str, Any]], ...]
    decisions: dict[str, Any]
    versions: tuple[PlanVersion, ...]
    first: int
    due: float
    gave_up_at: int | None = None
    perceived: tuple[Perceived, ...] = ()
    sees: bool = True


class Handover(NamedTuple):
    """What a new planner takes over at a time, s: the motion that is walked by, plans so far, decisions, settings, and
    what has happened to the scene."""

    time: float
    motion: Motion
    versions: tuple[PlanVersion, ...]
    decisions: dict[str, Any]
    settings: WalkSettings
    events: tuple[kinds.AnySignal, ...]


def live_settings(settings: WalkSettings) -> WalkSettings:
    """With latencies that a planner in another process keeps."""
    planning: PlanningParameters = msgspec.structs.replace(
        settings.planning, drive_latency_s=_DRIVE_LATENCY, goal_latency_s=_GOAL_LATENCY
    )
    return msgspec.structs.replace(settings, planning=planning)


def snapshot_of(walker: Walker) -> Snapshot:
    """Where the robot of a walker is."""
    state = walker.brain.state
    return Snapshot(
        walker.period,
        walker.arrays[0].q.copy(),
        state.q.copy(),
        np.array(state.body["plan_shift"][0]),
        float(state.catch["side"][0]),
    )


def put_at(walker: Walker, snapshot: Snapshot) -> None:
    """Put the robot of a walker that does not walk by itself somewhere."""
    state = walker.brain.state
    walker.period, walker.senses = snapshot.period, False
    walker.arrays[0].q[:] = snapshot.q
    state.q[:] = snapshot.believed
    state.body["plan_shift"][0] = snapshot.shift
    state.catch["side"][0] = snapshot.catching


def decisions_of(pilot: Pilot) -> dict[str, Any]:
    """What a pilot has decided, by name; lists are copies, also for who is in the same process."""
    found = {name: getattr(pilot, name) for name in _DECISIONS}
    return {name: copy(each) if isinstance(each, deque | list) else each for name, each in found.items()}


def decide(pilot: Pilot, decisions: Mapping[str, Any]) -> None:
    """Let a pilot have decided the same."""
    for name, value in decisions.items():
        setattr(pilot, name, value)


class PlannerSession(WalkSession):
    """A session whose robot walks elsewhere. gives_up: asked while it plans whether to give up, with the number of
    times that it was asked in this answer, which is the same in a replay. waits: whether time stands still while vision
    is asked."""

    def __init__(
        self,
        request: WalkRequest,
        *,
        code: WalkingCode | None = None,
        gives_up: Callable[[int], bool] = lambda looks: False,
        waits: bool = True,
    ) -> None:
        self._perceived, self._waits_for_vision = PerceivedBox(), waits
        # What it is told on the way comes with the questions.
        super().__init__(msgspec.structs.replace(request, signals=()), code=code, log_memory=0.0)
        self.pilot.settings = live_settings(self.pilot.settings)
        self._gives_up, self._looks = gives_up, 0
        self._gave_up_at: int | None = None
        self.pilot.cancelled = self._cancelled

    def _new_sight(self, asked: WalkRequest) -> Sight:
        if not asked.led:
            return super()._new_sight(asked)
        return LedSight(arrivals_of(asked, waits=self._waits_for_vision), keeper=self._perceived)

    def answer(self, question: Question) -> Answer:
        """Do what is due at the time of a question."""
        put_at(self.walker, question.snapshot)
        known, ground = len(self.happened), self.walker.ground
        self._gave_up_at, self._looks = None, 0
        if question.missed:
            self.pilot.miss()
            self.pilot.slowness = min(2.0 * self.pilot.slowness, _SLOWEST)
        for signal in question.signals:
            self._take(signal)
        self._serve()
        coming, state = self.pilot.coming, self.walker.brain.state
        if coming is not None:
            coming = coming._replace(motion=replace(coming.motion, body=None))
        first = max(0, len(self.pilot.versions) - _VERSIONS)
        notes = tuple(each for each in self.happened[known:] if each[1] not in ("signal", "plan"))
        del self.happened[known:], self.sent[:]
        return Answer(
            coming,
            None if self.walker.ground is ground else self.walker.ground,
            state.walls.copy(),
            notes,
            decisions_of(self.pilot),
            tuple(self.pilot.versions[first:]),
            first,
            self._due(),
            self._gave_up_at,
            self._perceived.take(),
            self._blind is None,
        )

    def take_over(self, handover: Handover) -> None:
        """Go on where another planner has ended."""
        if isinstance(self.sight, LedSight) and self.walker.period == 0:
            self.sight.arrivals.skip(handover.time)
        for event in handover.events:
            if not isinstance(event, kinds.PushBody | kinds.Load):
                self._let_happen(event)
        motion = replace(handover.motion, body=self.code.whole)
        self.walker.follow(motion)
        self.pilot.motion, self.pilot.versions = motion, list(handover.versions)
        self.pilot.settings, self.pilot.coming = handover.settings, None
        decide(self.pilot, handover.decisions)

    def _take_up(self) -> None:
        """Its loop has done so at the very period; a motion that begins now is for the loop to take up."""
        coming = self.pilot.coming
        if coming is None or coming.version.asked >= self.time - 1e-9:
            return
        coming = self.pilot.take_up(self.time)
        if coming is not None:
            self.pilot.slowness = max(0.5 * self.pilot.slowness, 1.0)
            self.walker.follow(coming.motion)
            self.walker.know_ground(unknown_ground())
            self._note("plan", plan_data(coming.version))

    def _due(self) -> float:
        """When something has to be done next, s."""
        planning = self.pilot.settings.planning
        return min(self.pilot.next_time(self.time), max(self._looked, 0.0) + planning.look_s, math.inf)

    @property
    def patience(self) -> float:
        """For how long a plan is of use, s; for ever if the robot rests."""
        pilot = self.pilot
        return math.inf if pilot.rests(self.time) else pilot.slowness * pilot.settings.planning.goal_latency_s

    def _cancelled(self) -> bool:
        self._looks += 1
        if self._gave_up_at is None and self._gives_up(self._looks):
            self._gave_up_at = self._looks
        return self._gave_up_at is not None
