"""Waiting for what other threads and processes do, for as long as a loaded machine may need."""

from __future__ import annotations

import time
from collections.abc import Callable


def eventually(what: Callable[[], object], *, seconds: float = 240.0) -> bool:
    """Whether something comes true; asked again and again, and given up only when it surely never will."""
    deadline = time.monotonic() + seconds
    while not (found := bool(what())) and time.monotonic() < deadline:
        time.sleep(0.005)
    return found
