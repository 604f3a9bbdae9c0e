"""Points of a shape that touch and move along it: on the rims and the mantle of a cylinder, on the axis of a capsule.

A wheel touches the ground with the lowest point of its rims, which is another one in every step. Two bars that cross
touch where their axes are nearest. For numbers and for symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import greater, maximum, minimum, sqrt, where
from footfall.math.spatial import cross
from footfall.math.transform import Transform

DistanceAt = Callable[[Array], tuple[Any, Array]]

RIM_PLACES = 4
_UPRIGHT = 1e-12  # square of the sine of the tilt below which all points of a rim are as near
_BEYOND = 0.1  # of the radius of a rim
_PARALLEL = 1e-9  # square of the sine of the angle between two axes


@dataclass(frozen=True)
class RimPoint:
    """A point on a rim of a cylinder: that nearest to the surface, and at quarters of the rim from it.

    radius: of the rim, m. height: of its middle along z of `placement` in the body, m. quarter: from 0, the nearest,
    to `RIM_PLACES`; of a cylinder that stands upright they are at rest in the body.
    """

    radius: float
    height: float
    placement: Transform
    quarter: int


@dataclass(frozen=True)
class AxisPoint:
    """The point of an axis that is nearest to another axis.

    length: of the axis along z of `placement` in the body, m. other: length of the other axis, along z of its shape.
    mantle: radius, m, of a cylinder about the axis, whose mantle touches there; 0: the axis itself does.
    """

    length: float
    placement: Transform
    other: float
    mantle: float


def rim_point(rim: RimPoint, pose: Transform, distance_at: DistanceAt, *, searches: int) -> Array:
    """The point (3,) in the world.

    pose: of the cylinder. distance_at: distance (m) and normal (3,) of the surface for a point in the world. searches:
    how often the nearest point is sought from the last one; once is enough for a plane.
    """
    axis = pose.rotation[:, 2]
    middle = pose.translation + rim.height * axis
    point, away = middle, pose.rotation[:, 0]
    for _ in range(searches):
        distance, normal = distance_at(point)
        # to where the surface is nearest, or a little beyond, so that there is a way to go from inside of it too
        onto = point - (maximum(distance, 0.0) + _BEYOND * rim.radius) * normal
        direction, tilted = _across(axis, (middle - onto) / rim.radius)
        away = where(tilted, direction, away)
        point = middle - rim.radius * away
    direction = (-away, -cross(axis, away), away, cross(axis, away))[rim.quarter]
    return np.asarray(middle + rim.radius * direction)


def axis_point(place: AxisPoint, pose: Transform, other: Transform, distance_at: DistanceAt) -> Array:
    """The point (3,) in the world; pose, other: of the shapes with the two axes."""
    axis, across = pose.rotation[:, 2], other.rotation[:, 2]
    between = pose.translation - other.translation
    cosine, own, far = axis @ across, axis @ between, across @ between
    sine = 1.0 - cosine * cosine
    crossing = greater(sine, _PARALLEL)
    along = _within(where(crossing, (cosine * far - own) / where(crossing, sine, 1.0), 0.0), place.length)
    opposite = _within(cosine * along + far, place.other)
    along = _within(cosine * opposite - own, place.length)
    point = pose.translation + along * axis
    return (
        np.asarray(point)
        if place.mantle == 0.0
        else mantle_point(point, axis, distance_at(point)[1], place.mantle)
    )


def mantle_point(center: Array, axis: Array, normal: Array, radius: float) -> Array:
    """The point (3,) of the circle about an axis that is farthest against a normal (3,); its centre if these are
    parallel."""
    away, tilted = _across(axis, normal)
    return np.asarray(where(tilted, center - radius * away, center))


def _across(axis: Array, normal: Array) -> tuple[Array, Any]:
    """Direction (3,) of the part of a normal across an axis, and whether there is one."""
    part = normal - (normal @ axis) * axis
    square = part @ part
    tilted = greater(square, _UPRIGHT)
    return part / sqrt(where(tilted, square, 1.0)), tilted


def _within(along: Any, length: float) -> Any:
    return maximum(minimum(along, length / 2), -length / 2)
