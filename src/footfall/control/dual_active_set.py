"""Small dense quadratic programs: the dual active-set method of Goldfarb and Idnani (1983).

It starts at the minimum without limits and takes up violated rows one by one, the worst first, so that it needs no
feasible start, and every step is exact. Rows that depend on those in force are no trouble: such a row is taken up
only in exchange for another one.

All rows are kept in axes that turn with the rows in force, in the metric of the Hessian. What a step changes is then
read off, and no product with a matrix is needed on the way; the point itself is found at the end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.control.least_squares import reflect

SOLVED, INFEASIBLE, LIMIT, NOT_CONVEX = 0, 1, 2, 3
_OPEN, _IN_FORCE, _IGNORED = 0, 1, 2  # rows
_NOISE = 1e-7  # shares of rows in force that may be zero but for rounding, relative to the largest
_BROKEN = 1e4  # times the tolerance: rows that cannot be kept to it have no solution
_DEPENDENT = 1e-14  # squared part of a row that is new, below which it depends on the rows in force


class RowLimits(NamedTuple):
    """`lower <= rows x <= upper`: (m, n) and (m,); infinite where there is no bound.

    With n more bounds, (m + n,), the last are those of x itself: its rows need not be written down.
    """

    rows: Array
    lower: Array
    upper: Array


class Minimum(NamedTuple):
    """x (n,); multipliers, one a bound, positive at lower ones; steps taken."""

    status: int
    x: Array
    multipliers: Array
    steps: int


class _Look(NamedTuple):
    """What is known of the rows, those of x itself included: norms; settled: which are in force, ignored or still
    open."""

    norms: Array
    settled: Integers


class _Force(NamedTuple):
    """The rows in force, in axes of which the first `rank` span them.

    turned (n, m + n): all rows as columns in these axes, then these axes themselves, whose columns are the rows of x.
    triangle (n, n): row k has entries 0 to k of the k-th row in force. held, signs, forces (n,): which row that is, its
    side (1 at its lower bound, -1 at the upper) and its multiplier. values, one a bound: what all rows give at the
    point.
    """

    rank: int
    turned: Array
    triangle: Array
    held: Integers
    signs: Array
    forces: Array
    values: Array

    def copy(self) -> _Force:
        return _Force(
            self.rank,
            self.turned.copy(),
            self.triangle.copy(),
            self.held.copy(),
            self.signs.copy(),
            self.forces.copy(),
            self.values.copy(),
        )

    def multipliers(self) -> Array:
        """Of all rows (m,)."""
        result = np.zeros(len(self.values))
        for k in range(self.rank):
            result[self.held[k]] += self.signs[k] * self.forces[k]
        return result


class _Missed(NamedTuple):
    """A row that is missed, and on which side: 1 below its lower bound, -1 above the upper; row -1 if there is none."""

    row: int
    sign: float


@routine
def inverse_factor(hessian: Array, least: float) -> Array:
    """Lower triangle X (n, n) with `X^T X = hessian^-1`, of which the upper triangle is read; empty if the Hessian is
    not positive definite or a pivot is not above `least`."""
    n = len(hessian)
    upper, inverse = hessian.copy(), np.zeros((n, n))  # upper becomes U with U^T U = hessian
    for i in range(n):
        row, whole = upper[i, i:], i - i % 4
        for k in range(0, whole, 4):  # four at once, so that the row is read and written a quarter as often
            a, b, c, d = upper[k, i], upper[k + 1, i], upper[k + 2, i], upper[k + 3, i]
            row -= (a * upper[k, i:] + b * upper[k + 1, i:]) + (c * upper[k + 2, i:] + d * upper[k + 3, i:])
        for k in range(whole, i):
            row -= upper[k, i] * upper[k, i:]
        if not row[0] > least:
            return np.zeros((0, 0))
        row *= 1.0 / math.sqrt(row[0])
    for i in range(n):
        whole = i - i % 4
        for k in range(0, whole, 4):
            a, b, c, d = upper[k, i], upper[k + 1, i], upper[k + 2, i], upper[k + 3, i]
            seen = inverse[i, : k + 4]
            seen -= (a * inverse[k, : k + 4] + b * inverse[k + 1, : k + 4]) + (
                c * inverse[k + 2, : k + 4] + d * inverse[k + 3, : k + 4]
            )
        for k in range(whole, i):
            seen = inverse[i, : k + 1]
            seen -= upper[k, i] * inverse[k, : k + 1]
        scale = 1.0 / upper[i, i]
        inverse[i, :i] *= scale
        inverse[i, i] = scale
    return inverse


@routine
def minimise_program(hessian: Array, gradient: Array, limits: RowLimits, tolerance: float) -> Minimum:
    """Minimise `x H x / 2 + gradient x` within limits, for a Hessian (n, n)."""
    factor = inverse_factor(hessian, 0.0)
    if len(factor) == 0:
        return Minimum(NOT_CONVEX, np.zeros(len(gradient)), np.zeros(len(limits.lower)), 0)
    return minimise_in_corner(factor, gradient, limits, tolerance)


@routine
def minimise_in_corner(factor: Array, gradient: Array, limits: RowLimits, tolerance: float) -> Minimum:
    """The same as `minimise`; nearly flat costs in a corner of many limits get a hundred times the tolerance."""
    best = minimise(factor, gradient, limits, tolerance)
    if best.status != SOLVED:
        best = minimise(factor, gradient, limits, 1e2 * tolerance)
    return best


@routine
def minimise(factor: Array, gradient: Array, limits: RowLimits, tolerance: float) -> Minimum:
    """Minimise `x H x / 2 + gradient x` within limits.

    factor (n, n): from `inverse_factor` of H. tolerance: by which rows may be missed, relative to the norm of the row
    times the size of x.
    """
    n, m = len(gradient), len(limits.lower)
    look = _Look(np.empty(m), np.zeros(m, dtype=np.int64))
    if not _look_at_rows(limits, look, _BROKEN * tolerance):
        return Minimum(INFEASIBLE, np.zeros(n), np.zeros(m), 0)
    start = -((factor @ gradient) @ factor)
    x, values, scale = start, _values(limits, start), _size(start)
    if _worst(limits, look, values, tolerance * scale).row < 0:
        return Minimum(SOLVED, x, np.zeros(m), 0)
    turned = _side_by_side(factor @ limits.rows.T, factor)
    force = _Force(0, turned, np.zeros((n, n)), np.full(n, -1), np.zeros(n), np.zeros(n), values)
    step, exact = 0, True
    while step < 10 * (n + m) + 50:
        missed = _worst(limits, look, force.values, tolerance * scale)
        if missed.row < 0:
            if exact:
                return Minimum(SOLVED, x, force.multipliers(), step)
            # Steps pile up rounding: what they led to counts only if it stands without it.
            x = _minimum_in_force(limits, force, start)
            force.values[:] = _values(limits, x)
            scale, exact = _size(x), True
            continue
        step, exact = step + 1, False
        slack = _BROKEN * tolerance * look.norms[missed.row] * scale
        force, broken = _take_up(limits, look, force, missed, slack)
        if broken:
            x = _minimum_in_force(limits, force, start)
            return Minimum(INFEASIBLE, x, force.multipliers(), step)
    return Minimum(LIMIT, x, force.multipliers(), step)


@routine
def _values(limits: RowLimits, x: Array) -> Array:
    """What all rows give at x (n,), those of x itself included."""
    if len(limits.lower) == len(limits.rows):
        return limits.rows @ x
    values = np.empty(len(limits.lower))
    values[: len(limits.rows)] = limits.rows @ x
    values[len(limits.rows) :] = x
    return values


@routine
def _size(x: Array) -> float:
    return max(1.0, math.sqrt(x @ x))


@routine
def _look_at_rows(limits: RowLimits, look: _Look, slack: float) -> bool:
    """Get the norms of rows; empty ones are settled. Whether bounds can be kept as far as seen here: none contradict
    each other, and those of empty rows miss zero by no more than slack."""
    for i in range(len(limits.lower)):
        norm = math.sqrt(limits.rows[i] @ limits.rows[i]) if i < len(limits.rows) else 1.0
        look.norms[i], look.settled[i] = norm, _IN_FORCE if norm == 0.0 else _OPEN
        if limits.lower[i] > limits.upper[i]:
            return False
        if norm == 0.0 and max(limits.lower[i], -limits.upper[i]) > slack:
            return False
    return True


@routine
def _side_by_side(one: Array, other: Array) -> Array:
    """Two matrices (n, m) and (n, k) as one (n, m + k)."""
    m = one.shape[1]
    result = np.empty((len(one), m + other.shape[1]))
    for i in range(len(one)):
        result[i, :m] = one[i]
        result[i, m:] = other[i]
    return result


@routine
def _worst(limits: RowLimits, look: _Look, values: Array, least: float) -> _Missed:
    """The row that is missed most, relative to its norm; equations come first."""
    worst, most = _Missed(-1, 1.0), least
    for i in range(len(values)):
        if look.settled[i] != _OPEN:
            continue
        below, above = limits.lower[i] - values[i], values[i] - limits.upper[i]
        if limits.lower[i] == limits.upper[i]:
            return _Missed(i, 1.0 if below > 0.0 else -1.0)
        missing = max(below, above)
        if missing > most * look.norms[i]:
            worst, most = _Missed(i, 1.0 if below > above else -1.0), missing / look.norms[i]
    return worst


@routine
def _take_up(
    limits: RowLimits, look: _Look, force: _Force, missed: _Missed, slack: float
) -> tuple[_Force, bool]:
    """Step along a missed row until it is kept; rows in force whose multipliers come to zero leave on the way.

    Also whether the row contradicts those in force by more than slack, so that nothing keeps all of them.
    """
    row, sign, before, pressure = missed.row, missed.sign, force, 0.0
    bound = limits.lower[row] if sign > 0.0 else limits.upper[row]
    direction, shares = np.empty(len(force.held)), np.empty(len(force.held))
    while True:
        new, part = _new_part(force, missed, direction)
        dependent = new <= _DEPENDENT * part
        leaving, length = _first_to_leave(limits, force, direction, shares)
        missing = sign * (bound - force.values[row])
        if dependent and leaving < 0:
            if missing > slack:
                return force, True
            if pressure > 0.0:  # what was exchanged on the way was in vain
                force = before
                _settle(look, force)
            look.settled[row] = _IGNORED  # it contradicts the rows in force by rounding only
            return force, False
        whole = not dependent and missing < length * new
        if whole:
            length = missing / new
        elif pressure == 0.0:
            before = force.copy()
        rank, values = force.rank, force.values
        force.forces[:rank] -= length * shares[:rank]
        pressure += length
        if whole:
            along = length * _turn(force, direction, new)
            values += along * force.turned[rank, : len(values)]
            for i in range(len(values)):
                if look.settled[i] == _IGNORED:  # it may be missed by more now
                    look.settled[i] = _OPEN
            force.held[rank], force.signs[rank], force.forces[rank] = row, sign, pressure
            look.settled[row] = _IN_FORCE
            return force._replace(rank=rank + 1), False
        if not dependent:
            for k in range(rank, len(direction)):
                values += length * direction[k] * force.turned[k, : len(values)]
        look.settled[force.held[leaving]] = _OPEN
        force = _drop(force, leaving)


@routine
def _settle(look: _Look, force: _Force) -> None:
    """Rows in force are those held, and empty ones."""
    for i in range(len(look.settled)):
        if look.settled[i] == _IN_FORCE and look.norms[i] > 0.0:
            look.settled[i] = _OPEN
    for k in range(force.rank):
        look.settled[force.held[k]] = _IN_FORCE


@routine
def _new_part(force: _Force, missed: _Missed, direction: Array) -> tuple[float, float]:
    """Get a row with its sign; the squared lengths of what the rows in force do not span, and of all."""
    old = new = 0.0
    for k in range(len(direction)):
        direction[k] = missed.sign * force.turned[k, missed.row]
        if k < force.rank:
            old += direction[k] * direction[k]
        else:
            new += direction[k] * direction[k]
    return new, old + new


@routine
def _first_to_leave(limits: RowLimits, force: _Force, direction: Array, shares: Array) -> tuple[int, float]:
    """The row in force whose multiplier comes to zero first, and after what length; equations never leave.

    shares (rank,) become how much of each row in force makes up the part of the new row, direction, that they span.
    """
    triangle, rank, largest = force.triangle, force.rank, 0.0
    shares[:rank] = direction[:rank]
    for k in range(rank - 1, -1, -1):
        share = shares[k] / triangle[k, k]
        shares[k], largest = share, max(largest, abs(share))
        shares[:k] -= share * triangle[k, :k]
    leaving, length = -1, np.inf
    for k in range(rank):
        row = force.held[k]
        useful = shares[k] > _NOISE * largest and limits.lower[row] < limits.upper[row]
        if useful and force.forces[k] < length * shares[k]:
            leaving, length = k, max(force.forces[k], 0.0) / shares[k]
    return leaving, length


@routine
def _turn(force: _Force, direction: Array, square: float) -> float:
    """Turn the free axes so that the new row, direction, lies along the first of them; its end there.

    square: squared length of its free part.
    """
    rank, length = force.rank, math.sqrt(square)
    end = -length if direction[rank] > 0.0 else length
    scale = 1.0 / math.sqrt(length * (length + abs(direction[rank])))
    force.triangle[rank, :rank] = direction[:rank]
    force.triangle[rank, rank] = end
    direction[rank] -= end
    direction[rank:] *= scale
    reflect(force.turned, direction, rank)
    return end


@routine
def _drop(force: _Force, place: int) -> _Force:
    """Take a row out of force; plane rotations make what is left triangular again."""
    turned, triangle, left = force.turned, force.triangle, force.rank - 1
    for k in range(place, left):
        row, below = triangle[k], triangle[k + 1]
        row[: k + 2] = below[: k + 2]
        force.held[k], force.signs[k] = force.held[k + 1], force.signs[k + 1]
        force.forces[k] = force.forces[k + 1]
    for k in range(place, left):
        length = np.hypot(triangle[k, k], triangle[k, k + 1])
        c, s = triangle[k, k] / length, triangle[k, k + 1] / length
        for i in range(k, left):
            one, other = triangle[i, k], triangle[i, k + 1]
            triangle[i, k], triangle[i, k + 1] = c * one + s * other, c * other - s * one
        for j in range(turned.shape[1]):
            one, other = turned[k, j], turned[k + 1, j]
            turned[k, j], turned[k + 1, j] = c * one + s * other, c * other - s * one
    triangle[left, : left + 1] = 0.0
    return force._replace(rank=left)


@routine
def _minimum_in_force(limits: RowLimits, force: _Force, start: Array) -> Array:
    """The minimum (n,) with the rows in force as equations, from the minimum without: free of what steps piled up."""
    x, along, m = start.copy(), np.empty(force.rank), len(limits.rows)
    for _ in range(2):
        values = _values(limits, x)
        for k in range(force.rank):
            row, sign = force.held[k], force.signs[k]
            left = sign * ((limits.lower[row] if sign > 0.0 else limits.upper[row]) - values[row])
            for j in range(k):
                left -= force.triangle[k, j] * along[j]
            along[k] = left / force.triangle[k, k]
        for k in range(force.rank):
            x += along[k] * force.turned[k, m:]
    return x
