"""Linear systems of a robot's velocities by elimination that keeps the zeros between branches, as traced code.

From the leaves to the root a tree has no fill-in. Contacts between bodies add entries: which, is known when the code
is traced. The matrix has a symmetric pattern but need not be symmetric: friction is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array

SparseRows = list[dict[int, Any]]  # row -> column -> entry


def add_entry(rows: SparseRows, i: int, j: int, value: Any) -> None:
    """Add to an entry; a new one also opens its mirror image, so that the pattern stays symmetric."""
    rows[i][j] = rows[i].get(j, 0.0) + value
    rows[j].setdefault(i, 0.0)


def untouched(rows: SparseRows, touched: set[int]) -> list[int]:
    """Rows, last first, that can be eliminated without `touched` ones: all their later columns are such rows too."""
    result: list[int] = []
    for k in reversed(range(len(rows))):
        if k not in touched and all(j in result for j in rows[k] if j > k):
            result.append(k)
    return result


def eliminate(rows: SparseRows, x: list[Any], order: Sequence[int]) -> dict[int, Any]:
    """Eliminate rows in some order, from last to first, in place, with the right side x unless that is empty there.

    Gives the inverse pivots.
    """
    inverse: dict[int, Any] = {}
    for k in order:
        inverse[k] = 1.0 / rows[k][k]
        before = [j for j in rows[k] if j < k]
        for i in before:
            factor = rows[i][k] * inverse[k]
            for j in before:
                rows[i][j] = rows[i].get(j, 0.0) - factor * rows[k][j]
            if x:
                x[i] = x[i] - factor * x[k]
    return inverse


def solve_sparse(rows: SparseRows, right: Array, eliminated: Mapping[int, Any] | None = None) -> Array:
    """x (n,) with `rows x = right`, n^3 / 3 multiplications at most. rows are used up.

    eliminated: inverse pivots of rows that `eliminate` has been through; right must be zero there.
    """
    x, done = list(right), dict(eliminated or {})
    inverse = done | eliminate(rows, x, [k for k in reversed(range(len(rows))) if k not in done])
    for k in range(len(rows)):
        for j in sorted(rows[k]):
            if j < k:
                x[k] = x[k] - rows[k][j] * x[j]
        x[k] = x[k] * inverse[k]
    return np.array(x)
