"""Newton steps on the natural map of the exact cone, for traced code: what `hybrid` does, of a fixed size.

A few sweeps of Gauss-Seidel find which contacts stick, slide or separate; then each step squares the error. All
without branches and pivots, on numbers or symbols: n^3 / 3 multiplications, so for some eight contacts at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.functions import absolute, maximum, minimum, repeat, sqrt, where

Array = np.ndarray[Any, np.dtype[Any]]

_DAMPING = 1e-9  # of the diagonal: makes the steps of redundant contacts unique
_TINY = 1e-280


def polished(
    matrix: Array,
    bias: Array,
    impulses: Array,
    *,
    friction: Array,
    extra: Array,
    limits: int = 0,
    box: Array | None = None,
    steps: int = 4,
    tolerance: Any = 0.0,
) -> tuple[Array, Any]:
    """Impulses (n,) after at most so many Newton steps, and their natural-map residual, N s.

    matrix: (n, n) W + C, and bias: (n,) of the problem, rows as in `ContactProblem`; impulses: (n,) to start from;
    friction, extra: (contacts,); box: (boxes,). The best impulses on the way are given, so never worse than the start.
    """
    law: dict[str, Any] = {
        "friction": friction,
        "extra": extra,
        "limits": limits,
        "box": np.zeros(0) if box is None else box,
    }
    n = len(bias)

    def velocities(p: Array) -> Array:
        return np.array([sum((matrix[i, j] * p[j] for j in range(n)), start=bias[i]) for i in range(n)])

    def improve(p: Array, best: Array, least: Any) -> tuple[Array, Array, Any]:
        after = newton_step(matrix, p, velocities(p), **law)
        residual = natural_map_residual(matrix, after, velocities(after), **law)
        better = residual < least
        best = np.array([where(better, new, old) for new, old in zip(after, best, strict=True)])
        return after, best, where(better, residual, least)

    start = natural_map_residual(matrix, impulses, velocities(impulses), **law)
    _, best, least = repeat(
        improve,
        (impulses, impulses, start),
        count=steps,
        until=lambda p, best, least: least <= tolerance,
    )
    return best, least


def newton_step(
    matrix: Array, p: Array, w: Array, *, friction: Array, extra: Array, limits: int, box: Array
) -> Array:
    """Impulses (n,) after one full Newton step from p with velocities w, brought into what is allowed."""
    n, contacts = len(p), len(friction)
    slope: list[list[Any]] = [[0.0] * n for _ in range(n)]
    value: list[Any] = [0.0] * n
    for i in range(contacts):
        _cone_rows(matrix, p, w, 3 * i, friction[i], extra[i], slope, value)
    for row in range(3 * contacts, n):
        inverse = 1 / matrix[row, row]
        z = p[row] - inverse * w[row]
        bounded = row - 3 * contacts - limits
        moves = where(z > 0.0, 1.0, 0.0) if bounded < 0 else where(absolute(z) < box[bounded], 1.0, 0.0)
        image = maximum(z, 0.0) if bounded < 0 else maximum(minimum(z, box[bounded]), -box[bounded])
        value[row] = p[row] - image
        for j in range(n):
            slope[row][j] = moves * inverse * matrix[row, j]
        slope[row][row] = slope[row][row] + _DAMPING * moves + 1 - moves
    # The normal row of a contact first: its pivot is one, and friction follows it.
    order = [3 * i + k for i in range(contacts) for k in (2, 0, 1)] + list(range(3 * contacts, n))
    step = _eliminated([[slope[i][j] for j in order] for i in order], [value[i] for i in order])
    moved = list(p)
    for index, change in zip(order, step, strict=True):
        moved[index] = p[index] - change
    return _allowed(moved, friction, extra, limits, box)


def _cone_rows(
    matrix: Array, p: Array, w: Array, k: int, mu: Any, extra: Any, slope: list[list[Any]], value: list[Any]
) -> None:
    """Rows of one contact: the natural map and its derivative, as in `hybrid`."""
    tangential, normal = 2 / (matrix[k, k] + matrix[k + 1, k + 1]), 1 / matrix[k + 2, k + 2]
    z1, z2, zn = p[k] - tangential * w[k], p[k + 1] - tangential * w[k + 1], p[k + 2] - normal * w[k + 2]
    pressed = where(zn > 0.0, 1.0, 0.0)
    bound = pressed * (mu * zn + extra)
    length = sqrt(z1 * z1 + z2 * z2)
    inverse = 1 / maximum(length, _TINY)
    slides = where(length > bound, 1.0, 0.0)
    scale = where(length > bound, bound * inverse, 1.0)
    u1, u2 = z1 * inverse, z2 * inverse
    across = slides * scale
    f11, f12, f22 = scale - across * u1 * u1, -across * u1 * u2, scale - across * u2 * u2
    lean = slides * pressed * mu
    value[k], value[k + 1], value[k + 2] = p[k] - scale * z1, p[k + 1] - scale * z2, p[k + 2] - pressed * zn
    for j in range(len(p)):
        a1, a2, an = tangential * matrix[k, j], tangential * matrix[k + 1, j], normal * matrix[k + 2, j]
        a1 = a1 + _DAMPING if j == k else a1
        a2 = a2 + _DAMPING if j == k + 1 else a2
        an = an + _DAMPING if j == k + 2 else an
        slope[k][j] = f11 * a1 + f12 * a2 + lean * u1 * an
        slope[k + 1][j] = f12 * a1 + f22 * a2 + lean * u2 * an
        slope[k + 2][j] = pressed * an
    slope[k][k] = slope[k][k] + 1 - f11
    slope[k][k + 1] = slope[k][k + 1] - f12
    slope[k + 1][k] = slope[k + 1][k] - f12
    slope[k + 1][k + 1] = slope[k + 1][k + 1] + 1 - f22
    slope[k][k + 2] = slope[k][k + 2] - lean * u1
    slope[k + 1][k + 2] = slope[k + 1][k + 2] - lean * u2
    slope[k + 2][k + 2] = slope[k + 2][k + 2] + 1 - pressed


def _eliminated(rows: list[list[Any]], b: list[Any]) -> list[Any]:
    """x with `rows x = b` by elimination in the given order; small pivots are kept off zero."""
    n = len(b)
    inverse: list[Any] = []
    for k in range(n):
        pivot = rows[k][k]
        inverse.append(1 / where(absolute(pivot) > 1e-13, pivot, 1e-13))
        for i in range(k + 1, n):
            factor = rows[i][k] * inverse[k]
            for j in range(k + 1, n):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
            b[i] = b[i] - factor * b[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            b[k] = b[k] - rows[k][j] * b[j]
        b[k] = b[k] * inverse[k]
    return b


def _allowed(p: list[Any], friction: Array, extra: Array, limits: int, box: Array) -> Array:
    """Impulses without pull, within the cones and the boxes."""
    contacts = len(friction)
    for i in range(contacts):
        k = 3 * i
        normal = maximum(p[k + 2], 0.0)
        bound = where(normal > 0.0, friction[i] * normal + extra[i], 0.0)
        length = sqrt(p[k] * p[k] + p[k + 1] * p[k + 1])
        scale = where(length > bound, bound / maximum(length, _TINY), 1.0)
        p[k : k + 3] = [scale * p[k], scale * p[k + 1], normal]
    for row in range(3 * contacts, len(p)):
        bounded = row - 3 * contacts - limits
        if bounded < 0:
            p[row] = maximum(p[row], 0.0)
        else:
            p[row] = maximum(minimum(p[row], box[bounded]), -box[bounded])
    return np.array(p)


def natural_map_residual(
    matrix: Array, p: Array, w: Array, *, friction: Array, extra: Array, limits: int, box: Array
) -> Any:
    """The residual of `validation.natural_map_residual`, on numbers or symbols, N s."""
    contacts = len(friction)
    largest: Any = 0.0
    for i in range(contacts):
        k = 3 * i
        scale = 2 / (matrix[k, k] + matrix[k + 1, k + 1])
        target = maximum(p[k + 2] - w[k + 2] / matrix[k + 2, k + 2], 0.0)
        largest = maximum(largest, absolute(p[k + 2] - target))
        z1, z2 = p[k] - scale * w[k], p[k + 1] - scale * w[k + 1]
        presses = matrix[k + 2, k + 2] * p[k + 2] > w[k + 2]
        bound = where(presses, friction[i] * p[k + 2] + extra[i], 0.0)
        length = sqrt(z1 * z1 + z2 * z2)
        factor = where(length > bound, bound / maximum(length, _TINY), 1.0)
        e1, e2 = p[k] - factor * z1, p[k + 1] - factor * z2
        largest = maximum(largest, sqrt(e1 * e1 + e2 * e2))
    for row in range(3 * contacts, len(p)):
        z = p[row] - w[row] / matrix[row, row]
        bounded = row - 3 * contacts - limits
        target = maximum(z, 0.0) if bounded < 0 else maximum(minimum(z, box[bounded]), -box[bounded])
        largest = maximum(largest, absolute(p[row] - target))
    return largest
