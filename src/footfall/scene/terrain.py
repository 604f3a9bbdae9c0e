"""Random terrain: height maps from a seed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from footfall.arrays import Array
from footfall.errors import SceneError, UnknownName
from footfall.geometry.height_map import HeightMap

_MOST_HEIGHTS = 2**22
_SCALES = 8  # of the shortest hills of noise in a wavelength


def random_terrain(
    kind: str = "noise",
    *,
    size: tuple[float, float] = (10.0, 10.0),
    spacing: float = 0.1,
    amplitude: float = 0.1,
    wavelength: float = 1.0,
    flat_radius: float = 0.0,
    seed: int = 0,
) -> HeightMap:
    """A height map of one of the kinds in `TERRAINS`, the same for the same arguments.

    kind: "noise" (smooth hills with detail on four scales), "steps" (square plateaus), "slopes" (plane facets) or
    "waves". size: edge lengths in m. spacing: of the grid, m. amplitude: heights are in [-amplitude, amplitude], m.
    wavelength: length of the largest hills, or edge of the plateaus and facets, m. flat_radius: around the middle
    the terrain is at zero within this distance and rises beyond over one wavelength, m; a robot can start there.
    """
    subject = ("terrain", kind)
    if kind not in TERRAINS:
        raise UnknownName("terrain", kind, TERRAINS, "footfall")
    for name, number in (("spacing", spacing), ("wavelength", wavelength), ("size", min(size))):
        if not (np.isfinite(number) and number > 0.0):
            raise SceneError(f"{name} is {number:g}; it must be positive", subject=subject)
    for name, number in (("amplitude", amplitude), ("flat_radius", flat_radius)):
        if not (np.isfinite(number) and number >= 0.0):
            raise SceneError(f"{name} is {number:g}; it must not be negative", subject=subject)
    if not (isinstance(seed, int) and 0 <= seed < 2**128):
        raise SceneError(f"seed is {seed!r}; it must be a whole number, not negative", subject=subject)
    counts = [length / spacing + 1.0 for length in size]
    if not counts[0] * counts[1] <= _MOST_HEIGHTS or min(counts) < 2:
        message = f"size {size} at spacing {spacing:g} has {counts[0]:g} by {counts[1]:g} heights; "
        raise SceneError(f"{message}there must be 2 by 2 to {_MOST_HEIGHTS} of them", subject=subject)
    if not terrain_cost(size, spacing, wavelength) <= _MOST_HEIGHTS:
        message = f"wavelength is {wavelength:g} m; on {size} m that is too short"
        raise SceneError(
            f"{message}, and nothing is seen of it at a spacing of {spacing:g} m", subject=subject
        )
    nx, ny = (round(count) for count in counts)
    x, y = np.meshgrid(spacing * np.arange(nx), spacing * np.arange(ny), indexing="ij")
    heights = amplitude * np.clip(TERRAINS[kind](x, y, wavelength, np.random.default_rng(seed)), -1.0, 1.0)
    if flat_radius > 0.0:
        from_middle = np.hypot(x - x.max() / 2, y - y.max() / 2)
        rise = np.clip((from_middle - flat_radius) / wavelength, 0.0, 1.0)
        heights = heights * rise * rise * (3 - 2 * rise)
    return HeightMap(heights, (spacing, spacing))


def terrain_cost(size: tuple[float, float], spacing: float, wavelength: float) -> float:
    """Numbers that are needed to make a terrain: its heights, and those between which hills of all scales blend."""
    if not (min(size) > 0.0 and spacing > 0.0 and wavelength > 0.0):
        return 0.0  # refused for another reason
    return math.prod(length / min(spacing, wavelength / _SCALES) + 2.0 for length in size)


def _noise(x: Array, y: Array, wavelength: float, rng: np.random.Generator) -> Array:
    """Value noise on four scales, each half as long and half as high as the one before."""
    total = np.zeros_like(x)
    for octave in range(4):
        scale = wavelength / 2**octave
        total += _value_noise(x / scale, y / scale, rng) / 2**octave
    return total / 1.875


def _value_noise(u: Array, v: Array, rng: np.random.Generator) -> Array:
    """Random values in [-1, 1] at whole places, quintic blends between."""
    values = rng.uniform(-1.0, 1.0, size=(int(u.max()) + 2, int(v.max()) + 2))
    i, j = u.astype(int), v.astype(int)
    s, t = (w * w * w * (10 + w * (6 * w - 15)) for w in (u - i, v - j))
    low = values[i, j] * (1 - t) + values[i, j + 1] * t
    high = values[i + 1, j] * (1 - t) + values[i + 1, j + 1] * t
    return np.asarray(low * (1 - s) + high * s)


def _steps(x: Array, y: Array, wavelength: float, rng: np.random.Generator) -> Array:
    i, j = (x / wavelength).astype(int), (y / wavelength).astype(int)
    return np.asarray(rng.uniform(-1.0, 1.0, size=(int(i.max()) + 1, int(j.max()) + 1))[i, j])


def _slopes(x: Array, y: Array, wavelength: float, rng: np.random.Generator) -> Array:
    """Triangles between random heights on a coarse grid."""
    values = rng.uniform(-1.0, 1.0, size=(int(x.max() / wavelength) + 2, int(y.max() / wavelength) + 2))
    i, j = (x / wavelength).astype(int), (y / wavelength).astype(int)
    s, t = x / wavelength - i, y / wavelength - j
    a, b, c, d = values[i, j], values[i + 1, j], values[i, j + 1], values[i + 1, j + 1]
    upper = d + (1 - s) * (c - d) + (1 - t) * (b - d)
    return np.asarray(np.where(s + t < 1, a + s * (b - a) + t * (c - a), upper))


def _waves(x: Array, y: Array, wavelength: float, rng: np.random.Generator) -> Array:
    phase = rng.uniform(0.0, 2 * np.pi, size=2)
    return np.asarray(
        np.sin(2 * np.pi * x / wavelength + phase[0]) * np.cos(2 * np.pi * y / wavelength + phase[1])
    )


TERRAINS: dict[str, Callable[[Array, Array, float, np.random.Generator], Array]] = {
    "noise": _noise,
    "steps": _steps,
    "slopes": _slopes,
    "waves": _waves,
}
