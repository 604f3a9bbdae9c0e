"""Where something shall be, with its velocity and acceleration: at rest, on the move, or as a function of time.

Wherever a target stands, a place alone means to stay there, and a function of time (s) gives a place or a reference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.required import require_robot

_IDENTITY = np.eye(3)
_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])


class PointReference(NamedTuple):
    """Where a point shall be: position (3,), m, velocity (3,), m/s, acceleration (3,), m/s2."""

    position: Array
    velocity: Array
    acceleration: Array


class RotationReference(NamedTuple):
    """Orientation of a frame: rotation (3, 3), angular velocity (3,), rad/s, angular acceleration (3,), rad/s2."""

    rotation: Array
    velocity: Array
    acceleration: Array


class PoseReference(NamedTuple):
    """Where a frame shall be: pose in the world, velocity [v; w] (6,), acceleration (6,), world axes."""

    pose: Transform
    velocity: Array
    acceleration: Array


class JointReference(NamedTuple):
    """Where the joints shall be: q (nq,), v (nv,) in rad/s or m/s, a (nv,) in rad/s2 or m/s2."""

    q: Array
    v: Array
    a: Array


class MovingFrame(NamedTuple):
    """A frame outside the robot: its pose in the world, velocity (6,) and acceleration (6,) [linear; angular] of its
    origin in world axes, m/s and rad/s, m/s2 and rad/s2."""

    pose: Transform
    velocity: Array = np.zeros(6)
    acceleration: Array = np.zeros(6)


Path = Transform | PoseReference | Callable[[float], Transform | PoseReference]  # a transform: stay there
# An array: stay at that q (nq,)
Reference = Array | JointReference | Callable[[float], Array | JointReference]


def resting_pose(pose: Transform) -> PoseReference:
    """Stay there."""
    return PoseReference(pose, np.zeros(6), np.zeros(6))


def resting_reference(robot: Robot, q: Array) -> JointReference:
    """Stay at q (nq,)."""
    return JointReference(checked_array("q", q, (robot.nq,)), np.zeros(robot.nv), np.zeros(robot.nv))


def settled_path(path: Path) -> Path:
    """A path for a frame: what does not change with time is checked here, once."""
    return path if callable(path) else checked_pose(path)


def pose_at(path: Path, time: float) -> PoseReference:
    """A settled path at a time, s."""
    if isinstance(path, PoseReference):
        return path
    return checked_pose(path(time) if callable(path) else path)


def checked_pose(wanted: Transform | PoseReference | Array, what: str = "the pose wanted") -> PoseReference:
    """A pose, a homogeneous transform (4, 4) or a reference as a reference of finite numbers and a rotation."""
    if not isinstance(wanted, (Transform, PoseReference)):
        wanted = _from_matrix(wanted, what)
    if isinstance(wanted, Transform):
        wanted = resting_pose(wanted)
    if not isinstance(wanted.pose, Transform):
        raise InvalidInput(f"{what} is {wanted.pose!r}; it must be a Transform(rotation, translation)")
    place = checked_array(f"position of {what}", wanted.pose.translation, (3,))
    return PoseReference(
        Transform(checked_rotation(wanted.pose.rotation, what), place),
        checked_array(f"velocity of {what}", wanted.velocity, (6,)),
        checked_array(f"acceleration of {what}", wanted.acceleration, (6,)),
    )


def checked_frame(frame: MovingFrame | Transform, what: str) -> MovingFrame:
    """A frame outside the robot, of finite numbers and a rotation; a pose alone is at rest."""
    return MovingFrame(
        *checked_pose(PoseReference(*frame) if isinstance(frame, MovingFrame) else frame, what)
    )


def checked_rotation(value: Any, what: str) -> Array:
    """A read-only rotation matrix (3, 3)."""
    rotation = checked_array(f"rotation of {what}", value, (3, 3))
    if np.abs(rotation.T @ rotation - _IDENTITY).max() > 1e-6 or rotation[0] @ cross(*rotation[1:]) < 0.0:
        raise InvalidInput(
            f"rotation of {what} is {rotation.tolist()}; it must be orthonormal and right-handed"
        )
    return rotation


def _from_matrix(value: Any, what: str) -> Transform:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (4, 4) or not np.array_equal(array[3], _LAST_ROW):
        shown = f"an array {array.shape}" if array.size else repr(value)
        raise InvalidInput(
            f"{what} is {shown}; it must be a Transform(rotation, translation) or a homogeneous transform (4, 4)"
        )
    return Transform(array[:3, :3], array[:3, 3])


def settled_reference(robot: Robot, reference: Reference) -> Reference:
    """A reference for a robot: what does not change with time is checked here, once."""
    require_robot("a controller", robot)
    return reference if callable(reference) else _checked_reference(robot, reference)


def reference_at(robot: Robot, reference: Reference, time: float) -> JointReference:
    """A settled reference at a time, s."""
    if isinstance(reference, JointReference):
        return reference
    return _checked_reference(robot, reference(time) if callable(reference) else reference)


def _checked_reference(robot: Robot, reference: Array | JointReference) -> JointReference:
    if not isinstance(reference, JointReference):
        return resting_reference(robot, reference)
    return JointReference(
        checked_array("q of the reference", reference.q, (robot.nq,)),
        checked_array("v of the reference", reference.v, (robot.nv,)),
        checked_array("a of the reference", reference.a, (robot.nv,)),
    )
