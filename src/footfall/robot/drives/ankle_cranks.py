"""Two spatial slider-cranks that move a universal joint, as in LOLA's ankles, Schwienbacher 2014, (3.22)-(3.37)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import sqrt
from footfall.errors import InvalidInput, RobotError
from footfall.robot import values
from footfall.robot.drives.mechanism import Mechanism, is_symbolic
from footfall.robot.drives.turning import turned


@dataclass(frozen=True, eq=False)
class SliderCrank:
    """A nut that slides along a screw fixed in the shank, and a coupler from it to the foot.

    top (3,): where the screw starts, shank axes from the shank's origin, m. direction (3,): of the screw, towards
    the foot. foot_point (3,): the coupler's end, foot axes from the foot's origin, m. coupler: its length, m.
    lead: m a turn of the screw.
    """

    top: Array
    direction: Array
    foot_point: Array
    coupler: float
    lead: float

    def __post_init__(self) -> None:
        subject = ("slider-crank", "")
        for name in ("top", "foot_point"):
            object.__setattr__(self, name, values.finite_array(getattr(self, name), (3,), name, subject))
        direction = np.array(values.unit_vector(self.direction, "direction", subject))
        direction.flags.writeable = False
        object.__setattr__(self, "direction", direction)
        if not (math.isfinite(self.coupler) and self.coupler > 0.0):
            raise RobotError(f"coupler of a slider-crank is {self.coupler} m; it must be above zero")
        if not (math.isfinite(self.lead) and self.lead != 0.0):
            raise RobotError(f"lead of a slider-crank is {self.lead} m; it must be finite and not zero")

    @property
    def ratio(self) -> float:
        """Radians of the screw a metre of the nut's travel."""
        return 2.0 * math.pi / self.lead


class _Reach(NamedTuple):
    """From the screw's top to the foot's point: vector (3,), gradient (3, 2); across: minus its part normal to the
    screw (3,); drop: how far the foot's point lies behind the nut along the screw, m."""

    vector: Array
    gradient: Array
    across: Array
    drop: Any


@dataclass(frozen=True, eq=False)
class AnkleCranks(Mechanism):
    """A pair of slider-cranks over two joints that follow each other.

    cranks: the two mechanisms. first_axis, second_axis (3,): of the joints, at q = 0, where all axes agree.
    shank_to_ankle (3,): from the shank's to the ankle's origin, shank axes, m. ankle_to_foot (3,): from there to the
    foot's origin, axes of the body between the joints, m.
    """

    cranks: tuple[SliderCrank, SliderCrank]
    first_axis: Array
    second_axis: Array
    shank_to_ankle: Array
    ankle_to_foot: Array

    def __post_init__(self) -> None:
        subject = ("ankle", "")
        for name in ("shank_to_ankle", "ankle_to_foot"):
            object.__setattr__(self, name, values.finite_array(getattr(self, name), (3,), name, subject))
        for name in ("first_axis", "second_axis"):
            unit = np.array(values.unit_vector(getattr(self, name), name, subject))
            unit.flags.writeable = False
            object.__setattr__(self, name, unit)
        if len(self.cranks) != 2:
            raise RobotError(f"an ankle has {len(self.cranks)} slider-cranks; it must have two")

    def __repr__(self) -> str:
        return f"AnkleCranks(couplers={[crank.coupler for crank in self.cranks]} m)"

    @property
    def size(self) -> int:
        return 2

    def nut_position(self, q: Array) -> Array:
        """Travel (2,) of the nuts from the tops of their screws, m, Schwienbacher 2014, (3.25), (3.29)."""
        return np.array([self._travel(crank, self._reach(crank, q)) for crank in self.cranks])

    def coupler_vectors(self, q: Array) -> Array:
        """From the nuts to the foot (2, 3), shank axes, m; as long as the couplers."""
        reaches = [self._reach(crank, q) for crank in self.cranks]
        return np.array(
            [
                reach.vector - crank.direction * self._travel(crank, reach)
                for crank, reach in zip(self.cranks, reaches, strict=True)
            ]
        )

    def motor_position(self, q: Array) -> Array:
        return np.array([crank.ratio for crank in self.cranks]) * self.nut_position(q)

    def motor_jacobian(self, q: Array) -> Array:
        rows = []
        for crank in self.cranks:
            reach = self._reach(crank, q)
            # Schwienbacher 2014, (3.32), (3.36).
            rows.append(crank.ratio * (_sensitivity(crank, reach) @ reach.gradient))
        return np.array(rows)

    def motor_jacobian_rate(self, q: Array, v: Array) -> Array:
        rows = []
        for crank in self.cranks:
            reach = self._reach(crank, q)
            velocity = reach.gradient @ v
            turning = _across(crank, velocity)
            # Schwienbacher 2014, (3.35)
            rate = reach.across * (velocity @ reach.across) / reach.drop**3 - turning / reach.drop
            gradient_rate = self._gradient_rate(crank, q, v)
            # Schwienbacher 2014, (3.33), (3.37)
            rows.append(crank.ratio * (_sensitivity(crank, reach) @ gradient_rate + rate @ reach.gradient))
        return np.array(rows)

    @staticmethod
    def _travel(crank: SliderCrank, reach: _Reach) -> Any:
        return crank.direction @ reach.vector - reach.drop  # the other root has the nut below the foot

    def _reach(self, crank: SliderCrank, q: Array) -> _Reach:
        foot = turned(self.second_axis, q[1], crank.foot_point)
        ankle = turned(self.first_axis, q[0], self.ankle_to_foot + foot.vector)
        vector = self.shank_to_ankle + ankle.vector - crank.top  # Schwienbacher 2014, (3.23)
        across = _across(crank, vector)
        square = crank.coupler**2 + vector @ across
        if not is_symbolic(square) and np.real(square) <= 0.0:
            raise InvalidInput(
                f"{self}: at q = {np.round(np.real(q), 6).tolist()} the foot is "
                f"{math.sqrt(crank.coupler**2 - np.real(square)):.4g} m off the line of the screw; the coupler of "
                f"{crank.coupler:g} m must be longer than that"
            )
        gradient = np.stack([ankle.first, turned(self.first_axis, q[0], foot.first).vector], axis=1)
        return _Reach(vector, gradient, across, sqrt(square))

    def _gradient_rate(self, crank: SliderCrank, q: Array, v: Array) -> Array:
        foot = turned(self.second_axis, q[1], crank.foot_point)
        ankle = turned(self.first_axis, q[0], self.ankle_to_foot + foot.vector)
        mixed = turned(self.first_axis, q[0], foot.first).first
        curved = turned(self.first_axis, q[0], foot.second).vector
        return np.stack([ankle.second * v[0] + mixed * v[1], mixed * v[0] + curved * v[1]], axis=1)


def _across(crank: SliderCrank, vector: Array) -> Array:
    """P r with P = e e^T - E, Schwienbacher 2014, (3.28c)."""
    result: Array = crank.direction * (crank.direction @ vector) - vector
    return result


def _sensitivity(crank: SliderCrank, reach: _Reach) -> Array:
    """Derivative (3,) of the nut's travel by the position of the foot's point, Schwienbacher 2014, (3.34)."""
    result: Array = crank.direction - reach.across / reach.drop
    return result
