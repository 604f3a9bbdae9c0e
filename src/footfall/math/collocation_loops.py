"""Native loops for splines as solutions of differential equations, in the basis of B-splines."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop

Array = np.ndarray[Any, np.dtype[np.float64]]


@native_loop
def basis_windows(times: Array, degree: int, at: Array, segments: Any) -> Array:
    """Value and two derivatives of the B-splines that live at each time: (len(at), 3, degree + 1).

    times (n + 1,): break points; the knots repeat both ends `degree` times. segments (len(at),): where each time
    lies; column j belongs to B-spline number segment + j.
    """
    count = len(times) - 1
    knots = np.empty(count + 1 + 2 * degree)
    for i in range(len(knots)):
        knots[i] = times[min(max(i - degree, 0), count)]
    result = np.zeros((len(at), 3, degree + 1))
    window, left, right = np.empty(degree + 2), np.empty(degree + 2), np.empty(degree + 2)
    for k in range(len(at)):
        span = segments[k] + degree
        for derivative in range(3):
            # B-splines of lower degree after Cox and de Boor, then differentiated as often as needed.
            window[0] = 1.0
            for j in range(1, degree - derivative + 1):
                left[j] = at[k] - knots[span + 1 - j]
                right[j] = knots[span + j] - at[k]
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
            for r in range(degree + 1):
                result[k, derivative, r] = window[r]
    return result


@native_loop
def end_coefficients(times: Array, start: Array, end: Array, degree: int) -> Array:
    """The first three and last three coefficients (6, dimension) that give value, velocity and acceleration."""
    dimension = start.shape[1]
    count = len(times) - 1
    result = np.empty((6, dimension))
    p = float(degree)
    h0, h1 = times[1] - times[0], times[min(2, count)] - times[0]
    g0, g1 = times[count] - times[count - 1], times[count] - times[max(count - 2, 0)]
    for d in range(dimension):
        result[0, d] = start[0, d]
        slope = start[1, d]
        result[1, d] = result[0, d] + slope * h0 / p
        slope += start[2, d] * h0 / (p - 1.0)
        result[2, d] = result[1, d] + slope * h1 / p
        result[5, d] = end[0, d]
        slope = end[1, d]
        result[4, d] = result[5, d] - slope * g0 / p
        slope -= end[2, d] * g0 / (p - 1.0)
        result[3, d] = result[4, d] - slope * g1 / p
    return result


@native_loop
def collocation_bands(
    windows: Array,
    alpha: Array,
    beta: Array,
    gamma: Array,
    tau: Array,
    ends: Array,
    sites: Any,
    width: int,
) -> tuple[Array, Array]:
    """A collocation in LAPACK's band storage (3 width + 1, n), and its right-hand side without the known `ends`.

    sites (n,): the segment after each site, which is the first of the coefficients that live there. Unknown are the
    n coefficients between the six of the ends.
    """
    count, dimension = tau.shape
    bands, load = np.zeros((3 * width + 1, count)), tau.copy()
    for k in range(count):
        for j in range(windows.shape[2]):
            entry = alpha[k] * windows[k, 2, j] + beta[k] * windows[k, 1, j] + gamma[k] * windows[k, 0, j]
            column = sites[k] + j - 3
            if 0 <= column < count:
                if abs(column - k) <= width:
                    bands[2 * width + k - column, column] = entry
            elif column < count + 3:
                known = column + 3 if column < 0 else column - count + 3
                for d in range(dimension):
                    load[k, d] -= entry * ends[known, d]
    return bands, load


@native_loop
def window_number(segment: int, count: int, kept: int) -> int:
    """Which of the windows of `kept` equal segments serve a segment of `count` equal ones: inside all are alike."""
    if count <= kept or segment < kept // 2:
        return segment
    return kept // 2 if segment < count - kept // 2 else segment - count + kept


@native_loop
def normal_equations(
    windows: Array,
    count: int,
    weights: Array,
    alpha: Array,
    beta: Array,
    gamma: Array,
    tau: Array,
    ends: Array,
) -> tuple[Array, Array]:
    """Banded normal equations of least squares: upper bands (degree + 1, n - 1) and right-hand side.

    windows (kept segments, points in each, 3, degree + 1): see `window_number`. count: n, of segments. Unknown are
    the coefficients without the six `ends`. weights (k,): of the squared residuals.
    """
    kept, each, _, columns = windows.shape
    dimension = tau.shape[1]
    degree = columns - 1
    total = count + degree  # coefficients of the spline
    unknown = total - 6
    bands, load = np.zeros((degree + 1, unknown)), np.zeros((unknown, dimension))
    row, rest = np.empty(columns), np.empty(dimension)
    for k in range(count * each):
        segment = k // each
        window = windows[window_number(segment, count, kept), k - segment * each]
        for d in range(dimension):
            rest[d] = tau[k, d]
        for j in range(columns):
            row[j] = alpha[k] * window[2, j] + beta[k] * window[1, j] + gamma[k] * window[0, j]
            column = segment + j
            if column < 3 or column >= total - 3:
                known = column if column < 3 else column - total + 6
                for d in range(dimension):
                    rest[d] -= row[j] * ends[known, d]
        for j in range(columns):
            column = segment + j - 3
            if column < 0 or column >= unknown:
                continue
            scaled = weights[k] * row[j]
            for d in range(dimension):
                load[column, d] += scaled * rest[d]
            for i in range(j + 1):
                other = segment + i - 3
                if other >= 0:
                    bands[degree + other - column, column] += scaled * row[i]
    return bands, load


@native_loop
def values_at_knots(windows: Array, coefficients: Array, count: int) -> Array:
    """Value, velocity and acceleration (3, n + 1, dimension) at the knots of n segments.

    windows (kept segments, 2, 3, degree + 1): at the start and at the end of each, see `window_number`.
    """
    kept, _, _, columns = windows.shape
    dimension = coefficients.shape[1]
    result = np.zeros((3, count + 1, dimension))
    for k in range(count + 1):
        segment = min(k, count - 1)
        window = windows[window_number(segment, count, kept), k - segment]
        for derivative in range(3):
            for j in range(columns):
                for d in range(dimension):
                    result[derivative, k, d] += window[derivative, j] * coefficients[segment + j, d]
    return result
