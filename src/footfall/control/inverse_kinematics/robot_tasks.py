"""Tasks about joints or the whole robot: posture, angular momentum, and your own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from footfall.compiler import jacobian as derivative
from footfall.control.inverse_kinematics.errors import InvalidTask
from footfall.control.inverse_kinematics.task import Task, TaskValue, chosen_rows, finite
from footfall.dynamics.centroidal import centroidal_momentum_matrix
from footfall.dynamics.configuration import difference
from footfall.math.angular_velocity import rotation_rate_map
from footfall.robot.model import JointType, Robot

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class PostureTask(Task):
    """Joints should be at target: their coordinates one after the other, rad or m (quaternions for ball joints)."""

    joints: tuple[str, ...]
    target: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        super().__post_init__()
        if not self.joints:
            raise InvalidTask("posture: there is no joint; name at least one")
        object.__setattr__(self, "target", finite(self.target, None, f"{self.label}: target"))

    @property
    def label(self) -> str:
        shown = ", ".join(self.joints[:3])
        return f"posture of {shown}" + (f" and {len(self.joints) - 3} more" if len(self.joints) > 3 else "")

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("posture", self.joints)

    @property
    def parameters(self) -> Array:
        return self.target

    def size(self, robot: Robot) -> int:
        return sum(robot.joint(name).type.velocities for name in self.joints)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        places = [range(robot.nq)[robot.q_slice(joint)] for joint in self.joints]
        coordinates = [index for place in places for index in place]
        if len(coordinates) != len(parameters):
            raise InvalidTask(
                f"{self.label}: target has {len(parameters)} entries; "
                f"the joints have {len(coordinates)} coordinates"
            )
        wanted = [q[index] for index in range(robot.nq)]
        for index, value in zip(coordinates, parameters, strict=True):
            wanted[index] = value
        rows = [row for joint in self.joints for row in range(robot.nv)[robot.v_slice(joint)]]
        error = difference.textbook(robot, q, np.array(wanted))
        return TaskValue(error[rows], np.eye(robot.nv)[rows])


@dataclass(frozen=True, eq=False)
class MomentumTask(Task):
    """The angular momentum about the centre of mass should be target (3,), kg m2/s, world axes, 000 (7.2).

    For velocity level only: there is no angle that belongs to it. rows: which axes count.
    """

    rate_only: ClassVar[bool] = True

    target: Array = field(default_factory=lambda: np.zeros(3))
    rows: str = field(default="xyz", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = chosen_rows(self.rows, self.label)
        object.__setattr__(self, "target", finite(self.target, (3,), f"{self.label}: target"))
        object.__setattr__(self, "rate", finite(self.target[rows], None, self.label))

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
        rows = chosen_rows(self.rows, self.label)
        return TaskValue(np.zeros(len(rows)), centroidal_momentum_matrix.textbook(robot, q)[3:][rows])


@dataclass(frozen=True, eq=False)
class CustomTask(Task):
    """`value(robot, q)` (m,) should be target (m,); the function is traced, its Jacobian is derived."""

    value: Callable[[Robot, Array], Array]
    target: Array
    name: str = "custom"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", finite(self.target, None, f"{self.label}: target"))
        if not len(self.target):
            raise InvalidTask(f"{self.label}: the target is empty; a task has at least one row")

    @property
    def label(self) -> str:
        return self.name

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("custom", self.value, len(self.target))

    @property
    def parameters(self) -> Array:
        return self.target

    def size(self, robot: Robot) -> int:
        return len(self.target)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        value = np.asarray(self.value(robot, q))
        if value.shape != (len(self.target),):
            raise InvalidTask(
                f"{self.label}: the function gives {value.shape}, but the target is {self.target.shape}"
            )
        partial = derivative(value, q)
        columns = [
            partial[:, link.q] @ rotation_rate_map("quaternion", q[link.q], body_axes=True)
            if link.kind == "spherical"
            else partial[:, link.q]
            for link in robot.tree.links
        ]
        return TaskValue(parameters - value, np.concatenate(columns, axis=1))


def posture(
    robot: Robot, q: Array | Mapping[str, float], *, joints: Sequence[str] | None = None, **options: Any
) -> PostureTask:
    """Joints should be as in the configuration q (nq,), or as a mapping from names says, rad or m.

    joints: which; default: all of the mapping, or all but a floating base.
    """
    if isinstance(q, Mapping):
        names = tuple(q) if joints is None else tuple(joints)
        return PostureTask(names, np.array([q[name] for name in names]), **options)
    if joints is None:
        joints = [
            joint.name for joint in robot.joints if joint.type not in (JointType.FIXED, JointType.FLOATING)
        ]
    configuration = finite(q, (robot.nq,), "posture: q")
    parts = [configuration[robot.q_slice(joint)] for joint in joints]
    return PostureTask(tuple(joints), np.concatenate([np.zeros(0), *parts]), **options)
