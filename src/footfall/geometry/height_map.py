"""Terrain as heights over a regular grid, between which it is bilinear."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.compiler import floor, gather, maximum, minimum
from footfall.errors import GeometryError

Array = np.ndarray[Any, np.dtype[Any]]

_MOST_CELLS = 2**26


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
        nx, ny = self.heights.shape
        assert self.origin is not None
        u = minimum(maximum((x - self.origin[0]) / self.spacing[0], 0.0), nx - 1.0)
        v = minimum(maximum((y - self.origin[1]) / self.spacing[1], 0.0), ny - 1.0)
        i, j = minimum(floor(u), nx - 2.0), minimum(floor(v), ny - 2.0)
        s, t = u - i, v - j
        first = i * ny + j
        h00, h01 = gather(self._table, first), gather(self._table, first + 1.0)
        h10, h11 = gather(self._table, first + ny), gather(self._table, first + (ny + 1.0))
        along_x = (h10 - h00) + t * (h11 - h10 - h01 + h00)
        along_y = (h01 - h00) + s * (h11 - h10 - h01 + h00)
        height = h00 + s * (h10 - h00) + t * along_y
        return height, along_x / self.spacing[0], along_y / self.spacing[1]

    def height(self, x: Any, y: Any) -> Any:
        """Height at a place, m."""
        return self.surface(x, y)[0]

    def normal(self, x: Any, y: Any) -> Array:
        """Unit normal (3,) of the surface at a place, upwards."""
        _, slope_x, slope_y = self.surface(x, y)
        scale = 1.0 / np.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
        return np.array([-slope_x * scale, -slope_y * scale, scale])


def _wrong(message: str) -> GeometryError:
    return GeometryError(message, subject=("shape", "height map"))
