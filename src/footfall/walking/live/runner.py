"""A live walk paced to real time: threads, priorities and what is measured."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from footfall.walking.clock import Counted, Level, Timing, clear_clock, start_clock, timing
from footfall.walking.live.commands import CommandServer
from footfall.walking.live.control import ControlThread, schedule
from footfall.walking.live.session import LiveSession
from footfall.walking.mailbox import BORDER
from footfall.walking.session import Follower
from footfall.walking.walker import Walker

_WATCH, _WRITER = (
    20,
    10,
)  # real-time priorities of what looks after the loop, and of what writes down what it does
_SWITCH = 2e-4  # s, after which a thread of Python gives way to another
_WRITING = 0.1  # s, between two looks at whether there is something to write
_COLLECTING = 100  # of them between two collections of garbage
_FOREVER = 1e9  # s
_AFTER = 200_000  # ns after a border, when its snapshot is there


class Deadlines(NamedTuple):
    """How a live walk kept its times. levels: by name, us. periods: that were walked; missed: that ended after the next
    one was due, stalls: in how many stretches they came; slipped: how often the walk was behind by 0.1 s and let that
    time go. late_plans: that came too late; lost_planners: that died."""

    levels: dict[str, Timing]
    periods: int
    missed: int
    stalls: int
    slipped: int
    late_plans: int
    lost_planners: int


class _Writer(Follower):
    """Followers of a session in a thread of their own: the loop only says that there is news."""

    def __init__(self, session: LiveSession) -> None:
        self.session, self.followers = session, list(session.followers)
        self.problem: Exception | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="live walk writer", daemon=True)

    def start(self, priority: int | None) -> None:
        self.session.followers[:] = []
        self._priority = priority
        self._thread.start()

    def finish(self) -> None:
        self._ending.set()
        self._thread.join()
        self.session.followers[:] = self.followers
        if self.problem is not None:
            raise self.problem

    def follow(self, session: object) -> None:
        """Write what is new."""
        for each in self.followers:
            each.follow(self.session)

    def _run(self) -> None:
        if self._priority is not None:
            schedule(self._priority)
        rounds = 0
        while not self._ending.wait(_WRITING):
            rounds += 1
            try:
                self.session.walker.have_log()
                self.session.tally()
                self.follow(self.session)
            except Exception as problem:  # a full disk ends the writing, not the walk
                self.problem = problem
                return
            if rounds % _COLLECTING == 0:
                gc.collect()


def run_live(
    session: LiveSession,
    *,
    seconds: float | None = None,
    ended: Callable[[], bool] = lambda: False,
    commands: CommandServer | None = None,
    priority: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Deadlines:
    """Walk in real time until something ends it: `seconds` are over, the robot has fallen, `ended` says so, or, without
    commands from outside, all is done. priority: ask the system for real-time priority; raises if it refuses."""
    walker = session.walker
    session.run(walker.gains.period)  # what is made of the first period is native code
    end = float("inf") if seconds is None else session.time + seconds
    session.inlet = None if commands is None else commands.serve
    writer = _Writer(session)
    clear_clock(walker.brain.clock)
    control = ControlThread(walker, until=min(end, _FOREVER), priority=priority)
    with _undisturbed(priority=priority):
        writer.start(_WRITER if priority else None)
        session.walk_beside(control)
        control.start()
        try:
            while not control.over and not ended():
                session.look(progress)
                if commands is None and seconds is None and session.resting:
                    break
                _sleep_to_border(walker)
        finally:
            try:
                control.finish()
            finally:
                session.walk_beside(None)
                session.inlet = None
                session.computing += 1e-6 * float(walker.brain.clock.sums[Level.PERIOD, 1])
                writer.finish()
    return deadlines(session)


def _sleep_to_border(walker: Walker) -> None:
    """Until the next border is over, or a moment if the clock does not run yet."""
    clock = walker.brain.clock
    due = int(clock.start[0]) + (walker.period // BORDER + 1) * BORDER * int(clock.pace[0]) + _AFTER
    time.sleep(min(max(1e-9 * (due - time.monotonic_ns()), 1e-4), 0.02))


def deadlines(session: LiveSession) -> Deadlines:
    """What the clock of a live walk has counted."""
    clock = session.walker.brain.clock
    counts = clock.counts
    return Deadlines(
        {level.name.lower(): timing(clock, level) for level in Level},
        int(counts[Counted.PERIODS]),
        int(counts[Counted.MISSED]),
        int(counts[Counted.STALLS]),
        int(counts[Counted.SLIPPED]),
        session.late,
        session.lost,
    )


class EmptyLoop(NamedTuple):
    """What the machine itself costs. lateness: by which periods of a loop that does nothing begin, us. late: that began
    so late that nothing could have been done in time."""

    lateness: Timing
    late: int


def empty_loop(periods: int, period: float = 1e-3, *, work: float = 0.0) -> EmptyLoop:
    """How late the periods of a loop that does nothing begin. work: s of a period that another loop takes, which would
    be late if it began later than by the rest."""
    from footfall.walking.clock import later_than, new_clock
    from footfall.walking.loop import run_empty

    clock = new_clock()
    run_empty(clock, 0, 1)
    start_clock(clock, period, done=0)
    run_empty(clock, 0, periods)
    late = later_than(clock, 1e6 * (period - work))
    return EmptyLoop(timing(clock, Level.LATENESS), late)


@contextmanager
def _undisturbed(*, priority: bool) -> Iterator[None]:
    """Without collections of garbage but those of the writer, and with threads that give way soon."""
    interval = sys.getswitchinterval()
    before = schedule(_WATCH) if priority else None
    gc.collect()
    gc.freeze()
    gc.disable()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        if before is not None:
            os.sched_setscheduler(0, *before)
        sys.setswitchinterval(interval)
        gc.enable()
        gc.unfreeze()
