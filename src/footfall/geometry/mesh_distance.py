"""Signed distance to a triangle mesh: nearest triangle through a hierarchy, sign by pseudonormals.

Nearest points fall on faces, edges and vertices; with the normal of the face, the mean normal of the faces at
an edge and the angle-weighted normal at a vertex the sign is right at all of them (003a SIM-4), on open meshes
too. All that a query needs is packed into one array, so that native code can carry it along.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from weakref import WeakKeyDictionary

import numpy as np

from footfall.arrays import Array
from footfall.compiler import NativeFunction, call
from footfall.compiler.routines import RoutineCallback, routine
from footfall.errors import GeometryError
from footfall.geometry.hierarchy import DEPTH, NODE, build_hierarchy
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.triangle import FACE, closest_on_triangle

_HEADER = 2  # size of the array, number of nodes
_TRIANGLE = 30  # corners (9), face normal (3), edge normals (9), vertex normals (9)
_TIE = 1e-15  # relative difference of squared distances that is rounding
_NEAR = 1e-10  # m; closer to an edge or a vertex than this the direction to it is rounding

_functions: WeakKeyDictionary[TriangleMesh, Callable[[Array], Array]] = WeakKeyDictionary()


def distance_function(mesh: TriangleMesh) -> Callable[[Array], Array]:
    """Function of a point (3,), numbers or symbols: distance, normal (3,), closest point (3,), as (7,), m."""
    if mesh not in _functions:
        data = pack(mesh)
        # Two functions of one name and address but other data are two functions.
        name = f"mesh_{sha256(data.tobytes()).hexdigest()[:16]}"
        callback = _callback()
        native = NativeFunction(name, callback.address, 7, data=data, owner=callback)

        def distance(point: Array) -> Array:
            point = np.asarray(point)
            if point.dtype == object:
                result: Array = call(native, point)
                return result
            return query(data, float(point[0]), float(point[1]), float(point[2]))

        _functions[mesh] = distance
    return _functions[mesh]


def signed_distances(mesh: TriangleMesh, points: Array) -> Array:
    """Distance, normal (3) and closest point (3) of many points (n, 3), as (n, 7), m."""
    points = np.ascontiguousarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise GeometryError(
            f"points have shape {points.shape}; they must be (n, 3)", subject=("mesh", mesh.name)
        )
    return _query_all(pack(mesh), points)


def pack(mesh: TriangleMesh) -> Array:
    """The mesh as one array: header, nodes of its hierarchy, triangles in the order of the leaves."""
    corners = mesh.corners
    tree = build_hierarchy(corners.min(axis=1), corners.max(axis=1))
    triangles = np.concatenate(
        [
            corners.reshape(-1, 9),
            mesh.face_normals,
            mesh.edge_pseudonormals.reshape(-1, 9),
            mesh.vertex_pseudonormals[mesh.triangles].reshape(-1, 9),
        ],
        axis=1,
    )[tree.order]
    size = _HEADER + tree.nodes.size + triangles.size
    return np.concatenate([[float(size), float(len(tree.nodes))], tree.nodes.ravel(), triangles.ravel()])


@routine
def _square_to_box(data: Array, node: int, x: float, y: float, z: float) -> float:
    """Square of the distance of a point to the box of the node that starts at `node`."""
    dx = max(data[node] - x, 0.0, x - data[node + 3])
    dy = max(data[node + 1] - y, 0.0, y - data[node + 4])
    dz = max(data[node + 2] - z, 0.0, z - data[node + 5])
    return float(dx * dx + dy * dy + dz * dz)


@routine
def query(data: Array, x: float, y: float, z: float) -> Array:
    """Distance, normal (3) and closest point (3), as (7,), of one point to a packed mesh."""
    triangles = _HEADER + int(data[1]) * NODE
    stack = np.empty(DEPTH, dtype=np.int64)
    bounds = np.empty(DEPTH)
    stack[0], bounds[0], height = 0, 0.0, 1
    least, where, feature = np.inf, 0, -1
    cx, cy, cz = 0.0, 0.0, 0.0
    while height:
        height -= 1
        if bounds[height] > least:
            continue
        node = _HEADER + stack[height] * NODE
        first, count = int(data[node + 6]), int(data[node + 7])
        if count == 0:
            near = _square_to_box(data, _HEADER + first * NODE, x, y, z)
            far = _square_to_box(data, _HEADER + (first + 1) * NODE, x, y, z)
            swap = 1 if far < near else 0
            stack[height], bounds[height] = first + 1 - swap, max(near, far)
            stack[height + 1], bounds[height + 1] = first + swap, min(near, far)
            height += 2
            continue
        for triangle in range(first, first + count):
            start = triangles + triangle * _TRIANGLE
            px, py, pz, part = closest_on_triangle(data[start : start + 9], x, y, z)
            square = (x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2
            # Two triangles in one plane: the one whose face is met knows the direction best.
            tied = part == FACE and feature != FACE and square <= least * (1.0 + _TIE)
            if square < least or tied:
                least, where, feature = square, start, part
                cx, cy, cz = px, py, pz
    return _signed(data[where + 9 : where + _TRIANGLE], feature, x, y, z, cx, cy, cz)


@routine
def _signed(
    normals: Array, feature: int, x: float, y: float, z: float, cx: float, cy: float, cz: float
) -> Array:
    """The answer of a query; normals: of the face, the edges and the vertices of the nearest triangle."""
    result = np.empty(7)
    result[4], result[5], result[6] = cx, cy, cz
    nx, ny, nz = normals[3 * feature], normals[3 * feature + 1], normals[3 * feature + 2]
    dx, dy, dz = x - cx, y - cy, z - cz
    along = dx * nx + dy * ny + dz * nz
    if feature == FACE:  # the difference is parallel to the normal, which is known better
        result[0], result[1], result[2], result[3] = along, nx, ny, nz
        return result
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    signed = length if along >= 0.0 else -length
    result[0] = signed
    if length > _NEAR:
        nx, ny, nz = dx / signed, dy / signed, dz / signed
    result[1], result[2], result[3] = nx, ny, nz
    return result


@routine
def _query_all(data: Array, points: Array) -> Array:
    results = np.empty((len(points), 7))
    for k in range(len(points)):
        results[k] = query(data, points[k, 0], points[k, 1], points[k, 2])
    return results


@routine
def _answer(inputs: Array, outputs: Array, data: Array) -> None:
    outputs[:7] = query(data, inputs[0], inputs[1], inputs[2])


@cache
def _callback() -> RoutineCallback:
    return RoutineCallback(_answer)
