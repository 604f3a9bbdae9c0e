"""Mesh files of a robot that is saved: copied beside its description, or named where they are.

Readers do not open everything: MuJoCo takes binary STL of up to 200 000 triangles and OBJ, most take COLLADA for what
is seen but not for what touches. What they do not open is converted: the same triangles, as binary STL or as OBJ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import GeometryError, MissingFile, UnsupportedFeature
from footfall.geometry.mesh import SUFFIXES, TriangleMesh, load_mesh
from footfall.robot.model import Geometry, Mesh, Robot
from footfall.whole_file import is_file, open_file, written_whole

_MOST_BYTES = 256 * 2**20  # of a file that is copied as it is
_STL_HEADER, _STL_TRIANGLE = 84, 50  # bytes
_FLAT = 1e-5  # thickness over size, below which MuJoCo's convex hull fails in single precision


class Meshes(StrEnum):
    """What becomes of the mesh files of a robot that is saved."""

    COPY = "copy"
    REFERENCE = "reference"
    NONE = "none"


class OpenedMeshes(NamedTuple):
    """Mesh files that readers of a format open: suffixes of what is seen and of what touches.

    most_stl_triangles: of a binary STL; None: any STL. keeps_missing: files that are not there stay named.
    needs_thickness: what touches must not be flat.
    """

    visuals: tuple[str, ...]
    collisions: tuple[str, ...]
    most_stl_triangles: int | None
    keeps_missing: bool
    needs_thickness: bool


BY_TOML = OpenedMeshes(SUFFIXES, SUFFIXES, None, keeps_missing=True, needs_thickness=False)
BY_URDF = OpenedMeshes(
    (".dae", ".stl", ".obj", ".ply"), (".stl", ".obj"), 200_000, keeps_missing=True, needs_thickness=False
)
BY_MUJOCO = OpenedMeshes(
    (".stl", ".obj", ".msh"),
    (".stl", ".obj", ".msh"),
    200_000,
    keeps_missing=False,
    needs_thickness=True,
)


@dataclass(frozen=True)
class SavedMesh:
    """A mesh as a saved description names it. content: of a new file in the folder, None if the file is there."""

    reference: str
    content: bytes | None = None


@dataclass
class MeshFolder:
    """The mesh files of one robot on their way to one description.

    target: path of the description. how: what becomes of the files. opened: by the readers of its format.
    left_out: findings, each a text, to be reported.
    """

    target: Path
    how: Meshes
    opened: OpenedMeshes
    left_out: list[str] = field(default_factory=list)
    _saved: dict[tuple[str, bool], SavedMesh | None] = field(default_factory=dict)
    _contents: dict[str, bytes] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where copies and converted files go; it exists only if there are any."""
        return self.target.parent / f"{self.target.stem}_meshes"

    def saved(self, path: str, *, visual: bool) -> SavedMesh | None:
        """How the description names a mesh; None leaves the shape out."""
        key = (path, visual)
        if key not in self._saved:
            self._saved[key] = None if self.how is Meshes.NONE else self._save(path, visual=visual)
        return self._saved[key]

    def write(self) -> int:
        """Write what is new; gives the number of files."""
        if self._contents:
            self.folder.mkdir(exist_ok=True)
        for name, content in self._contents.items():
            with written_whole(self.folder / name) as file:
                file.write(content)
        return len(self._contents)

    def _save(self, path: str, *, visual: bool) -> SavedMesh | None:
        source = Path(path)
        if not is_file(source):
            if self.opened.keeps_missing:
                self.left_out.append(f"mesh {path!r} is not there; its path stays as it is")
                return SavedMesh(path)
            self.left_out.append(f"mesh {path!r} is not there; --package-dir says where packages are")
            return None
        suffixes = self.opened.visuals if visual else self.opened.collisions
        try:
            with open_file(source, "mesh file") as file:
                content = file.read(_MOST_BYTES + 1)
            if len(content) > _MOST_BYTES:
                raise GeometryError(f"larger than {_MOST_BYTES / 2**20:g} MiB", source=path)
            if self.opened.needs_thickness and not visual:
                _check_thickness(path)
            if source.suffix.lower() not in suffixes or not self._is_stl_opened(source, content):
                mesh = load_mesh(source)
                suffix, content = self._converted(mesh)
                return SavedMesh(self._placed(source.stem, suffix, content), content)
        except (GeometryError, MissingFile) as problem:
            self.left_out.append(str(problem))
            return SavedMesh(path) if self.opened.keeps_missing else None
        if self.how is Meshes.REFERENCE:
            return SavedMesh(str(source.absolute()))
        return SavedMesh(self._placed(source.stem, source.suffix.lower(), content), content)

    def _is_stl_opened(self, path: Path, content: bytes) -> bool:
        if path.suffix.lower() != ".stl" or self.opened.most_stl_triangles is None:
            return True
        count = int.from_bytes(content[_STL_HEADER - 4 : _STL_HEADER], "little")
        is_binary = len(content) == _STL_HEADER + _STL_TRIANGLE * count
        return is_binary and 1 <= count <= self.opened.most_stl_triangles

    def _converted(self, mesh: TriangleMesh) -> tuple[str, bytes]:
        import trimesh  # slow to import

        most = self.opened.most_stl_triangles
        plain: Any = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
        if most is not None and len(mesh.triangles) > most:
            return ".obj", str(plain.export(file_type="obj")).encode()
        return ".stl", bytes(plain.export(file_type="stl"))

    def _placed(self, stem: str, suffix: str, content: bytes) -> str:
        """The path in the description of a file with this content; what is there with other content stays."""
        number, name = 1, f"{stem}{suffix}"
        while not self._is_free(name, content):
            number += 1
            name = f"{stem}_{number}{suffix}"
        if not is_file(self.folder / name):
            self._contents[name] = content
        return f"{self.folder.name}/{name}"

    def _is_free(self, name: str, content: bytes) -> bool:
        if name in self._contents:
            return self._contents[name] == content
        path = self.folder / name
        return not path.exists() or (is_file(path) and path.read_bytes() == content)


def _check_thickness(path: str) -> None:
    if Path(path).suffix.lower() not in SUFFIXES:
        return
    vertices = load_mesh(path).vertices
    extents = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
    if len(vertices) < 4 or extents[-1] < _FLAT * extents[0]:
        raise GeometryError("is flat, and in MuJoCo only solids touch", source=path)


def meshes_option(value: str) -> Meshes:
    """The option by its word."""
    try:
        return Meshes(value)
    except ValueError:
        raise UnsupportedFeature(f"meshes is {value!r}; it must be one of: {', '.join(Meshes)}") from None


def mesh_paths(robot: Robot) -> Iterator[str]:
    """Paths of all meshes of a robot, as often as they stand in it."""
    for body in robot.bodies:
        for geometry in (*body.visuals, *body.collisions):
            if isinstance(geometry.shape, Mesh):
                yield geometry.shape.path


def with_mesh_paths(robot: Robot, path_of: Callable[[str, bool], str | None]) -> Robot:
    """The robot with other paths of its meshes. path_of: of a path, and whether it is seen; None drops the shape."""
    if not any(True for _ in mesh_paths(robot)):
        return robot

    def renamed(geometries: tuple[Geometry, ...], *, visual: bool) -> Iterator[Geometry]:
        for each in geometries:
            if not isinstance(each.shape, Mesh):
                yield each
                continue
            path = path_of(each.shape.path, visual)
            if path is not None:
                yield replace(each, shape=replace(each.shape, path=path))

    bodies = tuple(
        replace(
            body,
            visuals=tuple(renamed(body.visuals, visual=True)),
            collisions=tuple(renamed(body.collisions, visual=False)),
        )
        for body in robot.bodies
    )
    return replace(robot, bodies=bodies)
