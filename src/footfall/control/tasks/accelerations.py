"""Tasks without a position: accelerations as they are, without feedback, and angular momentum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from footfall.arrays import Array
from footfall.control.tasks.points import Segment
from footfall.control.tasks.rows import AXES, LINEAR
from footfall.control.tasks.task import MotionTask, TaskValue
from footfall.dynamics.centroidal import centroidal_momentum_bias, centroidal_momentum_matrix
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_attachment
from footfall.robot.model import Robot


@dataclass(frozen=True, eq=False, repr=False)
class MomentumTask(MotionTask):
    """The angular momentum about the centre of mass should be target (3,), kg m2/s, world axes.

    Schwienbacher 2014, (7.2).
    There is no angle that belongs to it, so it has a rate but no error: where accelerations are asked for, only the
    damping of the gains counts. rows: which axes count.
    """

    order: ClassVar[int] = 1
    row_names = LINEAR

    target: Array = field(default_factory=lambda: np.zeros(3))
    rows: str | Sequence[str] = field(default=LINEAR, kw_only=True)

    def _settle(self, target: Any) -> None:
        self._set("target", self._array("target", target, (3,)))
        self._set("rate", self._array("target", self.target[self.places], None))

    @property
    def label(self) -> str:
        return "angular momentum"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("momentum", self.rows)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        rows = centroidal_momentum_matrix.textbook(robot, q)[3:][self.places]
        return TaskValue(np.zeros(len(rows)), rows)

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        bias: Array = centroidal_momentum_bias.textbook(robot, q, v)[3:]
        return bias[self.places]


@dataclass(frozen=True, eq=False, repr=False)
class FrameAcceleration(MotionTask):
    """The acceleration [a; alpha] of a frame should be target (6,), m/s2 and rad/s2, world axes, RSL 2022, (3.111).

    rows: some of "x", "y", "z", "rx", "ry", "rz".
    """

    order: ClassVar[int] = 2
    row_names = AXES

    frame: str
    target: Array
    rows: str | Sequence[str] = field(default=AXES, kw_only=True)

    def _settle(self, target: Any) -> None:
        self._set("target", self._array("target", target, (6,)))
        self._set("acceleration", self.target[self.places])

    def settled(self, robot: Robot, time: float = 0.0) -> Self:
        frame_attachment(robot, self.frame)
        return super().settled(robot, time)

    @property
    def label(self) -> str:
        return f"acceleration of {self.frame}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("frame acceleration", self.frame, self.rows)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        rows = frame_jacobian.textbook(robot, q, self.frame)[self.places]
        return TaskValue(np.zeros(len(rows)), rows)

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        bias: Array = frame_jacobian_bias.textbook(robot, q, v, self.frame)
        return bias[self.places]

    def segment(self, robot: Robot) -> Segment:
        return Segment(self.frame, None)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        return np.eye(6)[:, self.places]


@dataclass(frozen=True, eq=False, repr=False)
class JointAcceleration(MotionTask):
    """The accelerations of all velocities should be target (nv,), those of a floating base included."""

    order: ClassVar[int] = 2

    target: Array

    def _settle(self, target: Any) -> None:
        self._set("target", self._array("target", target, None))
        self._set("acceleration", self.target)

    def settled(self, robot: Robot, time: float = 0.0) -> Self:
        task = super().settled(robot, time)
        self._array("target", task.target, (robot.nv,))
        return task

    @property
    def label(self) -> str:
        return "accelerations of the joints"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("joint acceleration",)

    def size(self, robot: Robot) -> int:
        return robot.nv

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        return TaskValue(np.zeros(robot.nv), np.eye(robot.nv))

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        return np.zeros(robot.nv)
