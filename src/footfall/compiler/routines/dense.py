"""Products of matrices and vectors whose size is known only while running: what `@` of arrays is in a routine.

They read and write as little as they can: sums go side by side for vector instructions, several rows at once. These
are the only places where that is spelled out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.arrays import Array


def inner(one: Array, other: Array) -> float:
    """Scalar product of two vectors, in eight sums side by side."""
    n = len(one)
    whole = n - n % 8
    a = b = c = d = e = f = g = h = 0.0
    for k in range(0, whole, 8):
        a += one[k] * other[k]
        b += one[k + 1] * other[k + 1]
        c += one[k + 2] * other[k + 2]
        d += one[k + 3] * other[k + 3]
        e += one[k + 4] * other[k + 4]
        f += one[k + 5] * other[k + 5]
        g += one[k + 6] * other[k + 6]
        h += one[k + 7] * other[k + 7]
    total = ((a + e) + (c + g)) + ((b + f) + (d + h))
    for k in range(whole, n):
        total += one[k] * other[k]
    return total


def _matrix_times_vector(rows: Array, x: Array) -> Array:
    """`rows @ x` (m,)."""
    result = np.empty(len(rows))
    for i in range(len(rows)):
        result[i] = inner(rows[i], x)
    return result


def _vector_times_matrix(weights: Array, rows: Array) -> Array:
    """`weights @ rows` (n,)."""
    result = np.zeros(rows.shape[1])
    for i in range(len(rows)):
        result += weights[i] * rows[i]
    return result


def _transposed_times_vector(rows: Array, weights: Array) -> Array:
    """`rows.T @ weights` (n,)."""
    return _vector_times_matrix(weights, rows)


def _matrix_times_matrix(one: Array, other: Array) -> Array:
    """`one @ other`; two rows of one and four of the other at once, so that little is read twice."""
    m, n, columns = len(one), len(other), other.shape[1]
    result, whole = np.zeros((m + m % 2, columns)), n - n % 4
    for i in range(0, m, 2):
        row, below, beside = result[i], result[i + 1], min(i + 1, m - 1)
        for k in range(0, whole, 4):
            a, b, c, d = one[i, k], one[i, k + 1], one[i, k + 2], one[i, k + 3]
            e, f, g, h = one[beside, k], one[beside, k + 1], one[beside, k + 2], one[beside, k + 3]
            for j in range(columns):
                p, q, r, s = other[k, j], other[k + 1, j], other[k + 2, j], other[k + 3, j]
                row[j] += (a * p + b * q) + (c * r + d * s)
                below[j] += (e * p + f * q) + (g * r + h * s)
        for k in range(whole, n):
            a, e = one[i, k], one[beside, k]
            for j in range(columns):
                row[j] += a * other[k, j]
                below[j] += e * other[k, j]
    return result[:m]


def transposed(matrix: Array) -> Array:
    """`matrix.T`, in memory."""
    rows, columns = matrix.shape
    result = np.empty((columns, rows))
    for i in range(rows):
        for j in range(columns):
            result[j, i] = matrix[i, j]
    return result


def _transposed_times_matrix(one: Array, other: Array) -> Array:
    """`one.T @ other`."""
    return _matrix_times_matrix(transposed(one), other)


_PRODUCTS: dict[tuple[bool, tuple[int, int]], Callable[..., Any]] = {
    (False, (1, 1)): inner,
    (False, (2, 1)): _matrix_times_vector,
    (False, (1, 2)): _vector_times_matrix,
    (False, (2, 2)): _matrix_times_matrix,
    (True, (1, 1)): inner,
    (True, (2, 1)): _transposed_times_vector,
    (True, (2, 2)): _transposed_times_matrix,
}


def matrix_product(across: bool, axes: tuple[int, int]) -> Callable[..., Any]:
    """The function for `a @ b`, or `a.T @ b` if across, of arrays with so many axes."""
    return _PRODUCTS[across, axes]
