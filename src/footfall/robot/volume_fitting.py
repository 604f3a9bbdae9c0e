"""Volumes around the shapes or meshes of bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.geometry.solid import Solid
from footfall.geometry.swept_cover import element_distances
from footfall.geometry.swept_coverage import Coverage, coverage, drafts_of, protrusion
from footfall.geometry.swept_fitting import Fit, best_fit, fit_swept_volumes, grown_around
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume, swept_line, swept_point
from footfall.robot.model import Body, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere

_RIM = 24  # corners of the polygon around the rim of a cylinder
_FINE = 2  # subdivisions of an icosphere
_ALIKE = 0.01  # of the size: what a part may stick out of the volume of another that it shares


def fit_body(body: Body, *, most: int = 8, visuals: bool = False, seed: int = 0) -> SweptVolume | None:
    """A volume of at most that many elements that holds the shapes of a body; None if it has none.

    Shapes for contact count, or what is seen if there are none. visuals: both. Spheres and capsules are elements as
    they are, if there is room for them. seed: of the places that elements start from.
    """
    fits = body_fits(body, most=most, visuals=visuals, seed=seed)
    return best_fit(fits).volume if fits else None


def body_fits(body: Body, *, most: int = 8, visuals: bool = False, seed: int = 0) -> list[Fit]:
    """Volumes of more and more elements as in `fit_body`; sizes are those of what is neither sphere nor capsule."""
    geometries = _geometries(body, visuals=visuals)
    exact = [_exact(geometry) for geometry in geometries]
    round_ones = [each for each in exact if each is not None]
    others = [geometry for geometry, each in zip(geometries, exact, strict=True) if each is None]
    if len(round_ones) + bool(others) > most:
        round_ones, others = [], geometries
    if not others:
        return [Fit(SweptVolume(tuple(round_ones)), 0.0)] if round_ones else []
    triangles = np.concatenate([_triangles(geometry, around=True) for geometry in others])
    fits = fit_swept_volumes(Solid(triangles), most=most - len(round_ones), seed=seed)
    return [Fit(SweptVolume((*round_ones, *fit.volume.elements)), fit.size) for fit in fits]


class Held(NamedTuple):
    """A shape and the volume that holds it."""

    solid: Solid
    volume: SweptVolume


def shared_volume(solid: Solid, others: Iterable[Held]) -> SweptVolume | None:
    """The volume of another shape that is the same as this one, or its mirror image as the other leg's; None if none
    is."""
    if solid.size == 0.0:
        return None
    near = _ALIKE * solid.size
    for other in others:
        if abs(other.solid.hull_volume - solid.hull_volume) > 3 * _ALIKE * solid.hull_volume:
            continue
        for flips in (np.ones(3), *(1.0 - 2.0 * np.eye(3))):
            bounds = np.sort(flips * other.solid.bounds, axis=0)
            if np.abs(bounds - solid.bounds).max() > near:
                continue
            axis = next((name for name, flip in zip("xyz", flips, strict=True) if flip < 0.0), None)
            image = other.volume if axis is None else other.volume.mirrored(axis)
            if element_distances(drafts_of(image), solid.dense_points).min(axis=0).max() > near:
                continue
            if protrusion(image, solid) <= near:
                return grown_around(image, solid)
    return None


def volume_coverage(robot: Robot, *, visuals: bool = False) -> dict[str, Coverage]:
    """How the volumes of each body hold its shapes, by body; bodies without volumes or shapes are left out.

    visuals: as in `fit_volumes`.
    """
    found = {}
    for body in robot.bodies:
        elements = [
            each for volume in robot.volumes if volume.body == body.name for each in volume.shape.elements
        ]
        solid = body_solid(body, visuals=visuals) if elements else None
        if solid is not None:
            found[body.name] = coverage(SweptVolume(tuple(elements)), solid)
    return found


def body_solid(body: Body, *, visuals: bool = False) -> Solid | None:
    """The shapes of a body in its frame: those for contact, or what is seen if there are none; None without any.

    Spheres and capsules are polyhedra inside of them, cylinders prisms around them. visuals: what is seen in any case.
    """
    geometries = _geometries(body, visuals=visuals)
    if not geometries:
        return None
    return Solid(np.concatenate([_triangles(geometry, around=False) for geometry in geometries]))


def _geometries(body: Body, *, visuals: bool) -> list[Geometry]:
    return [*body.collisions, *body.visuals] if visuals else [*(body.collisions or body.visuals)]


def _exact(geometry: Geometry) -> SweptSphere | None:
    match geometry.shape:
        case Sphere(radius):
            return swept_point(np.zeros(3), radius).moved(geometry.placement)
        case Capsule(radius, length):
            ends = np.array([0.0, 0.0, length / 2])
            return swept_line(-ends, ends, radius).moved(geometry.placement)
    return None


def _triangles(geometry: Geometry, *, around: bool) -> Array:
    """Triangles (m, 3, 3) of a shape in the frame of its body. around: those of round shapes lie outside of them."""
    import trimesh  # slow to import

    match geometry.shape:
        case Sphere(radius):
            corners = _ball(radius, around)
        case Capsule(radius, length):
            ball = _ball(radius, around)
            ends = ball + np.where(ball.mean(axis=1)[:, None, 2:] >= 0.0, 0.5, -0.5) * [0.0, 0.0, length]
            corners = np.concatenate([ends, _prism(radius, length, around)])
        case Cylinder(radius, length):
            corners = _prism(radius, length, True)
        case Box(size):
            corners = np.asarray(trimesh.creation.box(size).triangles)
        case Mesh(path, scale):
            from footfall.geometry.mesh import load_mesh

            corners = load_mesh(path, scale=scale).corners
    pose = geometry.placement
    return np.asarray(corners @ pose.rotation.T + pose.translation)


def _ball(radius: float, around: bool) -> Array:
    import trimesh

    corners = np.asarray(trimesh.creation.icosphere(subdivisions=_FINE).triangles)
    inner = np.linalg.norm(corners.mean(axis=1), axis=1).min()  # the faces of an icosphere are not all alike
    return corners * radius / (inner if around else 1.0)


def _prism(radius: float, length: float, around: bool) -> Array:
    import trimesh

    corner = radius / np.cos(np.pi / _RIM) if around else radius
    return np.asarray(trimesh.creation.cylinder(corner, length, sections=_RIM).triangles)
