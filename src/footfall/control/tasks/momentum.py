"""The task about angular momentum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from footfall.arrays import Array
from footfall.control.tasks.rows import LINEAR, chosen_rows, row_places
from footfall.control.tasks.task import MotionTask, TaskValue
from footfall.dynamics.centroidal import centroidal_momentum_bias, centroidal_momentum_matrix
from footfall.robot.model import Robot


@dataclass(frozen=True, eq=False, repr=False)
class MomentumTask(MotionTask):
    """The angular momentum about the centre of mass should be target (3,), kg m2/s, world axes.

    Schwienbacher 2014, (7.2).
    There is no angle that belongs to it, so it has a rate but no error: where accelerations are asked for, only the
    damping of the gains counts. rows: which axes count.
    """

    order: ClassVar[int] = 1

    target: Array = field(default_factory=lambda: np.zeros(3))
    rows: str | Sequence[str] = field(default=LINEAR, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("rows", chosen_rows(self.rows, LINEAR, self.label))
        if not self.moving:
            self._settle(self.target)

    def _settle(self, target: Any) -> None:
        self._set("target", self._array("target", target, (3,)))
        self._set("rate", self._array("target", self.target[row_places(self.rows, LINEAR)], None))

    @property
    def label(self) -> str:
        return "angular momentum"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("momentum", self.rows)

    @property
    def parameters(self) -> Array:
        return np.zeros(0)

    def size(self, robot: Robot) -> int:
        return len(self.rows)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        places = row_places(self.rows, LINEAR)
        return TaskValue(np.zeros(len(places)), centroidal_momentum_matrix.textbook(robot, q)[3:][places])

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        bias: Array = centroidal_momentum_bias.textbook(robot, q, v)[3:]
        return bias[row_places(self.rows, LINEAR)]
