"""Triangles of meshes and cells of terrain near a box: convex polygons with an outside, one after another.

A cell of a height map is a plane polygon where its four heights allow it, else two triangles. Beyond the rim of the map
the terrain goes on as it is at the rim.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import TWO_SIDED, Kind, Pools, Terrain
from footfall.contact.detection.tree import overlap

_PLANE = 1e-9  # m: a cell whose corners are that near to a plane is one polygon
_EDGE_LOOK = 1e-3  # of a cell: so far beyond an edge one looks whether the terrain bends away
_BEND = 1e-4  # sine of the angle by which it must


class Source(NamedTuple):
    """Where facets come from: the kind of the shape, its number in the pools, and the box that is looked at, in the
    frame of the shape."""

    kind: int
    content: int
    lower: Vector3
    upper: Vector3


class Outline(NamedTuple):
    """A facet: how many corners it has, and its unit normal. sharp: of a triangle, a bit for each edge that sticks out.
    sheet: whether it has nothing behind it, so that it can be touched from there too."""

    corners: int
    normal: Vector3
    sharp: int
    sheet: bool


@routine
def gather_facets(pools: Pools, source: Source, found: list[int]) -> None:
    """Append the numbers of the facets that meet the box."""
    if source.kind == Kind.MESH:
        _gather_triangles(pools, source, found)
    else:
        _gather_cells(pools, source, found)


@routine
def _gather_triangles(pools: Pools, source: Source, found: list[int]) -> None:
    stack = [pools.meshes[source.content].first_node]
    while len(stack):
        at = stack.pop()
        if not overlap(source.lower, source.upper, pools.nodes[at].lower, pools.nodes[at].upper):
            continue
        first, items = pools.nodes[at].first, pools.nodes[at].items
        for k in range(first, first + items):
            facet = pools.facets[k]
            lower = np.minimum(np.minimum(facet.a, facet.b), facet.c)
            upper = np.maximum(np.maximum(facet.a, facet.b), facet.c)
            if overlap(source.lower, source.upper, lower, upper):
                found.append(k)
        if items == 0:
            stack.append(first)
            stack.append(first + 1)


@routine
def _gather_cells(pools: Pools, source: Source, found: list[int]) -> None:
    """Numbers of cells count from one cell before the first: beyond the rim there are cells too."""
    terrain = pools.terrains[source.content]
    first_row = _cell(source.lower[0], terrain.origin_x, terrain.spacing_x, terrain.rows)
    last_row = _cell(source.upper[0], terrain.origin_x, terrain.spacing_x, terrain.rows)
    first_column = _cell(source.lower[1], terrain.origin_y, terrain.spacing_y, terrain.columns)
    last_column = _cell(source.upper[1], terrain.origin_y, terrain.spacing_y, terrain.columns)
    for i in range(first_row, last_row + 1):
        for j in range(first_column, last_column + 1):
            a, b = height_at(pools, terrain, i, j), height_at(pools, terrain, i + 1, j)
            c, d = height_at(pools, terrain, i + 1, j + 1), height_at(pools, terrain, i, j + 1)
            if max(a, b, c, d) >= source.lower[2]:
                number = 2 * ((i + 1) * (terrain.columns + 1) + j + 1)
                found.append(number)
                if abs(a + c - b - d) > _PLANE:
                    found.append(number + 1)


@routine
def _cell(place: float, origin: float, spacing: float, count: int) -> int:
    """Index of the cell at a place, -1 and count - 1 beyond the rim."""
    return int(min(max(math.floor((place - origin) / spacing), -1), count - 1))


@routine
def height_at(pools: Pools, terrain: Terrain, i: int, j: int) -> float:
    """Height of the grid's corner, beyond the rim that at the rim, m."""
    row, column = min(max(i, 0), terrain.rows - 1), min(max(j, 0), terrain.columns - 1)
    return pools.heights[terrain.first + row * terrain.columns + column]


@routine
def load_facet(pools: Pools, source: Source, number: int, corners: ArrayOf[Vector3]) -> Outline:
    """Corners of a facet, counter-clockwise seen from outside, in the frame of its shape."""
    if source.kind == Kind.MESH:
        facet = pools.facets[number]
        middle = (source.lower + source.upper) / 2.0
        if facet.edges & TWO_SIDED and facet.normal @ (middle - facet.a) < 0.0:
            corners[0], corners[1], corners[2] = facet.c, facet.b, facet.a
            return Outline(3, -facet.normal, (facet.edges >> 3) & 7, True)
        corners[0], corners[1], corners[2] = facet.a, facet.b, facet.c
        return Outline(3, facet.normal, facet.edges & 7, facet.edges & TWO_SIDED != 0)
    terrain = pools.terrains[source.content]
    cell = number // 2
    i, j = cell // (terrain.columns + 1) - 1, cell % (terrain.columns + 1) - 1
    west, east = terrain.origin_x + i * terrain.spacing_x, terrain.origin_x + (i + 1) * terrain.spacing_x
    south, north = terrain.origin_y + j * terrain.spacing_y, terrain.origin_y + (j + 1) * terrain.spacing_y
    # Beyond the rim cells reach as far as anybody looks.
    west = min(west, source.lower[0] - terrain.spacing_x) if i < 0 else west
    east = max(east, source.upper[0] + terrain.spacing_x) if i == terrain.rows - 1 else east
    south = min(south, source.lower[1] - terrain.spacing_y) if j < 0 else south
    north = max(north, source.upper[1] + terrain.spacing_y) if j == terrain.columns - 1 else north
    a = np.array([west, south, height_at(pools, terrain, i, j)])
    b = np.array([east, south, height_at(pools, terrain, i + 1, j)])
    c = np.array([east, north, height_at(pools, terrain, i + 1, j + 1)])
    d = np.array([west, north, height_at(pools, terrain, i, j + 1)])
    count = 4
    corners[0] = a
    if number % 2:
        corners[1], corners[2] = c, d
        count = 3
    else:
        corners[1], corners[2], corners[3] = b, c, d
        if abs(a[2] + c[2] - b[2] - d[2]) > _PLANE:
            count = 3
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return Outline(count, normal / math.sqrt(normal @ normal), 0, False)


@routine
def is_sharp(pools: Pools, source: Source, corners: ArrayOf[Vector3], outline: Outline, edge: int) -> bool:
    """Whether an edge of a facet can be touched: beyond it there is nothing, or what bends away."""
    if source.kind == Kind.MESH:
        return outline.sharp & (1 << edge) != 0
    terrain = pools.terrains[source.content]
    tail, head = corners[edge], corners[edge + 1 if edge + 1 < outline.corners else 0]
    along = head - tail
    x, y = along[1], -along[0]  # outwards, seen from above
    scale = _EDGE_LOOK * min(terrain.spacing_x, terrain.spacing_y) / math.sqrt(x * x + y * y)
    middle = (tail + head) / 2.0
    x, y = middle[0] + scale * x, middle[1] + scale * y
    normal = outline.normal
    plane = middle[2] - (normal[0] * (x - middle[0]) + normal[1] * (y - middle[1])) / normal[2]
    reach = _EDGE_LOOK * min(terrain.spacing_x, terrain.spacing_y)
    return (terrain_height(pools, terrain, x, y) - plane) * normal[2] < -_BEND * reach


@routine
def terrain_height(pools: Pools, terrain: Terrain, x: float, y: float) -> float:
    """Height of the terrain at a place of its own frame, m."""
    i = _cell(x, terrain.origin_x, terrain.spacing_x, terrain.rows)
    j = _cell(y, terrain.origin_y, terrain.spacing_y, terrain.columns)
    s = (x - terrain.origin_x) / terrain.spacing_x - i
    t = (y - terrain.origin_y) / terrain.spacing_y - j
    a, b = height_at(pools, terrain, i, j), height_at(pools, terrain, i + 1, j)
    c, d = height_at(pools, terrain, i + 1, j + 1), height_at(pools, terrain, i, j + 1)
    return a + s * (b - a) + t * (c - b) if s >= t else a + s * (c - d) + t * (d - a)
