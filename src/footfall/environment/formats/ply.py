"""PLY: tables of vertices and faces, as text or binary; every property is kept by its name (Turk 1994)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.errors import InvalidEnvironment

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip
_NAMES = {"i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint", "f4": "float",
          "f8": "double"}  # fmt: skip
_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">", "ascii": ""}
_LONGEST_HEADER = 2**16
_MOST_ROWS = 2**26

Column = np.ndarray[Any, np.dtype[Any]]


@dataclass
class _Element:
    name: str
    count: int
    properties: list[tuple[str, str]] = field(default_factory=list)  # name and type
    lists: list[tuple[str, str, str]] = field(default_factory=list)  # name, type of the length, type of items


@dataclass(frozen=True)
class PlyFile:
    """columns: of vertices, by name. triangles: (m, 3) of vertices; faces of more corners are cut into fans."""

    columns: Mapping[str, Column]
    triangles: np.ndarray[Any, np.dtype[np.int64]]


def ply_bytes(columns: Mapping[str, Column], triangles: Any = None) -> bytes:
    """A binary little-endian PLY file of columns (n,) of vertices, and triangles (m, 3) if there are any."""
    count = len(next(iter(columns.values())))
    kinds = [(name, column.dtype.newbyteorder("<")) for name, column in columns.items()]
    rows = np.empty(count, dtype=kinds)
    for name, column in columns.items():
        rows[name] = column
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {count}"]
    header += [f"property {_NAMES[kind.str[1:]]} {name}" for name, kind in kinds]
    content = rows.tobytes()
    if triangles is not None:
        faces = np.empty(len(triangles), dtype=[("count", "u1"), ("items", "<i4", 3)])
        faces["count"], faces["items"] = 3, triangles
        header += [f"element face {len(faces)}", "property list uchar int vertex_indices"]
        content += faces.tobytes()
    return "\n".join([*header, "end_header\n"]).encode("ascii") + content


def read_ply(content: bytes, *, source: str = "<ply>") -> PlyFile:
    """Vertices and triangles of a PLY file's content."""
    reader = _Reader(content, source)
    columns: dict[str, Column] = {}
    triangles = np.empty((0, 3), np.int64)
    for element in reader.elements:
        values, lists = reader.element(element)
        if element.name == "vertex":
            columns = values
        elif element.name == "face" and lists is not None:
            triangles = lists
    if not {"x", "y", "z"} <= set(columns):
        raise reader.wrong(f"vertices have {', '.join(columns) or 'nothing'}; they need x, y and z")
    return PlyFile(columns, triangles)


class _Reader:
    def __init__(self, content: bytes, source: str) -> None:
        self.source = source
        end = content.find(b"end_header", 0, _LONGEST_HEADER)
        newline = content.find(b"\n", end, _LONGEST_HEADER + 16)
        if not content.startswith(b"ply") or end < 0 or newline < 0:
            raise self.wrong("is no PLY file: it must begin with ply and a header")
        self.content, self.place = content, newline + 1
        self.order = ""
        self.elements: list[_Element] = []
        self._read_header(content[:end])
        self.text = content[self.place :].split() if self.order == "" else []
        self.word = 0

    def wrong(self, message: str) -> InvalidEnvironment:
        return InvalidEnvironment(message, source=self.source)

    def _read_header(self, header: bytes) -> None:
        known = False
        try:
            lines = header.decode("ascii").splitlines()
        except UnicodeDecodeError:
            raise self.wrong("its header is no ASCII text") from None
        for line in lines[1:]:
            match line.split():
                case ["format", name, "1.0"] if name in _ORDERS:
                    self.order, known = _ORDERS[name], True
                case ["element", name, count] if count.isdigit() and int(count) <= _MOST_ROWS:
                    self.elements.append(_Element(name, int(count)))
                case ["property", "list", length, item, name] if self.elements:
                    if length not in _TYPES or item not in _TYPES or _TYPES[length][0] == "f":
                        raise self.wrong(f"property {name!r} is a list of {item} with length {length}")
                    self.elements[-1].lists.append((name, _TYPES[length], _TYPES[item]))
                case ["property", kind, name] if self.elements and kind in _TYPES:
                    if name in dict(self.elements[-1].properties):
                        raise self.wrong(f"property {name!r} is there twice")
                    self.elements[-1].properties.append((name, _TYPES[kind]))
                case ["comment" | "obj_info", *_] | []:
                    pass
                case _:
                    raise self.wrong(f"line {line[:60]!r} of its header has no meaning")
        if not known:
            raise self.wrong("its header has no format")

    def element(self, element: _Element) -> tuple[dict[str, Column], Any]:
        if not element.properties and not element.lists:
            raise self.wrong(f"element {element.name!r} has no property")
        if element.lists and (element.properties or len(element.lists) > 1):
            return self._mixed(element)
        if element.lists:
            return {}, self._faces(element)
        return self._table(element), None

    def _table(self, element: _Element) -> dict[str, Column]:
        if self.order == "":
            names = [name for name, _ in element.properties]
            rows = np.array(self._words(element.count * len(names))).reshape(element.count, len(names))
            kinds = dict(element.properties)
            return {name: self._converted(rows[:, k], kinds[name]) for k, name in enumerate(names)}
        table = self._taken([(name, self.order + kind) for name, kind in element.properties], element.count)
        return {name: table[name].astype(kind) for name, kind in element.properties}

    def _converted(self, values: Column, kind: str) -> Column:
        with np.errstate(over="ignore", invalid="ignore"):
            if kind[0] != "f":
                limits = np.iinfo(kind)
                if not ((values >= limits.min) & (values <= limits.max)).all():
                    raise self.wrong(f"a number is beyond the limits of {_NAMES[kind]}")
            return values.astype(kind)

    def _taken(self, kinds: Any, count: int) -> Column:
        kind = np.dtype(kinds)
        size = kind.itemsize * count
        if self.place + size > len(self.content):
            raise self.wrong(f"is cut off: {count} rows of {kind.itemsize} bytes are said to follow")
        table = np.frombuffer(self.content, kind, count, self.place)
        self.place += size
        return table

    def _words(self, count: int) -> list[float]:
        words = self.text[self.word : self.word + count]
        if len(words) < count:
            raise self.wrong(f"is cut off: {count} numbers are said to follow")
        self.word += count
        try:
            return [float(word) for word in words]
        except ValueError:
            raise self.wrong("has text where numbers should be") from None

    def _faces(self, element: _Element) -> Any:
        """Triangles of the faces; usually all of them are, and are read as one table."""
        _, length, item = element.lists[0]
        if self.order and element.count:
            start = self.place
            kinds = [("count", self.order + length), ("items", self.order + item, 3)]
            if self.place + np.dtype(kinds).itemsize * element.count <= len(self.content):
                table = self._taken(kinds, element.count)
                if (table["count"] == 3).all():
                    return table["items"].astype(np.int64)
                self.place = start
        found = []
        for _ in range(element.count):
            corners = self._list(length, item)
            found += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
        return np.array(found, np.int64).reshape(-1, 3)

    def _list(self, length: str, item: str) -> list[int]:
        if self.order == "":
            count = int(self._whole(self._words(1)[0]))
            return [self._whole(word) for word in self._words(min(max(count, 0), _MOST_ROWS))]
        count = max(int(self._taken(self.order + length, 1)[0]), 0)
        return [self._whole(float(value)) for value in self._taken(self.order + item, count)]

    def _whole(self, number: float) -> int:
        if not (number == number and abs(number) < 2**53):
            raise self.wrong(f"a face has a corner {number}; corners are numbers of vertices")
        return int(number)

    def _mixed(self, element: _Element) -> tuple[dict[str, Column], Any]:
        raise self.wrong(
            f"element {element.name!r} has lists beside other properties; that is not read, convert the file"
        )
