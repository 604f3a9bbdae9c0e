"""The loops of Gauss-Seidel on the pyramid, and of the scheme of 001 section 12, as native code."""

from __future__ import annotations

import math

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.contact.native_sweeps import change, natural_map, velocities


@routine
def nearest_in_polygon(x: float, y: float, radius: float, facets: int) -> tuple[float, float]:
    """Nearest point of the regular polygon with corners on the circle, one of them at (radius, 0)."""
    if radius <= 0.0:
        return 0.0, 0.0
    sector = 2 * math.pi / facets
    first = math.floor(math.atan2(y, x) / sector) * sector  # the edge ahead of the point starts here
    x1, y1 = radius * math.cos(first), radius * math.sin(first)
    x2, y2 = radius * math.cos(first + sector), radius * math.sin(first + sector)
    middle = first + sector / 2
    if x * math.cos(middle) + y * math.sin(middle) <= radius * math.cos(sector / 2):
        return x, y
    ex, ey = x2 - x1, y2 - y1
    along = ((x - x1) * ex + (y - y1) * ey) / (ex * ex + ey * ey)
    along = min(max(along, 0.0), 1.0)
    return x1 + along * ex, y1 + along * ey


@routine
def residual(
    diagonal: Array, friction: Array, extra: Array, box: Array, p: Array, w: Array, facets: int
) -> float:
    """Natural-map residual of the pyramid, N s."""
    rows = 3 * len(friction)
    largest = natural_map(diagonal[rows:], friction[:0], extra[:0], box, p[rows:], w[rows:])
    for i in range(len(friction)):
        n = 3 * i + 2
        largest = max(largest, abs(p[n] - max(0.0, p[n] - w[n] / diagonal[n])))
        scale = 2.0 / (diagonal[n - 2] + diagonal[n - 1])
        bound = friction[i] * p[n] + extra[i] if diagonal[n] * p[n] > w[n] else 0.0
        x, y = nearest_in_polygon(p[n - 2] - scale * w[n - 2], p[n - 1] - scale * w[n - 1], bound, facets)
        largest = max(largest, math.hypot(p[n - 2] - x, p[n - 1] - y))
    return largest


@routine
def pyramid_sweeps(
    matrix: Array,
    diagonal: Array,
    bias: Array,
    friction: Array,
    extra: Array,
    box: Array,
    p: Array,
    w: Array,
    facets: int,
    tolerance: float,
    most: int,
) -> tuple[int, float]:
    """Sweeps until the residual is below the tolerance, at most so many."""
    size, rows = len(p), 3 * len(friction)
    velocities(matrix, bias, p, w)
    left = residual(diagonal, friction, extra, box, p, w, facets)
    for sweep in range(most):
        if left <= tolerance:
            velocities(matrix, bias, p, w)
            left = residual(diagonal, friction, extra, box, p, w, facets)
            if left <= tolerance:
                return sweep, left
        for i in range(len(friction)):
            n = 3 * i + 2
            change(matrix, p, w, n, max(0.0, p[n] - w[n] / diagonal[n]))
            bound = friction[i] * p[n] + extra[i] if p[n] > 0.0 else 0.0
            scale = 2.0 / (diagonal[n - 2] + diagonal[n - 1])
            x, y = nearest_in_polygon(p[n - 2] - scale * w[n - 2], p[n - 1] - scale * w[n - 1], bound, facets)
            change(matrix, p, w, n - 2, x)
            change(matrix, p, w, n - 1, y)
        for row in range(rows, size):
            target = p[row] - w[row] / diagonal[row]
            bounded = row - (size - len(box))
            if bounded < 0:
                change(matrix, p, w, row, max(0.0, target))
            else:
                change(matrix, p, w, row, min(max(target, -box[bounded]), box[bounded]))
        left = residual(diagonal, friction, extra, box, p, w, facets)
    velocities(matrix, bias, p, w)
    return most, residual(diagonal, friction, extra, box, p, w, facets)


@routine
def source_sweeps(
    matrix: Array,
    diagonal: Array,
    bias: Array,
    friction: Array,
    extra: Array,
    box: Array,
    p: Array,
    tolerance: float,
    most: int,
) -> tuple[int, bool]:
    """001 section 12: row after row with the newest values; stops by (4.39), the relative change in a sweep."""
    size, rows = len(p), 3 * len(friction)
    old = np.empty(size)
    for sweep in range(most):
        old[:] = p
        for i in range(len(friction)):
            n = 3 * i + 2
            p[n] -= (matrix[n] @ p + bias[n]) / diagonal[n]  # (4.41)
            if p[n] <= 0.0:
                p[n - 2 : n + 1] = 0.0
                continue
            mean = (diagonal[n - 2] + diagonal[n - 1]) / 2  # of the eigenvalues
            x = p[n - 2] - (matrix[n - 2] @ p + bias[n - 2]) / mean  # (4.42)
            y = p[n - 1] - (matrix[n - 1] @ p + bias[n - 1]) / mean
            bound = friction[i] * p[n] + extra[i]
            length = math.hypot(x, y)
            if length > bound:  # (4.43)
                x, y = x * bound / length, y * bound / length
            p[n - 2], p[n - 1] = x, y
        for row in range(rows, size):
            target = p[row] - (matrix[row] @ p + bias[row]) / diagonal[row]
            bounded = row - (size - len(box))
            if bounded < 0:
                p[row] = max(0.0, target)
            else:
                p[row] = min(max(target, -box[bounded]), box[bounded])
        if np.linalg.norm(p - old) <= tolerance * np.linalg.norm(p):
            return sweep + 1, True
    return most, False
