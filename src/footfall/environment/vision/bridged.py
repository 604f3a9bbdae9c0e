"""A tracking camera whose world goes on across the moments in which it sees nothing.

While it sees nothing the camera drifts by centimetres a second, and afterwards its world lies elsewhere. Legs that are
planned and do not slide drift by a millimetre or two, and steadily. So the way across is taken from planning: when the
camera sees again, its world is put to where both worlds lay to each other before. How planning drifts meanwhile is what
it does before and after: a line through the poses of both sides, by least squares, with one slope. So many poses take
the sway of the robot and the noise of single poses out.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.environment.vision.alignment import heading, levelled, vision_in_planning
from footfall.environment.vision.tracking import TrackingCamera
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform, identity_transform

_BEFORE, _AFTER = 4.0, 1.6  # s, of poses that say how both worlds lie to each other
_LEAST = 0.5  # s of them, if the camera sees nothing again before all are there
_DOUBT = 0.1  # s2: square of the noise of poses, 1 mrad (mm), over that of how planning drifts, 3 in a second


class BridgedCamera:
    """Poses of a tracking camera in the world of the map, which stays the same."""

    def __init__(self, camera: TrackingCamera) -> None:
        self.camera = camera
        self._moved = identity_transform()  # X_MV: of the camera's world in that of the map
        self._blind = False
        self._before: deque[_Met] = deque()  # poses by planning and in the map
        self._after: list[_Met] = []  # poses by planning and by the camera since it saw again

    def begin(self, time: float, true: Transform, at: Transform) -> None:
        """Let the camera be at a pose of the map's world now."""
        self.camera.begin(time, true, at)
        self._moved, self._blind = identity_transform(), False
        self._before.clear()
        self._after = []

    def track(self, time: float, true: Transform, planning: Transform) -> Transform | None:
        """The pose in the world of the map at a time (s), None while it sees nothing. planning: where it is by the
        plan."""
        seen = self.camera.track(time, true)
        if seen is None:
            self._blind = True
            return None
        met = _Met(time, planning, levelled(seen, planning))
        if self._blind and self._before:
            if self._after and self._after[-1].time >= self._after[0].time + _LEAST:
                self._settle()
            self._after = [met]
        elif self._after:
            self._after.append(met)
        self._blind = False
        if self._after and time < self._after[0].time + _AFTER:
            return _trend(self._before).at(time, planning.translation).inverse() @ planning
        if self._after:
            self._settle()
        else:
            self._keep([met._replace(vision=self._moved @ met.vision)])
        return self._moved @ met.vision

    def _settle(self) -> None:
        """The camera's world lies so in the map's that both trends meet when it saw again."""
        first = self._after[0]
        trends = _with_one_slope(_trend(self._before), _trend(self._after))
        mapped, seen = (each.at(first.time, first.planning.translation) for each in trends)
        self._moved = mapped.inverse() @ seen
        self._keep(each._replace(vision=self._moved @ each.vision) for each in self._after)
        self._after = []

    def _keep(self, met: Iterable[_Met]) -> None:
        self._before.extend(met)
        while self._before[0].time < self._before[-1].time - _BEFORE:
            self._before.popleft()


class _Met(NamedTuple):
    """The camera at a time, s, by planning and by vision."""

    time: float
    planning: Transform
    vision: Transform


class _Trend(NamedTuple):
    """How vision's world lies in that of planning over a time: mean, at the time s; it turns (rad/s), and the place at
    which the camera is slides (3,), m/s. spread: sum of squares of times from the mean one, s2."""

    mean: Transform
    time: float
    turning: float
    sliding: Array
    spread: float

    def at(self, time: float, place: Array) -> Transform:
        """The pose at a time, for a camera that is at a place of the world of planning."""
        ahead = time - self.time
        rotation = rotation_z(heading(self.mean) + ahead * self.turning)
        seen = self.mean.inverse().apply(place - ahead * self.sliding)
        return Transform(rotation, place - rotation @ seen)


def _trend(met: Iterable[_Met]) -> _Trend:
    """A line through what pairs of poses say, by least squares; few of them say little of its slopes."""
    met = list(met)
    found = [vision_in_planning(each.planning, each.vision) for each in met]
    first = heading(found[0])
    turns = np.array([math.remainder(heading(each) - first, 2.0 * math.pi) for each in found])
    rotation = rotation_z(first + float(turns.mean()))
    places = np.array([each.planning.translation - rotation @ each.vision.translation for each in met])
    times = np.array([each.time for each in met])
    away = times - times.mean()
    spread = float(away @ away) + _DOUBT
    mean = Transform(rotation, places.mean(axis=0))
    return _Trend(mean, float(times.mean()), float(away @ turns) / spread, away @ places / spread, spread)


def _with_one_slope(one: _Trend, other: _Trend) -> tuple[_Trend, _Trend]:
    """Both lines with the slope that suits both best."""
    spread = one.spread + other.spread
    turning = (one.spread * one.turning + other.spread * other.turning) / spread
    sliding = (one.spread * one.sliding + other.spread * other.sliding) / spread
    return (
        one._replace(turning=turning, sliding=sliding),
        other._replace(turning=turning, sliding=sliding),
    )
