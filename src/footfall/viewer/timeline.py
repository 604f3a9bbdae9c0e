"""Where a player stands in a recording."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array


@dataclass
class Timeline:
    """An instant between the first and the last of `times` (n,), s, ascending; it moves while `playing`.

    speed: recorded seconds in a second. loop: start again at the end.
    """

    times: Array
    playing: bool = False
    speed: float = 1.0
    loop: bool = False

    def __post_init__(self) -> None:
        self.now = self.start

    @property
    def start(self) -> float:
        return float(self.times[0])

    @property
    def end(self) -> float:
        return float(self.times[-1])

    def seek(self, time: float) -> None:
        """Go to an instant, s; outside of the recording to its nearest end. What is no number changes nothing."""
        if not math.isnan(time):
            self.now = min(max(float(time), self.start), self.end)

    def play(self) -> None:
        """Move on; from the end it begins again."""
        if self.now >= self.end:
            self.now = self.start
        self.playing = True

    def advance(self, elapsed: float) -> None:
        """Let wall time pass, s."""
        if not self.playing:
            return
        ahead = self.now + elapsed * self.speed
        if ahead <= self.end:
            self.now = ahead
        elif self.loop and self.end > self.start:
            self.now = self.start + (ahead - self.start) % (self.end - self.start)
        else:
            self.now, self.playing = self.end, False

    @property
    def row(self) -> int:
        """The last row of `times` that is not later than now."""
        return latest_row(self.times, self.now)


def latest_row(times: Array, time: float) -> int:
    """The last row of times (n,) that is not later than an instant; -1 if all are."""
    return int(np.searchsorted(times, time, side="right")) - 1
