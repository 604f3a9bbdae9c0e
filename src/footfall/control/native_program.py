"""Small dense quadratic programs as native code: the dual active-set method of Goldfarb and Idnani (1983).

It starts at the minimum without limits and takes up violated rows one by one, the worst first, so that it needs no
feasible start, and every step is exact. Rows that depend on those in force are no trouble: such a row is taken up
only in exchange for another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop

Array = np.ndarray[Any, np.dtype[np.float64]]

SOLVED, INFEASIBLE, LIMIT, NOT_CONVEX = 0, 1, 2, 3
_OPEN, _IN_FORCE, _IGNORED = 0, 1, 2  # rows
_NOISE = 1e-7  # shares of rows in force that may be zero but for rounding, relative to the largest
_DEPENDENT = 1e-14  # squared part of a row that is new, below which it depends on the rows in force


@native_loop
def inverse_factor(hessian: Array, least: float) -> Any:
    """Lower triangle X (n, n) with `X^T X = hessian^-1`, of which the upper triangle is read; empty if the Hessian is
    not positive definite or a pivot is not above `least`."""
    n = len(hessian)
    upper = hessian.copy()  # becomes U with U^T U = hessian
    for k in range(n):
        if not upper[k, k] > least:
            return np.zeros((0, 0))
        scale = 1.0 / np.sqrt(upper[k, k])
        for j in range(k, n):
            upper[k, j] *= scale
        for i in range(k + 1, n):
            weight = upper[k, i]
            for j in range(i, n):
                upper[i, j] -= weight * upper[k, j]
    inverse = np.zeros((n, n))
    for i in range(n):
        inverse[i, i] = 1.0
        for k in range(i):
            weight = upper[k, i]
            for j in range(k + 1):
                inverse[i, j] -= weight * inverse[k, j]
        scale = 1.0 / upper[i, i]
        for j in range(i + 1):
            inverse[i, j] *= scale
    return inverse


@native_loop
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


@native_loop
def combined(weights: Array, rows: Array) -> Any:
    """`weights @ rows` (n,)."""
    if rows.size == 0:
        return np.zeros(rows.shape[1])  # the library leaves empty sums as they are
    return np.dot(weights, rows)


@native_loop
def values_of(rows: Array, x: Array) -> Any:
    """`rows @ x` (m,)."""
    if rows.size == 0:
        return np.zeros(len(rows))
    return np.dot(rows, x)


@native_loop
def minimise(
    factor: Array, gradient: Array, rows: Array, lower: Array, upper: Array, tolerance: float
) -> tuple[int, Any, Any, int]:
    """Minimise `x H x / 2 + gradient x` with `lower <= rows x <= upper`, (m, n) and (m,).

    factor (n, n): from `inverse_factor` of H. tolerance: by which rows may be missed, relative to the norm of the row
    times the size of x. Gives the status, x (n,), the multipliers (m,), positive at lower bounds, and the steps taken.
    """
    n, m = len(gradient), len(lower)
    basis = factor.copy()  # its first rows span the rows in force, in the metric of H
    triangle = np.zeros((n, n))  # row k: entries 0 to k of the k-th row in force, in that basis
    held, signs, forces = (
        np.full(n, -1),
        np.zeros(n),
        np.zeros(n),
    )  # rows in force, which side, their multipliers
    norms, settled = np.empty(m), np.zeros(m, dtype=np.int64)
    for i in range(m):
        norms[i] = np.sqrt(inner(rows[i], rows[i]))
        settled[i] = _IN_FORCE if norms[i] == 0.0 else _OPEN
        if lower[i] > upper[i]:
            return INFEASIBLE, np.zeros(n), np.zeros(m), 0
    shares, x = np.empty(n), combined(values_of(factor, gradient), factor)
    for j in range(n):
        x[j] = -x[j]
    start, count, most, status, step = x.copy(), 0, 10 * (n + m) + 50, LIMIT, 0
    before = (basis, triangle, held, signs, forces, x, count)
    while step < most:
        row, sign = _worst(rows, lower, upper, norms, settled, x, tolerance)
        if row < 0:
            status = SOLVED
            break
        bound, pressure = (lower[row] if sign > 0.0 else upper[row]), 0.0
        step += 1
        while True:
            turned = values_of(basis, rows[row])
            new = _new_part(turned, sign, count)
            dependent = new <= _DEPENDENT * inner(turned, turned)
            leaving, length = _first_to_leave(triangle, turned, forces, held, lower, upper, count, shares)
            missing = sign * (bound - inner(rows[row], x))
            if dependent and leaving < 0:
                if missing > 1e4 * tolerance * norms[row] * max(1.0, np.sqrt(inner(x, x))):
                    return INFEASIBLE, x, _multipliers(m, held, signs, forces, count), step
                if pressure > 0.0:  # what was exchanged on the way was in vain
                    basis, triangle, held, signs, forces, x, count = before
                    for i in range(m):
                        settled[i] = _OPEN if settled[i] == _IN_FORCE and norms[i] > 0.0 else settled[i]
                    for k in range(count):
                        settled[held[k]] = _IN_FORCE
                settled[row] = _IGNORED  # it contradicts the rows in force by rounding only
                break
            whole = not dependent and missing < length * new
            if whole:
                length = missing / new
            elif pressure == 0.0:
                before = (
                    basis.copy(),
                    triangle.copy(),
                    held.copy(),
                    signs.copy(),
                    forces.copy(),
                    x.copy(),
                    count,
                )
            if not dependent:
                way = combined(turned[count:], basis[count:])
                for j in range(n):
                    x[j] += length * way[j]
            for k in range(count):
                forces[k] -= length * shares[k]
            pressure += length
            if whole:
                _take_up(basis, triangle, turned, count, shares)
                for i in range(m):  # what was missed by rounding may be missed by more now
                    settled[i] = _OPEN if settled[i] == _IGNORED else settled[i]
                held[count], signs[count], forces[count], settled[row] = row, sign, pressure, _IN_FORCE
                count += 1
                break
            settled[held[leaving]] = _OPEN
            _drop(basis, triangle, held, signs, forces, leaving, count)
            count -= 1
    if status == SOLVED:
        _polish(basis, triangle, held, signs, count, rows, lower, upper, start, x)
    return status, x, _multipliers(m, held, signs, forces, count), step


@native_loop
def _worst(
    rows: Array, lower: Array, upper: Array, norms: Array, settled: Any, x: Array, tolerance: float
) -> tuple[int, float]:
    """The row that is missed most, relative to its norm, and the side: 1 below, -1 above; equations come first."""
    worst, most, sign = -1, tolerance * max(1.0, np.sqrt(inner(x, x))), 1.0
    values = values_of(rows, x)
    for i in range(len(lower)):
        if settled[i] != _OPEN:
            continue
        below, above = lower[i] - values[i], values[i] - upper[i]
        missing = max(below, above) / norms[i]
        if lower[i] == upper[i]:
            return i, (1.0 if below > 0.0 else -1.0)
        if missing > most:
            worst, most, sign = i, missing, (1.0 if below > above else -1.0)
    return worst, sign


@native_loop
def _new_part(turned: Array, sign: float, count: int) -> float:
    """Give a row in the basis its sign; the squared length of what the rows in force do not span."""
    new = 0.0
    for k in range(len(turned)):
        turned[k] *= sign
        if k >= count:
            new += turned[k] * turned[k]
    return new


@native_loop
def _first_to_leave(
    triangle: Array,
    turned: Array,
    forces: Array,
    held: Any,
    lower: Array,
    upper: Array,
    count: int,
    shares: Array,
) -> tuple[int, float]:
    """The row in force whose multiplier comes to zero first, and after what length; equations never leave.

    shares (count,) become how much of each row in force makes up the part of the new row that they span.
    """
    leaving, length, largest = -1, np.inf, 0.0
    for k in range(count):
        shares[k] = turned[k]
    for k in range(count - 1, -1, -1):
        shares[k] /= triangle[k, k]
        largest = max(largest, abs(shares[k]))
        for j in range(k):
            shares[j] -= shares[k] * triangle[k, j]
    for k in range(count):
        useful = shares[k] > _NOISE * largest and lower[held[k]] < upper[held[k]]
        if useful and forces[k] < length * shares[k]:
            leaving, length = k, max(forces[k], 0.0) / shares[k]
    return leaving, length


@native_loop
def _take_up(basis: Array, triangle: Array, turned: Array, count: int, normal: Array) -> None:
    """Turn the free part of the basis so that the new row lies along its first axis."""
    n, square = len(basis), 0.0
    for k in range(count, n):
        square += turned[k] * turned[k]
    length = np.sqrt(square)
    end = -length if turned[count] > 0.0 else length
    scale = 1.0 / np.sqrt(length * (length + abs(turned[count])))
    for k in range(count, n):
        normal[k] = scale * turned[k]
    normal[count] -= scale * end
    parts = combined(normal[count:], basis[count:])
    for i in range(count, n):
        for j in range(n):
            basis[i, j] -= normal[i] * parts[j]
    for k in range(count):
        triangle[count, k] = turned[k]
    triangle[count, count] = end


@native_loop
def _drop(
    basis: Array, triangle: Array, held: Any, signs: Array, forces: Array, place: int, count: int
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
        for j in range(len(basis)):
            one, other = basis[k, j], basis[k + 1, j]
            basis[k, j], basis[k + 1, j] = c * one + s * other, c * other - s * one
    for j in range(count):
        triangle[count - 1, j] = 0.0


@native_loop
def _polish(
    basis: Array,
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
    along = np.empty(count)
    for j in range(len(x)):
        x[j] = start[j]
    for _ in range(2):
        for k in range(count):
            bound = lower[held[k]] if signs[k] > 0.0 else upper[held[k]]
            left = signs[k] * (bound - inner(rows[held[k]], x))
            for j in range(k):
                left -= triangle[k, j] * along[j]
            along[k] = left / triangle[k, k]
        way = combined(along, basis[:count])
        for j in range(len(x)):
            x[j] += way[j]


@native_loop
def _multipliers(m: int, held: Any, signs: Array, forces: Array, count: int) -> Any:
    multipliers = np.zeros(m)
    for k in range(count):
        multipliers[held[k]] += signs[k] * forces[k]
    return multipliers
