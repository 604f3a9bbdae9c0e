"""What generated scenes are put together from: floors, blocks, walls, and checks of their measures."""

from __future__ import annotations

import numpy as np

from footfall.errors import SceneError
from footfall.geometry.plane import Plane
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene.model import SceneObject

FLOOR, WALL, TABLE, OBSTACLE = "floor", "wall", "table", "obstacle"
_LONGEST_PART = 1000.0  # m

Point = tuple[float, float, float]
Span = tuple[float, float]


def floor() -> SceneObject:
    """A level floor without end."""
    return SceneObject("floor", Plane(), category=FLOOR)


def block(name: str, category: str, x: Span, y: Span, z: Span) -> SceneObject:
    """A box between coordinates, m."""
    low, high = np.array([x[0], y[0], z[0]]), np.array([x[1], y[1], z[1]])
    size = _rounded(high - low)
    return SceneObject(name, Box(size), at(*_rounded((low + high) / 2)), category=category)


def at(x: float, y: float, z: float = 0.0, yaw: float = 0.0) -> Transform:
    """A pose with a rotation about z only."""
    return Transform(rotation_z(yaw) if yaw else np.eye(3), np.array([x, y, z]))


def check_lengths(scene: str, **values: float) -> None:
    """Measures (m) that must be positive and not beyond reason."""
    for name, value in values.items():
        if not 0.0 < value <= _LONGEST_PART:
            raise SceneError(
                f"{name} is {value:g}; it must be positive and at most {_LONGEST_PART:g} m",
                subject=("scene", scene),
            )


def check_counts(scene: str, most: int, **values: int) -> None:
    """Numbers of things that must be at least one."""
    for name, value in values.items():
        if not 1 <= value <= most:
            raise SceneError(f"{name} is {value}; it must be from 1 to {most}", subject=("scene", scene))


def check_between(scene: str, low: float, high: float, **values: float) -> None:
    """Numbers that must lie in a range."""
    for name, value in values.items():
        if not low <= value <= high:
            raise SceneError(
                f"{name} is {value:g}; it must be from {low:g} to {high:g}", subject=("scene", scene)
            )


def _rounded(values: np.ndarray) -> Point:
    """Without what is rounding of the last digits: files are read by people."""
    x, y, z = (round(float(value), 12) for value in values)
    return x, y, z
