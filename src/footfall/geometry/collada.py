"""What is asked of a COLLADA file before its triangles: how much it draws, which axis is up, how long a unit is."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from footfall.arrays import Array
from footfall.errors import GeometryError

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
