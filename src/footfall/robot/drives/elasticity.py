"""Elastic gears, and the torso's bending mode: a spring and a damper between two inertias."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from footfall.errors import RobotError
from footfall.option_checks import require_above_zero

# Second mode of LOLA standing, bending of the torso about the walking axis, Hz, Seiwald 2023, section 3.8.
TORSO_FREQUENCIES: Mapping[str, float] = MappingProxyType({"lola-2012": 9.7, "lola": 11.6})


@dataclass(frozen=True, slots=True)
class Elasticity:
    """stiffness: N m/rad. damping: N m s/rad. Both on the joint's side of the gear."""

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        require_above_zero(self, "stiffness", error=RobotError)
        if not (math.isfinite(self.damping) and self.damping >= 0.0):
            raise RobotError(f"damping is {self.damping} N m s/rad; it must be finite and not negative")

    def torque(self, twist: Any, rate: Any) -> Any:
        """On the joint, N m; twist (rad) and its rate: how far the gear's output is ahead of the joint."""
        return self.stiffness * twist + self.damping * rate

    def locked_frequency(self, joint_inertia: float) -> float:
        """Of the joint against a motor that stands still, undamped, Hz: the antiresonance of the motor."""
        return math.sqrt(self.stiffness / joint_inertia) / (2.0 * math.pi)

    def free_frequency(self, joint_inertia: float, reflected_rotor_inertia: float) -> float:
        """Of joint and motor against each other, undamped, Hz; inertias in kg m2 on the joint's side."""
        both = 1.0 / joint_inertia + 1.0 / reflected_rotor_inertia
        return math.sqrt(self.stiffness * both) / (2.0 * math.pi)


def elasticity_of_mode(frequency: float, inertia: float, *, damping_ratio: float = 0.02) -> Elasticity:
    """Spring and damper on which `inertia` (kg m2) oscillates with a frequency in Hz, such as the torso's."""
    require_above_zero({"frequency": frequency, "inertia": inertia}, of=" of a mode", error=RobotError)
    omega = 2.0 * math.pi * frequency
    return Elasticity(inertia * omega**2, 2.0 * damping_ratio * inertia * omega)
