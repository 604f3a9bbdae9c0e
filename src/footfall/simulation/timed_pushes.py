"""Wrenches that act on bodies for some time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidOption

_JUST = 1e-12  # s: rounding of times


@dataclass
class TimedPushes:
    """By body the wrench [f; n] (6,) in N and N m, world axes, at its origin, and the time at which it ends, s."""

    known: dict[str, tuple[Array, float]] = field(default_factory=dict)

    def add(self, body: str, wrench: Array, seconds: float, *, now: float) -> None:
        if not 0.0 <= seconds < np.inf:  # NaN neither
            raise InvalidOption(f"seconds is {seconds}; it must be finite and not negative")
        self.known[body] = (wrench, now + seconds)

    def acting(self, time: float) -> dict[str, Array]:
        """Those that act at a time, s."""
        return {body: wrench for body, (wrench, until) in self.known.items() if time < until - _JUST}

    def periods_left(self, time: float, period: float, most: int) -> int:
        """After how many control periods (s) the next one ends, one at least; `most` if none does before."""
        ends = [until for _, until in self.known.values() if time < until - _JUST]
        if not ends:
            return most
        return min(most, max(1, int(np.ceil((min(ends) - _JUST - time) / period))))

    def copy(self) -> TimedPushes:
        return TimedPushes(dict(self.known))
