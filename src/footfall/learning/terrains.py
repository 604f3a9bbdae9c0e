"""Terrains to learn on: one height map with a field for each kind and level of difficulty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import floor, minimum
from footfall.errors import InvalidInput, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.learning import terms
from footfall.learning.random_streams import Draw
from footfall.learning.task import LearningTask, Term
from footfall.learning.velocity_tasks import quadruped_velocity, scan_grid

_START = 0.7  # m around the middle of a field that are level
_TREAD, _LEAST_RISE, _MOST_RISE = 0.3, 0.02, 0.13  # m, of stairs
_STEEPEST = 0.4  # of slopes, rise over run
_BLOCK, _BLOCK_RISE = 0.4, 0.12  # m, of boxes
_STONE, _GAP, _DEEPEST = 0.4, 0.15, 0.25  # m, of stones and of the gaps between them
_BUMP, _NOISE = 0.25, 0.08  # m, between bumps, and their height
_FIELDS = 400  # at the most


def _stairs(x: Array, y: Array, level: float, rng: np.random.Generator) -> Array:
    away = np.maximum(np.abs(x), np.abs(y)) - _START
    steps = np.ceil(np.maximum(away, 0.0) / _TREAD - 1e-9)
    return np.asarray((_LEAST_RISE + (_MOST_RISE - _LEAST_RISE) * level) * steps)


def _slopes(x: Array, y: Array, level: float, rng: np.random.Generator) -> Array:
    away = np.maximum(np.abs(x), np.abs(y)) - _START
    return np.asarray(_STEEPEST * level * np.maximum(away, 0.0))


def _boxes(x: Array, y: Array, level: float, rng: np.random.Generator) -> Array:
    heights = rng.uniform(0.0, _BLOCK_RISE * level, (64, 64))
    return np.asarray(heights[np.floor(x / _BLOCK).astype(int) % 64, np.floor(y / _BLOCK).astype(int) % 64])


def _stones(x: Array, y: Array, level: float, rng: np.random.Generator) -> Array:
    gap = _GAP * level
    inside = (np.mod(x, _STONE + gap) < _STONE) & (np.mod(y, _STONE + gap) < _STONE)
    return np.asarray(np.where(inside, 0.0, -_DEEPEST * level))


def _noise(x: Array, y: Array, level: float, rng: np.random.Generator) -> Array:
    bumps = rng.uniform(-_NOISE * level, _NOISE * level, (64, 64))
    a, b = x / _BUMP, y / _BUMP
    i, j = np.floor(a).astype(int), np.floor(b).astype(int)
    s, t = a - i, b - j
    corner = {(k, m): bumps[(i + k) % 64, (j + m) % 64] for k in (0, 1) for m in (0, 1)}
    along = {m: (1 - s) * corner[0, m] + s * corner[1, m] for m in (0, 1)}
    return np.asarray((1 - t) * along[0] + t * along[1])


KINDS: Mapping[str, Callable[[Array, Array, float, np.random.Generator], Array]] = {
    "stairs": _stairs,
    "slopes": _slopes,
    "boxes": _boxes,
    "stones": _stones,
    "noise": _noise,
}


def terrain(
    kinds: Sequence[str] = tuple(KINDS),
    *,
    levels: int = 5,
    size: float = 6.0,
    spacing: float = 0.05,
    seed: int = 0,
) -> HeightMap:
    """Fields of `size` m, one beside the other: along x from level 0 to 1, along y the kinds; the first begins at the
    origin. In the middle of each is level ground to begin on."""
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName("terrain", kind, KINDS, "footfall.learning")
    if levels < 1 or levels != int(levels) or not kinds or levels * len(kinds) > _FIELDS:
        raise InvalidInput(
            f"there are {levels} levels of {len(kinds)} kinds; there must be 1 to {_FIELDS} fields"
        )
    if not 2.0 * _START < size < np.inf or not 0.0 < spacing <= 0.25 * size:
        raise InvalidInput(
            f"size is {size} and spacing {spacing} m; fields need {2 * _START} m and some heights"
        )
    count = round(size / spacing)
    rng = np.random.default_rng(seed)
    places = (np.arange(count) + 0.5) * spacing - size / 2
    x, y = np.meshgrid(places, places, indexing="ij")
    middle = np.maximum(np.abs(x), np.abs(y)) <= _START
    heights = np.zeros((levels * count, len(kinds) * count))
    for k in range(levels):
        for m, kind in enumerate(kinds):
            field = KINDS[kind](x, y, k / max(levels - 1, 1), rng)
            heights[k * count : (k + 1) * count, m * count : (m + 1) * count] = np.where(middle, 0.0, field)
    return HeightMap(heights, (spacing, spacing), (spacing / 2, spacing / 2))


def field_origin(draw: Draw, level: Any, levels: float = 5.0, kinds: float = 5.0, size: float = 6.0) -> Array:
    """The middle of a field of `terrain` of the row's level, of any kind."""
    along = minimum(floor(level * levels), levels - 1.0)
    aside = minimum(floor(draw.uniform(0.0, kinds)), kinds - 1.0)
    return np.array([size * (along + 0.5), size * (aside + 0.5)])


def rough_velocity(
    robot: Any,
    *,
    kinds: Sequence[str] = tuple(KINDS),
    levels: int = 5,
    size: float = 6.0,
    seed: int = 0,
    **changes: Any,
) -> LearningTask:
    """A robot on four feet that follows a velocity over terrains: rows that walk far go to harder ones, others back; a
    scan of heights is part of what is seen."""
    flat = quadruped_velocity(robot)
    fields: dict[str, Any] = {
        "ground": terrain(kinds, levels=levels, size=size, seed=seed),
        "scan": scan_grid(1.0, 0.6, 0.2),
        "observations": {**flat.observations, "height_scan": Term(terms.height_scan, noise=0.02)},
        "resets": {
            **flat.resets,
            "origin": Term(
                field_origin, options={"levels": float(levels), "kinds": float(len(kinds)), "size": size}
            ),
        },
        "curriculum": Term(terms.walked_far, options={"step": 1.0 / levels}),
    }
    return quadruped_velocity(robot, **{**fields, **changes})
