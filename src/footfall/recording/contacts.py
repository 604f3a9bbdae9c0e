"""Contacts of a recording: any number of them at each instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import InvalidRow
from footfall.recording.format import ContactBlock, packed

_INSTANTS = 256  # in a block
_CONTACTS = 8192  # in a block
_UNKNOWN = -1  # no body was given


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


@dataclass
class ContactBuffer:
    """Instants that wait to be written. bodies: number of bodies that may be named."""

    bodies: int
    times: list[float] = field(default_factory=list)
    instants: list[Instant] = field(default_factory=list)
    contacts: int = 0

    @property
    def rows(self) -> int:
        return len(self.times)

    @property
    def is_full(self) -> bool:
        return self.rows >= _INSTANTS or self.contacts >= _CONTACTS

    def checked(self, positions: Any, forces: Any, normals: Any, bodies: Sequence[int] | None) -> Instant:
        """The contacts of an instant as arrays of their own, refused if shapes do not fit."""
        position = np.array(positions, dtype=np.float64).reshape(-1, 3) if np.size(positions) else _none()
        count = len(position)
        force = _of_shape(forces, count, "forces")
        normal = np.full((count, 3), np.nan) if normals is None else _of_shape(normals, count, "normals")
        body = np.full(count, _UNKNOWN) if bodies is None else np.array(bodies, dtype=np.int64)
        if body.shape != (count,):
            raise InvalidRow(f"bodies have shape {body.shape}; for {count} contacts it must be ({count},)")
        wrong = [index for index in body.tolist() if not _UNKNOWN <= index < self.bodies]
        if wrong:
            raise InvalidRow(f"body {wrong[0]} of a contact; the robot has bodies 0 to {self.bodies - 1}")
        return position, normal, force, body

    def add(self, time: float, position: Array, normal: Array, force: Array, body: Integers) -> None:
        self.times.append(time)
        self.instants.append((position, normal, force, body))
        self.contacts += len(body)

    def take(self) -> ContactTable:
        """All that waits; the buffer is empty afterwards."""
        table = joined(np.array(self.times), [len(instant[3]) for instant in self.instants], self.instants)
        self.times, self.instants, self.contacts = [], [], 0
        return table


def joined(times: Array, counts: Sequence[int] | Integers, parts: Sequence[Instant]) -> ContactTable:
    """One table of the contacts in `parts`, with counts (instants,) contacts at each of the times (instants,)."""
    position, normal, force = (
        np.concatenate([_none(), *(part[index] for part in parts)]) for index in (0, 1, 2)
    )
    body = np.concatenate([np.zeros(0, dtype=np.int64), *(part[3] for part in parts)])
    offset = np.concatenate([[0], np.cumsum(np.asarray(counts, dtype=np.int64))]).astype(np.int64)
    return ContactTable(times, offset, position, normal, force, body)


def _of_shape(values: Any, count: int, name: str) -> Array:
    array = np.array(values, dtype=np.float64) if np.size(values) else _none()
    if array.shape != (count, 3):
        raise InvalidRow(f"{name} have shape {array.shape}; for {count} contacts it must be ({count}, 3)")
    return array


def _none() -> Array:
    return np.zeros((0, 3))
