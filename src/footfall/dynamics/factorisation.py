"""Factorisation of the mass matrix that keeps the zeros between branches.

Written `M = L^T D L` with a unit lower triangle L, elimination runs from the leaves to the root, and L has no
entry where M has none: only between a velocity and those before it on its path to the root. No square roots.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import Robot
from footfall.robot.tree import Tree
from footfall.robot.validation import check_mass_matrix


class MassFactor(NamedTuple):
    """`M = L^T D L`.

    lower: (nv, nv) unit lower triangle L. inverse_pivots: (nv,) the diagonal of D^-1.
    """

    lower: Array
    inverse_pivots: Array


@algorithm(q="nq")
def factorise_mass_matrix(robot: Robot, q: Array) -> MassFactor:
    """Factor of the mass matrix in the configuration q (nq,), for `solve_mass_matrix`."""
    check_mass_matrix(robot)
    return factorise(robot.tree, composite_bodies(robot, q))


def solve_mass_matrix(robot: Robot, factor: MassFactor, b: Array) -> Array:
    """x with `M x = b`, for b (nv,) or columns (nv, k); a batch of factors takes a batch of either."""
    solve = _solve_vector if np.ndim(b) < np.ndim(factor.lower) else _solve_columns
    return solve(robot, factor.lower, factor.inverse_pivots, b)  # type: ignore[no-any-return]


@algorithm(lower="nv, nv", inverse_pivots="nv", b="nv")
def _solve_vector(robot: Robot, lower: Array, inverse_pivots: Array, b: Array) -> Array:
    return solve_factored(robot.tree, MassFactor(lower, inverse_pivots), b)


@algorithm(lower="nv, nv", inverse_pivots="nv", b="nv, *")
def _solve_columns(robot: Robot, lower: Array, inverse_pivots: Array, b: Array) -> Array:
    return solve_factored(robot.tree, MassFactor(lower, inverse_pivots), b)


def velocity_path(tree: Tree, velocity: int) -> list[int]:
    """The velocities before `velocity` on the path to the root, nearest first."""
    path = []
    while (velocity := tree.parent_velocity[velocity]) >= 0:
        path.append(velocity)
    return path


def factorise(tree: Tree, matrix: Array) -> MassFactor:
    """Factor L^T D L of a mass matrix (nv, nv), Schwienbacher 2014, chapter 2, without square roots."""
    rest = matrix.tolist()
    size = len(tree.parent_velocity)
    lower: list[list[Any]] = np.eye(size).tolist()
    inverse_pivots: list[Any] = [0.0] * size
    for k in reversed(range(size)):
        inverse_pivots[k] = 1 / rest[k][k]
        path = velocity_path(tree, k)
        for i in path:
            lower[k][i] = rest[k][i] * inverse_pivots[k]
        for position, i in enumerate(path):
            for j in path[position:]:
                rest[i][j] = rest[i][j] - lower[k][i] * rest[k][j]
    return MassFactor(np.array(lower).reshape(size, size), np.array(inverse_pivots))


def solve_factored(tree: Tree, factor: MassFactor, b: Array) -> Array:
    """x (nv,) or (nv, k) with `L^T D L x = b`."""
    x = list(b)
    for k in reversed(range(len(x))):
        for i in velocity_path(tree, k):
            x[i] = x[i] - factor.lower[k, i] * x[k]
    x = [factor.inverse_pivots[k] * row for k, row in enumerate(x)]
    for k in range(len(x)):
        for i in reversed(velocity_path(tree, k)):
            x[k] = x[k] - factor.lower[k, i] * x[i]
    return np.array(x).reshape(b.shape)


def dense_solve(matrix: Array, b: Array) -> Array:
    """x (n,) with `matrix @ x = b` for a positive definite matrix, by `C D C^T` from the first row, O(n^3).

    Ignores the tree: this is the reference that the other ways are measured against.
    """
    below, x = matrix, list(b)
    columns: list[Array] = []
    inverse_pivots: list[Any] = []
    for k in range(len(x)):
        column = below[1:, 0]
        inverse_pivots.append(1 / below[0, 0])
        columns.append(column * inverse_pivots[k])
        for i, entry in enumerate(columns[k], start=k + 1):
            x[i] = x[i] - entry * x[k]
        below = below[1:, 1:] - np.outer(columns[k], column)  # only the lower triangle is read
    for k in reversed(range(len(x))):
        x[k] = x[k] * inverse_pivots[k]
        for i, entry in enumerate(columns[k], start=k + 1):
            x[k] = x[k] - entry * x[i]
    return np.array(x)
