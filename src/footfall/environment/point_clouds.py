"""Clouds of points in files (PLY, PCD, NPY), terrain made of them, and clouds made of terrain."""

from __future__ import annotations

import io
import os
import tokenize
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.environment.formats.pcd import pcd_bytes, read_pcd
from footfall.environment.formats.ply import ply_bytes, read_ply
from footfall.environment.patch import CELL, HIGHEST, PATCH
from footfall.environment.surface_files import CONFIDENCE
from footfall.environment.terrain import FARTHEST_PATCH, Terrain, terrain_from_cells
from footfall.errors import InvalidEnvironment, RobotError
from footfall.robot.description import read_bytes
from footfall.whole_file import written_whole

SUFFIXES = (".ply", ".pcd", ".npy")
_MOST_BYTES = 2**30
_MOST_CELLS = 2**23  # 29 m by 29 m
_MAP_REACH = FARTHEST_PATCH * PATCH  # m
# What NumPy raises on headers that are none: they are literals of Python.
_HEADER_ERRORS = (
    ValueError,
    EOFError,
    SyntaxError,
    TypeError,
    MemoryError,
    RecursionError,
    tokenize.TokenError,
)


def read_points(path: str | os.PathLike[str]) -> Array:
    """Points (n, 3) in m of a .ply, .pcd or .npy file; those that are not finite are left out."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        message = f"suffix {path.suffix!r} is unknown; points are in {', '.join(SUFFIXES)} files"
        raise InvalidEnvironment(message, source=str(path))
    try:
        content = read_bytes(path, limit=_MOST_BYTES)
    except RobotError as error:
        raise InvalidEnvironment(error.message, source=str(path)) from None
    return parse_points(content, path.suffix.lower(), source=str(path))


def parse_points(content: bytes, suffix: str, *, source: str = "<points>") -> Array:
    """Points (n, 3) of the content of a file with that suffix."""
    if suffix == ".npy":
        points = _array(content, source)
    else:
        ply = suffix == ".ply"
        columns: Any = read_ply(content, source=source).columns if ply else read_pcd(content, source=source)
        missing = [axis for axis in "xyz" if axis not in columns]
        if missing:
            raise InvalidEnvironment(
                f"points have no {missing[0]}; there are: {', '.join(columns)}", source=source
            )
        points = np.column_stack([columns[axis].astype(np.float64) for axis in "xyz"])
    return points[np.isfinite(points).all(axis=1)]


def _array(content: bytes, source: str) -> Array:
    """Of NumPy's own format, the header checked first; nothing is unpickled."""
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, kind = read(file)
    except _HEADER_ERRORS as error:
        raise InvalidEnvironment(f"is no array: {error}", source=source) from None
    if len(shape) != 2 or shape[1] < 3 or kind.kind not in "fiu" or kind.hasobject:
        raise InvalidEnvironment(f"holds {kind} {shape}; points are numbers (n, 3)", source=source)
    if any(length < 0 for length in shape) or shape[0] * shape[1] * kind.itemsize > len(content):
        raise InvalidEnvironment(f"is cut off: {shape} numbers of {kind.itemsize} bytes", source=source)
    file.seek(0)
    try:
        return np.asarray(np.load(file, allow_pickle=False)[:, :3], np.float64)
    except (ValueError, EOFError, OSError) as error:
        raise InvalidEnvironment(f"is no array: {error}", source=source) from None


def save_points(points: Array, path: str | os.PathLike[str], *, confidence: Array | None = None) -> None:
    """Write points (n, 3) in m, and their confidences (n,), as .ply, .pcd or .npy (without confidences)."""
    path = Path(path)
    points = np.asarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise InvalidEnvironment(f"points have shape {points.shape}; they must be (n, 3)")
    columns = dict(zip("xyz", points.T, strict=True))
    if confidence is not None:
        columns[CONFIDENCE] = np.asarray(confidence, np.float32)
    match path.suffix.lower():
        case ".ply":
            content = ply_bytes(columns)
        case ".pcd":
            content = pcd_bytes(columns)
        case ".npy":
            buffer = io.BytesIO()
            np.save(buffer, points)
            content = buffer.getvalue()
        case suffix:
            message = f"suffix {suffix!r} is unknown; points are in {', '.join(SUFFIXES)} files"
            raise InvalidEnvironment(message, source=str(path))
    with written_whole(path) as file:
        file.write(content)


def terrain_points(terrain: Terrain) -> tuple[Array, Array]:
    """A point (n, 3) in the middle of each seen cell, m, and its confidence (n,)."""
    points, trust = [np.empty((0, 3))], [np.empty(0)]
    for (i, j), patch in terrain.patches.items():
        rows, columns = np.nonzero(patch.confidence)
        x, y = (i * 64 + rows + 0.5) * CELL, (j * 64 + columns + 0.5) * CELL
        points.append(np.column_stack([x, y, patch.heights[rows, columns] / 1000.0]))
        trust.append(patch.confidence[rows, columns] / 255.0)
    return np.concatenate(points), np.concatenate(trust)


def terrain_from_points(points: Array, *, full: int = 3, fill: int = 1) -> Terrain:
    """Terrain of a cloud of points (n, 3), m: the highest point of each cell counts.

    full: points in a cell that make its confidence 1; fewer make it less. fill: cells without points take the mean of
    seen cells that far away in x and y, with half of their confidence, so that thin clouds leave no holes; 0 does not.
    """
    points = np.ascontiguousarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise InvalidEnvironment(f"points have shape {points.shape}; they must be finite (n, 3)")
    if not (1 <= full <= 10**6 and 0 <= fill <= 10):
        raise InvalidEnvironment(f"full is {full}, fill {fill}; full must be 1 or more, fill from 0 to 10")
    if not len(points):
        return Terrain()
    if np.abs(points[:, :2]).max() > _MAP_REACH:
        raise InvalidEnvironment(
            f"a point is {np.abs(points[:, :2]).max():g} m away; at most {_MAP_REACH:g} m are mapped"
        )
    first, last = np.floor(points[:, :2].min(axis=0) / CELL), np.floor(points[:, :2].max(axis=0) / CELL)
    shape = last - first + 1 + 2 * fill
    if shape.prod() > _MOST_CELLS:
        raise InvalidEnvironment(
            f"points reach over {shape.tolist()} cells; at most {_MOST_CELLS} are mapped"
        )
    if np.abs(points[:, 2]).max() > HIGHEST:
        points = np.ascontiguousarray(points[np.abs(points[:, 2]) <= HIGHEST])
    size = tuple(shape.astype(int).tolist())
    highest, count = np.full(size, np.nan), np.zeros(size)
    start = (first - fill).astype(int)
    _collect(points, int(start[0]), int(start[1]), highest, count)
    trust = np.minimum(count / full, 1.0)
    if fill:
        highest, trust = _filled(highest, trust, fill)
    return terrain_from_cells(highest, trust, first=(int(start[0]), int(start[1])))


@routine
def _collect(points: ArrayOf[Vector3], i0: int, j0: int, highest: Array, count: Array) -> None:
    for point in points:
        i, j = int(np.floor(point[0] / CELL)) - i0, int(np.floor(point[1] / CELL)) - j0
        count[i, j] += 1.0
        if not highest[i, j] >= point[2]:
            highest[i, j] = point[2]


def _filled(heights: Array, trust: Array, reach: int) -> tuple[Array, Array]:
    """Unseen cells with the weighted mean of seen ones around them."""
    from scipy.ndimage import uniform_filter

    size = 2 * reach + 1
    weight = uniform_filter(trust, size, mode="constant")
    total = uniform_filter(np.where(trust > 0.0, heights, 0.0) * trust, size, mode="constant")
    empty = (trust == 0.0) & (weight > 1e-9)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(empty, total / weight, heights), np.where(empty, 0.5 * np.minimum(weight, 1.0), trust)
