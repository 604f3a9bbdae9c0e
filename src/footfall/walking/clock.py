"""The master clock of a walk: periods and ticks of drives begin at their times, and what they take is counted.

By default a walk is computed as fast as it goes and the clock is never read. A clock that runs (`start_clock`) paces it
to real time: native code sleeps until a period is due, so that nothing of Python stands between two periods. A period
that begins late is computed at once; a walk that is far behind goes on from where it is, and that is counted too.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, cast

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import read_clock, sleep_until

_SECOND = 1_000_000_000  # ns
_BEHIND = 100_000_000  # ns, from which on a walk no longer tries to catch up
_MICROSECOND = 1e-3  # ns to us
BIN = 10.0  # us of a bin of the histogram
_BINS = 500


class Level(IntEnum):
    """What is measured, us: sampling the plan, stabilisation, plant and sensors, the time between two ticks of the
    drives, how late a period begins, and all that is computed in it."""

    PATTERN = 0
    STABILISATION = 1
    PLANT = 2
    TICK = 3
    LATENESS = 4
    PERIOD = 5


class Counted(IntEnum):
    """Periods; those that ended after the next was due; how often the walk was so far behind that time was let go; in
    how many stretches without a punctual period between them the late ones came: one that the system takes the
    processor from for 50 ms makes 60 of them, until it has caught up."""

    PERIODS = 0
    MISSED = 1
    SLIPPED = 2
    STALLS = 3


class _Last(IntEnum):
    MARK = 0
    TICK = 1
    CARRIED = 2
    COMPUTED = 3
    LATE = 4


class Clock(NamedTuple):
    """pace (1,): ns from one period to the next; 0: as fast as it goes. start (1,): ns, when period 0 was due.
    stamp (2,): room for the system's clock. last (5,): ns, of the latest mark and of the last tick, how long was
    computed since that mark before a tick was waited for, and in the period, and whether the last period was late.
    counts (4,): see `Counted`. sums (levels, 4): number of values, their sum, sum of squares and largest, us. bins
    (levels, n): how many values were in each bin of `BIN` us, the last one beyond."""

    pace: Integers
    start: Integers
    stamp: Integers
    last: Integers
    counts: Integers
    sums: Array
    bins: Integers


def new_clock() -> Clock:
    """One that stands: a walk goes as fast as it is computed."""
    pace, start, stamp, last, counts = (np.zeros(n, np.int64) for n in (1, 1, 2, len(_Last), len(Counted)))
    return Clock(
        pace, start, stamp, last, counts, np.zeros((len(Level), 4)), np.zeros((len(Level), _BINS), np.int64)
    )


def start_clock(clock: Clock, period: float, *, done: int) -> None:
    """Let periods of so many seconds begin at their times from now on; done: those that are over."""
    clock.pace[0] = round(period * _SECOND)
    clock.start[0] = _now(clock) + 2 * clock.pace[0] - done * clock.pace[0]
    clock.last[_Last.TICK] = 0


def stop_clock(clock: Clock) -> None:
    """Go on as fast as it goes."""
    clock.pace[0] = 0


def clear_clock(clock: Clock) -> None:
    """Forget what was measured."""
    for each in (clock.counts, clock.sums, clock.bins):
        each[...] = 0


class Timing(NamedTuple):
    """Of a level, us: mean, standard deviation, largest, and below which 99.99 % of `number` values are."""

    number: int
    mean: float
    sigma: float
    largest: float
    most: float


def timing(clock: Clock, level: Level) -> Timing:
    """What was measured of a level."""
    count, total, squares, largest = clock.sums[level].tolist()
    if count == 0:
        return Timing(0, 0.0, 0.0, 0.0, 0.0)
    mean = total / count
    share = np.cumsum(clock.bins[level]) / count
    place = int(np.searchsorted(share, 0.9999))
    most = largest if place >= _BINS - 1 else min((place + 1) * BIN, largest)
    return Timing(int(count), mean, max(squares / count - mean * mean, 0.0) ** 0.5, largest, most)


def later_than(clock: Clock, microseconds: float) -> int:
    """How many periods began later than that, to `BIN` us."""
    return int(clock.bins[Level.LATENESS, int(microseconds / BIN) :].sum())


# In native code


def _now(clock: Clock) -> int:
    read_clock(clock.stamp)
    return cast(int, clock.stamp[0] * _SECOND + clock.stamp[1])


def _count(clock: Clock, level: int, nanoseconds: int) -> None:
    value = _MICROSECOND * nanoseconds
    clock.sums[level, 0] += 1.0
    clock.sums[level, 1] += value
    clock.sums[level, 2] += value * value
    clock.sums[level, 3] = max(clock.sums[level, 3], value)
    place = min(max(int(value / BIN), 0), _BINS - 1)
    clock.bins[level, place] += 1


def _sleep(clock: Clock, due: int) -> None:
    clock.stamp[0], clock.stamp[1] = due // _SECOND, due % _SECOND
    sleep_until(clock.stamp)


def begin_period(clock: Clock, period: int) -> None:
    """Wait until a period is due."""
    pace = clock.pace[0]
    if pace == 0:
        return
    due, now = clock.start[0] + period * pace, _now(clock)
    if now > due + _BEHIND:
        clock.counts[Counted.SLIPPED] += 1
        clock.start[0] += now - due
        due = now
    if now < due:
        _sleep(clock, due)
        now = _now(clock)
    clock.last[_Last.MARK] = now
    clock.last[_Last.CARRIED] = 0
    clock.last[_Last.COMPUTED] = 0
    _count(clock, Level.LATENESS, now - due)


def mark(clock: Clock, level: int) -> None:
    """What has been computed since the last mark was this level's."""
    if clock.pace[0] == 0:
        return
    now = _now(clock)
    spent = now - clock.last[_Last.MARK] + clock.last[_Last.CARRIED]
    _count(clock, level, spent)
    clock.last[_Last.MARK] = now
    clock.last[_Last.CARRIED] = 0
    clock.last[_Last.COMPUTED] += spent


def begin_tick(clock: Clock, period: int, tick: int, ticks: int) -> None:
    """Wait until a tick of the drives is due, one of so many in a period."""
    pace = clock.pace[0]
    if pace == 0:
        return
    due, now = clock.start[0] + period * pace + tick * pace // ticks, _now(clock)
    clock.last[_Last.CARRIED] += now - clock.last[_Last.MARK]  # what is slept is nobody's work
    if now < due:
        _sleep(clock, due)
        now = _now(clock)
    if clock.last[_Last.TICK] > 0:
        _count(clock, Level.TICK, now - clock.last[_Last.TICK])
    clock.last[_Last.TICK] = now
    clock.last[_Last.MARK] = now


def end_period(clock: Clock, period: int) -> None:
    """A period is over."""
    pace = clock.pace[0]
    if pace == 0:
        return
    now = _now(clock)
    _count(clock, Level.PERIOD, clock.last[_Last.COMPUTED])
    clock.counts[Counted.PERIODS] += 1
    late = 1 if now > clock.start[0] + (period + 1) * pace else 0
    clock.counts[Counted.MISSED] += late
    clock.counts[Counted.STALLS] += max(late - clock.last[_Last.LATE], 0)
    clock.last[_Last.LATE] = late
