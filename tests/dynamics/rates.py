"""Derivatives along a motion, by differences through the configuration manifold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import integrate
from footfall.robot.model import Robot


def rate_along(
    function: Callable[[Array], Array], robot: Robot, q: Array, v: Array, *, h: float = 1e-3
) -> Array:
    """d/dt of function(q) while q moves with v: central differences of sixth order."""

    def odd(k: int) -> Array:
        ahead = function(integrate.textbook(robot, q, k * h * v))
        return np.asarray(ahead) - np.asarray(function(integrate.textbook(robot, q, -k * h * v)))

    return (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h)
