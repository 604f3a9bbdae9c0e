"""Quadratic programs as values; `dual_active_set.py` solves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.control.dual_active_set import (
    INFEASIBLE,
    LIMIT,
    NOT_CONVEX,
    SOLVED,
    RowLimits,
    minimise_program,
)
from footfall.errors import InvalidInput, NoSolution

UNBOUNDED = 1e20  # bounds beyond are none
_REASONS = {INFEASIBLE: "infeasible", LIMIT: "out of steps", NOT_CONVEX: "not strictly convex"}
_MISSED = 1e-10  # by which limits may be missed, see `solve_quadratic_program`
_SLACK = 1e4  # weight of what rows lack, relative to the mean of the Hessian's diagonal


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """Minimise `x H x / 2 + f x` with `lower <= A x <= upper`; the first rows of the bounds are those of x itself.

    hessian (n, n), gradient (n,), matrix (m, n), lower and upper (n + m,).
    """

    hessian: Array
    gradient: Array
    matrix: Array
    lower: Array
    upper: Array

    def check(self) -> None:
        """Refuse shapes that do not fit and what is no number; solvers ask, so that building stays cheap."""
        size, rows = len(self.gradient), len(self.gradient) + len(self.matrix)
        shapes = {
            "hessian": (size, size),
            "matrix": (len(self.matrix), size),
            "lower": (rows,),
            "upper": (rows,),
        }
        for name, shape in shapes.items():
            if np.shape(getattr(self, name)) != shape:
                raise InvalidInput(f"{name} has shape {np.shape(getattr(self, name))}; it must be {shape}")
        if not all(np.isfinite(each).all() for each in (self.hessian, self.gradient, self.matrix)):
            raise InvalidInput("a quadratic program's hessian, gradient and matrix must be finite")
        if np.isnan(self.lower).any() or np.isnan(self.upper).any():
            raise InvalidInput("a quadratic program's bounds must be numbers or infinite")


def solve_quadratic_program(program: QuadraticProgram, *, tolerance: float = 1e-10) -> Array:
    """The minimiser (n,).

    tolerance: by which rows may be missed, relative to their norm times the size of the minimiser, or one; a hundred
    times more where that finds nothing.
    """
    program.check()
    status, x = _minimiser(program, tolerance)
    if status != SOLVED:
        raise NoSolution(f"quadratic program is {_REASONS[status]}", evidence=program)
    return x


def _minimiser(program: QuadraticProgram, tolerance: float) -> tuple[int, Array]:
    """Status of `dual_active_set`, and the minimiser (n,)."""
    size, matrix, lower, upper = len(program.gradient), program.matrix, program.lower, program.upper
    if len(matrix):  # bounds of x come last there, and rows lie one after the other
        matrix = np.ascontiguousarray(matrix)
        lower, upper = (np.concatenate([each[size:], each[:size]]) for each in (lower, upper))
    limits = RowLimits(matrix, lower, upper)
    status, x, _, _ = minimise_program(program.hessian, program.gradient, limits, tolerance)
    return status, x


def solve_relaxed(program: QuadraticProgram) -> Array:
    """The minimiser (n,); where bounds and rows contradict each other, bounds hold and rows are missed a little."""
    status, x = _minimiser(program, _MISSED)
    if status == SOLVED:
        return x
    if len(program.matrix) == 0:
        raise NoSolution(f"quadratic program is {_REASONS[status]}", evidence=program)
    return solve_quadratic_program(_relaxed(program))[: len(program.gradient)]


def _relaxed(program: QuadraticProgram) -> QuadraticProgram:
    """The same program with a slack for each row (not for the bounds of x), behind x."""
    size, rows = len(program.gradient), len(program.matrix)
    hessian = np.zeros((size + rows, size + rows))
    hessian[:size, :size] = program.hessian
    hessian[size:, size:] = _SLACK * float(np.trace(program.hessian)) / size * np.eye(rows)
    free = np.full(rows, np.inf)
    return QuadraticProgram(
        hessian,
        np.concatenate([program.gradient, np.zeros(rows)]),
        np.hstack([program.matrix, np.eye(rows)]),
        np.concatenate([program.lower[:size], -free, program.lower[size:]]),
        np.concatenate([program.upper[:size], free, program.upper[size:]]),
    )
