"""The wrenches that a rectangular sole can give without slipping, tipping or twisting, Seiwald 2023, chapter 2 (Caron).

Sixteen inequalities in closed form, exact for four corner forces in four-sided pyramids along the edges of the
rectangle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput


def rectangular_rows(friction: float, half_length: float, half_width: float) -> Array:
    """Rows A (16, 6) with `A w >= 0` for wrenches w = [f; n] on the robot about the centre, in the axes of the sole.

    The sole reaches half_length along x and half_width along y, m; z is its normal. friction: coefficient.
    """
    for name, value in (("friction", friction), ("half_length", half_length), ("half_width", half_width)):
        if not (np.isfinite(value) and value >= 0.0):
            raise InvalidInput(f"{name} is {value}; it must be finite and not negative")
    return sole_rows(friction, half_length, half_width)


def sole_rows(friction: Any, half_length: Any, half_width: Any) -> Array:
    """The same without checks, on floats or symbols."""
    x, y, mu = half_length, half_width, friction
    fx, fy, fz, tx, ty, tz = np.eye(6)
    rows = [mu * fz + sign * f for f in (fx, fy) for sign in (1.0, -1.0)]
    rows += [y * fz + sign * tx for sign in (1.0, -1.0)]
    rows += [x * fz + sign * ty for sign in (1.0, -1.0)]
    for first in (1.0, -1.0):
        for second in (1.0, -1.0):
            # t_z from above and from below; each absolute value opens into both signs
            above = first * (y * fx + mu * tx) + second * (x * fy + mu * ty)
            below = first * (y * fx - mu * tx) + second * (x * fy - mu * ty)
            rows.append(mu * (x + y) * fz - tz - above)
            rows.append(mu * (x + y) * fz + tz - below)
    return np.array(rows)


def in_rectangular_cone(
    wrench: Array, friction: float, half_length: float, half_width: float, *, tolerance: float = 1e-9
) -> bool:
    """Whether a sole can give a wrench [f; n] (6,); tolerance: relative to it."""
    given = checked_array("wrench", wrench, (6,))
    slack = rectangular_rows(friction, half_length, half_width) @ given
    return bool(slack.min() >= -tolerance * max(1.0, float(np.abs(given).max())))
