"""Orientation in time: a shape of quaternions, and a parameter that runs along it (Seiwald 2023).

The shape says which way, the timing how fast: with a timing that stops at its ends, so does the orientation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Matrix3, Quaternion, new_records, routine
from footfall.errors import InvalidInput
from footfall.math.polynomials import Instant, instant_of, jet_at
from footfall.math.quaternion_splines import CubicQuaternionSpline, Turning, turning_at
from footfall.math.quaternions import angular_acceleration, angular_velocity, dot
from footfall.math.rotations import normalised
from footfall.math.trajectories import PolynomialTrajectory


class QuaternionShape(Protocol):
    """Orientations along a parameter."""

    @property
    def last(self) -> float:
        """Where the parameter, which starts at 0, ends."""

    def derivatives(self, parameter: Array, order: int = 2) -> Array:
        """Quaternions and their derivatives (order + 1, k, 4) at parameters (k,)."""

    def turned(self, turn: Array) -> QuaternionShape:
        """The same shape seen from another frame: `turn` (4,) times every orientation."""


class RotationSamples(NamedTuple):
    """Orientation (k, 4), angular velocity (k, 3) rad/s, angular acceleration (k, 3) rad/s2, in parent axes."""

    quaternion: Array
    angular_velocity: Array
    angular_acceleration: Array


@dataclass(frozen=True, slots=True, eq=False)
class QuaternionTrajectory:
    """shape: orientations along a parameter; timing: the parameter in time, of one component."""

    shape: QuaternionShape
    timing: PolynomialTrajectory

    def __post_init__(self) -> None:
        if self.timing.dimension != 1:
            raise InvalidInput(f"timing has {self.timing.dimension} components; it must have one")

    @property
    def start(self) -> float:
        """First time, s."""
        return self.timing.start

    @property
    def end(self) -> float:
        """Last time, s."""
        return self.timing.end

    def sample(self, at: Array) -> RotationSamples:
        """Orientation and its motion at times (k,); outside the times it stands still."""
        at = np.ascontiguousarray(at, dtype=np.float64)
        if isinstance(self.shape, CubicQuaternionSpline):
            at = at if at.flags.writeable else at.copy()
            timing, chain = self.timing, self.shape
            samples = sample_chain(timing.times, timing.coefficients, chain.controls, chain.steps, at)
            return RotationSamples(*(samples[name] for name in RotationSamples._fields))
        parameter, speed, change = self.timing.sample(at)[:, :, 0]
        value, first, second = self.shape.derivatives(np.clip(parameter, 0.0, self.shape.last))
        # Seiwald 2023, (B.63). Quaternions between keyframes need not have norm one (LERP): the norm is divided out.
        rate = first * speed[:, None]
        acceleration = second * (speed**2)[:, None] + first * change[:, None]
        square = dot(value, value)[:, None]
        velocity = angular_velocity(value, rate) / square
        growth = 2 * dot(value, rate)[:, None]
        change_of_velocity = (angular_acceleration(value, rate, acceleration) - velocity * growth) / square
        return RotationSamples(normalised(value), velocity, change_of_velocity)

    def __call__(self, at: Any) -> Array:
        """Orientation (4,) at one time, or (k, 4) at several."""
        quaternions = self.sample(np.atleast_1d(np.array(at, dtype=np.float64))).quaternion
        return quaternions[0] if np.ndim(at) == 0 else quaternions

    def cut(self, start: float, end: float) -> QuaternionTrajectory:
        """What lies between two of its times: the shape stays, only the timing is cut."""
        return QuaternionTrajectory(self.shape, self.timing.cut(start, end))

    def split(self, time: float) -> tuple[QuaternionTrajectory, QuaternionTrajectory]:
        """What lies before and after a time."""
        first, second = self.timing.split(time)
        return QuaternionTrajectory(self.shape, first), QuaternionTrajectory(self.shape, second)

    def shifted(self, delay: float) -> QuaternionTrajectory:
        """The same motion, later by `delay` s."""
        return QuaternionTrajectory(self.shape, self.timing.shifted(delay))

    def turned(self, turn: Array) -> QuaternionTrajectory:
        """The same motion seen from another frame: `turn` (4,) times every orientation."""
        return QuaternionTrajectory(self.shape.turned(np.asarray(turn, dtype=np.float64)), self.timing)


@routine
def sample_chain(
    times: Array, coefficients: Array, controls: ArrayOf[Quaternion], steps: ArrayOf[Matrix3], at: Array
) -> ArrayOf[Turning]:
    """Motion (k,) along a chain, see `turning_at`, whose parameter is a polynomial trajectory."""
    result = new_records(Turning, len(at))
    instant = Instant(0, 0.0, 0.0)
    for k, time in enumerate(at):
        instant = instant_of(times, time, instant.segment)
        result[k] = turning_at(controls, steps, jet_at(coefficients[instant.segment], 0, instant))
    return result
