"""Lemke's pivots as native code."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine

SOLVED, RAY, LIMIT = 0, 1, 2


@routine
def lemke_pivots(matrix: Array, bias: Array, most: int, tolerance: float) -> tuple[int, int, Any]:
    """Status, number of pivots and the basis: variable of each row, w_i as i, z_i as n + i, z_0 as 2 n.

    Tableau columns: w (n), z (n), z_0, right-hand side, for `w - A z - 1 z_0 = b`. The columns of w hold the
    inverse of the basis; with them the ratio test is lexicographic, so that no basis comes twice.
    """
    n = len(bias)
    tableau = np.zeros((n, 2 * n + 2))
    basis = np.arange(n)
    for i in range(n):
        tableau[i, i] = 1.0
        for j in range(n):
            tableau[i, n + j] = -matrix[i, j]
        tableau[i, 2 * n] = -1.0
        tableau[i, 2 * n + 1] = bias[i]
    row = 0
    for i in range(1, n):
        if bias[i] <= bias[row]:  # of equal ones the last: the lexicographic least of (b_i, e_i)
            row = i
    if bias[row] >= 0.0:
        return SOLVED, 0, basis
    entering = 2 * n
    for pivots in range(1, most + 1):
        _pivot(tableau, row, entering)
        leaving = basis[row]
        basis[row] = entering
        if leaving == 2 * n:
            return SOLVED, pivots, basis
        entering = leaving + n if leaving < n else leaving - n
        row = _leaving_row(tableau, basis, entering, tolerance)
        if row < 0:
            return RAY, pivots, basis
    return LIMIT, most, basis


@routine
def _pivot(tableau: Array, row: int, column: int) -> None:
    width = tableau.shape[1]
    factor = 1.0 / tableau[row, column]
    for j in range(width):
        tableau[row, j] *= factor
    tableau[row, column] = 1.0
    for i in range(len(tableau)):
        weight = tableau[i, column]
        if i != row and weight != 0.0:
            for j in range(width):
                tableau[i, j] -= weight * tableau[row, j]
            tableau[i, column] = 0.0


@routine
def _leaving_row(tableau: Array, basis: Any, column: int, tolerance: float) -> int:
    """Row of the least ratio; of equal ones that of z_0, else the lexicographic least; -1 for a ray."""
    n = len(basis)
    best = -1
    for i in range(n):
        if tableau[i, column] <= tolerance:
            continue
        if best < 0:
            best = i
            continue
        difference = (
            tableau[i, 2 * n + 1] / tableau[i, column] - tableau[best, 2 * n + 1] / tableau[best, column]
        )
        if abs(difference) <= tolerance:
            if basis[best] == 2 * n:
                continue
            difference = -1.0 if basis[i] == 2 * n else 0.0
            k = 0
            while difference == 0.0 and k < n:
                step = tableau[i, k] / tableau[i, column] - tableau[best, k] / tableau[best, column]
                difference = step if abs(step) > tolerance else 0.0
                k += 1
        if difference < 0.0:
            best = i
    return best
