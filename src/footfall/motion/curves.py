"""All trajectories of a motion, and their values at any time in one native call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import FootfallError
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory, join
from footfall.motion.evaluation_loops import evaluate

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class MotionCurves:
    """Trajectories in world axes over the same times; m, rad, N, Nm.

    Dimensions: zmp, feet, hands, torso (mass of the reduced model) and center_of_mass 3; toes and selection 1; load 16
    (see `plan_load`).
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
    torso: PolynomialTrajectory
    center_of_mass: PolynomialTrajectory
    upper_body: QuaternionTrajectory
    head: QuaternionTrajectory
    right_foot_rotation: QuaternionTrajectory
    left_foot_rotation: QuaternionTrajectory

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
        values, rotations = self._evaluate(at.reshape(-1))
        return MotionSamples(
            values.reshape(*at.shape, 3, WIDTH), rotations.reshape(*at.shape, len(ROTATIONS), 10)
        )

    def snapshot(self, time: float) -> MotionSamples:
        """All values and two derivatives at one time, s: the fast way."""
        if not math.isfinite(time):
            raise InvalidTime(f"time is {time}; it must be a finite number, s")
        values, rotations = self._evaluate(np.array([time]))
        return MotionSamples(values[0], rotations[0])

    @cached_property
    def _evaluate(self) -> Any:
        packed = _packed(self)
        return lambda at: evaluate(at, *packed)


POLYNOMIALS = (
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
    "torso",
    "center_of_mass",
)
ROTATIONS = ("upper_body", "head", "right_foot_rotation", "left_foot_rotation")
WIDTH = 41


class InvalidTime(FootfallError, ValueError):
    """A time that is no number."""


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


def _packed(curves: MotionCurves) -> tuple[Any, ...]:
    """The arguments of `evaluate` behind the times."""
    times, coefficients, layout, starts, logarithms = [], [], [], [], []
    first, offset, column, piece = 0, 0, 0, 0
    for name in (*POLYNOMIALS, *ROTATIONS):
        curve = getattr(curves, name)
        polynomial: PolynomialTrajectory = curve if name in POLYNOMIALS else curve.timing
        own = polynomial.coefficients
        if own.shape[1] < 6:
            own = np.concatenate([np.zeros((len(own), 6 - own.shape[1], own.shape[2])), own], axis=1)
        row = [first, len(own), offset, own.shape[2], column]
        if name in ROTATIONS:
            shape = curve.shape
            row[3:] = [len(shape.controls), -1 - piece]
            starts.append(shape.controls[:, 0])
            logarithms.append(shape.logarithms)
            piece += len(shape.controls)
        else:
            column += own.shape[2]
        layout.append(row)
        times.append(polynomial.times)
        coefficients.append(own.ravel())
        first += len(own) + 1
        offset += own.size
    return (
        np.concatenate(times),
        np.concatenate(coefficients),
        np.array(layout, dtype=np.int64),
        np.concatenate(starts),
        np.concatenate(logarithms),
        WIDTH,
        curves.start,
        curves.end,
    )
