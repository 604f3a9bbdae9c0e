"""Native code for a list of tasks: one call gives all errors and the stacked Jacobian.

The code depends on the robot and on what the tasks are about, not on their targets, weights or priorities. It is made
once and kept with the robot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.compiler import Kernel, build_kernel, jacobian
from footfall.control.inverse_kinematics.errors import InvalidTask
from footfall.control.inverse_kinematics.robot_tasks import CustomTask
from footfall.control.inverse_kinematics.task import Task
from footfall.dynamics.configuration import configuration_rate
from footfall.robot.model import Robot
from footfall.robot.values import Value

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class TaskStack(Value):
    """Tasks of one robot, in the given order, with the native code that evaluates them."""

    robot: Robot
    tasks: tuple[Task, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", tuple(self.tasks))
        for task in self.tasks:
            if not isinstance(task, Task):
                raise InvalidTask(f"{task!r} is no task; see footfall.control.inverse_kinematics")
        if not self.tasks:
            raise InvalidTask("there is no task; give at least one")

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return tuple(task.structure for task in self.tasks)

    @cached_property
    def parameters(self) -> Array:
        """Targets and the like (p,) of all tasks."""
        return np.concatenate([task.parameters for task in self.tasks])

    @cached_property
    def kernel(self) -> Kernel:
        """Native code (q, parameters) -> (error (m,), jacobian (m, nv))."""
        return self._compiled("tasks", {}, lambda q, parameters: self.traced(q, parameters))

    @cached_property
    def bias_kernel(self) -> Kernel:
        """Native code (q, parameters, v, time) -> (error, jacobian, bias); bias (m,) is `dJ/dt v`; time is zero."""

        def traced(q: Array, parameters: Array, v: Array, time: Array) -> dict[str, Array]:
            values = self.traced(q, parameters)
            moved = q + time[0] * configuration_rate.textbook(self.robot, q, v)
            rate = self.traced(moved, parameters)["jacobian"] @ v
            return {**values, "bias": jacobian(rate, time)[:, 0]}

        return self._compiled("task_bias", {"v": (self.robot.nv,), "time": (1,)}, traced)

    @property
    def places(self) -> tuple[slice, ...]:
        """Rows of each task."""
        return self._layout[0]

    @property
    def size(self) -> int:
        """Rows of all tasks."""
        return self._layout[0][-1].stop  # type: ignore[no-any-return]

    @property
    def one_sided(self) -> Array:
        """Which rows (m,) are inequalities."""
        return self._layout[1]

    @cached_property
    def _layout(self) -> tuple[tuple[slice, ...], Array]:
        kernels = self.robot.tree.kernels
        place = ("task layout", self.structure, tuple(task.inequality for task in self.tasks))
        if place not in kernels:
            sizes = [task.size(self.robot) for task in self.tasks]
            ends = np.cumsum(sizes).tolist()
            slices = tuple(slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False))
            kernels[place] = slices, np.repeat(place[2], sizes)
        return kernels[place]  # type: ignore[no-any-return]

    def traced(self, q: Array, parameters: Array) -> dict[str, Array]:
        """Errors and Jacobian, for a trace or on floats."""
        errors, jacobians, start = [], [], 0
        for task in self.tasks:
            count = len(task.parameters)
            value = task.evaluate(self.robot, q, parameters[start : start + count])
            start += count
            errors.append(value.error)
            jacobians.append(value.jacobian)
        return {"error": np.concatenate(errors), "jacobian": np.concatenate(jacobians)}

    def _compiled(self, name: str, more: dict[str, tuple[int, ...]], function: Any) -> Kernel:
        kernels = self.robot.tree.kernels
        place = (name, self.structure)
        if place not in kernels:
            given = any(isinstance(task, CustomTask) for task in self.tasks)
            key = None if given else f"{self.robot.fingerprint} {self.structure!r}"
            shapes = {"q": (self.robot.nq,), "parameters": (len(self.parameters),), **more}
            kernels[place] = build_kernel(function, shapes, name=name, key=key)
        return kernels[place]  # type: ignore[no-any-return]
