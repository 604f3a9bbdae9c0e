"""Fills the pools: hulls, meshes and terrain, each once, whatever number of shapes they are used by."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.contact.detection.hulls import MOST_CORNERS as MOST_HULL_CORNERS
from footfall.contact.detection.hulls import ConvexHull, thinned_ring
from footfall.contact.detection.mesh_edges import edge_bits
from footfall.contact.detection.mesh_hulls import mesh_hulls
from footfall.contact.detection.shapes import Face, Facet, Hull, MeshPart, Node, Pools, Terrain
from footfall.contact.detection.solids import MOST_CORNERS
from footfall.geometry.height_map import HeightMap
from footfall.geometry.hierarchy import build_hierarchy
from footfall.geometry.mesh import TriangleMesh

_LEAF = 4  # triangles of a leaf


class Content(NamedTuple):
    """What a shape refers to: its number in the pools, the middle of its box in its own frame (where the shape's frame
    is put), half the edges of that box, the radius of a ball around the middle, half of the least thickness, m."""

    number: int
    middle: Array
    half: Array
    bound: float
    inner: float


class PoolBuilder:
    """Collects contents; `pools` are arrays of all that there is so far. notes: what was simplified, in words."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Any]] = {name: [] for name in Pools._fields}
        self._sizes = dict.fromkeys(Pools._fields, 0)
        self._known: dict[Any, Content] = {}
        self._kept: list[Any] = []
        self._solids: dict[tuple[int, bool], tuple[Content, ...]] = {}
        self.notes: list[str] = []
        self._pools: Pools | None = None
        self._put("neighbour_starts", np.zeros(1, np.int64))
        self._put("face_starts", np.zeros(1, np.int64))

    def copy(self) -> PoolBuilder:
        """Another one with the same contents, to which other ones may be added."""
        twin = copy(self)
        twin._rows = {name: list(rows) for name, rows in self._rows.items()}
        twin._sizes, twin._known, twin._solids = dict(self._sizes), dict(self._known), dict(self._solids)
        twin._kept, twin.notes = list(self._kept), list(self.notes)
        return twin

    @property
    def pools(self) -> Pools:
        if self._pools is None:
            arrays: dict[str, Any] = {name: _joined(name, self._rows[name]) for name in Pools._fields}
            self._pools = Pools(**arrays)
        return self._pools

    def hull(self, hull: ConvexHull) -> Content:
        """A convex hull."""
        return self._once(hull, self._add_hull)

    def solid(self, mesh: TriangleMesh, *, divided: bool) -> tuple[Content, ...]:
        """The convex hull of a mesh, or of its parts."""
        key = (id(mesh), divided)
        if key not in self._solids:
            parts = mesh_hulls(mesh, divided=divided)
            lost = max(part.lost for part in parts)
            if lost > 0.0:
                self.notes.append(
                    f"hull of mesh {mesh.name}: {MOST_HULL_CORNERS} corners at most, {1e3 * lost:.2g} mm inside of it"
                )
            self._kept.append(mesh)
            self._solids[key] = tuple(self.hull(part.hull) for part in parts)
        return self._solids[key]

    def mesh(self, mesh: TriangleMesh) -> Content:
        """The triangles of a mesh."""
        return self._once(mesh, self._add_mesh)

    def terrain(self, terrain: HeightMap) -> Content:
        return self._once(terrain, self._add_terrain)

    def _once(self, thing: Any, add: Any) -> Content:
        if id(thing) not in self._known:
            self._known[id(thing)] = add(thing)
            self._kept.append(thing)  # so that its address stays its own
            self._pools = None
        return self._known[id(thing)]

    def _put(self, name: str, rows: Any) -> int:
        """Append rows; the number of the first."""
        first = self._sizes[name]
        self._rows[name].append(rows)
        self._sizes[name] += len(rows)
        return first

    def _add_hull(self, hull: ConvexHull) -> Content:
        middle, half = _box(hull.points)
        points = hull.points - middle
        first_point = self._put("points", points)
        for starts, items, lists in (
            ("neighbour_starts", "neighbours", hull.neighbours),
            ("face_starts", "around", hull.faces_around),
        ):
            self._put(starts, self._sizes[items] + np.cumsum([len(each) for each in lists], dtype=np.int64))
            self._put(items, np.concatenate([*lists, np.zeros(0, np.int64)]))
        faces = new_records(Face, len(hull.faces))
        rings = [face[thinned_ring(points[face], MOST_CORNERS)] for face in hull.faces]
        first_corner = self._put("corners", np.concatenate([*rings, np.zeros(0, np.int64)]))
        lengths = np.array([len(ring) for ring in rings], dtype=np.int64)
        faces["normal"] = hull.normals
        faces["first"] = first_corner + np.cumsum(lengths) - lengths
        faces["corners"] = lengths
        if len(faces):
            on_face = points[[int(face[0]) for face in hull.faces]]
            faces["offset"] = np.einsum("ij,ij->i", hull.normals, on_face)
        first_face = self._put("faces", faces)
        record = new_records(Hull, 1)
        record[0] = (first_point, len(points), first_face, len(faces), points.mean(axis=0))
        bound = float(np.linalg.norm(points, axis=1).max())
        return Content(self._put("hulls", record), middle, half, bound, _half_width(points, faces["normal"]))

    def _add_mesh(self, mesh: TriangleMesh) -> Content:
        middle, half = _box(mesh.vertices[mesh.triangles].reshape(-1, 3))
        corners = mesh.corners - middle
        tree = build_hierarchy(corners.min(axis=1), corners.max(axis=1), leaf_size=_LEAF)
        facets = new_records(Facet, len(corners))
        for k, name in enumerate("abc"):
            facets[name] = corners[tree.order, k]
        facets["normal"] = mesh.face_normals[tree.order]
        facets["edges"] = edge_bits(mesh)[tree.order]
        first_facet = self._put("facets", facets)
        nodes = new_records(Node, len(tree.nodes))
        nodes["lower"], nodes["upper"] = tree.nodes[:, :3], tree.nodes[:, 3:6]
        nodes["items"] = tree.nodes[:, 7]
        first_node = self._sizes["nodes"]
        nodes["first"] = tree.nodes[:, 6] + np.where(nodes["items"] > 0, first_facet, first_node)
        self._put("nodes", nodes)
        record = new_records(MeshPart, 1)
        record[0] = (first_facet, len(facets), first_node)
        bound = float(np.sqrt((corners**2).sum(axis=2).max()))
        return Content(self._put("meshes", record), middle, half, bound, np.inf)

    def _add_terrain(self, terrain: HeightMap) -> Content:
        assert terrain.origin is not None
        record = new_records(Terrain, 1)
        first = self._put("heights", np.ascontiguousarray(terrain.heights).reshape(-1))
        record[0] = (first, *terrain.heights.shape, *terrain.origin, *terrain.spacing)
        return Content(self._put("terrains", record), np.zeros(3), np.full(3, np.inf), np.inf, np.inf)


_RECORDS = {
    "hulls": Hull,
    "faces": Face,
    "meshes": MeshPart,
    "facets": Facet,
    "nodes": Node,
    "terrains": Terrain,
}


def _joined(name: str, rows: list[Any]) -> Any:
    if name in _RECORDS:
        empty = new_records(_RECORDS[name], 0)
        joined = np.empty(sum(len(each) for each in rows), empty.dtype)
        start = 0
        for each in rows:
            joined[start : start + len(each)] = each
            start += len(each)
        return joined.view(empty.dtype) if joined.dtype is not empty.dtype else joined
    if name == "points":
        return np.concatenate([np.zeros((0, 3)), *rows])
    kind = np.float64 if name == "heights" else np.int64
    return np.concatenate([np.zeros(0, kind), *rows])


def _box(points: Array) -> tuple[Array, Array]:
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, (high - low) / 2


def _half_width(points: Array, normals: Array) -> float:
    """Half of the least thickness across the faces."""
    if not len(normals):
        return 0.0
    heights = points @ normals.T
    return float((heights.max(axis=0) - heights.min(axis=0)).min()) / 2
