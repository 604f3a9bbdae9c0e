"""Points with a radius that stand for the shape of a body where it touches others."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.scene.shapes import MeshShape

ROUNDING = 1e-3  # of the shortest edge of a box, or of the diameter or length of a cylinder


def rounding_of(shape: Box | Cylinder) -> float:
    """Radius (m) of the corners and edges of a box, or of the rims of a cylinder."""
    return ROUNDING * (min(shape.size) if isinstance(shape, Box) else min(2 * shape.radius, shape.length))


class ContactPoints(NamedTuple):
    """positions: (n, 3) in the frame of the body, m. radii: (n,) of the balls around them, m."""

    positions: Array
    radii: Array


def contact_points(geometry: Geometry, *, rim_points: int = 8, mesh_points: int = 16) -> ContactPoints:
    """The points that stand for a geometry, in the frame of its body.

    A sphere is its centre, a capsule its two ends: exact against planes. A box is its eight corners, rounded by a
    thousandth of its shortest edge: so a corner lies over the face it stands on, even if the edges are flush, and
    has that face's normal. A cylinder is `rim_points` on each rim, rounded in the same way, a mesh at most
    `mesh_points` corners of its convex hull, well spread.
    """
    positions, radius = _local_points(geometry, rim_points, mesh_points)
    placed = positions @ geometry.placement.rotation.T + geometry.placement.translation
    return ContactPoints(placed, np.full(len(placed), radius))


def _local_points(geometry: Geometry, rim_points: int, mesh_points: int) -> tuple[Array, float]:
    if isinstance(geometry.shape, MeshShape):  # of scenes
        return spread_points(hull_vertices(geometry.shape.mesh.vertices), mesh_points), 0.0
    match geometry.shape:
        case Sphere(radius):
            return np.zeros((1, 3)), radius
        case Capsule(radius, length):
            return np.array([[0.0, 0.0, length / 2], [0.0, 0.0, -length / 2]]), radius
        case Box(size):
            rounding = rounding_of(geometry.shape)
            return np.array(list(product((-0.5, 0.5), repeat=3))) * (np.array(size) - 2 * rounding), rounding
        case Cylinder(radius, length):
            rounding = rounding_of(geometry.shape)
            angles = 2 * np.pi * np.arange(rim_points) / rim_points
            around = (radius - rounding) * np.array([np.cos(angles), np.sin(angles), np.zeros(rim_points)]).T
            up = np.array([0.0, 0.0, length / 2 - rounding])
            return np.concatenate([around + up, around - up]), rounding
        case Mesh(path, scale):
            from footfall.geometry.mesh import load_mesh  # slow to import

            return spread_points(hull_vertices(load_mesh(path, scale=scale).vertices), mesh_points), 0.0


def hull_vertices(points: Array) -> Array:
    """Corners (m, 3) of the convex hull of points (n, 3); all points if they are too flat to have one."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    points = np.unique(points, axis=0)
    if len(points) < 5:
        return points
    try:
        return np.asarray(points[np.sort(ConvexHull(points).vertices)])
    except QhullError:
        return points


def spread_points(points: Array, count: int) -> Array:
    """At most `count` of the points (n, 3): the outermost along the axes, then the one farthest from those taken."""
    if len(points) <= count:
        return points
    chosen = list(dict.fromkeys([*points.argmin(axis=0).tolist(), *points.argmax(axis=0).tolist()]))[:count]
    distance = np.min(np.linalg.norm(points[:, None] - points[chosen], axis=2), axis=1)
    while len(chosen) < count:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.asarray(points[np.sort(chosen)])
