"""Signed distance to a triangle mesh: nearest triangle through a hierarchy, sign by pseudonormals.

Nearest points fall on faces, edges and vertices; with the normal of the face, the mean normal of the faces at
an edge and the angle-weighted normal at a vertex the sign is right at all of them (Seiwald 2023, 7.4), on open meshes
too. All that a query needs is packed into one array, so that native code can carry it along.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.arrays import Array
from footfall.compiler import NativeFunction, call
from footfall.compiler.once import once
from footfall.compiler.routines import ArrayOf, RoutineCallback, Vector3, as_records, routine
from footfall.errors import GeometryError
from footfall.geometry.hierarchy import DEPTH, Node, build_hierarchy
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.triangle import FACE, Triangle, on_triangle

_HEADER = 2  # how many numbers nodes and triangles are
_NORMALS = 7  # of a triangle: of its face, its edges and its vertices
_TIE = 1e-15  # relative difference of squared distances that is rounding
_NO_DIRECTION = 1e-10  # m; closer to an edge or a vertex than this the direction to it is rounding


class Mesh(NamedTuple):
    """What a query needs; triangles in the order of the leaves, with the normals of their features in turn."""

    nodes: ArrayOf[Node]
    triangles: ArrayOf[Triangle]
    normals: ArrayOf[Vector3]


class OnMesh(NamedTuple):
    """Signed distance of a point, m, the normal, and the closest point."""

    distance: float
    normal: Vector3
    point: Vector3


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
            return _query_one(data, point)

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
    """The mesh as one array; `_opened` takes it apart again."""
    corners = mesh.corners
    tree = build_hierarchy(corners.min(axis=1), corners.max(axis=1))
    features = [
        mesh.face_normals,
        mesh.edge_pseudonormals.reshape(-1, 9),
        mesh.vertex_pseudonormals[mesh.triangles].reshape(-1, 9),
    ]
    triangles, normals = corners.reshape(-1, 9)[tree.order], np.concatenate(features, axis=1)[tree.order]
    header = [float(tree.nodes.size), float(triangles.size)]
    return np.concatenate([header, tree.nodes.ravel(), triangles.ravel(), normals.ravel()])


@routine
def _opened(data: Array) -> Mesh:
    triangles = _HEADER + int(data[0])
    normals = triangles + int(data[1])
    count = int(data[1]) // 9 * _NORMALS
    return Mesh(
        as_records(Node, data[_HEADER:triangles]),
        as_records(Triangle, data[triangles:normals]),
        data[normals : normals + 3 * count].reshape(count, 3),
    )


@routine
def _square_to_box(node: Node, point: Vector3) -> float:
    """Square of the distance of a point to the box of a node."""
    square = 0.0
    for k in (0, 1, 2):
        beyond = max(node.lower[k] - point[k], 0.0, point[k] - node.upper[k])
        square += beyond * beyond
    return square


@routine
def query(mesh: Mesh, point: Vector3) -> OnMesh:
    """The nearest point of a mesh."""
    stack, bounds = np.empty(DEPTH, dtype=np.int64), np.empty(DEPTH)
    stack[0], bounds[0], height = 0, 0.0, 1
    least, where, best, feature = np.inf, 0, point, -1
    while height:
        height -= 1
        if bounds[height] > least:
            continue
        first, count = int(mesh.nodes[stack[height]].first), int(mesh.nodes[stack[height]].size)
        if count == 0:
            near = _square_to_box(mesh.nodes[first], point)
            far = _square_to_box(mesh.nodes[first + 1], point)
            swap = 1 if far < near else 0
            stack[height], bounds[height] = first + 1 - swap, max(near, far)
            stack[height + 1], bounds[height + 1] = first + swap, min(near, far)
            height += 2
            continue
        for k in range(first, first + count):
            found = on_triangle(mesh.triangles[k], point)
            # Two triangles in one plane: the one whose face is met knows the direction best.
            tied = found.feature == FACE and feature != FACE and found.square <= least * (1.0 + _TIE)
            if found.square < least or tied:
                least, best, where, feature = found.square, found.point, k, found.feature
    return _signed(point, best, mesh.normals[_NORMALS * where + feature], feature)


@routine
def _signed(point: Vector3, closest: Vector3, normal: Vector3, feature: int) -> OnMesh:
    """The answer of a query; normal: of the feature of the nearest triangle."""
    way: Vector3 = point - closest
    along = float(way @ normal)
    if feature == FACE:  # the difference is parallel to the normal, which is known better
        return OnMesh(along, normal, closest)
    length = math.sqrt(way @ way)
    signed = length if along >= 0.0 else -length
    return OnMesh(signed, way / signed if length > _NO_DIRECTION else normal, closest)


@routine
def _query_one(data: Array, point: Vector3) -> Array:
    result = np.empty(7)
    answers: ArrayOf[OnMesh] = as_records(OnMesh, result)
    answers[0] = query(_opened(data), point)
    return result


@routine
def _query_all(data: Array, points: ArrayOf[Vector3]) -> Array:
    mesh, results = _opened(data), np.empty((len(points), 7))
    answers: ArrayOf[OnMesh] = as_records(OnMesh, results)
    for k, point in enumerate(points):
        answers[k] = query(mesh, point)
    return results


@routine
def _answer(inputs: Array, outputs: Array, data: Array) -> None:
    answers: ArrayOf[OnMesh] = as_records(OnMesh, outputs)
    answers[0] = query(_opened(data), inputs[0:3])


@once
def _callback() -> RoutineCallback:
    return RoutineCallback(_answer)
