"""Velocities from what pages hold: keys, sticks and gamepads. Who stops saying what is held stops the robot."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.viewer.page_link import Hold

DEAD_MAN = 0.3  # s without a word of a page, after which what it held counts no more
_INTERVAL = 0.2  # s, simulated, at least between two velocities: every one is a signal of the walk
_DIGITS = 2  # of m/s and rad/s


class Velocity(NamedTuple):
    """forward, left: m/s. turn: rad/s, to the left."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


class SpeedLimits(NamedTuple):
    """How fast a full stick is: m/s ahead, back and to the sides, rad/s."""

    ahead: float = 0.4
    back: float = 0.25
    side: float = 0.12
    turn: float = 0.35


STANDING = Velocity()


def shares_of(hold: Hold) -> tuple[float, float, float]:
    """Ahead, to the left and turning, from -1 to 1, of all that one page holds."""
    keys = set(hold.keys)

    def pair(more: str, less: str) -> float:
        return float(more in keys) - float(less in keys)

    pad = hold.pad or (0.0, 0.0, 0.0)
    sums = (
        pair("w", "s") + hold.stick[0] + pad[0],
        pair("a", "d") + pad[1],
        pair("q", "e") + hold.stick[1] + pad[2],
    )
    ahead, left, turn = (min(max(each, -1.0), 1.0) for each in sums)
    return ahead, left, turn


def velocity_of(shares: tuple[float, float, float], limits: SpeedLimits) -> Velocity:
    """What shares of a full stick mean."""
    ahead, left, turn = shares
    speeds = (
        ahead * (limits.ahead if ahead > 0.0 else limits.back),
        left * limits.side,
        turn * limits.turn,
    )
    return Velocity(*(round(each, _DIGITS) + 0.0 for each in speeds))


class HeldDrive:
    """What all pages hold together, and what the robot was told last. now: of a clock that does not stop, s."""

    def __init__(self, limits: SpeedLimits | None = None) -> None:
        self.limits = limits or SpeedLimits()
        self.said = STANDING  # to the robot
        self._held: dict[int, tuple[float, Hold]] = {}
        self._said_at = -math.inf

    def hear(self, page: int, hold: Hold, now: float) -> None:
        """A page says what it holds."""
        self._held[page] = (now, hold)

    def forget(self, page: int | None = None) -> None:
        """A page is gone, or all that is held counts no more."""
        if page is None:
            self._held.clear()
            self.said = STANDING
        else:
            self._held.pop(page, None)

    def wanted(self, now: float) -> Velocity:
        """Of all pages that have spoken lately."""
        for page, (heard, _) in list(self._held.items()):
            if now - heard > DEAD_MAN:
                self._held.pop(page, None)
        sums = [0.0, 0.0, 0.0]
        for _, hold in list(self._held.values()):
            for k, share in enumerate(shares_of(hold)):
                sums[k] = min(max(sums[k] + share, -1.0), 1.0)
        return velocity_of((sums[0], sums[1], sums[2]), self.limits)

    def gait(self, now: float) -> tuple[float, float]:
        """Shares of the axes for the height of steps and how long they take, of the page that pushes them most."""
        held = [hold.gait for heard, hold in list(self._held.values()) if now - heard <= DEAD_MAN]
        return max(held, key=lambda each: abs(each[0]) + abs(each[1]), default=(0.0, 0.0))

    def change(self, now: float, time: float, *, free: bool = True) -> Velocity | None:
        """What the robot must be told now, if it is something new. time: simulated, s. free: it may go where it is held
        to, or has to stand."""
        wanted = self.wanted(now) if free else STANDING
        if wanted == self.said or (wanted != STANDING and time - self._said_at < _INTERVAL):
            return None
        self.said, self._said_at = wanted, time
        return wanted
