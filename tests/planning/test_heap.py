"""The open list against a sorted one."""

from __future__ import annotations

import numpy as np

from footfall.planning.heap import Heap, pop, push


def test_entries_come_out_in_order() -> None:
    rng = np.random.default_rng(0)
    heap = Heap(np.empty(5000), np.empty(5000, np.int64), np.zeros(1, np.int64))
    inside: list[tuple[float, int]] = []
    for number in range(4000):
        if inside and rng.random() < 0.4:
            key, item = pop(heap)
            inside.sort()
            assert key == inside[0][0]
            inside.remove((key, item))
        else:
            key = float(rng.integers(0, 500))  # many are equal
            push(heap, key, number)
            inside.append((key, number))
        assert heap.size[0] == len(inside)
        keys = heap.keys[: len(inside)]
        above = (np.arange(1, len(inside)) - 1) // 4
        assert (keys[above] <= keys[1 : len(inside)]).all()  # no child is less than its parent
    assert [pop(heap).key for _ in range(len(inside))] == sorted(key for key, _ in inside)
