"""Terrain from triangles: seen from above the highest one counts, with several samples in each cell.

Cells at edges are means of what their samples hit, which is all the anti-aliasing there is; a cell of which nothing
was hit is unseen. Triangles are drawn strip by strip of patches, so memory does not grow with the map.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.environment.depth_camera import FlatTriangle, doubled_area, slopes, span_at
from footfall.environment.patch import CELL, SIDE, UNSEEN, Bytes, Millimetres, Patch, Singles
from footfall.environment.terrain import FARTHEST_PATCH, MOST_PATCHES, Index, Terrain
from footfall.errors import InvalidEnvironment

SAMPLES = 4  # along an edge of a cell
_NOTHING = -1e30
_SEAM = 1e-6  # of a sample: how much triangles overlap, so that rounding leaves no seams between them


class DrawnTriangles(NamedTuple):
    """Triangles to draw: corners (3 m, 3) in m, three rows each, and the confidence (3 m,) at each corner."""

    corners: ArrayOf[Vector3]
    confidence: Array


class Strip(NamedTuple):
    """Samples of a strip of patches along y.

    x, y: corner of the first sample, m. step: between samples, m. heights, confidence: (nx, ny) of the samples.
    """

    x: float
    y: float
    step: float
    heights: Singles
    confidence: Singles


def drawn_triangles(corners: Array, confidence: Array | Singles | None = None) -> DrawnTriangles:
    """Triangles with corners (m, 3, 3) in m and confidences (m, 3), by default 1."""
    corners = np.ascontiguousarray(corners, np.float64).reshape(-1, 3)
    trust = np.ones(len(corners)) if confidence is None else np.asarray(confidence, np.float64).reshape(-1)
    return DrawnTriangles(corners, np.ascontiguousarray(trust))


def joined(parts: Sequence[DrawnTriangles]) -> DrawnTriangles:
    """All triangles of several."""
    if not parts:
        return drawn_triangles(np.empty((0, 3, 3)))
    corners = np.concatenate([np.asarray(part.corners) for part in parts])
    return DrawnTriangles(corners, np.concatenate([part.confidence for part in parts]))


def rasterise(
    triangles: DrawnTriangles, *, samples: int = SAMPLES, within: Collection[Index] | None = None
) -> Terrain:
    """Terrain that triangles make, seen from above. samples: along each edge of a cell. within: patches that are
    drawn, by default all."""
    corners = np.asarray(triangles.corners)
    if not 1 <= samples <= 16:
        message = f"samples is {samples}; it must be from 1 to 16"
        raise InvalidEnvironment(message, subject=("terrain", "raster"))
    if not len(corners):
        return Terrain()
    if not (np.abs(corners) <= 1e9).all():
        message = "triangles have corners that are not finite, or so far away that they make too many patches"
        raise InvalidEnvironment(message, subject=("terrain", "raster"))
    first = np.floor(corners[:, :2].min(axis=0) / (CELL * SIDE))
    last = np.floor(corners[:, :2].max(axis=0) / (CELL * SIDE))
    count = (last - first + 1).prod()
    if np.abs([first, last]).max() > FARTHEST_PATCH or count > MOST_PATCHES:
        message = (
            f"triangles reach over {count:g} patches; at most {MOST_PATCHES}, within {FARTHEST_PATCH} of the"
        )
        raise InvalidEnvironment(f"{message} origin", subject=("terrain", "raster"))
    if within is not None:
        chosen = np.array(list(within), np.float64).reshape(-1, 2)
        if not len(chosen):
            return Terrain()
        first, last = np.maximum(first, chosen.min(axis=0)), np.minimum(last, chosen.max(axis=0))
    (i0, j0), (i1, j1) = first.astype(int).tolist(), last.astype(int).tolist()
    if i1 < i0 or j1 < j0:
        return Terrain()
    rows = j1 - j0 + 1
    shape = (SIDE * samples, rows * SIDE * samples)
    heights, trust = np.empty(shape, np.float32), np.empty(shape, np.float32)
    millimetres, steps = np.empty((rows, SIDE, SIDE), np.int16), np.empty((rows, SIDE, SIDE), np.uint8)
    patches = {}
    for i in range(i0, i1 + 1):
        strip = Strip(i * SIDE * CELL, j0 * SIDE * CELL, CELL / samples, heights, trust)
        draw(triangles, strip)
        _to_cells(strip, samples, millimetres, steps)
        for row in range(rows):
            if steps[row].any() and (within is None or (i, j0 + row) in within):
                patches[i, j0 + row] = Patch(millimetres[row], steps[row])
    return Terrain(patches)


@routine
def draw(triangles: DrawnTriangles, strip: Strip) -> None:
    """Samples of a strip, at their centres: the highest of all triangles."""
    nx, ny = strip.heights.shape
    for i in range(nx):
        for j in range(ny):
            strip.heights[i, j] = _NOTHING
            strip.confidence[i, j] = 0.0
    for m in range(len(triangles.corners) // 3):
        _draw_one(triangles, m, strip)


@routine
def _draw_one(triangles: DrawnTriangles, m: int, strip: Strip) -> None:
    """Samples of a triangle where it is the highest; heights and confidence are linear in between its corners."""
    nx, ny = strip.heights.shape
    a, b, c = triangles.corners[3 * m], triangles.corners[3 * m + 1], triangles.corners[3 * m + 2]
    low, high = strip.x, strip.x + nx * strip.step
    left, right = min(a[0], b[0], c[0]), max(a[0], b[0], c[0])
    if right < low or left > high:
        return
    triangle = FlatTriangle(a[:2], b[:2], c[:2])
    area = doubled_area(triangle)
    if abs(area) < 1e-14:  # upright: no area from above
        return
    known = triangles.confidence[3 * m : 3 * m + 3]
    rise = slopes(triangle, area, np.array([a[2], b[2], c[2]]))
    gain = slopes(triangle, area, np.array([known[0], known[1], known[2]]))
    begin = max(0, int(np.ceil((left - low) / strip.step - 0.5)))
    end = min(nx - 1, int(np.floor((right - low) / strip.step - 0.5)))
    for i in range(begin, end + 1):
        x = low + (i + 0.5) * strip.step
        span = span_at(triangle, x)
        if span.begin > span.end:
            continue
        first = max(0, int(np.ceil((span.begin - strip.y) / strip.step - 0.5 - _SEAM)))
        last = min(ny - 1, int(np.floor((span.end - strip.y) / strip.step - 0.5 + _SEAM)))
        across = strip.y + 0.5 * strip.step - a[1]
        height = a[2] + rise[0] * (x - a[0]) + rise[1] * across
        trust = known[0] + gain[0] * (x - a[0]) + gain[1] * across
        for j in range(first, last + 1):
            z = height + rise[1] * strip.step * j
            if z > strip.heights[i, j]:
                strip.heights[i, j] = z
                strip.confidence[i, j] = trust + gain[1] * strip.step * j


@routine
def _to_cells(strip: Strip, samples: int, heights: Millimetres, confidence: Bytes) -> None:
    """Means of the samples of each cell: heights over those that hit something, confidence over all."""
    for row in range(heights.shape[0]):
        for i in range(SIDE):
            for j in range(SIDE):
                total, trust, hit = 0.0, 0.0, 0
                for a in range(samples):
                    for b in range(samples):
                        k = (row * SIDE + j) * samples + b
                        height = strip.heights[i * samples + a, k]
                        if height > _NOTHING:
                            total += height
                            trust += strip.confidence[i * samples + a, k]
                            hit += 1
                step = min(255, int(np.floor(255.0 * trust / (samples * samples) + 0.5)))
                millimetre = 1000.0 * total / hit if hit > 0 else -1e9
                if hit == 0 or step <= 0 or abs(millimetre) > 32767.0:
                    heights[row, i, j] = UNSEEN
                    confidence[row, i, j] = 0
                else:
                    heights[row, i, j] = int(np.floor(millimetre + 0.5))
                    confidence[row, i, j] = step
