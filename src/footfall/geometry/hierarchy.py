"""Bounding-volume hierarchies: boxes within boxes, in flat arrays.

A node is a row of eight numbers: least corner (3), greatest corner (3), first, count. A leaf has count items of
`order` from `first` on; an inner node has count 0 and the children `first` and `first + 1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import Vector3, routine
from footfall.errors import GeometryError

NODE = 8  # numbers of a node
DEPTH = 128  # entries of a traversal's stack; halving makes trees of depth 40 at most


class Node(NamedTuple):
    """A row of nodes as a record."""

    lower: Vector3
    upper: Vector3
    first: float
    size: float


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """nodes: (k, 8), the root first. order: (m,) items as the leaves list them."""

    nodes: Array
    order: Integers

    def overlapping(self, lower: Array, upper: Array) -> Integers:
        """Items, in ascending order, whose leaf box meets the box from `lower` (3,) to `upper` (3,)."""
        corners = [np.asarray(corner, np.float64) for corner in (lower, upper)]
        if not corners[0].shape == corners[1].shape == (3,):
            raise _wrong(f"corners have shapes {corners[0].shape} and {corners[1].shape}; both must be (3,)")
        found = _overlapping(self.nodes, *corners)
        return np.sort(self.order[found])

    def pairs(self, other: Hierarchy) -> Integers:
        """Pairs (n, 2) of items of both whose leaf boxes meet, sorted: candidates for an exact test."""
        found = _pairs(self.nodes, other.nodes)
        pairs = np.column_stack([self.order[found[:, 0]], other.order[found[:, 1]]])
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def build_hierarchy(lower: Array, upper: Array, *, leaf_size: int = 4) -> Hierarchy:
    """Hierarchy of boxes (m, 3), m >= 1, halved along the longest axis of their centres."""
    lower, upper = np.ascontiguousarray(lower, np.float64), np.ascontiguousarray(upper, np.float64)
    if lower.ndim != 2 or lower.shape[1] != 3 or lower.shape != upper.shape or len(lower) == 0:
        raise _wrong(
            f"boxes have shapes {lower.shape} and {upper.shape}; both must be (m, 3), one box at least"
        )
    if isinstance(leaf_size, bool) or not isinstance(leaf_size, int) or leaf_size < 1:
        raise _wrong(f"leaf_size is {leaf_size!r}; it must be a whole number, one at least")
    leaf_size = min(leaf_size, len(lower))
    centers = lower + upper
    sorted_along = np.argsort(centers, axis=0, kind="stable").T.copy()
    nodes = _build(lower, upper, centers, sorted_along, leaf_size)
    return Hierarchy(nodes, sorted_along[0])


def _wrong(message: str) -> GeometryError:
    return GeometryError(message, subject=("hierarchy", "boxes"))


@routine
def _build(lower: Array, upper: Array, centers: Array, sorted_along: Integers, leaf_size: int) -> Array:
    """Nodes; sorted_along (3, m) has the items by their centres along each axis, and at the end by leaves."""
    count = len(lower)
    nodes = np.empty((2 * count, NODE))
    nodes[0, 6], nodes[0, 7] = 0, count
    side, right = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    known, node = 1, 0
    while node < known:
        first, size = int(nodes[node, 6]), int(nodes[node, 7])
        axis, widest = 0, -1.0
        for k in range(3):
            least, greatest = np.inf, -np.inf
            for place in range(first, first + size):
                item = sorted_along[k, place]
                least, greatest = min(least, lower[item, k]), max(greatest, upper[item, k])
            nodes[node, k], nodes[node, 3 + k] = least, greatest
            low, high = sorted_along[k, first], sorted_along[k, first + size - 1]
            if centers[high, k] - centers[low, k] > widest:
                axis, widest = k, centers[high, k] - centers[low, k]
        if size > leaf_size:
            half = size // 2
            for place in range(first, first + size):
                side[sorted_along[axis, place]] = 0 if place < first + half else 1
            for k in range(3):
                _part(sorted_along[k], first, size, side, right)
            nodes[known, 6], nodes[known, 7] = first, half
            nodes[known + 1, 6], nodes[known + 1, 7] = first + half, size - half
            nodes[node, 6], nodes[node, 7] = known, 0
            known += 2
        node += 1
    return nodes[:known].copy()


@routine
def _part(order: Integers, first: int, size: int, side: Integers, right: Integers) -> None:
    """Items of side 0 before those of side 1, both in their order."""
    kept, moved = first, 0
    for place in range(first, first + size):
        item = order[place]
        if side[item] == 0:
            order[kept] = item
            kept += 1
        else:
            right[moved] = item
            moved += 1
    for k in range(moved):
        order[kept + k] = right[k]


@routine
def _overlapping(nodes: Array, lower: Array, upper: Array) -> Integers:
    found: list[int] = []
    stack = [0]
    while len(stack):
        node = nodes[stack.pop()]
        apart = False
        for k in range(3):
            apart = apart or node[k] > upper[k] or node[3 + k] < lower[k]
        if apart:
            continue
        first, count = int(node[6]), int(node[7])
        if count:
            for item in range(first, first + count):
                found.append(item)
        else:
            stack.append(first)
            stack.append(first + 1)
    return np.array(found)


@routine
def _pairs(one: Array, other: Array) -> Integers:
    found: list[tuple[int, int]] = []
    stack = [(0, 0)]
    while len(stack):
        a, b = stack.pop()
        apart = False
        for k in range(3):
            apart = apart or one[a, k] > other[b, 3 + k] or one[a, 3 + k] < other[b, k]
        if apart:
            continue
        first, count = int(one[a, 6]), int(one[a, 7])
        second, number = int(other[b, 6]), int(other[b, 7])
        if count and number:
            for i in range(first, first + count):
                for j in range(second, second + number):
                    found.append((i, j))
        elif number or (not count and _extent(one[a]) > _extent(other[b])):
            stack.append((first, b))
            stack.append((first + 1, b))
        else:
            stack.append((a, second))
            stack.append((a, second + 1))
    result = np.empty((len(found), 2), dtype=np.int64)
    for k in range(len(found)):
        result[k, 0], result[k, 1] = found[k]
    return result


@routine
def _extent(node: Array) -> float:
    return float(node[3] - node[0] + node[4] - node[1] + node[5] - node[2])
