"""Native code for a list of tasks: one call gives all errors and the stacked Jacobian, another one accelerations.

The code depends on the robot and on what the tasks are about, not on their targets, weights, priorities or gains. It is
made once and kept with the robot.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler import Kernel, build_kernel
from footfall.compiler.once import once_property
from footfall.control.gains import Gains
from footfall.control.tasks.custom import CombinedTask, CustomTask
from footfall.control.tasks.task import MotionTask, RowMotion, RowNumbers, Task
from footfall.errors import InvalidInput
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.robot.values import Value


@dataclass(frozen=True, eq=False)
class TaskStack(Value):
    """Tasks of one robot at a time (s), in the given order, with the native code that evaluates them."""

    robot: Robot
    tasks: Sequence[MotionTask]
    time: float = 0.0

    def __post_init__(self) -> None:
        require_robot("tasks", self.robot)
        given: tuple[Any, ...] = (self.tasks,) if isinstance(self.tasks, Task) else tuple(self.tasks)
        for task in given:
            if not isinstance(task, MotionTask):
                what = (
                    f"{type(task).__name__} is about forces"
                    if isinstance(task, Task)
                    else f"{task} is a number and no task: tasks come after q"
                    if isinstance(task, float | int)
                    else f"{task!r} is no task"
                )
                raise InvalidInput(f"{what}; what is wanted here are tasks about motion, such as PoseTask")
        if not given:
            raise InvalidInput("there is no task; give at least one")
        object.__setattr__(self, "tasks", tuple([task.settled(self.robot, self.time) for task in given]))

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return tuple(task.structure for task in self.tasks)

    @cached_property
    def parameters(self) -> Array:
        """Targets and the like (p,) of all tasks."""
        return np.concatenate([task.parameters for task in self.tasks])

    @once_property
    def kernel(self) -> Kernel:
        """Native code (q, parameters) -> (error (m,), jacobian (m, nv))."""

        def traced(q: Array, parameters: Array) -> dict[str, Array]:
            values = self.traced(q, parameters)
            return {"error": values["error"], "jacobian": values["jacobian"]}

        return self._compiled("tasks", {"parameters": len(self.parameters)}, traced)

    @cached_property
    def drifting(self) -> bool:
        """Whether some task is seen from something that moves."""
        return any(task.drifting for task in self.tasks)

    def drift(self, q: Array) -> Array | float:
        """Rates (m,) of the values while the robot rests."""
        if not self.drifting:
            return 0.0

        def traced(q: Array, parameters: Array) -> dict[str, Array]:
            return {"drift": self.traced(q, parameters)["drift"]}

        kernel = self._compiled("task_drift", {"parameters": len(self.parameters)}, traced)
        drift: Array = kernel(q, self.parameters)
        return drift

    @cached_property
    def motion_kernel(self) -> Kernel:
        """Native code (q, v, parameters) -> (error, jacobian, speed, bias); speed (m,): rate of the value, bias (m,):
        its acceleration in constant v."""
        shapes = {"v": self.robot.nv, "parameters": len(self.parameters)}
        return self._compiled("task_motion", shapes, self.traced_motion)

    @property
    def places(self) -> tuple[slice, ...]:
        """Rows of each task."""
        return self._layout[0]

    @property
    def size(self) -> int:
        """Rows of all tasks."""
        return self._layout[0][-1].stop  # type: ignore[no-any-return]

    @property
    def one_sided(self) -> Flags:
        """Which rows (m,) are inequalities."""
        return self._layout[1]

    @cached_property
    def _layout(self) -> tuple[tuple[slice, ...], Flags]:
        kernels = self.robot.tree.kernels
        place = ("task layout", self.structure, tuple(task.inequality for task in self.tasks))
        if place not in kernels:
            sizes = [task.size(self.robot) for task in self.tasks]
            ends = np.cumsum(sizes).tolist()
            slices = tuple(slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False))
            kernels[place] = slices, np.repeat(place[2], sizes)
        return kernels[place]  # type: ignore[no-any-return]

    def traced(self, q: Array, parameters: Array) -> dict[str, Array]:
        """Errors, Jacobian and drift, for a trace or on floats."""
        errors, jacobians, drifts, start = [], [], [], 0
        for task in self.tasks:
            own = parameters[start : start + len(task.parameters)]
            start += len(own)
            value = task.evaluate(self.robot, q, own)
            errors.append(value.error)
            jacobians.append(value.jacobian)
            drifts.append(task.drift(self.robot, q, own) if task.drifting else np.zeros(len(value.error)))
        return {
            "error": np.concatenate(errors),
            "jacobian": np.concatenate(jacobians),
            "drift": np.concatenate(drifts),
        }

    def traced_motion(self, q: Array, v: Array, parameters: Array) -> dict[str, Array]:
        """Errors, Jacobian, rates of the values and their bias, for a trace."""
        values = self.traced(q, parameters)
        biases, start = [], 0
        for task in self.tasks:
            own = parameters[start : start + len(task.parameters)]
            start += len(own)
            biases.append(task.bias(self.robot, q, v, own))
        speed = values["jacobian"] @ v + values.pop("drift")
        return {**values, "speed": speed, "bias": np.concatenate(biases)}

    @cached_property
    def row_kernel(self) -> Kernel:
        """Native code (q, v, numbers) -> (matrix (m, nv), value (m,)) of `traced_rows`."""
        shapes = {"v": self.robot.nv, "numbers": len(self.parameters) + 4 * self.size}
        return self._compiled("task_rows", shapes, self.traced_rows)

    def numbers(self, usual: Gains | None = None) -> Array:
        """What `traced_rows` takes: parameters (p,), rates, accelerations, stiffness and damping (m,) each.

        usual: gains of tasks that have none, instead of their own.
        """
        gains = np.empty((2, self.size))
        for task, place in zip(self.tasks, self.places, strict=True):
            task.check_row_gains(place.stop - place.start)
            gains[0, place], gains[1, place] = task.row_gains(usual)
        return np.concatenate(
            [self.parameters, self.feed_forward("rate"), self.feed_forward("acceleration"), *gains]
        )

    @property
    def number_places(self) -> list[tuple[slice, slice, slice]]:
        """Where parameters, rate and acceleration of each task stand among the numbers."""
        ends = np.cumsum([0, *(len(task.parameters) for task in self.tasks)]).tolist()
        own = [slice(begin, end) for begin, end in itertools.pairwise(ends)]
        rates, accelerations = ends[-1], ends[-1] + self.size
        return [
            (
                place,
                slice(rates + rows.start, rates + rows.stop),
                slice(accelerations + rows.start, accelerations + rows.stop),
            )
            for place, rows in zip(own, self.places, strict=True)
        ]

    def feed_forward(self, name: str) -> Array:
        """Rates or accelerations (m,) that the tasks should have beside."""
        result = np.zeros(self.size)
        for task, place in zip(self.tasks, self.places, strict=True):
            if getattr(task, name) is not None:
                result[place] = task.fed(name, place.stop - place.start)
        return result

    def traced_rows(self, q: Array, v: Array, numbers: Array) -> dict[str, Array]:
        """Rows `matrix a = value` on accelerations a (nv,): what the tasks ask for, feedback included.

        RSL 2022, (3.91).
        """
        count, size = len(self.parameters), self.size
        given = numbers[count:].reshape(4, size)
        found = self.traced_motion(q, v, numbers[:count])
        values, start = [], 0
        for task, place in zip(self.tasks, self.places, strict=True):
            own = numbers[start : start + len(task.parameters)]
            start += len(own)
            motion = RowMotion(found["error"][place], found["speed"][place])
            values.append(task.law(motion, RowNumbers(*given[:, place]), own) - found["bias"][place])
        return {"matrix": found["jacobian"], "value": np.concatenate(values)}

    def _compiled(self, name: str, more: dict[str, Any], function: Callable[..., Any]) -> Kernel:
        kernels = self.robot.tree.kernels
        place = (name, self.structure)
        if place not in kernels:
            shapes = {"q": self.robot.nq, **more}
            kernels[place] = build_kernel(function, shapes, name=name, key=self.key())
        return kernels[place]  # type: ignore[no-any-return]

    def key(self, *more: Any) -> str | None:
        """Names the native code on disk, together with what else it depends on; None for functions of one's own."""
        if any(_is_own(task) for task in self.tasks):
            return None
        return f"{self.robot.fingerprint} {(self.structure, *more)!r}"


def _is_own(task: MotionTask) -> bool:
    return isinstance(task, CustomTask) or (isinstance(task, CombinedTask) and _is_own(task.task))
