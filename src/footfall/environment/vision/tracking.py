"""A tracking camera: it measures its own motion by what it sees and by an inertial sensor, and drifts slowly.

Such cameras (Seiwald 2023, section 3.4) know what is vertical, so that their world differs from the true one by a turn
about z and a shift. Both grow with the way: a part of it by a wrong scale, which stays the same, parts by a random walk
of position and heading. While the camera sees nothing, its velocity is known from before only.
"""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from footfall.environment.vision.alignment import vision_in_planning
from footfall.errors import InvalidInput
from footfall.math.rotations import matrix_from_rotation_vector, rotation_z
from footfall.math.transform import Transform

_REFERENCE = 10.0  # m, of a straight way on which scale, random walk and heading contribute the same
_LOST_SPEED, _LOST_TURN = 0.03, 0.01  # m/s and rad/s, of errors while it sees nothing
_MOST_LOSSES = 1000


class TrackingQuality(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How well a camera knows where it is.

    drift: error of its position after 10 m straight ahead, as a part of the way (standard deviation). noise_m,
    noise_rad: of each measurement. latency_s: until a pose is there. losses: (start, seconds), in which it sees
    nothing.
    """

    drift: Annotated[float, Meta(ge=0.0, le=0.2)] = 0.002
    noise_m: Annotated[float, Meta(ge=0.0, le=0.1)] = 0.001
    noise_rad: Annotated[float, Meta(ge=0.0, le=0.1)] = 0.001
    latency_s: Annotated[float, Meta(ge=0.0, le=2.0)] = 0.05
    losses: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        numbers = [number for loss in self.losses for number in loss]
        if len(self.losses) > _MOST_LOSSES or not all(0.0 <= each <= 1e5 for each in numbers):
            raise InvalidInput(
                f"losses of the tracking camera are {self.losses[:3]}; each must be its start and how long it lasts, s"
            )

    def lost(self, begin: float, end: float) -> float:
        """For how long it saw nothing between two times, s."""
        return sum(max(0.0, min(end, start + length) - max(begin, start)) for start, length in self.losses)

    def sees(self, time: float) -> bool:
        """Whether it sees at a time, s."""
        return not any(start <= time < start + length for start, length in self.losses)


class TrackingCamera:
    """The camera's pose in vision's world, measured along its true way. seed: of its errors."""

    def __init__(self, quality: TrackingQuality | None = None, *, seed: int = 0) -> None:
        self.quality = TrackingQuality() if quality is None else quality
        self._rng = np.random.default_rng((seed, 265))
        drift = self.quality.drift
        # Three parts of equal variance at the reference: `s L`, `w sqrt(L)` and, by heading, `h sqrt(L) L / sqrt(3)`.
        self._scale = float(self._rng.normal()) * drift / math.sqrt(3.0)
        self._walk = drift * math.sqrt(_REFERENCE / 3.0)  # m / sqrt(m)
        self._heading = drift / math.sqrt(_REFERENCE)  # rad / sqrt(m)
        self._off: Transform | None = None  # of the true world in vision's
        self._last, self._time = np.zeros(3), 0.0
        self._missed = self._rng.normal(size=4)  # of velocities, while it sees nothing

    def begin(self, time: float, true: Transform, at: Transform) -> None:
        """Let vision's world be such that the camera is at a pose in it now."""
        self._off = vision_in_planning(at, true)
        self._last, self._time = np.array(true.translation), time

    def track(self, time: float, true: Transform) -> Transform | None:
        """The pose (in vision's world) that it measures at a time (s), None while it sees nothing."""
        if self._off is None:
            self.begin(time, true, true)
        assert self._off is not None
        self._drift(time, np.array(true.translation))
        if not self.quality.sees(time):
            return None
        measured = self._off @ Transform(np.array(true.rotation), np.array(true.translation))
        shake, turn = self._rng.normal(size=(2, 3))
        return Transform(
            measured.rotation @ matrix_from_rotation_vector(self.quality.noise_rad * turn),
            measured.translation + self.quality.noise_m * shake,
        )

    def _drift(self, time: float, place: np.ndarray) -> None:
        assert self._off is not None
        step = place - self._last
        way = float(np.linalg.norm(step))
        *walk, heading = self._rng.normal(size=4)
        shift = self._off.rotation @ (self._scale * step) + self._walk * math.sqrt(way) * np.array(walk)
        turn = self._heading * math.sqrt(way) * heading
        lost = self.quality.lost(self._time, time)
        if lost > 0.0 and self.quality.drift > 0.0:
            shift = shift + lost * _LOST_SPEED * self._missed[:3]
            turn += lost * _LOST_TURN * self._missed[3]
            if self.quality.sees(time):
                self._missed = self._rng.normal(size=4)
        # Turned about where the camera is: what it has walked before stays where it was.
        here, rotation = self._off.apply(place), rotation_z(turn) @ self._off.rotation
        self._off = Transform(rotation, here + shift - rotation @ place)
        self._last, self._time = place, time
