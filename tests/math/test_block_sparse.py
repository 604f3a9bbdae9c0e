"""Sparse systems in blocks of eight against dense ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.arrays import Array
from footfall.math.block_sparse import (
    WIDTH,
    Elimination,
    block_number,
    dense_matrix,
    eliminate,
    plan_elimination,
    substitute,
)


def random_system(plan: Elimination, pairs: Array, seed: int) -> tuple[Array, Array]:
    """Blocks of a matrix that is not symmetric but far from singular, and the matrix itself."""
    rng = np.random.default_rng(seed)
    count = len(plan.nodes)
    blocks = np.zeros((WIDTH * plan.size, WIDTH))
    for node in range(count):
        place = WIDTH * plan.places[node]
        blocks[place : place + WIDTH] = 40.0 * count * np.eye(WIDTH) + rng.normal(size=(WIDTH, WIDTH))
    for one, other in pairs:
        if one != other:
            for a, b in ((one, other), (other, one)):
                number = WIDTH * block_number(plan, int(plan.places[a]), int(plan.places[b]))
                blocks[number : number + WIDTH] = rng.normal(size=(WIDTH, WIDTH))
    return blocks, dense_matrix(plan, blocks)


@given(
    st.integers(1, 9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=14),
    st.integers(0, 99),
)
def test_solutions_are_those_of_the_dense_matrix(count: int, drawn: list[tuple[int, int]], seed: int) -> None:
    pairs = np.array([pair for pair in drawn if max(pair) < count], dtype=np.int64).reshape(-1, 2)
    plan = plan_elimination(count, pairs)
    assert sorted(plan.nodes.tolist()) == list(range(count))
    blocks, matrix = random_system(plan, pairs, seed)
    right = np.random.default_rng(seed + 1).normal(size=(count, WIDTH))
    expected = np.linalg.solve(matrix, right.ravel())
    assert eliminate(plan, blocks, False)
    substitute(plan, blocks, right)
    # Diagonally dominant: the condition is about one.
    assert np.abs(right.ravel() - expected).max() < 1e-13 * np.abs(expected).max()


@given(
    st.integers(1, 9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=14),
    st.integers(0, 99),
)
def test_symmetric_matrices_need_no_blocks_below(count: int, drawn: list[tuple[int, int]], seed: int) -> None:
    pairs = np.array([pair for pair in drawn if max(pair) < count], dtype=np.int64).reshape(-1, 2)
    plan = plan_elimination(count, pairs)
    blocks, _ = random_system(plan, pairs, seed)
    for place in range(count):
        corner = slice(WIDTH * place, WIDTH * (place + 1))
        blocks[corner] = 0.5 * (blocks[corner] + blocks[corner].T)
    for above, below in zip(plan.above, plan.below, strict=True):  # kept transposed: the same numbers
        blocks[WIDTH * below : WIDTH * (below + 1)] = blocks[WIDTH * above : WIDTH * (above + 1)]
    matrix = dense_matrix(plan, blocks)
    assert (matrix == matrix.T).all()
    for below in plan.below:
        blocks[WIDTH * below : WIDTH * (below + 1)] = np.nan
    right = np.random.default_rng(seed + 1).normal(size=(count, WIDTH))
    expected = np.linalg.solve(matrix, right.ravel())
    assert eliminate(plan, blocks, True)
    substitute(plan, blocks, right)
    assert np.abs(right.ravel() - expected).max() < 1e-13 * np.abs(expected).max()


def test_a_comparison_can_fail() -> None:
    pairs = np.array([[0, 1], [1, 2]])
    plan = plan_elimination(3, pairs)
    blocks, matrix = random_system(plan, pairs, 0)
    blocks[WIDTH * block_number(plan, 0, 1), 3] += 1e-3
    right = np.ones((3, WIDTH))
    expected = np.linalg.solve(matrix, right.ravel())
    eliminate(plan, blocks, False)
    substitute(plan, blocks, right)
    assert np.abs(right.ravel() - expected).max() > 1e-10


def test_a_chain_has_no_fill_and_a_star_neither() -> None:
    """In the order of least degree trees are eliminated from their leaves: a block above and one below an edge."""
    chain = np.array([[k, k + 1] for k in range(9)])
    star = np.array([[0, k] for k in range(1, 10)])
    for pairs in (chain, star):
        assert plan_elimination(10, pairs).size == 10 + 2 * len(pairs)
    ring = np.vstack([chain, [[9, 0]]])
    # Each step but the last three adds an edge.
    assert plan_elimination(10, ring).size == 10 + 2 * (len(ring) + 7)


@given(
    st.integers(1, 30),
    st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=80),
)
def test_the_order_is_that_of_least_degree(count: int, drawn: list[tuple[int, int]]) -> None:
    """Against sets of neighbours: the first node of those with the fewest comes next."""
    pairs = np.array([pair for pair in drawn if max(pair) < count], dtype=np.int64).reshape(-1, 2)
    plan = plan_elimination(count, pairs)
    near: dict[int, set[int]] = {node: set() for node in range(count)}
    for one, other in pairs.tolist():
        if one != other:
            near[one].add(other)
            near[other].add(one)
    for place in range(count):
        node = min(near, key=lambda each: (len(near[each]), each))
        assert plan.nodes[place] == node
        left = near.pop(node)
        first, last = plan.starts[place], plan.starts[place + 1]
        rows = plan.rows[first:last].tolist()
        assert rows == sorted(int(plan.places[each]) for each in left)
        targets = plan.targets[plan.target_starts[place] : plan.target_starts[place + 1]]
        assert targets.tolist() == [block_number(plan, i, j) for i in rows for j in rows]
        for each in left:
            near[each] = (near[each] | left) - {each, node}


def test_a_pivot_that_is_not_positive_is_told() -> None:
    plan = plan_elimination(1, np.zeros((0, 2), dtype=np.int64))
    blocks = np.eye(WIDTH)
    blocks[4, 4] = -1.0
    assert not eliminate(plan, blocks, False)


@pytest.mark.parametrize("count", [50, 200])
def test_a_random_graph_of_many_nodes(count: int) -> None:
    rng = np.random.default_rng(3)
    pairs = rng.integers(0, count, size=(2 * count, 2))
    plan = plan_elimination(count, pairs)
    blocks, matrix = random_system(plan, pairs, 5)
    right = rng.normal(size=(count, WIDTH))
    expected = np.linalg.solve(matrix, right.ravel())
    eliminate(plan, blocks, False)
    substitute(plan, blocks, right)
    assert np.abs(right.ravel() - expected).max() < 1e-12 * np.abs(expected).max()
