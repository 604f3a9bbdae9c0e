"""The control loop of a live walk in a thread of its own: it runs natively, and Python beside it.

The loop returns to Python only for what cannot be put into its boxes (a push, an object that comes, other gains) and
for a new piece of the log. Whoever wants that lets it pause before a period that is near: it stands between two
periods, and goes on in time.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.walking.clock import start_clock, stop_clock
from footfall.walking.mailbox import BORDER, NEVER, Word, fits, put_plan
from footfall.walking.plan_sampling import PlanTable
from footfall.walking.step_ground import StepGround, put_ground
from footfall.walking.walker import Walker

LOOP_PRIORITY = 60  # of real-time priorities
_PERIODS_AHEAD = 4  # periods from now to when something is taken: putting it there takes less than one
_PERIODS_LEFT = 2  # periods that must be left after it was put there
_STRETCH = 10.0  # s, that are walked in one call
_SLACK = 29  # PR_SET_TIMERSLACK of Linux
_SLICE = 100_000  # ns, after which a thread without priority gives way, and for which it is woken early
_SET_ATTRIBUTES = {"x86_64": 314, "aarch64": 274}  # number of sched_setattr


class Placed(NamedTuple):
    """Where the robot was at the begin of a period; see `Snapshots`."""

    period: int
    q: Array
    believed: Array
    shift: Array
    catching: float


class ControlThread:
    """Runs a walker in real time in a thread. until: s, at most. priority: real-time; if the system refuses it,
    `finish` raises that.

    All calls but those of the thread itself come from one other thread.
    """

    def __init__(self, walker: Walker, *, until: float, priority: bool = False) -> None:
        self.walker, self._until, self._priority = walker, until, priority
        self._stands, self._goes = threading.Event(), threading.Event()
        self._ending = False
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="control loop", daemon=True)
        walker.have_boxes()

    def start(self) -> None:
        """Let it walk."""
        self._words[Word.PAUSE] = NEVER
        self._thread.start()

    def finish(self) -> None:
        """End it; raises what it has failed by."""
        self._ending = True
        self._pause()
        self._goes.set()
        self._thread.join()
        self._words[Word.PAUSE] = NEVER
        self.take_plan_back()  # whoever goes on without the thread takes it up
        if self._problem is not None:
            raise self._problem

    @property
    def over(self) -> bool:
        """Whether it does not walk now: it stands, its time is over, or it has fallen or failed."""
        return self._stands.is_set()

    # It stands

    @contextmanager
    def standing(self) -> Iterator[Walker]:
        """Let the loop stand between two periods meanwhile."""
        stood = self.over
        self._pause()
        try:
            yield self.walker
        finally:
            if not (stood or self._problem is not None or self.walker.fallen or self.walker.lost):
                self._words[Word.PAUSE] = NEVER
                self._stands.clear()
                self._goes.set()

    def _pause(self) -> None:
        if not self._stands.is_set():
            self._words[Word.PAUSE] = self._words[Word.PROGRESS] + 1
            self._stands.wait()

    # Boxes

    def put_surroundings(self, walls: Array, ground: StepGround | None) -> int:
        """Let the controller know of walls and ground; gives the period from which on it does."""
        mail, words = self.walker.mail, self._words
        fits_in = ground is None or int(ground.cells[0]) <= mail.ground.free.shape[1]
        period: int | None = (
            None  # at which the box is taken that is filled here; another may lie there still
        )
        if words[Word.GROUND_AT] == NEVER and fits_in:
            mail.walls[:] = walls
            words[Word.WALLS_ONLY] = ground is None
            if ground is not None:
                put_ground(ground, mail.ground)
            period = int(words[Word.PROGRESS]) + _PERIODS_AHEAD
            words[Word.GROUND_AT] = period
            if words[Word.PROGRESS] <= period - _PERIODS_LEFT:
                return period
        with self.standing() as walker:
            if words[Word.GROUND_AT] == NEVER and period is not None:
                return period  # it was taken in time
            words[Word.GROUND_AT] = NEVER
            walker.brain.state.walls[:] = walls
            if ground is not None:
                walker.know_ground(ground)
                walker.have_boxes()
            return walker.period

    def put_plan(self, table: PlanTable, shift: Array, period: int) -> bool:
        """Let a plan be walked by from a period on; False if that is over already."""
        words = self._words
        if period < words[Word.PROGRESS] + _PERIODS_LEFT + 1:
            return False
        if words[Word.PLAN_AT] == NEVER and fits(self._box, table):
            self._put(table, shift, period)
            if words[Word.PROGRESS] <= period - _PERIODS_LEFT:
                return True
            with self.standing() as walker:
                late = words[Word.PLAN_AT] != NEVER and walker.period > period
                if late:
                    words[Word.PLAN_AT] = NEVER
                return not late
        with self.standing() as walker:
            if not fits(self._box, table):
                walker.have_boxes(largest=table)
            if walker.period <= period:
                self._put(table, shift, period)
            return walker.period <= period

    def take_plan_back(self) -> bool:
        """Let the plan that is to come not be taken; False if it may be taken all the same. A loop that stands has
        not taken it."""
        at = int(self._words[Word.PLAN_AT])
        if not self.over and self._words[Word.PROGRESS] > at - _PERIODS_LEFT:
            return False
        self._words[Word.PLAN_AT] = NEVER
        return self.over or bool(self._words[Word.PROGRESS] < at - 1)

    @property
    def _box(self) -> PlanTable:
        return self.walker.mail.plans[1 - self._words[Word.SLOT]]

    def _put(self, table: PlanTable, shift: Array, period: int) -> None:
        put_plan(self._box, table)
        self.walker.mail.shift[:] = shift
        self._words[Word.PLAN_AT] = period

    def placed(self) -> Placed:
        """Where the robot was at the last border; copies."""
        kept = self.walker.mail.snapshots
        while True:
            border = int(self._words[Word.PROGRESS]) // BORDER
            at = border % len(kept.periods)
            if kept.periods[at] < 0:  # it is just being written
                at = (border - 1) % len(kept.periods)
            period = int(kept.periods[at])
            found = Placed(
                period,
                kept.q[at].copy(),
                kept.believed[at].copy(),
                kept.shift[at].copy(),
                float(kept.catching[at]),
            )
            if period >= 0 and kept.periods[at] == period:
                return found

    @property
    def _words(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return self.walker.mail.words

    def _run(self) -> None:
        """What the thread does."""
        walker = self.walker
        clock = walker.brain.clock
        try:
            if self._priority:
                schedule(LOOP_PRIORITY)
            else:
                _short_slices()
            _exact_timers()
            start_clock(clock, walker.gains.period, done=walker.period)
            while not (self._ending or walker.fallen or walker.lost) and walker.time < self._until - 1e-9:
                walker.run_until(min(self._until, walker.time + _STRETCH))
                if walker.pauses and not self._ending:
                    self._goes.clear()
                    self._stands.set()
                    self._goes.wait()
        except BaseException as problem:
            self._problem = problem
        finally:
            stop_clock(clock)
            self._stands.set()


def schedule(priority: int) -> tuple[int, os.sched_param]:
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


def _exact_timers() -> None:
    """Timers of this thread do not wait for others."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SLACK, 1, 0, 0, 0)


def _short_slices() -> None:
    """Ask the scheduler of Linux (6.12 and later) for short slices: who needs the processor for a moment gets it
    earlier. Needs no rights; nothing happens where this is not known."""
    number = _SET_ATTRIBUTES.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return
    # struct sched_attr: size, policy (other), flags, nice, priority, runtime, deadline, period
    wanted = struct.pack("<IIQiIQQQ", 48, os.SCHED_OTHER, 0, os.nice(0), 0, _SLICE, 0, 0)
    ctypes.CDLL(None).syscall(number, 0, wanted, 0)
