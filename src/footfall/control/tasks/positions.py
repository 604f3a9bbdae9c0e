"""Tasks about places: a point at a target, on a line, in a plane, beyond a plane; boundaries that it must not cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from footfall.arrays import Array
from footfall.control.gains import Gains
from footfall.control.references import PointReference
from footfall.control.tasks.points import (
    CenterOf,
    FramePoint,
    Point,
    Segment,
    label_of,
    point_arm,
    point_bias,
    point_kinematics,
    point_segment,
)
from footfall.control.tasks.rows import LINEAR, unit_vector
from footfall.control.tasks.task import MotionTask, TaskValue, axis_directions, check_bound
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_motion, frame_pose
from footfall.errors import InvalidInput
from footfall.math.spatial import cross, skew
from footfall.robot.model import WORLD, Robot

Place = Array | PointReference
Target = Place | Callable[[float], Place]


@dataclass(frozen=True, eq=False, repr=False)
class PositionTask(MotionTask):
    """A point should be at target (3,), m, measured from the point `origin` in the axes of the frame `axes`.

    point, origin: the name of a frame, a `FramePoint` or a `CenterOf`. target: a place, a `PointReference` with
    velocity and acceleration, or a function of time (s) that gives one of them; a moving place alone is followed with
    a lag. rows: which coordinates count.
    """

    row_names = LINEAR

    point: Point
    target: Target
    origin: Point = WORLD
    axes: str = WORLD
    rows: str | Sequence[str] = field(default=LINEAR, kw_only=True)

    def _settle(self, target: Any) -> None:
        if isinstance(target, PointReference):
            self._settle_motion(target.velocity, target.acceleration)
            target = target.position
        self._set("target", self._array("target", target, (3,)))

    @property
    def label(self) -> str:
        beyond = "" if self.origin == WORLD else f" from {label_of(self.origin)}"
        return f"position of {label_of(self.point)}{beyond}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("position", self.point, self.origin, self.axes, self.rows)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        value, jacobian = relative_position(robot, q, self.point, self.origin, self.axes)
        return TaskValue((parameters - value)[self.places], jacobian[self.places])

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        bias = relative_position_bias(robot, q, v, self.point, self.origin, self.axes)
        return bias[self.places]

    def segment(self, robot: Robot) -> Segment | None:
        if self.origin != self.axes:
            return None
        return point_segment(self.point, None if self.axes == WORLD else self.axes)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        rotation = frame_pose.textbook(robot, q, self.axes).rotation
        return axis_directions(rotation, point_arm(robot, q, self.point))[:, self.places]


def frame_position(
    frame: str,
    target: Target,
    *,
    offset: Sequence[float] = (0.0, 0.0, 0.0),
    relative_to: str = WORLD,
    rows: str | Sequence[str] = LINEAR,
    **options: Any,
) -> PositionTask:
    """A point of a frame should be at target (3,), m, seen from the frame relative_to, in its axes."""
    x, y, z = offset
    point = FramePoint(frame, (x, y, z)) if any(offset) else frame
    return PositionTask(point, target, relative_to, relative_to, rows=rows, **options)


def center_of_mass_position(
    target: Target, *, rows: str | Sequence[str] = LINEAR, **options: Any
) -> PositionTask:
    """The robot's centre of mass should be at target (3,), m, in the world."""
    return PositionTask(CenterOf(), target, rows=rows, **options)


@dataclass(frozen=True, eq=False, repr=False)
class _OffsetTask(MotionTask):
    """A point should be nowhere but at start (3,) in some directions; parameters: start, then the directions."""

    point: Point
    start: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("start", self._array("start", self.start, (3,)))

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        position, jacobian = point_kinematics(robot, q, self.point)
        across = parameters[3:].reshape(-1, 3)
        return TaskValue(across @ (parameters[:3] - position), across @ jacobian)

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        result: Array = parameters[3:].reshape(-1, 3) @ point_bias(robot, q, v, self.point)
        return result

    def segment(self, robot: Robot) -> Segment | None:
        return point_segment(self.point, None)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        arm = point_arm(robot, q, self.point)
        along: Array = axis_directions(np.eye(3), arm)[:, :3] @ parameters[3:].reshape(-1, 3).T
        return along


@dataclass(frozen=True, eq=False, repr=False)
class LineTask(_OffsetTask):
    """A point should lie on the line through start (3,) along direction (3,), world axes, m; two rows."""

    direction: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("direction", unit_vector(self.direction, f"{self.label}: direction"))

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


@dataclass(frozen=True, eq=False, repr=False)
class PlaneTask(_OffsetTask):
    """A point should lie in the plane through start (3,) across normal (3,), world axes, m; one row."""

    normal: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("normal", unit_vector(self.normal, f"{self.label}: normal"))

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


@dataclass(frozen=True, eq=False, repr=False)
class HalfSpaceTask(PlaneTask):
    """A point should lie on the side of a plane that its normal points to; nothing is missing beyond it."""

    inequality: ClassVar[bool] = True

    @property
    def label(self) -> str:
        return f"{label_of(self.point)} in a half-space"


def relative_position(robot: Robot, q: Array, point: Point, origin: Point, axes: str) -> tuple[Array, Array]:
    """A point seen from another in the axes of a frame (3,), and its Jacobian (3, nv), RSL 2022, (2.129)."""
    position, jacobian = point_kinematics(robot, q, point)
    start, start_jacobian = point_kinematics(robot, q, origin)
    displacement, moving = position - start, jacobian - start_jacobian
    if axes == WORLD:
        return displacement, moving
    rotation = frame_pose.textbook(robot, q, axes).rotation
    turning = frame_jacobian.textbook(robot, q, axes)[3:]
    return rotation.T @ displacement, rotation.T @ (moving + skew(displacement) @ turning)


def relative_position_bias(robot: Robot, q: Array, v: Array, point: Point, origin: Point, axes: str) -> Array:
    """Second derivative (3,) of a point seen from another in the axes of a frame, in constant v (nv,), m/s2."""
    bias = point_bias(robot, q, v, point) - point_bias(robot, q, v, origin)
    if axes == WORLD:
        return bias
    (position, jacobian), (start, start_jacobian) = (
        point_kinematics(robot, q, each) for each in (point, origin)
    )
    frame = frame_motion(robot, q, v, np.zeros(robot.nv), axes)
    displacement, moving, turning = position - start, (jacobian - start_jacobian) @ v, frame.velocity[3:]
    seen = moving - cross(turning, displacement)  # by an observer who turns along
    bias = bias - cross(frame.acceleration[3:], displacement) - cross(turning, moving) - cross(turning, seen)
    turned: Array = frame_pose.textbook(robot, q, axes).rotation.T @ bias
    return turned


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
        check_bound(f"{self.label}: most_force", self.most_force)

    @property
    def label(self) -> str:
        return f"boundary {self.name!r}"

    def check(self, level: Literal["position", "velocity", "acceleration"]) -> None:
        super().check(level)
        if np.isfinite(self.most_force):
            raise InvalidInput(f"{self.label}: only hybrid control (solve_tasks) can limit its force")
