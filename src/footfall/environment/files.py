"""Environments in files: a TOML text with what is small, PNM pictures of the terrain and PLY meshes beside or in it.

All cells of the terrain are one picture: the patches one below the other, in the order of `indices`.

PNM: grey and coloured pictures without compression, of 8 or 16 bits, binary (P5 and P6).
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from footfall.environment.model import MOST_OBJECTS, Environment
from footfall.environment.objects import EnvironmentObject, elements_of, volume_from
from footfall.environment.patch import CELL, SIDE, UNSEEN, Patch
from footfall.environment.surface_files import read_surface, surface_bytes
from footfall.environment.terrain import MOST_PATCHES, Terrain
from footfall.errors import InvalidEnvironment, RobotError
from footfall.robot.toml_parts import PlacedSchema, Vector, decode, read_placement, read_text
from footfall.robot.toml_text import placement_lines, toml_string, toml_value
from footfall.whole_file import write_text, written_whole

Pixels = np.ndarray[Any, np.dtype[Any]]

_HEADER = re.compile(
    rb"P([56])\s(?:\s*#[^\n]*\n)*\s*(\d{1,9})\s(?:\s*#[^\n]*\n)*\s*(\d{1,9})\s(?:\s*#[^\n]*\n)*\s*(\d{1,5})\s"
)
_MOST_PIXELS = 2**26


def pnm_bytes(pixels: Pixels) -> bytes:
    """A picture (height, width) or (height, width, 3) of uint8 or uint16, to the bit."""
    pixels = np.asarray(pixels)
    if (
        pixels.dtype not in (np.uint8, np.uint16)
        or pixels.ndim not in (2, 3)
        or pixels.shape[2:] not in ((), (3,))
    ):
        raise InvalidEnvironment(
            f"pixels are {pixels.dtype} {pixels.shape}; they must be uint8 or uint16, (height, width) or with 3 colours"
        )
    kind = "P5" if pixels.ndim == 2 else "P6"
    largest = 255 if pixels.dtype == np.uint8 else 65535
    header = f"{kind}\n{pixels.shape[1]} {pixels.shape[0]}\n{largest}\n".encode("ascii")
    return header + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()


def read_pnm(content: bytes, *, source: str = "<pnm>") -> Pixels:
    """The picture of a P5 or P6 file's content, (height, width) or (height, width, 3), uint8 or uint16."""
    header = _HEADER.match(content[:4096])
    if header is None:
        raise InvalidEnvironment(
            "is no binary PNM file: it must begin with P5 or P6 and its size", source=source
        )
    colors, width, height, largest = (int(part) for part in header.groups())
    shape = (height, width) if colors == 5 else (height, width, 3)
    if not width * height or width * height > _MOST_PIXELS or not 0 < largest < 65536:
        message = (
            f"has {width} by {height} pixels up to {largest}; at most {_MOST_PIXELS} up to 65535 are read"
        )
        raise InvalidEnvironment(message, source=source)
    kind = np.dtype(np.uint8) if largest < 256 else np.dtype(">u2")
    size = int(np.prod(shape)) * kind.itemsize
    if len(content) - header.end() != size:
        message = f"holds {len(content) - header.end()} bytes of pixels; {shape} are {size} bytes"
        raise InvalidEnvironment(message, source=source)
    pixels = np.frombuffer(content, kind, offset=header.end()).reshape(shape)
    return pixels.astype(np.uint8 if largest < 256 else np.uint16)


FORMAT_VERSION = 1
_MOST_BYTES = 256 * 2**20  # of the text, and of any part of it
_PLAIN_NAME = re.compile(r"[\w.-]{1,200}")


class EmbeddedSchema(msgspec.Struct, forbid_unknown_fields=True):
    """A file inside of the text, in base64."""

    data: str
    compressed: bool = False


Part = str | EmbeddedSchema


class TerrainSchema(msgspec.Struct, forbid_unknown_fields=True):
    indices: list[tuple[int, int]]
    heights: Part
    confidence: Part
    cell: float = CELL
    side: int = SIDE


class ElementSchema(msgspec.Struct, forbid_unknown_fields=True):
    corners: list[Vector]
    radius: float


class ObjectSchema(PlacedSchema, kw_only=True):
    id: str
    category: str = msgspec.field(name="class", default="")
    surface: Part
    volume: list[ElementSchema]


class EnvironmentSchema(msgspec.Struct, forbid_unknown_fields=True):
    environment: int  # version of the format
    version: int = 0
    terrain: TerrainSchema | None = None
    object: list[ObjectSchema] = msgspec.field(default_factory=list)


# Takes a name, a suffix and the content, gives what stands in the text.
Keep = Callable[[str, str, bytes], str]


def save_environment(
    environment: Environment,
    path: str | os.PathLike[str],
    *,
    embedded: bool = True,
    compressed: bool = True,
) -> None:
    """Write an environment as .toml; it reads back to the same numbers.

    embedded: pictures and meshes stand in the text; otherwise they are files beside it, which other programs read,
    named after their content. compressed: by zlib; files beside it then end in .z.
    """
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise InvalidEnvironment(
            f"suffix {path.suffix!r} is unknown; environments are in .toml files", source=str(path)
        )

    def keep(name: str, suffix: str, content: bytes) -> str:
        packed = zlib.compress(content, 6) if compressed else content
        if embedded:
            data = base64.b64encode(packed).decode("ascii")
            return f'{{ data = "{data}", compressed = {"true" if compressed else "false"} }}'
        file = f"{path.stem}-{name}-{sha256(content).hexdigest()[:16]}{suffix}{'.z' if compressed else ''}"
        file = re.sub(r"[^\w.-]", "_", file)
        with written_whole(path.parent / file) as target:
            target.write(packed)
        return toml_string(file)

    write_text(path, environment_text(environment, keep))


def environment_text(environment: Environment, keep: Keep) -> str:
    """The text of an environment; `keep` puts pictures and meshes away."""
    lines = [f"environment = {FORMAT_VERSION}", f"version = {environment.version}"]
    patches = environment.terrain.patches
    if patches:
        heights = np.concatenate([patch.heights for patch in patches.values()])
        shifted = (heights.astype(np.int32) - UNSEEN).astype(np.uint16)
        confidence = np.concatenate([patch.confidence for patch in patches.values()])
        lines += [
            "",
            "[terrain]",
            f"cell = {CELL}",
            f"side = {SIDE}",
            f"indices = {[list(index) for index in patches]}",
            f"heights = {keep('heights', '.pgm', pnm_bytes(shifted))}",
            f"confidence = {keep('confidence', '.pgm', pnm_bytes(confidence))}",
        ]
    for number, each in enumerate(environment.objects.values()):
        lines += ["", "[[object]]", f"id = {toml_string(each.id)}", f"class = {toml_string(each.category)}"]
        lines += placement_lines(each.placement)
        lines.append(f"surface = {keep(f'object{number}', '.ply', surface_bytes(each.surface))}")
        for corners, radius in elements_of(each.volume):
            lines += [
                "[[object.volume]]",
                f"corners = {toml_value(corners.tolist())}",
                f"radius = {toml_value(radius)}",
            ]
    return "\n".join(lines) + "\n"


def load_environment(path: str | os.PathLike[str]) -> Environment:
    """The environment of a .toml file and of the files beside it that it names."""
    path = Path(path)
    try:
        text = read_text(path, limit=_MOST_BYTES)
    except RobotError as error:
        raise InvalidEnvironment(error.message, source=error.source, line=error.line) from None
    return parse_environment(text, source=str(path), directory=path.parent)


def parse_environment(text: str, *, source: str = "<text>", directory: Path | None = None) -> Environment:
    """The environment that a text describes; files that it names are looked for in `directory`."""
    try:
        schema = decode(text, source, EnvironmentSchema)
    except RobotError as error:
        raise InvalidEnvironment(error.message, source=error.source, line=error.line) from None
    if schema.environment != FORMAT_VERSION:
        message = f"is of format {schema.environment}; this version reads {FORMAT_VERSION}"
        raise InvalidEnvironment(message, source=source)
    parts = _Parts(source, directory)
    try:
        terrain = Terrain() if schema.terrain is None else _terrain(schema.terrain, parts)
        if len(schema.object) > MOST_OBJECTS:
            raise InvalidEnvironment(f"has {len(schema.object)} objects; at most {MOST_OBJECTS} are read")
        objects = [_object(each, parts) for each in schema.object]
        by_id = {each.id: each for each in objects}
        if len(by_id) < len(objects):
            raise InvalidEnvironment("two objects have the same id")
        return Environment(terrain, by_id, schema.version)
    except InvalidEnvironment as error:
        if error.source is None:
            error.source = source
        raise


def is_environment(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a .toml file that says to be an environment."""
    path = Path(path)
    if path.suffix.lower() != ".toml" or not path.is_file():
        return False
    with path.open("rb") as file:
        return re.search(rb"^\s*environment\s*=", file.read(4096), re.MULTILINE) is not None


class _Parts:
    """Pictures and meshes, inside of the text or beside it."""

    def __init__(self, source: str, directory: Path | None) -> None:
        self.source, self.directory = source, directory

    def content(self, part: Part) -> bytes:
        if isinstance(part, EmbeddedSchema):
            try:
                data = base64.b64decode(part.data, validate=True)
            except (binascii.Error, ValueError) as error:
                raise InvalidEnvironment(f"data is no base64: {error}") from None
            return inflated(data) if part.compressed else data
        if self.directory is None or not _PLAIN_NAME.fullmatch(part) or part.startswith("."):
            message = f"names the file {part[:80]!r}; it must be a plain name of a file in the same folder"
            raise InvalidEnvironment(message)
        path = self.directory / part
        if not path.is_file():
            raise InvalidEnvironment(f"names the file {part!r}, which is not beside it")
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidEnvironment(f"larger than {_MOST_BYTES // 2**20} MiB", source=str(path))
        data = path.read_bytes()
        return inflated(data) if part.endswith(".z") else data


def inflated(data: bytes, limit: int = _MOST_BYTES) -> bytes:
    """What was compressed by zlib, of at most `limit` bytes."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise InvalidEnvironment(f"data cannot be decompressed: {error}") from None
    if len(content) > limit:
        raise InvalidEnvironment(f"data is more than {limit} bytes when decompressed")
    if not stream.eof:
        raise InvalidEnvironment("compressed data is cut off")
    return content


def _terrain(schema: TerrainSchema, parts: _Parts) -> Terrain:
    if schema.cell != CELL or schema.side != SIDE:
        message = (
            f"cells are {schema.cell:g} m, {schema.side} along an edge; only {CELL:g} m and {SIDE} are read"
        )
        raise InvalidEnvironment(message, subject=("terrain", "patches"))
    count = len(schema.indices)
    if count > MOST_PATCHES or len(set(schema.indices)) < count:
        message = f"has {count} indices of patches; at most {MOST_PATCHES}, each once"
        raise InvalidEnvironment(message, subject=("terrain", "patches"))
    heights = _cells(schema.heights, parts, count, np.uint16).astype(np.int32) + UNSEEN
    confidence = _cells(schema.confidence, parts, count, np.uint8)
    cells = zip(heights.astype(np.int16), confidence, strict=True)
    return Terrain({index: Patch(*each) for index, each in zip(schema.indices, cells, strict=True)})


def _cells(part: Part, parts: _Parts, count: int, kind: Any) -> Any:
    pixels = read_pnm(parts.content(part), source=parts.source)
    if pixels.dtype != kind or pixels.shape != (count * SIDE, SIDE):
        raise InvalidEnvironment(
            f"a picture of cells is {pixels.dtype} {pixels.shape}; {count} patches are {np.dtype(kind)} "
            f"({count * SIDE}, {SIDE})",
            subject=("terrain", "patches"),
        )
    return pixels.reshape(count, SIDE, SIDE)


def _object(schema: ObjectSchema, parts: _Parts) -> EnvironmentObject:
    subject = ("environment object", schema.id[:80])
    try:
        placement = read_placement(schema, subject)
    except RobotError as error:
        raise InvalidEnvironment(error.message, subject=subject) from None
    volume = volume_from([(element.corners, element.radius) for element in schema.volume])
    surface = read_surface(parts.content(schema.surface), source=parts.source, name=schema.id)
    return EnvironmentObject(schema.id, schema.category, surface, volume, placement)
