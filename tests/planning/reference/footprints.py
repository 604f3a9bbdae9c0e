"""Which cells of the terrain lie below a sole, or below the way of a swinging foot."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.environment import Terrain
from tests.planning.reference.grid import Pose, turn_between

Cells = frozenset[tuple[int, int]]


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
    corners = np.array(sole.corners(pose))
    (x0, y0), (x1, y1) = corners.min(axis=0) / cell, corners.max(axis=0) / cell
    found = []
    for i in range(math.floor(x0), math.floor(x1) + 1):
        for j in range(math.floor(y0), math.floor(y1) + 1):
            ahead, left = Pose((i + 0.5) * cell, (j + 0.5) * cell, 0.0).seen_from(pose)
            if (
                sole.rear - 1e-9 <= ahead <= sole.front + 1e-9
                and sole.right - 1e-9 <= left <= sole.left + 1e-9
            ):
                found.append((i, j))
    return frozenset(found)


def cells_passed(sole: Sole, begin: Pose, end: Pose, cell: float) -> Cells:
    """Cells below a foot that swings along a straight line and turns evenly."""
    turn = turn_between(begin.yaw, end.yaw)
    count = max(1, math.ceil(math.hypot(end.x - begin.x, end.y - begin.y) / (cell / 2)))
    found: set[tuple[int, int]] = set()
    for k in range(count + 1):
        t = k / count
        pose = Pose(begin.x + t * (end.x - begin.x), begin.y + t * (end.y - begin.y), begin.yaw + t * turn)
        found |= cells_below(sole, pose, cell)
    return frozenset(found)


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
        places = [place for place in map(self.index, cells) if place is not None]
        rows = tuple(np.array(places, dtype=int).reshape(-1, 2).T)
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
