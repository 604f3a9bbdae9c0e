"""All trajectories of a motion, and their values at any time in one native call."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from footfall.arrays import Integers
from footfall.errors import InvalidInput
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory, join
from footfall.motion.packed_curves import PackedCurves, packed, snapshot
from footfall.motion.samples import ROTATIONS, SIZE, MotionSamples, column_of, rotation_column

_LIMBS = (
    "zmp",
    "right_foot",
    "left_foot",
    "right_hand",
    "left_hand",
    "right_toe",
    "left_toe",
    "right_selection",
    "left_selection",
    "load",
)
_BODY = ("torso", "center_of_mass", "momentum", "contact")
POLYNOMIALS = (*_LIMBS, *_BODY)


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
    # Where their values go in the numbers of a sample.
    places: ClassVar[Mapping[str, int]] = {
        **{name: column_of(name) for name in _LIMBS},
        **{name: rotation_column(name) for name in ROTATIONS},
    }

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
    """All trajectories of a motion over the same times: torso (3,) is the mass of the reduced model; momentum (3,): see
    `momentum_excess`; contact (4,): see `plan_contacts`."""

    torso: PolynomialTrajectory
    center_of_mass: PolynomialTrajectory
    momentum: PolynomialTrajectory
    contact: PolynomialTrajectory
    places: ClassVar[Mapping[str, int]] = {
        **LimbCurves.places,
        **{name: column_of(name) for name in _BODY},
    }

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
            raise InvalidInput(
                f"times must be finite numbers, s; the first that is not is {at[~np.isfinite(at)][0]}"
            )
        return MotionSamples.of(self.packed.numbers(at.reshape(-1)).reshape(*at.shape, SIZE))

    def snapshot(self, time: float) -> MotionSamples:
        """All values and two derivatives at one time, s: the fast way."""
        if not math.isfinite(time):
            raise InvalidInput(f"time is {time}; it must be a finite number, s")
        return snapshot(self.packed, time)


def numbers_of(*names: str) -> Integers:
    """Numbers (n,) of trajectories by their names."""
    places = list(MotionCurves.places)
    return np.array([places.index(name) for name in names])


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
        begin = part.timing(part.start)[0] + 1e-9
        first = min(int(begin), len(shape.controls) - 1)
        last = max(int(np.ceil(part.timing(part.end)[0] - 1e-9)), first + 1)
        kept = shape.controls[first:last]
        # One that rests at its end begins there: what rests before it may round up to the start of this piece.
        if begin >= first + 1:
            kept = np.broadcast_to(kept[-1:, 3:], kept.shape)
        controls.append(sign * kept)
        timings.append(part.timing.mapped(np.eye(1), np.array([float(pieces - first)])))
        pieces += last - first
    return QuaternionTrajectory(CubicQuaternionSpline(np.concatenate(controls)), join(timings))
