"""Strict priorities within limits as native code, 002 sections 14.2 and 14.3.

Each level is solved in an orthonormal basis of the motions that leave all earlier levels alone. If the shortest
solution keeps the limits, that is it; only otherwise a quadratic program has to find out which limits hold it back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.routines import routine
from footfall.control.native_program import SOLVED, combined, inner, inverse_factor, minimise, values_of
from footfall.control.native_rows import least_squares, product, transposed

Array = np.ndarray[Any, np.dtype[np.float64]]

_KEPT = 1e-10  # by which limits may be missed, relative to the size of what they limit
WEAK = 1e-9  # weight of motions that a level does not see, relative to those that it sees
_CLEAR = 1e-8  # squares above this part of those before projection show that a level decides all that is left
_UNSEEN = 1e-7  # limits that the motions left change by less, relative to all motions, are no limits any more


@routine
def solve_levels(
    rows: Array,
    wanted: Array,
    weights: Array,
    ends: Any,
    limits: Array,
    lower: Array,
    upper: Array,
    preferred: Array,
    tolerance: float,
) -> tuple[int, Any, Any, int]:
    """The x (n,) that is best for each level among those that are best for all levels before it, within limits.

    rows (m, n), wanted (m,), weights (m,): all levels, ends (levels,): where each of them ends. limits (c, n), lower
    and upper (c,): `lower <= limits x <= upper`. preferred (n,): where x should be in what no level decides. tolerance:
    singular values below it times the norm of a level's rows count as zero. Gives a status of `native_program`, x, the
    directions (levels,) that each level decided, and the number of those that none did.
    """
    n, levels, begin, freedom = rows.shape[1], len(ends), 0, 0
    x, ranks, basis = np.zeros(n), np.zeros(levels, dtype=np.int64), np.eye(n)
    for index in range(levels + 1):
        if basis.shape[1] == 0:
            break
        end = ends[index] if index < levels else n
        if index == levels:  # the wish is a last level that sees all motions
            rows, wanted, weights, begin, freedom = np.eye(n), preferred, np.ones(n), 0, basis.shape[1]
        level, left, scale = _weighted(rows, wanted, weights, begin, end, x)
        if index > 0:
            level = product(level, basis)
        status, kept = _solve_level(level, left, scale, tolerance, basis, limits, lower, upper, x, index > 0)
        if status != SOLVED:
            return status, x, ranks, basis.shape[1]
        if index < levels:
            begin, ranks[index] = end, basis.shape[1] - kept.shape[1]
            basis = product(basis, kept) if index > 0 else kept
    return SOLVED, x, ranks, freedom


@routine
def _weighted(
    rows: Array, wanted: Array, weights: Array, begin: int, end: int, x: Array
) -> tuple[Any, Any, float]:
    """Rows from begin to end times their root weights; what they miss at x; their norm."""
    n, weighted, square = rows.shape[1], np.empty((end - begin, rows.shape[1])), 0.0
    left = values_of(rows[begin:end], x)
    for i in range(begin, end):
        root, length = np.sqrt(weights[i]), 0.0
        left[i - begin] = root * (wanted[i] - left[i - begin])
        for j in range(n):
            weighted[i - begin, j] = root * rows[i, j]
            length += rows[i, j] * rows[i, j]
        square += weights[i] * length
    return weighted, left, np.sqrt(square)


@routine
def _solve_level(
    level: Array,
    left: Array,
    scale: float,
    tolerance: float,
    basis: Array,
    limits: Array,
    lower: Array,
    upper: Array,
    x: Array,
    placed: bool,
) -> tuple[int, Any]:
    """Move x to the best for one level; gives the status and the motions in the basis that the level does not see.

    placed: whether x keeps the limits, so that to stay is always allowed; otherwise the basis has all motions.
    """
    free = basis.shape[1]
    factor, step = np.zeros((0, 0)), np.zeros(free)
    kept = np.zeros((free, 0))
    if len(level) >= free:
        factor = inverse_factor(_squared(level, kept, 0.0), _CLEAR * scale * scale)
    if len(factor) == 0:
        step, kept, rank = least_squares(level, left, max(tolerance * scale, 1e-300))
        if _keeps(limits, lower, upper, basis, x, step):
            _move(x, basis, step)
            return SOLVED, kept
        if rank == 0 and placed:
            return SOLVED, kept
        factor = inverse_factor(_squared(level, kept, WEAK), 0.0)
    gradient = -combined(left, level)
    reduced, least, most = _reduced_limits(limits, lower, upper, basis, x, placed)
    status, step, _, _ = minimise(factor, gradient, reduced, least, most, _KEPT)
    _move(x, basis, step)
    return status, kept


@routine
def _squared(level: Array, kept: Array, weak: float) -> Any:
    """`level^T level` (n, n), and on the motions `kept` that the level does not see a small part of its trace."""
    n, trace = level.shape[1], 0.0
    result = product(transposed(level, n), level)
    for j in range(n):
        trace += result[j, j]
    if kept.shape[1] > 0:
        share = weak * trace if trace > 0.0 else 1.0
        result += share * product(kept, transposed(kept, kept.shape[1]))
    return result


@routine
def _move(x: Array, basis: Array, step: Array) -> None:
    x += values_of(basis, step)


@routine
def _keeps(limits: Array, lower: Array, upper: Array, basis: Array, x: Array, step: Array) -> bool:
    """Whether a step in the basis from x keeps the limits."""
    if len(lower) == 0:
        return True
    moved = x + values_of(basis, step)
    slack, values = _KEPT * max(1.0, np.sqrt(inner(moved, moved))), values_of(limits, moved)
    for i in range(len(lower)):
        least, most = lower[i] - values[i], values[i] - upper[i]
        if max(least, most) > 0.0 and max(least, most) > slack * np.sqrt(inner(limits[i], limits[i])):
            return False
    return True


@routine
def _reduced_limits(
    limits: Array, lower: Array, upper: Array, basis: Array, x: Array, placed: bool
) -> tuple[Any, Any, Any]:
    """The limits of steps in the basis from x; rows that the motions left do not change become zero."""
    values = values_of(limits, x)
    least, most = lower - values, upper - values
    if not placed:
        return limits, least, most
    reduced = product(limits, basis)
    for i in range(len(lower)):
        least[i], most[i] = min(least[i], 0.0), max(most[i], 0.0)
        if inner(reduced[i], reduced[i]) <= _UNSEEN * _UNSEEN * inner(limits[i], limits[i]):
            reduced[i] = 0.0
    return reduced, least, most
