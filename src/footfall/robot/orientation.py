"""Orientations as robot descriptions write them, and rotation matrices.

Right angles give exact zeros and ones: they vanish from traced code, `cos(pi / 2) = 6e-17` would not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math import rotations
from footfall.math.spatial import skew

_RIGHT_ANGLE = 5e-12  # rad; descriptions that write pi/2 with twelve digits mean it
_ROUNDING = 4e-16


def matrix_from_rpy(rpy: Sequence[float], *, literal: bool = False) -> Array:
    """Rotation matrix (3, 3) of turns about the fixed axes x (roll), y (pitch), z (yaw), rad.

    literal: angles are what is written, also those within 5e-12 of a right angle.
    """
    turned = _literally if literal else _cosine_and_sine
    (cr, sr), (cp, sp), (cy, sy) = (turned(float(angle)) for angle in rpy)
    yaw = np.array([[cy, -sy, 0.0], [sy, cy, 0.0], [0.0, 0.0, 1.0]])
    pitch = np.array([[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]])
    roll = np.array([[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]])
    rotation: Array = yaw @ pitch @ roll
    return rotation


def rpy_from_matrix(rotation: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw (rad) of a rotation matrix; exact at a pitch of a right angle too."""
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    pitch = math.atan2(-rotation[2, 0], math.hypot(rotation[0, 0], rotation[1, 0]))
    c, s = math.cos(yaw), math.sin(yaw)
    # of what is left after the yaw is taken away: where yaw is arbitrary, roll makes up for it
    roll = math.atan2(s * rotation[0, 2] - c * rotation[1, 2], c * rotation[1, 1] - s * rotation[0, 1])
    return roll, pitch, yaw


def matrix_from_quaternion(quaternion: Sequence[float]) -> Array:
    """Rotation matrix (3, 3) of a quaternion (w, x, y, z) of any length but zero."""
    components = np.asarray(quaternion, dtype=np.float64)
    largest = np.abs(components).max()
    if not 0.0 < largest < math.inf:
        raise RobotError(f"quaternion is {components.tolist()}; it must be finite and not zero")
    return _without_rounding(rotations.matrix_from_quaternion(rotations.normalised(components / largest)))


def quaternion_from_matrix(rotation: Array) -> Array:
    """Unit quaternion (4,), scalar first and not negative, of a rotation matrix that may be rounded."""
    return rotations.normalised(rotations.quaternion_from_matrix(rotation))


def matrix_from_axis_angle(axis: Sequence[float], angle: float) -> Array:
    """Rotation matrix (3, 3) of a turn by `angle` (rad) about the unit vector `axis`."""
    c, s = _cosine_and_sine(angle)
    unit = np.array(axis)
    return _without_rounding(c * np.eye(3) + s * skew(unit) + (1.0 - c) * np.outer(unit, unit))


def _cosine_and_sine(angle: float) -> tuple[float, float]:
    quarters = round(angle / (math.pi / 2)) if abs(angle) < 1e6 else 0
    if abs(angle - quarters * (math.pi / 2)) < _RIGHT_ANGLE:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return math.cos(angle), math.sin(angle)


def _literally(angle: float) -> tuple[float, float]:
    return math.cos(angle), math.sin(angle)


def _without_rounding(rotation: Array) -> Array:
    """Entries that differ from 0 and +-1 by rounding only are made exact."""
    whole = np.round(rotation)
    return np.where(np.abs(rotation - whole) <= _ROUNDING, whole, rotation)
