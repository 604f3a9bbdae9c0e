"""Triangles of the shapes of bodies and objects, ready to be drawn."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import FootfallError, ViewerWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.model import Body, Robot
from footfall.robot.shapes import Geometry
from footfall.scene.model import SceneShape
from footfall.scene.shape_meshes import height_map_triangles, shape_mesh
from footfall.viewer.lola_shells import lola_parts
from footfall.viewer.shells import RUBBER, Part, shell_parts

Color = tuple[float, float, float, float]  # RGBA in [0, 1]

BODY_COLOR: Color = (0.56, 0.61, 0.68, 1.0)
OBJECT_COLOR: Color = (0.78, 0.74, 0.66, 1.0)
_CREASE = np.radians(35.0)  # sharper edges stay sharp under light
_MOST_SMOOTHED = 20_000  # triangles; looking for creases in more takes seconds
_PAD = 0.985  # of the size of pads
_WHITE, _OFF_WHITE = 0.95, 0.72
_PLANE_SIZE = 40.0  # m of a plane that is drawn
_MOST_CELLS = 400  # of a height map along an axis


class Surface(NamedTuple):
    """Triangles (m, 3) between vertices (n, 3), m, of one colour."""

    vertices: Array
    triangles: Integers
    color: Color


def robot_surfaces(robot: Robot) -> list[list[Surface]]:
    """What to draw for each body of a robot, in its frame."""
    made = lola_parts(robot)
    return [
        _joined([*_smooth(made[body.name]), *_pads(body)]) if body.name in made else body_surfaces(body)
        for body in robot.bodies
    ]


def body_surfaces(body: Body) -> list[Surface]:
    """What to draw for a body, in its frame: its visual shapes, or those for contact where a mesh is missing."""
    for geometries in (body.visuals, body.collisions):
        if not geometries:
            continue
        try:
            dressed = geometries is body.visuals
            surfaces = [each for geometry in geometries for each in _placed(geometry, dressed=dressed)]
            if dressed:
                surfaces += _pads(body)
            return _joined(surfaces)
        except FootfallError as problem:
            message = f"body {body.name!r} is not drawn as described: {problem}"
            warnings.warn(message, ViewerWarning, stacklevel=2)
    return []


def object_surface(shape: SceneShape, color: Color | None) -> Surface:
    """What to draw for an object of a scene, in its frame."""
    return Surface(*_triangles(shape), color or OBJECT_COLOR)


def _placed(geometry: Geometry, *, dressed: bool = False) -> list[Surface]:
    """Surfaces of a shape in the frame of its body; dressed: as shells of what it stands for."""
    color = _off_white(geometry.color or BODY_COLOR)
    parts = shell_parts(geometry.shape, color) if dressed else None
    surfaces = [Surface(*_triangles(geometry.shape), color)] if parts is None else _smooth(parts)
    pose: Transform = geometry.placement
    return [each._replace(vertices=each.vertices @ pose.rotation.T + pose.translation) for each in surfaces]


def _pads(body: Body) -> list[Surface]:
    """Pads below a foot, by their names: of dark rubber, a little smaller, so that faces do not lie in those of the
    foot."""
    found = []
    for geometry in body.collisions:
        if geometry.name.endswith("pad"):
            middle = geometry.placement.translation
            for surface in _placed(replace(geometry, color=RUBBER), dressed=True):
                found.append(surface._replace(vertices=middle + _PAD * (surface.vertices - middle)))
    return found


def _smooth(parts: Iterable[Part]) -> list[Surface]:
    return [Surface(*_smoothed(vertices, triangles), shade) for vertices, triangles, shade in parts]


def _off_white(color: Color) -> Color:
    """White bodies a little grey: the ground is white too."""
    red, green, blue, opacity = color
    dimmed = 1.0 if min(red, green, blue) < _WHITE else _OFF_WHITE
    return dimmed * red, dimmed * green, dimmed * blue, opacity


def _joined(surfaces: Iterable[Surface]) -> list[Surface]:
    """One surface for each colour."""
    by_color: dict[Color, list[Surface]] = {}
    for surface in surfaces:
        by_color.setdefault(surface.color, []).append(surface)
    joined = []
    for color, parts in by_color.items():
        starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
        triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True)]
        joined.append(
            Surface(np.concatenate([part.vertices for part in parts]), np.concatenate(triangles), color)
        )
    return joined


def _triangles(shape: SceneShape) -> tuple[Array, Integers]:
    match shape:
        case HeightMap():
            return height_map_triangles(shape, most=_MOST_CELLS)
        case Plane():
            half = _PLANE_SIZE / 2
            corners = np.array(
                [[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]]
            )
            return corners, np.array([[0, 1, 2], [0, 2, 3]])
    mesh = shape_mesh(shape)
    import trimesh

    return _creased(trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False))


def _smoothed(vertices: Array, triangles: Integers) -> tuple[Array, Integers]:
    import trimesh

    return _creased(trimesh.Trimesh(vertices, triangles, process=False))


def _creased(mesh: Any) -> tuple[Array, Integers]:
    """Vertices doubled along sharp edges, where light must not be smoothed."""
    import trimesh

    if len(mesh.faces) > _MOST_SMOOTHED:
        return mesh.triangles.reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3)
    shaded = trimesh.graph.smooth_shade(mesh, angle=_CREASE)
    return np.asarray(shaded.vertices), np.asarray(shaded.faces)
