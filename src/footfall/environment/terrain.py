"""Terrain: patches where something was seen, addressed by whole numbers; an immutable value that shares its patches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.environment.patch import (
    CELL,
    FINEST,
    PATCH,
    SIDE,
    UNSEEN,
    Bytes,
    Millimetres,
    Patch,
    Singles,
    check_level,
    metres,
    quantised,
)
from footfall.errors import InvalidEnvironment

Index = tuple[int, int]
Slots = np.ndarray[Any, np.dtype[np.int32]]

MOST_PATCHES = 2**16
FARTHEST_PATCH = 2**14  # from the origin; 10 km
_MOST_SLOTS = 2**22  # of the table of a terrain whose patches lie far apart


class PackedTerrain(NamedTuple):
    """All cells for native code.

    slots: (nx, ny) number of each patch of the rectangle that holds all, -1 where there is none. first_x, first_y:
    index of the patch of slots[0, 0]. heights: (n, 64, 64) mm. confidence: (n, 64, 64) in 1/255.
    """

    slots: Slots
    first_x: int
    first_y: int
    heights: Millimetres
    confidence: Bytes


class TerrainWindow(NamedTuple):
    """A rectangle of nodes of one level, across patches, as contiguous arrays (nx, ny), first index along x.

    x, y: of the corner of the first node, m. cell: edge of a node, m. lowest, highest, mean: m, not a number where
    nothing was seen. least, most, sure: confidence in [0, 1], the least, greatest and mean one.
    """

    x: float
    y: float
    cell: float
    lowest: Singles
    highest: Singles
    mean: Singles
    least: Singles
    most: Singles
    sure: Singles


@dataclass(frozen=True, eq=False, repr=False)
class Terrain:
    """Patches by index: patch (i, j) covers x from 0.64 i to 0.64 (i + 1) m, y likewise; compared by identity."""

    patches: Mapping[Index, Patch] = field(default_factory=dict)

    def __post_init__(self) -> None:
        patches = dict(self.patches)
        if len(patches) > MOST_PATCHES:
            raise _wrong(f"has {len(patches)} patches; at most {MOST_PATCHES} are held")
        for index in patches:
            check_index(index)
        object.__setattr__(self, "patches", MappingProxyType(patches))

    def __repr__(self) -> str:
        return f"Terrain of {len(self.patches)} patches, {len(self.patches) * PATCH**2:.1f} m2"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.patches),)

    def updated(self, patches: Mapping[Index, Patch], *, reset: Iterable[Index] = ()) -> Terrain:
        """The terrain without the patches of `reset`, then with these in place of its own."""
        gone = set(reset)
        kept = {index: patch for index, patch in self.patches.items() if index not in gone}
        return Terrain(kept | dict(patches))

    @property
    def bounds(self) -> Array:
        """Least and greatest x and y (2, 2) of its patches, m."""
        if not self.patches:
            raise _wrong("has no patch, so it has no bounds")
        indices = np.array(list(self.patches))
        return np.array([indices.min(axis=0), indices.max(axis=0) + 1]) * PATCH

    @cached_property
    def packed(self) -> PackedTerrain:
        """All cells in one array, made on first use: a copy of 12 KiB a patch."""
        count = len(self.patches)
        indices = np.array(list(self.patches), dtype=np.int64).reshape(count, 2)
        low = indices.min(axis=0) if count else np.zeros(2, np.int64)
        shape = indices.max(axis=0) - low + 1 if count else np.ones(2, np.int64)
        if shape.prod() > _MOST_SLOTS:
            raise _wrong(f"patches are spread over {shape[0]} by {shape[1]}; at most {_MOST_SLOTS} in all")
        slots = np.full(tuple(shape.tolist()), -1, dtype=np.int32)
        slots[tuple((indices - low).T)] = np.arange(count)
        patches = self.patches.values()
        heights = np.array([patch.heights for patch in patches], np.int16).reshape(-1, SIDE, SIDE)
        confidence = np.array([patch.confidence for patch in patches], np.uint8).reshape(-1, SIDE, SIDE)
        return PackedTerrain(slots, int(low[0]), int(low[1]), heights, confidence)

    def window(
        self, lower: tuple[float, float], upper: tuple[float, float], *, level: int = FINEST
    ) -> TerrainWindow:
        """All nodes of a level in a rectangle from `lower` to `upper` (x, y) in m, widened to whole nodes."""
        check_level(level)
        side = 2**level
        cell = PATCH / side
        first = np.floor(np.round(np.array(lower) / cell, 9)).astype(np.int64)
        last = np.ceil(np.round(np.array(upper) / cell, 9)).astype(np.int64)
        shape = last - first
        if not (shape > 0).all() or shape.prod() > 2**26:
            raise _wrong(
                f"a window from {lower} to {upper} m has {shape.tolist()} nodes; 1 to {2**26} are given"
            )
        low, high = first // side, (last - 1) // side + 1
        nothing = empty_patch().level(level)
        nodes = [
            self.patches[i, j].level(level) if (i, j) in self.patches else nothing
            for i in range(int(low[0]), int(high[0]))
            for j in range(int(low[1]), int(high[1]))
        ]
        begin = first - low * side
        part = slice(int(begin[0]), int(begin[0] + shape[0])), slice(int(begin[1]), int(begin[1] + shape[1]))

        def joined(name: str) -> Any:
            tiles = np.array([getattr(each, name) for each in nodes]).reshape(*(high - low), side, side)
            return np.ascontiguousarray(tiles.swapaxes(1, 2).reshape((high - low) * side)[part])

        mean, sure = joined("mean"), joined("sure")
        bounds = [mean, mean, sure, sure]  # of single cells
        if level < FINEST:
            bounds = [metres(joined(name)) for name in ("lowest", "highest")]
            bounds += [joined(name) / np.float32(255.0) for name in ("least", "most")]
        x, y = (first * cell).tolist()
        lowest, highest, least, most = bounds
        return TerrainWindow(x, y, cell, lowest, highest, mean, least, most, sure)


def terrain_from_cells(heights: Array, confidence: Array, *, first: Index = (0, 0)) -> Terrain:
    """Terrain of a table of cells: heights (nx, ny) in m and confidences in [0, 1].

    first: numbers (i, j) of the cell of heights[0, 0], which has its corner at (0.01 i, 0.01 j) m. Patches of which
    no cell was seen are left out.
    """
    heights, confidence = np.asarray(heights, np.float64), np.asarray(confidence, np.float64)
    if heights.ndim != 2 or heights.shape != confidence.shape:
        raise _wrong(
            f"heights have shape {heights.shape}, confidence {confidence.shape}; both must be (nx, ny)"
        )
    before = np.mod(first, SIDE)
    after = -(before + heights.shape) % SIDE
    edges = list(zip(before.tolist(), after.tolist(), strict=True))
    millimetres, steps = quantised(heights, confidence)
    millimetres = np.pad(millimetres, edges, constant_values=UNSEEN)
    steps = np.pad(steps, edges)
    start = ((np.array(first) - before) // SIDE).tolist()
    patches = {}
    for i in range(steps.shape[0] // SIDE):
        for j in range(steps.shape[1] // SIDE):
            part = slice(i * SIDE, (i + 1) * SIDE), slice(j * SIDE, (j + 1) * SIDE)
            if steps[part].any():
                patches[start[0] + i, start[1] + j] = Patch(millimetres[part], steps[part])
    return Terrain(patches)


def index_at(x: float, y: float) -> Index:
    """Index of the patch at a place, m."""
    i, j = (int(np.floor(np.floor(value / CELL + 1e-9) / SIDE)) for value in (x, y))
    return i, j


def empty_patch() -> Patch:
    """A patch of which nothing was seen."""
    return Patch(np.full((SIDE, SIDE), UNSEEN, np.int16), np.zeros((SIDE, SIDE), np.uint8))


def check_index(index: Any) -> None:
    """That it is two whole numbers within reach."""
    whole = isinstance(index, tuple) and len(index) == 2 and all(type(part) is int for part in index)
    if not whole or max(abs(index[0]), abs(index[1])) > FARTHEST_PATCH:
        raise _wrong(f"index of a patch is {index!r}; it must be two ints up to {FARTHEST_PATCH}")


def _wrong(message: str) -> InvalidEnvironment:
    return InvalidEnvironment(message, subject=("terrain", "patches"))
