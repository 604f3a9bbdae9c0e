"""The first argument of nearly everything is a robot; a name or a path in its place is the usual mistake."""

from __future__ import annotations

from typing import Any


def require_robot(what: str, given: Any, *, place: str = "first") -> None:
    """Refuse what is no robot. what: that wants one, as its `place` argument."""
    if not hasattr(given, "tree"):
        raise TypeError(f"{what}: the {place} argument is a robot, not {given!r}; use footfall.load")
