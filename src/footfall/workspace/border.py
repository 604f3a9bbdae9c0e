"""Where a workspace ends inside of its cells: a plane for each cell at the border.

A cell that is reached may be reached in part. Its plane has the direction in which occupied cells end, and lies where
the hand gets in this direction at most: samples climb there by steps of inverse kinematics. So a query at the border is
right to a small part of a cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import ndimage

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.workspace.cells import BLOCK, EDGE, Batch, CellTable, cell_places, dense, morton

_SMOOTH = 1.2  # cells over which the direction of a border is smoothed
_FLAT = 0.2  # of a cell: how far points of a border lie off a common plane at most, in the mean
_LEAST_POINTS = 6  # that a plane is fitted through
_IN_LINE = 0.05  # of the variance along: less across, and points are a line, not a plane
_SAME_SIDE = 0.7  # cosine between normals
_NEIGHBOURS = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_NO_SLOPE = 0.05  # of the smoothed occupancy, a cell: sheets and rods have no side


class Border(NamedTuple):
    """Planes of the cells of a table's blocks.

    normals: (cells, 3) outwards; zeros where a cell is reached as a whole or not at all. offsets: (cells,) m, how far
    the hand gets along it from the middle of the cell. points: (cells, 3) m, where it got so far.
    """

    normals: ArrayOf[Vector3]
    offsets: Array
    points: ArrayOf[Vector3]

    @property
    def cells(self) -> Integers:
        """Those that have a plane."""
        return np.flatnonzero(np.asarray(self.normals).any(axis=1))


def occupied(table: CellTable) -> Flags:
    """(cells,) of all blocks in use: whether a sample has been there."""
    return np.asarray(table.seen[: table.used[0] * BLOCK] != 0)


def border_cells(table: CellTable) -> Integers:
    """Occupied cells of which a neighbour is not occupied."""
    filled = dense(table.grid, occupied(table), False)
    inner = ndimage.binary_erosion(filled, np.ones((3, 3, 3)))
    x, y, z = cell_places(table.grid).T
    return np.flatnonzero(filled[x, y, z] & ~inner[x, y, z])


def new_border(table: CellTable) -> Border:
    """Directions in which occupied cells end; nothing is known of how far the hand gets."""
    filled = dense(table.grid, occupied(table), False)
    cells, places = border_cells(table), cell_places(table.grid)
    smooth = ndimage.gaussian_filter(filled.astype(np.float32), _SMOOTH, mode="constant")
    last = np.array(filled.shape) - 1
    slopes = np.empty((len(cells), 3))
    for axis in range(3):
        step = np.eye(3, dtype=np.int64)[axis]
        after, before = np.minimum(places[cells] + step, last), np.maximum(places[cells] - step, 0)
        slopes[:, axis] = 0.5 * (smooth[tuple(after.T)] - smooth[tuple(before.T)])
    size = np.linalg.norm(slopes, axis=1)
    steep = size > _NO_SLOPE
    normals = np.zeros((len(places), 3))
    normals[cells[steep]] = -slopes[steep] / size[steep, None]
    return Border(normals, np.full(len(places), -np.inf), np.zeros((len(places), 3)))


@routine
def climb(table: CellTable, border: Border, batch: Batch) -> None:
    """Let samples say how far the hand gets in cells at the border; the farthest becomes the cell's seed."""
    nx, ny, nz = table.grid.shape
    inverse = 1.0 / table.size
    for sample in range(len(batch.dropped)):
        if batch.dropped[sample]:
            continue
        point = batch.positions[sample]
        place = inverse * (point - table.corner)
        x, y, z = int(np.floor(place[0])), int(np.floor(place[1])), int(np.floor(place[2]))
        a, b, c = x >> 3, y >> 3, z >> 3
        if a < 0 or b < 0 or c < 0 or a >= nx or b >= ny or c >= nz:
            continue
        block = table.grid[a, b, c]
        cell = BLOCK * block + morton(x & 7, y & 7, z & 7)
        if block < 0 or cell >= len(border.offsets):
            continue
        normal = border.normals[cell]
        middle = table.corner + table.size * np.array([x + 0.5, y + 0.5, z + 0.5])
        offset = normal @ (point - middle)
        if normal @ normal > 0.0 and offset > border.offsets[cell]:
            border.offsets[cell] = offset
            border.points[cell] = point
            for i in range(batch.shares.shape[1]):
                table.seeds[cell, i] = batch.shares[sample, i]


def renewed(table: CellTable, border: Border) -> Border:
    """Of cells that have become occupied meanwhile too; what is known stays."""
    fresh = new_border(table)
    known = np.flatnonzero(np.isfinite(border.offsets))
    for new, old in zip(fresh, border, strict=True):
        new[known] = old[known]
    return fresh


def fitted(table: CellTable, border: Border) -> Border:
    """Planes through the farthest points of cells and their neighbours, where these lie in a plane: the direction of a
    few occupied cells is right to some degrees only. Cells behind the border get one where it cuts them."""
    known = border.cells[np.isfinite(border.offsets[border.cells])]
    places, filled = cell_places(table.grid), occupied(table)
    number = np.full(np.array(table.grid.shape) * EDGE, -1, dtype=np.int64)
    number[tuple(places[known].T)] = known
    close = ndimage.binary_dilation(number >= 0, np.ones((3, 3, 3)))
    cells = np.flatnonzero(close[tuple(places.T)] & filled)
    normals, offsets, points = _in_all(border, len(filled))
    last = np.array(number.shape) - 1
    neighbours = number[tuple(np.moveaxis(np.clip(places[cells][:, None] + _NEIGHBOURS, 0, last), -1, 0))]
    there = neighbours >= 0
    mean = np.einsum("ck,cki->ci", there, normals[neighbours])
    own = np.where(normals[cells].any(axis=1, keepdims=True), normals[cells], mean)
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-12)
    # Neighbours on another side, as at an edge, do not count.
    there &= np.einsum("ci,cki->ck", own, normals[neighbours]) > _SAME_SIDE
    weights = there / np.maximum(there.sum(axis=1, keepdims=True), 1)
    center = np.einsum("ck,cki->ci", weights, points[neighbours])
    away = (points[neighbours] - center[:, None]) * there[..., None]
    values, vectors = np.linalg.eigh(np.einsum("ck,cki,ckj->cij", weights, away, away))
    normal = vectors[:, :, 0] * np.sign(np.einsum("ci,ci->c", vectors[:, :, 0], own))[:, None]
    # Through the own point where there is one: the middle of several lies beside a surface that is bent.
    through = np.where(np.isin(cells, known)[:, None], points[cells], center)
    offset = np.einsum("ci,ci->c", normal, through - table.corner - table.size * (places[cells] + 0.5))
    good = (there.sum(axis=1) >= _LEAST_POINTS) & (values[:, 1] > _IN_LINE * values[:, 2])
    good &= np.sqrt(np.maximum(values[:, 0], 0.0)) < _FLAT * table.size
    good &= offset < 0.5 * table.size * np.abs(normal).sum(axis=1)
    normals[cells[good]], offsets[cells[good]] = normal[good], offset[good]
    return Border(normals, offsets, points)


def _in_all(border: Border, count: int) -> Border:
    """With room for cells that came later, and no plane where none was found."""
    normals, offsets, points = np.zeros((count, 3)), np.zeros(count), np.zeros((count, 3))
    found = np.flatnonzero(np.isfinite(border.offsets))
    normals[found], offsets[found] = border.normals[found], border.offsets[found]
    points[found] = border.points[found]
    return Border(normals, offsets, points)
