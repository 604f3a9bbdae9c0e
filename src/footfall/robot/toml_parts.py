"""What the readers of TOML files share: decoding with a schema, places in the text, poses and shapes.

Limits are checked before a text is parsed, as parsing takes time and memory by what a text says, not by its length: a
key with 50,000 dots takes gigabytes, a megabyte of `[1,` seconds. No description that a person or a program writes
comes near these limits; large tables of numbers are packed.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import inspect

from footfall.errors import RobotError, listed
from footfall.math.transform import Transform
from footfall.robot.description import read_bytes
from footfall.robot.orientation import matrix_from_quaternion, matrix_from_rpy
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from footfall.robot.values import Subject

_DEPTH_LIMIT = 64  # of arrays and tables in each other
_DOTS_LIMIT = 32  # of a key
_MARK_LIMIT = 250_000  # of each kind; a value takes microseconds and a hundred bytes
_TABLE_LIMIT = 20_000
_LINE_LIMIT = 2_000_000

# Strings and comments, in which marks mean nothing
_STRINGS = re.compile(
    r'"""[^"\\]*+(?:(?:\\.|"{1,2}(?!"))[^"\\]*+)*+"""'
    r"|'''[^']*+(?:'{1,2}(?!')[^']*+)*+'''"
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
    r"|'[^'\n]*+'|#[^\n]*+",
    re.DOTALL,
)
_BRACKETS = re.compile(r"[\[\]{}]")
_DOTTED = re.compile(rf"(?<![\w.-])(?>[\w-]++[ \t]*+\.[ \t]*+){{{_DOTS_LIMIT}}}")
_TABLES = re.compile(r"^[ \t]*+\[", re.MULTILINE)


def check_toml(text: str, source: str) -> None:
    """Refuse a text that takes more than seconds to parse."""
    for mark, limit in (*((mark, _MARK_LIMIT) for mark in ",=[{\\"), ("\n", _LINE_LIMIT)):
        if (count := text.count(mark)) > limit:
            what = {"\n": "lines", "\\": "escaped characters", ",": "values", "=": "fields"}.get(
                mark, "brackets"
            )
            raise RobotError(f"has {count} {what}; at most {limit} are read", source=source)
    bare = _STRINGS.sub('""', text)
    tables = sum(1 for _ in _TABLES.finditer(bare))
    if tables > _TABLE_LIMIT:
        raise RobotError(f"has {tables} tables; at most {_TABLE_LIMIT} are read", source=source)
    if _DOTTED.search(bare.replace('""', "x")):
        raise RobotError(f"has a key with more than {_DOTS_LIMIT} dots", source=source)
    depth = 0
    for bracket in _BRACKETS.findall(bare):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        if depth > _DEPTH_LIMIT:
            raise RobotError(f"nested too deeply: {_DEPTH_LIMIT} brackets are the most", source=source)


Schema = TypeVar("Schema", bound=msgspec.Struct)

_LONGEST_NAME = 200  # that is looked for in a text

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]


class PlacedSchema(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Matrix | None = None
    quaternion: tuple[float, float, float, float] | None = None
    rpy: Vector | None = None


class ShapeSchema(PlacedSchema, kw_only=True):
    shape: Literal["box", "sphere", "cylinder", "capsule", "mesh"]
    name: str = ""
    color: tuple[float, float, float, float] | None = None
    friction: float | None = None
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    group: int = 1
    mask: int = 1
    size: Vector | None = None
    radius: float | None = None
    length: float | None = None
    path: str | None = None
    scale: Vector | None = None


def read_text(path: Path, *, limit: int) -> str:
    """Content of a UTF-8 file of at most `limit` bytes."""
    content = read_bytes(path, limit=limit)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RobotError("is not UTF-8 text", source=str(path), line=line) from None


def read_schema(path: Path, schema: type[Schema], *, limit: int) -> Schema:
    """Content of a file of at most `limit` bytes as a value of the schema."""
    return decode(read_text(path, limit=limit), str(path), schema)


def decode(text: str, source: str, schema: type[Schema]) -> Schema:
    """The text as a value of the schema; errors name the place and what would be right."""
    data = load_toml(text, source)
    try:
        return msgspec.convert(data, schema)
    except (msgspec.ValidationError, OverflowError, UnicodeError) as error:
        problem, _, place_in_data = str(error).partition(" - at ")
        where = place_in_data.strip("`").removeprefix("$.")
        unknown = re.search("unknown field `(.*)`|Invalid (?:enum )?value '(.*)'", problem)
        if unknown:
            wrong = unknown.group(unknown.lastindex or 0)
            problem += f"; there are: {listed(wrong, choices(schema, where, data))}"
        line = line_of(text, f"{where}.{unknown.group(1)}" if unknown and unknown.group(1) else where)
        raise RobotError(f"{where}: {problem}" if where else problem, source=source, line=line) from None


def load_toml(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text."""
    check_toml(text, source)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place.group(1)) if place else None
        raise RobotError(f"no valid TOML: {error}", source=source, line=line) from None
    except RecursionError:
        raise RobotError("nested too deeply", source=source) from None
    except (ValueError, OverflowError) as error:  # absurd numbers and dates
        raise RobotError(f"no valid TOML: {error}", source=source) from None


def choices(schema: type[msgspec.Struct], where: str, data: Any) -> list[str]:
    """Fields or values that a schema allows at a place such as `body[3].joint.type` of the data."""
    kinds: list[inspect.Type] = [inspect.type_info(schema)]
    for part in re.findall(r"\w+|\[[^]]*\]", where):
        kinds = [inner for kind in kinds for inner in _inside(kind, part)]
        data = _item(data, part)
    singles = [single for kind in kinds for single in _alternatives(kind)]
    names: list[str] = []
    for single in [single for single in singles if _tagged(single, data)] or singles:
        match single:
            case inspect.StructType(fields=fields):
                names += [field.encode_name for field in fields]
            case inspect.EnumType(cls=cls):
                names += [member.value for member in cls]
            case inspect.LiteralType(values=values):
                names += map(str, values)
    return names


def _inside(kind: inspect.Type, part: str) -> Iterator[inspect.Type]:
    """What stands in a value of that kind, in a field or, for parts such as `[3]` and `[...]`, as an item."""
    for single in _alternatives(kind):
        match single:
            case inspect.StructType(tag_field=str(tag_field), tag=tag) if tag_field == part:
                yield inspect.LiteralType((tag,))
            case inspect.StructType(fields=fields):
                yield from (field.type for field in fields if field.encode_name == part)
            case (
                inspect.ListType(item_type=inner)
                | inspect.VarTupleType(item_type=inner)
                | inspect.DictType(value_type=inner)
            ):
                yield inner


def _item(data: Any, part: str) -> Any:
    """The field or the item `[3]` of data; None where it is not known, as for `[...]`."""
    if isinstance(data, list) and part[1:-1].isdecimal():
        return data[int(part[1:-1])]
    return data.get(part) if isinstance(data, dict) else None


def _tagged(kind: inspect.Type, data: Any) -> bool:
    """Whether the data says that it is of this one of several kinds."""
    return (
        isinstance(kind, inspect.StructType)
        and kind.tag_field is not None
        and isinstance(data, dict)
        and data.get(kind.tag_field) == kind.tag
    )


def _alternatives(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    return kind.types if isinstance(kind, inspect.UnionType) else (kind,)


def header_lines(text: str, table: str) -> list[int]:
    """Lines where the entries of an array of tables start."""
    pattern = re.compile(rf"[ \t]*\[\[[ \t]*{table}[ \t]*\]\]")
    return [number for number, line in enumerate(text.split("\n"), 1) if pattern.match(line)]


def line_of(text: str, where: str) -> int | None:
    """Line of the field at a path such as `body[3].joint.type`, or of the table around it."""
    lines = text.split("\n")
    table, header, end = "", -1, len(lines)
    for name, index in re.findall(r"(\w+)(?:\[(\d+)\])?", where):
        if len(name) > _LONGEST_NAME:
            break
        table = f"{table}.{name}" if table else name
        pattern = re.compile(rf"[ \t]*\[+[ \t]*{re.escape(table)}[ \t]*\]")
        headers = [number for number in range(header + 1, end) if pattern.match(lines[number])]
        entry = int(index or 0)
        if entry < len(headers):
            header, end = headers[entry], (headers[entry + 1 :] or [end])[0]
            continue
        for number in range(header + 1, end):
            if re.match(rf"[ \t]*{name}\b[^=]*=", lines[number]):
                return number + 1
            if lines[number].lstrip().startswith("["):
                break
    return header + 1 if header >= 0 else None


def read_placement(schema: PlacedSchema, subject: Subject) -> Transform:
    """The pose that an element gives in one of the ways to write a rotation."""
    given = [name for name in ("rotation", "quaternion", "rpy") if getattr(schema, name) is not None]
    if len(given) > 1:
        raise RobotError(f"has {' and '.join(given)}; give at most one of them", subject=subject)
    if schema.rotation is not None:
        rotation = np.array(schema.rotation)
    elif schema.quaternion is not None:
        if not any(schema.quaternion) or not all(map(math.isfinite, schema.quaternion)):
            raise RobotError(
                f"quaternion is {schema.quaternion}; it must be finite, not zero", subject=subject
            )
        rotation = matrix_from_quaternion(schema.quaternion)
    else:
        rpy = schema.rpy or (0.0, 0.0, 0.0)
        if not all(map(math.isfinite, rpy)):
            raise RobotError(f"rpy is {rpy}; it must be finite", subject=subject)
        rotation = matrix_from_rpy(rpy)
    return Transform(rotation, np.array(schema.position))


# Class of each shape, the fields it needs and those that may be left out.
SHAPES: dict[str, tuple[type[Any], tuple[str, ...], tuple[str, ...]]] = {
    "box": (Box, ("size",), ()),
    "sphere": (Sphere, ("radius",), ()),
    "cylinder": (Cylinder, ("radius", "length"), ()),
    "capsule": (Capsule, ("radius", "length"), ()),
    "mesh": (Mesh, ("path",), ("scale",)),
}


def read_shape(schema: ShapeSchema, subject: Subject) -> Shape:
    """The shape with the fields it needs, and no others."""
    maker, needed, optional = SHAPES[schema.shape]
    given = [
        name for name in ("size", "radius", "length", "path", "scale") if getattr(schema, name) is not None
    ]
    missing = [name for name in needed if name not in given]
    extra = [name for name in given if name not in needed + optional]
    if missing or extra:
        wrong = f"lacks {missing[0]}" if missing else f"has {extra[0]}"
        message = f"{schema.shape} {wrong}; it takes {', '.join(needed + optional)}"
        raise RobotError(message, subject=subject)
    shape: Shape = maker(**{name: getattr(schema, name) for name in given})
    return shape
