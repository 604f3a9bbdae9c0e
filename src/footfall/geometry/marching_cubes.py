"""Triangles of the surface where values on a grid change their sign (Lorensen and Cline 1987).

The table of triangles is made, not copied: on every face of a cube the corners inside are cut off one by one, which
both cubes that share the face do in the same way, so closed surfaces stay closed.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import Vector3, routine
from footfall.errors import GeometryError

_CORNERS = np.array([[c & 1, c >> 1 & 1, c >> 2 & 1] for c in range(8)])
# From corner c along an axis.
_EDGES = [(c, axis) for axis in range(3) for c in range(8) if not c >> axis & 1]
# Corners around each face, counter-clockwise seen from outside.
_FACES = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
_NEAREST = 1e-3  # of an edge: how close to its ends it is cut, so that no triangle is without area


class _Table(NamedTuple):
    """Triangles of each of 256 cubes: from first[k] to first[k + 1], as rows of three edges; edge e begins at the
    corner with offsets origins[e] and goes along axes[e]."""

    first: Integers
    triangles: Integers
    origins: Integers
    axes: Integers


class IsoSurface(NamedTuple):
    """vertices: (n, 3) m. normals: (n, 3), towards greater values. triangles: (m, 3), counter-clockwise from there."""

    vertices: Array
    normals: Array
    triangles: Integers


def marching_cubes(values: Array, *, origin: Array, spacing: float) -> IsoSurface:
    """The surface between negative values (inside) and others on a grid (nx, ny, nz).

    origin: (3,) of the first value, m. spacing: m. Vertices lie on the edges of the grid, where the values
    interpolated along them are zero; normals are the interpolated gradients.
    """
    values = np.ascontiguousarray(values, np.float64)
    if values.ndim != 3 or min(values.shape) < 2 or not np.isfinite(values).all():
        message = f"values have shape {values.shape}; they must be finite and 2 by 2 by 2 at least"
        raise GeometryError(message, subject=("grid", "marching cubes"))
    found = _march(values, _table())
    return found._replace(vertices=np.asarray(origin) + spacing * found.vertices)


@cache
def _table() -> _Table:
    number = {}
    for e, (corner, axis) in enumerate(_EDGES):
        number[corner, corner | 1 << axis] = number[corner | 1 << axis, corner] = e
    first, rows = [0], []
    for inside in range(256):
        after: dict[int, int] = {}  # the edge that follows each one on the contour
        for face in _FACES:
            within = [bool(inside >> corner & 1) for corner in face]
            for k in range(4):
                if within[k - 1] or not within[k]:
                    continue
                entered = number[face[k - 1], face[k]]
                while within[(k + 1) % 4]:
                    k += 1
                after[entered] = number[face[k % 4], face[(k + 1) % 4]]
        while after:
            start, edge = next(iter(after.items()))
            loop = [start]
            while edge != start:
                loop.append(edge)
                edge = after.pop(edge)
            after.pop(start)
            rows += _fan(loop)
        first.append(len(rows))
    origins = _CORNERS[[corner for corner, _ in _EDGES]]
    axes = np.array([axis for _, axis in _EDGES])
    return _Table(np.array(first), np.array(rows, np.int64), np.ascontiguousarray(origins), axes)


def _fan(loop: list[int]) -> list[tuple[int, int, int]]:
    """Triangles of a contour, from the corner whose diagonals lie least often in a face of the cube, where the
    neighbour may have an edge of its own."""
    faces = [{k for k, face in enumerate(_FACES) if {a, a | 1 << axis} <= set(face)} for a, axis in _EDGES]

    def shared(start: int) -> int:
        turned = loop[start:] + loop[:start]
        return sum(bool(faces[turned[0]] & faces[other]) for other in turned[2:-1])

    start = min(range(len(loop)), key=shared)
    turned = loop[start:] + loop[:start]
    return [(turned[0], turned[k], turned[k + 1]) for k in range(1, len(turned) - 1)]


@routine
def _gradient(values: Array, i: int, j: int, k: int) -> Vector3:
    """Differences at a point of the grid: central ones, one-sided at its faces."""
    nx, ny, nz = values.shape
    a, b = max(i - 1, 0), min(i + 1, nx - 1)
    c, d = max(j - 1, 0), min(j + 1, ny - 1)
    e, f = max(k - 1, 0), min(k + 1, nz - 1)
    return np.array(
        [
            (values[b, j, k] - values[a, j, k]) / (b - a),
            (values[i, d, k] - values[i, c, k]) / (d - c),
            (values[i, j, f] - values[i, j, e]) / (f - e),
        ]
    )


class _Cuts(NamedTuple):
    """Where the surface cuts edges of the grid: points and normals (n, 3), in steps of the grid, and the number of the
    cut on each edge (points of the grid, 3 axes along which it begins there), -1 for none."""

    points: Array
    normals: Array
    number: Integers


@routine
def _march(values: Array, table: _Table) -> IsoSurface:
    """The surface in steps of the grid."""
    cuts = _cuts(values)
    return IsoSurface(cuts.points, cuts.normals, _triangles(values, table, cuts.number))


@routine
def _cuts(values: Array) -> _Cuts:
    """All edges of the grid whose ends have different signs."""
    nx, ny, nz = values.shape
    number = np.full((nx * ny * nz, 3), -1)
    edges: list[int] = []
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                inside, node = values[i, j, k] < 0.0, (i * ny + j) * nz + k
                for axis in (0, 1, 2):
                    a, b, c = _next(i, j, k, axis)
                    if a < nx and b < ny and c < nz and inside != (values[a, b, c] < 0.0):
                        number[node, axis] = len(edges)
                        edges.append(3 * node + axis)
    points = np.empty((len(edges), 3))
    normals = np.empty((len(edges), 3))
    for m in range(len(edges)):
        node = edges[m] // 3
        i, j, k = node // (ny * nz), node // nz % ny, node % nz
        a, b, c = _next(i, j, k, edges[m] % 3)
        t = values[i, j, k] / (values[i, j, k] - values[a, b, c])
        t = min(max(t, _NEAREST), 1.0 - _NEAREST)
        slope = (1.0 - t) * _gradient(values, i, j, k) + t * _gradient(values, a, b, c)
        length = np.sqrt(slope @ slope)
        points[m] = np.array([i + t * (a - i), j + t * (b - j), k + t * (c - k)])
        normals[m] = (1.0 / length if length > 0.0 else 0.0) * slope
    return _Cuts(points, normals, number)


@routine
def _next(i: int, j: int, k: int, axis: int) -> tuple[int, int, int]:
    """The point of the grid after another along an axis."""
    return i + (1 if axis == 0 else 0), j + (1 if axis == 1 else 0), k + (1 if axis == 2 else 0)


@routine
def _triangles(values: Array, table: _Table, number: Integers) -> Integers:
    """Numbers (m, 3) of the cuts that make a triangle, cube after cube."""
    nx, ny, nz = values.shape
    corners: list[int] = []
    for i in range(nx - 1):
        for j in range(ny - 1):
            for k in range(nz - 1):
                inside = _corners_inside(values, i, j, k)
                for row in range(table.first[inside], table.first[inside + 1]):
                    for m in range(3):
                        edge = table.triangles[row, m]
                        a, b, c = table.origins[edge, 0], table.origins[edge, 1], table.origins[edge, 2]
                        corners.append(number[((i + a) * ny + j + b) * nz + k + c, table.axes[edge]])
    result = np.empty((len(corners) // 3, 3), dtype=np.int64)
    for m in range(len(corners)):
        result[m // 3, m % 3] = corners[m]
    return result


@routine
def _corners_inside(values: Array, i: int, j: int, k: int) -> int:
    """A bit for each corner of a cube with a negative value."""
    inside = 0
    for corner in range(8):
        if values[i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2 & 1)] < 0.0:
            inside |= 1 << corner
    return inside
