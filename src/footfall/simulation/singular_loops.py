"""A warning of loops that come to a dead point."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from footfall.dynamics.loop_margin import loop_margin
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]

_SINGULAR = 1e-4  # loop_margin below which a linkage is at a dead point


class SingularLoopWarning(UserWarning):
    """A loop that came to a position where the joints that follow from others are not determined."""


def warn_of_singular_loops(robot: Robot, q: Array) -> None:
    """Of configurations (n, nq) in a row: at a singular one the independent joints of a loop cannot say how it goes on,
    and it stays there."""
    if not robot.loops:
        return
    margins = loop_margin(robot, q)
    worst = int(np.argmin(margins))
    if margins[worst] < _SINGULAR:
        warnings.warn(
            f"a loop came to a singular position in row {worst} of the trajectory (loop_margin is "
            f"{margins[worst]:.1g}): what follows is not to be trusted; let other joints be `dependent`",
            SingularLoopWarning,
            stacklevel=3,
        )
