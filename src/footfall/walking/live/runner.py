"""A live walk paced to real time: threads, priorities and what is measured."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from footfall.errors import InvalidInput
from footfall.walking.clock import Counted, Level, Timing, clear_clock, start_clock, stop_clock, timing
from footfall.walking.live.commands import CommandServer
from footfall.walking.live.session import LiveSession
from footfall.walking.session import Follower

_FIRST, _SECOND = 60, 20  # real-time priorities of the loop, and of what writes down what it does
_SLACK = 29  # PR_SET_TIMERSLACK of Linux
_SWITCH = 2e-4  # s, after which a thread of Python gives way to the loop
_WRITING = 0.1  # s, between two looks at whether there is something to write
_COLLECTING = 100  # of them between two collections of garbage
_STRETCH = 0.1  # s, simulated, between two looks at whether to end


class Deadlines(NamedTuple):
    """How a live walk kept its times. levels: by name, us. periods: that were walked; missed: that ended after the next
    one was due; slipped: how often the walk was behind by 0.1 s and let that time go. late_plans: that came too late;
    lost_planners: that died."""

    levels: dict[str, Timing]
    periods: int
    missed: int
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
            _schedule(self._priority)
        rounds = 0
        while not self._ending.wait(_WRITING):
            rounds += 1
            try:
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
    clock = walker.brain.clock
    session.inlet = None if commands is None else commands.serve
    writer = _Writer(session)
    clear_clock(clock)
    with _undisturbed(priority=priority):
        writer.start(_SECOND if priority else None)
        start_clock(clock, walker.gains.period, done=walker.period)
        try:
            while session.time < end - 1e-9 and not session.fallen and not ended():
                session.run_until(min(end, session.time + _STRETCH))
                if progress is not None:
                    progress(session.time)
                if commands is None and seconds is None and session.resting:
                    break
        finally:
            stop_clock(clock)
            session.inlet = None
            writer.finish()
    return deadlines(session)


def deadlines(session: LiveSession) -> Deadlines:
    """What the clock of a live walk has counted."""
    clock = session.walker.brain.clock
    counts = clock.counts
    return Deadlines(
        {level.name.lower(): timing(clock, level) for level in Level},
        int(counts[Counted.PERIODS]),
        int(counts[Counted.MISSED]),
        int(counts[Counted.SLIPPED]),
        session.late,
        session.lost,
    )


def empty_loop(periods: int, period: float = 1e-3) -> Timing:
    """How late the periods of a loop that does nothing begin, us: what the machine itself costs."""
    from footfall.walking.clock import new_clock
    from footfall.walking.loop import run_empty

    clock = new_clock()
    run_empty(clock, 0, 1)
    start_clock(clock, period, done=0)
    run_empty(clock, 0, periods)
    return timing(clock, Level.LATENESS)


@contextmanager
def _undisturbed(*, priority: bool) -> Iterator[None]:
    """Without collections of garbage in the loop, and with timers that do not wait for others."""
    interval = sys.getswitchinterval()
    gc.collect()
    gc.freeze()
    gc.disable()
    sys.setswitchinterval(_SWITCH)
    before = _schedule(_FIRST) if priority else None
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SLACK, 1, 0, 0, 0)
    try:
        yield
    finally:
        if before is not None:
            os.sched_setscheduler(0, *before)
        sys.setswitchinterval(interval)
        gc.enable()
        gc.unfreeze()
        time.sleep(0)


def _schedule(priority: int) -> tuple[int, os.sched_param]:
    """Let this thread have a real-time priority, its children not; gives what it had."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(priority))
    except PermissionError:
        raise InvalidInput(
            "real-time priority is refused by the system: run as root, or raise the limit 'rtprio' "
            "(/etc/security/limits.conf); without it walks are live all the same"
        ) from None
    return before
