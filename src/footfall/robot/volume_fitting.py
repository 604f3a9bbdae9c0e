"""Volumes for any robot, fitted around the shapes or meshes of its bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from footfall.errors import InvalidValue
from footfall.geometry.swept_fitting import Cell, Coverage, coverage, fit_swept_volume
from footfall.geometry.swept_sphere import SweptVolume
from footfall.robot.model import Body, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.robot.volumes import BodyVolume

_RIM = 16  # corners of the polygon around the rim of a cylinder


def fit_volumes(
    robot: Robot, *, bodies: Sequence[str] | None = None, most: int = 4, visuals: bool = False
) -> Robot:
    """The robot with a volume around each body that has a shape, under the body's name; others stay as they are.

    bodies: only these. most: elements a body (a flat part takes two). Every triangle of a mesh lies inside of one
    element; shapes for contact count, or what is seen if there are none. visuals: what is seen counts in any case.
    `volume_coverage` says how tight they are.
    """
    wanted = [robot.body(name) for name in bodies] if bodies is not None else robot.bodies
    fitted = {}
    for body in wanted:
        cells = body_cells(body, visuals=visuals)
        if cells:
            fitted[body.name] = BodyVolume(body.name, body.name, fit_swept_volume(cells, most=most))
        elif bodies is not None:
            raise InvalidValue("has no shape to fit a volume to", subject=("body", body.name))
    kept = tuple(volume for volume in robot.volumes if volume.name not in fitted)
    return replace(robot, volumes=(*kept, *fitted.values()))


def volume_coverage(robot: Robot, *, visuals: bool = False) -> dict[str, Coverage]:
    """How the volumes of each body hold its shapes, by body; bodies without volumes or shapes are left out.

    visuals: as in `fit_volumes`.
    """
    found = {}
    for body in robot.bodies:
        elements = [
            each for volume in robot.volumes if volume.body == body.name for each in volume.shape.elements
        ]
        cells = body_cells(body, visuals=visuals) if elements else []
        if cells:
            found[body.name] = coverage(SweptVolume(tuple(elements)), cells)
    return found


def body_cells(body: Body, *, visuals: bool = False) -> list[Cell]:
    """The shapes of a body as convex cells in its frame: those for contact, or what is seen if there are none.

    visuals: what is seen in any case.
    """
    geometries = (*body.collisions, *body.visuals) if visuals else body.collisions or body.visuals
    return [cell for geometry in geometries for cell in _cells(geometry)]


def _cells(geometry: Geometry) -> list[Cell]:
    match geometry.shape:
        case Sphere(radius):
            cells = [Cell(np.zeros((1, 3)), radius)]
        case Capsule(radius, length):
            cells = [Cell(np.array([[0.0, 0.0, -length / 2], [0.0, 0.0, length / 2]]), radius)]
        case Cylinder(radius, length):
            angles = 2 * np.pi * np.arange(_RIM) / _RIM
            around = radius / np.cos(np.pi / _RIM) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
            cells = [Cell(np.array([[x, y, z] for x, y in around for z in (-length / 2, length / 2)]))]
        case Box(size):
            corners, eighths = np.array(list(product((0.0, 0.5), repeat=3))), product((-0.5, 0.0), repeat=3)
            cells = [Cell((corners + low) * size) for low in eighths]  # so that it can be split
        case Mesh(path, scale):
            from footfall.geometry.mesh import load_mesh  # slow to import

            cells = [Cell(corners) for corners in load_mesh(path, scale=scale).corners]
    pose = geometry.placement
    return [Cell(cell.points @ pose.rotation.T + pose.translation, cell.radius) for cell in cells]
