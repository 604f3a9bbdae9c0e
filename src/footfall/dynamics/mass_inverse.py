"""The inverse of the mass matrix, and columns multiplied by it.

With `M = L^T D L`, and the path of a velocity k to the root, which ends before k,

    y_i = b_i - sum of L_ki y_k          over all k whose path has i, from the leaves to the root
    x_k = y_k / D_k - sum of L_ki x_i    over the path of k, from the root to the leaves

solves `M x = b`. The inverse needs the second line only: of its column j, b is the unit vector j, so that y is 1 at j
and zero behind it; what stands before j is known by symmetry.

Traced, entry by entry, this would be most of the code of a derivative. One robot runs loops over the tree instead, with
many columns side by side in vector registers.

Derivatives of looped robots, by differentiating the graph of operations that their algorithms leave.

How the dependent joints follow is differentiated along: at a closed configuration the map G(q) is a formula of all
coordinates, and a step of the independent ones moves these along `dq/dt = E(q) G(q) v`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import ArrayOf, NativeFunction, RoutineCallback, Symbol, call, jacobian, routine
from footfall.compiler.once import once
from footfall.compiler.routines import FourLanes, Lanes
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.configuration import configuration_rate
from footfall.dynamics.factorisation import MassFactor, factorise, solve_factored, velocity_path
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import Robot
from footfall.robot.tree import Tree
from footfall.robot.validation import check_mass_matrix


def is_traced(q: Array) -> bool:
    """Whether a configuration is one of symbols; only then is there a graph to differentiate."""
    return any(isinstance(entry, Symbol) for entry in np.asarray(q, dtype=object).ravel())


def looped_force_derivatives(
    robot: Robot, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None
) -> tuple[Array, Array]:
    """Derivatives (nv, nv) of the joint forces of `inverse_dynamics` along steps of q, and by v; of each alone."""
    tau = newton_euler(robot, q, v, a, wrenches)
    by_q, by_v, _ = _partial_derivatives(tau, (q, v, a))
    rates = [configuration_rate.textbook(robot, q, unit) for unit in np.eye(robot.nv)]
    return by_q @ np.array(rates).T, by_v


def _partial_derivatives(values: Array, variables: Sequence[Array]) -> list[Array]:
    """Jacobians by each of some vectors while the others stay, even if they were computed from it."""
    entries = np.concatenate([np.asarray(vector, dtype=object) for vector in variables])
    symbols = [k for k, entry in enumerate(entries) if isinstance(entry, Symbol)]
    matrix = np.zeros((len(values), len(entries)), dtype=object)
    matrix[:, symbols] = jacobian(values, entries[symbols])
    ends = np.cumsum([len(vector) for vector in variables])[:-1]
    return np.split(matrix, ends, axis=1)


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
        """For the loops: width, numbers of rows and steps, and each step: its two rows (see `in_twos`), how many are
        behind both, and these; then the number of rows that have no entries, and these."""
        behind = {i: [k for k in self.rows if i in paths[k]] for i in self.rows}
        steps = in_twos(self.rows, behind)
        plan = [self.width, len(self.rows), len(steps)]
        for first, second in steps:
            plan += [first, second, len(behind[first]), *behind[first]]
        absent = [i for i in range(len(paths)) if i not in self.rows]
        return [*plan, len(absent), *absent]


def in_twos(rows: Sequence[int], before: Mapping[int, Sequence[int]]) -> list[tuple[int, int]]:
    """Rows that are computed at once: two, if the second depends on the first and else on the same; one twice, if not.

    before: for each row the rows that it depends on.
    """
    steps: list[tuple[int, int]] = []
    for row in rows:
        first, second = steps[-1] if steps else (-1, 0)
        if first == second and list(before[row]) == [*before[first], first]:
            steps[-1] = (first, row)
        else:
            steps.append((row, row))
    return steps


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
    (nv + 1,) of each row among them. inverse_pivots: (nv,). steps: (2 m,) all rows from the root on, see `in_twos`.
    """

    lower: Array
    places: Integers
    starts: Integers
    inverse_pivots: Array
    steps: Integers


@routine(fused=True)
def _solve_blocks(inputs: Array, outputs: Array, data: Integers) -> None:
    """Inputs: entries of L, inverse pivots, blocks of columns. Outputs: solved blocks, then the inverse.

    data: numbers of velocities, steps and blocks; starts, places and steps of the factor; plans of the blocks.
    """
    size, steps, blocks, rest = data[0], data[1], data[2], data[3:]
    starts, rest = rest[: size + 1], rest[size + 1 :]
    entries = starts[size]
    places, rest = rest[:entries], rest[entries:]
    factor = Factor(inputs[:entries], places, starts, inputs[entries : entries + size], rest[: 2 * steps])
    plan, given = rest[2 * steps :], inputs[entries + size :]
    for _ in range(blocks):
        width, rows = plan[0], plan[1]
        b, x = given[: rows * width], outputs[: size * width]
        if width == 32:
            wide: ArrayOf[FourLanes] = b.reshape(rows, 4, 8)
            wide_solved: ArrayOf[FourLanes] = x.reshape(size, 4, 8)
            plan = _solve_inward(factor, wide, wide_solved, plan[2:])
            _solve_outward(factor, wide_solved)
        else:
            narrow: ArrayOf[Lanes] = b.reshape(rows, 8)
            narrow_solved: ArrayOf[Lanes] = x.reshape(size, 8)
            plan = _solve_inward(factor, narrow, narrow_solved, plan[2:])
            _solve_outward(factor, narrow_solved)
        given, outputs = given[rows * width :], outputs[size * width :]
    _invert(factor, outputs)


def _solve_inward(factor: Factor, b: Any, x: Any, plan: Integers) -> Integers:
    """From b of a block, `ArrayOf[FourLanes]` or `ArrayOf[Lanes]`, to y, as planned; gives the plans that follow."""
    lower, starts = factor.lower, factor.starts
    at, row = 1, 0
    for _ in range(plan[0]):
        i, j, count = plan[at] & _PLACE, plan[at + 1] & _PLACE, plan[at + 2]
        y_i, y_j = b[row], b[row + (1 if j != i else 0)]
        of_i, of_j = lower[starts[i + 1] - starts[i] :], lower[starts[j + 1] - starts[j] :]  # columns of L
        for k in plan[at + 3 : at + 3 + count]:
            behind, begin = x[k & _PLACE], starts[k & _PLACE] & _PLACE
            y_i -= of_i[begin] * behind
            y_j -= of_j[begin] * behind
        x[i] = y_i
        if j != i:
            x[j] = y_j - of_j[starts[i]] * y_i
        at, row = at + 3 + count, row + (2 if j != i else 1)
    absent = plan[at]
    for i in plan[at + 1 : at + 1 + absent]:
        x[i & _PLACE] = 0.0
    return plan[at + 1 + absent :]


def _solve_outward(factor: Factor, x: Any) -> None:
    """From y of a block to -x."""
    lower, starts, pivots = factor.lower, factor.starts, factor.inverse_pivots
    for step in range(len(factor.steps) // 2):
        i, j = factor.steps[2 * step] & _PLACE, factor.steps[2 * step + 1] & _PLACE
        begin, end = starts[i], starts[i + 1]
        x_i, x_j = -pivots[i] * x[i], -pivots[j] * x[j]
        of_i, of_j = lower[begin:end], lower[starts[j] :]  # rows of L
        for k, place in enumerate(factor.places[begin:end]):
            before = x[place & _PLACE]
            x_i -= of_i[k] * before
            x_j -= of_j[k] * before
        x[i] = x_i
        if j != i:
            x[j] = x_j - of_j[end - begin] * x_i


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
