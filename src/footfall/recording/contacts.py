"""Contacts of a recording: any number of them at each instant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import InvalidInput
from footfall.recording.format import ContactBlock, packed

_INSTANTS = 256  # in a block
_CONTACTS = 8192  # in a block
_REMEMBERED_CONTACTS = 256  # contacts at an instant, of which it is remembered that they were good
_UNKNOWN = -1  # no body was given
_FLOATS = np.dtype(np.float64)


@dataclass(frozen=True)
class ContactTable:
    """Contacts at instants: those of instant k stand in rows offset[k] to offset[k + 1] of the other arrays.

    time (instants,) in s, offset (instants + 1,), position (contacts, 3) in m, normal (contacts, 3) towards the
    robot (NaN if it was not given), force (contacts, 3) on the robot in N, world axes, body (contacts,): index into
    `robot.bodies`, -1 if it was not given.
    """

    time: Array
    offset: Integers
    position: Array
    normal: Array
    force: Array
    body: Integers

    def at(self, instant: int) -> slice:
        """The rows of an instant."""
        return slice(int(self.offset[instant]), int(self.offset[instant + 1]))

    @property
    def count(self) -> Integers:
        """Number of contacts at each instant, (instants,)."""
        return np.diff(self.offset)

    def block(self) -> ContactBlock:
        """The message that holds this table."""
        return ContactBlock(
            len(self.time),
            len(self.body),
            packed(self.time),
            packed(self.count, "<i8"),
            packed(self.position),
            packed(self.normal),
            packed(self.force),
            packed(self.body, "<i8"),
        )


Instant = tuple[Array, Array, Array, Integers]  # position, normal, force, body


def checked_instant(
    known: int, positions: Any, forces: Any, normals: Any, bodies: Sequence[int] | None
) -> Instant:
    """The contacts of an instant as arrays of their own, refused if shapes do not fit. known: bodies that there are."""
    try:
        position = _copied(positions)
        if position.ndim != 2 or position.shape[1] != 3:
            position = position.reshape(-1, 3) if position.size else _none()
        count = len(position)
        force = _of_shape(forces, count, "forces")
        normal = _unknown(count) if normals is None else _of_shape(normals, count, "normals")
        body = _nobody(count) if bodies is None else np.array(bodies, dtype=np.int64)
    except InvalidInput:
        raise
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidInput(f"contacts must be arrays (n, 3) of numbers: {problem}") from None
    if body.shape != (count,):
        raise InvalidInput(f"bodies have shape {body.shape}; for {count} contacts it must be ({count},)")
    if bodies is not None and count <= _REMEMBERED_CONTACTS:
        _require_known_again(known, body.tobytes())
    elif bodies is not None:
        _require_known(known, body)
    return position, normal, force, body


def _require_known(known: int, body: Integers) -> None:
    """body: numbers (n,) of bodies; known: how many there are."""
    wrong = body[(body < _UNKNOWN) | (body >= known)]
    if wrong.size:
        raise InvalidInput(f"body {wrong[0]} of a contact; the robot has bodies 0 to {known - 1}")


@lru_cache(maxsize=64)  # what touches is mostly what touched before
def _require_known_again(known: int, bodies: bytes) -> None:
    _require_known(known, np.frombuffer(bodies, dtype=np.int64))


def split_instants(times: Sequence[float], counts: Any, table: Instant) -> list[tuple[float, Instant]]:
    """Times with the contacts of each, of a table that has those of all; refused if counts do not add up."""
    numbers = np.asarray(counts)
    whole = numbers.dtype.kind in "iu" or not numbers.size
    if numbers.shape != (len(times),) or not whole or numbers.min(initial=0) < 0:
        raise InvalidInput(f"counts are {counts!r}; they must be ({len(times)},) whole numbers from 0")
    position, normal, force, body = table
    ends = np.cumsum(numbers, dtype=np.int64).tolist()
    if sum(ends[-1:]) != len(body):
        raise InvalidInput(f"counts add up to {sum(ends[-1:])} contacts; there are {len(body)}")
    return [
        (time, (position[begin:end], normal[begin:end], force[begin:end], body[begin:end]))
        for time, begin, end in zip(times, [0, *ends[:-1]], ends, strict=True)
    ]


def contact_blocks(instants: Sequence[tuple[float, Instant]]) -> Iterator[ContactTable]:
    """Times and contacts of instants, in tables of a size to be written."""
    start = contacts = 0
    for stop, (_, instant) in enumerate(instants, start=1):
        contacts += len(instant[3])
        if stop - start == _INSTANTS or contacts >= _CONTACTS or stop == len(instants):
            block = instants[start:stop]
            times = np.array([time for time, _ in block])
            parts = [instant for _, instant in block]
            yield joined(times, [len(instant[3]) for instant in parts], parts)
            start, contacts = stop, 0


def joined(times: Array, counts: Sequence[int] | Integers, parts: Sequence[Instant]) -> ContactTable:
    """One table of the contacts in `parts`, with counts (instants,) contacts at each of the times (instants,)."""
    position, normal, force = (
        np.concatenate([_none(), *(part[index] for part in parts)]) for index in (0, 1, 2)
    )
    body = np.concatenate([np.zeros(0, dtype=np.int64), *(part[3] for part in parts)])
    offset = np.concatenate([[0], np.cumsum(np.asarray(counts, dtype=np.int64))]).astype(np.int64)
    return ContactTable(times, offset, position, normal, force, body)


def _copied(values: Any) -> Array:
    """Numbers as an array of its own; of an array this takes a fifth of what `np.array` takes of a list."""
    return (
        values.copy()
        if type(values) is np.ndarray and values.dtype == np.float64
        else np.array(values, np.float64)
    )


def _of_shape(values: Any, count: int, name: str) -> Array:
    array = _copied(values)
    array = array.reshape(-1, 3) if array.shape == (3,) else array if array.size else _none()
    if array.shape != (count, 3):
        raise InvalidInput(f"{name} have shape {array.shape}; for {count} contacts it must be ({count}, 3)")
    return array


@lru_cache(maxsize=256)
def _unknown(count: int) -> Array:
    """Normals that were not given; read-only."""
    return np.full((count, 3), np.nan)


@lru_cache(maxsize=256)
def _nobody(count: int) -> Integers:
    return np.full(count, _UNKNOWN)


def _none() -> Array:
    return np.zeros((0, 3))
