"""The spatial crank that turns a pair of cameras towards each other, Schwienbacher 2014, (3.38)-(3.45)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import acos, sqrt
from footfall.errors import InvalidInput, RobotError
from footfall.robot import values
from footfall.robot.drives.mechanism import Mechanism, is_symbolic
from footfall.robot.drives.turning import turned

_Y = np.array([0.0, 1.0, 0.0])


class _Crank(NamedTuple):
    """Cosine of the lever's angle and its first and second derivative by q."""

    cosine: Any
    first: Any
    second: Any


@dataclass(frozen=True, eq=False)
class CameraVergence(Mechanism):
    """A lever about x moves a camera about y through a coupler.

    lever, coupler: lengths, m. lever_x: where along x the lever turns, m. receptacle (3,): the camera's pivot, tilt
    axes, m. camera_point (3,): the coupler's end, camera axes, m; both must have y = 0. ratio: motor turns a turn of
    the lever. reference: the vergence at which the motor's angle is zero, rad.
    """

    lever: float
    coupler: float
    lever_x: float
    receptacle: Array
    camera_point: Array
    ratio: float
    reference: float = 0.0
    _zero: float = field(init=False, repr=False, default=0.0)

    def __post_init__(self) -> None:
        subject = ("camera vergence", "")
        for name in ("receptacle", "camera_point"):
            point = values.finite_array(getattr(self, name), (3,), name, subject)
            if point[1] != 0.0:
                raise RobotError(f"{name} of a camera vergence has y = {point[1]}; the mechanism needs zero")
            object.__setattr__(self, name, point)
        for name in ("lever", "coupler", "ratio"):
            value = values.finite_number(getattr(self, name), name, subject)
            if not value > 0.0:
                raise RobotError(f"{name} of a camera vergence is {value}; it must be above zero")
        for name in ("lever_x", "reference"):
            values.finite_number(getattr(self, name), name, subject)
        object.__setattr__(self, "_zero", float(self.lever_angle(np.array([self.reference]))))

    @property
    def size(self) -> int:
        return 1

    def lever_angle(self, q: Array) -> Any:
        """Angle of the lever, rad, at the vergence q (1,), Schwienbacher 2014, (3.41)."""
        return acos(self._crank(q).cosine)

    def motor_position(self, q: Array) -> Array:
        return np.array([self.ratio * (self.lever_angle(q) - self._zero)])  # Schwienbacher 2014, (3.43)

    def motor_jacobian(self, q: Array) -> Array:
        crank = self._crank(q)
        # Schwienbacher 2014, (3.44) corrected.
        return np.array([[-self.ratio * crank.first / sqrt(1.0 - crank.cosine**2)]])

    def motor_jacobian_rate(self, q: Array, v: Array) -> Array:
        crank = self._crank(q)
        sine = sqrt(1.0 - crank.cosine**2)
        curvature = crank.second / sine + crank.cosine * crank.first**2 / sine**3
        return np.array([[-self.ratio * curvature * v[0]]])

    def _crank(self, q: Array) -> _Crank:
        point = turned(_Y, q[0], self.camera_point)
        x, z = self.receptacle[0] + point.vector[0], self.receptacle[2] + point.vector[2]
        x1, z1, x2, z2 = point.first[0], point.first[2], point.second[0], point.second[2]
        away = self.lever_x - x
        s = away**2 + self.lever**2 - self.coupler**2 + z**2  # Schwienbacher 2014, (3.42)
        s1 = 2.0 * (z * z1 - away * x1)
        s2 = 2.0 * (z1**2 + z * z2 + x1**2 - away * x2)
        double = 2.0 * self.lever
        cosine = s / (double * z)
        if not is_symbolic(cosine) and not abs(np.real(cosine)) < 1.0:
            raise InvalidInput(
                f"{self}: the coupler cannot reach the camera at q = {np.real(q).tolist()} rad "
                f"(cosine of the lever's angle {np.real(cosine):.4g}, it must be between -1 and 1)"
            )
        first = (s1 - s * z1 / z) / (double * z)
        second = (s2 - 2.0 * s1 * z1 / z - s * z2 / z + 2.0 * s * (z1 / z) ** 2) / (double * z)
        return _Crank(cosine, first, second)
