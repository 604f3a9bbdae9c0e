"""Which things may matter to a robot on a cell of the map: most are too far away to be looked at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine


class Nearby(NamedTuple):
    """Numbers of the things near each cell (nx, ny), from a corner (x, y) on, m: those of cell (i, j) are items[first]
    to items[last - 1], where first and last are firsts[i * ny + j] and the next one."""

    x: float
    y: float
    cell: float  # m
    nx: int
    ny: int
    firsts: Integers
    items: Integers


def nearby(
    boxes: Array, distance: float, corner: tuple[float, float], cell: float, shape: tuple[int, int]
) -> Nearby:
    """Things (n) by their boxes (n, 4), m: least x, y, greatest x, y. distance: up to which they count, m."""
    counts = np.zeros(shape[0] * shape[1] + 1, np.int64)
    blank = Nearby(*corner, cell, *shape, counts, np.empty(0, np.int64))
    visit_cells(blank, boxes, distance, False)
    firsts = np.cumsum(counts) - counts  # of the last entry, which counts nothing, it is the sum
    filled = blank._replace(firsts=firsts.copy(), items=np.empty(int(firsts[-1]), np.int64))
    visit_cells(filled, boxes, distance, True)
    return filled._replace(firsts=firsts)


@routine(quick=True)
def visit_cells(cells: Nearby, boxes: Array, distance: float, fill: bool) -> None:
    """Count the things near each cell in `firsts`, or fill in their numbers, by which `firsts` move on."""
    for n in range(len(boxes)):
        i_first = max(int((boxes[n, 0] - distance - cells.x) / cells.cell), 0)
        i_last = min(int((boxes[n, 2] + distance - cells.x) / cells.cell) + 1, cells.nx)
        j_first = max(int((boxes[n, 1] - distance - cells.y) / cells.cell), 0)
        j_last = min(int((boxes[n, 3] + distance - cells.y) / cells.cell) + 1, cells.ny)
        for i in range(i_first, i_last):
            x = cells.x + (i + 0.5) * cells.cell
            dx = max(boxes[n, 0] - x, x - boxes[n, 2], 0.0)
            for j in range(j_first, j_last):
                y = cells.y + (j + 0.5) * cells.cell
                dy = max(boxes[n, 1] - y, y - boxes[n, 3], 0.0)
                if dx * dx + dy * dy <= distance * distance:
                    here = i * cells.ny + j
                    if fill:
                        cells.items[cells.firsts[here]] = n
                    cells.firsts[here] += 1


@routine
def cell_below(cells: Nearby, x: float, y: float) -> int:
    """Number of the cell at a place, m; of the nearest one beyond the map."""
    i = min(max(int((x - cells.x) / cells.cell), 0), cells.nx - 1)
    j = min(max(int((y - cells.y) / cells.cell), 0), cells.ny - 1)
    return i * cells.ny + j
