"""The motions that keep equations, and the least motion that comes closest to them, of any rank.

Reflections make equations triangular, the longest of those that are left first, so that those that depend on others
come last and are seen. The reflected axes that no equation needs are the motions that leave all of them alone.

An equation stands in a column: all are worked on at once, in vector instructions, and no sum is reordered.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine

_AGREE = 1e-14  # by which equations that depend on others may miss, relative to the greatest of all


class LeastSquares(NamedTuple):
    """x (n,): the shortest that comes closest; free (n, n - rank): orthonormal motions that no equation sees."""

    x: Array
    free: Array
    rank: int


class Triangular(NamedTuple):
    """Equations after reflections: equation order[k] has entries 0 to k only.

    columns (n, m): the equations. normals (rank and more, n): of the reflections in turn, of length sqrt(2). order: in
    which equations were taken.
    """

    columns: Array
    normals: Array
    order: Integers
    rank: int


@routine
def least_squares(rows: Array, wanted: Array, threshold: float) -> LeastSquares:
    """Solve `rows x = wanted`, (m, n) and (m,), as well as it can be.

    threshold: length below which a row counts as a sum of those before it.
    """
    m, n = rows.shape
    used, count = _used_first(rows)
    columns = np.empty((count, m))
    for j in range(count):
        for i in range(m):
            columns[j, i] = rows[i, used[j]]
    equations = triangular(columns, threshold)
    rank, y = equations.rank, np.zeros(count)
    if not _solve(equations, wanted, y):
        _come_closest(columns[:rank].T.copy(), wanted, y)
    for k in range(rank - 1, -1, -1):
        reflect_vector(y, equations.normals[k], k)
    axes = free_axes(equations.normals, rank)
    x, free, known = np.zeros(n), np.zeros((n, n - rank)), count - rank
    for j in range(count):
        x[used[j]] = y[j]
        free[used[j], :known] = axes[j]
    for j in range(count, n):
        free[used[j], known + j - count] = 1.0
    return LeastSquares(x, free, rank)


@routine
def _used_first(rows: Array) -> tuple[Integers, int]:
    """Entries of x, those that some row sees first, and how many these are."""
    m, n = rows.shape
    order, count, unused = np.empty(n, dtype=np.int64), 0, n
    for j in range(n):
        seen = False
        for i in range(m):
            seen = seen or rows[i, j] != 0.0
        if seen:
            order[count] = j
            count += 1
        else:
            unused -= 1
            order[unused] = j
    return order, count


@routine
def triangular(columns: Array, threshold: float) -> Triangular:
    """Reflect equations, the columns (n, m), in place until they are triangular.

    What is left of an equation counts as zero if it is shorter than threshold.
    """
    n, m = columns.shape
    most = min(m, n)
    normals, order = np.zeros((most, n)), np.full(most, -1)
    squares, used = np.zeros(m), np.zeros(m, dtype=np.bool_)
    for column in columns:
        squares += column * column
    for k in range(most):
        longest, best = -1, threshold * threshold
        for i in range(m):
            if not used[i] and squares[i] > best:
                longest, best = i, squares[i]
        if longest < 0:
            return Triangular(columns, normals, order, k)
        used[longest], order[k] = True, longest
        normal, length = normals[k], math.sqrt(best)
        end = -length if columns[k, longest] > 0.0 else length
        factor = 1.0 / math.sqrt(length * (length + abs(columns[k, longest])))
        for j in range(k, n):
            normal[j] = columns[j, longest] * factor
        normal[k] -= end * factor
        reflect(columns, normal, k)
        columns[k, longest] = end
        squares[:] = 0.0
        for j in range(k + 1, n):
            columns[j, longest] = 0.0
            squares += columns[j] * columns[j]
    return Triangular(columns, normals, order, most)


@routine
def reflect(columns: Array, normal: Array, begin: int) -> None:
    """Reflect columns (n, m) at the plane of a normal (n,) of length sqrt(2); its entries before begin count as zero
    and are not read."""
    n, m = columns.shape
    sums, whole = np.zeros(m), n - (n - begin) % 4
    for j in range(begin, whole, 4):  # four at once, so that sums are read and written a quarter as often
        a, b, c, d = normal[j : j + 4]
        sums += (a * columns[j] + b * columns[j + 1]) + (c * columns[j + 2] + d * columns[j + 3])
    for j in range(whole, n):
        sums += normal[j] * columns[j]
    for j in range(begin, n):
        columns[j] -= normal[j] * sums


@routine
def reflect_vector(x: Array, normal: Array, begin: int) -> None:
    """The same for a single vector (n,)."""
    part = np.sum(normal[begin:] * x[begin:])
    x[begin:] -= part * normal[begin:]


@routine
def free_axes(normals: Array, rank: int) -> Array:
    """Orthonormal motions (n, n - rank) that the reflected equations do not see."""
    n = normals.shape[1]
    axes = np.zeros((n, n - rank))
    for j in range(n - rank):
        axes[rank + j, j] = 1.0
    for k in range(rank - 1, -1, -1):
        reflect(axes, normals[k], k)
    return axes


@routine
def _solve(equations: Triangular, wanted: Array, y: Array) -> bool:
    """Solve the independent ones of triangular equations for y; whether the others agree up to rounding."""
    columns, order = equations.columns, equations.order
    for k in range(equations.rank):
        value = wanted[order[k]]
        for j in range(k):
            value -= columns[j, order[k]] * y[j]
        y[k] = value / columns[k, order[k]]
    if equations.rank == columns.shape[1]:
        return True
    left = wanted.copy()
    for j in range(equations.rank):
        left -= y[j] * columns[j]
    return bool(np.max(np.abs(left)) <= _AGREE * np.max(np.abs(wanted)))


@routine
def _come_closest(columns: Array, wanted: Array, y: Array) -> None:
    """The first entries of y (r,) such that `columns y` (m, r) is closest to wanted (m,); columns are independent."""
    equations, turned = triangular(columns, 0.0), wanted.copy()
    order = equations.order
    for k in range(equations.rank):
        reflect_vector(turned, equations.normals[k], k)
    for k in range(equations.rank - 1, -1, -1):
        value = turned[k]
        for i in range(k + 1, equations.rank):
            value -= columns[k, order[i]] * y[order[i]]
        y[order[k]] = value / columns[k, order[k]]
