"""Terrain as heights over a regular grid, between which it is bilinear."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import floor, gather, maximum, minimum
from footfall.errors import GeometryError

_MOST_CELLS = 2**26


class Cell(NamedTuple):
    """The terrain between four heights (m): h00 at its corner (x, y), h01 one spacing along y, h10 one along x."""

    x: Any
    y: Any
    spacing: tuple[float, float]
    h00: Any
    h01: Any
    h10: Any
    h11: Any

    def surface(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        """Height (m) and slopes along x and y at a place; beyond the cell it goes on in the same way."""
        s, t = (x - self.x) / self.spacing[0], (y - self.y) / self.spacing[1]
        twist = self.h11 - self.h10 - self.h01 + self.h00
        along_x, along_y = (self.h10 - self.h00) + t * twist, (self.h01 - self.h00) + s * twist
        height = self.h00 + s * (self.h10 - self.h00) + t * along_y
        return height, along_x / self.spacing[0], along_y / self.spacing[1]


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Solid ground up to z = h(x, y), in the frame of the map.

    heights: (nx, ny) in m, `heights[i, j]` stands at `origin + (i, j) * spacing`, indices from 0. spacing: (x, y) in m.
    origin: (x, y) of the first height in m, by default such that the map is centred. Beyond its rim the
    terrain goes on as it is at the rim. Compared by identity; arrays are read-only.
    """

    heights: Array
    spacing: tuple[float, float]
    origin: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        heights = np.array(self.heights, dtype=np.float64)
        if heights.ndim != 2 or min(heights.shape) < 2 or heights.size > _MOST_CELLS:
            raise _wrong(
                f"heights have shape {heights.shape}; they must be a table of at least 2 by 2 and at "
                f"most {_MOST_CELLS} heights"
            )
        if not np.isfinite(heights).all():
            i, j = np.argwhere(~np.isfinite(heights))[0].tolist()
            raise _wrong(f"height [{i}, {j}] is {heights[i, j]}; all must be finite")
        spacing = tuple(float(value) for value in self.spacing)
        if len(spacing) != 2 or not all(np.isfinite(value) and value > 0.0 for value in spacing):
            raise _wrong(f"spacing is {spacing}; it must be two positive lengths in m")
        if self.origin is None:
            size = np.multiply(np.subtract(heights.shape, 1), spacing)
            origin = tuple((-size / 2).tolist())
        else:
            origin = tuple(float(value) for value in self.origin)
        if len(origin) != 2 or not all(np.isfinite(value) for value in origin):
            raise _wrong(f"origin is {origin}; it must be two finite numbers in m")
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "spacing", spacing)
        object.__setattr__(self, "origin", origin)

    @property
    def size(self) -> tuple[float, float]:
        """Edge lengths (x, y) of the map, m."""
        nx, ny = self.heights.shape
        return ((nx - 1) * self.spacing[0], (ny - 1) * self.spacing[1])

    @cached_property
    def _table(self) -> Array:
        """Heights row by row; `gather` keeps a reference to exactly this array."""
        return np.ascontiguousarray(self.heights).reshape(-1)

    def surface(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        """Height (m) and its slopes along x and y at a place; numbers, arrays of them or symbols.

        On the lines between cells the slope is that of the cell with the larger indices.
        """
        return self.cell(x, y).surface(x, y)

    def cell(self, x: Any, y: Any, step_x: Any = 0.0, step_y: Any = 0.0) -> Cell:
        """The cell at a place, or one so many steps away; beyond the rim it is level on the way out."""
        assert self.origin is not None
        (i, first_i, next_i), (j, first_j, next_j) = (
            _indices((place - first) / spacing, step, count)
            for place, first, spacing, step, count in zip(
                (x, y), self.origin, self.spacing, (step_x, step_y), self.heights.shape, strict=True
            )
        )
        ny = self.heights.shape[1]
        return Cell(
            self.origin[0] + i * self.spacing[0],
            self.origin[1] + j * self.spacing[1],
            self.spacing,
            gather(self._table, first_i * ny + first_j),
            gather(self._table, first_i * ny + next_j),
            gather(self._table, next_i * ny + first_j),
            gather(self._table, next_i * ny + next_j),
        )

    def height(self, x: Any, y: Any) -> Any:
        """Height at a place, m."""
        return self.surface(x, y)[0]

    def normal(self, x: Any, y: Any) -> Array:
        """Unit normal (3,) of the surface at a place, upwards."""
        _, slope_x, slope_y = self.surface(x, y)
        scale = 1.0 / np.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
        return np.array([-slope_x * scale, -slope_y * scale, scale])


def _indices(place: Any, step: Any, count: int) -> tuple[Any, Any, Any]:
    """Index of a cell along an axis, -1 and count - 1 beyond the rim, and those of the heights on both sides."""
    cell = minimum(maximum(floor(place) + step, -1.0), count - 1.0)
    return cell, maximum(cell, 0.0), minimum(cell + 1.0, count - 1.0)


def _wrong(message: str) -> GeometryError:
    return GeometryError(message, subject=("shape", "height map"))
