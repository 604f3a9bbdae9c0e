"""Content of messages: records of numbers, texts, lists and arrays, checked against their types when they are read.

Records are `msgspec.Struct`s, written as MessagePack; nothing is unpickled and no code is run. Arrays are their type,
shape and little-endian bytes.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, TypeVar

import msgspec
import numpy as np

from footfall.errors import InvalidMessage

Record = TypeVar("Record", bound=msgspec.Struct)

_KINDS = ("<f8", "<f4", "<i8", "<i4", "<i2", "|u1", "<u2", "|i1", "|b1")
_MOST_DIMENSIONS = 4


class PackedArray(msgspec.Struct, array_like=True, frozen=True):
    """An array on its way. kind: NumPy's name of its type. shape: of it. data: its bytes, row by row."""

    kind: str
    shape: tuple[int, ...]
    data: bytes


def packed(array: Any) -> PackedArray:
    """An array to be sent."""
    array = np.asarray(array)
    kind = array.dtype.newbyteorder("<").str
    if kind not in _KINDS or array.ndim > _MOST_DIMENSIONS:
        raise InvalidMessage(f"an array is {array.dtype} {array.shape}; it must be of {', '.join(_KINDS)}")
    return PackedArray(kind, array.shape, np.ascontiguousarray(array, kind).tobytes())


def unpacked(given: PackedArray, kind: Any, shape: tuple[int | None, ...]) -> Any:
    """The array that came, which must have this type and shape; None stands for any length."""
    wanted = np.dtype(kind).newbyteorder("<").str
    fits = len(given.shape) == len(shape) and all(
        length >= 0 and asked in (None, length) for length, asked in zip(given.shape, shape, strict=True)
    )
    if given.kind != wanted or not fits:
        raise InvalidMessage(f"an array is {given.kind[:8]} {given.shape[:8]}; it must be {wanted} {shape}")
    if math.prod(given.shape) * np.dtype(kind).itemsize != len(given.data):
        raise InvalidMessage(f"an array of shape {given.shape} has {len(given.data)} bytes")
    return np.frombuffer(given.data, wanted).reshape(given.shape).astype(kind)


def record_bytes(record: msgspec.Struct) -> bytes:
    """A record as MessagePack."""
    return msgspec.msgpack.encode(record)


def read_record(content: bytes, kind: type[Record]) -> Record:
    """The record of that kind that bytes hold."""
    try:
        return _decoder(kind).decode(content)  # type: ignore[no-any-return]
    except (msgspec.DecodeError, UnicodeError, OverflowError, RecursionError, ValueError) as error:
        raise InvalidMessage(f"is no {kind.__name__}: {error}") from None


@cache
def _decoder(kind: type[msgspec.Struct]) -> Any:
    return msgspec.msgpack.Decoder(kind)


def finite(numbers: Any, what: str) -> Any:
    """Numbers that must be finite."""
    if not np.isfinite(np.asarray(numbers, np.float64)).all():
        raise InvalidMessage(f"{what} is {numbers}; it must be finite")
    return numbers
