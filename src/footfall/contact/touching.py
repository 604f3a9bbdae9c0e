"""A candidate at given poses: where it touches, which way and how far it is away; for numbers and for symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, greater_equal, maximum, where
from footfall.contact.box_places import (
    AxisCrossing,
    AxisPoint,
    BoxPlace,
    RimPoint,
    axis_crossings,
    axis_point,
    box_places,
    mantle_point,
    rim_point,
)
from footfall.contact.distance_functions import Surface, TerrainFacet, local_distance, signed_distance
from footfall.contact.features import rounding_of
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Mesh

if TYPE_CHECKING:
    from footfall.contact.candidates import Candidate

_SEARCHES = 4  # for the nearest point of a rim


class Nearest(NamedTuple):
    """point: (3,) of the candidate's body that touches, world axes, m. normal: (3,) towards it. gap: m."""

    point: Array
    normal: Array
    gap: Any


def touch(candidate: Candidate, body_pose: Transform, surface_pose: Transform) -> Nearest:
    """Of a candidate whose body and surface have these poses in the world."""
    touched = candidate.touched
    if touched is None:
        return _touch(candidate, body_pose, candidate.surface.shape, surface_pose)
    point, normal, gap = _touch(candidate, surface_pose, touched.shape, body_pose @ touched.placement)
    return Nearest(point, -normal, gap)


def _touch(candidate: Candidate, owner: Transform, shape: Surface, pose: Transform) -> Nearest:
    """Of a point whose owner has one pose, and a shape that has another one."""
    place, radius = candidate.place, candidate.radius
    if isinstance(place, BoxPlace | AxisCrossing):
        return _found(place, radius, owner, shape, pose)
    at_rest = np.array(candidate.point)
    center = owner.apply(at_rest) if place is None else _moving_point(place, owner, shape, pose)
    distance, normal = signed_distance(shape, pose, center)
    return Nearest(center - radius * normal, normal, distance - radius)


def _moving_point(place: RimPoint | AxisPoint, owner: Transform, shape: Surface, pose: Transform) -> Array:
    """(3,) in the world."""

    def distance_at(point: Array) -> tuple[Any, Array]:
        return signed_distance(shape, pose, point)

    own = owner @ place.placement
    if isinstance(place, AxisPoint):
        return axis_point(place, own, pose, distance_at)
    level = isinstance(shape, Plane | HeightMap | TerrainFacet | Mesh)
    return rim_point(place, own, distance_at, searches=1 if level else _SEARCHES)


def _found(
    place: BoxPlace | AxisCrossing, radius: float, owner: Transform, shape: Surface, pose: Transform
) -> Nearest:
    """A place that was searched for in the frame of a box."""
    assert isinstance(shape, Box)
    own = pose.inverse() @ (owner @ place.placement)
    if isinstance(place, BoxPlace):
        roundings = rounding_of(Box(place.size)), rounding_of(shape)
        found = box_places(place.size, shape.size, own, rounding=roundings)[place.place]
        point, normal, gap = found[:3], found[3:6], found[6]
    else:
        found = axis_crossings(place.length, shape.size, own)[place.place]
        point, normal, gap = found[:3] - radius * found[3:6], found[3:6], found[6] - radius
        if place.mantle > 0.0:
            point = mantle_point(found[:3], own.rotation[:, 2], normal, place.mantle)
            # Over a face its plane counts, also at its rim; over an edge the point may be nearer to another place.
            face = greater_equal(
                maximum(maximum(absolute(normal[0]), absolute(normal[1])), absolute(normal[2])), 1.0
            )
            exact, direction = local_distance(shape, point)
            gap = where(face, found[6] + (point - found[:3]) @ normal, exact)
            normal = where(face, normal, direction)
    return Nearest(pose.apply(point), pose.rotation @ normal, gap)
