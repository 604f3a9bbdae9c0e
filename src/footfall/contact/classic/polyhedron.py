"""Convex polyhedra with their faces, edges and who borders whom, as V-Clip needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3
from footfall.errors import GeometryError
from footfall.math.transform import Transform

TAIL, HEAD, LEFT, RIGHT = 0, 1, 2, 3  # columns of edges
_COPLANAR = 1e-9  # sine of the angle below which two triangles of the hull are one face


class Posed(NamedTuple):
    """A polyhedron in the world, for native loops; distances: of the planes of its faces from the origin, m."""

    vertices: ArrayOf[Vector3]
    edges: Integers
    normals: ArrayOf[Vector3]
    distances: Array
    face_starts: Integers
    face_edges: Integers
    vertex_starts: Integers
    vertex_edges: Integers


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """The convex hull of points.

    vertices: (n, 3) in m. edges: (m, 4) tail, head, and the faces left and right of it, seen from outside. planes:
    (k, 4) outward unit normals and distances from the origin. face_edges: edges of all faces one after another, those
    of face k from `face_starts[k]` to `face_starts[k + 1]`; vertex_edges and vertex_starts likewise for vertices.
    """

    vertices: Array
    edges: Integers
    planes: Array
    face_starts: Integers
    face_edges: Integers
    vertex_starts: Integers
    vertex_edges: Integers

    def at(self, pose: Transform) -> Posed:
        """The polyhedron at a pose."""
        rotation = np.asarray(pose.rotation)
        normals = self.planes[:, :3] @ rotation.T
        return Posed(
            np.ascontiguousarray(self.vertices @ rotation.T + pose.translation),
            self.edges,
            np.ascontiguousarray(normals),
            self.planes[:, 3] + normals @ pose.translation,
            self.face_starts,
            self.face_edges,
            self.vertex_starts,
            self.vertex_edges,
        )


def polyhedron(points: Array) -> Polyhedron:
    """The convex hull of points (n, 3) that are not all in a plane; its coplanar triangles become one face."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3:  # Qhull crashes with more axes
        raise GeometryError(
            f"points have shape {points.shape}; they must be (n, 3)", subject=("shape", "polyhedron")
        )
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        message = f"{len(points)} points have no convex hull with a volume: {str(error).splitlines()[0]}"
        raise GeometryError(message, subject=("shape", "polyhedron")) from None
    groups = _faces(hull)
    directed: dict[tuple[int, int], int] = {}
    for face, triangles in enumerate(groups):
        inner = {(int(b), int(a)) for triangle in triangles for a, b in _sides(triangle)}
        for triangle in triangles:
            for a, b in _sides(triangle):
                if (int(a), int(b)) not in inner:
                    directed[int(a), int(b)] = face
    used = sorted({vertex for pair in directed for vertex in pair})
    number = {vertex: k for k, vertex in enumerate(used)}
    edges = np.array(
        [(number[a], number[b], face, directed[b, a]) for (a, b), face in sorted(directed.items()) if a < b],
        dtype=np.int64,
    )
    vertices = hull.points[used]
    planes = np.array([_plane(hull.points, triangles) for triangles in groups])
    faces = [np.flatnonzero((edges[:, 2] == k) | (edges[:, 3] == k)) for k in range(len(groups))]
    corners = [np.flatnonzero((edges[:, 0] == k) | (edges[:, 1] == k)) for k in range(len(used))]
    return Polyhedron(vertices, edges, planes, *_flattened(faces), *_flattened(corners))


def _faces(hull: Any) -> list[list[Integers]]:
    """Triangles of a hull, outwards, grouped by the plane they lie in."""
    groups: dict[int, list[Integers]] = {}
    normals: list[Array] = []
    scale = float(np.abs(hull.points - hull.points.mean(axis=0)).max())
    offsets: list[float] = []
    for triangle, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = hull.points[triangle]
        if np.cross(b - a, c - a) @ equation[:3] < 0.0:
            triangle = triangle[::-1]
        for face, (normal, offset) in enumerate(zip(normals, offsets, strict=True)):
            alike = np.linalg.norm(np.cross(normal, equation[:3])) < _COPLANAR and normal @ equation[:3] > 0.0
            if alike and abs(offset - equation[3]) < _COPLANAR * scale * 10:
                groups[face].append(triangle)
                break
        else:
            groups[len(normals)] = [triangle]
            normals.append(equation[:3])
            offsets.append(float(equation[3]))
    return list(groups.values())


def _plane(points: Array, triangles: list[Integers]) -> Array:
    """Normal and distance of a face from its largest triangle, which has the least rounding."""
    normals = [np.cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]) for t in triangles]
    largest = int(np.argmax([n @ n for n in normals]))
    normal = normals[largest] / np.linalg.norm(normals[largest])
    return np.array([*normal, normal @ points[triangles[largest]].mean(axis=0)])


def _sides(triangle: Integers) -> list[tuple[int, int]]:
    return [(int(triangle[k]), int(triangle[(k + 1) % 3])) for k in range(3)]


def _flattened(lists: list[Integers]) -> tuple[Integers, Integers]:
    starts = np.cumsum([0, *(len(each) for each in lists)])
    return starts.astype(np.int64), np.concatenate(lists).astype(np.int64)
