"""The inverse of the mass matrix, and columns multiplied by it, side by side in vector registers.

Traced, entry by entry, this would be most of the code of a derivative. As a routine it is a few loops over the tree.
With `M = L^T D L` and the path of a velocity k to the root, which ends before k,

    y_i = b_i - sum of L_ki y_k     over all k whose path has i, from the leaves to the root
    x_k = y_k / D_k - sum of L_ki x_i     over the path of k, from the root to the leaves

solves `M x = b`. Columns of the inverse need the second line only: b is a unit vector j, so y_k is zero for all k
behind j, and what stands before j is known by symmetry.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import ArrayOf, NativeFunction, RoutineCallback, Symbol, call, routine
from footfall.compiler.once import once
from footfall.compiler.routines import FourLanes, Lanes
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.factorisation import MassFactor, factorise, solve_factored, velocity_path
from footfall.dynamics.loop_derivatives import is_traced
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import Robot
from footfall.robot.tree import Tree
from footfall.robot.validation import check_mass_matrix

_WIDE, _NARROW = 32, 8  # columns side by side: in four registers no sum waits for another; a few that are left in one
_PLACE = 0xFFFFFFFF  # `place & _PLACE` is never negative: native code need not ask


class Response(NamedTuple):
    """inverse: (nv, nv) M^-1. columns: -M^-1 b (nv, k) for each b (nv, k) that was given."""

    inverse: Array
    columns: tuple[Array, ...]


@algorithm(q="nq")
def inverse_mass_matrix(robot: Robot, q: Array) -> Array:
    """Inverse of the mass matrix (nv, nv) in the configuration q (nq,)."""
    check_mass_matrix(robot)
    factor = factorise(robot.tree, composite_bodies(robot, q))
    # Straight code leaves out the zeros of unit vectors, and what is below the diagonal need not be computed.
    columns = _one_by_one(robot.tree, factor, np.eye(robot.nv))
    row, column = np.indices(columns.shape)
    return columns[np.minimum(row, column), np.maximum(row, column)]


def response(tree: Tree, factor: MassFactor, forces: Sequence[Array]) -> Response:
    """`M^-1`, and what accelerations lack, `-M^-1 b`, if forces b (nv, k) are missing.

    All b have their zeros in about the same places.
    """
    traced = is_traced(factor.inverse_pivots)
    return _respond_natively(tree, factor, forces) if traced else _respond(tree, factor, forces)


def _respond(tree: Tree, factor: MassFactor, forces: Sequence[Array]) -> Response:
    """The same in plain steps, each with the operations of the routine in their order."""
    opposite = factor._replace(inverse_pivots=-factor.inverse_pivots)
    columns = tuple(_one_by_one(tree, opposite, b) for b in forces)
    return Response(_inverse(tree, factor), columns)


def _one_by_one(tree: Tree, factor: MassFactor, b: Array) -> Array:
    """`solve_factored`, one column after the other, so that traced code keeps what it works on at hand."""
    return np.stack([solve_factored(tree, factor, column) for column in b.T], axis=1)


def _inverse(tree: Tree, factor: MassFactor) -> Array:
    """M^-1 (nv, nv), column by column: what stands above the diagonal is known by symmetry."""
    size = len(factor.inverse_pivots)
    columns: list[list[Any]] = []
    for j, pivot in enumerate(factor.inverse_pivots):
        column = [before[j] for before in columns]
        for k in range(j, size):
            entry = pivot if k == j else 0.0
            for i in reversed(velocity_path(tree, k)):
                entry = entry - factor.lower[k, i] * column[i]
            column.append(entry)
        columns.append(column)
    return np.array(columns).reshape(size, size)


# Native code


class Block(NamedTuple):
    """Columns that are solved side by side.

    columns: matrix and column of each. rows: velocities in which they have entries, and those before these on the
    path to the root, last ones first.
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
        """For the routine: width, how many rows there are, and each with the number of those that it depends on, and
        these; then the rows that stay zero."""
        plan = [self.width, len(self.rows)]
        for i in self.rows:
            behind = [k for k in self.rows if i in paths[k]]
            plan += [i, len(behind), *behind]
        absent = [i for i in range(len(paths)) if i not in self.rows]
        return [*plan, len(absent), *absent]


def _blocks(paths: Sequence[Sequence[int]], matrices: Sequence[Array]) -> list[Block]:
    """All columns that are not zero, those of the same velocity in the same block."""
    if not matrices:
        return []
    present = [
        [[i for i, entry in enumerate(column) if isinstance(entry, Symbol) or entry != 0] for column in b.T]
        for b in matrices
    ]
    numbers = [k for k, rows in enumerate(zip(*present, strict=True)) if any(rows)]
    width = _WIDE // len(matrices)
    blocks = []
    for begin in range(0, len(numbers), width):
        columns = [(matrix, k) for matrix in range(len(matrices)) for k in numbers[begin : begin + width]]
        entries = {i for matrix, k in columns for i in present[matrix][k]}
        blocks.append(Block(columns, sorted(entries.union(*(paths[i] for i in entries)), reverse=True)))
    return blocks


def _respond_natively(tree: Tree, factor: MassFactor, forces: Sequence[Array]) -> Response:
    """The same as `_respond`, bit for bit, by one native call where there is one lane."""
    size = len(factor.inverse_pivots)
    paths = [velocity_path(tree, k)[::-1] for k in range(size)]
    blocks = _blocks(paths, forces)
    starts = np.cumsum([0, *map(len, paths)])
    places = [i for path in paths for i in path]
    plans = [number for block in blocks for number in block.plan(paths)]
    data = np.array([size, len(blocks), *starts, *places, *plans], dtype=np.int64)
    lower = [factor.lower[k, i] for k, path in enumerate(paths) for i in path]
    stride = -(-size // _WIDE) * _WIDE
    native = NativeFunction(
        f"response_{sha256(data.tobytes()).hexdigest()[:16]}",
        _callback().address,
        size * (sum(block.width for block in blocks) + stride),
        data=data,
        owner=_callback(),
    )

    def in_lanes() -> Array:
        """The routine's outputs, as straight code."""
        inverse, columns = _respond(tree, factor, forces)
        outputs = np.zeros((size, stride), dtype=object)
        outputs[:, :size] = inverse
        solved = [Block(block.columns, list(range(size))).entries(columns) for block in blocks]
        return np.concatenate([*map(np.ravel, solved), outputs.ravel()])

    given = [block.entries(forces) for block in blocks]
    outputs = call(native, lower, factor.inverse_pivots, *given, in_lanes=in_lanes)
    columns = tuple(np.zeros(b.shape, dtype=object) for b in forces)
    for block in blocks:
        solved, outputs = np.split(outputs, [size * block.width])
        for entries, (matrix, column) in zip(solved.reshape(size, block.width).T, block.columns, strict=False):
            columns[matrix][:, column] = entries
    return Response(outputs.reshape(size, stride)[:, :size], columns)


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
def _answer(inputs: Array, outputs: Array, data: Integers) -> None:
    """Entries of L, inverse pivots and blocks of columns in; solved blocks and the inverse out; the tree as data."""
    size, blocks = data[0], data[1]
    starts = data[2 : 3 + size]
    entries = starts[size]
    plan = data[3 + size + entries :]
    pivots = inputs[entries : entries + size]
    factor = Factor(inputs[:entries], data[3 + size : 3 + size + entries], starts, pivots)
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
    """-M^-1 b of a block, of which `ArrayOf[Lanes]` or `ArrayOf[FourLanes]` have a row each; gives the plans left."""
    at = 2
    for row in range(len(b)):
        i, count = plan[at] & _PLACE, plan[at + 1]
        rest = b[row]
        column = factor.lower[factor.starts[i + 1] - factor.starts[i] :]
        for k in plan[at + 2 : at + 2 + count]:
            rest -= column[factor.starts[k & _PLACE] & _PLACE] * x[k & _PLACE]
        x[i] = rest
        at += 2 + count
    absent = plan[at]
    for i in plan[at + 1 : at + 1 + absent]:
        x[i & _PLACE] = 0.0
    begin = 0
    for k, pivot in enumerate(factor.inverse_pivots):
        end = factor.starts[k + 1] & _PLACE
        rest = -pivot * x[k]
        for weight, i in zip(factor.lower[begin:end], factor.places[begin:end]):
            rest -= weight * x[i & _PLACE]
        x[k] = rest
        begin = end
    return plan[at + 1 + absent :]


def _invert(factor: Factor, inverse: Array) -> None:
    """The inverse: 32 entries of a row at a time, up to the diagonal."""
    size = len(factor.inverse_pivots)
    parts = (size + 31) // 32
    vectors: ArrayOf[FourLanes] = inverse[: size * parts * 32].reshape(size * parts, 4, 8)
    begin = 0
    for k, pivot in enumerate(factor.inverse_pivots):
        end = factor.starts[k + 1] & _PLACE
        lower, path = factor.lower[begin:end], factor.places[begin:end]
        for part in range((k + 31) // 32):
            vectors[k * parts + part] = 0.0
            row = vectors[k * parts + part]
            for weight, i in zip(lower, path):
                row -= weight * vectors[(i & _PLACE) * parts + part]
            vectors[k * parts + part] = row
        own = inverse[k * parts * 32 :]
        for j in range(k):
            inverse[j * parts * 32 + k] = own[j]
        corner = pivot
        for weight, i in zip(lower, path):
            corner -= weight * own[i & _PLACE]
        own[k] = corner
        begin = end


@once
def _callback() -> RoutineCallback:
    return RoutineCallback(_answer, data=np.int64)
