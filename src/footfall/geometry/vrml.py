"""Triangles of VRML97 files (.wrl), as CAD programs write them: groups, transforms, shapes with faces.

Read are Group, Transform, Separator-like nodes with children, Shape with IndexedFaceSet and Coordinate, DEF and USE.
Everything else (appearance, lights, cameras, scripts, addresses) is passed over; nothing is run or fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import GeometryError
from footfall.math.rotations import matrix_from_rotation_vector

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s,\[\]{}"#]+|#[^\n]*')
_MOST_TOKENS = 6_000_000
_DEEPEST = 60
_MOST_USES = 10_000
_MOST_SHAPES = 20_000  # with each USE counted as often as what it stands in is used
_MOST_TRIANGLES = 4_000_000

Node = dict[str, Any]


def read_vrml(content: bytes, source: str) -> tuple[Array, Integers]:
    """Vertices (n, 3), m as they are written, and triangles (m, 3) of all faces."""
    text = content.decode("utf-8", errors="replace")
    if not text.startswith("#VRML V2.0"):
        raise GeometryError("does not begin with #VRML V2.0; only VRML97 is read", source=source)
    parser = _Parser(text, source)
    found = _Found(source)
    for node in parser.nodes():
        found.collect(node, np.eye(4))
    if not any(len(each) for each in found.triangles):
        raise GeometryError("has no faces; there must be one", source=source)
    starts = np.cumsum([0, *(len(each) for each in found.vertices[:-1])])
    joined = [each + start for each, start in zip(found.triangles, starts, strict=True)]
    return np.concatenate(found.vertices), np.concatenate(joined)


class _Parser:
    """Nodes as dictionaries of fields. Values are numbers, words, nodes and lists of them."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.tokens = self._split(text)
        self.ahead: str | None = None
        self.named: dict[str, Node] = {}
        self.uses = 0

    def _split(self, text: str) -> Iterator[str]:
        count = 0
        for match in _TOKEN.finditer(text):
            token = match.group()
            if token[0] == "#":
                continue
            count += 1
            if count > _MOST_TOKENS:
                raise self.wrong(f"has more than {_MOST_TOKENS} words; simplify the mesh")
            yield token

    def wrong(self, message: str) -> GeometryError:
        return GeometryError(message, source=self.source)

    def peek(self) -> str | None:
        if self.ahead is None:
            self.ahead = next(self.tokens, None)
        return self.ahead

    def take(self) -> str:
        token = self.peek()
        if token is None:
            raise self.wrong("ends in the middle of a node")
        self.ahead = None
        return token

    def nodes(self) -> Iterator[Node]:
        while self.peek() is not None:
            word = self.take()
            if word in ("ROUTE", "PROTO", "EXTERNPROTO"):
                if word != "ROUTE":
                    raise self.wrong(f"{word} is not read; export plain shapes")
                for _ in range(3):
                    self.take()
                continue
            yield self.node(word, 0)

    def node(self, word: str, depth: int) -> Node:
        """The node that begins with a word; its kind is in the field `""`."""
        if depth > _DEEPEST:
            raise self.wrong(f"nodes are nested more than {_DEEPEST} deep")
        if word == "USE":
            name = self.take()
            self.uses += 1
            if name not in self.named or self.uses > _MOST_USES:
                raise self.wrong(f"USE {name[:40]}: there is no such node before, or it is used too often")
            return self.named[name]
        if word == "NULL":
            return {"": "NULL"}
        label = ""
        if word == "DEF":
            label, word = self.take(), self.take()
        if not re.fullmatch(r"[A-Za-z_]\w*", word):
            raise self.wrong(f"a node begins with {word[:40]!r}; it must be a name")
        fields: Node = {"": word}
        if self.take() != "{":
            raise self.wrong(f"node {word} has no {{")
        while (field := self.take()) != "}":
            fields[field] = self.value(depth + 1)
        if label:
            self.named[label] = fields
        return fields

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise self.wrong(f"nodes are nested more than {_DEEPEST} deep")
        token = self.take()
        if token == "[":
            items = []
            while self.peek() != "]":
                items.append(self.item(self.take(), depth))
            self.take()
            return items
        first = self.item(token, depth)
        if not isinstance(first, float):
            return first
        items = [first]
        while (number := _number(self.peek())) is not None:
            self.take()
            items.append(number)
        return items

    def item(self, token: str, depth: int) -> Any:
        number = _number(token)
        if number is not None:
            return number
        if token in ("DEF", "USE", "NULL") or self.peek() == "{":
            return self.node(token, depth)
        return token


def _number(token: str | None) -> float | None:
    if token is None or token[0] not in "+-.0123456789":
        return None
    try:
        return float(int(token, 16)) if token[:2].lower() == "0x" else float(token)
    except (ValueError, OverflowError):  # no number, or one that no float holds
        return None


class _Found:
    """Shapes with their triangles, each where it is used. Nodes that use each other twice, level by level, stand for
    more shapes than any memory holds: nodes and triangles are counted while they are gathered."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.vertices: list[Array] = []
        self.triangles: list[Integers] = []
        self._nodes = 0
        self._corners = 0

    def collect(self, node: Node, pose: Array) -> None:
        self._nodes += 1
        if self._nodes > _MOST_SHAPES:
            raise GeometryError(f"stands for more than {_MOST_SHAPES} nodes; simplify it", source=self.source)
        match node.get(""):
            case "Shape":
                faces = node.get("geometry")
                if isinstance(faces, dict) and faces.get("") == "IndexedFaceSet":
                    self._add(*_faces(faces, self.source), pose)
            case "Transform":
                self._children(node, pose @ _transform(node, self.source))
            case _:
                self._children(node, pose)

    def _add(self, points: Array, indices: Integers, pose: Array) -> None:
        self._corners += len(points) + len(indices)
        if self._corners > _MOST_TRIANGLES:
            raise GeometryError(
                f"has more than {_MOST_TRIANGLES} points and triangles; simplify it", source=self.source
            )
        self.vertices.append(points @ pose[:3, :3].T + pose[:3, 3])
        self.triangles.append(indices[:, ::-1] if np.linalg.det(pose[:3, :3]) < 0.0 else indices)

    def _children(self, node: Node, pose: Array) -> None:
        for field in ("children", "choice", "level"):
            below = node.get(field, [])
            for child in below if isinstance(below, list) else [below]:
                if isinstance(child, dict):
                    self.collect(child, pose)


def _transform(node: Node, source: str) -> Array:
    """T C R SR S SR^-1 C^-1, ISO/IEC 14772-1, 6.52."""
    moved = np.eye(4)
    moved[:3, 3] = _numbers(node, "translation", [0.0, 0.0, 0.0], source)
    center, back = np.eye(4), np.eye(4)
    center[:3, 3] = _numbers(node, "center", [0.0, 0.0, 0.0], source)
    back[:3, 3] = -center[:3, 3]
    turned, tilted, scaled = (_turn(_numbers(node, name, [0.0, 0.0, 1.0, 0.0], source)) for name in (
        "rotation", "scaleOrientation", "")
    )  # fmt: skip
    scaled[:3, :3] = np.diag(_numbers(node, "scale", [1.0, 1.0, 1.0], source))
    whole: Array = moved @ center @ turned @ tilted @ scaled @ tilted.T @ back
    return whole


def _turn(axis_angle: Array) -> Array:
    pose, length = np.eye(4), float(np.linalg.norm(axis_angle[:3]))
    if length > 0.0:
        pose[:3, :3] = matrix_from_rotation_vector(axis_angle[:3] / length * axis_angle[3])
    return pose


def _numbers(node: Node, field: str, default: list[float], source: str) -> Array:
    given = node.get(field, default) if field else default
    if (
        not isinstance(given, list)
        or len(given) != len(default)
        or not all(isinstance(x, float) for x in given)
    ):
        raise GeometryError(f"{field} must be {len(default)} numbers", source=source)
    numbers = np.array(given)
    if not np.isfinite(numbers).all():
        raise GeometryError(f"{field} must be finite", source=source)
    return numbers


def _faces(node: Node, source: str) -> tuple[Array, Integers]:
    """Points (n, 3) and triangles (m, 3): faces with more corners are fans."""
    coord = node.get("coord")
    points = coord.get("point", []) if isinstance(coord, dict) else []
    indices = node.get("coordIndex", [])
    numbers = all(isinstance(each, float) for each in points) and all(
        isinstance(each, float) for each in indices
    )
    if not isinstance(points, list) or not points or len(points) % 3 or not numbers:
        raise GeometryError(
            "an IndexedFaceSet needs a Coordinate with points of three numbers", source=source
        )
    corners = np.array(points).reshape(-1, 3)
    places = np.array(indices)
    if not (np.isin(places % 1.0, 0.0) & (places < len(corners)) & (places >= -1)).all():
        raise GeometryError(
            f"coordIndex must be whole numbers between -1 and {len(corners) - 1}", source=source
        )
    triangles: list[list[int]] = []
    face: list[int] = []
    for place in (*places.astype(int).tolist(), -1):
        if place >= 0:
            face.append(place)
            continue
        triangles += [[face[0], face[k], face[k + 1]] for k in range(1, len(face) - 1)]
        face = []
    found = np.array(triangles, dtype=np.int64).reshape(-1, 3)
    return corners, found if node.get("ccw", "TRUE") != "FALSE" else found[:, ::-1]
