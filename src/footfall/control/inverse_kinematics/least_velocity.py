"""The least velocity that gives tasks their rates: what resolved rates and the walking controller solve.

    v = free + S J^T (J S J^T + d^2)^-1 (wanted - J free)    minimises (v - free) S^-1 (v - free)  with  J v = wanted

Schwienbacher 2014, (4.6)-(4.16) and algorithm 4.3. d: damping, which keeps the factorisation possible where tasks lose
rank. Where a row a of a momentum is penalised by w, the norm `S^-1 + w a a^T` has the inverse `S - k S a a^T S` with
`k = w / (1 + w a S a)` (Sherman and Morrison 1950).

`least_velocity` is for traces, where zeros of a robot's Jacobian fold away (LOLA's 22 rows take half the time).
`Metric`, `normal_equations` and `add_solution` are for routines that choose among the rows while they run, so that
tasks can be blended: rows that all choices share are eliminated once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, FourLanes
from footfall.math.positive_definite import solve_positive_definite
from footfall.math.spatial import symmetric

_WIDE = 32  # numbers of a row side by side


class LeastVelocity(NamedTuple):
    """serve(rates (m,)): v (nv,) that gives them. project(v (nv,)): v without what tasks would feel of it."""

    serve: Callable[[Array], Array]
    project: Callable[[Array], Array]


def least_velocity(jacobian: Array, scaled: Array, damping: float) -> LeastVelocity:
    """For a Jacobian (m, nv), scaled: `J S` (m, nv), and a damping in the unit of J; numbers or symbols."""
    square = damping**2
    gram = symmetric(len(jacobian), lambda i, j: scaled[i] @ jacobian[j] + (square if i == j else 0.0))

    def serve(rates: Array) -> Array:
        v: Array = scaled.T @ solve_positive_definite(gram, rates)
        return v

    def project(v: Array) -> Array:
        return v - serve(jacobian @ v)

    return LeastVelocity(serve, project)


class Metric(NamedTuple):
    """The inverse of a norm, `S - share (S a) (S a)^T`, seen by tasks. columns (m, nv): J S. row (nv,): S a. tasks
    (m,): J S a. share: k."""

    columns: Array
    row: Array
    tasks: Array
    share: float


def metric_of(jacobian: Array, mobile: Array, momentum: Array, weight: float) -> Metric:
    """For mobile (nv,): the diagonal of S; momentum (nv,): a; weight: w."""
    m, nv = jacobian.shape
    row = mobile * momentum
    columns = np.empty((m, nv))
    for k in range(m):
        columns[k] = mobile * jacobian[k]
    share = weight / (1.0 + weight * float(row @ momentum))
    return Metric(columns, row, jacobian @ row, share)


class Normal(NamedTuple):
    """Normal equations `J (S - k S a a^T S) J^T + d^2` x = wanted of tasks (m,), a part of whose rows is eliminated.

    rows (m parts 32,): 32 numbers side by side in lanes, what lies beyond m is 0. right (m,). inverses (m,): of the
    pivots of rows that are eliminated.
    """

    rows: Array
    right: Array
    inverses: Array

    @property
    def parts(self) -> int:
        """Of a row, each of 32."""
        return len(self.rows) // (_WIDE * len(self.right))


class Pattern(NamedTuple):
    """Which joints move which tasks, two rows at a time: `columns[first[k]:first[k + 1]]` of rows 2 k and 2 k + 1 of a
    Jacobian may be other than zero."""

    columns: Integers
    first: Integers


def pattern_of(jacobians: Array) -> Pattern:
    """Of Jacobians (samples, m, nv) at configurations drawn at random: what is zero in all of them always is."""
    pairs = [
        np.flatnonzero(jacobians[:, i : i + 2].any(axis=(0, 1))) for i in range(0, jacobians.shape[1], 2)
    ]
    return Pattern(np.concatenate(pairs), np.cumsum([0, *map(len, pairs)]))


def across(jacobian: Array, pattern: Pattern) -> Array:
    """A Jacobian (m, nv) column by column (nv parts 32,), each in lanes as the rows of `Normal` are."""
    m, nv = jacobian.shape
    size = (m + _WIDE - 1) // _WIDE * _WIDE
    columns = np.zeros(nv * size)
    for i in range(m):
        for k in pattern.columns[pattern.first[i // 2] : pattern.first[i // 2 + 1]]:
            columns[k * size + i] = jacobian[i, k]
    return columns


def normal_equations(
    jacobian: Array, metric: Metric, damping: Array, wanted: Array, pattern: Pattern
) -> Normal:
    """Of all tasks; jacobian: `across`; damping (m,): d of each row. pattern: of the Jacobian, mostly zeros."""
    m, nv = metric.columns.shape
    parts = (m + _WIDE - 1) // _WIDE
    products = np.zeros(parts * _WIDE)
    products[:m] = metric.tasks
    normal = Normal(np.empty(m * parts * _WIDE), wanted.copy(), np.zeros(m))
    rows: ArrayOf[FourLanes] = normal.rows.reshape(m * parts, 4, 8)
    columns: ArrayOf[FourLanes] = jacobian.reshape(nv * parts, 4, 8)
    tasks: ArrayOf[FourLanes] = products.reshape(parts, 4, 8)
    for i in range(0, m, 2):  # two rows at once: each column is read once for both
        below = min(i + 1, m - 1)
        for part in range(parts):
            one = (-metric.share * metric.tasks[i]) * tasks[part]
            other = (-metric.share * metric.tasks[below]) * tasks[part]
            for k in pattern.columns[pattern.first[i // 2] : pattern.first[i // 2 + 1]]:
                column = columns[k * parts + part]
                one += metric.columns[i, k] * column
                other += metric.columns[below, k] * column
            rows[i * parts + part] = one
            rows[below * parts + part] = other
    for i in range(m):
        normal.rows[i * parts * _WIDE + i] += damping[i] * damping[i]
    return normal


def eliminate_rows(normal: Normal, order: Integers, first: int, last: int, end: int) -> None:
    """Eliminate the rows `order[first:last]` from those that follow them in `order[:end]`."""
    parts = normal.parts
    rows: ArrayOf[FourLanes] = normal.rows.reshape(len(normal.right) * parts, 4, 8)
    for place in range(first, last):
        k = order[place]
        pivots = normal.rows[k * parts * _WIDE : (k + 1) * parts * _WIDE]
        inverse = 1.0 / pivots[k]
        normal.inverses[k] = inverse
        for other in range(place + 1, end):
            i = order[other]
            share = pivots[i] * inverse
            normal.right[i] -= share * normal.right[k]
            for part in range(parts):
                rows[i * parts + part] -= share * rows[k * parts + part]


def add_solution(metric: Metric, normal: Normal, order: Integers, done: int, weight: float, v: Array) -> None:
    """Add to v (nv,) the least velocity that has the wanted rates of the rows in `order`, times a weight. done: how
    many of them, from the first on, are eliminated already; the others are left as they were."""
    n, parts = len(order), normal.parts
    size = parts * _WIDE
    kept, right = np.empty((n - done) * size), np.empty(n - done)
    for k in range(done, n):
        kept[(k - done) * size : (k - done + 1) * size] = normal.rows[order[k] * size : (order[k] + 1) * size]
        right[k - done] = normal.right[order[k]]
    eliminate_rows(normal, order, done, n, n)
    rows: ArrayOf[FourLanes] = normal.rows.reshape(len(normal.right) * parts, 4, 8)
    numbers = np.zeros(size)
    x: ArrayOf[FourLanes] = numbers.reshape(parts, 4, 8)
    against = 0.0
    for place in range(n - 1, -1, -1):
        i = order[place]
        products = x[0] * rows[i * parts]
        for part in range(1, parts):
            products += x[part] * rows[i * parts + part]
        found = (normal.right[i] - np.sum(np.sum(products))) * normal.inverses[i]
        numbers[i] = found
        v += (weight * found) * metric.columns[i]
        against += weight * found * metric.tasks[i]
    v -= (metric.share * against) * metric.row
    for k in range(done, n):
        normal.rows[order[k] * size : (order[k] + 1) * size] = kept[(k - done) * size : (k - done + 1) * size]
        normal.right[order[k]] = right[k - done]
