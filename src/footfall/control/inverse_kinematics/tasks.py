"""Tasks about frames and points: positions, orientations, poses, aims, lines, planes and half-spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from footfall.control.inverse_kinematics.errors import InvalidTask
from footfall.control.inverse_kinematics.points import CenterOf, FramePoint, Point, label_of, point_kinematics
from footfall.control.inverse_kinematics.task import Task, TaskValue, chosen_rows, direction, finite
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.math.rotations import boxminus, is_rotation
from footfall.math.spatial import skew
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Robot

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class PositionTask(Task):
    """A point should be at target (3,), m, measured from the point `origin` in the axes of the frame `axes`.

    point, origin: the name of a frame, a `FramePoint` or a `CenterOf`. rows: which coordinates count.
    """

    point: Point
    target: Array
    origin: Point = WORLD
    axes: str = WORLD
    rows: str = field(default="xyz", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen_rows(self.rows, self.label)
        object.__setattr__(self, "target", finite(self.target, (3,), f"{self.label}: target"))

    @property
    def label(self) -> str:
        beyond = "" if self.origin == WORLD else f" from {label_of(self.origin)}"
        return f"position of {label_of(self.point)}{beyond}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("position", self.point, self.origin, self.axes, self.rows)

    @property
    def parameters(self) -> Array:
        return self.target

    def size(self, robot: Robot) -> int:
        return len(self.rows)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        value, jacobian = _relative_position(robot, q, self.point, self.origin, self.axes)
        rows = chosen_rows(self.rows, self.label)
        return TaskValue((parameters - value)[rows], jacobian[rows])


@dataclass(frozen=True, eq=False)
class OrientationTask(Task):
    """A frame should have the orientation target (3, 3), seen from the frame relative_to.

    The error is the rotation vector that is missing, in the axes of relative_to, 002 (2.251).
    """

    frame: str
    target: Array
    relative_to: str = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", _rotation(self.target, self.label))

    @property
    def label(self) -> str:
        return f"orientation of {self.frame}" + _from(self.relative_to)

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("orientation", self.frame, self.relative_to)

    @property
    def parameters(self) -> Array:
        return self.target.reshape(9)

    def size(self, robot: Robot) -> int:
        return 3

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        rotation, jacobian = _relative_rotation(robot, q, self.frame, self.relative_to)
        return TaskValue(boxminus(parameters.reshape(3, 3), rotation), jacobian)


@dataclass(frozen=True, eq=False)
class PoseTask(Task):
    """A frame should have the pose target, seen from the frame relative_to; six rows, position first."""

    frame: str
    target: Transform
    relative_to: str = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.target, Transform):
            raise InvalidTask(f"{self.label}: target is {self.target!r}; it must be a Transform")
        position = finite(self.target.translation, (3,), f"{self.label}: position")
        rotation = _rotation(self.target.rotation, self.label)
        object.__setattr__(self, "target", Transform(rotation, position))

    @property
    def label(self) -> str:
        return f"pose of {self.frame}" + _from(self.relative_to)

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("pose", self.frame, self.relative_to)

    @property
    def parameters(self) -> Array:
        return np.concatenate([self.target.translation, self.target.rotation.reshape(9)])

    def size(self, robot: Robot) -> int:
        return 6

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        reference = self.relative_to
        position, linear = _relative_position(robot, q, self.frame, reference, reference)
        rotation, angular = _relative_rotation(robot, q, self.frame, reference)
        turn = boxminus(parameters[3:].reshape(3, 3), rotation)
        return TaskValue(np.concatenate([parameters[:3] - position, turn]), np.concatenate([linear, angular]))


@dataclass(frozen=True, eq=False)
class AimTask(Task):
    """An axis (3,) of a frame should point from its origin at target (3,), m, in the world: a camera's, say.

    Three rows of which two are independent: the difference of two unit vectors, which is largest where the frame looks
    the other way.
    """

    frame: str
    target: Array
    axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", finite(self.target, (3,), f"{self.label}: target"))
        object.__setattr__(self, "axis", direction(self.axis, f"{self.label}: axis"))

    @property
    def label(self) -> str:
        return f"aim of {self.frame}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("aim", self.frame)

    @property
    def parameters(self) -> Array:
        return np.concatenate([self.target, self.axis])

    def size(self, robot: Robot) -> int:
        return 3

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        pose, jacobian = (
            frame_pose.textbook(robot, q, self.frame),
            frame_jacobian.textbook(robot, q, self.frame),
        )
        way = parameters[:3] - pose.translation
        distance = np.sqrt(way @ way)
        wanted, axis = way / distance, pose.rotation @ parameters[3:]
        turning = (np.eye(3) - np.outer(wanted, wanted)) / distance  # d(wanted) = -turning d(origin)
        return TaskValue(wanted - axis, turning @ jacobian[:3] - skew(axis) @ jacobian[3:])


@dataclass(frozen=True, eq=False)
class LineTask(Task):
    """A point should lie on the line through start (3,) along direction (3,), world axes, m; two rows."""

    point: Point
    start: Array
    direction: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "start", finite(self.start, (3,), f"{self.label}: start"))
        object.__setattr__(self, "direction", direction(self.direction, f"{self.label}: direction"))

    @property
    def label(self) -> str:
        return f"{label_of(self.point)} on a line"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("line", self.point)

    @property
    def parameters(self) -> Array:
        across = np.linalg.svd(self.direction[None])[2][1:]
        return np.concatenate([self.start, across.reshape(6)])

    def size(self, robot: Robot) -> int:
        return 2

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        position, jacobian = point_kinematics(robot, q, self.point)
        across = parameters[3:].reshape(2, 3)
        return TaskValue(across @ (parameters[:3] - position), across @ jacobian)


@dataclass(frozen=True, eq=False)
class PlaneTask(Task):
    """A point should lie in the plane through start (3,) across normal (3,), world axes, m; one row."""

    point: Point
    start: Array
    normal: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "start", finite(self.start, (3,), f"{self.label}: start"))
        object.__setattr__(self, "normal", direction(self.normal, f"{self.label}: normal"))

    @property
    def label(self) -> str:
        return f"{label_of(self.point)} in a plane"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("plane", self.point)

    @property
    def parameters(self) -> Array:
        return np.concatenate([self.start, self.normal])

    def size(self, robot: Robot) -> int:
        return 1

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        position, jacobian = point_kinematics(robot, q, self.point)
        normal = parameters[3:]
        return TaskValue(np.array([normal @ (parameters[:3] - position)]), (normal @ jacobian)[None])


@dataclass(frozen=True, eq=False)
class HalfSpaceTask(PlaneTask):
    """A point should lie on the side of a plane that its normal points to; nothing is missing beyond it."""

    inequality: ClassVar[bool] = True

    @property
    def label(self) -> str:
        return f"{label_of(self.point)} in a half-space"


# Shorter ways to say it


def frame_position(
    frame: str,
    target: Array,
    *,
    offset: Sequence[float] = (0.0, 0.0, 0.0),
    relative_to: str = WORLD,
    rows: str = "xyz",
    **options: Any,
) -> PositionTask:
    """A point of a frame should be at target (3,), m, seen from the frame relative_to, in its axes."""
    x, y, z = offset
    point = FramePoint(frame, (x, y, z)) if any(offset) else frame
    return PositionTask(point, target, relative_to, relative_to, rows=rows, **options)


def center_of_mass_position(target: Array, *, rows: str = "xyz", **options: Any) -> PositionTask:
    """The robot's centre of mass should be at target (3,), m, in the world."""
    return PositionTask(CenterOf(), target, rows=rows, **options)


def _relative_position(robot: Robot, q: Array, point: Point, origin: Point, axes: str) -> tuple[Array, Array]:
    """A point seen from another in the axes of a frame (3,), and its Jacobian (3, nv), 002 (2.129)."""
    position, jacobian = point_kinematics(robot, q, point)
    start, start_jacobian = point_kinematics(robot, q, origin)
    way, moving = position - start, jacobian - start_jacobian
    if axes == WORLD:
        return way, moving
    rotation = frame_pose.textbook(robot, q, axes).rotation
    turning = frame_jacobian.textbook(robot, q, axes)[3:]
    return rotation.T @ way, rotation.T @ (moving + skew(way) @ turning)


def _relative_rotation(robot: Robot, q: Array, frame: str, relative_to: str) -> tuple[Array, Array]:
    """Rotation (3, 3) of a frame seen from another, and the Jacobian (3, nv) of its angular velocity there."""
    rotation = frame_pose.textbook(robot, q, frame).rotation
    jacobian = frame_jacobian.textbook(robot, q, frame)[3:]
    if relative_to == WORLD:
        return rotation, jacobian
    reference = frame_pose.textbook(robot, q, relative_to).rotation
    carried = frame_jacobian.textbook(robot, q, relative_to)[3:]
    return reference.T @ rotation, reference.T @ (jacobian - carried)


def _rotation(value: Any, label: str) -> Array:
    rotation = finite(value, (3, 3), f"{label}: rotation")
    if not is_rotation(rotation, tolerance=1e-6):
        raise InvalidTask(
            f"{label}: rotation is {rotation.tolist()}; it must be orthonormal and right-handed"
        )
    return rotation


def _from(reference: str) -> str:
    return "" if reference == WORLD else f" from {reference}"
