"""Levenberg and Marquardt's method with joint limits: the default of `solve_ik`; `native_search.py` has its steps."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics import native_search
from footfall.control.inverse_kinematics.objective import Objective, Progress

_REASONS = {
    native_search.MET: "tasks are met",
    native_search.STALLED: "the error does not fall any more",
    native_search.EXHAUSTED: "out of iterations",
}


def levenberg_marquardt(objective: Objective, start: Array, tolerance: float, iterations: int) -> Progress:
    """Minimise from start (nq,) until the largest entry of the error is below tolerance."""
    q, history = objective.inside(start), np.empty(iterations + 1)
    cost, status, count = native_search.descend(
        *objective.native, q, objective.stack.robot.nv, tolerance, iterations, history
    )
    reached = status == native_search.MET
    return Progress(q, cost, reached, count, _REASONS[status], history[: count + 1].tolist())
