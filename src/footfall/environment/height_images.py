"""Terrain as pictures, and pictures as terrain: columns along x, rows from the greatest y downwards, as on a map."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.environment.patch import CELL, HIGHEST, UNSEEN
from footfall.environment.terrain import Terrain, TerrainWindow, terrain_from_cells
from footfall.errors import InvalidEnvironment, RobotError
from footfall.robot.description import read_bytes
from footfall.whole_file import written_whole

_MOST_BYTES = 256 * 2**20
_MOST_PIXELS = 2**23  # 29 m by 29 m of cells


def save_height_image(terrain: Terrain, path: str | os.PathLike[str], *, confidence: bool = False) -> None:
    """Write a terrain as a grey PNG, a pixel for each cell.

    Heights have 16 bits: 32768 is zero, a step is 1 mm, 0 was never seen. confidence: write that instead, of 8 bits.
    """
    (x0, y0), (x1, y1) = terrain.bounds.tolist()
    window = terrain.window((x0, y0), (x1, y1))
    if confidence:
        pixels: Any = np.rint(255.0 * window.sure).astype(np.uint8)
    else:
        millimetres = np.where(np.isnan(window.mean), UNSEEN, np.rint(1000.0 * np.nan_to_num(window.mean)))
        pixels = (millimetres - UNSEEN).astype(np.uint16)
    write_png(path, pixels.T[::-1])


def write_png(path: str | os.PathLike[str], pixels: Any) -> None:
    """Write pixels (height, width) or (height, width, 3) as PNG; the file appears whole or not at all."""
    import imageio.v3 as imageio

    if Path(path).suffix.lower() != ".png":
        raise InvalidEnvironment(f"{str(path)!r}: pictures are PNG; name a file that ends in .png")
    content = io.BytesIO()
    imageio.imwrite(content, np.ascontiguousarray(pixels), extension=".png")
    with written_whole(Path(path)) as file:
        file.write(content.getvalue())


def terrain_from_image(
    path: str | os.PathLike[str],
    *,
    cell: float = CELL,
    step: float = 0.001,
    zero: float = -UNSEEN,
    unseen: int | None = 0,
    corner: tuple[float, float] = (0.0, 0.0),
) -> Terrain:
    """Terrain of a grey picture (PNG, TIFF, PNM ...), by default as `save_height_image` writes it.

    cell: edge of a pixel, m. step: height of one grey level, m. zero: the level at height 0. unseen: the level of
    pixels that were never seen, None if all were. corner: (x, y) of the lower left corner, m; a multiple of 1 cm.
    """
    from PIL import Image

    path = Path(path)
    try:
        content = read_bytes(path, limit=_MOST_BYTES)
    except RobotError as error:
        raise InvalidEnvironment(error.message, source=str(path)) from None
    try:
        picture = Image.open(io.BytesIO(content))  # its size only, so far
        width, height = picture.size
        if width * height > _MOST_PIXELS:
            message = f"has {width} by {height} pixels; at most {_MOST_PIXELS} are read"
            raise InvalidEnvironment(message, source=str(path))
        pixels = np.asarray(picture)
    except InvalidEnvironment:
        raise
    except Exception as error:  # readers of foreign formats raise anything
        raise InvalidEnvironment(f"is no picture that can be read: {error}", source=str(path)) from None
    if pixels.ndim == 3:
        if not all((pixels[..., 0] == pixels[..., k]).all() for k in range(1, min(pixels.shape[2], 3))):
            raise InvalidEnvironment("has colours; heights are grey", source=str(path))
        pixels = pixels[..., 0]
    if pixels.ndim != 2 or pixels.size > _MOST_PIXELS:
        message = f"has shape {pixels.shape}; it must be grey with at most {_MOST_PIXELS} pixels"
        raise InvalidEnvironment(message, source=str(path))
    levels = pixels[::-1].T.astype(np.float64)
    heights = (levels - zero) * step
    if unseen is not None:
        heights[levels == unseen] = np.nan
    return terrain_from_grid(heights, cell=cell, corner=corner)


def terrain_from_grid(heights: Array, *, cell: float, corner: tuple[float, float] = (0.0, 0.0)) -> Terrain:
    """Terrain of heights (nx, ny) in m on squares of another size, in m; each cell takes the height of its square."""
    if not 1e-3 <= cell <= 10.0 or not np.isfinite(corner).all():
        message = f"cell is {cell:g} m, corner {corner}; cell must be from 1 mm to 10 m, corner finite"
        raise InvalidEnvironment(message, subject=("terrain", "picture"))
    first = np.rint(np.array(corner) / CELL).astype(int)
    counts = np.maximum(1, np.rint(np.array(heights.shape) * cell / CELL)).astype(int)
    if counts.prod() > _MOST_PIXELS:
        raise InvalidEnvironment(
            f"is {counts.tolist()} cells of 1 cm; at most {_MOST_PIXELS}", subject=("terrain", "picture")
        )
    rows, columns = (
        np.minimum(((np.arange(count) + 0.5) * CELL / cell).astype(int), size - 1)
        for count, size in zip(counts, heights.shape, strict=True)
    )
    spread = heights[np.ix_(rows, columns)]
    spread = np.where(np.abs(spread) <= HIGHEST, spread, np.nan)
    return terrain_from_cells(
        spread, np.isfinite(spread).astype(np.float64), first=(int(first[0]), int(first[1]))
    )


def save_map_picture(
    window: TerrainWindow, path: str | os.PathLike[str], *, confidence: bool = False
) -> None:
    """Write a window of terrain as a coloured PNG, from dark blue (low) to yellow (high); unseen cells are white.

    confidence: colours from 0 to 1, instead of heights from their least to their greatest.
    """
    write_png(path, colored(window, confidence=confidence))


def colored(window: TerrainWindow, *, confidence: bool = False) -> Any:
    """A picture (height, width, 3) of a window in colours, by height or by confidence; unseen cells are white."""
    values = window.sure if confidence else window.mean
    seen = np.isfinite(window.mean)
    known = values[seen] if seen.any() else np.zeros(1)
    low, high = (0.0, 1.0) if confidence else (float(np.nanmin(known)), float(np.nanmax(known)))
    share = np.where(seen, (np.nan_to_num(values) - low) / max(high - low, 1e-9), 0.0)
    pixels = np.where(seen[..., None], palette(share), 255).astype(np.uint8)
    return pixels.swapaxes(0, 1)[::-1]


def palette(share: Array) -> Any:
    """Colours (..., 3), 0 to 255, from dark blue (0) over green to yellow (1), of even lightness steps."""
    stops = np.array(
        [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], dtype=np.float64
    )
    place = np.clip(share, 0.0, 1.0) * (len(stops) - 1)
    index = np.minimum(place.astype(int), len(stops) - 2)
    part = (place - index)[..., None]
    return np.rint(stops[index] * (1 - part) + stops[index + 1] * part)
