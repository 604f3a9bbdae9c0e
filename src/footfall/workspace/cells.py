"""Cells of space that a hand comes to, as an octree of four levels: how often, and least, mean and greatest indices.

Blocks of 8 by 8 by 8 cells lie in a coarse grid and are there only where a sample has been. The cells of a block stand
in Morton order, so that the eight children of a cell of a coarser level stand one behind the other.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, prefetch, routine
from footfall.errors import InvalidInput

LEVELS = 4  # 1, 2, 4 and 8 cells wide
EDGE = 8  # cells of a block along an edge
BLOCK = EDGE**3
WIDTH = 8  # of a row of values: the vector registers'
_FIRST_BLOCKS = 64
_PREFETCHED = 16  # samples whose cells are fetched before they are needed
_LARGEST_GRID = 2**27  # blocks that a grid may have room for


class CellTable(NamedTuple):
    """Cells while samples come in.

    corner: lowest corner of the grid, m. size: of a cell, m. grid: (nx, ny, nz) number of the block, -1 for none.
    rows: (3 cells, 8): sums, least and greatest values of each cell, see `Batch`; one behind the other, since samples
    come in no order and each row is a line of the cache. seen: (cells,) a bit for each direction. seeds: (cells, n)
    shares of the joints' ranges that the first sample had. used: (1,) blocks.
    """

    corner: Vector3
    size: float
    grid: Integers
    rows: ArrayOf[Lanes]
    seen: Integers
    seeds: Array
    used: Integers

    @property
    def blocks(self) -> int:
        """How many there is room for."""
        return len(self.seen) // BLOCK


class Batch(NamedTuple):
    """m samples. shares: (m, n). positions: (m, 3) m. bins: (m, 1) of `octahedral_bin`. values: (m, 8): one, so that
    its sum is how many there are, then the indices. dropped: (m,)."""

    shares: Array
    positions: ArrayOf[Vector3]
    bins: Array
    values: ArrayOf[Lanes]
    dropped: Flags


def new_table(center: Array, radius: float, size: float, joints: int) -> CellTable:
    """An empty table for all within a ball, m."""
    if not 0.0 < size < np.inf:
        raise InvalidInput(f"size is {size}; cells have a size, in m")
    width = EDGE * size
    low = np.floor((center - radius) / width) - 1
    high = np.ceil((center + radius) / width) + 1
    shape = tuple(int(n) for n in high - low)
    if np.prod(np.array(shape, dtype=float)) > _LARGEST_GRID:
        raise InvalidInput(
            f"size is {size:g} m, too small for a reach of {radius:.3g} m; choose larger cells"
        )
    grid = np.full(shape, -1, dtype=np.int64)
    return CellTable(low * width, float(size), grid, *_new_rows(_FIRST_BLOCKS, joints), np.zeros(1, np.int64))


def _new_rows(blocks: int, joints: int) -> tuple[Array, Integers, Array]:
    """Empty rows of so many blocks."""
    cells = blocks * BLOCK
    room = np.empty(3 * cells * WIDTH + WIDTH)
    first = -(room.ctypes.data // room.itemsize) % WIDTH  # where a line of the cache begins
    rows = room[first : first + 3 * cells * WIDTH].reshape(cells, 3, WIDTH)
    rows[:] = np.array([0.0, np.inf, -np.inf])[:, None]
    return rows.reshape(-1, WIDTH), np.zeros(cells, np.int64), np.zeros((cells, joints))


def enlarged(table: CellTable, blocks: int) -> CellTable:
    """The same with room for more blocks."""
    rows, seen, seeds = _new_rows(blocks, table.seeds.shape[1])
    rows[: len(table.rows)] = np.asarray(table.rows)
    seen[: len(table.seen)], seeds[: len(table.seen)] = table.seen, table.seeds
    return table._replace(rows=rows, seen=seen, seeds=seeds)


@routine
def _spread(x: int) -> int:
    """Three bits, two places apart."""
    return (x & 1) | (x & 2) << 2 | (x & 4) << 4


@routine
def morton(x: int, y: int, z: int) -> int:
    """Place of a cell in its block, each coordinate from 0 to 7."""
    return _spread(x) | _spread(y) << 1 | _spread(z) << 2


@routine(fused=True)
def _cells_of(table: CellTable, batch: Batch, begin: int, cells: Integers) -> int:
    """Number of the cell of each sample from `begin` on, blocks for those that have none, and how far it got; see
    `fill`."""
    grid = table.grid
    nx, ny, nz = grid.shape
    blocks = len(table.seen) // BLOCK
    inverse = 1.0 / table.size
    for sample in range(begin, len(batch.dropped)):
        if batch.dropped[sample]:
            cells[sample] = 0
            continue
        place = inverse * (batch.positions[sample] - table.corner)
        x, y, z = int(np.floor(place[0])), int(np.floor(place[1])), int(np.floor(place[2]))
        a, b, c = x >> 3, y >> 3, z >> 3
        if a < 0 or b < 0 or c < 0 or a >= nx or b >= ny or c >= nz:
            return -1 - sample
        block = grid[a, b, c]
        if block < 0:
            if table.used[0] == blocks:
                return sample
            block = table.used[0]
            grid[a, b, c] = block
            table.used[0] = block + 1
        cells[sample] = BLOCK * block + morton(x & 7, y & 7, z & 7)
    return len(batch.dropped)


@routine(fused=True)
def fill(table: CellTable, batch: Batch, nearest: Integers, begin: int, enough: float) -> int:
    """Put samples into cells, from `begin` on: gives how many have been put, up to where there is no room for another
    block; or -1 less the number of the first that lies outside of the grid. In cells that have had enough, samples
    count no more."""
    rows, seen = table.rows, table.seen
    cells = np.empty(len(batch.dropped), dtype=np.int64)
    end = _cells_of(table, batch, begin, cells)
    if end < 0:
        return end
    for sample in range(begin, end):
        # Cells lie anywhere in tens of megabytes: without this most of the time is spent waiting for them.
        soon = cells[min(sample + _PREFETCHED, end - 1)]
        prefetch(seen, soon)
        prefetch(rows, 3 * soon)
        prefetch(rows, 3 * soon + 1)
        prefetch(rows, 3 * soon + 2)
        if batch.dropped[sample]:
            continue
        cell = cells[sample]
        seen[cell] |= 1 << nearest[int(batch.bins[sample, 0])]
        value, total = batch.values[sample], rows[3 * cell]
        if total[0] == 0.0:
            for i in range(batch.shares.shape[1]):
                table.seeds[cell, i] = batch.shares[sample, i]
        if total[0] < enough:
            rows[3 * cell] = total + value
        rows[3 * cell + 1] = np.minimum(rows[3 * cell + 1], value)
        rows[3 * cell + 2] = np.maximum(rows[3 * cell + 2], value)
    return end


@routine
def _room_needed(table: CellTable, other: CellTable) -> int:
    """Blocks of both together."""
    nx, ny, nz = table.grid.shape
    needed = table.used[0]
    for a in range(nx):
        for b in range(ny):
            for c in range(nz):
                if other.grid[a, b, c] >= 0 and table.grid[a, b, c] < 0:
                    needed += 1
    return int(needed)


@routine
def _merge(table: CellTable, other: CellTable) -> None:
    nx, ny, nz = table.grid.shape
    for a in range(nx):
        for b in range(ny):
            for c in range(nz):
                source = other.grid[a, b, c]
                if source < 0:
                    continue
                block = table.grid[a, b, c]
                if block < 0:
                    block = table.used[0]
                    table.grid[a, b, c] = block
                    table.used[0] = block + 1
                for cell in range(BLOCK):
                    here, there = BLOCK * block + cell, BLOCK * source + cell
                    if other.seen[there] == 0:
                        continue
                    if table.seen[here] == 0:
                        for i in range(table.seeds.shape[1]):
                            table.seeds[here, i] = other.seeds[there, i]
                    table.seen[here] |= other.seen[there]
                    here, there = 3 * here, 3 * there
                    table.rows[here] = table.rows[here] + other.rows[there]
                    table.rows[here + 1] = np.minimum(table.rows[here + 1], other.rows[there + 1])
                    table.rows[here + 2] = np.maximum(table.rows[here + 2], other.rows[there + 2])


def merged(table: CellTable, other: CellTable) -> CellTable:
    """Both together; their grids are the same."""
    needed = _room_needed(table, other)
    if needed > table.blocks:
        table = enlarged(table, max(needed, table.blocks * 5 // 4))
    _merge(table, other)
    return table


@cache
def morton_grid() -> Integers:
    """(8, 8, 8): place in a block of the cell at x, y, z."""
    return np.array([[[morton(x, y, z) for z in range(EDGE)] for y in range(EDGE)] for x in range(EDGE)])


def dense(grid: Integers, values: Any, empty: Any, level: int = 0) -> Any:
    """Values (cells of a level, ...) of blocks as an array (x, y, z, ...) of all cells; `empty` where no block is."""
    edge = EDGE >> level
    blocks = values.reshape(-1, edge**3, *values.shape[1:])[:, morton_grid()[:edge, :edge, :edge]]
    nx, ny, nz = grid.shape
    full = np.full((nx, ny, nz, edge, edge, edge, *values.shape[1:]), empty, dtype=values.dtype)
    full[grid >= 0] = blocks[grid[grid >= 0]]
    order = (0, 3, 1, 4, 2, 5, *range(6, full.ndim))
    return np.ascontiguousarray(full.transpose(order)).reshape(
        edge * nx, edge * ny, edge * nz, *values.shape[1:]
    )


def cell_places(grid: Integers, level: int = 0) -> Integers:
    """(cells of a level, 3): where cells of blocks stand in `dense`."""
    edge = EDGE >> level
    at = np.empty((edge**3, 3), dtype=np.int64)
    at[morton_grid()[:edge, :edge, :edge].reshape(-1)] = np.indices((edge,) * 3).reshape(3, -1).T
    blocks = np.argwhere(grid >= 0)[np.argsort(grid[grid >= 0])]
    return np.asarray((edge * blocks[:, None, :] + at[None]).reshape(-1, 3))
