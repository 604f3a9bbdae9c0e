"""What resolved rates do with the motion that tasks leave free, Schwienbacher 2014, chapters 4 and 7.

What a motion costs: the matrix W of `v W v / 2`, and products with its inverse. A diagonal slows joints down one by
one, a dense matrix couples them; a multiple of the identity and a single row more make what the row measures small, and
need no factorisation (Sherman and Morrison 1950). What moves the joints where no task decides: gradients of costs,
smoothed if asked for, and terms that see what the tasks do ((7.3) and (7.8)).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.compiler import maximum, minimum
from footfall.dynamics.centroidal import centroidal_momentum_matrix
from footfall.errors import InvalidInput
from footfall.option_checks import require_above_zero
from footfall.renamed import warn_renamed
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


class TaskMotion(NamedTuple):
    """What a term sees of the tasks at q.

    particular: v (nv,) that serves the tasks alone. free: v (nv,) that the cost and terms before this one add, without
    what tasks would feel. project: a velocity (nv,) without its part that tasks would feel,
    as the weights measure it. numbers: of the term. inputs: those (k,) that the caller gives it.
    """

    particular: Array
    free: Array
    project: Callable[[Array], Array]
    numbers: Array
    inputs: Array

    @property
    def told(self) -> Array:
        """The old name of `inputs`."""
        warn_renamed("TaskMotion.told", "inputs", depth=3)
        return self.inputs


class NullSpaceTerm(Protocol):
    """A velocity for what tasks leave free."""

    @property
    def numbers(self) -> Array:
        """Numbers (k,) that change without new native code."""

    @property
    def inputs(self) -> int:
        """How many numbers the caller gives at each call."""

    def facts(self) -> Any:
        """What native code depends on."""

    def velocity(self, robot: Robot, q: Array, motion: TaskMotion) -> Array:
        """v (nv,) at q (nq,), which may be symbols; what tasks would feel of it is taken away afterwards."""


@dataclass(frozen=True)
class Smoothing:
    """How null-space motion of a cost follows its gradient: as a critically damped filter.

    dt: s, length of a step. cutoff: Hz; LOLA's was 6. jerk: rad/s3 or m/s3, that pairs which come and go may add to a
    joint's motion.
    """

    dt: float
    cutoff: float = 6.0
    jerk: float = np.inf

    def __post_init__(self) -> None:
        require_above_zero(self, "dt", "cutoff")
        if not self.jerk > 0.0:
            raise InvalidInput(f"jerk is {self.jerk}; it must be above zero")
        if 2 * np.pi * self.cutoff * self.dt > 1.0:
            raise InvalidInput(
                f"cutoff is {self.cutoff} Hz with steps of {self.dt} s; it must be below {0.159 / self.dt:.3g} Hz"
            )

    def step(self, memory: Array, wanted: Array) -> tuple[Array, Array]:
        """The smoothed velocity (nv,) for this step and the memory (2, nv) for the next: velocity and its rate."""
        now, rate = memory
        w = 2 * np.pi * self.cutoff
        change: Any = w * w * (wanted - now) - 2 * w * rate
        if np.isfinite(self.jerk):
            change = minimum(maximum(change, -self.jerk), self.jerk)
        rate = rate + self.dt * change
        later = now + self.dt * rate
        return later, np.array([later, rate])
