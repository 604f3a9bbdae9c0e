"""Meshes inside of a recording, so that it needs nothing else: the files as they are, packed, named by their content.

In the robot and the scene that are stored beside them, `meshes/<hash>.stl` stands in place of a path. Who reads the
recording gets them back as files of a folder that goes with the process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from footfall.errors import FootfallError, RecordingError
from footfall.geometry.mesh import SUFFIXES
from footfall.robot.mesh_files import mesh_paths, with_mesh_paths
from footfall.robot.model import Robot
from footfall.robot.shapes import Mesh
from footfall.scene.model import Scene
from footfall.whole_file import is_file, open_file, written_whole

FOLDER = "meshes/"
KIND = "application/zstd"
_MOST_BYTES = 32 * 2**20  # of a mesh, as for all that are read
_NAME = re.compile(r"meshes/[0-9a-f]{64}\.[a-z]{3}")


class MeshFiles(NamedTuple):
    """Files of meshes. contents: packed, by their names in a recording. names: those names, by path."""

    contents: Mapping[str, bytes]
    names: Mapping[str, str]

    @property
    def size(self) -> int:
        """Bytes that they take in the file."""
        return sum(len(content) for content in self.contents.values())


def mesh_files(robot: Robot, scene: Scene | None) -> MeshFiles:
    """The files of all meshes of a robot and the objects of a scene; those that are not there are left out."""
    contents, names = {}, {}
    for path in dict.fromkeys(_mesh_paths(robot, scene)):
        place = Path(path)
        if place.suffix.lower() not in SUFFIXES or not is_file(place):
            continue
        try:
            with open_file(place, "mesh file") as file:
                content = file.read(_MOST_BYTES + 1)
        except (FootfallError, OSError):
            continue
        if len(content) <= _MOST_BYTES:
            name = f"{FOLDER}{hashlib.sha256(content).hexdigest()}{place.suffix.lower()}"
            contents[name], names[path] = _packed(content), name
    return MeshFiles(contents, names)


@lru_cache(maxsize=256)
def _packed(content: bytes) -> bytes:
    import zstandard  # a tenth of the time of zlib

    return zstandard.ZstdCompressor(level=3).compress(content)


def _mesh_paths(robot: Robot, scene: Scene | None) -> Iterator[str]:
    yield from mesh_paths(robot)
    for each in scene.objects if scene is not None else ():
        if isinstance(each.shape, Mesh):
            yield each.shape.path


def robot_with_paths(robot: Robot, paths: Mapping[str, str]) -> Robot:
    """The robot with other paths of its meshes, by those that it has."""
    return with_mesh_paths(robot, lambda path, _visual: paths.get(path, path))


def scene_with_paths(scene: Scene, paths: Mapping[str, str]) -> Scene:
    """The scene with other paths of the meshes of its objects."""
    objects = tuple(
        replace(each, shape=replace(each.shape, path=paths[each.shape.path]))
        if isinstance(each.shape, Mesh) and each.shape.path in paths
        else each
        for each in scene.objects
    )
    return replace(scene, objects=objects)


def is_mesh(name: str) -> bool:
    """Whether an attachment of a recording is a mesh."""
    return _NAME.fullmatch(name) is not None and Path(name).suffix in SUFFIXES


def unpacked_mesh(name: str, packed: bytes, source: str, account: Callable[[int, str], object]) -> str:
    """Put a mesh into a file of this process; gives its path. account: is called with its bytes."""
    import zstandard

    try:
        size = zstandard.frame_content_size(packed)
        if not 0 <= size <= _MOST_BYTES:
            raise RecordingError(f"{source}: {name} has {size} bytes; at most {_MOST_BYTES} are read")
        content = zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as problem:
        raise RecordingError(f"{source}: {name} cannot be unpacked: {problem}") from None
    account(len(content), f"a mesh of {len(content)} bytes")
    if hashlib.sha256(content).hexdigest() != Path(name).stem:
        raise RecordingError(f"{source}: {name} is not the mesh that it was")
    place = _folder() / Path(name).name
    if not place.exists():
        with written_whole(place) as file:
            file.write(content)
    return str(place)


@cache
def _folder() -> Path:
    """A folder that goes when this process ends; forked ones leave it alone."""
    folder, owner = Path(tempfile.mkdtemp(prefix="footfall-meshes-")), os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return folder
