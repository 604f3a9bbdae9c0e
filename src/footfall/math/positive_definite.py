"""Linear equations with positive definite matrices, for traces: no pivots, zeros fold away."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array


def solve_positive_definite(matrix: Array, right: Array) -> Array:
    """x (n,) with `matrix @ x = right` by Cholesky's factors L D L^T, for traces; zeros fold away."""
    size = len(right)
    lower: list[list[Any]] = [[0.0] * size for _ in range(size)]
    scaled: list[list[Any]] = [[0.0] * size for _ in range(size)]  # L D
    inverse: list[Any] = []
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest = rest - scaled[i][k] * lower[j][k]
            scaled[i][j] = rest
            lower[i][j] = rest * inverse[j] if j < i else 1.0
        inverse.append(1.0 / scaled[i][i])
    x: list[Any] = list(right)
    for i in range(size):
        for k in range(i):
            x[i] = x[i] - lower[i][k] * x[k]
    x = [value * factor for value, factor in zip(x, inverse, strict=True)]
    for i in reversed(range(size)):
        for k in range(i + 1, size):
            x[i] = x[i] - lower[k][i] * x[k]
    return np.array(x)
