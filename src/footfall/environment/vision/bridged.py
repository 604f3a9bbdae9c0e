"""A tracking camera whose world goes on across the moments in which it sees nothing.

While it sees nothing the camera drifts by centimetres a second, and afterwards its world lies elsewhere. Legs that are
planned and do not slide drift by a millimetre or two. So the way across is taken from planning: when the camera sees
again, its world is put to where both worlds lay to each other before, by the mean of its first poses, which takes the
sway of the robot and the noise of single poses out.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from footfall.environment.vision.alignment import heading, levelled, vision_in_planning
from footfall.environment.vision.tracking import TrackingCamera
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform, identity_transform

_SETTLING = 0.5  # s, of poses before and after that say how both worlds lie to each other


class BridgedCamera:
    """Poses of a tracking camera in the world of the map, which stays the same."""

    def __init__(self, camera: TrackingCamera) -> None:
        self.camera = camera
        self._moved = identity_transform()  # X_MV: of the camera's world in that of the map
        self._blind = False
        self._since = -math.inf  # s, when it saw again
        self._latest: deque[_Met] = deque()  # poses by planning and in the map
        self._met: list[_Met] = []  # poses by planning and by the camera since it saw again

    def begin(self, time: float, true: Transform, at: Transform) -> None:
        """Let the camera be at a pose of the map's world now."""
        self.camera.begin(time, true, at)
        self._moved, self._blind, self._since = identity_transform(), False, -math.inf
        self._latest.clear()

    def track(self, time: float, true: Transform, planning: Transform) -> Transform | None:
        """The pose in the world of the map at a time (s), None while it sees nothing. planning: where it is by the
        plan."""
        seen = self.camera.track(time, true)
        if seen is None:
            self._blind = True
            return None
        seen = levelled(seen, planning)
        if self._blind and self._latest:
            self._since, self._met = time, []
        self._blind = False
        if time < self._since + _SETTLING:
            self._met.append(_Met(time, planning, seen))
            return _between(self._latest).inverse() @ planning
        if self._met:
            self._moved = _between(self._latest).inverse() @ _between(self._met)
            self._met = []
        placed = self._moved @ seen
        self._latest.append(_Met(time, planning, placed))
        while self._latest[0].time < time - _SETTLING:
            self._latest.popleft()
        return placed


class _Met(NamedTuple):
    """The camera at a time, s, by planning and by vision."""

    time: float
    planning: Transform
    vision: Transform


def _between(met: Iterable[_Met]) -> Transform:
    """Pose of vision's world in that of planning: the mean of what pairs of poses say where the camera is."""
    found = [vision_in_planning(each.planning, each.vision) for each in met]
    first = heading(found[0])
    turns = [math.remainder(heading(each) - first, 2.0 * math.pi) for each in found]
    rotation = rotation_z(first + sum(turns) / len(turns))
    places = [each.planning.translation - rotation @ each.vision.translation for each in met]
    return Transform(rotation, np.mean(places, axis=0))
