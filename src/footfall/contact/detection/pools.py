"""Fills the pools: hulls, meshes and terrain, each once, whatever number of shapes they are used by."""

from __future__ import annotations

import math
import sys
import warnings
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.kept_arrays import kept_arrays
from footfall.compiler.routines import new_records
from footfall.contact.detection.hulls import MOST_CORNERS as MOST_HULL_CORNERS
from footfall.contact.detection.hulls import ConvexHull, SimplerHull, convex_hull, simpler_hull, thinned_ring
from footfall.contact.detection.shapes import (
    TWO_SIDED,
    Face,
    Facet,
    Hull,
    Kind,
    MeshPart,
    Node,
    Pools,
    Shape,
    Terrain,
)
from footfall.contact.detection.solids import MOST_CORNERS
from footfall.errors import GeometryError, MissingPackage, SimulationWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.hierarchy import build_hierarchy
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.plane import Plane
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.robot.tree import rotation_with_z_along
from footfall.scene.shapes import MeshShape

# Which edges of a mesh's triangles can be touched, and which triangles from both sides.

_BEND = 1e-4  # sine of the angle by which the triangle beyond an edge must bend away for it to stick out


def edge_bits(mesh: TriangleMesh) -> Integers:
    """For each triangle the bits of `Facet.edges`.

    Flat and hollow edges are not felt: what lies there touches the faces beside them. Vertices at one place are one:
    files often repeat them.
    """
    triangles = _welded(mesh)
    count = len(triangles)
    tails = triangles.T.reshape(-1)  # of all edges 01, then 12, then 20
    heads = np.roll(triangles, -1, axis=1).T.reshape(-1)
    partner = _partners(tails, heads, int(triangles.max()) + 1)
    paired = np.flatnonzero(partner >= 0)
    face, other = paired % count, partner[paired] % count
    opposite = mesh.vertices[mesh.triangles[other, (partner[paired] // count + 2) % 3]]
    corner = mesh.vertices[mesh.triangles[face, paired // count]]
    height = np.einsum("ij,ij->i", mesh.face_normals[face], opposite - corner)
    bend = _BEND * np.linalg.norm(opposite - corner, axis=1)
    front, back = np.ones(3 * count, dtype=bool), np.ones(3 * count, dtype=bool)
    front[paired], back[paired] = height < -bend, height > bend
    sheet = _open_parts(face, other, partner < 0, count)
    bits = np.where(sheet, TWO_SIDED, 0)
    for edge in range(3):
        bits += front[edge * count : (edge + 1) * count] * (1 << edge)
        # Seen from behind the corners are c, b, a: edge 0 is cb.
        turned = (1, 0, 2)[edge]
        bits += back[turned * count : (turned + 1) * count] * (8 << edge)
    return np.asarray(bits, dtype=np.int64)


def _welded(mesh: TriangleMesh) -> Integers:
    """Triangles (m, 3) with one number for all vertices at the same place."""
    rows = np.ascontiguousarray(mesh.vertices + 0.0).view(np.dtype((np.void, 24))).reshape(-1)
    _, number = np.unique(rows, return_inverse=True)
    return np.asarray(number.reshape(-1)[mesh.triangles], dtype=np.int64)


def _partners(tails: Integers, heads: Integers, vertices: int) -> Integers:
    """For each directed edge the one edge that runs back along it, else -1: where there is none, or where more than two
    triangles meet, so that there is no inside."""
    keys = np.minimum(tails, heads) * vertices + np.maximum(tails, heads)
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    first = np.flatnonzero(same & ~np.append(same[1:], False) & ~np.append(False, same[:-1]))
    one, other = order[first], order[first + 1]
    back = tails[one] == heads[other]
    partner = np.full(len(keys), -1, dtype=np.int64)
    partner[one[back]], partner[other[back]] = other[back], one[back]
    return partner


def _open_parts(face: Integers, other: Integers, alone: Flags, count: int) -> Flags:
    """Whether each triangle belongs to a connected part that some edge without a partner opens."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(face), dtype=np.int8), (face, other)), shape=(count, count))
    parts, label = connected_components(graph, directed=False)
    opened = np.zeros(parts, dtype=bool)
    opened[label[np.flatnonzero(alone) % count]] = True
    return np.asarray(opened[label])


# Meshes as solid bodies: their convex hull, or several of hollow ones, if a library that divides them is there.

_CONCAVITY = 0.05  # of CoACD: how much hollow a part may keep, in units of the mesh
_HOLLOW = 0.3  # of the hull's volume: loose meshes that leave more of it empty are divided


def mesh_hulls(mesh: TriangleMesh, *, divided: bool = False) -> tuple[SimplerHull, ...]:
    """The convex hull of a mesh; divided: of its parts by approximate convex decomposition (CoACD, Wei 2022), which
    takes seconds, is kept on disk and must be installed."""
    if not divided:
        return (simpler_hull(mesh.vertices),)
    content = (mesh.vertices.tobytes(), mesh.triangles.tobytes(), repr(_CONCAVITY).encode())
    return tuple(
        simpler_hull(corners) for corners in kept_arrays(partial(_parts_of, mesh), __name__, *content)
    )


def can_divide() -> bool:
    """Whether the library that divides meshes is installed."""
    if "coacd" in sys.modules:
        return sys.modules["coacd"] is not None
    return find_spec("coacd") is not None


def _parts_of(mesh: TriangleMesh) -> list[Array]:
    """Corners of the parts."""
    try:
        import coacd  # optional, and slow to import
    except ImportError:
        raise MissingPackage("dividing meshes into convex parts needs CoACD: pip install coacd") from None
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles), threshold=_CONCAVITY, seed=0)
    return [corners for corners, _ in parts]


def hollow_share(mesh: TriangleMesh, hull: ConvexHull) -> float:
    """How much of the volume of its hull a closed mesh leaves empty; zero of what is open and has no inside. Closed are
    also solids that share faces: every edge is run along as often in one direction as in the other."""
    triangles = _welded(mesh)
    tails = triangles.T.reshape(-1)
    heads = np.roll(triangles, -1, axis=1).T.reshape(-1)
    count = int(triangles.max()) + 1
    if not np.array_equal(np.sort(tails * count + heads), np.sort(heads * count + tails)):
        return 0.0
    inside = float(np.linalg.det(mesh.vertices[mesh.triangles]).sum()) / 6
    middle, around = hull.points.mean(axis=0), 0.0
    for face in hull.faces:
        corners = hull.points[face] - middle
        fan = np.stack([np.broadcast_to(corners[0], corners[1:-1].shape), corners[1:-1], corners[2:]], axis=1)
        around += float(np.abs(np.linalg.det(fan)).sum()) / 6
    return 1.0 - inside / around if 0.0 < inside < around else 0.0


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
        self._solids: dict[tuple[int, bool | None], tuple[Content, ...]] = {}
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

    def solid(self, mesh: TriangleMesh, *, divided: bool | None) -> tuple[Content, ...]:
        """The convex hull of a mesh, or of its parts; None: of its parts if it is hollow and can be divided."""
        key = (id(mesh), divided)
        if key not in self._solids:
            parts = mesh_hulls(mesh, divided=bool(divided))
            hollow = hollow_share(mesh, parts[0].hull) if divided is None else 0.0
            if hollow > _HOLLOW and can_divide():
                parts = mesh_hulls(mesh, divided=True)
            elif hollow > _HOLLOW:
                self.notes.append(
                    f"mesh {mesh.name}: touches as its convex hull, of which {100 * hollow:.0f} % are empty"
                )
                warnings.warn(
                    f"mesh {mesh.name!r} touches as its convex hull, of which {100 * hollow:.0f} % are empty: nothing "
                    "enters its hollows. `pip install coacd`, and it is divided into convex parts; "
                    "divided_meshes=False keeps the hull",
                    SimulationWarning,
                    stacklevel=2,
                )
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


# From the shapes of robots and scenes to records: primitive shapes as they are, meshes as hulls or triangles.


@dataclass(frozen=True)
class Carried:
    """Where shapes are: the body that carries them (-1: the world), the number of their owner and of their material,
    the groups they are in and those they may touch. solid: whether meshes are convex hulls, rather than triangles;
    divided: several of them each, see `mesh_hulls`; None: of hollow ones, if that can be."""

    body: int
    owner: int
    material: int = 0
    group: int = 1
    mask: int = 1
    solid: bool = True
    divided: bool | None = False


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
