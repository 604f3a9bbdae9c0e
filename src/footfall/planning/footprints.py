"""Footprints on a grid: the cells below a sole, for every heading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.motion.reduced_model import Rectangle

_ROUNDING = 1e-9  # m: a cell whose centre lies on the border belongs to the sole


class Stamps(NamedTuple):
    """Cells (dx, dy) below a sole, relative to the cell of the foot's frame, for every heading.

    cells: (n, 2). first: (yaws + 1,): those of heading k are first[k] to first[k + 1]. toes: (yaws,) how many of them,
    from the first on, are below the toe pad. reach: the farthest cell.
    """

    cells: Integers
    first: Integers
    toes: Integers
    reach: int

    def of(self, yaw: int) -> Integers:
        """Cells (n, 2) of one heading."""
        return self.cells[self.first[yaw] : self.first[yaw + 1]]


def covered(rectangle: Rectangle, yaw: float, points: Array) -> Flags:
    """Whether a rectangle, turned about the origin, covers points (..., 2), m."""
    rear, front, right, left = rectangle
    c, s = np.cos(yaw), np.sin(yaw)
    x, y = points[..., 0], points[..., 1]
    ahead, aside = c * x + s * y, c * y - s * x
    e = _ROUNDING
    inside: Flags = (ahead >= rear - e) & (ahead <= front + e) & (aside >= right - e) & (aside <= left + e)
    return inside


def sole_stamps(sole: Rectangle, toe_sole: Rectangle, yaws: int, cell: float) -> Stamps:
    """Stamps of a sole of which the toe pad is a part: a cell belongs to it if its centre is covered, while the foot's
    frame stands on the centre of a cell. yaws: a multiple of 4."""
    reach = int(np.ceil(max(np.hypot(x, y) for x in sole[:2] for y in sole[2:]) / cell))
    line = np.arange(-reach, reach + 1)
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    points: Array = cell * grid.astype(np.float64)
    parts: list[Integers] = []
    toes: list[int] = []
    for k in range(yaws):
        if k >= yaws // 4:  # a quarter of a turn maps cells on cells
            before = parts[k - yaws // 4]
            parts.append(np.stack([-before[:, 1], before[:, 0]], axis=1))
            toes.append(toes[k - yaws // 4])
            continue
        yaw = 2 * np.pi * k / yaws
        below = covered(sole, yaw, points)
        whole, toe = grid[below], covered(toe_sole, yaw, points[below])
        parts.append(np.concatenate([whole[toe], whole[~toe]]))
        toes.append(int(toe.sum()))
    first = np.cumsum([0, *(len(part) for part in parts)])
    return Stamps(np.concatenate(parts), first, np.array(toes), reach)
