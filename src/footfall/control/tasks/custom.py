"""Tasks of one's own, and tasks made of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from footfall.arrays import Array
from footfall.compiler import jacobian as derivative
from footfall.control.gains import Gains
from footfall.control.tasks.points import Segment
from footfall.control.tasks.task import MotionTask, TaskValue
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput
from footfall.math.angular_velocity import rotation_rate_map
from footfall.robot.model import Robot


@dataclass(frozen=True, eq=False, repr=False)
class CustomTask(MotionTask):
    """`value(robot, q)` (m,) should be target (m,); the function is traced, its Jacobian and bias are derived."""

    value: Callable[[Robot, Array], Array]
    target: Array | Callable[[float], Array]
    name: str = "custom"

    def _settle(self, target: Any) -> None:
        self._set("target", self._array("target", target, None))
        if not len(self.target):  # type: ignore[arg-type]
            raise InvalidInput(f"{self.label}: the target is empty; a task has at least one row")

    @property
    def label(self) -> str:
        return self.name

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("custom", self.value, self._count)

    @property
    def _count(self) -> int:
        return len(self.target(0.0) if callable(self.target) else self.target)

    def size(self, robot: Robot) -> int:
        return self._count

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        value = np.asarray(self.value(robot, q))
        if value.shape != parameters.shape:
            raise InvalidInput(
                f"{self.label}: the function gives {value.shape}, but the target is {parameters.shape}; they must agree"
            )
        partial = derivative(value, q)
        columns = [
            partial[:, link.q] @ rotation_rate_map("quaternion", q[link.q], body_axes=True)
            if link.kind == "spherical"
            else partial[:, link.q]
            for link in robot.tree.links
        ]
        every = np.concatenate(columns, axis=1)
        return TaskValue(parameters - value, Coupling(robot, q).columns(every))


@dataclass(frozen=True, eq=False, repr=False)
class CombinedTask(MotionTask):
    """Combinations of the rows of a task: `matrix` (k, m) times its error, Jacobian and bias.

    A weight matrix W between the rows of a task is a combination by any root of it, `W = matrix^T matrix`; one row
    weighs one direction and leaves the others free. Gains are those of the task if there are no others.
    """

    task: MotionTask
    matrix: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        matrix = np.atleast_2d(np.asarray(self.matrix))
        self._set("matrix", self._array("matrix", matrix, matrix.shape[:2]))
        if self.gains is None:
            self._set("gains", self.task.gains)

    @property
    def label(self) -> str:
        return f"combination of {self.task.label}"

    @property
    def moving(self) -> bool:
        return self.task.moving

    @property
    def order(self) -> int:  # type: ignore[override]
        return self.task.order

    @property
    def usual(self) -> Gains:  # type: ignore[override]
        return self.task.usual

    def settled(self, robot: Robot, time: float = 0.0) -> Self:
        inner = self.task.settled(robot, time)
        rows = inner.size(robot)
        if self.matrix.shape[1] != rows:
            raise InvalidInput(f"{self.label}: matrix is {self.matrix.shape}; the task has {rows} rows")
        task = self._copied()
        task._set("task", inner)
        for name in ("rate", "acceleration"):
            if getattr(self, name) is None and getattr(inner, name) is not None:
                task._set(name, self.matrix @ getattr(inner, name))
        return task

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("combination", self.task.structure, self.matrix.shape)

    @property
    def parameters(self) -> Array:
        return np.concatenate([self.matrix.ravel(), self.task.parameters])

    def size(self, robot: Robot) -> int:
        return len(self.matrix)

    def _split(self, parameters: Array) -> tuple[Array, Array]:
        count = self.matrix.size
        return parameters[:count].reshape(self.matrix.shape), parameters[count:]

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        matrix, own = self._split(parameters)
        error, jacobian = self.task.evaluate(robot, q, own)
        return TaskValue(matrix @ error, matrix @ jacobian)

    @property
    def drifting(self) -> bool:
        return self.task.drifting

    def drift(self, robot: Robot, q: Array, parameters: Array) -> Array:
        matrix, own = self._split(parameters)
        combined: Array = matrix @ self.task.drift(robot, q, own)
        return combined

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        matrix, own = self._split(parameters)
        combined: Array = matrix @ self.task.bias(robot, q, v, own)
        return combined

    def check(self, level: Literal["position", "velocity", "acceleration"]) -> None:
        self.task.check(level)

    def segment(self, robot: Robot) -> Segment | None:
        return self.task.segment(robot)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        matrix, own = self._split(parameters)
        combined: Array = self.task.directions(robot, q, own) @ matrix.T
        return combined
