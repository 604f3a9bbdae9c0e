"""Turns that bring points and directions together: the subproblems that closed-form inverse kinematics is made of.

After Paden and Kahan, in the form of Elias and Wen. Angles in rad about unit axes; floats only. Where no angle does it
exactly, the one that comes closest is given.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.spatial import cross

_CLOSE = 1e-12


def turn(axis: Array, angle: float) -> Array:
    """Rotation matrix (3, 3) of a turn about a unit axis (3,)."""
    return matrix_from_rotation_vector(angle * axis)


def angle_between(axis: Array, start: Array, end: Array) -> float:
    """The angle that turns start (3,) about axis as close to end (3,) as can be."""
    sine = float(cross(axis, start) @ end)
    cosine = float(start @ end - (axis @ start) * (axis @ end))
    return float(np.arctan2(sine, cosine))


def angles_to_height(axis: Array, point: Array, normal: Array, height: float) -> list[float]:
    """Angles with `normal . turn(axis, angle) point = height`: two, or one where it is only touched or missed."""
    along = float((normal @ axis) * (axis @ point))
    cosine = float(normal @ point) - along
    sine = float(normal @ cross(axis, point))
    amplitude = float(np.hypot(cosine, sine))
    if amplitude < _CLOSE:
        return [0.0]
    middle = float(np.arctan2(sine, cosine))
    ratio = (height - along) / amplitude
    if abs(ratio) >= 1.0:
        return [middle if ratio > 0.0 else middle + np.pi]
    spread = float(np.arccos(ratio))
    return [middle + spread, middle - spread]


def angles_to_distance(axis: Array, point: Array, offset: Array, distance: float) -> list[float]:
    """Angles with `|offset + turn(axis, angle) point| = distance`."""
    height = (distance**2 - float(offset @ offset) - float(point @ point)) / 2
    return angles_to_height(axis, point, offset, height)


def two_angles_between(first: Array, second: Array, start: Array, end: Array) -> list[tuple[float, float]]:
    """Angles (a, b) with `turn(first, a) turn(second, b) start = end`, for axes that are not parallel."""
    # What the second turn leaves of start along `first` must be what end has there.
    pairs = []
    for b in angles_to_height(second, start, first, float(first @ end)):
        moved = turn(second, b) @ start
        pairs.append((angle_between(first, moved, end), b))
    return pairs
