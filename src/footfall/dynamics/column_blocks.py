"""Columns that are multiplied by the inverse of the mass matrix side by side, in vector registers: loops over the tree.

What they compute, and in which order, is in `mass_inverse.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import ArrayOf, RoutineCallback, Symbol, routine
from footfall.compiler.once import once
from footfall.compiler.routines import FourLanes, Lanes

# Columns in a block: in four registers no sum waits for another; a few that are left take one.
_WIDE, _NARROW = 32, 8
# `place & _PLACE` is not negative: native code need not ask whether it counts from the end.
_PLACE = 0xFFFFFFFF


class Block(NamedTuple):
    """Columns that are solved side by side.

    columns: matrix and column of each. rows: velocities in which any of them has an entry, and those on the paths of
    these to the root, last ones first.
    """

    columns: list[tuple[int, int]]
    rows: list[int]

    @property
    def width(self) -> int:
        return _NARROW if len(self.columns) <= _NARROW else _WIDE

    def entries(self, matrices: Sequence[Array]) -> Array:
        """The columns' entries (rows, width), filled up with zeros."""
        entries = np.zeros((len(self.rows), self.width), dtype=object)
        for place, (matrix, column) in enumerate(self.columns):
            entries[:, place] = matrices[matrix][self.rows, column]
        return entries

    def plan(self, paths: Sequence[Sequence[int]]) -> list[int]:
        """For the loops: width, number of rows, then each row with the number of those behind it, and these; then the
        number of rows that have no entries, and these."""
        plan = [self.width, len(self.rows)]
        for i in self.rows:
            behind = [k for k in self.rows if i in paths[k]]
            plan += [i, len(behind), *behind]
        absent = [i for i in range(len(paths)) if i not in self.rows]
        return [*plan, len(absent), *absent]


def blocks_of(paths: Sequence[Sequence[int]], matrices: Sequence[Array]) -> list[Block]:
    """All columns that are not zero; those of one number stand in one block.

    paths: of each velocity to the root. matrices: traced, of one shape.
    """
    filled = [
        [[i for i, entry in enumerate(column) if isinstance(entry, Symbol) or entry != 0] for column in b.T]
        for b in matrices
    ]
    numbers = [k for k, rows in enumerate(zip(*filled, strict=True)) if any(rows)]
    width = _WIDE // max(len(matrices), 1)
    blocks = []
    for begin in range(0, len(numbers), width):
        columns = [(matrix, k) for matrix in range(len(matrices)) for k in numbers[begin : begin + width]]
        entries = {i for matrix, k in columns for i in filled[matrix][k]}
        blocks.append(Block(columns, sorted(entries.union(*(paths[i] for i in entries)), reverse=True)))
    return blocks


def inverse_width(size: int) -> int:
    """Numbers in a row of the inverse: whole groups of registers."""
    return -(-size // _WIDE) * _WIDE


@once
def native_loops() -> RoutineCallback:
    """The loops as a native function."""
    return RoutineCallback(_solve_blocks, data=np.int64)


class Factor(NamedTuple):
    """`M = L^T D L` as loops go through it.

    lower: (n,) entries of L, row by row, from the root on. places: (n,) velocities that they belong to. starts:
    (nv + 1,) of each row among them. inverse_pivots: (nv,).
    """

    lower: Array
    places: Integers
    starts: Integers
    inverse_pivots: Array


@routine(fused=True)
def _solve_blocks(inputs: Array, outputs: Array, data: Integers) -> None:
    """Inputs: entries of L, inverse pivots, blocks of columns. Outputs: solved blocks, then the inverse.

    data: numbers of velocities and blocks, starts and places of the factor, plans of the blocks.
    """
    size, blocks = data[0], data[1]
    starts = data[2 : 3 + size]
    entries = starts[size]
    places, plan = data[3 + size : 3 + size + entries], data[3 + size + entries :]
    factor = Factor(inputs[:entries], places, starts, inputs[entries : entries + size])
    given = inputs[entries + size :]
    for _ in range(blocks):
        width, rows = plan[0], plan[1]
        b, x = given[: rows * width], outputs[: size * width]
        if width == 32:
            wide: ArrayOf[FourLanes] = b.reshape(rows, 4, 8)
            wide_solved: ArrayOf[FourLanes] = x.reshape(size, 4, 8)
            plan = _solve(factor, wide, wide_solved, plan)
        else:
            narrow: ArrayOf[Lanes] = b.reshape(rows, 8)
            narrow_solved: ArrayOf[Lanes] = x.reshape(size, 8)
            plan = _solve(factor, narrow, narrow_solved, plan)
        given, outputs = given[rows * width :], outputs[size * width :]
    _invert(factor, outputs)


def _solve(factor: Factor, b: Any, x: Any, plan: Integers) -> Integers:
    """`-M^-1 b` of a block: `ArrayOf[FourLanes]` or `ArrayOf[Lanes]`, a row each. Gives the plans of the next ones."""
    at = 2
    for row in range(len(b)):  # from the leaves to the root: y
        i, count = plan[at] & _PLACE, plan[at + 1]
        column = factor.lower[factor.starts[i + 1] - factor.starts[i] :]
        rest = b[row]
        for k in plan[at + 2 : at + 2 + count]:
            rest -= column[factor.starts[k & _PLACE] & _PLACE] * x[k & _PLACE]
        x[i] = rest
        at += 2 + count
    absent = plan[at]
    for i in plan[at + 1 : at + 1 + absent]:
        x[i & _PLACE] = 0.0
    begin = 0
    for k, pivot in enumerate(factor.inverse_pivots):  # from the root to the leaves: -x
        end = factor.starts[k + 1] & _PLACE
        rest = -pivot * x[k]
        for weight, i in zip(factor.lower[begin:end], factor.places[begin:end], strict=True):
            rest -= weight * x[i & _PLACE]
        x[k] = rest
        begin = end
    return plan[at + 1 + absent :]


def _invert(factor: Factor, inverse: Array) -> None:
    """The inverse, row by row up to the diagonal, 32 entries at a time; each row is a column too."""
    size = len(factor.inverse_pivots)
    parts = (size + 31) // 32
    vectors: ArrayOf[FourLanes] = inverse[: size * parts * 32].reshape(size * parts, 4, 8)
    begin = 0
    for k, pivot in enumerate(factor.inverse_pivots):
        end = factor.starts[k + 1] & _PLACE
        lower, path = factor.lower[begin:end], factor.places[begin:end]
        for part in range((k + 31) // 32):
            vectors[k * parts + part] = 0.0
            entries = vectors[k * parts + part]
            for weight, i in zip(lower, path, strict=True):
                entries -= weight * vectors[(i & _PLACE) * parts + part]
            vectors[k * parts + part] = entries
        own = inverse[k * parts * 32 :]
        for j in range(k):
            inverse[j * parts * 32 + k] = own[j]
        corner = pivot
        for weight, i in zip(lower, path, strict=True):
            corner -= weight * own[i & _PLACE]
        own[k] = corner
        begin = end
