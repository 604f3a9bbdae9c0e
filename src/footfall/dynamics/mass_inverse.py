"""The inverse of the mass matrix, and many columns multiplied by it, side by side in vector registers.

Traced, column by column, this would be most of the code of a derivative. As a routine it is two loops over the tree.
"""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import ArrayOf, NativeFunction, RoutineCallback, call, routine
from footfall.compiler.once import once
from footfall.compiler.routines import Lanes
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.factorisation import MassFactor, factorise, solve_factored, velocity_path
from footfall.dynamics.loop_derivatives import is_traced
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import Robot
from footfall.robot.tree import Tree
from footfall.robot.validation import check_mass_matrix

_LANES = 8
_TOGETHER = 2  # registers of columns; a number of columns is filled up to both


class Factor(NamedTuple):
    """`M = L^T D L` as loops go through it.

    lower: (n,) entries of L, row by row, from the nearest velocity before it to the root. places: (n,) where these
    velocities begin among the vectors of a solution. starts: (nv + 1,) of each row among them. inverse_pivots: (nv,).
    """

    lower: Array
    places: Integers
    starts: Integers
    inverse_pivots: Array


@algorithm(q="nq")
def inverse_mass_matrix(robot: Robot, q: Array) -> Array:
    """Inverse of the mass matrix (nv, nv) in the configuration q (nq,)."""
    check_mass_matrix(robot)
    factor = factorise(robot.tree, composite_bodies(robot, q))
    return _symmetric(_one_by_one(robot.tree, factor, np.eye(robot.nv)))


def times_inverse(tree: Tree, factor: MassFactor, b: Array) -> tuple[Array, Array]:
    """`M^-1 b` (nv, k) for columns b (nv, k), and `M^-1` (nv, nv) itself."""
    size, given = b.shape
    columns = np.concatenate([b, np.eye(size)], axis=1)
    solve = _solve_traced if is_traced(factor.inverse_pivots) else solve_factored
    x = solve(tree, factor, columns)
    return x[:, :given], _symmetric(x[:, given:])


def _symmetric(matrix: Array) -> Array:
    """A matrix of its upper half: what is below it need not be computed."""
    row, column = np.indices(matrix.shape)
    return matrix[np.minimum(row, column), np.maximum(row, column)]


def _solve_traced(tree: Tree, factor: MassFactor, b: Array) -> Array:
    """The same as `_one_by_one`, by one native call where there is one lane."""
    size, columns = b.shape
    width = -(-columns // (_LANES * _TOGETHER)) * _LANES * _TOGETHER
    paths = [velocity_path(tree, k) for k in range(size)]
    lower = [factor.lower[k, i] for k, path in enumerate(paths) for i in path]
    data = np.array([size, width, *map(len, paths), *(i for path in paths for i in path)], dtype=np.float64)
    name = f"factored_columns_{sha256(data.tobytes()).hexdigest()[:16]}"
    native = NativeFunction(name, _callback().address, size * width, data=data, owner=_callback())
    padded = np.zeros((size, width), dtype=object)
    padded[:, :columns] = b
    in_lanes = partial(_one_by_one, tree, factor, padded)
    x: Array = call(native, lower, factor.inverse_pivots, padded, in_lanes=in_lanes)
    return x.reshape(size, width)[:, :columns]


def _one_by_one(tree: Tree, factor: MassFactor, b: Array) -> Array:
    """`solve_factored`, one column after the other, so that traced code keeps what it works on at hand."""
    return np.stack([solve_factored(tree, factor, column) for column in b.T], axis=1)


@routine(fused=True)
def _answer(inputs: Array, outputs: Array, data: Array) -> None:
    """Entries of L, inverse pivots and columns in; solved columns out; the tree as data."""
    size, width = int(data[0]), int(data[1])
    starts = np.zeros(size + 1, dtype=np.int64)
    for k in range(size):
        starts[k + 1] = starts[k] + int(data[2 + k])
    entries, groups = starts[size], width // 8
    places = np.empty(entries, dtype=np.int64)
    for entry in range(entries):
        places[entry] = groups * int(data[2 + size + entry])
    factor = Factor(inputs[:entries], places, starts, inputs[entries : entries + size])
    outputs[: size * width] = inputs[entries + size : entries + size + size * width]
    x: ArrayOf[Lanes] = outputs[: size * width].reshape(size * groups, 8)
    done = 0
    while done + 4 <= groups:
        _solve_four(factor, x, done, groups)
        done += 4
    while done < groups:
        _solve_two(factor, x, done, groups)
        done += 2


def _solve_four(factor: Factor, x: ArrayOf[Lanes], first: int, groups: int) -> None:
    """Solve `L^T D L x = b` in place for four vectors of columns, of `groups` in each row.

    Four sums at a time: none waits for another.
    """
    lower, places, starts, inverse_pivots = factor
    for k in range(len(inverse_pivots) - 1, -1, -1):
        own = k * groups + first
        a, b, c, d = x[own], x[own + 1], x[own + 2], x[own + 3]
        for entry in range(starts[k], starts[k + 1]):
            weight, i = lower[entry], places[entry] + first
            x[i] -= weight * a
            x[i + 1] -= weight * b
            x[i + 2] -= weight * c
            x[i + 3] -= weight * d
    for k in range(len(inverse_pivots)):
        own, pivot = k * groups + first, inverse_pivots[k]
        a, b, c, d = pivot * x[own], pivot * x[own + 1], pivot * x[own + 2], pivot * x[own + 3]
        for entry in range(starts[k + 1] - 1, starts[k] - 1, -1):
            weight, i = lower[entry], places[entry] + first
            a -= weight * x[i]
            b -= weight * x[i + 1]
            c -= weight * x[i + 2]
            d -= weight * x[i + 3]
        x[own] = a
        x[own + 1] = b
        x[own + 2] = c
        x[own + 3] = d


def _solve_two(factor: Factor, x: ArrayOf[Lanes], first: int, groups: int) -> None:
    """The same for two vectors that are left."""
    lower, places, starts, inverse_pivots = factor
    for k in range(len(inverse_pivots) - 1, -1, -1):
        own = k * groups + first
        a, b = x[own], x[own + 1]
        for entry in range(starts[k], starts[k + 1]):
            weight, i = lower[entry], places[entry] + first
            x[i] -= weight * a
            x[i + 1] -= weight * b
    for k in range(len(inverse_pivots)):
        own, pivot = k * groups + first, inverse_pivots[k]
        a, b = pivot * x[own], pivot * x[own + 1]
        for entry in range(starts[k + 1] - 1, starts[k] - 1, -1):
            weight, i = lower[entry], places[entry] + first
            a -= weight * x[i]
            b -= weight * x[i + 1]
        x[own] = a
        x[own + 1] = b


@once
def _callback() -> RoutineCallback:
    return RoutineCallback(_answer)
