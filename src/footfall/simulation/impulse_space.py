"""Steps of Newton's method in the impulses of a few contacts, each between two links of its own, as traced code.

Where there are fewer rows than velocities it takes less work to form the matrix of contacts, `W = J M^-1 J^T`, once
and solve `(1 + K W) dp = shift` in every step. Each contact's own springs K only mix its three rows, and in the end
every row is one of a positive matrix, or has no entry but one: elimination needs no pivots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.law import LinearLaw
from footfall.dynamics.factorisation import MassFactor
from footfall.math.spatial import symmetric
from footfall.robot.tree import Tree
from footfall.simulation.contact_rows import Row, handed_on, inner
from footfall.simulation.sparse_elimination import solve_sparse

_LEAST_MOBILITY = 1e-9  # of a contact's own sum: keeps directions in which nothing moves off zero


def delassus_matrix(tree: Tree, factor: MassFactor, rows: Sequence[Row]) -> Array:
    """Velocities (n, n) of all rows by unit impulses, 1/kg."""
    handed = [handed_on(tree, factor, row) for row in rows]
    scaled = [{k: factor.inverse_pivots[k] * entry for k, entry in row.items()} for row in handed]
    return symmetric(len(rows), lambda i, j: inner(scaled[i], handed[j]))


def diagonal_mobilities(delassus: Array) -> list[tuple[Any, Any]]:
    """Mean tangential and normal mobility of each contact, 1/kg."""
    result = []
    for k in range(0, len(delassus), 3):
        first, second, normal = (delassus[k + i, k + i] for i in range(3))
        least = _LEAST_MOBILITY * (first + second + normal) + 1e-200
        result.append((0.5 * (first + second) + least, normal + least))
    return result


def impulse_solver(delassus: Array, linear: Sequence[LinearLaw]) -> Callable[[Array], Array]:
    """A function from the shift (n,) of all rows to the change (n,) of their impulses."""
    size = len(delassus)
    matrix = np.eye(size).astype(object)
    for k, cone in enumerate(linear):
        matrix[3 * k : 3 * k + 3] += cone.stiffness @ delassus[3 * k : 3 * k + 3]
    rows = [dict(enumerate(row)) for row in matrix]
    return lambda shift: solve_sparse([dict(row) for row in rows], shift)
