"""What control tells vision, and what vision tells control (Seiwald 2023, tables 4.2 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from footfall.arrays import Array
from footfall.environment.model import EnvironmentUpdate
from footfall.errors import InvalidMessage
from footfall.math.rotations import matrix_from_quaternion, quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.messages.signals import Signal

_GREATEST = 1e9  # of any number; squares must not overflow
_UNIT = 1e-6  # how far from length one a quaternion may be that was sent


@dataclass(frozen=True, eq=False)
class FrameMotion:
    """Where a frame is and how it moves, in a world.

    position: (3,) m. quaternion: (4,) scalar first. velocity: (3,) m/s. angular_velocity: (3,) rad/s, both in axes of
    the world.
    """

    position: Array
    quaternion: Array
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        for name, size in (("position", 3), ("quaternion", 4), ("velocity", 3), ("angular_velocity", 3)):
            object.__setattr__(self, name, checked_vector(getattr(self, name), size, name))
        length = float(np.linalg.norm(self.quaternion))
        if abs(length - 1.0) > _UNIT:
            raise InvalidMessage(f"quaternion has length {length:g}; it must be 1")

    @property
    def pose(self) -> Transform:
        """Its pose."""
        return Transform(matrix_from_quaternion(self.quaternion), self.position)


def motion_of(pose: Transform) -> FrameMotion:
    """A frame at rest."""
    return FrameMotion(pose.translation, quaternion_from_matrix(pose.rotation))


@dataclass(frozen=True, eq=False)
class ImuReading:
    """What the inertial sensor measures by itself. angles: (3,) roll, pitch and yaw, rad. angular_velocity: (3,) rad/s.
    acceleration: (3,) m/s2; both in axes of the sensor."""

    angles: Array
    angular_velocity: Array
    acceleration: Array

    def __post_init__(self) -> None:
        for name in ("angles", "angular_velocity", "acceleration"):
            object.__setattr__(self, name, checked_vector(getattr(self, name), 3, name))


@dataclass(frozen=True, eq=False)
class ControlToVision:
    """From control to vision, about a hundred times a second.

    time: of the clock of control, s. acquired: when the data held, s. camera, imu: motion of both frames in the world
    of planning. reading: of the inertial sensor, or None. signals: such as Signal("reset scene").
    """

    time: float
    acquired: float
    camera: FrameMotion
    imu: FrameMotion
    reading: ImuReading | None = None
    signals: tuple[Signal, ...] = ()

    def __post_init__(self) -> None:
        checked_times(self.time, self.acquired)


@dataclass(frozen=True, eq=False)
class VisionToControl:
    """From vision to control, whenever there is news.

    acquired: when the picture was taken, s of the clock of control. planning_camera: pose of the camera at that time in
    the world of planning, as control told it. vision_camera: the same in vision's world, by its own odometry. signals:
    such as Signal("calibration finished"). update: what changed in vision's world.
    """

    acquired: float
    planning_camera: Transform
    vision_camera: Transform
    signals: tuple[Signal, ...] = ()
    update: EnvironmentUpdate = field(default_factory=EnvironmentUpdate)

    def __post_init__(self) -> None:
        checked_times(self.acquired)


@dataclass(frozen=True, eq=False)
class MotionCapture:
    """What a motion capture system saw: for calibration and analysis, never for control.

    time: s of the clock of control. bodies: poses by name.
    """

    time: float
    bodies: dict[str, Transform]

    def __post_init__(self) -> None:
        checked_times(self.time)


def checked_vector(values: object, size: int, name: str) -> Array:
    """Finite numbers (size,), read-only."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidMessage(f"{name} is {values!r}; it must be {size} numbers") from None
    if array.shape != (size,) or not (np.abs(array) <= _GREATEST).all():
        raise InvalidMessage(
            f"{name} is {array.tolist()}; it must be {size} finite numbers, up to {_GREATEST:g}"
        )
    array.flags.writeable = False
    return array


def checked_times(*times: float) -> None:
    """Times (s) that a clock can have."""
    for time in times:
        if not abs(time) <= 1e12:
            raise InvalidMessage(f"a time is {time} s; it must be finite")
