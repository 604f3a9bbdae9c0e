"""Friction and efficiency of a drive, on the motor's shaft."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from footfall.compiler import absolute, sqrt
from footfall.errors import RobotError
from footfall.option_checks import require_above_zero


@dataclass(frozen=True, slots=True)
class Friction:
    """Torque against the motion: viscous w + (coulomb + load |torque|) sign(w).

    viscous: N m s/rad. coulomb: N m. load: friction a unit of transmitted torque. smoothing: speed, rad/s, around
    which the sign changes; it makes the law differentiable, and lets a drive at rest creep.
    """

    viscous: float = 0.0
    coulomb: float = 0.0
    load: float = 0.0
    smoothing: float = 0.01

    def __post_init__(self) -> None:
        for name in ("viscous", "coulomb", "load"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise RobotError(f"{name} friction is {value}; it must be finite and not negative")
        require_above_zero(self, "smoothing", of=" of friction", error=RobotError)

    @property
    def forward_efficiency(self) -> float:
        """Share of the motor's power that reaches the joint when the motor drives, load-dependent part only."""
        return 1.0 / (1.0 + self.load)

    @property
    def backward_efficiency(self) -> float:
        """Share of the joint's power that reaches the motor when the joint drives; zero if it locks."""
        return max(0.0, 1.0 - self.load)

    @property
    def back_drivable(self) -> bool:
        """Whether a torque at the joint alone can turn the motor, however large it is."""
        return self.load < 1.0

    def torque(self, speed: Any, transmitted: Any = 0.0) -> Any:
        """Friction on the shaft, N m, positive against positive speed (rad/s); transmitted: gear torque, N m."""
        sign = speed / sqrt(speed * speed + self.smoothing**2)
        return self.viscous * speed + (self.coulomb + self.load * absolute(transmitted)) * sign


def friction_of_efficiency(
    efficiency: float, *, viscous: float = 0.0, coulomb: float = 0.0, smoothing: float = 0.01
) -> Friction:
    """Friction whose load-dependent part gives that efficiency (0 to 1] when the motor drives."""
    if not 0.0 < efficiency <= 1.0:
        raise RobotError(f"efficiency is {efficiency}; it must be above 0 and at most 1")
    return Friction(viscous, coulomb, 1.0 / efficiency - 1.0, smoothing)
