"""A spring and a damper that act on a joint by themselves: leaf springs, a torso that bends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from footfall.errors import RobotError


@dataclass(frozen=True, slots=True)
class Spring:
    """joint: its name. stiffness: N m/rad or N/m. damping: N m s/rad or N s/m. rest: where it is relaxed, rad or m."""

    joint: str
    stiffness: float
    damping: float = 0.0
    rest: float = 0.0

    def __post_init__(self) -> None:
        subject = ("spring of", self.joint)
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise RobotError(f"{name} is {value}; it must be finite and not negative", subject=subject)
        if not math.isfinite(self.rest):
            raise RobotError(f"rest is {self.rest}; it must be finite", subject=subject)

    def torque(self, q: Any, v: Any) -> Any:
        """On the joint, N m or N, at position q and rate v."""
        return self.stiffness * (self.rest - q) - self.damping * v
