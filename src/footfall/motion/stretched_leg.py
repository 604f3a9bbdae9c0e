"""A leg in space: where hip and ankle are, and how high the torso may be above a leg that also leans sideways.

The bounds of `leg_bounds` look at a leg from the side. Seen so a leg that leans out by an angle seems shorter than it
is by its cosine, and a torso at the bound of a stretched leg would be too high.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine

# m: bounds are kept at break points 50 ms apart; in between a leg that swings may be stretched by so much more.
_BETWEEN = 0.8e-3


@routine
def turned(q: Array, x: float, y: float, z: float, sign: float) -> tuple[float, float, float]:
    """A vector turned by a unit quaternion (4,), or back by a sign of -1."""
    w, a, b, c = q[0], sign * q[1], sign * q[2], sign * q[3]
    tx, ty, tz = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return (
        x + w * tx + b * tz - c * ty,
        y + w * ty + c * tx - a * tz,
        z + w * tz + a * ty - b * tx,
    )


@routine
def torso_above_leg(
    foot: Array, turn: Array, alpha: float, upper_body: Array, leg: Array, hip_y: float
) -> tuple[float, float, float]:
    """Where the torso would be if the hip were at the ankle, m.

    foot (3,), turn (4,): frame of the foot. alpha: pitch of the middle foot against the toes, rad, 003c (E.1).
    upper_body (4,): its orientation. leg (14,): lengths and limits. hip_y: of the hip in the upper body, m.
    """
    x, y, z = turned(
        turn,
        -leg[1] - leg[2] * np.cos(alpha) + leg[3] * np.sin(alpha),
        0.0,
        leg[0] + leg[2] * np.sin(alpha) + leg[3] * np.cos(alpha),
        1.0,
    )
    hx, hy, hz = turned(upper_body, -leg[13], hip_y, -leg[6], 1.0)
    return foot[0] + x - hx, foot[1] + y - hy, foot[2] + z - hz


@routine
def lower_to_stretched_legs(
    feet: Array,
    turns: Array,
    toes: Array,
    upper_body: Array,
    torso: Array,
    leg: Array,
    signs: Array,
    hip_width: float,
    longest: float,
    limits: Array,
) -> None:
    """Lower the highest torso (rows 1 and 3 of limits (4, k), m) to where a leg is stretched in space.

    feet (2, k, 3), turns (2, k, 4), toes (2, k), torso (k, 2), upper_body (k, 4), leg, signs: as in `LegBounds`.
    longest: from hip to ankle, m. A leg that cannot reach its foot at any height leaves its bound as it is.
    """
    for k in range(len(torso)):
        for side in range(2):
            hip_y = (0.5 if side == 1 else -0.5) * hip_width
            alpha = signs[side] * toes[side, k]
            x, y, z = torso_above_leg(feet[side, k], turns[side, k], alpha, upper_body[k], leg, hip_y)
            dx, dy = torso[k, 0] - x, torso[k, 1] - y
            square = longest * longest - dx * dx - dy * dy
            if square >= 0.0:
                highest = max(z + np.sqrt(square) - _BETWEEN, limits[2 * side, k])
                limits[2 * side + 1, k] = min(limits[2 * side + 1, k], highest)
