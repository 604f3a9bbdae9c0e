"""Convex shapes for distance queries: the hull of points or a cylinder, with a layer of some thickness around.

A sphere is a point with a layer, a capsule a segment with one; so one support function serves all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.errors import GeometryError
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from footfall.scene.shapes import MeshShape

Core = tuple[Array, Array]


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
        """The core at a pose, for native loops: points (n, 3), or center, axis and (radius, half length, 0) of a
        cylinder and a mark."""
        if self.disc != (0.0, 0.0):
            axis = np.asarray(pose.rotation)[:, 2]
            rows = np.array([pose.translation, axis])
            return np.ascontiguousarray(rows, np.float64), np.array(self.disc)
        points = self.vertices @ np.asarray(pose.rotation).T + pose.translation
        return np.ascontiguousarray(points, np.float64), np.zeros(2)


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
def support(points: Array, disc: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The point of a core that lies farthest along a direction."""
    if disc[0] > 0.0:
        ax, ay, az = points[1, 0], points[1, 1], points[1, 2]
        along = ax * x + ay * y + az * z
        rx, ry, rz = x - along * ax, y - along * ay, z - along * az
        rest = ax * rx + ay * ry + az * rz  # of rounding; it matters where the direction is almost the axis
        rx, ry, rz = rx - rest * ax, ry - rest * ay, rz - rest * az
        norm = np.sqrt(rx * rx + ry * ry + rz * rz)
        scale = disc[0] / norm if norm > 1e-14 * abs(along) else 0.0
        half = disc[1] if along >= 0.0 else -disc[1]
        return (
            points[0, 0] + half * ax + scale * rx,
            points[0, 1] + half * ay + scale * ry,
            points[0, 2] + half * az + scale * rz,
        )
    best, greatest = 0, -np.inf
    for k in range(len(points)):
        value = points[k, 0] * x + points[k, 1] * y + points[k, 2] * z
        if value > greatest:
            best, greatest = k, value
    return points[best, 0], points[best, 1], points[best, 2]
