"""Bounding-volume hierarchies: nothing that overlaps is missed."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.geometry.hierarchy import build_hierarchy


def boxes(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=(count, 3))
    return lower, lower + rng.lognormal(-1.5, 1.0, size=(count, 3))


@pytest.mark.parametrize("count", [1, 2, 5, 200])
def test_boxes_hold_their_items(count: int) -> None:
    lower, upper = boxes(count, count)
    tree = build_hierarchy(lower, upper)
    assert sorted(tree.order.tolist()) == list(range(count))
    assert (tree.nodes[0, :3] == lower.min(axis=0)).all()
    assert (tree.nodes[0, 3:6] == upper.max(axis=0)).all()
    seen = []
    for node in tree.nodes:
        first, number = int(node[6]), int(node[7])
        if number:
            members = tree.order[first : first + number]
            seen += members.tolist()
            assert (lower[members] >= node[:3]).all()
            assert (upper[members] <= node[3:6]).all()
        else:
            for child in tree.nodes[first : first + 2]:
                assert (child[:3] >= node[:3]).all()
                assert (child[3:6] <= node[3:6]).all()
    assert sorted(seen) == list(range(count))


def test_queries_find_all_that_overlap() -> None:
    lower, upper = boxes(300, 0)
    tree = build_hierarchy(lower, upper, leaf_size=1)
    for low, high in zip(*boxes(50, 1), strict=True):
        exact = np.flatnonzero(((lower <= high) & (upper >= low)).all(axis=1))
        assert tree.overlapping(low, high).tolist() == exact.tolist()


def test_two_hierarchies_find_all_pairs() -> None:
    a_low, a_high = boxes(120, 2)
    b_low, b_high = boxes(90, 3)
    found = build_hierarchy(a_low, a_high, leaf_size=1).pairs(build_hierarchy(b_low, b_high, leaf_size=1))
    exact = np.argwhere(((a_low[:, None] <= b_high) & (a_high[:, None] >= b_low)).all(axis=2))
    assert len(exact) > 20
    assert found.tolist() == exact.tolist()
    coarse = build_hierarchy(a_low, a_high).pairs(build_hierarchy(b_low, b_high))
    assert {tuple(pair) for pair in exact.tolist()} <= {tuple(pair) for pair in coarse.tolist()}


def test_boxes_at_one_place() -> None:
    lower = np.zeros((50, 3))
    assert len(build_hierarchy(lower, lower).overlapping(np.zeros(3), np.zeros(3))) == 50
