"""Triangle meshes: read from files, checked, with what distance queries need.

What is asked of a COLLADA file before its triangles: how much it draws, which axis is up, how long a unit is.
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.kept_arrays import kept_arrays
from footfall.errors import GeometryError, MissingFile
from footfall.geometry.vrml import read_vrml
from footfall.whole_file import is_file, open_file

_MOST_ELEMENTS = 200_000
_MOST_PIECES = 4000  # lists of triangles that are drawn, each as often as it is used
_MOST_LETTERS = 32 * 2**20  # of the indices that are drawn
_DEEPEST = 60  # nodes in nodes
_LISTS = ("triangles", "polylist", "polygons", "trifans", "tristrips", "lines", "linestrips")
_HEAD = 65536  # bytes: the element <asset> comes first
# Into x right, y to the back, z up: COLLADA 1.4.1, <up_axis>.
_TO_Z_UP = {
    "X_UP": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "Z_UP": np.eye(3),
}
_WRITES_Y_UP_ALWAYS = "MeshLab"  # whatever the axes of its meshes are; what it wrote is left as it is


def check_drawing(content: bytes, source: str) -> None:
    """Refuse a file that draws too much for its size: nodes use others, so that a few kilobytes can name millions."""
    if content.count(b"<") > 2 * _MOST_ELEMENTS:
        raise GeometryError(f"has more than {_MOST_ELEMENTS} elements; simplify the mesh", source=source)
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise GeometryError(f"no well-formed XML: {error}", source=source) from error
    drawing = _Drawing(root, source)
    tops = [node for scene in root.iter() if _tag(scene) == "visual_scene" for node in scene]
    drawn = _total([drawing.of_node(node, 1) for node in tops if _tag(node) == "node"])
    if drawn.pieces > _MOST_PIECES or drawn.letters > _MOST_LETTERS:
        message = (
            f"draws {drawn.pieces} lists of triangles with {drawn.letters / 2**20:.3g} MiB of indices; at most "
            f"{_MOST_PIECES} and {_MOST_LETTERS / 2**20:g} MiB are taken, simplify the mesh"
        )
        raise GeometryError(message, source=source)


class _Drawn(NamedTuple):
    """How much is drawn: lists of triangles, and letters of their indices."""

    pieces: int
    letters: int


class _Drawing:
    """What nodes draw, together with all that they use. Where several have one name, all of them count."""

    def __init__(self, root: ElementTree.Element, source: str) -> None:
        self.source = source
        self.named: dict[tuple[str, str], list[ElementTree.Element]] = {}
        self.known: dict[ElementTree.Element, _Drawn] = {}
        for element in root.iter():
            if _tag(element) in ("geometry", "node"):
                self.named.setdefault((_tag(element), "#" + element.get("id", "")), []).append(element)

    def of_node(self, node: ElementTree.Element, depth: int) -> _Drawn:
        if depth > _DEEPEST:
            raise GeometryError(f"has more than {_DEEPEST} nodes within or using another", source=self.source)
        if node not in self.known:
            self.known[node] = _total([self._of_part(part, depth) for part in node])
        return self.known[node]

    def _of_part(self, part: ElementTree.Element, depth: int) -> _Drawn:
        tag, url = _tag(part), part.get("url", "")
        if tag == "node":
            return self.of_node(part, depth + 1)
        if tag == "instance_node":
            return _total([self.of_node(used, depth + 1) for used in self.named.get(("node", url), ())])
        if tag == "instance_geometry":
            return _total([self._of_geometry(used) for used in self.named.get(("geometry", url), ())])
        return _Drawn(0, 0)

    def _of_geometry(self, geometry: ElementTree.Element) -> _Drawn:
        if geometry not in self.known:
            lists = [element for element in geometry.iter() if _tag(element) in _LISTS]
            letters = sum(len(text) for each in lists for text in each.itertext())
            self.known[geometry] = _Drawn(len(lists), letters)
        return self.known[geometry]


def _tag(element: ElementTree.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _total(parts: list[_Drawn]) -> _Drawn:
    return _Drawn(sum(part.pieces for part in parts), sum(part.letters for part in parts))


def to_metres_and_z_up(content: bytes, source: str) -> Array:
    """Matrix (3, 3) that brings vertices of a COLLADA file into metres, with z upwards; source: its path, in errors."""
    head = content[:_HEAD].decode(errors="replace")
    asset = head[head.find("<asset") : head.find("</asset>")]
    axis = re.search(r"<up_axis>\s*([XYZ]_UP)\s*</up_axis>", asset)
    unit = re.search(r"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)[\"']", asset)
    known = axis is not None and _WRITES_Y_UP_ALWAYS not in asset
    turn = _TO_Z_UP[axis.group(1)] if axis is not None and known else np.eye(3)
    return _metres(unit.group(1), source) * turn if unit else turn


def _metres(text: str, source: str) -> float:
    try:
        metres = float(text)
    except ValueError:
        metres = 0.0
    if not 0.0 < metres < np.inf:
        raise GeometryError(f"its unit is {text!r} m; it must be a number above zero", source=source)
    return metres


SUFFIXES = (".ply", ".stl", ".obj", ".dae", ".wrl")
_MOST_BYTES = 32 * 2**20
_MOST_LINES = 750_000  # of a file of text
_MOST_TRIANGLES = 500_000
_SCATTER = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
_FARTHEST = 1e12  # m; products of four lengths must not overflow, and nothing is so large


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles that share vertices, counter-clockwise seen from outside.

    vertices: (n, 3) in m. triangles: (m, 3) indices of vertices. name: in messages. Triangles without area are
    dropped. Compared by identity; arrays are read-only.
    """

    vertices: Array
    triangles: Integers
    name: str = "mesh"

    def __post_init__(self) -> None:
        subject = ("mesh", self.name)
        vertices = np.array(self.vertices, dtype=np.float64)
        triangles = np.array(self.triangles, dtype=np.int64)
        if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3:
            message = f"vertices have shape {vertices.shape}, triangles {triangles.shape}; they must be (n, 3), (m, 3)"
            raise GeometryError(message, subject=subject)
        if len(triangles) > _MOST_TRIANGLES:
            message = f"has {len(triangles)} triangles; at most {_MOST_TRIANGLES} are taken"
            raise GeometryError(message, subject=subject)
        sound = (np.abs(vertices) <= _FARTHEST).all(axis=1)
        if not sound.all():
            wrong = int(np.argmin(sound))
            message = f"vertex {wrong} is {vertices[wrong].tolist()}; all must be finite (and below {_FARTHEST:g} m)"
            raise GeometryError(message, subject=subject)
        if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
            raise GeometryError(
                f"triangles refer to vertices {triangles.min()} to {triangles.max()}; there are {len(vertices)}",
                subject=subject,
            )
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        longest = np.max([np.linalg.norm(b - a, axis=1), np.linalg.norm(c - b, axis=1)], axis=0, initial=0.0)
        doubled_area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        triangles = triangles[doubled_area > 1e-14 * longest**2]
        if not len(triangles):
            raise GeometryError("has no triangle with an area; there must be one", subject=subject)
        for array in (vertices, triangles):
            array.flags.writeable = False
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)

    @cached_property
    def corners(self) -> Array:
        """Corners (m, 3, 3) of the triangles, m."""
        return self.vertices[self.triangles]

    @cached_property
    def bounds(self) -> Array:
        """Least and greatest coordinates (2, 3) of the triangles, m."""
        corners = self.corners.reshape(-1, 3)
        return np.array([corners.min(axis=0), corners.max(axis=0)])

    @cached_property
    def face_normals(self) -> Array:
        """Unit normals (m, 3)."""
        a, b, c = self.corners.swapaxes(0, 1)
        normals = np.cross(b - a, c - a)
        return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))

    @cached_property
    def watertight(self) -> bool:
        """Whether each edge belongs to two triangles that run through it in opposite directions."""
        starts, ends = _directed_edges(self.triangles).T
        count = len(self.vertices)
        forward, backward = np.sort(starts * count + ends), np.sort(ends * count + starts)
        return bool((np.diff(forward) > 0).all()) and np.array_equal(forward, backward)

    @cached_property
    def vertex_pseudonormals(self) -> Array:
        """Normals (n, 3) at the vertices, each face weighted with its angle there (Seiwald 2023, section 7.4)."""
        normals = np.zeros_like(self.vertices)
        for k in range(3):
            corner = self.corners[:, k]
            one = self.corners[:, (k + 1) % 3] - corner
            other = self.corners[:, (k + 2) % 3] - corner
            sine = np.linalg.norm(np.cross(one, other), axis=1)
            angle = np.arctan2(sine, np.einsum("ij,ij->i", one, other))
            np.add.at(normals, self.triangles[:, k], angle[:, None] * self.face_normals)
        return _normalised(normals)

    @cached_property
    def edge_pseudonormals(self) -> Array:
        """Normals (m, 3, 3) at the edges 01, 12 and 20 of each triangle: the mean of the faces that share the edge."""
        edges = np.sort(_directed_edges(self.triangles), axis=1)
        _, index = np.unique(edges, axis=0, return_inverse=True)
        index = index.reshape(-1)
        sums = np.zeros((int(index.max()) + 1, 3))
        np.add.at(sums, index, np.tile(self.face_normals, (3, 1)))
        return _normalised(sums)[index].reshape(3, -1, 3).swapaxes(0, 1)

    def scaled(self, scale: tuple[float, float, float]) -> TriangleMesh:
        """The mesh stretched along x, y and z; mirroring keeps the outside outside."""
        if not all(np.isfinite(value) and value != 0.0 for value in scale):
            raise GeometryError(f"scale is {scale}; it must not be zero", subject=("mesh", self.name))
        triangles = self.triangles[:, ::-1] if np.prod(scale) < 0.0 else self.triangles
        return TriangleMesh(self.vertices * np.array(scale), triangles, self.name)


def load_mesh(
    path: str | os.PathLike[str], *, scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
) -> TriangleMesh:
    """Mesh of a .ply, .stl, .obj, .dae or .wrl (VRML97) file, lengths multiplied by `scale`; a file is read once.

    COLLADA files (.dae) are brought into metres with z upwards, if they say that they are not; those of MeshLab say
    Y_UP whatever they hold, and stay as they are.
    """
    written, path = os.fspath(path), Path(path)
    if path.suffix.lower() not in SUFFIXES:
        message = f"suffix {path.suffix!r} is unknown; meshes are in {', '.join(SUFFIXES)} files"
        raise GeometryError(message, source=str(path))
    if not is_file(path):
        raise MissingFile(f"no mesh file {written!r}{_package_hint(written)}")
    with open_file(path, "mesh file") as file:
        state = os.fstat(file.fileno())
    return _load(str(path), tuple(float(value) for value in scale), state.st_mtime_ns, state.st_size)


def _package_hint(written: str) -> str:
    if not written.startswith(("package://", "model://")):
        return ""
    return "; name the folder that holds the package: package_dirs=, --package-dir or ROS_PACKAGE_PATH"


@lru_cache(maxsize=64)
def _load(path: str, scale: tuple[float, float, float], _changed: int, _size: int) -> TriangleMesh:
    with open_file(Path(path), "mesh file") as file:
        content = file.read(_MOST_BYTES + 1)
    kind = Path(path).suffix.lower()[1:]
    if len(content) > _MOST_BYTES or (kind in ("ply", "obj", "wrl") and content.count(b"\n") > _MOST_LINES):
        message = (
            f"larger than {_MOST_BYTES / 2**20:g} MiB, or {_MOST_LINES} lines of text; simplify the mesh"
        )
        raise GeometryError(message, source=path)
    vertices, triangles = kept_arrays(partial(_parsed, content, kind, path), __name__, kind.encode(), content)
    try:
        mesh = TriangleMesh(vertices, triangles, Path(path).name)
    except GeometryError as error:
        error.source = path
        raise
    return mesh if scale == (1.0, 1.0, 1.0) else mesh.scaled(scale)


def _parsed(content: bytes, kind: str, path: str) -> tuple[Array, Integers]:
    """Vertices and triangles of a file's content alone: materials and pictures that it names are not looked for."""
    try:
        if kind == "dae":
            check_drawing(content, path)
        if kind == "wrl":
            vertices, triangles = read_vrml(content, path)
        else:
            import trimesh  # slow to import

            loaded: Any = trimesh.load(io.BytesIO(content), file_type=kind, force="mesh", process=False)
            vertices, triangles = np.asarray(loaded.vertices), np.asarray(loaded.faces)
        if kind == "dae":
            vertices = vertices @ to_metres_and_z_up(content, path).T
    except GeometryError:
        raise
    except Exception as error:  # readers of foreign formats raise anything
        raise GeometryError(f"cannot be read: {type(error).__name__}: {error}", source=path) from error
    return merge_vertices(vertices, triangles)


def merge_vertices(vertices: Array, triangles: Integers) -> tuple[Array, Integers]:
    """Vertices at the very same place made one: files such as STL repeat them for each triangle."""
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not triangles.size:
        return vertices, triangles  # TriangleMesh says what is wrong
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        return vertices, triangles  # TriangleMesh says what is wrong
    vertices = np.ascontiguousarray(vertices, dtype=np.float64) + 0.0  # no negative zeros
    # Rows as single numbers, which sort ten times faster; where two rows share one, they are sorted as they are.
    with np.errstate(over="ignore"):
        bits = vertices.view(np.uint64)
        keys = (bits ^ (bits >> np.uint64(29))) @ _SCATTER
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    if not (vertices[first][index.reshape(-1)] == vertices).all():
        merged, index = np.unique(vertices, axis=0, return_inverse=True)
        return merged, index.reshape(-1)[triangles]
    merged = vertices[first]
    order = np.lexsort(merged.T[::-1])
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return merged[order], place[index.reshape(-1)][triangles]


def _directed_edges(triangles: Integers) -> Integers:
    """Edges (3 m, 2): all 01, then all 12, then all 20."""
    return np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])


def _normalised(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))


def mesh_inertia(mesh: TriangleMesh, mass: float) -> tuple[Array, Array]:
    """Centre of mass (3,) in m and inertia (3, 3) about it in kg m2, for one density throughout.

    The solid is the sum of the signed tetrahedra between the origin and the triangles.
    """
    if not mesh.watertight:
        raise GeometryError(
            "is not closed, so it bounds no solid; give its inertia", subject=("mesh", mesh.name)
        )
    corners = mesh.corners
    volumes = np.linalg.det(corners) / 6
    volume = float(volumes.sum())
    if volume <= 0.0:
        message = f"has volume {volume:g} m3; are its triangles inside out?"
        raise GeometryError(message, subject=("mesh", mesh.name))
    center = np.einsum("t,tij->j", volumes, corners) / (4 * volume)
    # Second moments of a tetrahedron with one corner at the origin: (sum r_i)(sum r_i)^T + sum r_i r_i^T over 20.
    sums = corners.sum(axis=1)
    second = np.einsum("t,ti,tj->ij", volumes, sums, sums) + np.einsum(
        "t,tki,tkj->ij", volumes, corners, corners
    )
    second = second / (20 * volume) - np.outer(center, center)
    return center, mass * (np.trace(second) * np.eye(3) - second)
