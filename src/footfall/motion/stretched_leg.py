"""A leg in space: where hip and ankle are, and how high the torso may be above a leg that also leans sideways.

The bounds of `leg_bounds` look at a leg from the side. Seen so a leg that leans out by an angle seems shorter than it
is by its cosine, and a torso at the bound of a stretched leg would be too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector2, Vector3, new_records, routine
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.leg_bounds import HeightRange, LegEnds, Legs, height_range, stance_at
from footfall.motion.reduced_model import PlanarLeg
from footfall.motion.samples import Sample

# m: bounds are kept at break points 50 ms apart; in between a leg that swings may be stretched by so much more.
_BETWEEN = 0.8e-3


class LegPoints(NamedTuple):
    """Where the joints of a leg are, m."""

    hip: Vector3
    knee: Vector3
    ankle: Vector3


def ankle_of(stance: LegEnds, leg: PlanarLeg) -> Vector3:
    """Where the ankle is, m. The middle foot is lifted against the toes, Seiwald 2023 (E.1)."""
    alpha = stance.lift
    ankle = np.array(
        [
            -leg.toe_shift - leg.mid_foot_length * np.cos(alpha) + leg.mid_foot_height * np.sin(alpha),
            0.0,
            leg.toe_height + leg.mid_foot_length * np.sin(alpha) + leg.mid_foot_height * np.cos(alpha),
        ]
    )
    return stance.foot + rotate_by_quaternion(stance.turn, ankle)


def torso_above_leg(stance: LegEnds, side: int, legs: Legs) -> Vector3:
    """Where the torso would be if the hip were at the ankle, m."""
    leg = legs.leg
    outward = -0.5 if side == 0 else 0.5
    hip = np.array([-leg.torso_ahead, outward * legs.hip_width, -leg.hip_to_torso])  # from the torso
    return ankle_of(stance, leg) - rotate_by_quaternion(stance.upper_body, hip)


def leg_points(stance: LegEnds, side: int, legs: Legs, torso: Vector3) -> LegPoints:
    """Hip, knee and ankle below a torso. Ankles do not turn about the leg, so that shank and thigh are in the plane of
    the way from ankle to hip and of the foot's direction; the knee is ahead of that way, by the law of cosines."""
    leg, ankle = legs.leg, ankle_of(stance, legs.leg)
    offset = torso - torso_above_leg(stance, side, legs)
    length = max(np.sqrt(offset @ offset), 1e-9)
    along: Vector3 = offset / length
    share = (leg.lower_leg * leg.lower_leg + length * length - leg.upper_leg * leg.upper_leg) / (2.0 * length)
    foot: Vector3 = rotate_by_quaternion(stance.turn, np.array([1.0, 0.0, 0.0]))
    ahead: Vector3 = foot - (foot @ along) * along
    ahead = ahead / max(np.sqrt(ahead @ ahead), 1e-9)
    out = np.sqrt(max(leg.lower_leg * leg.lower_leg - share * share, 0.0))
    return LegPoints(ankle + offset, ankle + share * along + out * ahead, ankle)


def lowered(planar: HeightRange, above_leg: Vector3, torso: Vector2, longest: float) -> HeightRange:
    """Bounds with the highest torso lowered to where the leg is stretched in space; a leg that cannot reach its foot at
    any height leaves them as they are."""
    offset = torso - above_leg[:2]
    square = longest * longest - offset @ offset
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
