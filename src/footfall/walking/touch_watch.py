"""What bodies of a robot touch besides the ground under its feet: the plant's contacts, noted every period.

A robot that walks among things touches them with its feet, and with hands where its plan puts them. All else is noted
here, body and thing by name, with its force; a walk may end well and still have brushed a wall.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Vector2, new_records
from footfall.simulation.world.records import Count, World, WorldState
from footfall.walking.body import OTHER, RIGHT_HAND
from footfall.walking.sensing import SensingCode, part_of

_MOST_CONTACTS = 64  # contacts that are open at a time, or were so since they were last taken
_GAP = 0.2  # s, without touch, after which another contact begins
_LEAST_FORCE = 0.5  # N, below which nothing counts: shapes that are about to touch


class OpenTouch(NamedTuple):
    """A contact by numbers of shapes. begin, end: s. force: greatest, N. load: greatest that was planned for a hand."""

    own: int
    thing: int
    begin: float
    end: float
    force: float
    load: float


class TouchWatch(NamedTuple):
    """touches: the first `filled[0]` of them are of now."""

    touches: ArrayOf[OpenTouch]
    filled: Integers


class BodyTouch(NamedTuple):
    """A body of the robot that is no foot has touched a thing. begin, end: s. force: greatest, N. planned: whether it
    is a hand that its plan had put there."""

    body: str
    thing: str
    begin: float
    end: float
    force: float
    planned: bool

    def __str__(self) -> str:
        return f"{self.body} at {self.thing}, {self.begin:.2f} to {self.end:.2f} s, up to {self.force:.0f} N"


class TouchLog:
    """All contacts of a walk by name; `take` empties the watch, whose numbers hold while the scene stays as it is."""

    def __init__(self) -> None:
        self.watch = TouchWatch(new_records(OpenTouch, _MOST_CONTACTS), np.zeros(1, np.int64))
        self._taken: list[BodyTouch] = []

    @property
    def full(self) -> bool:
        """Whether there may soon be no more room."""
        return int(self.watch.filled[0]) > _MOST_CONTACTS // 2

    def take(self, name_of: Callable[[int], str]) -> tuple[BodyTouch, ...]:
        """Contacts until now, in the order in which they began. name_of: the owner of a shape."""
        for each in self.watch.touches[: int(self.watch.filled[0])]:
            body, thing = name_of(int(each["own"])), name_of(int(each["thing"]))
            begin, end, force, load = (float(each[name]) for name in ("begin", "end", "force", "load"))
            self._add(BodyTouch(body, thing, begin, end, force, load > 0.0))
        self.watch.filled[0] = 0
        return tuple(sorted(self._taken, key=lambda each: (each.begin, each.body, each.thing)))

    def _add(self, new: BodyTouch) -> None:
        """Several shapes of a body, and what was taken in between, are one contact."""
        for k, old in enumerate(self._taken):
            if old[:2] == new[:2] and new.begin < old.end + _GAP and old.begin < new.end + _GAP:
                self._taken[k] = BodyTouch(
                    *old[:2],
                    min(old.begin, new.begin),
                    max(old.end, new.end),
                    max(old.force, new.force),
                    old.planned or new.planned,
                )
                return
        self._taken.append(new)


def watch_touches(
    watch: TouchWatch,
    code: SensingCode,
    world: World,
    state: WorldState,
    dt: float,
    loads: Vector2,
    time: float,
) -> None:
    """Look at all contacts of the plant at a time, s. dt: of its step, s. loads: planned, of right and left hand."""
    for k in range(state.counts[Count.CONTACTS]):
        touch = state.contacts[k]
        impulse = state.impulses[k]
        force = float(np.sqrt(impulse @ impulse)) / dt
        if force < _LEAST_FORCE:
            continue
        for own, thing in ((touch.first, touch.second), (touch.second, touch.first)):
            part = part_of(code, world, own)
            if part == OTHER or part >= RIGHT_HAND:
                load = loads[part - RIGHT_HAND] if part >= RIGHT_HAND else 0.0
                _note(watch, own, thing, time, force, load)


def _note(watch: TouchWatch, own: int, thing: int, time: float, force: float, load: float) -> None:
    count = watch.filled[0]
    for k in range(count):
        known = watch.touches[k]
        if known.own == own and known.thing == thing and time - known.end < _GAP:
            watch.touches[k] = known._replace(
                end=time, force=max(known.force, force), load=max(known.load, load)
            )
            return
    if count < len(watch.touches):
        watch.touches[count] = OpenTouch(own, thing, time, time, force, load)
        watch.filled[0] = count + 1
