"""Linear systems whose size is known only while running, as routines."""

from __future__ import annotations

from footfall.arrays import Array
from footfall.compiler.routines import routine


@routine
def solve_in_place(matrix: Array, right: Array) -> bool:
    """Solve `matrix x = right`, (n, n) and (n,), by elimination with row pivots; right becomes x, matrix is used up.

    Gives whether there is a solution; if a pivot is zero, what is left stays as it is.
    """
    n = len(right)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[best, k]):
                best = i
        if matrix[best, k] == 0.0:
            return False
        if best != k:
            for j in range(k, n):
                matrix[k, j], matrix[best, j] = matrix[best, j], matrix[k, j]
            right[k], right[best] = right[best], right[k]
        scale = 1.0 / matrix[k, k]
        for i in range(k + 1, n):
            factor = scale * matrix[i, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    matrix[i, j] -= factor * matrix[k, j]
                right[i] -= factor * right[k]
    for k in range(n - 1, -1, -1):
        total = right[k]
        for j in range(k + 1, n):
            total -= matrix[k, j] * right[j]
        right[k] = total / matrix[k, k]
    return True


@routine
def solve_bands(bands: Array, load: Array) -> bool:
    """Solve a symmetric, positive system in place by L D L^T; whether that was possible.

    bands (n, width + 1): entry (i, j), j <= i, stands in row i and column width + j - i. load (n, dimension).
    """
    count, width = len(bands), bands.shape[1] - 1
    for i in range(count):
        first = max(i - width, 0)
        for j in range(first, i):
            value = bands[i, width + j - i]  # L_ij D_j
            for m in range(max(first, j - width), j):
                value -= bands[i, width + m - i] * bands[j, width + m - j]
            bands[i, width + j - i] = value
        pivot = bands[i, width]
        for j in range(first, i):
            entry = bands[i, width + j - i]
            bands[i, width + j - i] = entry / bands[j, width]
            pivot -= entry * bands[i, width + j - i]
            for d in range(load.shape[1]):
                load[i, d] -= bands[i, width + j - i] * load[j, d]
        if not pivot > 0.0:
            return False
        bands[i, width] = pivot
    for i in range(count - 1, -1, -1):
        for d in range(load.shape[1]):
            value = load[i, d] / bands[i, width]
            for j in range(i + 1, min(i + width + 1, count)):
                value -= bands[j, width + i - j] * load[j, d]
            load[i, d] = value
    return True
