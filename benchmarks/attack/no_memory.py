"""Let single allocations of memory fail while something is saved: old files stay, what was said to be kept is there.

    python -m benchmarks.attack.no_memory [NAME ...] [--points 40]

The allocations of the interpreter and of NumPy are counted, and one of them fails, in a process of its own each time.
Needs an interpreter with `_testcapi`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.attack.full_disks import WAYS, complaint, tell

MOST = 300_000  # allocations; the longest ways need about as many
AVAILABLE = importlib.util.find_spec("_testcapi") is not None


@contextmanager
def without(number: int) -> Iterator[None]:
    """The allocation of that number fails."""
    allocations = importlib.import_module("_testcapi")
    allocations.set_nomemory(number, number + 1)
    try:
        yield
    finally:
        allocations.remove_mem_hooks()


def run(name: str, *, points: int) -> list[tuple[int, str]]:
    """Let one of many allocations fail; what went wrong, by its number (-1: none failed)."""
    numbers = np.unique(np.geomspace(1, MOST, points).astype(int)).tolist()
    with tempfile.TemporaryDirectory(prefix="footfall-attack-") as place:
        folder = Path(place)
        (folder / "cache").mkdir(mode=0o700)
        if name != "kernel":  # which would leave its cache here
            # Imports: Python tells of missing memory there in many ways.
            WAYS[name][0](folder / WAYS[name][1])
        found = [(-1, complaint(name, None, folder))]
        found += [(number, complaint(name, without(number), folder)) for number in numbers]
    return [each for each in found if each[1]]


if __name__ == "__main__":
    sys.exit(tell(__doc__ or "", run, 40))
