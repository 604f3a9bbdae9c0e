"""Rows of equations as native code: the motions that keep them, and the least motion that comes closest to them.

Reflections make rows triangular, the longest of those that are left first, so that rows that depend on others come
last and are seen. The reflected axes that no row needs are the motions that leave all rows alone.

Matrices are stored with a row of equations in each column: all equations are worked on at once, in vector
instructions, and no sum is reordered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.routines import routine

Array = np.ndarray[Any, np.dtype[np.float64]]

_AGREE = 1e-14  # by which equations that depend on others may miss, relative to the greatest of all


@routine
def triangular_rows(columns: Array, threshold: float) -> tuple[Any, Any, int]:
    """Reflect equations, the columns (n, m), in place until they are triangular.

    Gives the normals (k, n) of the reflections, of length sqrt(2), in turn; the order (k,) in which equations were
    taken; and the rank k. Afterwards equation order[k] has entries 0 to k only. What is left of an equation counts as
    zero if it is shorter than threshold.
    """
    n, m = columns.shape
    most = min(m, n)
    normals, order = np.zeros((most, n)), np.full(most, -1)
    squares, parts, used = np.zeros(m), np.empty(m), np.zeros(m, dtype=np.bool_)
    for j in range(n):
        for i in range(m):
            squares[i] += columns[j, i] * columns[j, i]
    for k in range(most):
        longest, best = -1, threshold * threshold
        for i in range(m):
            if not used[i] and squares[i] > best:
                longest, best = i, squares[i]
        if longest < 0:
            return normals, order, k
        used[longest], order[k] = True, longest
        normal, length = normals[k], np.sqrt(best)
        end = -length if columns[k, longest] > 0.0 else length
        factor = 1.0 / np.sqrt(length * (length + abs(columns[k, longest])))
        for j in range(k, n):
            normal[j] = columns[j, longest] * factor
        normal[k] -= end * factor
        reflect(columns, normal, k, parts)
        columns[k, longest] = end
        for i in range(m):
            squares[i] = 0.0
        for j in range(k + 1, n):
            columns[j, longest] = 0.0
            for i in range(m):
                squares[i] += columns[j, i] * columns[j, i]
    return normals, order, most


@routine
def reflect(columns: Array, normal: Array, begin: int, parts: Array) -> None:
    """Reflect columns (n, m) at the plane of a normal (n,) of length sqrt(2) whose entries before begin are zero.

    Entries of the normal before begin are not read. parts (m,): room for sums.
    """
    n, m = columns.shape
    for i in range(m):
        parts[i] = 0.0
    whole = n - (n - begin) % 4
    for j in range(begin, whole, 4):  # four at once, so that sums are read and written a quarter as often
        a, b, c, d = normal[j], normal[j + 1], normal[j + 2], normal[j + 3]
        for i in range(m):
            parts[i] += (a * columns[j, i] + b * columns[j + 1, i]) + (
                c * columns[j + 2, i] + d * columns[j + 3, i]
            )
    for j in range(whole, n):
        weight = normal[j]
        for i in range(m):
            parts[i] += weight * columns[j, i]
    for j in range(begin, n):
        weight = normal[j]
        for i in range(m):
            columns[j, i] -= weight * parts[i]


@routine
def reflect_vector(x: Array, normal: Array, begin: int) -> None:
    """The same for a single vector (n,)."""
    part = 0.0
    for j in range(begin, len(x)):
        part += normal[j] * x[j]
    for j in range(begin, len(x)):
        x[j] -= part * normal[j]


@routine
def free_axes(normals: Array, rank: int) -> Any:
    """Orthonormal motions (n, n - rank) that the reflected equations do not see."""
    n = normals.shape[1]
    axes, parts = np.zeros((n, n - rank)), np.empty(n - rank)
    for j in range(n - rank):
        axes[rank + j, j] = 1.0
    for k in range(rank - 1, -1, -1):
        reflect(axes, normals[k], k, parts)
    return axes


@routine
def least_squares(rows: Array, wanted: Array, threshold: float) -> tuple[Any, Any, int]:
    """The shortest x (n,) that comes closest to `rows x = wanted`, (m, n) and (m,); the free axes; and the rank.

    threshold: length below which a row counts as a sum of those before it.
    """
    m, n = rows.shape
    used, count = np.empty(n, dtype=np.int64), 0  # entries of x that any row sees; unused ones come last
    unused = n
    for j in range(n):
        seen = False
        for i in range(m):
            seen = seen or rows[i, j] != 0.0
        if seen:
            used[count] = j
            count += 1
        else:
            unused -= 1
            used[unused] = j
    columns = np.empty((count, m))
    for i in range(m):
        for j in range(count):
            columns[j, i] = rows[i, used[j]]
    normals, order, rank = triangular_rows(columns, threshold)
    y = np.zeros(count)
    if not _solved(columns, order, rank, wanted, y):
        _closest(transposed(columns[:rank], m), wanted, y)
    for k in range(rank - 1, -1, -1):
        reflect_vector(y, normals[k], k)
    axes = free_axes(normals, rank)
    x, spread, known = np.zeros(n), np.zeros((n, n - rank)), count - rank
    for j in range(count):
        x[used[j]] = y[j]
        for i in range(known):
            spread[used[j], i] = axes[j, i]
    for j in range(count, n):
        spread[used[j], known + j - count] = 1.0
    return x, spread, rank


@routine
def _solved(columns: Array, order: Any, rank: int, wanted: Array, y: Array) -> bool:
    """Solve the independent ones of triangular equations for y; whether the others agree up to rounding."""
    for k in range(rank):
        value = wanted[order[k]]
        for j in range(k):
            value -= columns[j, order[k]] * y[j]
        y[k] = value / columns[k, order[k]]
    if rank == columns.shape[1]:
        return True
    left, scale, worst = wanted.copy(), 0.0, 0.0
    for j in range(rank):
        weight = y[j]
        for i in range(len(left)):
            left[i] -= weight * columns[j, i]
    for i in range(len(left)):
        scale, worst = max(scale, abs(wanted[i])), max(worst, abs(left[i]))
    return worst <= _AGREE * scale


@routine
def _closest(columns: Array, wanted: Array, y: Array) -> None:
    """The first entries of y (r,) such that `columns y` (m, r) is closest to wanted (m,); columns are independent."""
    normals, order, rank = triangular_rows(columns, 0.0)
    turned = wanted.copy()
    for k in range(rank):
        reflect_vector(turned, normals[k], k)
    for k in range(rank - 1, -1, -1):
        value = turned[k]
        for i in range(k + 1, rank):
            value -= columns[k, order[i]] * y[order[i]]
        y[order[k]] = value / columns[k, order[k]]


@routine
def transposed(matrix: Array, columns: int) -> Any:
    """The first columns of a matrix (m, n) as rows (columns, m)."""
    result = np.empty((columns, len(matrix)))
    for i in range(len(matrix)):
        for j in range(columns):
            result[j, i] = matrix[i, j]
    return result


@routine
def product(one: Array, other: Array) -> Any:
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
