"""A scene as coal and trimesh see it: solids to measure distances to, and heights of what one can stand on.

Nothing of the planner or of the environment it plans in is used: this is what its plans are judged by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import coal
import numpy as np
import trimesh

from footfall import Box, Plane, Scene
from footfall.arrays import Array, Flags
from footfall.scene.model import SceneObject
from footfall.scene.shape_meshes import shape_mesh


class Nearest(NamedTuple):
    """distance: m, negative inside. normal: (3,) of the surface, towards what is near it. name: of the object."""

    distance: float
    normal: Array
    name: str


@dataclass(frozen=True)
class Solid:
    """An object: its class, triangles (n, 3, 3) in the world, its box of coordinates (2, 3), and coal's shape."""

    name: str
    category: str
    triangles: Array
    bounds: Array
    shape: Any
    pose: Any


class RawScene:
    """All objects of a scene that can be touched, at a time (s)."""

    def __init__(self, scene: Scene, *, time: float = 0.0) -> None:
        self.planes = [each for each in scene.objects if isinstance(each.shape, Plane)]
        bounded = [each for each in scene.objects if not isinstance(each.shape, Plane)]
        self.solids = [_solid(each, time) for each in bounded]

    def near(self, low: Array, high: Array) -> list[Solid]:
        """Those whose boxes of coordinates reach into a box (3,), (3,)."""
        return [
            solid
            for solid in self.solids
            if (solid.bounds[0] <= high).all() and (solid.bounds[1] >= low).all()
        ]

    def heights(self, points: Array, below: float) -> Array:
        """Highest surface (n,) under places (n, 2) that is not above `below`, m; not a number without one."""
        best = np.full(len(points), -np.inf)
        for each in self.planes:
            origin, up = each.placement.translation, each.placement.rotation[:, 2]
            level = origin[2] - (points - origin[:2]) @ up[:2] / up[2]
            best = np.where(level <= below, np.maximum(best, level), best)
        low, high = points.min(axis=0), points.max(axis=0)
        for solid in self.near(np.array([*low, -np.inf]), np.array([*high, np.inf])):
            found = _surface_heights(solid.triangles, points, below)
            best = np.maximum(best, found)
        return np.where(np.isfinite(best), best, np.nan)


def _solid(each: SceneObject, time: float) -> Solid:
    placement = each.placement if each.motion is None else each.motion.pose(time)
    mesh = shape_mesh(each.shape)
    body = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    body.apply_transform(
        np.block([[placement.rotation, placement.translation[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
    )
    shape: Any = coal.Box(*each.shape.size) if isinstance(each.shape, Box) else _surface(mesh)
    pose = coal.Transform3s(placement.rotation, placement.translation)
    return Solid(each.name, each.category, np.asarray(body.triangles), np.asarray(body.bounds), shape, pose)


def _surface(mesh: Any) -> Any:
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    model.addVertices(np.ascontiguousarray(mesh.vertices))
    for corners in mesh.triangles:
        model.addTriangle(*mesh.vertices[corners])
    model.endModel()
    return model


def _surface_heights(triangles: Array, points: Array, below: float) -> Array:
    """Where vertical lines through places (n, 2) meet triangles (m, 3, 3), the highest of them that is not above."""
    low, high = points.min(axis=0), points.max(axis=0)
    inside = (triangles[:, :, :2].min(axis=1) <= high).all(axis=1)
    inside &= (triangles[:, :, :2].max(axis=1) >= low).all(axis=1)
    best = np.full(len(points), -np.inf)
    for a, b, c in triangles[inside]:
        edges = np.column_stack([b[:2] - a[:2], c[:2] - a[:2]])
        if abs(np.linalg.det(edges)) < 1e-12:  # a vertical one
            continue
        u, v = np.linalg.solve(edges, (points - a[:2]).T)
        hit: Flags = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
        z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
        best = np.where(hit & (z <= below), np.maximum(best, z), best)
    return best


def distance(solid: Solid, shape: Any, pose: Any) -> Nearest:
    """How far one of coal's shapes is from an object."""
    result = coal.DistanceResult()
    coal.distance(solid.shape, solid.pose, shape, pose, coal.DistanceRequest(True), result)
    return Nearest(float(result.min_distance), np.array(result.normal), solid.name)


def capsule(first: Array, second: Array, radius: float) -> tuple[Any, Any]:
    """coal's capsule between two places (3,), and its pose."""
    along = second - first
    length = float(np.linalg.norm(along))
    align: Any = trimesh.geometry.align_vectors
    turn = align([0.0, 0.0, 1.0], along)[:3, :3] if length > 0.0 else np.eye(3)
    return coal.Capsule(radius, length), coal.Transform3s(turn, (first + second) / 2)
