"""Whether wrong input is refused, and with which errors."""

from __future__ import annotations

from collections.abc import Callable


def is_refused(errors: type[Exception], read: Callable[[], object]) -> bool:
    """Whether reading ends with one of these errors; any other goes through and fails the test."""
    try:
        read()
    except errors:
        return True
    return False
