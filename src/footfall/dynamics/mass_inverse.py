"""The inverse of the mass matrix, and columns multiplied by it.

With `M = L^T D L`, and the path of a velocity k to the root, which ends before k,

    y_i = b_i - sum of L_ki y_k          over all k whose path has i, from the leaves to the root
    x_k = y_k / D_k - sum of L_ki x_i    over the path of k, from the root to the leaves

solves `M x = b`. The inverse needs the second line only: of its column j, b is the unit vector j, so that y is 1 at j
and zero behind it; what stands before j is known by symmetry.

Traced, entry by entry, this would be most of the code of a derivative. One robot runs loops over the tree instead, with
many columns side by side (`column_blocks.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import NativeFunction, call
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.column_blocks import Block, blocks_of, in_twos, inverse_width, native_loops
from footfall.dynamics.factorisation import MassFactor, factorise, solve_factored, velocity_path
from footfall.dynamics.loop_derivatives import is_traced
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import Robot
from footfall.robot.tree import Tree
from footfall.robot.validation import check_mass_matrix


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
    """`M^-1`, and how accelerations change if motion takes more forces b (nv, k): by `-M^-1 b`.

    The matrices of forces have one shape, and zeros in about the same places.
    """
    traced = is_traced(factor.inverse_pivots)
    return _respond_natively(tree, factor, forces) if traced else _respond(tree, factor, forces)


def _respond(tree: Tree, factor: MassFactor, forces: Sequence[Array]) -> Response:
    """The same in plain steps, with the operations of the loops in their order."""
    opposite = factor._replace(inverse_pivots=-factor.inverse_pivots)
    return Response(_inverse(tree, factor), tuple(_one_by_one(tree, opposite, b) for b in forces))


def _one_by_one(tree: Tree, factor: MassFactor, b: Array) -> Array:
    """`solve_factored`, one column after the other, so that traced code keeps what it works on at hand."""
    return np.stack([solve_factored(tree, factor, column) for column in b.T], axis=1)


def _inverse(tree: Tree, factor: MassFactor) -> Array:
    """M^-1 (nv, nv), column by column."""
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


def _respond_natively(tree: Tree, factor: MassFactor, forces: Sequence[Array]) -> Response:
    """The same as `_respond`, bit for bit, by one native call where there is one lane."""
    size = len(factor.inverse_pivots)
    paths = [velocity_path(tree, k)[::-1] for k in range(size)]
    blocks = blocks_of(paths, forces)
    every, width = list(range(size)), inverse_width(size)

    def in_lanes() -> Array:
        """The outputs of the loops, as straight code."""
        inverse, columns = _respond(tree, factor, forces)
        padded = np.zeros((size, width), dtype=object)
        padded[:, :size] = inverse
        solved = [Block(block.columns, every).entries(columns) for block in blocks]
        return np.concatenate([np.ravel(entries) for entries in (*solved, padded)])

    steps = in_twos(every, dict(enumerate(paths)))
    sizes, starts = [size, len(steps), len(blocks)], np.cumsum([0, *map(len, paths)])
    plans = [block.plan(paths) for block in blocks]
    data = np.concatenate([sizes, starts, *paths, *steps, *plans]).astype(np.int64)
    name = f"response_{sha256(data.tobytes()).hexdigest()[:16]}"
    count = size * (sum(block.width for block in blocks) + width)
    native = NativeFunction(name, native_loops().address, count, data=data, owner=native_loops())
    lower = [factor.lower[k, i] for k, path in enumerate(paths) for i in path]
    given = [block.entries(forces) for block in blocks]
    outputs = call(native, lower, factor.inverse_pivots, *given, in_lanes=in_lanes)

    columns = tuple(np.zeros(b.shape, dtype=object) for b in forces)
    for block in blocks:
        solved, outputs = np.split(outputs, [size * block.width])
        for entries, (matrix, column) in zip(solved.reshape(size, -1).T, block.columns, strict=False):
            columns[matrix][:, column] = entries
    return Response(outputs.reshape(size, width)[:, :size], columns)
