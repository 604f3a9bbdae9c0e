"""Small dense quadratic programs as native code: the dual active-set method of Goldfarb and Idnani (1983).

It starts at the minimum without limits and takes up violated rows one by one, the worst first, so that it needs no
feasible start, and every step is exact. Rows that depend on those in force are no trouble: such a row is taken up
only in exchange for another one.

All rows are kept in axes that turn with the rows in force, in the metric of the Hessian. What a step changes is then
read off, and no product with a matrix is needed on the way; the point itself is found at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.routines import routine
from footfall.control.native_rows import product, reflect, transposed

Array = np.ndarray[Any, np.dtype[np.float64]]

SOLVED, INFEASIBLE, LIMIT, NOT_CONVEX = 0, 1, 2, 3
_OPEN, _IN_FORCE, _IGNORED = 0, 1, 2  # rows
_NOISE = 1e-7  # shares of rows in force that may be zero but for rounding, relative to the largest
_BROKEN = 1e4  # times the tolerance: rows that cannot be kept to it have no solution
_DEPENDENT = 1e-14  # squared part of a row that is new, below which it depends on the rows in force


@routine
def inverse_factor(hessian: Array, least: float) -> Any:
    """Lower triangle X (n, n) with `X^T X = hessian^-1`, of which the upper triangle is read; empty if the Hessian is
    not positive definite or a pivot is not above `least`."""
    n = len(hessian)
    upper = hessian.copy()  # becomes U with U^T U = hessian
    for begin in range(0, n, 4):
        end = min(begin + 4, n)
        for k in range(begin, end):
            if not upper[k, k] > least:
                return np.zeros((0, 0))
            scale = 1.0 / np.sqrt(upper[k, k])
            for j in range(k, n):
                upper[k, j] *= scale
            for i in range(k + 1, end):
                weight = upper[k, i]
                for j in range(i, n):
                    upper[i, j] -= weight * upper[k, j]
        for i in range(end, n):  # four at once, so that what is left is read and written a quarter as often
            row, k = upper[i], begin
            a, b, c, d = upper[k, i], upper[k + 1, i], upper[k + 2, i], upper[k + 3, i]
            for j in range(i, n):
                row[j] -= (a * upper[k, j] + b * upper[k + 1, j]) + (
                    c * upper[k + 2, j] + d * upper[k + 3, j]
                )
    inverse = np.zeros((n, n))
    for i in range(n):
        row, whole = inverse[i], i - i % 4
        for k in range(0, whole, 4):
            a, b, c, d = upper[k, i], upper[k + 1, i], upper[k + 2, i], upper[k + 3, i]
            for j in range(k + 4):
                row[j] -= (a * inverse[k, j] + b * inverse[k + 1, j]) + (
                    c * inverse[k + 2, j] + d * inverse[k + 3, j]
                )
        for k in range(whole, i):
            weight = upper[k, i]
            for j in range(k + 1):
                row[j] -= weight * inverse[k, j]
        scale = 1.0 / upper[i, i]
        for j in range(i):
            row[j] *= scale
        row[i] = scale
    return inverse


@routine
def inner(one: Array, other: Array) -> float:
    """Scalar product of two vectors, in eight sums side by side for vector instructions."""
    n = len(one)
    whole = n - n % 8
    a = b = c = d = e = f = g = h = 0.0
    for k in range(0, whole, 8):
        a += one[k] * other[k]
        b += one[k + 1] * other[k + 1]
        c += one[k + 2] * other[k + 2]
        d += one[k + 3] * other[k + 3]
        e += one[k + 4] * other[k + 4]
        f += one[k + 5] * other[k + 5]
        g += one[k + 6] * other[k + 6]
        h += one[k + 7] * other[k + 7]
    total = ((a + e) + (c + g)) + ((b + f) + (d + h))
    for k in range(whole, n):
        total += one[k] * other[k]
    return total


@routine
def combined(weights: Array, rows: Array) -> Any:
    """`weights @ rows` (n,)."""
    n, result = rows.shape[1], np.zeros(rows.shape[1])
    for i in range(len(rows)):
        weight = weights[i]
        for j in range(n):
            result[j] += weight * rows[i, j]
    return result


@routine
def values_of(rows: Array, x: Array) -> Any:
    """`rows @ x` (m,)."""
    result = np.empty(len(rows))
    for i in range(len(rows)):
        result[i] = inner(rows[i], x)
    return result


@routine
def minimise(
    factor: Array, gradient: Array, rows: Array, lower: Array, upper: Array, tolerance: float
) -> tuple[int, Any, Any, int]:
    """Minimise `x H x / 2 + gradient x` with `lower <= rows x <= upper`, (m, n) and (m,).

    factor (n, n): from `inverse_factor` of H. tolerance: by which rows may be missed, relative to the norm of the row
    times the size of x. Gives the status, x (n,), the multipliers (m,), positive at lower bounds, and the steps taken.
    """
    n, m = len(gradient), len(lower)
    norms, settled = np.empty(m), np.zeros(m, dtype=np.int64)
    if not _look_at_rows(rows, lower, upper, norms, settled, _BROKEN * tolerance):
        return INFEASIBLE, np.zeros(n), np.zeros(m), 0
    start = combined(values_of(factor, gradient), factor)
    for j in range(n):
        start[j] = -start[j]
    x, values, count = start.copy(), values_of(rows, start), 0
    scale = max(1.0, np.sqrt(inner(x, x)))
    if _worst(lower, upper, norms, settled, values, tolerance * scale)[0] < 0:
        return SOLVED, x, np.zeros(m), 0
    # All rows as columns, in axes of which the first ones span the rows in force; then these axes themselves.
    turned = _side_by_side(product(factor, transposed(rows, n)), factor)
    # Row k: entries 0 to k of the k-th row in force in these axes; that row, its side, and its multiplier.
    triangle, held, signs, forces = np.zeros((n, n)), np.full(n, -1), np.zeros(n), np.zeros(n)
    before = (turned, triangle, held, signs, forces, values)
    way, shares, parts = np.empty(n), np.empty(n), np.empty(m + n)
    status, most, step, exact = LIMIT, 10 * (n + m) + 50, 0, True
    while step < most:
        row, sign = _worst(lower, upper, norms, settled, values, tolerance * scale)
        if row < 0:
            if exact:
                status = SOLVED
                break
            # Steps pile up rounding: what they led to counts only if it stands without it.
            _polish(turned, triangle, held, signs, count, rows, lower, upper, start, x)
            values[:], scale, exact = values_of(rows, x), max(1.0, np.sqrt(inner(x, x))), True
            continue
        bound, pressure, kept = (lower[row] if sign > 0.0 else upper[row]), 0.0, count
        step, exact = step + 1, False
        while True:
            new, part = _new_part(turned, row, sign, count, way)
            dependent = new <= _DEPENDENT * part
            leaving, length = _first_to_leave(triangle, way, forces, held, lower, upper, count, shares)
            missing = sign * (bound - values[row])
            if dependent and leaving < 0:
                if missing > _BROKEN * tolerance * norms[row] * scale:
                    _polish(turned, triangle, held, signs, count, rows, lower, upper, start, x)
                    return INFEASIBLE, x, _multipliers(m, held, signs, forces, count), step
                if pressure > 0.0:  # what was exchanged on the way was in vain
                    turned[:], triangle[:], held[:], signs[:], forces[:], values[:] = before
                    count = kept
                    _settle(settled, norms, held, count)
                settled[row] = _IGNORED  # it contradicts the rows in force by rounding only
                break
            whole = not dependent and missing < length * new
            if whole:
                length = missing / new
            elif pressure == 0.0:
                before = (
                    turned.copy(),
                    triangle.copy(),
                    held.copy(),
                    signs.copy(),
                    forces.copy(),
                    values.copy(),
                )
            for k in range(count):
                forces[k] -= length * shares[k]
            pressure += length
            if whole:
                along = length * _take_up(turned, triangle, way, count, new, parts)
                for i in range(m):
                    values[i] += along * turned[count, i]
                    if settled[i] == _IGNORED:  # it may be missed by more now
                        settled[i] = _OPEN
                held[count], signs[count], forces[count], settled[row] = row, sign, pressure, _IN_FORCE
                count += 1
                break
            if not dependent:
                for k in range(count, n):
                    weight = length * way[k]
                    for i in range(m):
                        values[i] += weight * turned[k, i]
            settled[held[leaving]] = _OPEN
            _drop(turned, triangle, held, signs, forces, leaving, count)
            count -= 1
    return status, x, _multipliers(m, held, signs, forces, count), step


@routine
def _look_at_rows(rows: Array, lower: Array, upper: Array, norms: Array, settled: Any, slack: float) -> bool:
    """Get the norms (m,) of rows (m, n); empty ones are settled. Whether bounds can be kept as far as seen here: none
    contradict each other, and those of empty rows miss zero by no more than slack."""
    for i in range(len(lower)):
        norms[i] = np.sqrt(inner(rows[i], rows[i]))
        settled[i] = _IN_FORCE if norms[i] == 0.0 else _OPEN
        if lower[i] > upper[i]:
            return False
        if norms[i] == 0.0 and max(lower[i], -upper[i]) > slack:
            return False
    return True


@routine
def _side_by_side(one: Array, other: Array) -> Any:
    """Two matrices (n, m) and (n, k) as one (n, m + k)."""
    m, k = one.shape[1], other.shape[1]
    result = np.empty((len(one), m + k))
    for i in range(len(one)):
        for j in range(m):
            result[i, j] = one[i, j]
        for j in range(k):
            result[i, m + j] = other[i, j]
    return result


@routine
def _worst(
    lower: Array, upper: Array, norms: Array, settled: Any, values: Array, least: float
) -> tuple[int, float]:
    """The row that is missed most, relative to its norm, and the side: 1 below, -1 above; equations come first."""
    worst, most, sign = -1, least, 1.0
    for i in range(len(lower)):
        if settled[i] != _OPEN:
            continue
        below, above = lower[i] - values[i], values[i] - upper[i]
        if lower[i] == upper[i]:
            return i, (1.0 if below > 0.0 else -1.0)
        missing = max(below, above)
        if missing > most * norms[i]:
            worst, most, sign = i, missing / norms[i], (1.0 if below > above else -1.0)
    return worst, sign


@routine
def _settle(settled: Any, norms: Array, held: Any, count: int) -> None:
    """Rows in force are those held, and empty ones."""
    for i in range(len(settled)):
        if settled[i] == _IN_FORCE and norms[i] > 0.0:
            settled[i] = _OPEN
    for k in range(count):
        settled[held[k]] = _IN_FORCE


@routine
def _new_part(turned: Array, row: int, sign: float, count: int, way: Array) -> tuple[float, float]:
    """Get a row with its sign; the squared lengths of what the rows in force do not span, and of all."""
    old = new = 0.0
    for k in range(len(way)):
        way[k] = sign * turned[k, row]
        if k < count:
            old += way[k] * way[k]
        else:
            new += way[k] * way[k]
    return new, old + new


@routine
def _first_to_leave(
    triangle: Array,
    way: Array,
    forces: Array,
    held: Any,
    lower: Array,
    upper: Array,
    count: int,
    shares: Array,
) -> tuple[int, float]:
    """The row in force whose multiplier comes to zero first, and after what length; equations never leave.

    shares (count,) become how much of each row in force makes up the part of the new row, way, that they span.
    """
    leaving, length, largest = -1, np.inf, 0.0
    for k in range(count):
        shares[k] = way[k]
    for k in range(count - 1, -1, -1):
        share = shares[k] / triangle[k, k]
        shares[k], largest = share, max(largest, abs(share))
        for j in range(k):
            shares[j] -= share * triangle[k, j]
    for k in range(count):
        useful = shares[k] > _NOISE * largest and lower[held[k]] < upper[held[k]]
        if useful and forces[k] < length * shares[k]:
            leaving, length = k, max(forces[k], 0.0) / shares[k]
    return leaving, length


@routine
def _take_up(turned: Array, triangle: Array, way: Array, count: int, square: float, parts: Array) -> float:
    """Turn the free axes so that the new row, way, lies along the first of them; its end there.

    square: squared length of its free part.
    """
    length = np.sqrt(square)
    end = -length if way[count] > 0.0 else length
    scale = 1.0 / np.sqrt(length * (length + abs(way[count])))
    for k in range(count):
        triangle[count, k] = way[k]
    triangle[count, count] = end
    way[count] -= end
    for k in range(count, len(way)):
        way[k] *= scale
    reflect(turned, way, count, parts)
    return end  # type: ignore[no-any-return]


@routine
def _drop(
    turned: Array, triangle: Array, held: Any, signs: Array, forces: Array, place: int, count: int
) -> None:
    """Take a row out of force; plane rotations make what is left triangular again."""
    for k in range(place, count - 1):
        for j in range(k + 2):
            triangle[k, j] = triangle[k + 1, j]
        held[k], signs[k], forces[k] = held[k + 1], signs[k + 1], forces[k + 1]
    for k in range(place, count - 1):
        length = np.hypot(triangle[k, k], triangle[k, k + 1])
        c, s = triangle[k, k] / length, triangle[k, k + 1] / length
        for i in range(k, count - 1):
            one, other = triangle[i, k], triangle[i, k + 1]
            triangle[i, k], triangle[i, k + 1] = c * one + s * other, c * other - s * one
        for j in range(turned.shape[1]):
            one, other = turned[k, j], turned[k + 1, j]
            turned[k, j], turned[k + 1, j] = c * one + s * other, c * other - s * one
    for j in range(count):
        triangle[count - 1, j] = 0.0


@routine
def _polish(
    turned: Array,
    triangle: Array,
    held: Any,
    signs: Array,
    count: int,
    rows: Array,
    lower: Array,
    upper: Array,
    start: Array,
    x: Array,
) -> None:
    """The minimum with the rows in force as equations, from the minimum without: free of what steps piled up."""
    n, m, along = len(x), len(lower), np.empty(count)
    for j in range(n):
        x[j] = start[j]
    for _ in range(2):
        values = values_of(rows, x)
        for k in range(count):
            bound = lower[held[k]] if signs[k] > 0.0 else upper[held[k]]
            left = signs[k] * (bound - values[held[k]])
            for j in range(k):
                left -= triangle[k, j] * along[j]
            along[k] = left / triangle[k, k]
        for k in range(count):
            weight = along[k]
            for j in range(n):
                x[j] += weight * turned[k, m + j]


@routine
def _multipliers(m: int, held: Any, signs: Array, forces: Array, count: int) -> Any:
    multipliers = np.zeros(m)
    for k in range(count):
        multipliers[held[k]] += signs[k] * forces[k]
    return multipliers
