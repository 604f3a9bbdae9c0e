"""Native loops for splines as solutions of differential equations, in the basis of B-splines."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine


@routine
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


@routine
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


@routine
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


@routine
def window_number(segment: int, count: int, kept: int) -> int:
    """Which of the windows of `kept` equal segments serve a segment of `count` equal ones: inside all are alike."""
    if count <= kept or segment < kept // 2:
        return segment
    return kept // 2 if segment < count - kept // 2 else segment - count + kept


@routine
def normal_equations(
    windows: Array,
    scale: float,
    weights: Array,
    alpha: Array,
    beta: Array,
    gamma: Array,
    tau: Array,
    ends: Array,
    bands: Array,
    load: Array,
) -> None:
    """Add the normal equations of least squares to bands (n - 1, degree + 1), see `solve_bands`, and load.

    windows (kept segments, points in each, 3, degree + 1): see `window_number`; they are for times divided by scale.
    Unknown are the n - 1 coefficients without the six `ends`. weights (k,): of the squared residuals.
    """
    kept, each, _, columns = windows.shape
    dimension, unknown = tau.shape[1], len(load)
    count, degree = len(weights) // each, columns - 1
    row, rest = np.empty(columns), np.empty(dimension)
    for k in range(count * each):
        segment = k // each
        window, point = window_number(segment, count, kept), k - segment * each
        second, first, value = alpha[k] / (scale * scale), beta[k] / scale, gamma[k]
        for d in range(dimension):
            rest[d] = tau[k, d]
        for j in range(columns):
            row[j] = (
                second * windows[window, point, 2, j]
                + first * windows[window, point, 1, j]
                + value * windows[window, point, 0, j]
            )
            column = segment + j - 3
            if column < 0 or column >= unknown:
                known = column + 3 if column < 0 else column - unknown + 3
                for d in range(dimension):
                    rest[d] -= row[j] * ends[known, d]
        for j in range(max(3 - segment, 0), min(columns, unknown + 3 - segment)):
            column = segment + j - 3
            scaled = weights[k] * row[j]
            for d in range(dimension):
                load[column, d] += scaled * rest[d]
            for i in range(max(3 - segment, 0), j + 1):
                bands[column, degree + i - j] += scaled * row[i]


@routine
def solve_bands(bands: Array, load: Array) -> bool:
    """Solve a symmetric, positive system in place by L D L^T; whether that was possible.

    bands (n, width + 1): entry (i, j), j <= i, stands in row i and column width + j - i. load (n, dimension).
    """
    count, width = len(bands), bands.shape[1] - 1
    for i in range(count):
        first = max(i - width, 0)
        for j in range(first, i):
            value = bands[i, width + j - i]  # L_ij D_j
            for m in range(max(first, j - width), j):
                value -= bands[i, width + m - i] * bands[j, width + m - j]
            bands[i, width + j - i] = value
        pivot = bands[i, width]
        for j in range(first, i):
            entry = bands[i, width + j - i]
            bands[i, width + j - i] = entry / bands[j, width]
            pivot -= entry * bands[i, width + j - i]
            for d in range(load.shape[1]):
                load[i, d] -= bands[i, width + j - i] * load[j, d]
        if not pivot > 0.0:
            return False
        bands[i, width] = pivot
    for i in range(count - 1, -1, -1):
        for d in range(load.shape[1]):
            value = load[i, d] / bands[i, width]
            for j in range(i + 1, min(i + width + 1, count)):
                value -= bands[j, width + i - j] * load[j, d]
            load[i, d] = value
    return True


@routine
def least_squares_motion(
    times: Array,
    inside: Array,
    borders: Array,
    scale: float,
    weights: Array,
    alpha: Array,
    beta: Array,
    gamma: Array,
    tau: Array,
    start: Array,
    end: Array,
    motion: Array,
) -> bool:
    """Fill motion (3, n + 1, dimension) with value, velocity and acceleration at the knots of the quintic spline that
    `least_squares` describes; whether there is one.

    inside, borders (kept segments, points or 2, 3, 6): see `normal_equations` and `values_at_knots`.
    """
    count, dimension = len(times) - 1, tau.shape[1]
    ends = end_coefficients(times, start, end, 5)
    bands, load = np.zeros((count - 1, 6)), np.zeros((count - 1, dimension))
    normal_equations(inside, scale, weights, alpha, beta, gamma, tau, ends, bands, load)
    if not solve_bands(bands, load):
        return False
    coefficients = np.empty((count + 5, dimension))
    for c in range(count + 5):
        for d in range(dimension):
            if c < 3:
                coefficients[c, d] = ends[c, d]
            elif c < count + 2:
                coefficients[c, d] = load[c - 3, d]
            else:
                coefficients[c, d] = ends[c - count + 1, d]
    values_at_knots(borders, scale, coefficients, motion)
    return True


@routine
def values_at_knots(windows: Array, scale: float, coefficients: Array, motion: Array) -> None:
    """Fill motion (3, n + 1, dimension) with value, velocity and acceleration at the knots of n segments.

    windows (kept segments, 2, 3, degree + 1): at the start and at the end of each, see `window_number`; they are for
    times divided by scale.
    """
    kept, _, _, columns = windows.shape
    _, knots, dimension = motion.shape
    for k in range(knots):
        segment = min(k, knots - 2)
        window, end, factor = window_number(segment, knots - 1, kept), k - segment, 1.0
        for derivative in range(3):
            for d in range(dimension):
                value = 0.0
                for j in range(columns):
                    value += windows[window, end, derivative, j] * coefficients[segment + j, d]
                motion[derivative, k, d] = factor * value
            factor /= scale
