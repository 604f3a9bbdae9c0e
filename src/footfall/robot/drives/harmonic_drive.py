"""Harmonic Drive, or any gear of constant ratio: the rotor turns N times the joint, Schwienbacher 2014, chapter 3."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.robot.drives.mechanism import Mechanism


@dataclass(frozen=True)
class HarmonicDrive(Mechanism):
    """ratio: motor turns a joint turn, negative if they turn against each other."""

    ratio: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ratio) and self.ratio != 0.0):
            raise RobotError(f"ratio of a Harmonic Drive is {self.ratio}; it must be finite and not zero")

    @property
    def size(self) -> int:
        return 1

    def motor_position(self, q: Array) -> Array:
        return self.ratio * np.asarray(q)

    def motor_jacobian(self, q: Array) -> Array:
        return np.array([[self.ratio]])

    def motor_jacobian_rate(self, q: Array, v: Array) -> Array:
        return np.zeros((1, 1))

    def joint_position(self, motor_position: Array, *, start: Array, iterations: int = 0) -> Array:
        return np.asarray(motor_position) / self.ratio
