"""Axis-aligned boxes around shapes."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.contact.distance_functions import Surface
from footfall.errors import GeometryError
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.scene.shapes import MeshShape


def bounding_box(shape: Surface, pose: Transform) -> tuple[Array, Array]:
    """Least and greatest coordinates (3,) in the world of a shape at a pose, m.

    Ground that does not end has infinite ones: a plane on the sides where it does not end, a height map throughout.
    """
    rotation, center = np.asarray(pose.rotation), np.asarray(pose.translation)
    match shape:
        case Sphere(radius):
            half = np.full(3, radius)
        case Box(size):
            half = np.abs(rotation) @ np.array(size) / 2
        case Capsule(radius, length):
            half = np.abs(rotation[:, 2]) * length / 2 + radius
        case Cylinder(radius, length):
            axis = rotation[:, 2]
            half = np.abs(axis) * length / 2 + radius * np.sqrt(np.maximum(0.0, 1.0 - axis**2))
        case Mesh(path, scale):
            from footfall.geometry.mesh import load_mesh  # slow to import

            points = load_mesh(path, scale=scale).corners.reshape(-1, 3) @ rotation.T + center
            return points.min(axis=0), points.max(axis=0)
        case MeshShape():
            points = shape.mesh.corners.reshape(-1, 3) @ rotation.T + center
            return points.min(axis=0), points.max(axis=0)
        case Plane():
            return _half_space(rotation[:, 2], center)
        case HeightMap():
            return np.full(3, -np.inf), np.full(3, np.inf)
        case _:
            raise GeometryError(f"a {type(shape).__name__} has no bounding box", subject=("shape", "bounds"))
    return center - half, center + half


def swept_bounds(lower: Array, upper: Array, velocities: Array, dt: float) -> tuple[Array, Array]:
    """Boxes (n, 3) that hold over a time dt (s) of motion with velocities (n, 3) in m/s (Ayit 2015, chapter 2)."""
    reach = np.abs(np.asarray(velocities)) * dt
    return lower - reach, upper + reach


def _half_space(normal: Array, point: Array) -> tuple[Array, Array]:
    lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
    axis = int(np.abs(normal).argmax())
    if abs(normal[axis]) == 1.0:
        side = upper if normal[axis] > 0.0 else lower
        side[axis] = point[axis]
    return lower, upper
