"""What a walk leaves behind, row by row: the log is made of chunks of half a second, of which the latest are kept.

A period costs the same after an hour as after a minute: a full chunk is put aside as it is, and the oldest goes when
all of them take more memory than they may. Who needs every row takes them before they go (`LogKeeper.leaving`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from footfall.errors import InvalidInput
from footfall.walking.loop import WalkLog
from footfall.walking.state import Sensors

CHUNK = 0.5  # s
LOG_MEMORY = 256e6  # bytes; 110 s of a humanoid in rows of 1 ms
_LEAST_CHUNKS = 3  # that are kept however little memory there is: a second, and what is being written

NewChunk = Callable[[int, int], WalkLog]  # of so many rows, the first of which has this number


class LogKeeper:
    """The rows of a walk that are kept, in chunks.

    chunk: the one that is written to. full: those before it, as far as they are kept. rows: of a chunk. first: number
    of the first row. leaving: called with each chunk that is about to go. memory: bytes; with 0 nobody wants the log,
    and chunks that go are written over.
    """

    def __init__(self, new: NewChunk, *, rows: int, memory: float, first: int = 0) -> None:
        if not memory >= 0.0:
            raise InvalidInput(f"log_memory is {memory:g} bytes; it must not be negative")
        self.rows = rows
        self.leaving: list[Callable[[WalkLog], object]] = []
        self._new = new
        self.full: deque[WalkLog] = deque()
        self._spare: WalkLog | None = None
        self._free: WalkLog | None = None
        self._reused = memory == 0.0
        self.chunk = new(rows, first)
        size = sum(each.nbytes for each in _arrays(self.chunk))
        self._most = max(_LEAST_CHUNKS, int(memory / size)) - 1

    def anew(self, first: int, *, memory: float) -> LogKeeper:
        """An empty one that begins with another row."""
        return LogKeeper(self._new, rows=self.rows, memory=memory, first=first)

    @property
    def end(self) -> int:
        """The first row for which there is no room in the present chunk."""
        return self.chunk.first + len(self.chunk.q)

    def make_room(self, row: int) -> None:
        """Let the present chunk have this row, which is the next one."""
        if row < self.end:
            return
        self.full.append(self.chunk)
        spare, self._spare = self._spare, None
        if spare is not None:
            self.chunk = spare
            return
        self._let_go()
        free, self._free = self._free, None
        # Memory that is written over need not be asked for, nor made empty by the system.
        self.chunk = self._new(self.rows, self.end) if free is None else free._replace(first=self.end)

    def prepare(self) -> None:
        """Have the next chunk ready, and let the oldest go: so that who needs it has nothing to do."""
        if self._spare is None:
            spare = self._new(self.rows, self.end)
            for each in _arrays(spare):
                each.fill(0)  # memory that is written to is there
            self._spare = spare
            self._let_go()

    def forget(self) -> None:
        """Let go of all chunks but the present one, and of what was to be written over."""
        self.full.clear()
        self._spare = self._free = None

    def lengthen(self, rows: int) -> None:
        """Let chunks have so many rows from the next one on, and no more of them than take the same memory."""
        self._most = max(_LEAST_CHUNKS - 1, self._most * self.rows // rows)
        self.rows = rows

    def _let_go(self) -> None:
        while len(self.full) > self._most:
            for each in self.leaving:
                each(self.full[0])
            gone = self.full.popleft()
            if self._reused and len(gone.q) == self.rows:
                self._free = gone

    def rows_from(self, first: int, end: int) -> WalkLog:
        """Rows from one on to before another, as far as they are kept; one array each."""
        # The last full one may still be the present one for a moment, if the loop is in another thread.
        chunks = {each.first: each for each in (*self.full, self.chunk)}
        parts = [cut(each, first, end) for each in chunks.values()]
        return joined([each for each in parts if len(each.q)] or parts[-1:])


def cut(log: WalkLog, first: int, end: int) -> WalkLog:
    """The rows of a log from one on to before another."""
    begin = min(max(first - log.first, 0), len(log.q))
    part = slice(begin, max(end - log.first, begin))
    sensors = Sensors(*(each[part] for each in log.sensors))
    return WalkLog(
        log.q[part], log.v[part], log.wanted[part], log.signals[part], sensors, log.every, log.first + begin
    )


def joined(logs: Sequence[WalkLog]) -> WalkLog:
    """Logs one after the other as one."""
    first = logs[0]
    if len(logs) == 1:
        return first
    q, v, wanted, signals, *sensors = (
        np.concatenate(each) for each in zip(*(_arrays(log) for log in logs), strict=True)
    )
    return WalkLog(q, v, wanted, signals, Sensors(*sensors), first.every, first.first)


def copied(log: WalkLog) -> WalkLog:
    """A log that shares no memory."""
    q, v, wanted, signals, *sensors = (each.copy() for each in _arrays(log))
    return WalkLog(q, v, wanted, signals, Sensors(*sensors), log.every, log.first)


def _arrays(log: WalkLog) -> tuple[Any, ...]:
    return (log.q, log.v, log.wanted, log.signals, *log.sensors)
