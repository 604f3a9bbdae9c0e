"""The mass matrix, by the composite-rigid-body algorithm (CRBA).

A unit acceleration of one joint moves all links beyond it as one rigid body. The force that this takes,
handed down the path to the root, gives one column of the matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.joints import free_axes, joint_transforms
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import lumped_moments, moments_in_parent
from footfall.math.spatial import force_to_parent
from footfall.robot.model import Robot


@algorithm(q="nq")
def mass_matrix(robot: Robot, q: Array, *, packed: bool = False) -> Array:
    """Mass matrix M (nv, nv) in the configuration q (nq,): kg, kg m and kg m2. Armature is included.

    packed: only the entries at `mass_matrix_pattern(robot)`, as (n,): large batches of matrices are slow to write,
    and most of their entries are zero or stand there twice.
    """
    matrix = composite_bodies(robot, q)
    return matrix[mass_matrix_pattern(robot)] if packed else matrix


def mass_matrix_pattern(robot: Robot) -> tuple[Array, Array]:
    """Rows (n,) and columns (n,) of the lower triangle of M that branches leave non-zero, row by row.

    With packed entries, `M[rows, columns] = M[columns, rows] = packed` makes the whole matrix.
    """
    pairs = []
    for velocity in range(robot.nv):
        path = [velocity]
        while (before := robot.tree.parent_velocity[path[-1]]) >= 0:
            path.append(before)
        pairs += [(velocity, other) for other in reversed(path)]
    rows, columns = np.array(pairs, dtype=int).reshape(-1, 2).T
    return rows, columns


def composite_bodies(robot: Robot, q: Array) -> Array:
    """The composite-rigid-body algorithm: mass matrix (nv, nv) in the configuration q (nq,)."""
    tree = robot.tree
    poses = joint_transforms(tree, q)
    composite = lumped_moments(tree)  # each link's with all links beyond it
    matrix: list[list[Any]] = [[0.0] * tree.nv for _ in range(tree.nv)]
    for index, link in reversed(list(enumerate(tree.links))):
        for column, axis_i in free_axes(link):
            force = composite[index].momentum(np.eye(6)[axis_i])  # I^c S_i: of a unit acceleration at rest
            for ancestor in tree.path(index):
                for row, axis_j in free_axes(tree.links[ancestor]):
                    matrix[row][column] = matrix[column][row] = force[axis_j]
                force = force_to_parent(poses[ancestor], force)
            matrix[column][column] = matrix[column][column] + link.armature
        if link.parent >= 0:
            composite[link.parent] += moments_in_parent(link, q, poses[index], composite[index])
    return Coupling(robot, q).quadratic(np.array(matrix).reshape(tree.nv, tree.nv))
