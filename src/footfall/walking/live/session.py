"""A walk whose planner runs beside its control loop.

Every ten periods the loop looks around, which costs it microseconds: it takes what it was told, gives the planner a
snapshot if there is something to decide, and takes its answer if that is there. A motion is taken up at the very period
that it was planned for; one that came later than that is left, and planned anew. All that depends on how fast a machine
is are the times at which answers are there, and these are signals of the walk: with them it replays to the same bits.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from footfall.errors import InvalidInput, PeerGone
from footfall.motion.replanning import continuation, stop_after
from footfall.planning.transition_planner import GoTo
from footfall.walking import signals as told
from footfall.walking.live.planner import (
    Answer,
    Handover,
    Question,
    decide,
    decisions_of,
    live_settings,
    snapshot_of,
)
from footfall.walking.live.ports import InlinePlanner, PlannerPort
from footfall.walking.log import LOG_MEMORY
from footfall.walking.pilot import STOP
from footfall.walking.recorded import plan_data
from footfall.walking.request import WalkRequest
from footfall.walking.session import WalkSession
from footfall.walking.signal_effects import requested
from footfall.walking.step_ground import unknown_ground
from footfall.walking.walker import WalkingCode

BORDER = 10  # periods between two looks at what came from outside


class LiveSession(WalkSession):
    """A session that never waits for its planner.

    request: one that is `live`. planner: how it is reached; by default it runs in this process, when its answers are
    wanted, as in a replay. late: plans that came too late to be walked.
    """

    def __init__(
        self,
        request: WalkRequest,
        *,
        planner: PlannerPort | None = None,
        code: WalkingCode | None = None,
        log_every: int = 1,
        log_memory: float = LOG_MEMORY,
    ) -> None:
        if not request.live:
            raise InvalidInput("the request is not live; a WalkSession walks it")
        super().__init__(request, code=code, log_every=log_every, log_memory=log_memory)
        self.pilot.settings = live_settings(self.pilot.settings)
        answered = [each for each in self._signals if isinstance(each, told.COURSE)]
        self._signals = [each for each in self._signals if not isinstance(each, told.COURSE)]
        self._course = deque(answered)  # of the walk that is replayed
        self._replayed = bool(answered)
        self.planner = InlinePlanner(request, self.code) if planner is None else planner
        self.late = self.lost = 0
        self.inlet: Callable[[WalkSession], None] | None = None  # who brings what others say, at every border
        self.planner_up = True
        self._asked = -math.inf  # s, when the question was asked that has no answer yet
        self._waits = False  # for an answer
        self._due = 0.0  # s, when the planner wants to be asked
        self._for_planner: list[told.AnySignal] = []
        self._missed = False
        self._rehearse()

    @property
    def resting(self) -> bool:
        """Whether the robot stands and has nothing left to do."""
        return super().resting and not self._waits and not self._for_planner

    def close(self) -> None:
        """End the planner."""
        self.planner.close()

    def _rehearse(self) -> None:
        """Make what a stop needs, so that it is there at once."""
        motion = self.pilot.motion
        if motion.duration > 0.0 and len(motion.given.transitions) > 2:
            stop_after(motion, continuation(motion, motion.begin_time, run_time=0.0))

    # What is done at a border

    def _next_stop(self, end: float) -> float:
        self._serve()
        walker, period = self.walker, self.walker.gains.period
        border = (walker.period // BORDER + 1) * BORDER * period
        times = [border, end]
        if self.pilot.coming is not None:
            times.append(self.pilot.coming.version.ready)
        times += (each[0].time for each in (self._signals, self._course) if each)
        return max(min(times), walker.time + period)

    def _serve(self) -> None:
        if self.inlet is not None:
            self.inlet(self)
        while self._signals and self._signals[0].time <= self.time + 1e-9:
            self._take(self._signals.pop(0))
        self._take_up()
        try:
            self._receive()
            self._ask()
        except PeerGone as problem:
            self._lose_planner(str(problem))
        self._replace_planner()

    def _receive(self) -> None:
        """Take the planner's answer if it is there, or was there when the walk that is replayed was here."""
        if not self._waits or not self.planner_up:
            return
        cancelled = False
        if self._replayed:
            if not self._course or self._course[0].time > self.time + 1e-9:
                return
            event = self._course[0]
            if not isinstance(event, told.Served):
                if isinstance(event, told.PlannerLost):
                    raise PeerGone("the planner's process has ended")
                return
            self._course.popleft()
            cancelled = event.cancelled
            if isinstance(self.planner, InlinePlanner):
                self.planner.gives_up = cancelled
        answer = self.planner.answer()
        if answer is None:
            return
        self._waits = False
        self.sent.append(told.Served(time=self.time, cancelled=answer.cancelled))
        self._apply(answer)

    def _apply(self, answer: Answer) -> None:
        pilot, state = self.pilot, self.walker.brain.state
        state.walls[:] = answer.walls
        if answer.ground is not None:
            self.walker.know_ground(answer.ground)
        decide(pilot, answer.decisions)
        pilot.versions += answer.versions[max(len(pilot.versions) - answer.first, 0) :]
        self.happened += answer.notes
        self._due = answer.due
        coming = answer.coming
        if coming is None or (
            pilot.coming is not None and pilot.coming.version.ready == coming.version.ready
        ):
            return
        if coming.version.ready < self.time - 1e-9:
            self.late += 1
            self._missed = True
            self._note("late plan", {"about": coming.version.about, "ready": coming.version.ready})
            return
        pilot.coming = coming._replace(motion=replace(coming.motion, body=self.code.whole))
        self._take_up()  # it may be for now

    def _take_up(self) -> None:
        coming = self.pilot.take_up(self.time)
        if coming is None:
            return
        self.walker.brain.state.body["plan_shift"][0] -= coming.shift
        self.walker.follow(coming.motion)
        self.walker.know_ground(unknown_ground())
        self._note("plan", plan_data(coming.version))

    def _ask(self) -> None:
        """Ask the planner if something is due, and it has answered all that it was asked."""
        if self._waits or not self.planner_up:
            return
        period = self.walker.gains.period
        due = self.time >= self._due - 1e-9 and self.walker.period % BORDER == 0
        if not (self._for_planner or self._missed or due) or self.time < self._asked + 0.5 * period:
            return
        question = Question(snapshot_of(self.walker), tuple(self._for_planner), self._missed)
        self._for_planner, self._missed = [], False
        self._waits, self._asked = True, self.time
        self.planner.ask(question)

    # What signals do

    def _take(self, signal: told.AnySignal) -> None:
        super()._take(signal)
        self._for_planner.append(signal)
        if isinstance(signal, told.Stop) and self._waits:
            self.planner.cancel()

    def _obey(self, signal: told.AnySignal) -> None:
        """What is wrong with a signal is said at once; the planner obeys it."""
        if not self.planner_up and not isinstance(signal, told.Stop | told.Set):
            raise InvalidInput(
                "the planner is gone and its successor not there yet; the robot stands until then"
            )
        match signal:
            case told.Set(name=name, value=value):
                self._set(name, value)
            case told.Stop():
                pass
            case _:
                order = requested(signal, self.pilot.settings)
                if isinstance(order, GoTo):
                    self._goal = order.goal

    # A planner that dies

    def _lose_planner(self, problem: str) -> None:
        """The robot comes to rest by itself, and another planner is started."""
        self.lost += 1
        self.planner_up = self._waits = False
        if self._course and isinstance(self._course[0], told.PlannerLost):
            self._course.popleft()
        self.sent.append(told.PlannerLost(time=self.time))
        self._note("planner lost", {"problem": problem})
        self._for_planner.clear()
        self._missed = False
        pilot = self.pilot
        if pilot.coming is not None and pilot.coming.version.about != STOP:
            pilot.coming = None
        pilot.stop()
        pilot.think(self.time, self._shift)
        self._tell_followers()

    def _replace_planner(self) -> None:
        if self.planner_up:
            return
        if self._replayed and (
            not self._course
            or not isinstance(self._course[0], told.PlannerBack)
            or self._course[0].time > self.time + 1e-9
        ):
            return
        if self.pilot.coming is not None or not self.planner.replace(self._handover()):
            return
        if self._replayed:
            self._course.popleft()
        self.planner_up, self._due = True, self.time
        self.sent.append(told.PlannerBack(time=self.time))
        self._note("planner back", {})
        self._tell_followers()

    def _handover(self) -> Handover:
        pilot = self.pilot
        events = tuple(each for each in self.sent if isinstance(each, told.EVENTS))
        motion = replace(pilot.motion, body=None)
        return Handover(motion, tuple(pilot.versions), decisions_of(pilot), pilot.settings, events)


def session_for(request: WalkRequest, **options: Any) -> WalkSession:
    """The session that walks a request, live ones with a planner in this process."""
    return LiveSession(request, **options) if request.live else WalkSession(request, **options)
