"""Strict priorities within limits, RSL 2022, (2.216)-(2.220) and (3.102)-(3.108).

Each level is solved in an orthonormal basis of the motions that leave all earlier levels alone, which is the recursion
with projectors `N_i = N_{i-1} - (J_i N_{i-1})+ (J_i N_{i-1})` without their rounding. If the shortest solution keeps
the limits, that is it; only otherwise a quadratic program has to find out which limits hold it back. Inequalities of a
level get slacks, and what they achieve becomes a limit of all later levels.

A projected Jacobian is often rank-deficient by construction: singular values count as zero below `tolerance` times the
norm of the Jacobian before its projection, so that a Jacobian that vanishes altogether is seen as such.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine
from footfall.control.dual_active_set import (
    SOLVED,
    RowLimits,
    inverse_factor,
    minimise_in_corner,
    minimise_program,
)
from footfall.control.least_squares import least_squares
from footfall.errors import InvalidInput, NoSolution
from footfall.math.generalised_inverses import RANK_TOLERANCE
from footfall.renamed import warn_renamed

_MISSED = 1e-10  # by which limits may be missed, relative to the size of what they limit
WEAK = 1e-9  # weight of motions that a level does not see, relative to those that it sees
_CLEAR = 1e-8  # squares above this part of those before projection show that a level decides all that is left
_UNSEEN = 1e-7  # limits that the motions left change by less, relative to all motions, are no limits any more


class Levels(NamedTuple):
    """Rows `rows x = wanted` of all levels, (m, n) and (m,), with weights (m,); one_sided (m,): which of them are
    `rows x >= wanted`; ends (levels,): where each level ends."""

    rows: Array
    wanted: Array
    weights: Array
    one_sided: Flags
    ends: Integers


class LevelsSolution(NamedTuple):
    """status: of `dual_active_set`. x (n,). ranks (levels,): directions that each level decided; freedom: how many none
    did."""

    status: int
    x: Array
    ranks: Integers
    freedom: int


class _Level(NamedTuple):
    """One level: weighted rows (m, k) on the motions that are left, what they miss (m,), which are inequalities (m,),
    and the norm of the weighted equations on all motions."""

    rows: Array
    missing: Array
    one_sided: Flags
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
    n, begin, limits = len(preferred), 0, _with_inequalities(levels, limits)
    ranks, place = np.zeros(len(levels.ends), dtype=np.int64), _Place(np.zeros(n), np.eye(n), False)
    for index, end in enumerate(levels.ends):
        left = place.basis.shape[1]
        if left == 0:
            return LevelsSolution(SOLVED, place.x, ranks, 0)
        status, kept = _solve_level(_seen(levels, begin, end, place), limits, place, tolerance)
        if status != SOLVED:
            return LevelsSolution(status, place.x, ranks, left)
        place = _Place(place.x, place.basis @ kept if place.placed else kept, True)
        _keep(levels, begin, end, place.x, limits)
        begin, ranks[index] = end, left - kept.shape[1]
    freedom = place.basis.shape[1]
    if freedom == 0:
        return LevelsSolution(SOLVED, place.x, ranks, 0)
    # a last level that sees all motions
    wish = Levels(np.eye(n), preferred, np.ones(n), np.full(n, False), levels.ends)
    status, _ = _solve_level(_seen(wish, 0, n, place), limits, place, tolerance)
    return LevelsSolution(status, place.x, ranks, freedom)


@routine
def _seen(levels: Levels, begin: int, end: int, place: _Place) -> _Level:
    """Rows from begin to end times their root weights, on the motions that are left, and what they miss at x."""
    rows, missing, square = levels.rows[begin:end].copy(), levels.rows[begin:end] @ place.x, 0.0
    for i in range(end - begin):
        weight = levels.weights[begin + i]
        if not levels.one_sided[begin + i]:
            square += weight * np.sum(rows[i] * rows[i])
        missing[i] = math.sqrt(weight) * (levels.wanted[begin + i] - missing[i])
        rows[i] *= math.sqrt(weight)
    one_sided = levels.one_sided[begin:end]
    return _Level(rows @ place.basis if place.placed else rows, missing, one_sided, math.sqrt(square))


@routine
def _solve_level(level: _Level, limits: RowLimits, place: _Place, tolerance: float) -> tuple[int, Array]:
    """Move x to the best for one level; gives the status and the motions in the basis that the level does not see."""
    if _count(level.one_sided) > 0:
        return _solve_with_slacks(level, limits, place, tolerance)
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
    best = minimise_in_corner(factor, -(level.missing @ level.rows), _limits_of_steps(limits, place), _MISSED)
    _move(place, best.x)
    return best.status, kept


@routine
def _solve_with_slacks(
    level: _Level, limits: RowLimits, place: _Place, tolerance: float
) -> tuple[int, Array]:
    """The same for a level with inequalities `rows y + slack >= missing`, whose squared slacks are part of its cost."""
    free, count, square = place.basis.shape[1], _count(level.one_sided), 0.0
    equal, asked = level.rows.copy(), level.missing.copy()
    for i, row in enumerate(level.rows):
        square += row @ row
        if level.one_sided[i]:
            equal[i] = 0.0
            asked[i] = 0.0
    kept = least_squares(equal, asked, max(tolerance * level.scale, 1e-300)).free
    hessian, normal = np.zeros((free + count, free + count)), equal.T @ equal
    for j in range(free):
        hessian[j, :free] = normal[j]
        hessian[j, j] += WEAK * max(square, 1e-24)
    for j in range(free, free + count):
        hessian[j, j] = 1.0
    gradient = np.zeros(free + count)
    gradient[:free] = -(asked @ equal)
    steps = _limits_of_steps(limits, place)
    fixed, slack = len(steps.lower), 0
    rows = np.zeros((fixed + count, free + count))
    lower, upper = np.empty(fixed + count), np.full(fixed + count, np.inf)
    lower[:fixed] = steps.lower
    upper[:fixed] = steps.upper
    for i in range(fixed):
        rows[i, :free] = steps.rows[i]
    for i, row in enumerate(level.rows):
        if level.one_sided[i]:
            rows[fixed + slack, :free] = row
            rows[fixed + slack, free + slack] = 1.0
            lower[fixed + slack], slack = level.missing[i], slack + 1
    best = minimise_program(hessian, gradient, RowLimits(rows, lower, upper), _MISSED)
    _move(place, best.x[:free])
    return best.status, kept


@routine
def _count(flags: Flags) -> int:
    count = 0
    for each in flags:
        count += 1 if each else 0
    return count


@routine
def _with_inequalities(levels: Levels, limits: RowLimits) -> RowLimits:
    """The limits, with room for the inequalities of all levels: each becomes a limit once its level is solved."""
    count, fixed = _count(levels.one_sided), len(limits.lower)
    if count == 0:
        return limits
    rows = np.zeros((fixed + count, levels.rows.shape[1]))
    lower, upper = np.full(fixed + count, -np.inf), np.full(fixed + count, np.inf)
    lower[:fixed] = limits.lower
    upper[:fixed] = limits.upper
    for i in range(fixed):
        rows[i] = limits.rows[i]
    for i in range(len(levels.one_sided)):
        if levels.one_sided[i]:
            rows[fixed] = levels.rows[i]
            fixed += 1
    return RowLimits(rows, lower, upper)


@routine
def _keep(levels: Levels, begin: int, end: int, x: Array, limits: RowLimits) -> None:
    """From now on, what inequalities of a level have achieved is a limit."""
    place = len(limits.lower) - _count(levels.one_sided[begin:])
    for i in range(begin, end):
        if levels.one_sided[i]:
            limits.lower[place] = min(levels.wanted[i], levels.rows[i] @ x)
            place += 1


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
    slack, values = _MISSED * max(1.0, math.sqrt(moved @ moved)), limits.rows @ moved
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


@dataclass(frozen=True, eq=False)
class Level:
    """Rows of one priority: `jacobian @ v` should be `rate`, or at least `rate` where `inequality` says so.

    jacobian (m, nv), rate (m,), weight (m,), inequality (m,) of bool; labels: the tasks it is made of.
    """

    jacobian: Array
    rate: Array
    weight: Array
    inequality: Flags
    labels: tuple[str, ...] = ()

    def missing(self, v: Array) -> Array:
        """What is left (m,) of the wanted rate at v (nv,); nothing where an inequality holds."""
        left: Array = self.rate - self.jacobian @ v
        return np.where(self.inequality & (left < 0.0), 0.0, left)


def level(
    jacobian: Array, rate: Array, *, weight: Array | float = 1.0, inequality: Flags | bool = False
) -> Level:
    """A level from bare arrays: jacobian (m, n) and rate (m,)."""
    jacobian, rate = np.atleast_2d(np.asarray(jacobian, float)), np.atleast_1d(np.asarray(rate, float))
    if jacobian.shape[0] != len(rate) or jacobian.size == 0:
        raise InvalidInput(
            f"a level has a jacobian {jacobian.shape} and a rate {rate.shape}; rows must agree"
        )
    weights = np.broadcast_to(np.asarray(weight, float), rate.shape)
    if not (np.isfinite(jacobian).all() and np.isfinite(rate).all()):
        raise InvalidInput("a level's jacobian and rate must be finite")
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise InvalidInput(f"a level's weight is {weights.tolist()}; it must be finite and at least zero")
    return Level(jacobian, rate, weights, np.broadcast_to(inequality, rate.shape))


@dataclass(frozen=True, eq=False)
class HierarchySolution:
    """v (n,); ranks: directions that each level got; missing: what each level lacks (m,); freedom: directions left."""

    v: Array
    ranks: tuple[int, ...]
    missing: tuple[Array, ...]
    freedom: int


def solve_hierarchy(
    levels: Sequence[Level],
    *,
    bounds: tuple[Array, Array] | None = None,
    tolerance: float = RANK_TOLERANCE,
    threshold: float = 0.0,
    preferred: Array | None = None,
) -> HierarchySolution:
    """The velocity (n,) that is best for each level among those that are best for all levels before it.

    bounds: lower and upper (n,) of the velocity; they always hold. tolerance: of rank decisions. preferred: velocity
    (n,) for the directions that no level needs; default zero. threshold: deprecated; see `solve_damped_hierarchy`.
    """
    if not levels:
        raise InvalidInput("there are no levels; a hierarchy has at least one level")
    if threshold > 0.0:
        from footfall.control.inverse_kinematics.textbook import solve_damped_hierarchy

        if bounds is not None:
            raise InvalidInput(f"threshold is {threshold} and there are bounds; one or the other")
        warn_renamed("solve_hierarchy(threshold=)", "solve_damped_hierarchy(threshold=)", depth=3)
        return solve_damped_hierarchy(levels, threshold=threshold, tolerance=tolerance, preferred=preferred)
    n = levels[0].jacobian.shape[1]
    status, v, ranks, freedom = solve_levels(
        stacked(levels), bounded(bounds, n), preferred_velocity(preferred, n), tolerance
    )
    missing = tuple(level.missing(v) for level in levels)
    if status != SOLVED:
        norms = {f"level {k}": float(np.linalg.norm(left)) for k, left in enumerate(missing)}
        message = "no motion keeps the bounds; widen those that contradict each other"
        raise NoSolution(message, norms, evidence=(tuple(levels), bounds))
    return HierarchySolution(v, tuple(ranks.tolist()), missing, freedom)


def stacked(levels: Sequence[Level]) -> Levels:
    """Levels as routines take them."""
    return Levels(
        np.concatenate([level.jacobian for level in levels]),
        np.concatenate([level.rate for level in levels]),
        np.concatenate([level.weight for level in levels]),
        np.concatenate([level.inequality for level in levels]),
        np.cumsum([len(level.rate) for level in levels]),
    )


def bounded(bounds: tuple[Array, Array] | None, n: int) -> RowLimits:
    """Bounds (n,) on x as rows."""
    if bounds is None:
        return RowLimits(np.zeros((0, n)), np.zeros(0), np.zeros(0))
    lower, upper = bounds
    limited = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
    return RowLimits(np.eye(n)[limited], np.array(lower[limited]), np.array(upper[limited]))


def preferred_velocity(preferred: Array | None, count: int) -> Array:
    """A velocity (count,) for the null space, zero by default."""
    if preferred is None:
        return np.zeros(count)
    wanted = np.array(preferred, dtype=np.float64)
    if wanted.shape != (count,) or not np.isfinite(wanted).all():
        raise InvalidInput(f"preferred is {wanted.tolist()}; it must be {count} finite numbers")
    return wanted
