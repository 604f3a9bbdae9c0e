"""What stands in a recording: topics, messages and their schemas.

A recording is an MCAP file. The robot and the scene are attachments in footfall's TOML, versions and settings are a
metadata record. Numbers are kept exactly: a message holds a block of rows, each array as its little endian bytes
(base64 in JSON). Beside them stand messages at a reduced rate that Foxglove draws and plots.
docs/recordings.md describes all of it.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import RecordingError

FORMAT = "1"
PROFILE = "footfall"
METADATA = "footfall.recording"
ROBOT_FILE = "robot.toml"
SCENE_FILE = "scene.toml"
TOML = "application/toml"

STATES = "/states"
CONTACTS = "/contacts"
EVENTS = "/events"
SIGNALS = "/signals"

Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class StateBlock(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Rows of time (rows,), q (rows, nq), v (rows, nv) and tau (rows, nv), NaN where no tau was given.

    currents: (rows, motors), NaN where none were given; left out if no row has any.
    """

    rows: Count
    time: bytes
    q: bytes
    v: bytes
    tau: bytes
    currents: bytes = b""


class ContactBlock(msgspec.Struct, forbid_unknown_fields=True):
    """Instants of time (rows,) with count (rows,) contacts each; the other arrays hold all of them in turn.

    position, normal, force: (contacts, 3). body: (contacts,) index of the robot's body, -1 if it was not given.
    """

    rows: Count
    contacts: Count
    time: bytes
    count: bytes
    position: bytes
    normal: bytes
    force: bytes
    body: bytes


class EventMessage(msgspec.Struct, forbid_unknown_fields=True):
    """Something that happened at an instant, s; data: anything that JSON holds."""

    time: float
    name: str
    data: dict[str, Any] = msgspec.field(default_factory=dict)


class SignalBlock(msgspec.Struct, forbid_unknown_fields=True):
    """Rows of time (rows,) and values (rows, sum of sizes): signals by name, each with its size and unit."""

    rows: Count
    names: list[str]
    sizes: list[Count]
    units: list[str]
    time: bytes
    values: bytes


MESSAGES: dict[str, tuple[str, type[msgspec.Struct]]] = {
    STATES: ("footfall.StateBlock", StateBlock),
    CONTACTS: ("footfall.ContactBlock", ContactBlock),
    EVENTS: ("footfall.Event", EventMessage),
    SIGNALS: ("footfall.SignalBlock", SignalBlock),
}


def json_schema(message: type[msgspec.Struct]) -> dict[str, Any]:
    """JSON Schema of a message, written out without references, which Foxglove does not follow."""
    return _schema_of(msgspec.inspect.type_info(message))


def _schema_of(kind: msgspec.inspect.Type) -> dict[str, Any]:
    match kind:
        case msgspec.inspect.StructType():
            properties = {field.encode_name: _schema_of(field.type) for field in kind.fields}
            return {"type": "object", "title": kind.cls.__name__, "properties": properties}
        case msgspec.inspect.ListType():
            return {"type": "array", "items": _schema_of(kind.item_type)}
        case msgspec.inspect.BytesType():
            return {"type": "string", "contentEncoding": "base64"}
        case msgspec.inspect.DictType():
            return {"type": "object"}
        case _:
            return {"type": _JSON_TYPES[type(kind)]}


_JSON_TYPES: dict[type[msgspec.inspect.Type], str] = {
    msgspec.inspect.IntType: "integer",
    msgspec.inspect.FloatType: "number",
    msgspec.inspect.StrType: "string",
    msgspec.inspect.BoolType: "boolean",
}


def packed(array: Any, kind: str = "<f8") -> bytes:
    """The bytes of an array, little endian."""
    return np.ascontiguousarray(array, dtype=kind).tobytes()


def unpacked(content: bytes, shape: tuple[int, ...], name: str) -> Array:
    """The float64 array of that shape that `packed` has packed."""
    _check_length(content, shape, name)
    return np.frombuffer(content, dtype="<f8").reshape(shape).astype(np.float64)


def unpacked_indices(content: bytes, shape: tuple[int, ...], name: str) -> Integers:
    """The int64 array of that shape that `packed` has packed."""
    _check_length(content, shape, name)
    return np.frombuffer(content, dtype="<i8").reshape(shape).astype(np.int64)


def _check_length(content: bytes, shape: tuple[int, ...], name: str) -> None:
    expected = 8 * int(np.prod(shape, dtype=object))
    if len(content) != expected:
        raise RecordingError(f"{name} has {len(content)} bytes; shape {shape} has {expected}")


def nanoseconds(time: float) -> int:
    """Time in s as MCAP has it, whole ns."""
    return round(time * 1e9)
