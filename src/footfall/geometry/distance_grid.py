"""Signed distance on a grid, trilinear between: a cost that does not grow with the mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import floor, gather, greater, maximum, minimum, sqrt, where
from footfall.errors import GeometryError
from footfall.geometry.mesh import TriangleMesh

_MOST_VALUES = 2**27


@dataclass(frozen=True, eq=False)
class DistanceGrid:
    """Distances at the points of a grid.

    values: (nx, ny, nz) in m, negative inside; `values[i, j, k]` stands at `origin + (i, j, k) * spacing`. origin: (3,)
    and spacing: m. Outside of the grid the distance to it is added.
    """

    values: Array
    origin: tuple[float, float, float]
    spacing: float

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        subject = ("shape", "distance grid")
        if values.ndim != 3 or min(values.shape) < 2 or values.size > _MOST_VALUES:
            message = f"values have shape {values.shape}; there must be 2 by 2 by 2 to {_MOST_VALUES} of them"
            raise GeometryError(message, subject=subject)
        if not np.isfinite(values).all():
            raise GeometryError("values are not all finite", subject=subject)
        if not self.spacing > 0.0 or not np.isfinite(self.spacing):
            raise GeometryError(f"spacing is {self.spacing:g}; it must be positive", subject=subject)
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @cached_property
    def _table(self) -> Array:
        """Values row by row; `gather` keeps a reference to exactly this array."""
        return np.ascontiguousarray(self.values).reshape(-1)

    def distance(self, point: Array) -> tuple[Any, Array]:
        """Distance (m) and unit normal (3,) at a point (3,), numbers or symbols; both in the frame of the grid."""
        _, ny, nz = self.values.shape
        cells, parts, beyond = [], [], []
        for k, count in enumerate(self.values.shape):
            place = (point[k] - self.origin[k]) / self.spacing
            inside = minimum(maximum(place, 0.0), count - 1.0)
            cell = minimum(floor(inside), count - 2.0)
            cells.append(cell)
            parts.append(inside - cell)
            beyond.append((place - inside) * self.spacing)
        first = (cells[0] * ny + cells[1]) * nz + cells[2]
        corner = [
            [[gather(self._table, first + float((i * ny + j) * nz + k)) for k in (0, 1)] for j in (0, 1)]
            for i in (0, 1)
        ]
        s, t, u = parts
        lines = [[a + u * (b - a) for a, b in rows] for rows in corner]
        sheets = [a + t * (b - a) for a, b in lines]
        value = sheets[0] + s * (sheets[1] - sheets[0])
        slope_y = [b - a for a, b in lines]
        slope_z = [[b - a for a, b in rows] for rows in corner]
        across = [a + t * (b - a) for a, b in slope_z]
        gradient = (
            np.array(
                [
                    sheets[1] - sheets[0],
                    slope_y[0] + s * (slope_y[1] - slope_y[0]),
                    across[0] + s * (across[1] - across[0]),
                ]
            )
            / self.spacing
        )
        outside = np.array(beyond)
        return value + _length(outside)[0], self._normal(gradient, outside)

    def _normal(self, gradient: Array, outside: Array) -> Array:
        """Along the gradient; outside of the grid, away from it."""
        length, far = _length(outside)
        steep, sloped = _length(gradient)
        up = np.array([0.0, 0.0, 1.0])
        inner = where(sloped, gradient / where(sloped, steep, 1.0), up)
        return np.asarray(where(far, outside / where(far, length, 1.0), inner))


def distance_grid(mesh: TriangleMesh, *, spacing: float = 0.05, margin: float = 0.1) -> DistanceGrid:
    """Distances of a mesh on a grid that reaches `margin` (m) beyond it; spacing: m (Seiwald 2023, section 7.4)."""
    from footfall.geometry.mesh_distance import signed_distances  # compiled

    subject = ("mesh", mesh.name)
    if not spacing > 0.0 or not margin >= 0.0:
        message = f"spacing is {spacing:g} and margin {margin:g}; they must be positive"
        raise GeometryError(message, subject=subject)
    lower = mesh.bounds[0] - margin
    counts = np.ceil((mesh.bounds[1] + margin - lower) / spacing) + 1
    if not counts.prod() <= _MOST_VALUES:
        message = f"a grid of {spacing:g} m has {counts.tolist()} points; at most {_MOST_VALUES} in all"
        raise GeometryError(message, subject=subject)
    axes = [low + spacing * np.arange(int(count)) for low, count in zip(lower, counts, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    values = signed_distances(mesh, points.reshape(-1, 3))[:, 0].reshape(points.shape[:3])
    x, y, z = lower.tolist()
    return DistanceGrid(values, (x, y, z), spacing)


def _length(vector: Array) -> tuple[Any, Any]:
    """Length of a vector, zero where it is tiny, and whether it is not."""
    square = vector @ vector
    long = greater(square, 1e-24)
    return where(long, sqrt(where(long, square, 1.0)), 0.0), long
