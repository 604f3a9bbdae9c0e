"""When tasks begin and end: conditions on what happens along an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple

from footfall.control.tasks.rows import AXES
from footfall.errors import InvalidInput

Quantity = Literal["force", "position", "speed"]
QUANTITIES: tuple[Quantity, ...] = ("force", "position", "speed")


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition on a quantity along an axis of a task: a force (N, N m), a position (m, rad) or a speed (m/s, rad/s).

    It holds if the quantity is above one bound or below the other, with its sign; beyond: if its size is above,
    within: if its size is below, whatever the sign.
    """

    axis: str
    quantity: Quantity
    above: float = math.inf
    below: float = -math.inf
    beyond: float = math.inf
    within: float = -math.inf

    def __post_init__(self) -> None:
        if self.axis not in AXES or self.quantity not in QUANTITIES:
            raise InvalidInput(
                f"guard on {self.quantity!r} of axis {self.axis!r}: there are the quantities "
                f"{', '.join(QUANTITIES)} and the axes {', '.join(AXES)}"
            )
        bounds = {each.name: getattr(self, each.name) for each in fields(self)[2:]}
        for name, bound in bounds.items():
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or math.isnan(bound):
                raise InvalidInput(f"guard on {self.axis}: {name} is {bound!r}; it must be a number")
        for name in ("beyond", "within"):
            if math.isfinite(bounds[name]) and bounds[name] < 0.0:
                raise InvalidInput(
                    f"guard on {self.axis}: {name} is {bounds[name]}; sizes are not negative, see above and below"
                )
        if not any(math.isfinite(bound) for bound in bounds.values()):
            raise InvalidInput(
                f"guard on {self.quantity} of {self.axis} has no bound; give one of {', '.join(bounds)}"
            )

    def holds(self, value: float) -> bool:
        """Whether a value of its quantity fulfils it."""
        size = abs(value)
        return value > self.above or value < self.below or size > self.beyond or size < self.within


class TaskProgress(NamedTuple):
    """Names of tasks that have begun and of those that have ended, one control period handing them to the next."""

    started: frozenset[str] = frozenset()
    finished: frozenset[str] = frozenset()
