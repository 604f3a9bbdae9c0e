"""What moves the joints where no task decides: gradients of costs, smoothed if asked for, and terms that see what the
tasks do (Schwienbacher 2014, (7.3) and (7.8))."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.compiler import maximum, minimum
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


class TaskMotion(NamedTuple):
    """What a term sees of the tasks at q.

    particular: v (nv,) that serves the tasks alone. free: v (nv,) that the cost and terms before this one add, without
    what tasks would feel. project: a velocity (nv,) without its part that tasks would feel,
    as the weights measure it. numbers: of the term. told: those (k,) that the caller gives it.
    """

    particular: Array
    free: Array
    project: Callable[[Array], Array]
    numbers: Array
    told: Array


class NullSpaceTerm(Protocol):
    """A velocity for what tasks leave free."""

    @property
    def numbers(self) -> Array:
        """Numbers (k,) that change without new native code."""

    @property
    def told(self) -> int:
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
        if not (0.0 < self.dt < np.inf and 0.0 < self.cutoff < np.inf and self.jerk > 0.0):
            raise InvalidInput(
                f"dt is {self.dt} s, cutoff {self.cutoff} Hz, jerk {self.jerk}; all must be above zero"
            )
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
