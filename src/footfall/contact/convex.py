"""Convex shapes for distance queries: the hull of points or a cylinder, with a layer of some thickness around.

A sphere is a point with a layer, a capsule a segment with one; so one support function serves all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.errors import GeometryError
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from footfall.scene.shapes import MeshShape


class Core(NamedTuple):
    """A convex core in the world, for native loops: the hull of points (n, 3), m.

    disc: radius and half length of a cylinder that is the core instead, zeros if it is not; then points has its centre
    and its axis.
    """

    points: ArrayOf[Vector3]
    disc: Vector2


class Corner(NamedTuple):
    """A point of the Minkowski difference of two cores, and the points of both that it comes from, m."""

    difference: Vector3
    on_one: Vector3
    on_other: Vector3


@dataclass(frozen=True, eq=False)
class Convex:
    """A convex shape in its own frame.

    vertices: (n, 3) whose hull is the core, m. disc: radius and half length of a cylinder along z that is the core
    instead, zeros if it is not. layer: thickness around the core, m.
    """

    vertices: Array
    disc: tuple[float, float] = (0.0, 0.0)
    layer: float = 0.0

    def __post_init__(self) -> None:
        vertices = np.asarray(self.vertices, dtype=np.float64)
        if (
            vertices.ndim != 2
            or vertices.shape[1] != 3
            or len(vertices) == 0
            or not np.isfinite(vertices).all()
        ):
            raise GeometryError(
                f"vertices have shape {vertices.shape}; they must be (n, 3), one at least, of finite numbers",
                subject=("shape", "convex"),
            )
        object.__setattr__(self, "vertices", vertices)

    def core(self, pose: Transform) -> Core:
        """The core at a pose."""
        if self.disc != (0.0, 0.0):
            points = np.array([pose.translation, np.asarray(pose.rotation)[:, 2]])
        else:
            points = self.vertices @ np.asarray(pose.rotation).T + pose.translation
        return hull_core(points)._replace(disc=np.array(self.disc))


def hull_core(points: Array) -> Core:
    """The hull of points (n, 3), m, in the world."""
    return Core(np.ascontiguousarray(points, np.float64), np.zeros(2))


def convex_of(shape: Shape | MeshShape) -> Convex:
    """The convex shape of a robot's or scene's shape; of a mesh, its convex hull."""
    match shape:
        case Sphere(radius):
            return Convex(np.zeros((1, 3)), layer=radius)
        case Capsule(radius, length):
            return Convex(np.array([[0.0, 0.0, length / 2], [0.0, 0.0, -length / 2]]), layer=radius)
        case Box(size):
            return Convex(np.array(list(product((-0.5, 0.5), repeat=3))) * size)
        case Cylinder(radius, length):
            if radius == 0.0:
                return Convex(np.array([[0.0, 0.0, length / 2], [0.0, 0.0, -length / 2]]))
            return Convex(np.zeros((1, 3)), disc=(radius, length / 2))
        case Mesh(path, scale):
            from footfall.contact.features import hull_vertices
            from footfall.geometry.mesh import load_mesh  # slow to import

            return Convex(hull_vertices(load_mesh(path, scale=scale).vertices))
        case MeshShape():
            from footfall.contact.features import hull_vertices

            return Convex(hull_vertices(shape.mesh.vertices))
    raise GeometryError(f"a {type(shape).__name__} is not convex and finite", subject=("shape", "convex"))


@routine
def support(core: Core, along: Vector3) -> Vector3:
    """The point of a core that lies farthest along a direction."""
    if core.disc[0] > 0.0:
        radius, half = core.disc
        middle, axis = core.points[0], core.points[1]
        ahead = axis @ along
        across = along - ahead * axis
        # What rounding has left along the axis matters where the direction is almost the axis.
        across = across - (axis @ across) * axis
        length = math.sqrt(across @ across)
        scale = radius / length if length > 1e-14 * abs(ahead) else 0.0
        farthest: Vector3 = middle + (half if ahead >= 0.0 else -half) * axis + scale * across
        return farthest
    best: Vector3 = core.points[0]
    greatest = best @ along
    for k in range(1, len(core.points)):
        value = core.points[k] @ along
        if value > greatest:
            best, greatest = core.points[k], value
    return best


@routine
def corner_along(one: Core, other: Core, along: Vector3) -> Corner:
    """The farthest point of the Minkowski difference of two cores along a direction."""
    a, b = support(one, along), support(other, -along)
    return Corner(a - b, a, b)
