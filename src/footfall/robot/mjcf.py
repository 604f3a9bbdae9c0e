"""Reader of MJCF, through MuJoCo's own compiler (the extra `mujoco`).

Coordinates are MuJoCo's: `q` is `qpos`, `v` is `qvel`. Bodies with several joints, or with a joint that is
not at their origin, get massless bodies before them, one for each joint. What a robot has not here, such as tendons,
sensors and parameters of MuJoCo's solver, is left out; one warning lists it. Shapes of the world are those of a scene
(`footfall.scene.mjcf`).

MuJoCo's compiler trusts the numbers in a file, some of which ask for memory (copies of bodies, sizes of textures and
height fields): they are checked first. It is given one text and opens only what has been checked: included files are
inserted where they are named, beside the main file or the one that includes them, and the paths of meshes, textures and
height fields are written as they were found, in the folders that the last `<compiler>` names.
"""

from __future__ import annotations

import math
import re
import struct
import warnings
from pathlib import Path
from typing import Any

from footfall.errors import MissingFile, MissingPackage, RobotError, SceneWarning, UnsupportedFeature
from footfall.robot.description import Source, check_bodies
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.mjcf_left_out import listed
from footfall.robot.mjcf_model import check_numbers, model_fields
from footfall.robot.mjcf_shapes import shapes_of_the_world
from footfall.robot.model import Robot
from footfall.robot.xml_tree import ELEMENT_LIMIT, Element, parse_xml, read_xml, xml_text
from footfall.whole_file import is_file, open_file

# Attributes whose numbers multiply to what an element asks for.
_COUNTS = {
    "replicate": ("count",),
    "composite": ("count",),
    "flexcomp": ("count",),
    "texture": ("width", "height", "nchannel"),
    "hfield": ("nrow", "ncol"),
    "numeric": ("size",),
    "mesh": ("params",),
    "skin": ("params",),
}
_GREATEST = {"replicate": 1e3, "composite": 4e3, "flexcomp": 4e3, "numeric": 1e6, "size": 1e3}
_GREATEST_SIZE = 2.0**24
_GREATEST_TOTAL = 2.0**26  # of all such numbers
_GREATEST_COPIES = 1e4
_ELEMENTS = 50_000  # with all copies
_KEYS = 1_000
_FREE_SIZES = ("memory", "njmax", "nconmax", "nstack")  # taken when a simulation starts, not for the model
_MOST_SUBDIVISIONS = 5.0  # of a ball that is made of triangles, each time four out of one
_MOST_DIVISIONS = 500.0  # around other shapes that are made


def check_demands(root: Element) -> None:
    """Refuse a model that asks for absurd amounts of anything."""
    elements = total = keys = 0.0
    pending = [(root, 1.0)]
    while pending:
        element, copies = pending.pop()
        demand = _demand(element)
        if demand > _GREATEST.get(element.tag, _GREATEST_SIZE):
            raise _refused(element, f"asks for {demand:g} of something")
        copies *= max(demand, 1.0) if element.tag == "replicate" else 1.0
        if copies > _GREATEST_COPIES:
            raise _refused(element, f"asks for {copies:g} copies")
        total += copies * demand
        elements += copies * (max(demand, 1.0) if element.tag in ("composite", "flexcomp") else 1.0)
        keys += element.tag == "key"
        if total > _GREATEST_TOTAL or elements > _ELEMENTS or keys > _KEYS:
            raise _refused(element, "and those before it ask for too much together")
        pending.extend((child, copies) for child in element.children)


def _demand(element: Element) -> float:
    if element.tag == "size":
        return max((_product(t) for n, t in element.attributes.items() if n not in _FREE_SIZES), default=0.0)
    if element.tag == "mesh" and "builtin" in element.attributes:
        limit = _MOST_SUBDIVISIONS if "sphere" in element.attributes["builtin"] else _MOST_DIVISIONS
        if _greatest(element.attributes.get("params", "")) > limit:
            raise _refused(element, f"asks for more than {limit:g} divisions")
    names = _COUNTS.get(element.tag, ())
    given = [_product(element.attributes[name]) for name in names if name in element.attributes]
    return math.prod(given) if given else 0.0


def _product(text: str) -> float:
    """Product of the numbers in an attribute; what is no number is left to MuJoCo."""
    return math.prod(max(number, 1.0) for number in _numbers(text))


def _greatest(text: str) -> float:
    return max(_numbers(text), default=0.0)


def _numbers(text: str) -> list[float]:
    """Sizes of the numbers in a text; NaN passes as 1."""
    found = []
    for word in text.split():
        try:
            number = abs(float(word))
        except ValueError:
            continue
        found.append(1.0 if math.isnan(number) else number)
    return found


_INCLUDE_LIMIT = 200
_FILE_LIMIT = 32 * 2**20  # bytes
_FILES_LIMIT = 128 * 2**20  # bytes of all
_PIXEL_LIMIT = 2**24
_FOLDERS = {
    "texture": "texturedir",
    "mesh": "meshdir",
    "skin": "meshdir",
    "flexcomp": "meshdir",
    "hfield": "meshdir",
}
_PNG = b"\x89PNG\r\n\x1a\n"


def assembled(root: Element, directory: Path | None) -> Element:
    """The model as one tree, with the paths of files that are there and not too large.

    directory: of the main file; None for a text, which cannot include others.
    """
    whole = _with_included(root, directory)
    settings = {
        name: text
        for each in _walk(whole)
        if each.tag == "compiler"
        for name, text in each.attributes.items()
    }
    remaining = _FILES_LIMIT
    for element in _walk(whole):
        if element.tag == "model" and "file" in element.attributes:
            raise UnsupportedFeature(
                "<model> attaches another model; write both into one file",
                source=element.source,
                line=element.line,
            )
        if element.tag in _FOLDERS:
            for name in element.attributes:
                if name.startswith("file") and element.attributes[name]:
                    path = _place(element, name, settings, directory)
                    element.attributes[name] = str(path)
                    remaining -= _checked_file(element, path)
                    if remaining < 0:
                        raise _refused(element, f"files of more than {_FILES_LIMIT / 2**20:g} MiB together")
    for element in _walk(whole):
        if element.tag == "compiler":
            for name in ("meshdir", "texturedir", "assetdir", "strippath"):
                element.attributes.pop(name, None)
    return whole


def _with_included(root: Element, directory: Path | None) -> Element:
    seen: set[Path] = set()
    count = 0
    pending: list[tuple[Element, Path | None]] = [(root, directory)]
    while pending:
        parent, folder = pending.pop()
        children: list[Element] = []
        for child in parent.children:
            count += 1
            if count > ELEMENT_LIMIT:
                raise _refused(child, f"more than {ELEMENT_LIMIT} elements in all files")
            if child.tag != "include":
                children.append(child)
                pending.append((child, folder))
                continue
            if directory is None or folder is None:
                raise _refused(child, "includes a file, which text without a path cannot")
            path = _included(child, directory, folder)
            if path.resolve() in seen or len(seen) >= _INCLUDE_LIMIT:
                raise _refused(child, f"includes {child.string('file')!r}, or files at all, too often")
            seen.add(path.resolve())
            part = read_xml(path)
            # Its elements stand here, and know the folder that they come from.
            inner = Element("include", {}, child.line, child.source, part.children)
            pending.append((inner, path.parent))
            children.append(inner)
        parent.children = children
    _flatten(root)
    return root


def _flatten(root: Element) -> None:
    """Elements of included files in the place of the `<include>`."""
    for element in _walk(root):
        while any(child.tag == "include" for child in element.children):
            element.children = [
                each
                for child in element.children
                for each in (child.children if child.tag == "include" else [child])
            ]


def _included(element: Element, directory: Path, folder: Path) -> Path:
    written = element.string("file")
    for candidate in (directory / written, folder / written):
        if is_file(candidate):
            return candidate
    raise element.error(f"includes {written!r}, which is no file")


def _place(element: Element, attribute: str, settings: dict[str, str], directory: Path | None) -> Path:
    written = element.attributes[attribute].replace("\\", "/")
    if settings.get("strippath") == "true":
        written = written.rpartition("/")[2]
    folder = settings.get(_FOLDERS[element.tag], settings.get("assetdir", ""))
    return (directory or Path()) / folder / written


def _checked_file(element: Element, path: Path) -> int:
    """Bytes of a file, refused if it is not there, or asks for much memory."""
    try:
        with open_file(path) as file:
            head = file.read(24)
            size = file.seek(0, 2)
    except MissingFile as problem:
        raise element.error(f"<{element.tag}>: {problem}") from None
    if size > _FILE_LIMIT:
        raise _refused(element, f"a file of {size / 2**20:.0f} MiB")
    pixels = 0
    if head.startswith(_PNG) and len(head) == 24:
        width, height = struct.unpack(">II", head[16:])
        pixels = width * height
    if pixels > _PIXEL_LIMIT:
        raise _refused(element, f"a picture of {pixels} pixels")
    return size + 4 * pixels


def _walk(root: Element) -> list[Element]:
    found, pending = [], [root]
    while pending:
        element = pending.pop()
        found.append(element)
        pending.extend(reversed(element.children))
    return found


def _refused(element: Element, message: str) -> RobotError:
    return RobotError(f"<{element.tag}> {message}", source=element.source, line=element.line)


def read_mjcf(path: str | Path, *, strict: bool = True) -> Robot:
    """Robot described by an MJCF file.

    strict: false turns errors about impossible or missing inertias into warnings.
    """
    path = Path(path)
    return _robot(read_xml(path), path.parent, strict=strict)


def parse_mjcf(text: str, *, source: str = "<text>", strict: bool = True) -> Robot:
    """Robot described by MJCF text without included files; `source` names it in errors."""
    return _robot(parse_xml(text, source=source), None, strict=strict)


def _robot(root: Element, directory: Path | None, *, strict: bool) -> Robot:
    model = compiled_model(root, directory)
    check_bodies(model.nbody, source=root.source)
    origin = Source(root.source, _lines(root))
    with origin.located():
        fields, findings = model_fields(model, MeshPaths(directory))
    name = model_name(root, directory)
    robot = origin.robot(strict=strict, foreign=True, findings=findings, name=name, **fields)
    world = shapes_of_the_world(model)
    if world:
        message = (
            f"{root.source}: shapes of the world are no part of a robot: {listed(world)}; load_scene has them"
        )
        warnings.warn(SceneWarning(message), stacklevel=3)
    return robot


def model_name(root: Element, directory: Path | None) -> str:
    """Of the model, else of its file."""
    return root.attributes.get("model") or (Path(root.source).stem if directory else "robot")


def compiled_model(root: Element, directory: Path | None) -> Any:
    """MuJoCo's `MjModel` of a description; afterwards `root` has the elements of included files in it."""
    if root.tag != "mujoco":
        raise root.error(f"root element is <{root.tag}>; an MJCF has <mujoco>")
    check_demands(assembled(root, directory))
    mujoco = _mujoco()
    try:
        model = mujoco.MjModel.from_xml_string(xml_text(root))
    except Exception as error:  # MuJoCo raises ValueError, FatalError, UnexpectedError and more
        place = re.search(r"line (\d+)", str(error))
        message = " ".join(str(error).split())
        line = int(place.group(1)) if place else None
        raise RobotError(f"MuJoCo: {message}", source=root.source, line=line) from None
    with Source(root.source).located():
        check_numbers(model)
    return model


_KINDS = {"body": "body", "joint": "joint", "freejoint": "joint", "site": "frame", "key": "configuration"}


def _lines(root: Element) -> dict[tuple[str, str], int]:
    lines: dict[tuple[str, str], int] = {}
    pending = [root]
    while pending:
        element = pending.pop()
        if element.tag in _KINDS and "name" in element.attributes:
            lines.setdefault((_KINDS[element.tag], element.attributes["name"]), element.line)
        pending.extend(element.children)
    return lines


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingPackage("reading MJCF needs MuJoCo: pip install footfall[mujoco]") from None
    return mujoco
