"""The loops of the Gauss-Seidel solvers as native code for any number of contacts.

The one-contact solution is that of `local_cone`. All functions work in place on impulses p and velocities w = A p + b.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records, routine
from footfall.contact import local_cone

_REFRESH = 50  # sweeps after which w is computed anew, since rounding errors add up


@routine
def velocities(matrix: Array, bias: Array, p: Array, w: Array) -> None:
    """w = A p + b."""
    for i in range(len(p)):
        total = bias[i]
        for j in range(len(p)):
            total += matrix[i, j] * p[j]
        w[i] = total


@routine
def change(matrix: Array, p: Array, w: Array, row: int, value: float) -> None:
    """Set an impulse and let the velocities follow."""
    step = value - p[row]
    if step != 0.0:
        p[row] = value
        for j in range(len(w)):
            w[j] += matrix[row, j] * step


@routine
def natural_map(diagonal: Array, friction: Array, extra: Array, box: Array, p: Array, w: Array) -> float:
    """Residual as in `validation.natural_map_residual`."""
    largest = 0.0
    for i in range(len(friction)):
        n = 3 * i + 2
        largest = max(largest, abs(p[n] - max(0.0, p[n] - w[n] / diagonal[n])))
        scale = 2.0 / (diagonal[n - 2] + diagonal[n - 1])
        z1, z2 = p[n - 2] - scale * w[n - 2], p[n - 1] - scale * w[n - 1]
        length = math.sqrt(z1 * z1 + z2 * z2)
        bound = friction[i] * p[n] + extra[i] if diagonal[n] * p[n] > w[n] else 0.0
        factor = bound / length if length > bound else 1.0
        largest = max(largest, math.hypot(p[n - 2] - factor * z1, p[n - 1] - factor * z2))
    for row in range(3 * len(friction), len(p) - len(box)):
        largest = max(largest, abs(p[row] - max(0.0, p[row] - w[row] / diagonal[row])))
    for k in range(len(box)):
        row = len(p) - len(box) + k
        target = p[row] - w[row] / diagonal[row]
        largest = max(largest, abs(p[row] - min(max(target, -box[k]), box[k])))
    return largest


@routine
def contact_blocks(matrix: Array, contacts: int) -> Any:
    """The blocks of all contacts, an array of records."""
    blocks = new_records(local_cone.ConeBlock, contacts)
    for i in range(contacts):
        k = 3 * i
        blocks[i] = local_cone.cone_block(
            matrix[k, k],
            matrix[k, k + 1],
            matrix[k, k + 2],
            matrix[k + 1, k + 1],
            matrix[k + 1, k + 2],
            matrix[k + 2, k + 2],
        )
    return blocks


@routine
def cone_sweeps(
    matrix: Array,
    bias: Array,
    friction: Array,
    extra: Array,
    box: Array,
    p: Array,
    w: Array,
    relaxation: float,
    tolerance: float,
    most: int,
    steps: int,
) -> tuple[int, float]:
    """Sweeps over contacts and joint rows until the residual is below the tolerance, at most so many."""
    contacts, size = len(friction), len(p)
    diagonal = np.empty(size)
    for row in range(size):
        diagonal[row] = matrix[row, row]
    least = 1e-12 * np.max(diagonal) + 1e-280
    for row in range(size):
        diagonal[row] = max(diagonal[row], least)
    blocks = contact_blocks(matrix, contacts)
    slip = np.zeros(contacts)
    velocities(matrix, bias, p, w)
    residual = natural_map(diagonal, friction, extra, box, p, w)
    for sweep in range(most):
        if residual <= tolerance:
            velocities(matrix, bias, p, w)
            residual = natural_map(diagonal, friction, extra, box, p, w)
            if residual <= tolerance:
                return sweep, residual
        for i in range(contacts):
            k = 3 * i
            block = blocks[i]
            o1, o2, on = p[k], p[k + 1], p[k + 2]
            f1 = w[k] - (matrix[k, k] + block.added) * o1 - matrix[k, k + 1] * o2 - matrix[k, k + 2] * on
            f2 = (
                w[k + 1]
                - matrix[k, k + 1] * o1
                - (matrix[k + 1, k + 1] + block.added) * o2
                - matrix[k + 1, k + 2] * on
            )
            fn = (
                w[k + 2]
                - matrix[k, k + 2] * o1
                - matrix[k + 1, k + 2] * o2
                - (matrix[k + 2, k + 2] + block.added) * on
            )
            p1, p2, pn, slip[i] = local_cone.solve_cone(
                block, f1, f2, fn, friction[i], extra[i], slip[i], steps
            )
            if relaxation != 1.0 and pn > 0.0:
                pn = max(0.0, on + relaxation * (pn - on))
                p1, p2 = o1 + relaxation * (p1 - o1), o2 + relaxation * (p2 - o2)
                length = math.hypot(p1, p2)
                bound = friction[i] * pn + extra[i] if pn > 0.0 else 0.0
                if length > bound:
                    p1, p2 = p1 * bound / length, p2 * bound / length
            change(matrix, p, w, k, p1)
            change(matrix, p, w, k + 1, p2)
            change(matrix, p, w, k + 2, pn)
        for row in range(3 * contacts, size):
            inverse = relaxation / diagonal[row]
            free = w[row] - p[row] / inverse
            bounded = row - (size - len(box))
            if bounded < 0:
                change(matrix, p, w, row, local_cone.solve_limit(inverse, free))
            else:
                change(matrix, p, w, row, local_cone.solve_box(inverse, free, box[bounded]))
        if sweep % _REFRESH == _REFRESH - 1:
            velocities(matrix, bias, p, w)
        residual = natural_map(diagonal, friction, extra, box, p, w)
    velocities(matrix, bias, p, w)
    return most, natural_map(diagonal, friction, extra, box, p, w)
