"""A warning of contact that was not solved as exactly as asked for."""

from __future__ import annotations

import warnings

import numpy as np

from footfall.arrays import Array
from footfall.errors import ConvergenceWarning

_NEARLY = 10.0  # times the tolerance: what is left below that is no news


def warn_of_residuals(residuals: Array, *, tolerance: float, scale: float) -> None:
    """Contact that is not solved as asked is never silent.

    residuals: of control periods, N s, of any shape. tolerance: of the scale, which is the weight times dt, N s.
    """
    worst = np.fmax.reduce(residuals, axis=None)  # robots that left the numbers have none
    if scale > 0.0 and worst > _NEARLY * tolerance * scale:
        bad = residuals > _NEARLY * tolerance * scale
        warnings.warn(
            f"contact was not solved as asked in {bad.sum()} of {bad.size} control periods: up to {worst:.2g} N s are "
            f"left ({worst / scale:.2g} of weight times dt); more newton_steps or a smaller dt may help",
            ConvergenceWarning,
            stacklevel=3,
        )
