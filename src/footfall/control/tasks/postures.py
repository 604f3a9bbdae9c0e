"""The task about joints: a posture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import driven_velocities
from footfall.control.gains import Gains, gains_from
from footfall.control.references import JointReference
from footfall.control.requests import checked_array
from footfall.control.tasks.task import MotionTask, TaskValue
from footfall.dynamics.configuration import difference
from footfall.errors import InvalidInput
from footfall.robot.model import JointType, Robot

Posture = Array | JointReference


@dataclass(frozen=True, eq=False, repr=False)
class PostureTask(MotionTask):
    """Joints should be at target: their coordinates one after the other, rad or m (quaternions for ball joints).

    joints: their names; None: all that have a drive, and then target is a whole configuration q (nq,). target: such
    coordinates, a `JointReference` of the whole robot, or a function of time (s) that gives one of them.
    """

    usual: ClassVar[Gains] = gains_from(1.0)

    target: Posture | Callable[[float], Posture]
    joints: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.joints is not None:
            self._set("joints", tuple(self.joints))
            if not self.joints:
                raise InvalidInput("posture: there is no joint; name at least one")
        super().__post_init__()

    def _settle(self, target: Any) -> None:
        if isinstance(target, JointReference):
            parts = (
                self._array(f"{name} of the reference", part, None) for name, part in target._asdict().items()
            )
            self._set("target", JointReference(*parts))
        else:
            self._set("target", self._array("target", target, None))

    def settled(self, robot: Robot, time: float = 0.0) -> Self:
        task = super().settled(robot, time)
        if isinstance(task.target, JointReference):
            reference, rows = task.target, self._rows(robot)
            sizes = (robot.nq, robot.nv, robot.nv)
            for (name, part), size in zip(reference._asdict().items(), sizes, strict=True):
                self._array(f"{name} of the reference", part, (size,))
            if task is self:
                task = self._copied()
            task._set("target", reference.q[self._coordinates(robot)])
            task._set("rate", reference.v[rows])
            task._set("acceleration", reference.a[rows])
        if self.joints is None and len(task.parameters) != robot.nq:
            raise InvalidInput(
                f"{self.label}: target has {len(task.parameters)} entries; robot {robot.name!r} has nq {robot.nq}"
            )
        return task

    @property
    def label(self) -> str:
        if self.joints is None:
            return "posture"
        shown = ", ".join(self.joints[:3])
        return f"posture of {shown}" + (f" and {len(self.joints) - 3} more" if len(self.joints) > 3 else "")

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("posture", self.joints)

    def _coordinates(self, robot: Robot) -> list[int]:
        """Places in q of what the target has."""
        if self.joints is None:
            return list(range(robot.nq))
        return [index for joint in self.joints for index in range(robot.nq)[robot.q_slice(joint)]]

    def _rows(self, robot: Robot) -> list[int]:
        """Places in v of what counts."""
        if self.joints is None:
            return [int(row) for row in driven_velocities(robot)]
        return [row for joint in self.joints for row in range(robot.nv)[robot.v_slice(joint)]]

    def size(self, robot: Robot) -> int:
        return len(self._rows(robot))

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        coordinates = self._coordinates(robot)
        if len(coordinates) != len(parameters):
            raise InvalidInput(
                f"{self.label}: target has {len(parameters)} entries; "
                f"the joints have {len(coordinates)} coordinates"
            )
        wanted = [q[index] for index in range(robot.nq)]
        for index, value in zip(coordinates, parameters, strict=True):
            wanted[index] = value
        rows = self._rows(robot)
        error = difference.textbook(robot, q, np.array(wanted))
        return TaskValue(error[rows], np.eye(robot.nv)[rows])

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        return np.zeros(self.size(robot))


def posture(
    robot: Robot,
    q: Array | Mapping[str, float],
    *,
    joints: Sequence[str] | None = None,
    **options: Any,
) -> PostureTask:
    """Joints should be as in the configuration q (nq,), or as a mapping from names says, rad or m.

    joints: which; default: all of the mapping, or all but a floating base.
    """
    if isinstance(q, Mapping):
        names = tuple(q) if joints is None else tuple(joints)
        return PostureTask(np.array([q[name] for name in names]), names, **options)
    if joints is None:
        joints = [
            joint.name for joint in robot.joints if joint.type not in (JointType.FIXED, JointType.FLOATING)
        ]
    configuration = checked_array("posture: q", q, (robot.nq,))
    parts = [configuration[robot.q_slice(joint)] for joint in joints]
    return PostureTask(np.concatenate([np.zeros(0), *parts]), tuple(joints), **options)
