"""Curves on the rotations: the shortest way between two, and smooth ways through many (Schwienbacher 2014).

Interpolating Euler angles or components of quaternions gives odd motion; here the angle about a fixed axis is
interpolated, so that points move on circles. Floats and symbols alike, except where it says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.angular_velocity import rotation_vector_map
from footfall.math.rotations import (
    boxminus,
    boxplus,
    normalised,
    quaternion_from_rotation_vector,
    quaternion_inverse,
    quaternion_product,
    rotation_vector_from_quaternion,
)


def interpolate_rotations(start: Array, target: Array, fraction: Any) -> Array:
    """The rotation (3, 3) at a fraction of the shortest way from start (3, 3) to target (3, 3)."""
    return boxplus(start, fraction * boxminus(target, start))


def interpolate_quaternions(start: Array, target: Array, fraction: Any) -> Array:
    """The unit quaternion (4,) at a fraction of the shortest way; signs of the quaternions do not matter."""
    change = rotation_vector_from_quaternion(quaternion_product(quaternion_inverse(start), target))
    return normalised(quaternion_product(start, quaternion_from_rotation_vector(fraction * change)))


def geodesic_angle(first: Array, second: Array) -> Any:
    """The angle in [0, pi] between two rotations (3, 3), rad."""
    difference = boxminus(second, first)
    return np.sqrt(difference @ difference)


class RotationState(NamedTuple):
    """Rotation (3, 3) and angular velocity (3,) in reference axes, rad/s."""

    rotation: Array
    angular_velocity: Array


class RotationCurve:
    """A curve through rotations at given times, floats only; it moves from each to the next in a smooth way.

    times (n,) in s, increasing; rotations (n, 3, 3). Each leg follows the shortest way with a cubic blend of the
    angular velocities at its ends (Hermite's form in the rotation vector). velocities (n, 3) in reference axes,
    rad/s; by default those of the parabola through three neighbours, zero at the ends.
    """

    def __init__(self, times: Sequence[float], rotations: Array, *, velocities: Array | None = None) -> None:
        self.times = np.asarray(times, dtype=np.float64)
        self.rotations = np.asarray(rotations, dtype=np.float64)
        count = len(self.times)
        if count < 2 or self.rotations.shape != (count, 3, 3) or not np.all(np.diff(self.times) > 0.0):
            raise InvalidInput(
                f"{count} times and rotations of shape {self.rotations.shape}; a curve needs at least two "
                "increasing times and one rotation (3, 3) for each"
            )
        self.legs = np.array(
            [
                boxminus(after, before)
                for before, after in zip(self.rotations[:-1], self.rotations[1:], strict=True)
            ]
        )
        self.velocities = self._slopes() if velocities is None else np.asarray(velocities, dtype=np.float64)
        if self.velocities.shape != (count, 3):
            raise InvalidInput(f"velocities have shape {self.velocities.shape}; they must be {(count, 3)}")

    def _slopes(self) -> Array:
        steps = np.diff(self.times)[:, None]
        rates = self.legs / steps
        inner = (steps[1:] * rates[:-1] + steps[:-1] * rates[1:]) / (steps[1:] + steps[:-1])
        return np.vstack([np.zeros((1, 3)), inner, np.zeros((1, 3))])

    def __call__(self, time: float) -> RotationState:
        """Rotation and angular velocity at a time, s; the ends hold outside."""
        if time <= self.times[0]:
            return RotationState(
                self.rotations[0], np.zeros(3) if time < self.times[0] else self.velocities[0]
            )
        if time >= self.times[-1]:
            past = time > self.times[-1]
            return RotationState(self.rotations[-1], np.zeros(3) if past else self.velocities[-1])
        leg = int(np.searchsorted(self.times, time, side="right")) - 1
        duration = self.times[leg + 1] - self.times[leg]
        s = (time - self.times[leg]) / duration
        change = self.legs[leg]
        # At the far end the rotation vector's rate is E^-1 w, RSL 2022, (2.107); at the near end it is w itself.
        start = self.velocities[leg] * duration
        end = np.linalg.solve(rotation_vector_map(change), self.velocities[leg + 1]) * duration
        vector = (3 * s**2 - 2 * s**3) * change + (s - 2 * s**2 + s**3) * start + (s**3 - s**2) * end
        rate = (6 * s - 6 * s**2) * change + (1 - 4 * s + 3 * s**2) * start + (3 * s**2 - 2 * s) * end
        turn = rotation_vector_map(vector) @ rate / duration
        return RotationState(boxplus(self.rotations[leg], vector), turn)
