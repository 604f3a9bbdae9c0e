"""Signed distance and outward normal of a point to a shape, for numbers and for symbols.

Every function takes the point (3,) in the frame of the shape and gives the distance in m, negative inside, and
the unit normal (3,) along which the distance grows. Choices are made by `where`, so that the functions can be
traced into a native step; at places where the normal is not unique (the centre of a sphere, the medial planes
of a box) one is chosen and everything stays finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, greater, greater_equal, less, maximum, minimum, sqrt, where
from footfall.contact.terrain_distance import TerrainFacet, facet_distance, height_map_distance
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from footfall.scene.shapes import MeshShape

Surface = Shape | Plane | HeightMap | TerrainFacet | MeshShape

_TINY = 1e-24  # square of a length, m2, below which a direction has no meaning
_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def signed_distance(shape: Surface, pose: Transform, point: Array) -> tuple[Any, Array]:
    """Distance (m) and normal (3,) in world axes of a point (3,) given in the world.

    pose: of the shape in the world; floats or symbols, like the point.
    """
    rotation, translation = pose
    distance, normal = local_distance(shape, rotation.T @ (point - translation))
    return distance, rotation @ normal


def local_distance(shape: Surface, point: Array) -> tuple[Any, Array]:
    """Distance (m) and normal (3,) of a point (3,), all in the frame of the shape."""
    match shape:
        case Plane():
            return plane_distance(point)
        case Box(size):
            return box_distance(size, point)
        case Sphere(radius):
            return sphere_distance(radius, point)
        case Capsule(radius, length):
            return capsule_distance(radius, length, point)
        case Cylinder(radius, length):
            return cylinder_distance(radius, length, point)
        case HeightMap():
            return height_map_distance(shape, point)
        case TerrainFacet():
            return facet_distance(shape, point)
        case Mesh() | MeshShape():
            return mesh_distance(shape, point)
    raise TypeError(
        f"no distance to a {type(shape).__name__}; shapes are Plane, HeightMap and those of a robot"
    )


def plane_distance(point: Array) -> tuple[Any, Array]:
    """To the x-y plane, Ayit 2015, chapter 2."""
    return point[2], _Z


def sphere_distance(radius: Any, point: Array) -> tuple[Any, Array]:
    """To a sphere about the origin; upwards from its centre."""
    length, direction = _length_and_direction(point, _Z)
    return length - radius, direction


def capsule_distance(radius: Any, length: Any, point: Array) -> tuple[Any, Array]:
    """To a capsule along z; from its axis along x."""
    along = maximum(minimum(point[2], length / 2), -length / 2)
    distance, direction = _length_and_direction(np.array([point[0], point[1], point[2] - along]), _X)
    return distance - radius, direction


def box_distance(size: Any, point: Array) -> tuple[Any, Array]:
    """To a box about the origin with edge lengths `size`; inside along the nearest face, z before y before x."""
    beyond = absolute(point) - np.asarray(size) / 2
    x, y, z = beyond
    up = greater_equal(z, maximum(x, y))
    sideways = greater_equal(y, x)
    face = np.array(
        [
            where(up, 0.0, where(sideways, 0.0, 1.0)),
            where(up, 0.0, where(sideways, 1.0, 0.0)),
            where(up, 1.0, 0.0),
        ]
    )
    outside, direction = _length_and_direction(maximum(beyond, 0.0), face)
    signs = where(less(point, 0.0), -1.0, 1.0)
    return outside + minimum(maximum(maximum(x, y), z), 0.0), direction * signs


def cylinder_distance(radius: Any, length: Any, point: Array) -> tuple[Any, Array]:
    """To a cylinder along z; inside along the cap or the mantle, whichever is nearer."""
    axial = np.array([point[0], point[1], 0.0 * point[2]])
    from_axis, radial = _length_and_direction(axial, _X)
    around, along = from_axis - radius, absolute(point[2]) - length / 2
    cap = greater_equal(along, around)
    inner = np.array([where(cap, 0.0, 1.0), where(cap, 1.0, 0.0)])
    outside, direction = _length_and_direction(np.array([maximum(around, 0.0), maximum(along, 0.0)]), inner)
    sign = where(less(point[2], 0.0), -1.0, 1.0)
    normal = np.array([direction[0] * radial[0], direction[0] * radial[1], direction[1] * sign])
    return outside + minimum(maximum(around, along), 0.0), normal


def mesh_distance(mesh: Mesh | MeshShape, point: Array) -> tuple[Any, Array]:
    """To the triangles of a mesh, the sign by angle-weighted pseudonormals (Seiwald 2023, section 7.4)."""
    from footfall.geometry.mesh import load_mesh  # meshes are rare, and what reads them is slow to import
    from footfall.geometry.mesh_distance import distance_function

    triangles = mesh.mesh if isinstance(mesh, MeshShape) else load_mesh(mesh.path, scale=mesh.scale)
    result = distance_function(triangles)(point)
    return result[0], result[1:4]


def _length_and_direction(vector: Array, fallback: Array) -> tuple[Any, Array]:
    """Length of a vector and its direction, `fallback` if it has none."""
    square = vector @ vector
    long = greater(square, _TINY)
    length = sqrt(where(long, square, 1.0))
    return where(long, length, 0.0), where(long, vector / length, fallback)
