"""What a motion costs: the matrix W of resolved motion rate, `v W v / 2`, and products with its inverse.

A diagonal slows joints down one by one. A dense matrix couples them. One that is a multiple of the identity and a
single row more makes what the row measures small, and needs no factorisation (Sherman and Morrison 1950).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.centroidal import centroidal_momentum_matrix
from footfall.errors import InvalidInput
from footfall.robot.model import Robot

AXES = {"x": 0, "y": 1, "z": 2}


class MotionWeight(Protocol):
    """A positive definite matrix W (nv, nv)."""

    @property
    def numbers(self) -> Array:
        """Numbers (k,) that change without new native code."""

    def divide(self, robot: Robot, q: Array, rows: Array, numbers: Array) -> Array:
        """rows (m, nv) times the inverse of W at q (nq,), which may be symbols, as the numbers (k,)."""

    def facts(self) -> Any:
        """What native code depends on."""


@dataclass(frozen=True, eq=False)
class JointWeights:
    """Numbers above zero (nv,), large for joints that should move little, or a dense matrix (nv, nv)."""

    values: Array

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim == 1 and not (np.isfinite(values).all() and (values > 0.0).all()):
            raise InvalidInput("motion_weights must be finite numbers above zero")
        if values.ndim == 2:
            sound = values.shape[0] == values.shape[1] and np.isfinite(values).all()
            if not (sound and np.allclose(values, values.T) and np.linalg.eigvalsh(values)[0] > 0.0):
                raise InvalidInput("motion_weights as a matrix must be symmetric and positive definite")
        object.__setattr__(self, "values", values)

    @property
    def numbers(self) -> Array:
        return np.zeros(0)

    def divide(self, robot: Robot, q: Array, rows: Array, numbers: Array) -> Array:
        if self.values.shape[0] != robot.nv or self.values.ndim not in (1, 2):
            raise InvalidInput(
                f"motion_weights have shape {self.values.shape}; robot {robot.name!r} needs ({robot.nv},) or "
                f"({robot.nv}, {robot.nv})"
            )
        scaled: Array = rows / self.values if self.values.ndim == 1 else rows @ np.linalg.inv(self.values)
        return scaled

    def facts(self) -> Any:
        return self.values.tolist()


@dataclass(frozen=True)
class MomentumWeight:
    """Makes angular momentum about the centre of mass small: W = delta E + A^T A, Schwienbacher 2014, section 7.4.

    A: the row of the centroidal momentum matrix for an axis. delta: (kg m2)^2, the smaller the less momentum and the
    livelier the joints; the source uses 0.5.
    """

    delta: float = 0.5
    axis: str = "z"

    def __post_init__(self) -> None:
        if not 0.0 < self.delta < np.inf or self.axis not in AXES:
            raise InvalidInput(
                f"delta is {self.delta}, axis {self.axis!r}; delta must be above zero, the axis one of x, y, z"
            )

    @property
    def numbers(self) -> Array:
        return np.array([self.delta])

    def divide(self, robot: Robot, q: Array, rows: Array, numbers: Array) -> Array:
        delta = numbers[0]
        momentum = centroidal_momentum_matrix.textbook(robot, q)[3 + AXES[self.axis]]
        along = (rows @ momentum) / (delta + momentum @ momentum)  # (7.15), its denominator corrected
        scaled: Array = (rows - along[:, None] * momentum) / delta
        return scaled

    def facts(self) -> Any:
        return "momentum", self.axis
