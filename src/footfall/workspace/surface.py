"""What one looks at: the surface of a workspace, coloured by an index, and cuts through it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import ndimage

from footfall.arrays import Array, Integers
from footfall.errors import InvalidInput
from footfall.geometry.marching_cubes import marching_cubes
from footfall.workspace.workspace import Workspace

_AXES = {"x": 0, "y": 1, "z": 2}
_FINER = 2  # points of a cut a cell


class WorkspaceSurface(NamedTuple):
    """vertices: (n, 3) in the root frame, m. normals: (n, 3) outwards. triangles: (m, 3), counter-clockwise from
    outside. values: (n,) of an index."""

    vertices: Array
    normals: Array
    triangles: Integers
    values: Array


class CrossSection(NamedTuple):
    """A cut normal to an axis. axes: the two others, in the order of `values`. low, high: (2,) of its sides along them,
    m. values: (n, m) at points in the middle of their parts, not a number where the hand does not get."""

    axes: str
    low: Array
    high: Array
    values: Array


def workspace_surface(
    workspace: Workspace, index: str = "condition", *, statistic: str = "greatest", level: int = 0
) -> WorkspaceSurface:
    """Where a workspace ends, by marching cubes on the shares of cells that are reached (Seiwald 2023, section 3.3).

    index, statistic: which values it carries, see `Workspace.values`. level: of the cells.
    """
    shares = workspace.shares.reshape(-1, 8**level).mean(axis=1)
    width = workspace.size * 2**level
    solid = np.pad(workspace.dense(shares, 0.0, level), 1)
    origin = workspace.corner - 0.5 * width
    found = marching_cubes(0.5 - solid, origin=origin, spacing=width)
    field = _filled(workspace, index, statistic, level)
    places = np.floor((found.vertices - workspace.corner) / width).astype(np.int64)
    places = np.clip(places, 0, np.array(field.shape) - 1)
    return WorkspaceSurface(found.vertices, found.normals, found.triangles, field[tuple(places.T)])


def cross_section(
    workspace: Workspace,
    index: str = "condition",
    *,
    axis: str = "x",
    at: float | None = None,
    statistic: str = "greatest",
) -> CrossSection:
    """A cut normal to an axis of the root frame, at a place along it, m; through the middle by default."""
    if axis not in _AXES:
        raise InvalidInput(f"axis is {axis!r}; it must be one of: x, y, z")
    low, high = workspace.box
    across = _AXES[axis]
    place = 0.5 * (low[across] + high[across]) if at is None else float(at)
    if not np.isfinite(place):
        raise InvalidInput(f"at is {at}; it must be finite, in m")
    others = [k for k in range(3) if k != across]
    counts = np.maximum(np.round(_FINER * (high - low)[others] / workspace.size).astype(int), 1)
    lines = [
        low[k] + (np.arange(n) + 0.5) * (high[k] - low[k]) / n for k, n in zip(others, counts, strict=True)
    ]
    points = np.empty((*counts, 3))
    points[..., across] = place
    points[..., others[0]], points[..., others[1]] = np.meshgrid(*lines, indexing="ij")
    points = points.reshape(-1, 3)
    field = _filled(workspace, index, statistic, 0)
    places = np.clip(
        np.floor((points - workspace.corner) / workspace.size).astype(np.int64), 0, np.array(field.shape) - 1
    )
    values = np.where(workspace.reaches(points), field[tuple(places.T)], np.nan).reshape(counts)
    names = "".join("xyz"[k] for k in others)
    return CrossSection(names, low[others], high[others], values)


def _filled(workspace: Workspace, index: str, statistic: str, level: int) -> Array:
    """An index in all cells (x, y, z), where none was reached that of the nearest that was."""
    values = workspace.values(index, statistic, level).astype(np.float64)
    known = workspace.dense(workspace.level(level).counts > 0.0, False, level)
    nearest = ndimage.distance_transform_edt(~known, return_distances=False, return_indices=True)
    field: Array = workspace.dense(values, 0.0, level)[tuple(nearest)]
    return field
