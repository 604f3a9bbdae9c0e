"""The files of an MJCF model put together: MuJoCo is given one text, and opens only what has been looked at.

Included files are inserted where they are named, and the paths of meshes, textures and height fields are written as
they were found. MuJoCo looks for an included file beside the main one, then beside the one that includes it, and for
other files in the folders that the last `<compiler>` names, beginning at the main file.
"""

from __future__ import annotations

import struct
from pathlib import Path

from footfall.errors import MissingFile, RobotError, UnsupportedFeature
from footfall.robot.xml_tree import ELEMENT_LIMIT, Element, read_xml
from footfall.whole_file import is_file, open_file

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
