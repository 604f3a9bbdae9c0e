"""An open list: a heap with four children at each node, in arrays that are made once (Larkin, Sen and Tarjan 2014).

An entry whose number has meanwhile got a better key stays where it is; whoever takes it out must look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.planning.workspace import workspace


class Heap(NamedTuple):
    """keys, items: entries in level order. size: (1,) how many there are."""

    keys: Array
    items: Integers
    size: Integers


class Entry(NamedTuple):
    """What is taken out of a heap."""

    key: float
    item: int


def kept_heap(capacity: int, name: str = "heap") -> Heap:
    """An empty heap in the memory of the one before that had this name; memory is taken as it fills."""
    keys = workspace(f"{name} keys", (capacity,), np.float64, zeroed=False)
    items = workspace(f"{name} items", (capacity,), np.int64, zeroed=False)
    return Heap(keys, items, np.zeros(1, np.int64))


@routine
def push(heap: Heap, key: float, item: int) -> None:
    """Put an entry in; the heap must have room for it."""
    place = heap.size[0]
    heap.size[0] = place + 1
    while place > 0:
        above = (place - 1) // 4
        if heap.keys[above] <= key:
            break
        heap.keys[place] = heap.keys[above]
        heap.items[place] = heap.items[above]
        place = above
    heap.keys[place] = key
    heap.items[place] = item


@routine
def pop(heap: Heap) -> Entry:
    """Take the entry with the least key out; there must be one."""
    top = Entry(heap.keys[0], heap.items[0])
    size = heap.size[0] - 1
    heap.size[0] = size
    if size == 0:
        return top
    key, item = heap.keys[size], heap.items[size]
    place = 0
    while True:
        child = 4 * place + 1
        if child >= size:
            break
        best = child
        for other in range(child + 1, min(child + 4, size)):
            if heap.keys[other] < heap.keys[best]:
                best = other
        if heap.keys[best] >= key:
            break
        heap.keys[place] = heap.keys[best]
        heap.items[place] = heap.items[best]
        place = best
    heap.keys[place] = key
    heap.items[place] = item
    return top
