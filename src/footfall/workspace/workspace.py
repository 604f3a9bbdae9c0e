"""A workspace: where a hand gets and how well it moves there, to be asked, drawn and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.errors import InvalidInput, UnknownName
from footfall.workspace.cells import BLOCK, EDGE, LEVELS, cell_places, dense, morton

STATISTICS = ("least", "mean", "greatest")
REACHABILITY = "reachability"
_PARTS = 4  # points along an edge by which cells at the border are measured


class Description(NamedTuple):
    """What a workspace is of. joints: their names; lower, upper: rad or m. options: how it was found."""

    robot: str
    root: str
    hand: str
    joints: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    options: Mapping[str, Any]


class CellLevel(NamedTuple):
    """All cells of a level, reached or not, of m cells in blocks. size: m. counts: (m,). least, mean, greatest: (m, k).
    directions: (m,) share of the directions from which the hand comes there."""

    size: float
    counts: Array
    least: Array
    mean: Array
    greatest: Array
    directions: Array


class Found(NamedTuple):
    """What is known of n points. counts: (n,) samples in their cells, 0 where the hand does not get. directions: (n,)
    share of directions. least, mean, greatest: (n, k) of the indices, not a number where the hand does not get."""

    counts: Array
    directions: Array
    least: Array
    mean: Array
    greatest: Array


class FoundHere(NamedTuple):
    """What is known of a point, see `Found`: the same of its cell alone, indices (k,)."""

    counts: float
    directions: float
    least: Array
    mean: Array
    greatest: Array


class _Reach(NamedTuple):
    """What a query needs."""

    corner: Vector3
    size: float
    grid: Integers
    seen: Integers
    normals: ArrayOf[Vector3]
    offsets: Array


@dataclass(frozen=True, eq=False)
class Workspace:
    """Cells of space in the axes of a chain's root frame, m.

    corner: (3,) lowest corner of the grid. size: of a cell. grid: (nx, ny, nz) number of each block of 8 by 8 by 8
    cells, -1 for none. counts: (m,) samples of each cell. seen: (m,) a bit for each direction. least, mean, greatest:
    (m, k) of the indices `names`. normals, offsets: (m, 3) and (m,), planes of cells at the border (`border.py`).
    directions: how many were distinguished. samples: that were tried.
    """

    description: Description
    names: tuple[str, ...]
    corner: Array
    size: float
    grid: Integers
    counts: Array
    seen: Integers
    least: Array
    mean: Array
    greatest: Array
    normals: Array
    offsets: Array
    directions: int
    samples: int

    def __repr__(self) -> str:
        about = self.description
        return (
            f"Workspace of {about.hand!r} from {about.root!r} of {about.robot!r}: {self.volume:.4g} m3 in "
            f"{int((self.counts > 0).sum())} cells of {100 * self.size:g} cm, {self.samples:.3g} samples"
        )

    @cached_property
    def _reach(self) -> _Reach:
        return _Reach(self.corner, self.size, self.grid, self.seen, self.normals, self.offsets)

    def reaches(self, points: Array) -> Flags:
        """Whether the hand gets to points (n, 3) in the root frame, m: (n,)."""
        points = _checked(points)
        found = np.zeros(len(points), dtype=np.bool_)
        _reached(self._reach, points, found)
        return found

    def reaches_point(self, point: Array) -> bool:
        """Whether the hand gets to a point (3,), float64, in the root frame, m: below a microsecond."""
        return _reaches(self._reach, point)

    def at_point(self, point: Array, *, level: int = 0) -> FoundHere:
        """What is known of a point (3,), float64, in the root frame, m, as `at` says: in about a microsecond."""
        return _found_here(self._reach, self.level(level), 3 * level, point)

    def at(self, points: Array, *, level: int = 0) -> Found:
        """What is known of points (n, 3) in the root frame, m, in the cells of a level: 0 has the finest."""
        points = _checked(points)
        values = self.level(level)
        cells = _cells_of(self._reach, points) >> 3 * level
        known = np.where(cells >= 0, cells, 0)
        count = np.where(cells >= 0, values.counts[known], 0.0)
        there = count > 0.0
        directions = np.where(there, values.directions[known], 0.0)
        indices = (np.where(there[:, None], each[known], np.nan) for each in values[2:5])
        return Found(count, directions, *indices)

    def level(self, level: int) -> CellLevel:
        """The cells of a level: 0 has the finest, each other one cells twice as wide."""
        if not 0 <= level < LEVELS:
            raise InvalidInput(f"level is {level}; it must be from 0 to {LEVELS - 1}")
        return self._levels[level]

    @cached_property
    def _levels(self) -> tuple[CellLevel, ...]:
        """Least of the least, greatest of the greatest, means by how many samples they are of, of eight each."""
        count, least, mean, greatest, seen = self.counts, self.least, self.mean, self.greatest, self.seen
        levels = []
        for level in range(LEVELS):
            shares = np.bitwise_count(seen.view(np.uint64)) / self.directions
            levels.append(CellLevel(self.size * 2**level, count, least, mean, greatest, shares))
            if level == LEVELS - 1:
                break
            eights = count.reshape(-1, 8, 1)
            total = eights.sum(axis=1)
            weighed = np.where(eights > 0.0, mean.reshape(-1, 8, mean.shape[1]), 0.0) * eights
            mean = weighed.sum(axis=1) / np.maximum(total, 1.0)
            least, greatest = (
                least.reshape(-1, 8, least.shape[1]).min(axis=1),
                greatest.reshape(-1, 8, greatest.shape[1]).max(axis=1),
            )
            count, seen = total[:, 0], np.bitwise_or.reduce(seen.reshape(-1, 8), axis=1)
        return tuple(levels)

    def centers(self, level: int = 0) -> Array:
        """(m, 3) middles of all cells of a level, m."""
        width = self.size * 2**level
        return np.asarray(self.corner + width * (cell_places(self.grid, level) + 0.5))

    def values(self, index: str, statistic: str = "greatest", level: int = 0) -> Array:
        """(m,) an index in all cells of a level, or `reachability`: the share of directions."""
        if index == REACHABILITY:
            return self.level(level).directions
        if index not in self.names:
            raise UnknownName("index", index, (REACHABILITY, *self.names))
        if statistic not in STATISTICS:
            raise UnknownName("statistic", statistic, STATISTICS)
        column: Array = getattr(self.level(level), statistic)[:, self.names.index(index)]
        return column

    def dense(self, values: Any, empty: Any, level: int = 0) -> Any:
        """Values (m, ...) of a level's cells as an array (x, y, z, ...) that begins at `corner`."""
        return dense(self.grid, values, empty, level)

    @cached_property
    def shares(self) -> Array:
        """(m,) how much of each cell is reached, 0 to 1."""
        shares = (self.counts > 0.0).astype(np.float64)
        cut = np.flatnonzero(self.normals.any(axis=1))
        steps = (np.arange(_PARTS) + 0.5) / _PARTS - 0.5
        points = self.size * np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
        shares[cut] *= (self.normals[cut] @ points.T <= self.offsets[cut, None]).mean(axis=1)
        return shares

    @cached_property
    def volume(self) -> float:
        """m3; cells at the border count as far as they are reached."""
        return float(self.shares.sum() * self.size**3)

    @cached_property
    def compactness(self) -> float:
        """Mean squared distance from the middle of a ball of the same volume, 3/5 R^2, over that of the workspace:
        1 for a ball (Lenarcic et al. 1989)."""
        radius = np.cbrt(3.0 * self.volume / (4.0 * np.pi))
        center, total = self.shares @ self.centers() / self.shares.sum(), self.shares.sum()
        # A cell is no point: its own spread is size^2 / 4.
        spread = self.shares @ np.square(self.centers() - center).sum(axis=1) / total + self.size**2 / 4.0
        return float(0.6 * radius**2 / spread)

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """Lowest and highest corner (3,) of all cells that are reached, m."""
        places = cell_places(self.grid)[self.counts > 0.0]
        return self.corner + self.size * places.min(axis=0), self.corner + self.size * (
            places.max(axis=0) + 1
        )


def _checked(points: Array) -> Array:
    """Points (n, 3) as numbers one behind the other."""
    try:
        points = np.ascontiguousarray(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"points are no numbers: {error}; give them as (n, 3), m") from None
    if points.ndim != 2 or points.shape[1] != 3:
        raise InvalidInput(f"points have shape {points.shape}; it must be (n, 3)")
    return points


@routine
def _cell_of(reach: _Reach, point: Vector3) -> int:
    """Number of a point's cell, -1 if it is in no block."""
    nx, ny, nz = reach.grid.shape
    place = (1.0 / reach.size) * (point - reach.corner)
    if not (abs(place[0]) < 1e9 and abs(place[1]) < 1e9 and abs(place[2]) < 1e9):
        return -1
    x, y, z = int(np.floor(place[0])), int(np.floor(place[1])), int(np.floor(place[2]))
    a, b, c = x >> 3, y >> 3, z >> 3
    if a < 0 or b < 0 or c < 0 or a >= nx or b >= ny or c >= nz or reach.grid[a, b, c] < 0:
        return -1
    return int(BLOCK * reach.grid[a, b, c] + morton(x & 7, y & 7, z & 7))


@routine
def _found_here(reach: _Reach, cells: CellLevel, finer: int, point: Vector3) -> FoundHere:
    """finer: bits of a cell's number that say which of the finest cells it is."""
    width = cells.mean.shape[1]
    least, mean, greatest = np.full(width, np.nan), np.full(width, np.nan), np.full(width, np.nan)
    cell = _cell_of(reach, point) >> finer
    if cell < 0 or cells.counts[cell] == 0.0:
        return FoundHere(0.0, 0.0, least, mean, greatest)
    for k in range(width):
        least[k], mean[k], greatest[k] = cells.least[cell, k], cells.mean[cell, k], cells.greatest[cell, k]
    return FoundHere(cells.counts[cell], cells.directions[cell], least, mean, greatest)


@routine
def _reaches(reach: _Reach, point: Vector3) -> bool:
    cell = _cell_of(reach, point)
    if cell < 0 or reach.seen[cell] == 0:
        return False
    place = (1.0 / reach.size) * (point - reach.corner)
    middle = np.array([np.floor(place[0]) + 0.5, np.floor(place[1]) + 0.5, np.floor(place[2]) + 0.5])
    away = point - reach.corner - reach.size * middle
    normal = reach.normals[cell]
    return bool(normal @ away <= reach.offsets[cell] or normal @ normal == 0.0)


@routine
def _reached(reach: _Reach, points: ArrayOf[Vector3], found: Flags) -> None:
    for k in range(len(points)):
        found[k] = _reaches(reach, points[k])


def _cells_of(reach: _Reach, points: Array) -> Integers:
    cells = np.empty(len(points), dtype=np.int64)
    _all_cells(reach, points, cells)
    return cells


@routine
def _all_cells(reach: _Reach, points: ArrayOf[Vector3], cells: Integers) -> None:
    for k in range(len(points)):
        cells[k] = _cell_of(reach, points[k])


__all__ = [
    "EDGE",
    "REACHABILITY",
    "STATISTICS",
    "CellLevel",
    "Description",
    "Found",
    "FoundHere",
    "Workspace",
]
