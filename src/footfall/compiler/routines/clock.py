"""The system's monotonic clock in routines: read it, and sleep until a time of it, without Python."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from footfall.arrays import Integers
from footfall.compiler.routines.types import NOTHING, Value, all_roots

if TYPE_CHECKING:
    from footfall.compiler.routines.expressions import Expressions as Body

_MONOTONIC, _ABSOLUTE = 1, 1  # CLOCK_MONOTONIC and TIMER_ABSTIME of Linux
_SECOND = 10**9  # ns


def read_clock(stamp: Integers) -> None:
    """Write the time of the monotonic clock into (2,): seconds, and nanoseconds of the second."""
    stamp[:] = divmod(time.monotonic_ns(), _SECOND)


def sleep_until(stamp: Integers) -> None:
    """Sleep until the monotonic clock shows (2,): seconds, and nanoseconds of the second."""
    time.sleep(max(0, int(stamp[0]) * _SECOND + int(stamp[1]) - time.monotonic_ns()) / _SECOND)


def _read(body: Body, stamp: Value) -> Value:
    body.declare("declare i32 @clock_gettime(i32, ptr) nounwind")
    body.do(f"call i32 @clock_gettime(i32 {_MONOTONIC}, ptr {stamp.parts[0]})")
    body.written |= all_roots(stamp)
    return Value(NOTHING, ())


def _sleep(body: Body, stamp: Value) -> Value:
    body.declare("declare i32 @clock_nanosleep(i32, i32, ptr, ptr) nounwind")
    body.do(f"call i32 @clock_nanosleep(i32 {_MONOTONIC}, i32 {_ABSOLUTE}, ptr {stamp.parts[0]}, ptr null)")
    return Value(NOTHING, ())


CLOCK_TRANSLATORS = {read_clock: _read, sleep_until: _sleep}
