"""Triangles of every shape that ends; round ones are cut into facets."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import GeometryError
from footfall.geometry.height_map import HeightMap
from footfall.geometry.mesh import TriangleMesh, load_mesh, merge_vertices
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.scene.shapes import MeshShape

SECTIONS = 32  # around a cylinder


def shape_mesh(shape: Any) -> TriangleMesh:
    """The mesh of a shape in its own frame, counter-clockwise seen from outside."""
    if isinstance(shape, Mesh):
        return load_mesh(shape.path, scale=shape.scale)  # it remembers files by itself
    if isinstance(shape, MeshShape):
        return shape.mesh
    if isinstance(shape, HeightMap):
        return TriangleMesh(*height_map_triangles(shape), "height map")
    return _primitive(shape)


@lru_cache(maxsize=4096)
def _primitive(shape: Any) -> TriangleMesh:
    import trimesh  # slow to import

    match shape:
        case Box(size):
            made: Any = trimesh.creation.box(size)
        case Sphere(radius):
            made = trimesh.creation.icosphere(subdivisions=3, radius=radius)
        case Cylinder(radius, length):
            made = trimesh.creation.cylinder(radius=radius, height=length, sections=SECTIONS)
        case Capsule(radius, length):
            made = trimesh.creation.capsule(height=length, radius=radius, count=(SECTIONS, SECTIONS))
        case _:
            raise GeometryError(
                f"a {type(shape).__name__} has no end, and no mesh", subject=("shape", "mesh")
            )
    vertices, triangles = merge_vertices(np.asarray(made.vertices), np.asarray(made.faces))
    return TriangleMesh(vertices, triangles, type(shape).__name__.lower())


def height_map_triangles(terrain: HeightMap, *, most: int | None = None) -> tuple[Array, Integers]:
    """Two triangles for each cell. most: cells along an edge; larger maps are thinned out."""
    strides = [1 if most is None else -(-count // most) for count in terrain.heights.shape]
    rows, columns = (
        np.unique(np.append(np.arange(0, count, stride), count - 1))
        for count, stride in zip(terrain.heights.shape, strides, strict=True)
    )
    assert terrain.origin is not None
    x = terrain.origin[0] + rows * terrain.spacing[0]
    y = terrain.origin[1] + columns * terrain.spacing[1]
    grid_x, grid_y = np.meshgrid(x, y, indexing="ij")
    vertices = np.stack([grid_x, grid_y, terrain.heights[np.ix_(rows, columns)]], axis=-1).reshape(-1, 3)
    first = (np.arange(len(rows) - 1)[:, None] * len(columns) + np.arange(len(columns) - 1)).reshape(-1)
    right, above = first + len(columns), first + 1
    lower = np.stack([first, right, right + 1], axis=1)
    upper = np.stack([first, right + 1, above], axis=1)
    return vertices, np.concatenate([lower, upper])
