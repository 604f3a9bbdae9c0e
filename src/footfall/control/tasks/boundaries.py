"""Boundaries that a point of the robot must not cross."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from footfall.control.gains import Gains
from footfall.control.tasks.positions import HalfSpaceTask
from footfall.errors import InvalidInput

BOUNDARY_PRIORITY = -1  # before the first of other tasks


@dataclass(frozen=True, eq=False, repr=False)
class Boundary(HalfSpaceTask):
    """A point stays on the side of a plane that its normal points to: gaps g close no faster than
    `g'' = -damping g' - stiffness g`.

    name: for reports. most_force: that holds it off, N; beyond, it gives way. Only hybrid control can limit that.
    """

    usual: ClassVar[Gains] = Gains(400.0, 40.0)

    name: str = "boundary"
    most_force: float = np.inf
    priority: int = field(default=BOUNDARY_PRIORITY, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInput(f"name of a boundary is {self.name!r}; it must be a text")
        number = isinstance(self.most_force, (int, float)) and not isinstance(self.most_force, bool)
        if not (number and self.most_force > 0.0):
            raise InvalidInput(
                f"{self.label}: most_force is {self.most_force!r}; it must be a number above zero"
            )

    @property
    def label(self) -> str:
        return f"boundary {self.name!r}"

    def check(self, level: Literal["position", "velocity", "acceleration"]) -> None:
        super().check(level)
        if np.isfinite(self.most_force):
            raise InvalidInput(f"{self.label}: only hybrid control (solve_tasks) can limit its force")
