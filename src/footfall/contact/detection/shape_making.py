"""From the shapes of robots and scenes to records: primitive shapes as they are, meshes as hulls or triangles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.detection.hulls import ConvexHull, convex_hull
from footfall.contact.detection.pools import Content, PoolBuilder
from footfall.contact.detection.shapes import Kind, Shape
from footfall.errors import GeometryError
from footfall.geometry.height_map import HeightMap
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.plane import Plane
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.robot.tree import rotation_with_z_along
from footfall.scene.shapes import MeshShape


@dataclass(frozen=True)
class Carried:
    """Where shapes are: the body that carries them (-1: the world), the number of their owner and of their material,
    the groups they are in and those they may touch. solid: whether meshes are convex hulls, rather than triangles;
    divided: several of them each, see `mesh_hulls`."""

    body: int
    owner: int
    material: int = 0
    group: int = 1
    mask: int = 1
    solid: bool = True
    divided: bool = False


def shapes_of(shape: Any, pose: Transform, carried: Carried, pools: PoolBuilder) -> list[Shape]:
    """Records of a shape at a pose on its carrier; a volume of several elements is several."""
    match shape:
        case SweptVolume(elements):
            return [each for element in elements for each in shapes_of(element, pose, carried, pools)]
        case SweptSphere():
            return [_swept(shape, pose, carried, pools)]
        case Plane():
            return [_record(Kind.PLANE, pose, carried, bound=math.inf, inner=math.inf)]
        case Sphere(radius):
            return [_record(Kind.SPHERE, pose, carried, radius=radius, bound=radius, inner=radius)]
        case Capsule(radius, length):
            size = np.array([0.0, 0.0, length / 2])
            bound = radius + length / 2
            return [_record(Kind.CAPSULE, pose, carried, size, radius, bound, radius)]
        case Cylinder(radius, length):
            size = np.array([radius, radius, length / 2])
            inner = min(radius, length / 2)
            return [_record(Kind.CYLINDER, pose, carried, size, 0.0, math.hypot(radius, length / 2), inner)]
        case Box(edges):
            half = np.array(edges) / 2
            return [
                _record(Kind.BOX, pose, carried, half, 0.0, float(np.linalg.norm(half)), float(half.min()))
            ]
        case HeightMap():
            return [_content(Kind.TERRAIN, pools.terrain(shape), pose, carried)]
        case Mesh(path, scale):
            from footfall.geometry.mesh import load_mesh  # slow to import

            return shapes_of(load_mesh(path, scale=scale), pose, carried, pools)
        case MeshShape():
            return shapes_of(shape.mesh, pose, carried, pools)
        case TriangleMesh():
            if carried.solid:
                contents = pools.solid(shape, divided=carried.divided)
                return [_content(Kind.HULL, content, pose, carried) for content in contents]
            return [_content(Kind.MESH, pools.mesh(shape), pose, carried)]
        case ConvexHull():
            return [_content(Kind.HULL, pools.hull(shape), pose, carried)]
    raise GeometryError(f"a {type(shape).__name__} cannot touch anything", subject=("shape", "contact"))


def _swept(element: SweptSphere, pose: Transform, carried: Carried, pools: PoolBuilder) -> Shape:
    """A point is a sphere, a line a capsule, a triangle a flat hull with a layer around it."""
    corners, radius = element.corners, element.radius
    hull = convex_hull(corners)
    if len(hull.points) <= 2:
        start, end = hull.points[0], hull.points[-1]
        length = float(np.linalg.norm(end - start))
        middle = (start + end) / 2
        if length == 0.0:
            return _record(
                Kind.SPHERE, pose @ Transform(np.eye(3), middle), carried, np.zeros(3), radius, radius, radius
            )
        turned = pose @ Transform(rotation_with_z_along((end - start) / length), middle)
        size = np.array([0.0, 0.0, length / 2])
        return _record(Kind.CAPSULE, turned, carried, size, radius, radius + length / 2, radius)
    return _content(Kind.HULL, pools.hull(hull), pose, carried, radius)


def _content(kind: Kind, content: Content, pose: Transform, carried: Carried, radius: float = 0.0) -> Shape:
    placed = pose @ Transform(np.eye(3), content.middle)
    return _record(
        kind,
        placed,
        carried,
        content.half if np.isfinite(content.bound) else np.zeros(3),
        radius,
        content.bound + radius,
        content.inner + radius,
        content.number,
    )


def _record(
    kind: Kind,
    pose: Transform,
    carried: Carried,
    size: Array | None = None,
    radius: float = 0.0,
    bound: float = 0.0,
    inner: float = 0.0,
    content: int = 0,
) -> Shape:
    return Shape(
        int(kind),
        carried.body,
        carried.owner,
        np.asarray(pose.rotation, np.float64),
        np.asarray(pose.translation, np.float64),
        np.zeros(3) if size is None else size,
        radius,
        bound,
        inner,
        content,
        carried.material,
        carried.group,
        carried.mask,
        0,
    )
