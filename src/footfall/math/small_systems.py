"""Small dense systems of linear equations, on numbers and symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, where
from footfall.compiler.routines import Matrix2


def solve_small(matrix: Array, right: Array) -> Array:
    """x (n, k) with `matrix @ x = right` for a regular matrix (n, n).

    Two unknowns by Cramer's rule; more by elimination, each time with the row that has the largest entry, which traced
    code chooses when it runs.
    """
    size = len(matrix)
    if size == 1:
        scaled: Array = right * (1 / matrix[0, 0])
        return scaled
    if size == 2:
        return solve_two(matrix, right)
    rows = [list(matrix[k]) + list(right[k]) for k in range(size)]
    for k in range(size):
        for other in range(k + 1, size):
            if _is_zero(rows[other][k]):
                continue
            swap = absolute(rows[other][k]) > absolute(rows[k][k])
            pairs = [(a, b) for a, b in zip(rows[k], rows[other], strict=True)]
            rows[k] = [where(swap, b, a) for a, b in pairs]
            rows[other] = [where(swap, a, b) for a, b in pairs]
        inverse = 1 / rows[k][k]
        rows[k] = [0.0] * k + [1.0] + [entry * inverse for entry in rows[k][k + 1 :]]
        for other in range(k + 1, size):
            factor = rows[other][k]
            rows[other] = [0.0] * (k + 1) + [
                a - factor * b for a, b in zip(rows[other][k + 1 :], rows[k][k + 1 :], strict=True)
            ]
    for k in reversed(range(size)):
        for other in range(k):
            factor = rows[other][k]
            rows[other][size:] = [
                a - factor * b for a, b in zip(rows[other][size:], rows[k][size:], strict=True)
            ]
    return np.array([row[size:] for row in rows]).reshape(right.shape)


def solve_two(matrix: Matrix2, right: Array) -> Array:
    """x (2,) or (2, k) with `matrix @ x = right`, by Cramer's rule; also in routines."""
    (a, b), (c, d) = matrix
    inverse = 1 / (a * d - b * c)
    return np.array([(d * right[0] - b * right[1]) * inverse, (a * right[1] - c * right[0]) * inverse])


def _is_zero(value: Any) -> bool:
    """Whether an entry is known to be zero before anything runs."""
    return isinstance(value, float) and value == 0.0
