"""The basis of B-splines, its derivatives and its running sums (Seiwald 2023)."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.errors import InvalidInput


def clamped_knots(count: int, order: int) -> Array:
    """Knots (count + order,) from 0 to 1, the first and last `order` equal, the others at equal distances."""
    if order < 1 or count < order:
        raise InvalidInput(
            f"{count} control points for order {order}; there must be as many as the order at least"
        )
    inner = np.arange(1, count - order + 1) / (count - order + 1)
    return np.concatenate([np.zeros(order), inner, np.ones(order)])


def basis(knots: Array, order: int, at: Any, derivative: int = 0) -> Array:
    """A derivative of all B-splines (k, count) of an order (degree + 1) at parameters (k,).

    Seiwald 2023, (B.51), (B.52).
    The recursion of Cox and de Boor; the right end belongs to the last span that is not empty.
    """
    knots, at = np.asarray(knots, dtype=np.float64), np.atleast_1d(np.asarray(at, dtype=np.float64))
    if derivative >= order:
        return np.zeros((len(at), len(knots) - order))
    spans = np.diff(knots)
    last = int(np.flatnonzero(spans > 0.0)[-1])
    span = np.minimum(np.searchsorted(knots, at, side="right") - 1, last)
    values = np.zeros((len(at), len(knots) - 1))
    inside = (at >= knots[0]) & (at <= knots[-1])
    values[np.flatnonzero(inside), span[inside]] = 1.0
    for j in range(2, order + 1):
        before = _reciprocal(knots[j - 1 : -1] - knots[:-j])
        after = _reciprocal(knots[j:] - knots[1 : len(knots) - j + 1])
        if j <= order - derivative:
            left = (at[:, None] - knots[None, :-j]) * before
            right = (knots[None, j:] - at[:, None]) * after
            values = left * values[:, :-1] + right * values[:, 1:]
        else:
            values = (j - 1) * (before * values[:, :-1] - after * values[:, 1:])
    return values


def cumulative_basis(knots: Array, order: int, at: Any, derivative: int = 0) -> Array:
    """Sums (k, count) of a B-spline and all after it, Seiwald 2023, (B.54)."""
    values = basis(knots, order, at, derivative)
    return np.cumsum(values[:, ::-1], axis=1)[:, ::-1]


@routine
def basis_windows(times: Array, degree: int, at: Array, segments: Integers) -> Array:
    """Value and two derivatives of the B-splines that live at each time: (len(at), 3, degree + 1).

    times (n + 1,): break points; the knots repeat both ends `degree` times. segments (len(at),): where each time
    lies; column j belongs to B-spline number segment + j.
    """
    count = len(times) - 1
    knots = np.empty(count + 1 + 2 * degree)
    for i in range(len(knots)):
        knots[i] = times[min(max(i - degree, 0), count)]
    result = np.zeros((len(at), 3, degree + 1))
    left, right = np.empty(degree + 2), np.empty(degree + 2)
    for k, time in enumerate(at):
        span = segments[k] + degree
        for derivative in range(3):
            # B-splines of lower degree after Cox and de Boor, then differentiated as often as needed.
            window = result[k, derivative]
            window[0] = 1.0
            for j in range(1, degree - derivative + 1):
                left[j] = time - knots[span + 1 - j]
                right[j] = knots[span + j] - time
                saved = 0.0
                for r in range(j):
                    share = window[r] / (right[r + 1] + left[j - r])
                    window[r] = saved + right[r + 1] * share
                    saved = left[j - r] * share
                window[j] = saved
            for q in range(degree - derivative + 1, degree + 1):
                carried = 0.0
                for r in range(q):
                    first = span - q + 1 + r
                    share = q * window[r] / (knots[first + q] - knots[first])
                    window[r] = carried - share
                    carried = share
                window[q] = carried
    return result


def _reciprocal(lengths: Array) -> Array:
    """1 / length, and 0 for empty spans."""
    empty = lengths <= 0.0
    return np.where(empty, 0.0, 1.0 / np.where(empty, 1.0, lengths))
