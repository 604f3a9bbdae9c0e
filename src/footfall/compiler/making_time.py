"""CPU time without that of making native code: whoever times a call wants to know what the next one takes.

Code is compiled, or loaded from the cache, when something is called for the first time. Each thread sums up how long it
was busy with that.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Busy(threading.local):
    """seconds: of CPU time of a thread. depth: how many of its calls that make code are open, one inside another."""

    seconds = 0.0
    depth = 0


_BUSY = _Busy()


@contextmanager
def making_code() -> Iterator[None]:
    """Count what happens inside as making code."""
    begin = time.thread_time()
    _BUSY.depth += 1
    try:
        yield
    finally:
        _BUSY.depth -= 1
        if _BUSY.depth == 0:
            _BUSY.seconds += time.thread_time() - begin


def making_seconds() -> float:
    """CPU time that this thread has spent on making and loading native code, s; others that help it do not count."""
    return _BUSY.seconds


def running_seconds() -> float:
    """CPU time that this thread has spent on anything else, s."""
    return time.thread_time() - _BUSY.seconds
