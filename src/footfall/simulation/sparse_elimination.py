"""Linear systems of a robot's velocities by elimination that keeps the zeros between branches, as traced code.

From the leaves to the root a tree has no fill-in. Contacts between bodies add entries: which, is known when the code
is traced. The matrix has a symmetric pattern but need not be symmetric: friction is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
SparseRows = list[dict[int, Any]]  # row -> column -> entry


def add_entry(rows: SparseRows, i: int, j: int, value: Any) -> None:
    """Add to an entry; a new one also opens its mirror image, so that the pattern stays symmetric."""
    rows[i][j] = rows[i].get(j, 0.0) + value
    rows[j].setdefault(i, 0.0)


def solve_sparse(rows: SparseRows, right: Array) -> Array:
    """x (n,) with `rows x = right`, n^3 / 3 multiplications at most. rows are used up."""
    x = list(right)
    inverse: list[Any] = [0.0] * len(rows)
    for k in reversed(range(len(rows))):
        inverse[k] = 1.0 / rows[k][k]
        before = [j for j in rows[k] if j < k]
        for i in before:
            factor = rows[i][k] * inverse[k]
            for j in before:
                rows[i][j] = rows[i].get(j, 0.0) - factor * rows[k][j]
            x[i] = x[i] - factor * x[k]
    for k in range(len(rows)):
        for j in sorted(rows[k]):
            if j < k:
                x[k] = x[k] - rows[k][j] * x[j]
        x[k] = x[k] * inverse[k]
    return np.array(x)


def elimination_work(pattern: list[set[int]]) -> int:
    """Multiplications of an elimination; pattern: columns of each row, symmetric."""
    pattern = [set(row) for row in pattern]
    work = 0
    for k in reversed(range(len(pattern))):
        before = {j for j in pattern[k] if j < k}
        work += len(before) ** 2 + len(before)
        for i in before:
            pattern[i] |= before
    return work
