"""The least velocity that gives tasks their rates: what resolved rates and the walking controller solve.

    v = free + S J^T (J S J^T + d^2)^-1 (wanted - J free)    minimises (v - free) S^-1 (v - free)  with  J v = wanted

Schwienbacher 2014, (4.6)-(4.16) and algorithm 4.3. d: damping, which keeps the factorisation possible where tasks lose
rank. Where a row a of a momentum is penalised by w, the norm `S^-1 + w a a^T` has the inverse `S - k S a a^T S` with
`k = w / (1 + w a S a)` (Sherman and Morrison 1950).

`least_velocity` is for traces, where zeros of a robot's Jacobian fold away. `Metric`, `damped_gram` and `add_solution`
are for routines that choose among the rows while they run, so that tasks can be blended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.math.positive_definite import solve_positive_definite
from footfall.math.spatial import symmetric


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


def damped_gram(jacobian: Array, metric: Metric, damping: Array) -> Array:
    """`J (S - k S a a^T S) J^T + d^2` (m, m), the lower triangle; damping (m,): d of each row."""
    m = len(jacobian)
    gram = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1):
            gram[i, j] = jacobian[i] @ metric.columns[j] - metric.share * metric.tasks[i] * metric.tasks[j]
        gram[i, i] += damping[i] * damping[i]
    return gram


def add_solution(
    metric: Metric, gram: Array, wanted: Array, order: Integers, weight: float, v: Array
) -> None:
    """Add to v (nv,) the least velocity that has the wanted rates (m,) of the rows in `order`, times a weight."""
    n = len(order)
    lower, x = np.zeros((n, n)), np.zeros(n)
    for i in range(n):
        a = order[i]
        for j in range(i + 1):
            b = order[j]
            entry = gram[a, b] if a >= b else gram[b, a]
            rest = entry - lower[i, :j] @ lower[j, :j]
            lower[i, j] = np.sqrt(rest) if i == j else rest / lower[j, j]
        x[i] = (wanted[a] - lower[i, :i] @ x[:i]) / lower[i, i]
    against = 0.0
    for i in range(n - 1, -1, -1):
        x[i] /= lower[i, i]
        x[:i] -= x[i] * lower[i, :i]
        v += (weight * x[i]) * metric.columns[order[i]]
        against += weight * x[i] * metric.tasks[order[i]]
    v -= (metric.share * against) * metric.row
