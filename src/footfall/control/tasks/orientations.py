"""Tasks about directions: orientation of a frame, looking at a place, orientations by parameters.

Euler angles, rotation vectors or quaternions can be coordinates that should have values of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import less, where
from footfall.control.references import RotationReference, checked_rotation
from footfall.control.tasks.points import Segment
from footfall.control.tasks.rows import LINEAR, unit_vector
from footfall.control.tasks.task import MotionTask, TaskValue, axis_directions
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_motion, frame_pose
from footfall.errors import InvalidInput
from footfall.math.angular_velocity import rotation_rate_map
from footfall.math.rotations import boxminus, parameters_from_matrix, rotation_kind
from footfall.math.spatial import cross, skew
from footfall.robot.model import WORLD, Robot

Turn = Array | RotationReference


@dataclass(frozen=True, eq=False, repr=False)
class OrientationTask(MotionTask):
    """A frame should have the orientation target (3, 3), seen from the frame relative_to.

    The error is the rotation vector that is missing, in the axes of relative_to, RSL 2022, (2.251). target: a rotation,
    a `RotationReference` with its velocities, or a function of time (s) that gives one of them. rows: about which axes
    of relative_to it counts.
    """

    row_names = LINEAR

    frame: str
    target: Turn | Callable[[float], Turn]
    relative_to: str = WORLD
    rows: str | Sequence[str] = field(default=LINEAR, kw_only=True)

    def _settle(self, target: Any) -> None:
        if isinstance(target, RotationReference):
            self._settle_motion(target.velocity, target.acceleration)
            target = target.rotation
        self._set("target", checked_rotation(target, self.label))

    @property
    def label(self) -> str:
        return f"orientation of {self.frame}" + seen_from(self.relative_to)

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("orientation", self.frame, self.relative_to, self.rows)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        rotation, jacobian = relative_rotation(robot, q, self.frame, self.relative_to)
        turn = boxminus(parameters.reshape(3, 3), rotation)
        return TaskValue(turn[self.places], jacobian[self.places])

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        bias = relative_rotation_bias(robot, q, v, self.frame, self.relative_to)
        return bias[self.places]

    def segment(self, robot: Robot) -> Segment:
        return Segment(self.frame, None if self.relative_to == WORLD else self.relative_to)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        rotation = frame_pose.textbook(robot, q, self.relative_to).rotation
        return axis_directions(rotation, np.zeros(3))[:, 3:][:, self.places]


@dataclass(frozen=True, eq=False, repr=False)
class AimTask(MotionTask):
    """An axis (3,) of a frame should point from its origin at target (3,), m, in the world: a camera's, say.

    Three rows of which two are independent: the difference of two unit vectors, which is largest where the frame looks
    the other way. target: a place, or a function of time (s) that gives it.
    """

    frame: str
    target: Array | Callable[[float], Array]
    axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("axis", unit_vector(self.axis, f"{self.label}: axis"))

    def _settle(self, target: Any) -> None:
        self._set("target", self._array("target", target, (3,)))

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
        wanted, axis, turning = self._look(robot, q, parameters)
        jacobian = frame_jacobian.textbook(robot, q, self.frame)
        return TaskValue(wanted - axis, turning @ jacobian[:3] - skew(axis) @ jacobian[3:])

    def segment(self, robot: Robot) -> Segment:
        return Segment(self.frame, None)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        _, axis, turning = self._look(robot, q, parameters)
        # Both transposed: the first is symmetric, the second is not.
        return np.concatenate([turning, skew(axis)])

    def _look(self, robot: Robot, q: Array, parameters: Array) -> tuple[Array, Array, Array]:
        """Where it should look and looks, unit vectors (3,), and (3, 3) how the first turns: `-turning @ velocity`."""
        pose = frame_pose.textbook(robot, q, self.frame)
        offset = parameters[:3] - pose.translation
        distance = np.sqrt(offset @ offset)
        wanted = offset / distance
        turning = (np.eye(3) - np.outer(wanted, wanted)) / distance
        return wanted, pose.rotation @ parameters[3:], turning


def relative_rotation(robot: Robot, q: Array, frame: str, relative_to: str) -> tuple[Array, Array]:
    """Rotation (3, 3) of a frame seen from another, and the Jacobian (3, nv) of its angular velocity there."""
    rotation = frame_pose.textbook(robot, q, frame).rotation
    jacobian = frame_jacobian.textbook(robot, q, frame)[3:]
    if relative_to == WORLD:
        return rotation, jacobian
    reference = frame_pose.textbook(robot, q, relative_to).rotation
    carried = frame_jacobian.textbook(robot, q, relative_to)[3:]
    return reference.T @ rotation, reference.T @ (jacobian - carried)


def relative_rotation_bias(robot: Robot, q: Array, v: Array, frame: str, relative_to: str) -> Array:
    """Rate (3,) of the angular velocity of a frame seen from another, in constant v (nv,), rad/s2."""
    rest = np.zeros(robot.nv)
    turning = frame_motion(robot, q, v, rest, frame)
    if relative_to == WORLD:
        return turning.acceleration[3:]
    carried = frame_motion(robot, q, v, rest, relative_to)
    relative = turning.velocity[3:] - carried.velocity[3:]
    rate = turning.acceleration[3:] - carried.acceleration[3:] - cross(carried.velocity[3:], relative)
    turned: Array = frame_pose.textbook(robot, q, relative_to).rotation.T @ rate
    return turned


def seen_from(reference: str) -> str:
    """For labels."""
    return "" if reference == WORLD else f" from {reference}"


@dataclass(frozen=True, eq=False, repr=False)
class RotationParametersTask(MotionTask):
    """The rotation parameters of a frame in the world should have values, RSL 2022, example 2.9.7.

    kind: an Euler sequence such as "zyx", "rotation_vector" or "quaternion". target: the parameters, rad or 1, or a
    function of time (s) that gives them; angles count modulo a turn, quaternions up to their sign. The way to the
    target is straight in these parameters, not on the sphere of rotations: `OrientationTask` takes the shortest turn
    and has no singularities. Use it where the angles themselves matter, such as a roll that should stay zero.
    """

    frame: str
    kind: str
    target: Array | Callable[[float], Array]

    def __post_init__(self) -> None:
        kind = rotation_kind(self.kind)
        if kind in ("matrix", "angle_axis"):
            raise InvalidInput(
                f"{self.label}: take an Euler sequence, 'rotation_vector' or 'quaternion', whose rates are independent"
            )
        self._set("kind", kind)
        super().__post_init__()

    def _settle(self, target: Any) -> None:
        wanted = self._array("target", target, (self._count,))
        if self.kind == "quaternion" and abs(np.linalg.norm(wanted) - 1.0) > 1e-6:
            raise InvalidInput(f"{self.label}: target has the norm {np.linalg.norm(wanted)}; it must be 1")
        self._set("target", wanted)

    @property
    def _count(self) -> int:
        return 4 if self.kind == "quaternion" else 3

    @property
    def label(self) -> str:
        return f"{self.kind} of {self.frame}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("rotation parameters", self.frame, self.kind)

    def size(self, robot: Robot) -> int:
        return self._count

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        value = parameters_from_matrix(self.kind, frame_pose.textbook(robot, q, self.frame).rotation)
        rates = rotation_rate_map(self.kind, value)
        jacobian = rates @ frame_jacobian.textbook(robot, q, self.frame)[3:]  # RSL 2022, (2.191)
        if self.kind == "quaternion":
            error = where(less(parameters @ value, 0.0), -1.0, 1.0) * parameters - value
        elif self.kind == "rotation_vector":
            error = parameters - value
        else:
            apart = parameters - value
            error = np.arctan2(np.sin(apart), np.cos(apart))
        return TaskValue(error, jacobian)

    def segment(self, robot: Robot) -> Segment:
        return Segment(self.frame, None)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        value = parameters_from_matrix(self.kind, frame_pose.textbook(robot, q, self.frame).rotation)
        rates = rotation_rate_map(self.kind, value)
        return np.concatenate([np.zeros((3, self._count)), rates.T])
