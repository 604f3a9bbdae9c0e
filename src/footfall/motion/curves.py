"""All trajectories of a motion, and their values at any time in one native call."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import InvalidTime
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory, join
from footfall.motion import sample_layout as layout
from footfall.motion.packed_curves import PackedCurves, packed

# Where trajectories stand in a sample: columns of polynomials, rows of rotations.
_POLYNOMIAL_LIMBS = {
    "zmp": layout.ZMP,
    "right_foot": layout.FEET,
    "left_foot": layout.FEET + 3,
    "right_hand": layout.HANDS,
    "left_hand": layout.HANDS + 3,
    "right_toe": layout.TOES,
    "left_toe": layout.TOES + 1,
    "right_selection": layout.SELECTION,
    "left_selection": layout.SELECTION + 1,
    "load": layout.LOAD,
}
_ROTATIONS = {
    "upper_body": layout.UPPER_BODY,
    "head": layout.HEAD,
    "right_foot_rotation": layout.FOOT_ROTATIONS,
    "left_foot_rotation": layout.FOOT_ROTATIONS + 1,
}
_TORSO = {"torso": layout.TORSO, "center_of_mass": layout.CENTER_OF_MASS}
POLYNOMIALS = (*_POLYNOMIAL_LIMBS, *_TORSO)
ROTATIONS = tuple(_ROTATIONS)


@dataclass(frozen=True, eq=False)
class LimbCurves:
    """Trajectories in world axes of all that moves besides the torso; m, rad, N, Nm.

    Dimensions: zmp, feet and hands 3; toes and selection 1; load 16 (see `plan_load`).
    """

    zmp: PolynomialTrajectory
    right_foot: PolynomialTrajectory
    left_foot: PolynomialTrajectory
    right_hand: PolynomialTrajectory
    left_hand: PolynomialTrajectory
    right_toe: PolynomialTrajectory
    left_toe: PolynomialTrajectory
    right_selection: PolynomialTrajectory
    left_selection: PolynomialTrajectory
    load: PolynomialTrajectory
    upper_body: QuaternionTrajectory
    head: QuaternionTrajectory
    right_foot_rotation: QuaternionTrajectory
    left_foot_rotation: QuaternionTrajectory
    places: ClassVar[Mapping[str, int]] = {**_POLYNOMIAL_LIMBS, **_ROTATIONS}

    @cached_property
    def packed(self) -> PackedCurves:
        """All trajectories for native loops."""
        return packed((getattr(self, name), place) for name, place in self.places.items())

    @property
    def limbs(self) -> dict[str, Any]:
        """The trajectories of all but the torso by their names."""
        return {name: getattr(self, name) for name in LimbCurves.places}


@dataclass(frozen=True, eq=False)
class MotionCurves(LimbCurves):
    """All trajectories of a motion over the same times: torso (3,) is the mass of the reduced model."""

    torso: PolynomialTrajectory
    center_of_mass: PolynomialTrajectory
    places: ClassVar[Mapping[str, int]] = {**LimbCurves.places, **_TORSO}

    @property
    def start(self) -> float:
        """First time, s."""
        return self.zmp.start

    @property
    def end(self) -> float:
        """Last time, s."""
        return self.zmp.end

    def cut(self, start: float, end: float) -> MotionCurves:
        """What lies between two times, s."""
        return MotionCurves(*(getattr(self, field.name).cut(start, end) for field in fields(self)))

    def sample(self, times: Any) -> MotionSamples:
        """All values and two derivatives at times (k,), s, or at one time; beyond the ends all stands still."""
        at = np.array(times, dtype=np.float64)
        if not np.isfinite(at).all():
            raise InvalidTime(
                f"times must be finite numbers, s; the first that is not is {at[~np.isfinite(at)][0]}"
            )
        values, rotations = self.packed.sample(at.reshape(-1))
        return MotionSamples(
            values.reshape(*at.shape, *values.shape[1:]), rotations.reshape(*at.shape, *rotations.shape[1:])
        )

    def snapshot(self, time: float) -> MotionSamples:
        """All values and two derivatives at one time, s: the fast way."""
        if not math.isfinite(time):
            raise InvalidTime(f"time is {time}; it must be a finite number, s")
        values, rotations = self.packed.sample(np.array([time]))
        return MotionSamples(values[0], rotations[0])


def numbers_of(*names: str) -> Integers:
    """Numbers (n,) of trajectories by their names."""
    places = list(MotionCurves.places)
    return np.array([places.index(name) for name in names])


class MotionSamples(NamedTuple):
    """Values of all trajectories. values (..., 3, 41): value, velocity and acceleration of what the properties name.
    rotations (..., 4, 10): of upper body, head, RF and LF: quaternion, angular velocity, angular acceleration."""

    values: Array
    rotations: Array

    @property
    def zmp(self) -> Array:
        """Zero-moment point (..., 3 derivatives, 3), m."""
        return self.values[..., 0:3]

    @property
    def feet(self) -> Array:
        """Positions of RF and LF (..., 3 derivatives, 2, 3), m."""
        return self._pairs(3, 9, 3)

    @property
    def hands(self) -> Array:
        """Positions of RH and LH (..., 3 derivatives, 2, 3), m."""
        return self._pairs(9, 15, 3)

    @property
    def toes(self) -> Array:
        """Angles of the right and left toe joint (..., 3 derivatives, 2), rad."""
        return self.values[..., 15:17]

    @property
    def selection(self) -> Array:
        """Task-space selection factors of RH and LH (..., 3 derivatives, 2)."""
        return self.values[..., 17:19]

    @property
    def load(self) -> Array:
        """Load factors of RF, LF, RH, LH (..., 3 derivatives, 4)."""
        return self.values[..., 19:23]

    @property
    def wrenches(self) -> Array:
        """Wrenches on RH and LH (..., 3 derivatives, 2, 6), N and Nm, before weighting with the selection factor."""
        return self._pairs(23, 35, 6)

    @property
    def torso(self) -> Array:
        """Torso of the reduced model (..., 3 derivatives, 3), m."""
        return self.values[..., 35:38]

    @property
    def center_of_mass(self) -> Array:
        """Centre of mass (..., 3 derivatives, 3), m."""
        return self.values[..., 38:41]

    @property
    def quaternions(self) -> Array:
        """Of upper body, head, RF and LF (..., 4, 4)."""
        return self.rotations[..., 0:4]

    @property
    def angular_velocities(self) -> Array:
        """Of upper body, head, RF and LF (..., 4, 3), world axes, rad/s."""
        return self.rotations[..., 4:7]

    @property
    def angular_accelerations(self) -> Array:
        """Of upper body, head, RF and LF (..., 4, 3), world axes, rad/s2."""
        return self.rotations[..., 7:10]

    def _pairs(self, start: int, stop: int, size: int) -> Array:
        part = self.values[..., start:stop]
        return part.reshape(*part.shape[:-1], 2, size)


def join_curves(parts: Sequence[MotionCurves]) -> MotionCurves:
    """Motions one after the other."""
    if len(parts) == 1:
        return parts[0]
    joined: dict[str, Any] = {}
    for name in POLYNOMIALS:
        joined[name] = join([getattr(part, name) for part in parts])
    for name in ROTATIONS:
        joined[name] = join_rotations([getattr(part, name) for part in parts])
    return MotionCurves(**joined)


def join_rotations(parts: Sequence[QuaternionTrajectory]) -> QuaternionTrajectory:
    """Rotations one after the other; signs of quaternions go on, and pieces that a cut has left over are dropped."""
    controls, timings, pieces, sign = [], [], 0, 1.0
    for number, part in enumerate(parts):
        shape = part.shape
        assert isinstance(shape, CubicQuaternionSpline)
        if number > 0:
            before = parts[number - 1]
            sign *= 1.0 if before(before.end) @ part(part.start) >= 0.0 else -1.0
        first = min(int(part.timing(part.start)[0] + 1e-9), len(shape.controls) - 1)
        last = max(int(np.ceil(part.timing(part.end)[0] - 1e-9)), first + 1)
        controls.append(sign * shape.controls[first:last])
        timings.append(part.timing.mapped(np.eye(1), np.array([float(pieces - first)])))
        pieces += last - first
    return QuaternionTrajectory(CubicQuaternionSpline(np.concatenate(controls)), join(timings))
