"""Quadratic programs whose bounds hold and whose rows may have to give way: DAQP, and what to do where it fails."""

from __future__ import annotations

import daqp
import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.hierarchical_qp import QuadraticProgram, solve_quadratic_program
from footfall.errors import QuadraticProgramFailed

_SLACK = 1e4  # weight of what rows lack, relative to the mean of the Hessian's diagonal


def solve_limited(program: QuadraticProgram) -> Array:
    """The minimiser (n,); where bounds and rows contradict each other, bounds hold and rows are missed a little."""
    sense = np.zeros(len(program.lower), dtype=np.int32)
    x, _, flag, _ = daqp.solve(
        program.hessian,
        program.gradient,
        program.matrix,
        program.upper,
        program.lower,
        sense,
        primal_tol=1e-10,
    )
    if flag >= 1:
        return np.asarray(x)
    try:
        return solve_quadratic_program(program)
    except QuadraticProgramFailed:
        if len(program.matrix) == 0:
            raise
    return solve_quadratic_program(_softened(program))[: len(program.gradient)]


def _softened(program: QuadraticProgram) -> QuadraticProgram:
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
