"""Sparse systems of linear equations in blocks of eight: what couples many bodies, with whom is known while running.

The unknowns stand in nodes of up to eight; a block (8, 8) couples two nodes, a row of it is one vector register. Nodes
with fewer unknowns are filled up with ones on the diagonal. `plan_elimination` finds an order with little fill-in (that
of least degree) and gives every block that elimination needs its number; `eliminate` and `substitute` then go
through these lists. The pattern is symmetric, the numbers need not be; there are no pivots: the matrices are inertias
with springs, whose leading parts are regular.

Blocks below the diagonal are kept transposed, so that all work is on rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Lanes, routine

WIDTH = 8
EACH = (0, 1, 2, 3, 4, 5, 6, 7)  # lane or row of a block; loops over it are written out
_NUMBER = np.arange(8.0)  # of each lane


class Elimination(NamedTuple):
    """How to solve systems of one pattern; a place is the position of a node in the order of elimination.

    nodes (n,): node at each place. places (n,): place of each node. starts (n + 1,): the places that are coupled with
    place k after it are `rows[starts[k]:starts[k + 1]]`. above, below: the blocks (k, row) and (row, k) of these; the
    diagonal block of place k has number k. targets: for each k the block (row i, row j) that a product of two of them
    changes, all i times all j; from `target_starts[k]` on. size: number of blocks.
    """

    nodes: Integers
    places: Integers
    starts: Integers
    rows: Integers
    above: Integers
    below: Integers
    target_starts: Integers
    targets: Integers
    size: int


@routine(quick=True)
def plan_elimination(count: int, pairs: Integers) -> Elimination:
    """A plan for nodes 0 to count - 1, of which the pairs (e, 2) are coupled; pairs may come twice."""
    degree = np.zeros(count, dtype=np.int64)
    heads, following, neighbours = _adjacency(pairs, degree)
    nodes, places = np.empty(count, dtype=np.int64), np.full(count, -1)
    starts = np.zeros(count + 1, dtype=np.int64)
    rows: list[int] = []
    mark = np.full(count, -1)
    for place in range(count):
        best = -1
        for node in range(count):
            if places[node] < 0 and (best < 0 or degree[node] < degree[best]):
                best = node
        nodes[place], places[best] = best, place
        first, entry = len(rows), heads[best]
        while entry >= 0:
            if places[neighbours[entry]] < 0:
                rows.append(neighbours[entry])
            entry = following[entry]
        starts[place + 1] = len(rows)
        # All that were coupled with it are now coupled with each other.
        for i in range(first, len(rows)):
            one = rows[i]
            entry = heads[one]
            while entry >= 0:
                mark[neighbours[entry]] = one
                entry = following[entry]
            for j in range(first, len(rows)):
                other = rows[j]
                if other != one and mark[other] != one:
                    neighbours.append(other)
                    following.append(heads[one])
                    heads[one] = len(neighbours) - 1
                    degree[one] += 1
            degree[one] -= 1
    return _numbered(nodes, places, starts, np.array(rows))


@routine
def _adjacency(pairs: Integers, degree: Integers) -> tuple[Integers, list[int], list[int]]:
    """Neighbours of all nodes as linked lists: first entry of each node, entry after each, node of each. degree (n,):
    zero, becomes how many there are."""
    heads = np.full(len(degree), -1)
    following: list[int] = []
    neighbours: list[int] = []
    for k in range(len(pairs)):
        one, other = pairs[k, 0], pairs[k, 1]
        known = one == other
        entry = heads[one]
        while entry >= 0 and not known:
            known = neighbours[entry] == other
            entry = following[entry]
        if not known:
            for a, b in ((one, other), (other, one)):
                neighbours.append(b)
                following.append(heads[a])
                heads[a] = len(neighbours) - 1
                degree[a] += 1
    return heads, following, neighbours


@routine
def _numbered(nodes: Integers, places: Integers, starts: Integers, rows: Integers) -> Elimination:
    """The plan with a number for each block; rows: nodes, become places in ascending order."""
    count = len(nodes)
    for k in range(len(rows)):
        rows[k] = places[rows[k]]
    for place in range(count):
        for i in range(starts[place] + 1, starts[place + 1]):  # insertion sort
            value, j = rows[i], i
            while j > starts[place] and rows[j - 1] > value:
                rows[j] = rows[j - 1]
                j -= 1
            rows[j] = value
    above, below = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    target_starts = np.zeros(count + 1, dtype=np.int64)
    for k in range(len(rows)):
        above[k], below[k] = count + 2 * k, count + 2 * k + 1
    for place in range(count):
        neighbours = starts[place + 1] - starts[place]
        target_starts[place + 1] = target_starts[place] + neighbours * neighbours
    targets = np.empty(target_starts[count], dtype=np.int64)
    size = count + 2 * len(rows)
    for place in range(count):
        first, neighbours = starts[place], starts[place + 1] - starts[place]
        for i in range(neighbours):
            row = rows[first + i]
            corner = target_starts[place] + i * (neighbours + 1)
            targets[corner] = row
            k = starts[row]  # where it is coupled with later ones, which ascend as here
            for j in range(1, neighbours - i):
                while rows[k] < rows[first + i + j]:
                    k += 1
                targets[corner + j], targets[corner + j * neighbours] = above[k], below[k]
    return Elimination(nodes, places, starts, rows, above, below, target_starts, targets, size)


def block_number(plan: Elimination, one: int, other: int) -> int:
    """The number of the block that couples two places, which there must be."""
    if one == other:
        return one
    column, row = min(one, other), max(one, other)
    low, high = plan.starts[column], plan.starts[column + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if plan.rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return int(plan.above[low] if one < other else plan.below[low])


@routine(fused=True, apart=True)
def eliminate(plan: Elimination, blocks: ArrayOf[Lanes], symmetric: bool) -> bool:
    """Factors of a matrix in place: `blocks` (8 size, 8). Whether all pivots were above zero.

    symmetric: the matrix is so, and its blocks below the diagonal are not looked at.
    """
    good = True
    for place in range(len(plan.nodes)):
        corner = WIDTH * place
        good = _factor(blocks, corner) and good
        first, last = plan.starts[place], plan.starts[place + 1]
        for k in range(first, last):
            above, below = WIDTH * plan.above[k], WIDTH * plan.below[k]
            _solve_above(blocks, corner, above)
            if symmetric:
                for i in EACH:
                    blocks[below + i] = blocks[corner + i, i] * blocks[above + i]
            else:
                _solve_below(blocks, corner, below)
        entry = plan.target_starts[place]
        for i in range(first, last):
            for j in range(first, last):
                target = WIDTH * plan.targets[entry]
                entry += 1
                if i <= j:  # rows ascend
                    _subtract(blocks, target, WIDTH * plan.below[i], WIDTH * plan.above[j])
                elif not symmetric:  # kept transposed
                    _subtract(blocks, target, WIDTH * plan.above[j], WIDTH * plan.below[i])
    return good


# Rows are worked on from each pivot downwards: those below it do not wait for one another.


def _factor(blocks: ArrayOf[Lanes], corner: int) -> bool:
    """Triangles of a diagonal block: below the diagonal the factors, above it what is left, on it inverse pivots."""
    good = True
    number: Lanes = _NUMBER
    for i in EACH:
        pivot = blocks[corner + i]
        good = good and pivot[i] > 0.0
        inverse = 1.0 / pivot[i]
        behind = np.where(number > i, pivot, 0.0)
        for r in EACH:
            if r > i:
                row = blocks[corner + r]
                factor = inverse * row[i]
                blocks[corner + r] = np.where(number == i, factor, row - factor * behind)
        blocks[corner + i, i] = inverse
    return good


def _solve_above(blocks: ArrayOf[Lanes], corner: int, block: int) -> None:
    """Rows of a block right of the diagonal, as elimination of its place leaves them."""
    for i in EACH:
        done = blocks[block + i]
        for r in EACH:
            if r > i:
                blocks[block + r] -= blocks[corner + r, i] * done


def _solve_below(blocks: ArrayOf[Lanes], corner: int, block: int) -> None:
    """Factors of a block below the diagonal, transposed: each row is a column of it."""
    for m in EACH:
        done = blocks[corner + m, m] * blocks[block + m]
        blocks[block + m] = done
        for i in EACH:
            if i > m:
                blocks[block + i] -= blocks[corner + m, i] * done


def _subtract(blocks: ArrayOf[Lanes], target: int, left: int, right: int) -> None:
    """target -= left^T right."""
    # Read once: for all that is known here, the target may be the same memory.
    row_0, row_1, row_2, row_3 = blocks[right], blocks[right + 1], blocks[right + 2], blocks[right + 3]
    row_4, row_5, row_6, row_7 = blocks[right + 4], blocks[right + 5], blocks[right + 6], blocks[right + 7]
    for r in range(WIDTH):
        first = blocks[left, r] * row_0 + blocks[left + 1, r] * row_1
        first += blocks[left + 2, r] * row_2 + blocks[left + 3, r] * row_3
        last = blocks[left + 4, r] * row_4 + blocks[left + 5, r] * row_5
        last += blocks[left + 6, r] * row_6 + blocks[left + 7, r] * row_7
        blocks[target + r] -= first + last


@routine(fused=True, apart=True)
def substitute(plan: Elimination, blocks: ArrayOf[Lanes], x: ArrayOf[Lanes]) -> None:
    """Solve with the factors of `eliminate`: x (n, 8), by node, is the right side and becomes the solution."""
    count = len(plan.nodes)
    for place in range(count):
        corner, node = WIDTH * place, plan.nodes[place]
        value = _numbers(x[node])
        for i in EACH:
            for r in EACH:
                if r > i:
                    value[r] -= blocks[corner + r, i] * value[i]
        x[node] = _lanes(value)
        for k in range(plan.starts[place], plan.starts[place + 1]):
            block, neighbour = WIDTH * plan.below[k], plan.nodes[plan.rows[k]]
            other = x[neighbour]
            for m in EACH:
                other -= value[m] * blocks[block + m]
            x[neighbour] = other
    for place in range(count - 1, -1, -1):
        corner, node = WIDTH * place, plan.nodes[place]
        value = _numbers(x[node])
        for k in range(plan.starts[place], plan.starts[place + 1]):
            block, other = WIDTH * plan.above[k], x[plan.nodes[plan.rows[k]]]
            for r in EACH:
                value[r] -= np.sum(blocks[block + r] * other)
        for back in EACH:
            i = WIDTH - 1 - back
            value[i] *= blocks[corner + i, i]
            for r in EACH:
                if r < i:
                    value[r] -= blocks[corner + r, i] * value[i]
        x[node] = _lanes(value)


def _numbers(lanes: Lanes) -> Array:
    """As a small vector: each number in a register of its own."""
    return np.array([lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]])


def _lanes(numbers: Array) -> Lanes:
    row: Lanes = np.zeros(8)
    for i in EACH:
        row[i] = numbers[i]
    return row


def dense_matrix(plan: Elimination, blocks: Array) -> Array:
    """The matrix (8 n, 8 n), by node, of blocks that have not been eliminated: to look at."""
    count = len(plan.nodes)
    result = np.zeros((WIDTH * count, WIDTH * count))

    def put(one: int, other: int, block: Array) -> None:
        a, b = WIDTH * int(plan.nodes[one]), WIDTH * int(plan.nodes[other])
        result[a : a + WIDTH, b : b + WIDTH] = block

    for place in range(count):
        put(place, place, blocks[WIDTH * place : WIDTH * (place + 1)])
        for k in range(plan.starts[place], plan.starts[place + 1]):
            above, below = WIDTH * plan.above[k], WIDTH * plan.below[k]
            put(place, plan.rows[k], blocks[above : above + WIDTH])
            put(plan.rows[k], place, blocks[below : below + WIDTH].T)
    return result
