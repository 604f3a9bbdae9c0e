"""How we measure: all contestants in one process, on the same states, in interleaved blocks.

A machine's speed drifts. Within one block the contestants run one after the other, so the ratio of two of
them in a block is worth more than either time; a race gives the median of these ratios and their quartiles.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array


@dataclass(frozen=True)
class Contestant:
    """sweep: runs once over all states. calls: how many calls that is. clock: nanoseconds.

    The clock is the CPU time of this thread, on which other processes do not count; work that spreads over
    threads needs `time.perf_counter_ns`.
    """

    sweep: Callable[[], object]
    calls: int
    clock: Callable[[], int] = time.thread_time_ns


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    lower: float
    median: float
    upper: float

    @staticmethod
    def of(values: Array) -> Spread:
        lower, median, upper = np.percentile(values, [25, 50, 75])
        return Spread(float(lower), float(median), float(upper))


@dataclass(frozen=True)
class Race:
    """seconds: for each contestant its time a call, (blocks,)."""

    seconds: Mapping[str, Array]

    def time(self, name: str) -> Spread:
        """Seconds a call."""
        return Spread.of(self.seconds[name])

    def ratio(self, slower: str, faster: str) -> Spread:
        """How many times faster `faster` is than `slower`, block by block."""
        return Spread.of(self.seconds[slower] / self.seconds[faster])


def race(contestants: Mapping[str, Contestant], *, blocks: int = 30, block_seconds: float = 2e-3) -> Race:
    """Let contestants run in turn, `blocks` times each; a block lasts at least `block_seconds`."""
    names = list(contestants)
    seconds = {name: np.empty(blocks) for name in names}
    with _no_garbage_collection():
        repeats = {name: _repeats(contestant, block_seconds) for name, contestant in contestants.items()}
        for block in range(blocks):
            first = block % len(names)  # no contestant always runs after the same one
            for name in names[first:] + names[:first]:
                seconds[name][block] = _seconds_per_call(contestants[name], repeats[name])
    return Race(seconds)


def sweep(
    statement: str, rows: Mapping[str, Sequence[Any]], constants: Mapping[str, Any]
) -> Callable[[], None]:
    """A loop that executes a statement once for each row, with no cost but that of the statement.

    rows: what names in the statement stand for, one value a repetition. constants: the same for all of them.
    """
    head = f"def run({', '.join(['_rows', *constants])}):"
    loop = f"    for {', '.join(rows)}{',' if len(rows) == 1 else ''} in _rows:"
    source = f"{head}\n{loop}\n        {statement}"
    namespace: dict[str, Any] = {}
    exec(compile(source, f"<sweep {statement}>", "exec"), namespace)
    run = namespace["run"]
    # Local names are fastest
    run.__defaults__ = (
        list(zip(*rows.values(), strict=True)),
        *constants.values(),
    )
    return run  # type: ignore[no-any-return]


def _repeats(contestant: Contestant, block_seconds: float) -> int:
    contestant.sweep()  # loads, compiles and warms up
    once = _seconds_per_call(contestant, 1) * contestant.calls
    return max(1, math.ceil(block_seconds / max(once, 1e-9)))


def _seconds_per_call(contestant: Contestant, repeats: int) -> float:
    clock, run = contestant.clock, contestant.sweep
    begin = clock()
    for _ in range(repeats):
        run()
    return (clock() - begin) / (1e9 * repeats * contestant.calls)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
