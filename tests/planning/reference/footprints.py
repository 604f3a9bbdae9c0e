"""Which cells of the terrain lie below a sole, or below the way of a swinging foot."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.environment import Terrain
from tests.planning.reference.grid import Pose, turn_between

Cells = np.ndarray[Any, np.dtype[np.int64]]  # (n, 2)


class Sole(NamedTuple):
    """A rectangle in the frame of a foot, m."""

    rear: float
    front: float
    right: float
    left: float

    def corners(self, pose: Pose) -> list[tuple[float, float]]:
        """In the world, counter-clockwise, m."""
        places = [
            (self.rear, self.right), (self.front, self.right), (self.front, self.left), (self.rear, self.left)
        ]  # fmt: skip
        return [pose.moved(x, y)[:2] for x, y in places]


def cells_below(sole: Sole, pose: Pose, cell: float) -> Cells:
    """Cells whose centres the sole covers."""
    i, j, inner = _in_cell(pose, cell)
    return _below(sole, inner, cell) + np.array([i, j])


def cells_passed(sole: Sole, begin: Pose, end: Pose, cell: float) -> Cells:
    """Cells below a foot that swings along a straight line and turns evenly."""
    i, j, inner = _in_cell(begin, cell)
    way = Pose(round(end.x - begin.x, 9), round(end.y - begin.y, 9), round(end.yaw, 9))
    return _passed(sole, inner, way, cell) + np.array([i, j])


def _in_cell(pose: Pose, cell: float) -> tuple[int, int, Pose]:
    """The cell of a pose, and the pose seen from its corner: what is below moves with it from cell to cell."""
    i, j = math.floor(pose.x / cell + 1e-9), math.floor(pose.y / cell + 1e-9)
    return i, j, Pose(round(pose.x - i * cell, 9), round(pose.y - j * cell, 9), round(pose.yaw, 9))


@cache
def _below(sole: Sole, pose: Pose, cell: float) -> Cells:
    corners = np.array(sole.corners(pose))
    (x0, y0), (x1, y1) = np.floor(corners.min(axis=0) / cell), np.floor(corners.max(axis=0) / cell)
    i, j = np.meshgrid(np.arange(x0, x1 + 1), np.arange(y0, y1 + 1), indexing="ij")
    x, y = (i + 0.5) * cell - pose.x, (j + 0.5) * cell - pose.y
    c, s = math.cos(pose.yaw), math.sin(pose.yaw)
    ahead, left = c * x + s * y, c * y - s * x
    inside = (ahead >= sole.rear - 1e-9) & (ahead <= sole.front + 1e-9)
    inside &= (left >= sole.right - 1e-9) & (left <= sole.left + 1e-9)
    return np.column_stack([i[inside], j[inside]]).astype(np.int64)


@cache
def _passed(sole: Sole, begin: Pose, way: Pose, cell: float) -> Cells:
    """way: how far it goes, and the heading that it ends with."""
    turn = turn_between(begin.yaw, way.yaw)
    count = max(1, math.ceil(math.hypot(way.x, way.y) / (cell / 2)))
    poses = [
        Pose(begin.x + k / count * way.x, begin.y + k / count * way.y, begin.yaw + k / count * turn)
        for k in range(count + 1)
    ]
    return np.unique(np.concatenate([_below(sole, pose, cell) for pose in poses]), axis=0)


class Ground(NamedTuple):
    """What lies below some cells. lowest, highest: m, not a number if none was seen. sure: mean confidence."""

    lowest: float
    highest: float
    sure: float

    @property
    def uneven(self) -> float:
        """Difference of heights, m."""
        return self.highest - self.lowest


class HeightLayer:
    """A level of the terrain's tree: cells of 8, 4 or 1 cm."""

    def __init__(self, terrain: Terrain, level: int) -> None:
        lower, upper = terrain.bounds
        self.window: Any = terrain.window(tuple(lower), tuple(upper), level=level)
        self.cell = self.window.cell
        self.first = round(self.window.x / self.cell), round(self.window.y / self.cell)

    def index(self, cell: tuple[int, int]) -> tuple[int, int] | None:
        """Where a cell is in the arrays, None outside of all patches."""
        i, j = cell[0] - self.first[0], cell[1] - self.first[1]
        shape = self.window.mean.shape
        return (i, j) if 0 <= i < shape[0] and 0 <= j < shape[1] else None

    def height(self, cell: tuple[int, int]) -> float:
        """Mean height of a cell, m; not a number if it was never seen."""
        place = self.index(cell)
        return math.nan if place is None else float(self.window.mean[place])

    def seen(self, cell: tuple[int, int]) -> bool:
        """Whether anything of a cell was seen."""
        return not math.isnan(self.height(cell))

    def below(self, cells: Cells) -> Ground:
        """Heights by the highest and lowest of each cell, which means would hide."""
        places = cells - np.array(self.first)
        known = ((places >= 0) & (places < self.window.mean.shape)).all(axis=1)
        rows = tuple(places[known].T)
        lowest, highest = self.window.lowest[rows], self.window.highest[rows]
        sure = float(self.window.sure[rows].astype(float).sum()) / len(cells)
        if np.isnan(lowest).all():
            return Ground(math.nan, math.nan, sure)
        return Ground(float(np.nanmin(lowest)), float(np.nanmax(highest)), sure)


def rectangle_distance(sole: Sole, first: Pose, second: Pose) -> float:
    """How far two soles are apart, m; 0 if they overlap: corners against edges, both ways."""
    distances = []
    for one, other in ((first, second), (second, first)):
        for corner in sole.corners(other):
            ahead, left = Pose(*corner, 0.0).seen_from(one)
            x = max(sole.rear - ahead, 0.0, ahead - sole.front)
            y = max(sole.right - left, 0.0, left - sole.left)
            distances.append(math.hypot(x, y))
    crossing = _overlap(sole, first, second)
    return 0.0 if crossing else min(distances)


def _overlap(sole: Sole, first: Pose, second: Pose) -> bool:
    """Whether no edge direction separates two rectangles."""
    one, other = np.array(sole.corners(first)), np.array(sole.corners(second))
    for angle in (first.yaw, first.yaw + math.pi / 2, second.yaw, second.yaw + math.pi / 2):
        axis = np.array([math.cos(angle), math.sin(angle)])
        a, b = one @ axis, other @ axis
        if a.max() < b.min() or b.max() < a.min():
            return False
    return True
