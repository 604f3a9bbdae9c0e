"""A patch of terrain: 64 by 64 cells of 1 cm, and the quadtree above them.

Heights are whole millimetres, confidences 256 steps; a cell that was never seen has confidence 0 and no height. Unseen
cells do not enter the heights of the tree, otherwise a platform beside an unseen strip would look like a cliff; they
enter its confidences as zeros (Seiwald 2023, section 4.5.1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records, routine
from footfall.errors import InvalidEnvironment

CELL = 0.01  # m, edge of a cell
SIDE = 64  # cells along an edge of a patch
PATCH = CELL * SIDE  # m
LEVELS = 7  # of the tree; level k has 2^k by 2^k nodes, the last one is the cells
FINEST = LEVELS - 1
UNSEEN = -32768  # millimetres that stand for no height
HIGHEST = 32.767  # m, up and down

_NODES = (SIDE * SIDE - 1) // 3  # of all levels above the cells
_STARTS = tuple((4**level - 1) // 3 for level in range(LEVELS))

Millimetres = np.ndarray[Any, np.dtype[np.int16]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Singles = np.ndarray[Any, np.dtype[np.float32]]


class TerrainLevel(NamedTuple):
    """A level of a patch's tree: what the seen cells below each of its (n, n) nodes have.

    lowest, highest: mm, UNSEEN where no cell was seen. mean: m, not a number there. least, most: confidence in 1/255,
    and sure: its mean in [0, 1], all over seen and unseen cells. First index along x.
    """

    lowest: Millimetres
    highest: Millimetres
    mean: Singles
    least: Bytes
    most: Bytes
    sure: Singles


@dataclass(frozen=True, eq=False, repr=False)
class Patch:
    """Cells and their tree; compared by identity, arrays are read-only.

    heights: (64, 64) in mm, UNSEEN where nothing was seen, first index along x. confidence: (64, 64) in 1/255.
    """

    heights: Millimetres
    confidence: Bytes
    _tree: TerrainLevel = field(init=False)

    def __post_init__(self) -> None:
        heights = np.array(self.heights, dtype=np.int16)
        confidence = np.array(self.confidence, dtype=np.uint8)
        if heights.shape != (SIDE, SIDE) or confidence.shape != (SIDE, SIDE):
            raise InvalidEnvironment(
                f"heights have shape {heights.shape}, confidence {confidence.shape}; both must be ({SIDE}, {SIDE})",
                subject=("terrain", "patch"),
            )
        tree = TerrainLevel(
            np.empty(_NODES, np.int16),
            np.empty(_NODES, np.int16),
            np.empty(_NODES, np.float32),
            np.empty(_NODES, np.uint8),
            np.empty(_NODES, np.uint8),
            np.empty(_NODES, np.float32),
        )
        _build(heights, confidence, tree)
        for array in (heights, confidence, *tree):
            array.flags.writeable = False
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "confidence", confidence)
        object.__setattr__(self, "_tree", tree)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.heights, self.confidence)

    def __repr__(self) -> str:
        return f"Patch, {np.count_nonzero(self.confidence)} of {self.confidence.size} cells seen"

    def level(self, level: int) -> TerrainLevel:
        """A level of the tree: 0 is the whole patch, 3 has nodes of 8 cm, 6 is the cells."""
        check_level(level)
        if level == FINEST:
            mean = metres(self.heights)
            sure = self.confidence.astype(np.float32) / np.float32(255.0)
            return TerrainLevel(self.heights, self.heights, mean, self.confidence, self.confidence, sure)
        side, start = 2**level, _STARTS[level]
        return TerrainLevel._make(
            array[start : start + side * side].reshape(side, side) for array in self._tree
        )

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(array.nbytes for array in (self.heights, self.confidence, *self._tree))


def quantised(heights: Array, confidence: Array) -> tuple[Millimetres, Bytes]:
    """Heights in m as mm and confidences in [0, 1] as 1/255, of the same shape.

    Heights that are not a number, and confidences that round to 0, are unseen.
    """
    heights, confidence = np.asarray(heights, np.float64), np.asarray(confidence, np.float64)
    with np.errstate(invalid="ignore"):
        seen = np.isfinite(heights) & (confidence > 0.0)
        steps = np.rint(255.0 * np.where(seen, confidence, 0.0))
        millimetres = np.where(seen, np.rint(1000.0 * heights), UNSEEN)
    if np.abs(millimetres).max(where=seen, initial=0.0) > 1000.0 * HIGHEST:
        worst = float(np.abs(heights).max(where=seen, initial=0.0))
        message = f"a height is {worst:g} m from zero; heights are from {-HIGHEST:g} to {HIGHEST:g} m"
        raise InvalidEnvironment(message, subject=("terrain", "patch"))
    if steps.max(initial=0.0) > 255.0:
        message = f"a confidence is {float(steps.max()) / 255.0:g}; they must be in [0, 1]"
        raise InvalidEnvironment(message, subject=("terrain", "patch"))
    return millimetres.astype(np.int16), steps.astype(np.uint8)


def metres(millimetres: Millimetres) -> Singles:
    """Heights in m, not a number where nothing was seen."""
    return np.where(
        millimetres == UNSEEN, np.float32(np.nan), millimetres.astype(np.float32) / np.float32(1e3)
    )


def check_level(level: int) -> None:
    if not 0 <= level < LEVELS:
        message = f"level is {level}; it must be from 0 (64 cm) to {FINEST} (1 cm)"
        raise InvalidEnvironment(message, subject=("terrain", "patch"))


class _Node(NamedTuple):
    """Sums and bounds of cells: heights (mm) of those that were seen, confidences (1/255) of all."""

    height: int
    seen: int
    trust: int
    lowest: int
    highest: int
    least: int
    most: int

    def joined(self, other: _Node) -> _Node:
        return _Node(
            self.height + other.height,
            self.seen + other.seen,
            self.trust + other.trust,
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
            min(self.least, other.least),
            max(self.most, other.most),
        )


@routine
def _cell(height: int, trust: int) -> _Node:
    if trust == 0:
        return _Node(0, 0, 0, -UNSEEN, UNSEEN, 0, 0)
    return _Node(height, 1, trust, height, height, trust, trust)


@routine
def _build(heights: Millimetres, confidence: Bytes, tree: TerrainLevel) -> None:
    """Make cells consistent, and fill the tree from fine to coarse; sums are whole numbers, so means are exact."""
    nodes = new_records(_Node, SIDE * SIDE)
    for i in range(SIDE):
        for j in range(SIDE):
            if heights[i, j] == UNSEEN or confidence[i, j] == 0:
                heights[i, j] = UNSEEN
                confidence[i, j] = 0
            nodes[i * SIDE + j] = _cell(heights[i, j], confidence[i, j])
    side, cells = SIDE // 2, 4
    while side > 0:
        start = (side * side - 1) // 3
        for i in range(side):
            for j in range(side):
                first = 4 * i * side + 2 * j
                node = nodes[first].joined(nodes[first + 1])
                node = node.joined(nodes[first + 2 * side].joined(nodes[first + 2 * side + 1]))
                nodes[i * side + j] = node  # before all children of later nodes
                place = start + i * side + j
                seen = node.seen > 0
                tree.lowest[place] = node.lowest if seen else UNSEEN
                tree.highest[place] = node.highest
                tree.mean[place] = node.height / (1000.0 * node.seen) if seen else np.nan
                tree.least[place] = node.least
                tree.most[place] = node.most
                tree.sure[place] = node.trust / (255.0 * cells)
        side //= 2
        cells *= 4
