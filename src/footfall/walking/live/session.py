"""A walk whose planner runs beside its control loop.

Every ten periods the session looks around: it takes what it was told, gives the planner a snapshot if there is
something to decide, and takes its answer if that is there. In real time it does so beside the loop, which runs on
natively in a thread of its own (`footfall.walking.live.control`). A motion is taken up at the very period that it was
planned for; one that came later than that is left, and planned anew. All that depends on how fast a machine is are the
times of questions and answers, and these are signals of the walk: with them it replays to the same bits.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from footfall.arrays import Array
from footfall.errors import InvalidInput, PeerGone
from footfall.motion.replanning import continuation, stop_after
from footfall.planning.transition_planner import GoTo
from footfall.walking import signals as kinds
from footfall.walking.live.control import ControlThread
from footfall.walking.live.perceived import PerceptionWriter
from footfall.walking.live.planner import (
    Answer,
    Handover,
    Question,
    Snapshot,
    decide,
    decisions_of,
    live_settings,
    snapshot_of,
)
from footfall.walking.live.ports import InlinePlanner, PlannerPort
from footfall.walking.log import LOG_MEMORY
from footfall.walking.mailbox import BORDER
from footfall.walking.pilot import STOP, Coming
from footfall.walking.plan_sampling import plan_table
from footfall.walking.recorded import plan_data
from footfall.walking.request import WalkRequest
from footfall.walking.session import WalkSession
from footfall.walking.sight import Sight
from footfall.walking.signal_effects import requested
from footfall.walking.step_ground import StepGround, unknown_ground
from footfall.walking.vision.led_sight import LedSight, NoArrivals
from footfall.walking.walker import WalkingCode

_SILENCE = 1.0  # s, for which a walking robot waits for its planner's answer
_HANGS = 20.0  # s, after which a planner that was told to give up, and says nothing, counts as gone


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
        self._control: ControlThread | None = None  # that walks beside this
        super().__init__(request, code=code, log_every=log_every, log_memory=log_memory)
        self.pilot.settings = live_settings(self.pilot.settings)
        answered = [each for each in self._signals if isinstance(each, kinds.COURSE)]
        self._signals = [each for each in self._signals if not isinstance(each, kinds.COURSE)]
        self._course = deque(answered)  # of the walk that is replayed
        self._replayed = bool(answered)
        self.planner = InlinePlanner(request, self.code) if planner is None else planner
        self.sees = True  # whether vision tells the planner anything, if it is led
        self._perception = PerceptionWriter(request)
        self.followers.append(self._perception)
        self.late = self.lost = 0
        self.inlet: Callable[[WalkSession], None] | None = None  # who brings what others say, at every border
        self.planner_up = True
        self._asked = -math.inf  # s, when the question was asked that has no answer yet
        self._waits = False  # for an answer
        self._cancelled = math.inf  # s, when the planner was told to give up what it was asked last
        self._later: deque[_Surroundings] = deque()  # that the controller is told of in a replay
        self._at = 0  # the period that it has come to then, as far as this knows
        self._placed: Snapshot | None = None  # of that period
        self._due = 0.0  # s, when the planner wants to be asked
        self._taken = -math.inf  # s, when the latest motion was taken up
        self._for_planner: list[kinds.AnySignal] = []
        # Orders that the planner was told of with its last question.
        self._unanswered: list[kinds.AnySignal] = []
        # Whether a planner may make something of what was asked for: none has died of that yet.
        self._hopes = True
        self._missed = False
        self._halting: kinds.Halted | None = None  # it shall stop by itself, and does not yet
        self._halted = -math.inf  # s, when it planned by itself how to stop
        self._uninformed = False  # the planner does not know of that yet
        self._rehearse()

    @property
    def resting(self) -> bool:
        """Whether the robot stands and has nothing left to do."""
        return super().resting and not (self._waits or self._for_planner or self._halting is not None)

    @property
    def _stands(self) -> bool:
        """Nor has the planner still to say what it makes of an order."""
        return super()._stands and not self._orders

    @property
    def _orders(self) -> list[kinds.AnySignal]:
        """What the robot was told to do, and nobody has answered."""
        return [*self._unanswered, *_orders_of(self._for_planner)]

    def close(self) -> None:
        """End the planner, and finish the file of what vision told."""
        self.planner.close()
        self._perception.close()

    def _new_sight(self, asked: WalkRequest) -> Sight:
        """The planner sees; what leads it is not asked twice."""
        return LedSight(NoArrivals("the planner is led")) if asked.led else super()._new_sight(asked)

    def _rehearse(self) -> None:
        """Make what a stop needs, so that it is there at once."""
        motion = self.pilot.motion
        if motion.duration > 0.0 and len(motion.given.transitions) > 2:
            stop_after(motion, continuation(motion, motion.begin_time, run_time=0.0))

    # Beside the loop

    @property
    def time(self) -> float:
        """s; of the border that it looks at, while the loop runs beside it."""
        return self.walker.time if self._control is None else self._at * self.walker.gains.period

    def walk_beside(self, control: ControlThread | None) -> None:
        """Let a thread walk, and look at what it does from now on by `look`; None ends that."""
        self._at, self._placed, self._control = self.walker.period, None, control

    def look(self, first: Callable[[float], None] | None = None) -> None:
        """Do what is due at the last border of the loop, if there is a new one. first: called with its time, s."""
        assert self._control is not None
        placed = self._control.placed()
        if placed.period <= self._at:
            return
        self._at = placed.period
        self._placed = Snapshot(*placed)
        if first is not None:
            first(self.time)
        self._serve()

    @contextmanager
    def _standing(self) -> Iterator[None]:
        """The loop stands, and this is where it is."""
        if self._control is None:
            yield
            return
        with self._control.standing() as walker:
            self._at, self._placed = walker.period, None
            self._take_up()
            yield

    @property
    def snapshot(self) -> Snapshot:
        """Where the robot was at the last border that this looked at."""
        return snapshot_of(self.walker) if self._placed is None else self._placed

    # What is done at a border

    def _next_stop(self, end: float) -> float:
        self._serve()
        walker, period = self.walker, self.walker.gains.period
        border = (walker.period // BORDER + 1) * BORDER * period
        times = [border, end]
        if self.pilot.coming is not None:
            times.append(self._period_of(self.pilot.coming) * period)
        times += (each[0].time for each in (self._signals, self._course) if each)
        times += (each.time for each in self._later)
        answered = self._next_answer()
        if answered is not None:
            times.append(answered.asked)
        return max(min(time for time in times if time > walker.time + 0.5 * period), walker.time + period)

    def _serve(self) -> None:
        while self._later and self._later[0].time <= self.time + 1e-9:
            _, walls, ground = self._later.popleft()
            self._know(walls, ground)
        self._take_up()
        if self.inlet is not None:
            self.inlet(self)
        while self._signals and self._signals[0].time <= self.time + 1e-9:
            signal = self._signals.pop(0)
            if self._control is not None:  # it comes as late as it is looked at
                signal = msgspec.structs.replace(signal, time=self.time)
            self._take(signal)
        try:
            self._watch_planner()
            self._halt_if_due()
            self._receive()
            self._halt_if_due()  # it may have been late
            self._ask()
        except PeerGone as problem:
            self._lose_planner(str(problem))
        self._replace_planner()

    def _receive(self) -> None:
        """Take the planner's answer if it is there, or was there when the walk that is replayed was here."""
        event = self._event()
        if isinstance(event, kinds.PlannerLost):
            raise PeerGone("the planner's process has ended")
        if not self._waits or not self.planner_up or (self._replayed and not isinstance(event, kinds.Served)):
            return
        if isinstance(event, kinds.Served):
            self._course.popleft()
            if isinstance(self.planner, InlinePlanner):
                self.planner.gives_up_at = event.looks if event.cancelled else None
        answer = self.planner.answer()
        if answer is None:
            return
        self._waits, self.sees = False, answer.sees
        self._perception.put(answer.perceived)
        served = event if isinstance(event, kinds.Served) else None
        holds = self._tell(answer, served)
        late = False
        orders, self._unanswered = self._unanswered, []
        if self._asked < self._halted:  # about what the robot does no more; its orders hold all the same
            self._for_planner[:0] = orders
        else:
            decide(self.pilot, answer.decisions)
            self.pilot.versions += answer.versions[max(len(self.pilot.versions) - answer.first, 0) :]
            self.happened += answer.notes
            self._due = answer.due
            late = self._expect(answer.coming, served)
        self.sent.append(
            kinds.Served(
                time=self.time,
                asked=self._asked,
                holds=holds,
                late=late,
                cancelled=answer.gave_up_at is not None,
                looks=answer.gave_up_at or 0,
            )
        )

    def _next_answer(self) -> kinds.Served | None:
        """Of the walk that is replayed."""
        return next((each for each in self._course if isinstance(each, kinds.Served)), None)

    def _event(self) -> kinds.AnySignal | None:
        """What happened here in the walk that is replayed, if anything did."""
        if not self._course or self._course[0].time > self.time + 1e-9:
            return None
        return self._course[0]

    def _tell(self, answer: Answer, served: kinds.Served | None) -> float:
        """Let the controller know of the surroundings; gives the time from which on it does, s."""
        if self._control is not None:
            period = self._control.put_surroundings(answer.walls, answer.ground)
            return max(period * self.walker.gains.period, self.time)
        if served is not None and served.holds > self.time + 1e-9:
            self._later.append(_Surroundings(served.holds, answer.walls, answer.ground))
            return served.holds
        self._know(answer.walls, answer.ground)
        return self.time

    def _know(self, walls: Array, ground: StepGround | None) -> None:
        self.walker.brain.state.walls[:] = walls
        if ground is not None:
            self.walker.know_ground(ground)

    def _expect(self, coming: Coming | None, served: kinds.Served | None) -> bool:
        """Let the motion that an answer has be taken up at its time; whether that is too late."""
        pilot = self.pilot
        if coming is None or (
            pilot.coming is not None and pilot.coming.version.ready == coming.version.ready
        ):
            return False
        taken = (
            coming.version.ready == self._taken
        )  # since the planner was asked: for it that still has to come
        late = coming.version.ready < self.time - 1e-9 and not taken if served is None else served.late
        if taken and not late:
            return False
        if not late and self._control is not None:
            late = not self._hand_over(coming)
        if late:
            self.late += 1
            self._missed = True
            self._note("late plan", {"about": coming.version.about, "ready": coming.version.ready})
            if coming.version.about == STOP or isinstance(pilot.order, GoTo):
                self._pause()
            return True
        pilot.coming = coming._replace(motion=replace(coming.motion, body=self.code.whole))
        self._hopes = True
        self._take_up()  # it may be for now
        return False

    def _hand_over(self, coming: Coming) -> bool:
        """Put a motion into the loop's box; whether it is there in time."""
        assert self._control is not None
        return self._control.put_plan(plan_table(coming.motion), coming.shift, self._period_of(coming))

    def _period_of(self, coming: Coming) -> int:
        """At which a motion is taken up."""
        return math.ceil(coming.version.ready / self.walker.gains.period - 1e-6)

    def _take_up(self) -> None:
        coming = self.pilot.coming
        if coming is None or self.time < coming.version.ready - 1e-9:
            return
        self.pilot.take_up(coming.version.ready)
        self._taken = coming.version.ready
        if self._control is None:
            self.walker.brain.state.body["plan_shift"][0] -= coming.shift
            self.walker.follow(coming.motion)
            self.walker.know_ground(unknown_ground())
        else:  # it has taken it by itself
            self.walker.motion = coming.motion
        self.happened.append((coming.version.ready, "plan", plan_data(coming.version)))

    def _ask(self) -> None:
        """Ask the planner if something is due, and it has answered all that it was asked."""
        if self._waits or not self.planner_up or (self._uninformed and self.pilot.coming is not None):
            return
        if self._replayed:
            event = self._next_answer()
            if event is None or abs(event.asked - self.time) > 1e-9:
                return
        elif not self._wants_to_ask():
            return
        snapshot = snapshot_of(self.walker) if self._placed is None else self._placed
        question = Question(snapshot, tuple(self._for_planner), self._missed)
        self._unanswered = _orders_of(self._for_planner)
        self._for_planner, self._missed = [], False
        self._waits, self._asked, self._cancelled = True, self.time, math.inf
        if self._uninformed:
            self._uninformed = False
            self.planner.inform(self._handover(events=()))
        self.planner.ask(question)

    def _wants_to_ask(self) -> bool:
        if self._control is not None and self._placed is None:
            return False  # nobody knows where the robot is now
        period = self.walker.period if self._placed is None else self._placed.period
        due = self.time >= self._due - 1e-9 and period % BORDER == 0
        wanted = bool(self._for_planner) or self._missed or due
        return wanted and self.time >= self._asked + 0.5 * self.walker.gains.period

    # What signals do

    def _take(self, signal: kinds.AnySignal) -> None:
        if self._control is not None and self._changes_loop(signal):
            with self._standing():
                signal = msgspec.structs.replace(signal, time=self.time)
                super()._take(signal)
        else:
            super()._take(signal)
        if not isinstance(signal, kinds.Stop | kinds.EmergencyStop | kinds.Deactivate):
            if not isinstance(signal, kinds.OPERATOR):  # the loop alone knows of these
                self._for_planner.append(signal)
                self._hopes = self._hopes or bool(_orders_of([signal]))
            return
        # What it was told to do before is forgotten, what has changed is not.
        self._for_planner = [one for one in self._for_planner if isinstance(one, (kinds.Set, *kinds.EVENTS))]
        self._unanswered = []
        self._halting = kinds.Halted(time=self.time)
        if self._waits:
            self._cancel()

    def _cancel(self) -> None:
        """Let the planner give up what it was asked."""
        self.planner.cancel()
        self._cancelled = min(self._cancelled, self.time)

    def _changes_loop(self, signal: kinds.AnySignal) -> bool:
        """Whether it does something that the loop does not take from its boxes."""
        if isinstance(signal, kinds.Set):
            return self.pilot.settings.changed(signal.name, signal.value).gains != self.walker.gains
        return isinstance(signal, (*kinds.EVENTS, *kinds.OPERATOR))

    def _obey(self, signal: kinds.AnySignal) -> None:
        """What is wrong with a signal is said at once; the planner obeys it."""
        if not self.planner_up and not isinstance(signal, kinds.Stop | kinds.Set):
            raise InvalidInput(
                "the planner is gone and its successor not there yet; the robot stands until then"
            )
        match signal:
            case kinds.Set(name=name, value=value):
                self._set(name, value)
            case kinds.Stop():
                pass
            case _:
                order = requested(signal, self.pilot.settings)
                if isinstance(order, GoTo):
                    self._require_near(order.goal)
                    self._goal = order.goal

    # It stops by itself: no search for a way is waited for

    def _pause(self) -> None:
        """Stop a robot that walks where it may no longer go, and let it go on from there."""
        if not (self._replayed or self._halting is not None or self.pilot.rests(self.time)):
            self._halting = kinds.Halted(time=self.time, keeps=True)

    def _watch_planner(self) -> None:
        """Who hears nothing from its planner does not walk on; one that does not even give up gets a successor."""
        waited, stops = self.time - self._asked, self._halted > self._asked
        if self._replayed or not self._waits:
            return
        if self.time > self._cancelled + _HANGS:
            raise PeerGone(f"the planner was told to give up {_HANGS:g} s ago, and says nothing")
        if waited > _SILENCE and not (stops or self.pilot.rests(self.time)):
            self._note("planner silent", {"seconds": waited})
            self._cancel()
            self._pause()

    def _halt_if_due(self) -> None:
        halt = self._halting
        if self._replayed:
            event = self._event()
            if not isinstance(event, kinds.Halted):
                return
            self._course.popleft()
            halt = event
        if halt is None:
            return
        if self._control is None or not self._halt_beside(halt):
            with self._standing():
                self._drop_plan()
                self._plan_stop(halt)
        self._halting, self._uninformed = None, True
        self._missed = self._missed and halt.keeps
        self._halted = self._due = self.time
        self.sent.append(msgspec.structs.replace(halt, time=self.time))

    def _halt_beside(self, halt: kinds.Halted) -> bool:
        """Stop while the loop runs on; False if that is too near to what it does next."""
        if self._placed is None:
            return False
        assert self._control is not None
        pilot, before = self.pilot, self.pilot.coming
        pilot.coming = before if before is not None and before.version.about == STOP else None
        self._think_of_stopping(halt, self._placed.shift)
        if pilot.coming is before or (
            (before is None or self._control.take_plan_back())
            and (pilot.coming is None or self._hand_over(pilot.coming))
        ):
            return True
        pilot.coming = before
        return False

    def _think_of_stopping(self, halt: kinds.Halted, shift: Array) -> None:
        if halt.keeps:
            self.pilot.pause()
            if self.pilot.rests(self.time):
                return  # what it does next is for its planner
        else:
            self.pilot.stop(at_once=True)
        self.pilot.think(self.time, shift)

    def _drop_plan(self) -> None:
        """Forget the plan that was to come, unless it stops the robot; the loop stands."""
        coming = self.pilot.coming
        if coming is not None and coming.version.about != STOP:
            self.pilot.coming = None
            if self._control is not None:
                self._control.take_plan_back()

    def _plan_stop(self, halt: kinds.Halted) -> None:
        """Plan how to come to rest; the loop stands."""
        before = self.pilot.coming
        self._think_of_stopping(halt, self._shift)
        coming = self.pilot.coming
        if self._control is not None and coming is not None and coming is not before:
            self._hand_over(coming)

    # A planner that dies

    def _lose_planner(self, problem: str) -> None:
        """The robot comes to rest by itself, and another planner is started. It goes on to a goal, unless a second
        planner dies on the way there before it has planned anything; velocities and motions are forgotten."""
        with self._standing():
            self.lost += 1
            asked = self._orders
            latest = asked[-1] if asked else self.pilot.order or self.pilot.held
            goes_on = self._hopes and isinstance(latest, kinds.WalkTo | GoTo)
            self.planner_up = self._waits = False
            if isinstance(self._event(), kinds.PlannerLost):
                self._course.popleft()
            self.sent.append(kinds.PlannerLost(time=self.time))
            self._note("planner lost", {"problem": problem})
            self._for_planner, self._unanswered = asked[-1:] if goes_on else [], []
            self._missed = self._uninformed = self._hopes = False
            self._drop_plan()
            self._plan_stop(kinds.Halted(time=self.time, keeps=goes_on))
        self._tell_followers()

    def _replace_planner(self) -> None:
        if self.planner_up:
            return
        if self._replayed and (
            not self._course
            or not isinstance(self._course[0], kinds.PlannerBack)
            or self._course[0].time > self.time + 1e-9
        ):
            return
        events = tuple(each for each in self.sent if isinstance(each, kinds.EVENTS))
        if self.pilot.coming is not None or not self.planner.replace(self._handover(events)):
            return
        if self._replayed:
            self._course.popleft()
        self.planner_up, self._due = True, self.time
        self.sent.append(kinds.PlannerBack(time=self.time))
        self._note("planner back", {})
        self._tell_followers()

    def _handover(self, events: tuple[kinds.AnySignal, ...]) -> Handover:
        pilot = self.pilot
        motion = replace(pilot.motion, body=None)
        return Handover(self.time, motion, tuple(pilot.versions), decisions_of(pilot), pilot.settings, events)


def _orders_of(signals: list[kinds.AnySignal]) -> list[kinds.AnySignal]:
    """What the robot is told to do; what happens around it and what is set is no order."""
    return [each for each in signals if not isinstance(each, (kinds.Set, *kinds.EVENTS))]


class _Surroundings(NamedTuple):
    """That the controller knows from a time on, s."""

    time: float
    walls: Array
    ground: StepGround | None


def session_for(request: WalkRequest, **options: Any) -> WalkSession:
    """The session that walks a request, live ones with a planner in this process."""
    return LiveSession(request, **options) if request.live else WalkSession(request, **options)
