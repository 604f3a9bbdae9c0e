"""A screw of variable length across a hinge, as in LOLA's knees, Schwienbacher 2014, (3.3)-(3.21)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import atan2, sqrt
from footfall.errors import RobotError
from footfall.math.spatial import cross
from footfall.robot import values
from footfall.robot.drives.mechanism import Mechanism
from footfall.robot.drives.turning import turned


class _Screw(NamedTuple):
    """The vector along the screw (3,) with its derivatives by q, its length and that one's derivative."""

    vector: Array
    first: Array
    second: Array
    length: Any
    slope: Any


@dataclass(frozen=True, eq=False)
class KneeScrew(Mechanism):
    """A screw between a point of the thigh and a point of the shank.

    thigh_to_hinge (3,): from the screw's pivot in the thigh to the hinge, thigh axes, m.
    hinge_to_shank (3,): from the hinge to the screw's pivot in the shank, shank axes, m.
    axis (3,): of the hinge; both sets of axes agree at q = 0. lead: m a turn of the screw.
    tilt: whether the screw swings with its length; without, it turns about `screw_axis` (3,), constant in the thigh.
    """

    thigh_to_hinge: Array
    hinge_to_shank: Array
    lead: float
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    tilt: bool = False
    screw_axis: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))

    def __post_init__(self) -> None:
        subject = ("knee screw", "")
        for name in ("thigh_to_hinge", "hinge_to_shank"):
            object.__setattr__(self, name, values.finite_array(getattr(self, name), (3,), name, subject))
        for name in ("axis", "screw_axis"):
            unit = np.array(values.unit_vector(getattr(self, name), name, subject))
            unit.flags.writeable = False
            object.__setattr__(self, name, unit)
        if not (math.isfinite(self.lead) and self.lead != 0.0):
            raise RobotError(f"lead of a knee screw is {self.lead} m; it must be finite and not zero")
        arms = [np.linalg.norm(cross(self.axis, arm)) for arm in (self.thigh_to_hinge, self.hinge_to_shank)]
        if min(arms) == 0.0:
            raise RobotError("a pivot of a knee screw lies on the hinge; both need a lever arm")

    def __repr__(self) -> str:
        return f"KneeScrew(lead={self.lead:g} m, lever={np.linalg.norm(self.hinge_to_shank):.4g} m)"

    @property
    def size(self) -> int:
        return 1

    @property
    def ratio(self) -> float:
        """Radians of the screw a metre of its length, Schwienbacher 2014, (3.4)."""
        return 2.0 * math.pi / self.lead

    def screw_length(self, q: Array) -> Any:
        """Distance of the two pivots, m, Schwienbacher 2014, (3.3)."""
        return self._screw(q).length

    def motor_position(self, q: Array) -> Array:
        return np.array([self.ratio * self._screw(q).length])

    def motor_jacobian(self, q: Array) -> Array:
        return np.array([[self.ratio * self._screw(q).slope]])

    def motor_jacobian_rate(self, q: Array, v: Array) -> Array:
        return np.array([[self.ratio * _slope_rate(self._screw(q), v[0])]])

    def tilt_angle(self, q: Array) -> Any:
        """Angle of the screw from the thigh's y towards its x axis, rad, Schwienbacher 2014, (3.15); for hinges about
        z."""
        screw = self._screw(q)
        return atan2(screw.vector[0], screw.vector[1])

    def rotor_jacobian(self, q: Array) -> Array:
        """Angular velocity (3,) of the screw against the thigh a unit of joint rate, thigh axes.

        Schwienbacher 2014, (3.10).
        """
        screw = self._screw(q)
        if not self.tilt:
            fixed: Array = self.screw_axis * (self.ratio * screw.slope)
            return fixed
        swing = cross(screw.vector, screw.first) / screw.length**2
        tilted: Array = swing + screw.vector * (self.ratio * screw.slope / screw.length)
        return tilted

    def rotor_jacobian_rate(self, q: Array, v: Array) -> Array:
        """Derivative (3,) of `rotor_jacobian` by time at the joint rate v (1,), 1/s, Schwienbacher 2014, (3.11)
        corrected."""
        screw, rate = self._screw(q), v[0]
        twist, twist_rate = self.ratio * screw.slope, self.ratio * _slope_rate(screw, rate)
        if not self.tilt:
            fixed: Array = self.screw_axis * twist_rate
            return fixed
        length, growth = screw.length, screw.slope * rate
        swing_rate = (
            cross(screw.vector, screw.second) * rate / length**2
            - cross(screw.vector, screw.first) * (2.0 * growth) / length**3
        )
        direction_rate = screw.first * (rate / length) - screw.vector * (growth / length**2)
        tilted: Array = swing_rate + screw.vector * (twist_rate / length) + direction_rate * twist
        return tilted

    def reflected_screw_inertia(self, q: Array, *, axial: float, transverse: float) -> Any:
        """Inertia of the screw seen at the hinge, kg m2; transverse (about its pivot) counts with tilt only."""
        jacobian = self.rotor_jacobian(q)
        screw = self._screw(q)
        along = screw.vector / screw.length if self.tilt else self.screw_axis
        spin = along @ jacobian
        return axial * spin * spin + transverse * (jacobian @ jacobian - spin * spin)

    def _screw(self, q: Array) -> _Screw:
        lever = turned(self.axis, q[0], self.hinge_to_shank)
        vector = self.thigh_to_hinge + lever.vector
        length = sqrt(vector @ vector)
        return _Screw(vector, lever.first, lever.second, length, vector @ lever.first / length)


def _slope_rate(screw: _Screw, rate: Any) -> Any:
    """Rate of dl/dq, Schwienbacher 2014, (3.11) corrected."""
    curvature = (screw.first @ screw.first + screw.vector @ screw.second - screw.slope**2) / screw.length
    return curvature * rate
