"""Which points of a shape may touch another shape, so that both together miss nothing and nothing is looked at twice.

A sphere knows its distance to everything by its centre alone, so nobody else needs points against a sphere. The same
holds for capsules against boxes, by their ends and by places of their axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from footfall.contact.box_places import (
    AXIS_PLACES,
    PLACES,
    RIM_PLACES,
    AxisCrossing,
    AxisPoint,
    BoxPlace,
    RimPoint,
)
from footfall.contact.distance_functions import TerrainFacet
from footfall.contact.features import contact_points, rounding_of
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.scene.model import SceneShape

Place = RimPoint | AxisPoint | AxisCrossing | BoxPlace
ORIGIN = (0.0, 0.0, 0.0)


class PointOf(NamedTuple):
    """A point of a geometry in the frame of its body, with a radius (m); `place` says where if it moves."""

    point: tuple[float, float, float]
    radius: float
    place: Place | None = None


def points_of(geometry: Geometry, *, mesh_points: int = 16) -> list[PointOf]:
    """Points that stand for a geometry by themselves: enough against surfaces that are large and smooth."""
    if isinstance(geometry.shape, Cylinder):
        return _rims(geometry, geometry.shape)
    points = contact_points(geometry, mesh_points=mesh_points)
    return [
        PointOf((x, y, z), radius)
        for (x, y, z), radius in zip(points.positions.tolist(), points.radii.tolist(), strict=True)
    ]


def points_against(geometry: Geometry, other: SceneShape | TerrainFacet, *, leads: bool) -> Sequence[PointOf]:
    """Points of a geometry that may touch another shape.

    leads: whether it is this one of the two that has the points that are needed only once.
    """
    shape = geometry.shape
    match shape, other:
        case Sphere(), Sphere():
            return points_of(geometry) if leads else ()
        case (Sphere(), _) | (Mesh(), _):
            return points_of(geometry)
        case (_, Sphere()) | (Box(), Capsule()):
            return ()
        case Box(size), Box():
            places = [BoxPlace(size, geometry.placement, k) for k in range(PLACES)]
            return [PointOf(ORIGIN, 0.0, place) for place in places] if leads else ()
        case Capsule(radius, length), Box():
            return [*points_of(geometry), *_crossings(geometry, length, radius, 0.0)]
        case Cylinder(radius, length), Box():
            return [*points_of(geometry), *_crossings(geometry, length - 2 * rounding_of(shape), 0.0, radius)]
        case Capsule(radius, length), Capsule(_, other_length):
            nearest = PointOf(ORIGIN, radius, AxisPoint(length, geometry.placement, other_length, 0.0))
            return [*points_of(geometry), nearest] if leads else points_of(geometry)
        case Capsule(radius, length), Cylinder(_, other_length):
            nearest = PointOf(ORIGIN, radius, AxisPoint(length, geometry.placement, other_length, 0.0))
            return [*points_of(geometry), nearest]
        case Cylinder(radius, length), Cylinder(_, other_length):
            inner = length - 2 * rounding_of(shape)
            nearest = PointOf(ORIGIN, 0.0, AxisPoint(inner, geometry.placement, other_length, radius))
            return [*points_of(geometry), nearest] if leads else points_of(geometry)
    return points_of(geometry)


def _rims(geometry: Geometry, cylinder: Cylinder) -> list[PointOf]:
    rounding = rounding_of(cylinder)
    radius, height = cylinder.radius - rounding, cylinder.length / 2 - rounding
    return [
        PointOf(ORIGIN, rounding, RimPoint(radius, side * height, geometry.placement, quarter))
        for side in (1.0, -1.0)
        for quarter in range(RIM_PLACES)
    ]


def _crossings(geometry: Geometry, length: float, radius: float, mantle: float) -> list[PointOf]:
    places = [AxisCrossing(length, geometry.placement, k, mantle) for k in range(AXIS_PLACES)]
    return [PointOf(ORIGIN, radius, place) for place in places]
