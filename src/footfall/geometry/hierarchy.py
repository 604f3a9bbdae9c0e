"""Bounding-volume hierarchies: boxes within boxes, in flat arrays.

A node is a row of eight numbers: least corner (3), greatest corner (3), first, count. A leaf has count items of
`order` from `first` on; an inner node has count 0 and the children `first` and `first + 1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.geometry.native_loops import native_loop

Array = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.int64]]

NODE = 8  # numbers of a node
DEPTH = 128  # entries of a traversal's stack; halving makes trees of depth 40 at most


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """nodes: (k, 8), the root first. order: (m,) items as the leaves list them."""

    nodes: Array
    order: Indices

    def overlapping(self, lower: Array, upper: Array) -> Indices:
        """Items, in ascending order, whose leaf box meets the box from `lower` (3,) to `upper` (3,)."""
        found = _overlapping(self.nodes, np.asarray(lower, np.float64), np.asarray(upper, np.float64))
        return np.sort(self.order[found])

    def pairs(self, other: Hierarchy) -> Indices:
        """Pairs (n, 2) of items of both whose leaf boxes meet, sorted: candidates for an exact test."""
        found = _pairs(self.nodes, other.nodes)
        pairs = np.column_stack([self.order[found[:, 0]], other.order[found[:, 1]]])
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def build_hierarchy(lower: Array, upper: Array, *, leaf_size: int = 4) -> Hierarchy:
    """Hierarchy of boxes (m, 3), m >= 1, halved along the longest axis of their centres."""
    nodes, order = _build(
        np.ascontiguousarray(lower, np.float64), np.ascontiguousarray(upper, np.float64), leaf_size
    )
    return Hierarchy(nodes, order)


@native_loop
def _build(lower: Array, upper: Array, leaf_size: int) -> tuple[Array, Indices]:
    count = len(lower)
    order = np.arange(count)
    centers = lower + upper
    nodes = np.empty((2 * count, NODE))
    nodes[0, 6], nodes[0, 7] = 0, count
    known, node = 1, 0
    while node < known:
        first, size = int(nodes[node, 6]), int(nodes[node, 7])
        members = order[first : first + size]
        for axis in range(3):
            nodes[node, axis] = lower[members, axis].min()
            nodes[node, 3 + axis] = upper[members, axis].max()
        if size > leaf_size:
            axis, widest = 0, -1.0
            for k in range(3):
                values = centers[members, k]
                if values.max() - values.min() > widest:
                    axis, widest = k, values.max() - values.min()
            half = size // 2
            order[first : first + size] = members[np.argsort(centers[members, axis], kind="mergesort")]
            nodes[known, 6], nodes[known, 7] = first, half
            nodes[known + 1, 6], nodes[known + 1, 7] = first + half, size - half
            nodes[node, 6], nodes[node, 7] = known, 0
            known += 2
        node += 1
    return nodes[:known].copy(), order


@native_loop
def _overlapping(nodes: Array, lower: Array, upper: Array) -> Indices:
    found = [0 for _ in range(0)]
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
    return np.array(found, dtype=np.int64)


@native_loop
def _pairs(one: Array, other: Array) -> Indices:
    found = [(0, 0) for _ in range(0)]
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


@native_loop
def _extent(node: Array) -> float:
    return float(node[3] - node[0] + node[4] - node[1] + node[5] - node[2])
