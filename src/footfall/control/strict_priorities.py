"""Strict priorities within limits, RSL 2022, (3.102)-(3.108).

Each level is solved in an orthonormal basis of the motions that leave all earlier levels alone. If the shortest
solution keeps the limits, that is it; only otherwise a quadratic program has to find out which limits hold it back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.control.dual_active_set import SOLVED, RowLimits, inverse_factor, minimise
from footfall.control.least_squares import least_squares

_KEPT = 1e-10  # by which limits may be missed, relative to the size of what they limit
WEAK = 1e-9  # weight of motions that a level does not see, relative to those that it sees
_CLEAR = 1e-8  # squares above this part of those before projection show that a level decides all that is left
_UNSEEN = 1e-7  # limits that the motions left change by less, relative to all motions, are no limits any more


class Levels(NamedTuple):
    """Equations `rows x = wanted` of all levels, (m, n) and (m,), with weights (m,); ends (levels,): where each level
    ends."""

    rows: Array
    wanted: Array
    weights: Array
    ends: Integers


class LevelsSolution(NamedTuple):
    """status: of `dual_active_set`. x (n,). ranks (levels,): directions that each level decided; freedom: how many none
    did."""

    status: int
    x: Array
    ranks: Integers
    freedom: int


class _Level(NamedTuple):
    """One level: weighted rows (m, k) on the motions that are left, what they miss (m,), and the norm of the weighted
    rows on all motions."""

    rows: Array
    missing: Array
    scale: float


class _Place(NamedTuple):
    """Where x (n,) has come to, and the motions (n, k) that are left.

    placed: whether x keeps the limits, so that to stay is always allowed; otherwise all motions are left.
    """

    x: Array
    basis: Array
    placed: bool


@routine
def solve_levels(levels: Levels, limits: RowLimits, preferred: Array, tolerance: float) -> LevelsSolution:
    """The x (n,) that is best for each level among those that are best for all levels before it, within limits.

    preferred (n,): where x should be in what no level decides. tolerance: singular values below it times the norm of a
    level's rows count as zero.
    """
    n, begin = len(preferred), 0
    ranks, place = np.zeros(len(levels.ends), dtype=np.int64), _Place(np.zeros(n), np.eye(n), False)
    for index, end in enumerate(levels.ends):
        left = place.basis.shape[1]
        if left == 0:
            return LevelsSolution(SOLVED, place.x, ranks, 0)
        status, kept = _solve_level(_seen(levels, begin, end, place), limits, place, tolerance)
        if status != SOLVED:
            return LevelsSolution(status, place.x, ranks, left)
        begin, ranks[index] = end, left - kept.shape[1]
        place = _Place(place.x, place.basis @ kept if place.placed else kept, True)
    freedom = place.basis.shape[1]
    if freedom == 0:
        return LevelsSolution(SOLVED, place.x, ranks, 0)
    wish = Levels(np.eye(n), preferred, np.ones(n), levels.ends)  # a last level that sees all motions
    status, _ = _solve_level(_seen(wish, 0, n, place), limits, place, tolerance)
    return LevelsSolution(status, place.x, ranks, freedom)


@routine
def _seen(levels: Levels, begin: int, end: int, place: _Place) -> _Level:
    """Rows from begin to end times their root weights, on the motions that are left, and what they miss at x."""
    rows, missing, square = levels.rows[begin:end].copy(), levels.rows[begin:end] @ place.x, 0.0
    for i in range(end - begin):
        weight = levels.weights[begin + i]
        square += weight * np.sum(rows[i] * rows[i])
        missing[i] = math.sqrt(weight) * (levels.wanted[begin + i] - missing[i])
        rows[i] *= math.sqrt(weight)
    return _Level(rows @ place.basis if place.placed else rows, missing, math.sqrt(square))


@routine
def _solve_level(level: _Level, limits: RowLimits, place: _Place, tolerance: float) -> tuple[int, Array]:
    """Move x to the best for one level; gives the status and the motions in the basis that the level does not see."""
    free = place.basis.shape[1]
    factor, kept = np.zeros((0, 0)), np.zeros((free, 0))
    if len(level.rows) >= free:
        factor = inverse_factor(_squared(level.rows, kept, 0.0), _CLEAR * level.scale * level.scale)
    if len(factor) == 0:
        shortest = least_squares(level.rows, level.missing, max(tolerance * level.scale, 1e-300))
        kept = shortest.free
        if _keeps(limits, place, shortest.x):
            _move(place, shortest.x)
            return SOLVED, kept
        if shortest.rank == 0 and place.placed:
            return SOLVED, kept
        factor = inverse_factor(_squared(level.rows, kept, WEAK), 0.0)
    best = minimise(factor, -(level.missing @ level.rows), _limits_of_steps(limits, place), _KEPT)
    _move(place, best.x)
    return best.status, kept


@routine
def _squared(rows: Array, kept: Array, weak: float) -> Array:
    """`rows^T rows` (n, n), and on the motions `kept` that the rows do not see a small part of its trace."""
    result, trace = rows.T @ rows, 0.0
    for j in range(len(result)):
        trace += result[j, j]
    if kept.shape[1] > 0:
        share = weak * trace if trace > 0.0 else 1.0
        result += share * (kept @ kept.T)
    return result


@routine
def _move(place: _Place, step: Array) -> None:
    x = place.x
    x += place.basis @ step


@routine
def _keeps(limits: RowLimits, place: _Place, step: Array) -> bool:
    """Whether a step in the basis keeps the limits."""
    if len(limits.lower) == 0:
        return True
    moved = place.x + place.basis @ step
    slack, values = _KEPT * max(1.0, math.sqrt(moved @ moved)), limits.rows @ moved
    for i, row in enumerate(limits.rows):
        missed = max(limits.lower[i] - values[i], values[i] - limits.upper[i])
        if missed > 0.0 and missed > slack * math.sqrt(row @ row):
            return False
    return True


@routine
def _limits_of_steps(limits: RowLimits, place: _Place) -> RowLimits:
    """The limits of steps in the basis; rows that the motions left do not change become zero."""
    values = limits.rows @ place.x
    lower, upper = limits.lower - values, limits.upper - values
    if not place.placed:
        return RowLimits(limits.rows, lower, upper)
    reduced = limits.rows @ place.basis
    for i, row in enumerate(limits.rows):
        lower[i], upper[i] = min(lower[i], 0.0), max(upper[i], 0.0)
        if reduced[i] @ reduced[i] <= _UNSEEN * _UNSEEN * (row @ row):
            reduced[i] = 0.0
    return RowLimits(reduced, lower, upper)
