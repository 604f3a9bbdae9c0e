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
