"""A leg in space: where hip and ankle are, and how high the torso may be above a leg that also leans sideways.

The bounds of `leg_bounds` look at a leg from the side. Seen so a leg that leans out by an angle seems shorter than it
is by its cosine, and a torso at the bound of a stretched leg would be too high.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector2, Vector3, new_records, routine
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.leg_bounds import HeightRange, Legs, Stance, height_range, stance_at
from footfall.motion.samples import Sample

# m: bounds are kept at break points 50 ms apart; in between a leg that swings may be stretched by so much more.
_BETWEEN = 0.8e-3


def torso_above_leg(stance: Stance, side: int, legs: Legs) -> Vector3:
    """Where the torso would be if the hip were at the ankle, m. The middle foot is lifted against the toes, Seiwald
    2023 (E.1)."""
    leg, alpha = legs.leg, stance.lift
    ankle = np.array(
        [
            -leg.toe_shift - leg.mid_foot_length * np.cos(alpha) + leg.mid_foot_height * np.sin(alpha),
            0.0,
            leg.toe_height + leg.mid_foot_length * np.sin(alpha) + leg.mid_foot_height * np.cos(alpha),
        ]
    )
    outward = -0.5 if side == 0 else 0.5
    hip = np.array([-leg.torso_ahead, outward * legs.hip_width, -leg.hip_to_torso])  # from the torso
    from_foot = rotate_by_quaternion(stance.turn, ankle)
    return stance.foot + from_foot - rotate_by_quaternion(stance.upper_body, hip)


def lowered(planar: HeightRange, above_leg: Vector3, torso: Vector2, longest: float) -> HeightRange:
    """Bounds with the highest torso lowered to where the leg is stretched in space; a leg that cannot reach its foot at
    any height leaves them as they are."""
    way = torso - above_leg[:2]
    square = longest * longest - way @ way
    if square < 0.0:
        return planar
    highest = max(above_leg[2] + np.sqrt(square) - _BETWEEN, planar.lowest)
    return HeightRange(planar.lowest, min(planar.highest, highest))


@routine(quick=True)
def height_ranges_in_space(
    samples: ArrayOf[Sample], torso: ArrayOf[Vector2], legs: Legs
) -> ArrayOf[HeightRange]:
    """Bounds (k, 2) of the torso's height by the right and the left leg, for places (k,) of the torso, m."""
    result = new_records(HeightRange, (len(samples), 2))
    for k in range(len(samples)):
        for side in (0, 1):
            stance = stance_at(samples[k], side, legs)
            planar = height_range(stance, torso[k], legs.leg)
            above_leg = torso_above_leg(stance, side, legs)
            result[k, side] = lowered(planar, above_leg, torso[k], legs.longest)
    return result
