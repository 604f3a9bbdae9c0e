"""Centre of mass and inertia of solids of one density."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import SceneError
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.scene.shapes import Cone, Icosphere, Triangles


def solid_inertia(shape: Any, mass: float) -> tuple[Array, Array]:
    """Centre of mass (3,) in m and inertia (3, 3) about it in kg m2, in the frame of the shape."""
    center = np.zeros(3)
    match shape:
        case Box((x, y, z)):
            moments = np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12
        case Sphere(radius):
            moments = np.full(3, 0.4 * radius**2)
        case Cylinder(radius, length):
            across = (3 * radius**2 + length**2) / 12
            moments = np.array([across, across, radius**2 / 2])
        case Capsule(radius, length):
            moments = _capsule(radius, length)
        case Mesh(path, scale):
            from footfall.geometry.mesh import (
                load_mesh,  # slow to import
                mesh_inertia,
            )

            return mesh_inertia(load_mesh(path, scale=scale), mass)
        case Cone(radius, length):  # its centre is a quarter of the length above the base
            across = (3 * radius**2 / 20) + 3 * length**2 / 80
            center = np.array([0.0, 0.0, -length / 4])
            moments = np.array([across, across, 0.3 * radius**2])
        case Icosphere() | Triangles():
            from footfall.geometry.mesh import mesh_inertia

            return mesh_inertia(shape.mesh, mass)
        case _:
            raise SceneError(
                f"a {type(shape).__name__} has no mass; give a box, sphere, cylinder, capsule, cone, icosphere or mesh"
            )
    if not math.isfinite(float(mass) * float(moments.max())):
        raise SceneError(
            f"a {type(shape).__name__} of that size and {mass:g} kg has no inertia that could be held"
        )
    return center, np.diag(mass * moments)


def _capsule(radius: float, length: float) -> Array:
    """Moments for unit mass: a cylinder and two half balls, whose centres lie 3/8 radius beyond its ends."""
    cylinder, ball = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    total = cylinder + ball
    if total == 0.0:
        raise SceneError("a capsule without volume has no inertia", subject=("shape", "capsule"))
    shift = length / 2 + 3 / 8 * radius
    across = cylinder * (3 * radius**2 + length**2) / 12
    across += ball * ((0.4 - (3 / 8) ** 2) * radius**2 + shift**2)
    along = cylinder * radius**2 / 2 + ball * 0.4 * radius**2
    return np.array([across, across, along]) / total
