"""Robots that a page sends: one description, or a zip of it with its meshes. They are read within limits, from a folder
of their own that goes when the program ends."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from footfall.errors import RobotError
from footfall.robot.load import load

MOST_BYTES = 64 * 2**20  # of what a page sends
_MOST_UNPACKED, _MOST_FILES = 256 * 2**20, 2000
_DESCRIPTIONS = (".urdf", ".toml", ".xml", ".sdf")
_BESIDE = (".srdf", ".stl", ".obj", ".ply", ".dae", ".wrl", ".mtl", ".png", ".jpg", ".jpeg", ".md", ".txt")
_REFERENCE = re.compile(
    rb"""(?:filename|file|meshdir|assetdir|texturedir|mesh|uri)\s*(?:=|>)\s*["']?([^"'<>\s]+)"""
)
_NAME = re.compile(r"[^\w.+-]")


class Uploads:
    """Robots that came so far."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._paths: set[str] = set()

    def has(self, path: str) -> bool:
        """Whether a robot came by an upload."""
        return path in self._paths

    def take(self, name: str, content: bytes) -> str:
        """Put an upload into a folder; gives the path of the description in it, which `footfall.load` reads."""
        if len(content) > MOST_BYTES:
            raise _refused(name, f"it has {len(content)} bytes; at most {MOST_BYTES} are taken")
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="footfall-upload-", ignore_cleanup_errors=True)
        short = _NAME.sub("_", PurePosixPath(name.replace("\\", "/")).name)[-80:] or "robot"
        place = Path(self._folder.name) / f"{len(self._paths)}-{Path(short).stem}"
        place.mkdir()
        suffix = Path(short).suffix.lower()
        if suffix == ".zip":
            found = _unpack(name, content, place)
        elif suffix in _DESCRIPTIONS:
            found = place / short
            found.write_bytes(_checked(name, content))
        else:
            raise _refused(name, f"robots are {', '.join(_DESCRIPTIONS)} files, or a .zip of one with meshes")
        load(found, strict=False, package_dirs=[place, *(each for each in place.iterdir() if each.is_dir())])
        self._paths.add(str(found))
        return str(found)


def _unpack(name: str, content: bytes, place: Path) -> Path:
    """The description in a zip, after all of it is unpacked."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as problem:
        raise _refused(name, f"it is no zip: {problem}") from None
    entries = [each for each in archive.infolist() if not each.is_dir()]
    if len(entries) > _MOST_FILES:
        raise _refused(name, f"it holds {len(entries)} files; at most {_MOST_FILES} are taken")
    left = _MOST_UNPACKED
    for entry in entries:
        path = PurePosixPath(entry.filename)
        linked = (entry.external_attr >> 16) & 0o170000 == 0o120000
        if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or linked:
            raise _refused(name, f"{entry.filename!r} leads out of it")
        suffix = path.suffix.lower()
        if suffix not in _DESCRIPTIONS + _BESIDE:
            continue  # nothing that a robot is read from
        try:
            with archive.open(entry) as packed:  # sizes that are declared may lie
                unpacked = packed.read(left + 1)
        except (
            zipfile.BadZipFile,
            RuntimeError,
            NotImplementedError,
            EOFError,
            OSError,
            ValueError,
        ) as problem:
            raise _refused(name, f"{entry.filename!r} cannot be unpacked: {problem}") from None
        left -= len(unpacked)
        if left < 0:
            raise _refused(name, f"it holds more than {_MOST_UNPACKED} bytes")
        target = place.joinpath(*path.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        if suffix in _DESCRIPTIONS:
            _checked(entry.filename, unpacked, len(path.parts) - 1)
        target.write_bytes(unpacked)
    found = [
        each for suffix in _DESCRIPTIONS for each in sorted(place.rglob(f"*{suffix}")) if _describes(each)
    ]
    if not found:
        raise _refused(name, "no robot is in it: a .urdf, .xml, .sdf or .toml file")
    return min(found, key=lambda each: (_DESCRIPTIONS.index(each.suffix.lower()), len(each.parts)))


def _describes(path: Path) -> bool:
    """Whether a file of that kind is a robot, and no package's or launch file."""
    with path.open("rb") as file:
        begin = file.read(4000)
    return path.suffix != ".xml" or b"<robot" in begin or b"<mujoco" in begin or b"<sdf" in begin


def _checked(name: str, text: bytes, depth: int = 0) -> bytes:
    """A description that refers only to files that came with it. depth: of folders above it that came too."""
    for given in _REFERENCE.findall(text):
        reference = given.decode("utf-8", "replace")
        plain = reference.removeprefix("package://").removeprefix("model://")
        parts = PurePosixPath(plain).parts
        up = (
            next((k for k, part in enumerate(parts) if part != ".."), len(parts)) if plain == reference else 0
        )
        outside = up > depth or ".." in parts[up:]
        if "://" in plain or plain.startswith(("/", "~", "\\")) or outside:
            raise _refused(name, f"it refers to {reference!r}; only files that came with it are read")
    return text


def _refused(name: str, why: str) -> RobotError:
    return RobotError(f"upload {name[:80]!r} is refused: {why}")
