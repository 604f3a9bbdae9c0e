"""What an analysis has done so far, in a file from which it goes on."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.errors import InvalidInput
from footfall.whole_file import open_file, written_whole
from footfall.workspace.cells import BLOCK, WIDTH, CellTable

_ARRAYS = ("corner", "grid", "rows", "seen", "seeds")


class State(NamedTuple):
    """parts: of samples that are done. rounds: of exploring. spent: samples of both."""

    parts: int
    rounds: int
    spent: int
    table: CellTable


def trimmed(table: CellTable) -> CellTable:
    """Without room for more blocks."""
    cells = int(table.used[0]) * BLOCK
    return table._replace(rows=table.rows[: 3 * cells], seen=table.seen[:cells], seeds=table.seeds[:cells])


def keep_state(path: Path, digest: str, state: State) -> None:
    """Write what is done, whole or not at all."""
    table = trimmed(state.table)
    arrays = {name: getattr(table, name) for name in _ARRAYS}
    numbers = np.array([state.parts, state.rounds, state.spent, int(table.used[0])])
    with written_whole(path) as file:
        np.savez(file, digest=np.array(digest), size=table.size, numbers=numbers, **arrays)


def kept_state(path: Path, digest: str) -> State | None:
    """What is done of a request; None if there is no file."""
    if not path.exists():
        return None
    try:
        with open_file(path) as file, np.load(file, allow_pickle=False) as kept:
            if str(kept["digest"]) != digest:
                raise InvalidInput(f"{str(path)!r} is of another analysis; choose another place or delete it")
            corner, grid, rows, seen, seeds = (kept[name] for name in _ARRAYS)
            size, numbers = float(kept["size"]), kept["numbers"]
    except (EOFError, KeyError, OSError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{str(path)!r} cannot be read ({error}); delete it to begin anew") from None
    cells = len(seen)
    whole = (
        numbers.shape == (4,)
        and corner.shape == (3,)
        and grid.ndim == 3
        and rows.shape == (3 * cells, WIDTH)
        and seeds.ndim == 2
        and len(seeds) == cells == int(numbers[3]) * BLOCK
        and int(grid.max(initial=-1)) < max(int(numbers[3]), 1)
        and int(grid.min(initial=-1)) >= -1
    )
    if not whole:
        raise InvalidInput(f"{str(path)!r} is damaged; delete it to begin anew")
    used = np.array([int(numbers[3])], dtype=np.int64)
    table = CellTable(corner, size, grid, rows, seen, seeds, used)
    return State(int(numbers[0]), int(numbers[1]), int(numbers[2]), table)
