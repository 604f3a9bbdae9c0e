"""Many places of the terrain asked at once: heights, slopes, confidences, footprints; one native call each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.environment.patch import CELL, SIDE, UNSEEN
from footfall.environment.terrain import PackedTerrain, Terrain
from footfall.errors import InvalidEnvironment


class TerrainSamples(NamedTuple):
    """What the terrain is at n places.

    height: (n,) m, between the centres of cells, not a number where nothing was seen. confidence: (n,) in [0, 1], of
    the cell. slope: (n, 2) of the plane through the seen cells around, along x and y; not a number where fewer than
    three cells that are not in line were seen. seen: (n,) whether the cell was.
    """

    height: Array
    confidence: Array
    slope: Array
    seen: Flags


class Footprints(NamedTuple):
    """What the terrain is under n rectangles.

    lowest, highest, mean: (n,) m over seen cells, not a number without any. confidence: (n,) mean over all cells.
    least: (n,) least confidence. unseen: (n,) share of the cells that were never seen.
    """

    lowest: Array
    highest: Array
    mean: Array
    confidence: Array
    least: Array
    unseen: Array


def sample_terrain(terrain: Terrain, points: Array, *, radius: float = 0.03) -> TerrainSamples:
    """Terrain at places (n, 2) or (n, 3), m; of three coordinates the last is not looked at.

    radius: m around a place in which cells count for its slope; heights are whole millimetres, so the slope between
    two neighbours would be no more than a guess.
    """
    places = np.asarray(points, np.float64)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or not np.isfinite(places[:, :2]).all():
        raise InvalidEnvironment(
            f"points have shape {places.shape}; they must be finite (n, 2) or (n, 3)",
            subject=("terrain", "sample"),
        )
    if not CELL <= radius <= 1.0:
        message = f"radius is {radius:g} m; it must be from {CELL} to 1"
        raise InvalidEnvironment(message, subject=("terrain", "sample"))
    count = len(places)
    result = TerrainSamples(np.empty(count), np.empty(count), np.empty((count, 2)), np.empty(count, bool))
    _sample(terrain.packed, np.ascontiguousarray(places[:, :2]), round(radius / CELL), result)
    return result


def sample_footprints(terrain: Terrain, poses: Array, *, lower: Array, upper: Array) -> Footprints:
    """Terrain under a rectangle at poses (n, 3): x, y in m and yaw in rad.

    lower, upper: (2,) corners of the rectangle in its own frame, m. A cell counts if its centre lies inside.
    """
    poses = np.ascontiguousarray(poses, np.float64)
    corners = np.array([lower, upper], dtype=np.float64)
    if poses.ndim != 2 or poses.shape[1] != 3 or not np.isfinite(poses).all():
        raise InvalidEnvironment(
            f"poses have shape {poses.shape}; they must be finite (n, 3): x, y and yaw",
            subject=("terrain", "sample"),
        )
    if corners.shape != (2, 2) or not (corners[0] < corners[1]).all() or np.abs(corners).max() > 100.0:
        raise InvalidEnvironment(
            f"a rectangle is from {lower} to {upper}; lower must be below upper, both within 100 m",
            subject=("terrain", "sample"),
        )
    result = Footprints(*(np.empty(len(poses)) for _ in Footprints._fields))
    _sample_rectangles(terrain.packed, poses, corners[0], corners[1], result)
    return result


class Cell(NamedTuple):
    """height: mm, UNSEEN if it was never seen. confidence: in 1/255."""

    height: int
    confidence: int


@routine
def slot_at(terrain: PackedTerrain, i: int, j: int) -> int:
    """Number of the patch that has the cell (i, j), counted from the origin; negative if there is none."""
    a, b = i // SIDE - terrain.first_x, j // SIDE - terrain.first_y
    if a < 0 or b < 0 or a >= terrain.slots.shape[0] or b >= terrain.slots.shape[1]:
        return -1
    return int(terrain.slots[a, b])


@routine
def cell_at(terrain: PackedTerrain, i: int, j: int) -> Cell:
    """The cell (i, j), counted from the origin."""
    slot = slot_at(terrain, i, j)
    if slot < 0:
        return Cell(UNSEEN, 0)
    return Cell(terrain.heights[slot, i % SIDE, j % SIDE], terrain.confidence[slot, i % SIDE, j % SIDE])


@routine
def height_between(terrain: PackedTerrain, x: float, y: float) -> float:
    """Height (m) between the centres of the four nearest cells; of unseen ones the others take the weight."""
    u, v = x / CELL - 0.5, y / CELL - 0.5
    i, j = int(np.floor(u)), int(np.floor(v))
    s, t = u - i, v - j
    total, weight = 0.0, 0.0
    for corner in (0, 1, 2, 3):
        a, b = corner // 2, corner % 2
        height = cell_at(terrain, i + a, j + b).height
        share = (s if a == 1 else 1.0 - s) * (t if b == 1 else 1.0 - t)
        if height != UNSEEN:
            total += share * height
            weight += share
    return 0.001 * total / weight if weight > 0.0 else np.nan


@routine
def _slope(terrain: PackedTerrain, i: int, j: int, reach: int) -> Vector2:
    """Slopes of the plane that fits best to the seen cells around a cell."""
    count, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    sxx, sxy, syy, sxz, syz = 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(-reach, reach + 1):
        for b in range(-reach, reach + 1):
            height = cell_at(terrain, i + a, j + b).height
            if height != UNSEEN:
                x, y, z = 1.0 * a, 1.0 * b, 1.0 * height
                count += 1.0
                sx += x
                sy += y
                sz += z
                sxx += x * x
                sxy += x * y
                syy += y * y
                sxz += x * z
                syz += y * z
    if count < 3.0:
        return np.array([np.nan, np.nan])
    xx, xy, yy = sxx - sx * sx / count, sxy - sx * sy / count, syy - sy * sy / count
    xz, yz = sxz - sx * sz / count, syz - sy * sz / count
    determinant = xx * yy - xy * xy
    if determinant <= 1e-9:  # sums of whole numbers: cells in line give zero but for rounding
        return np.array([np.nan, np.nan])
    scale = 0.001 / CELL / determinant
    return np.array([scale * (yy * xz - xy * yz), scale * (xx * yz - xy * xz)])


@routine
def _sample(terrain: PackedTerrain, points: ArrayOf[Vector2], reach: int, result: TerrainSamples) -> None:
    for k, point in enumerate(points):
        i, j = int(np.floor(point[0] / CELL)), int(np.floor(point[1] / CELL))
        cell = cell_at(terrain, i, j)
        result.seen[k] = cell.height != UNSEEN
        result.confidence[k] = cell.confidence / 255.0
        result.height[k] = height_between(terrain, point[0], point[1])
        result.slope[k] = _slope(terrain, i, j, reach)


@routine
def _sample_rectangles(
    terrain: PackedTerrain, poses: ArrayOf[Vector3], lower: Vector2, upper: Vector2, result: Footprints
) -> None:
    for k, pose in enumerate(poses):
        cosine, sine = np.cos(pose[2]), np.sin(pose[2])
        middle = (lower + upper) / 2.0
        half = (upper - lower) / 2.0
        x = pose[0] + cosine * middle[0] - sine * middle[1]
        y = pose[1] + sine * middle[0] + cosine * middle[1]
        wide = abs(cosine) * half[0] + abs(sine) * half[1]
        high = abs(sine) * half[0] + abs(cosine) * half[1]
        first, last = int(np.floor((x - wide) / CELL)), int(np.floor((x + wide) / CELL))
        low, top = int(np.floor((y - high) / CELL)), int(np.floor((y + high) / CELL))
        lowest, highest, total, seen, cells = -UNSEEN, UNSEEN, 0, 0, 0
        trust, least = 0, 255
        for i in range(first, last + 1):
            for j in range(low, top + 1):
                dx, dy = (i + 0.5) * CELL - x, (j + 0.5) * CELL - y
                if abs(cosine * dx + sine * dy) > half[0] or abs(cosine * dy - sine * dx) > half[1]:
                    continue
                cells += 1
                cell = cell_at(terrain, i, j)
                trust += cell.confidence
                least = min(least, cell.confidence)
                if cell.height != UNSEEN:
                    seen += 1
                    total += cell.height
                    lowest, highest = min(lowest, cell.height), max(highest, cell.height)
        result.lowest[k] = 0.001 * lowest if seen > 0 else np.nan
        result.highest[k] = 0.001 * highest if seen > 0 else np.nan
        result.mean[k] = 0.001 * total / seen if seen > 0 else np.nan
        result.confidence[k] = trust / (255.0 * cells) if cells > 0 else 0.0
        result.least[k] = least / 255.0 if cells > 0 else 0.0
        result.unseen[k] = 1.0 - (1.0 * seen) / cells if cells > 0 else 1.0
