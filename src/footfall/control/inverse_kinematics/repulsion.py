"""A cost that keeps a robot's volumes apart, for what tasks leave free (Schwienbacher 2014, chapter 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.compiler import less, maximum, where
from footfall.dynamics.volume_distances import volume_distances
from footfall.errors import InvalidTask
from footfall.geometry.swept_pairs import VolumeDistances
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair


class NullSpaceCost(Protocol):
    """What can be made small by motion that no task sees."""

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,), whose negative is used as a velocity; q (nq,) may be symbols."""


@dataclass(frozen=True)
class CostSum:
    """Several costs as one."""

    costs: tuple[NullSpaceCost, ...]

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""
        return sum(cost.value(robot, q) for cost in self.costs)

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,)."""
        total: Array = np.sum([cost.gradient(robot, q) for cost in self.costs], axis=0)
        return total


@dataclass(frozen=True)
class RepulsiveCost:
    """Pushes volumes apart that are closer than `reach` (m), the more the closer, Schwienbacher 2014, (5.10) to (5.15).

    strength: slope of the cost where volumes touch, large enough to beat other costs; the joints' velocities are it
    times the Jacobian of the distance (m/rad). blend: of the slope's course, in [0, 1]: 0 is quadratic, smooth at the
    reach but steep near zero, 1 linear with a kink at the reach; between them linear near zero, then quadratic. pairs:
    names of volumes; by default those that the robot names. step: s; where a step of this length would overshoot, all
    pushes are weakened together until it does not (`stiffness` times step stays at most 1; without a step nothing is
    weakened, and `GuardedRate` warns).
    """

    reach: float = 0.1
    strength: float = 2.0
    blend: float = 0.5
    pairs: tuple[Pair, ...] | None = None
    step: float | None = None

    def __post_init__(self) -> None:
        if not (0.0 < self.reach < np.inf and 0.0 <= self.strength < np.inf and 0.0 <= self.blend <= 1.0):
            raise InvalidTask(
                f"reach is {self.reach}, strength {self.strength}, blend {self.blend}; "
                "they must be above zero, at least zero, and from 0 to 1"
            )
        if self.step is not None and not 0.0 < self.step < np.inf:
            raise InvalidTask(f"step is {self.step} s; it must be finite and above zero, or None")

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,): the sum over all pairs."""
        return self.potential(
            volume_distances(robot, q, pairs=self.pairs, threshold=self.reach).distance
        ).sum()

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,); q (nq,) may be symbols."""
        found = volume_distances(robot, q, pairs=self.pairs, threshold=self.reach)
        pushed: Array = self.slope(found.distance) @ found.jacobian
        if self.step is not None:
            pushed = pushed / maximum(self.step * self._stiffness(found), 1.0)
        return -pushed  # Schwienbacher 2014, (5.9), its sign corrected

    def stiffness(self, robot: Robot, q: Array) -> Any:
        """How fast pushes fade as volumes part, 1/s: steps longer than one over it overshoot, longer than two ring.

        Of one pair it is the slope's derivative times the square of the Jacobian; of several at most the sum.
        """
        return self._stiffness(volume_distances(robot, q, pairs=self.pairs, threshold=self.reach))

    def _stiffness(self, found: VolumeDistances) -> Any:
        squares = (found.jacobian * found.jacobian).sum(axis=1)
        return self.fading(found.distance) @ squares

    def fading(self, distance: Any) -> Any:
        """Minus the derivative of the slope at signed distances (...), 1/m."""
        s, a, t = self.strength, self.reach, self.blend
        smooth = 0.0 if t == 1.0 else 2.0 * s * (a - distance) / (a**2 * (1.0 - t**2))
        return where(less(distance, t * a), 2.0 * s / (a * (1.0 + t)), where(less(distance, a), smooth, 0.0))

    def slope(self, distance: Any) -> Any:
        """Minus dH/dd of a pair at signed distances (...), m: `strength` at zero, none from `reach` on."""
        s, a, t = self.strength, self.reach, self.blend
        linear = s - 2.0 * s * distance / (a * (1.0 + t))  # Schwienbacher 2014, (5.15)
        smooth = 0.0 if t == 1.0 else s * (a - distance) ** 2 / (a**2 * (1.0 - t**2))
        return where(less(distance, t * a), linear, where(less(distance, a), smooth, 0.0))

    def potential(self, distance: Any) -> Any:
        """H of a pair at signed distances (...), m."""
        s, a, t = self.strength, self.reach, self.blend
        at_blend = s * a * (1.0 - t) ** 2 / (3.0 * (1.0 + t))
        way = t * a - distance
        near = at_blend + s * way - s * way * (t * a + distance) / (a * (1.0 + t))
        far = 0.0 if t == 1.0 else s * (a - distance) ** 3 / (3.0 * a**2 * (1.0 - t**2))
        return where(less(distance, t * a), near, where(less(distance, a), far, 0.0))
