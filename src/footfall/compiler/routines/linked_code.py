"""Object code that a routine is linked from: its own module, and those of functions that are compiled apart.

These are compiled by other threads from the moment that they are translated, once for all that need them at a time.
"""

from __future__ import annotations

import os
import threading
from functools import partial

from footfall.compiler import cache as disk
from footfall.compiler import machine
from footfall.compiler.routines.module import Manner
from footfall.compiler.threads import Task, renew_lock_after_fork

SHARED = {"shared": True}  # facts about code that is the same for all robots


class LinkedCode:
    """Modules that are compiled while the routine that needs them is still being translated."""

    def __init__(self) -> None:
        self._places: list[str] = []
        self._known: dict[str, bytes] = {}
        self._tasks: dict[str, Task[bytes]] = {}

    def begin(self, text: str, manner: Manner) -> None:
        """Have a module that is compiled apart."""
        place, entry = known_entry("apart", text, str(manner.quick))
        self._places.append(place)
        if entry is None:
            self._tasks[place] = _UNDER_WAY.task(place, text, manner)
        else:
            self._known[place] = entry.code

    def finish(self, text: str, *, quick: bool) -> tuple[list[str], list[bytes]]:
        """Places in the cache of all modules that were begun; object code of the given module and of these."""
        own = Task(partial(machine.compile_optimised, text, quick=quick))
        codes = self._known | {place: task.result() for place, task in self._tasks.items()}
        return self._places, [own.result(), *(codes[place] for place in self._places)]


def known_entry(*parts: str) -> tuple[str, disk.Entry | None]:
    """Code that depends on these parts and on the machine, made here or shipped; and its place in the cache, or where
    it belongs if there is none."""
    places = [disk.key_of(*parts, identity) for identity in machine.identities()]
    for place in places:
        entry = disk.read(place)
        if entry is not None:
            return place, entry
    return places[0], None


def codes_of(entry: disk.Entry) -> list[bytes] | None:
    """Object code of a module in the cache and of those that it is linked to, if all are there."""
    others = [disk.read(place) for place in entry.facts["apart"]]
    known = [other.code for other in others if other is not None]
    return [entry.code, *known] if len(known) == len(others) else None


class _UnderWay:
    """Modules that are being compiled in this process, so that threads that need the same one wait for it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._tasks: dict[tuple[int, str], Task[bytes]] = {}
        renew_lock_after_fork(self)

    def task(self, place: str, text: str, manner: Manner) -> Task[bytes]:
        key = (os.getpid(), place)  # tasks do not live on in a forked process
        with self._lock:
            task = self._tasks.get(key)
            if task is None:
                task = Task(partial(self._compile, key, text, manner))
                if not task.is_done:
                    self._tasks[key] = task
            return task

    def _compile(self, key: tuple[int, str], text: str, manner: Manner) -> bytes:
        try:
            code = machine.compile_optimised(text, quick=manner.quick)
            disk.write(key[1], disk.Entry(SHARED, code))
        finally:
            with self._lock:
                self._tasks.pop(key, None)
        return code


_UNDER_WAY = _UnderWay()
