"""PCD: clouds of points of the Point Cloud Library, as text, binary, or binary and compressed by LZF (version 0.7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.compiler.routines import routine
from footfall.errors import InvalidEnvironment

Column = np.ndarray[Any, np.dtype[Any]]
_Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_LONGEST_HEADER = 2**16
_MOST_POINTS = 2**26
_MOST_BYTES = 2**30
_KINDS = {"F4": "<f4", "F8": "<f8", "I1": "<i1", "I2": "<i2", "I4": "<i4", "I8": "<i8", "U1": "<u1", "U2": "<u2",
          "U4": "<u4", "U8": "<u8"}  # fmt: skip


def pcd_bytes(columns: Mapping[str, Column]) -> bytes:
    """A binary PCD file of columns (n,)."""
    count = len(next(iter(columns.values())))
    kinds = {name: column.dtype.newbyteorder("<") for name, column in columns.items()}
    rows = np.empty(count, dtype=list(kinds.items()))
    for name, column in columns.items():
        rows[name] = column
    types = {"f": "F", "i": "I", "u": "U"}
    header = [
        "# .PCD v0.7 - Point Cloud Data file format",
        "VERSION 0.7",
        f"FIELDS {' '.join(columns)}",
        f"SIZE {' '.join(str(kind.itemsize) for kind in kinds.values())}",
        f"TYPE {' '.join(types[kind.kind] for kind in kinds.values())}",
        f"COUNT {' '.join('1' for _ in columns)}",
        f"WIDTH {count}",
        "HEIGHT 1",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {count}",
        "DATA binary\n",
    ]
    return "\n".join(header).encode("ascii") + rows.tobytes()


def read_pcd(content: bytes, *, source: str = "<pcd>") -> dict[str, Column]:
    """Columns (n,) of a PCD file's content, by name; fields of several numbers are left out."""

    def wrong(message: str) -> InvalidEnvironment:
        return InvalidEnvironment(message, source=source)

    found = re.search(rb"^DATA[ \t]+(\w+)[ \t]*\r?\n", content[:_LONGEST_HEADER], re.MULTILINE)
    if found is None:
        raise wrong("is no PCD file: its header has no line DATA")
    try:
        lines = content[: found.start()].decode("ascii").splitlines()
    except UnicodeDecodeError:
        raise wrong("its header is no ASCII text") from None
    header = {words[0]: words[1:] for line in lines if (words := line.split()) and not line.startswith("#")}
    names, sizes, types = (header.get(key, []) for key in ("FIELDS", "SIZE", "TYPE"))
    counts = header.get("COUNT", ["1"] * len(names))
    points = header.get("POINTS", ["none"])
    if not len(names) == len(sizes) == len(types) == len(counts) or not names or len(set(names)) < len(names):
        raise wrong(
            f"has {len(names)} fields, {len(sizes)} sizes, {len(types)} types; each once, and as many of all"
        )
    kinds = [_KINDS.get(kind + size) for kind, size in zip(types, sizes, strict=True)]
    if None in kinds or not all(re.fullmatch(r"\d{1,4}", each) and int(each) for each in counts):
        raise wrong("has fields of a type, size or count that is not known")
    if len(points) != 1 or not re.fullmatch(r"\d{1,9}", points[0]) or int(points[0]) > _MOST_POINTS:
        raise wrong(f"says to have {' '.join(points)[:40]} points; at most {_MOST_POINTS} are read")
    count, repeats = int(points[0]), [int(each) for each in counts]
    row = np.dtype(
        [(name, kind, (repeat,)) for name, kind, repeat in zip(names, kinds, repeats, strict=True)]
    )
    data, size = content[found.end() :], row.itemsize * count
    match found.group(1):
        case b"ascii":
            table = _text(data, count, sum(repeats), wrong)
            starts = np.cumsum([0, *repeats[:-1]])
            columns = {name: table[:, start] for name, start in zip(names, starts, strict=True)}
            return {name: columns[name] for name, repeat in zip(names, repeats, strict=True) if repeat == 1}
        case b"binary":
            if len(data) < size:
                raise wrong(f"is cut off: {count} points are {size} bytes, there are {len(data)}")
            rows = np.frombuffer(data, row, count)
            columns = {name: rows[name] for name in names}
        case b"binary_compressed":
            plain = _unpacked(data, size, wrong)
            columns, place = {}, 0
            for name in names:  # one field after the other, not point by point
                kind = row[name].base
                repeat = row[name].shape[0]
                values = np.frombuffer(plain, kind, count * repeat, place)
                columns[name] = values.reshape(count, repeat)
                place += values.nbytes
        case other:
            raise wrong(f"DATA is {other[:20]!r}; it must be ascii, binary or binary_compressed")
    return {
        name: columns[name][:, 0].copy() for name, repeat in zip(names, repeats, strict=True) if repeat == 1
    }


def _text(data: bytes, count: int, width: int, wrong: Any) -> Column:
    words = data.split()
    if len(words) < count * width:
        raise wrong(f"is cut off: {count} points are {count * width} numbers, there are {len(words)}")
    try:
        return np.array([float(word) for word in words[: count * width]]).reshape(count, width)
    except ValueError:
        raise wrong("has text where numbers should be") from None


def _unpacked(data: bytes, size: int, wrong: Any) -> bytes:
    packed, plain = (int(each) for each in np.frombuffer(data[:8].ljust(8, b"\0"), "<u4"))
    if plain != size or packed > len(data) - 8 or plain > _MOST_BYTES:
        raise wrong(
            f"says to hold {plain} bytes in {packed}; its points are {size}, and {len(data) - 8} follow"
        )
    result = np.zeros(plain, np.uint8)
    if not inflate_lzf(np.frombuffer(data, np.uint8, packed, 8), result):
        raise wrong("cannot be decompressed: it is damaged")
    return result.tobytes()


@routine
def inflate_lzf(packed: _Bytes, plain: _Bytes) -> bool:
    """Unpack data of LibLZF; whether it fills `plain` exactly."""
    at, to = 0, 0
    while at < len(packed):
        control = packed[at]
        at += 1
        if control < 32:  # bytes as they are
            length = control + 1
            if at + length > len(packed) or to + length > len(plain):
                return False
            for k in range(length):
                plain[to + k] = packed[at + k]
            at += length
            to += length
            continue
        length, back = control >> 5, (control & 31) << 8
        if length == 7:
            if at >= len(packed):
                return False
            length += packed[at]
            at += 1
        if at >= len(packed):
            return False
        start = to - back - packed[at] - 1
        at += 1
        length += 2
        if start < 0 or to + length > len(plain):
            return False
        for k in range(length):  # the copy may overlap itself
            plain[to + k] = plain[start + k]
        to += length
    return to == len(plain)
