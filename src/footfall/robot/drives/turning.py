"""A vector that turns with a joint, and its derivatives with respect to the angle."""

from __future__ import annotations

from typing import Any, NamedTuple

from footfall.arrays import Array
from footfall.compiler import cos, sin
from footfall.math.spatial import cross


class Turned(NamedTuple):
    """A rotated vector (3,), its first and its second derivative by the angle."""

    vector: Array
    first: Array
    second: Array


def turned(axis: Array, angle: Any, vector: Array) -> Turned:
    """`vector` (3,) rotated actively by `angle` (rad) about the unit vector `axis` (3,), after Rodrigues."""
    cosine, sine = cos(angle), sin(angle)
    along = axis * (axis @ vector)
    normal, tangent = vector - along, cross(axis, vector)
    outward = normal * cosine + tangent * sine
    return Turned(along + outward, tangent * cosine - normal * sine, -outward)
