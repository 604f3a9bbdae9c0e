"""How far legs are from their limits: of the torso's height in their plane, of their length and lean in space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.math.rotations import quaternion_inverse, rotate_by_quaternion
from footfall.motion.leg_bounds import Legs, height_ranges, legs_of, stance_at
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample
from footfall.motion.stretched_leg import torso_above_leg


class SpaceRooms(NamedTuple):
    """How far legs are from their limits at k times, negative beyond, the worse leg counts. stretch (k,): of hip and
    ankle from the length of the stretched leg, m. hip, ankle (k,): of the sideways lean from its limits, rad; infinite
    if they are not known."""

    stretch: Array
    hip: Array
    ankle: Array


class LegRooms(NamedTuple):
    """The same, and height (k,): of the torso from its bounds, m."""

    height: Array
    stretch: Array
    hip: Array
    ankle: Array


def rooms_of_legs(legs: ArrayOf[Sample], torso: Array, model: ReducedModel) -> LegRooms:
    """How far legs in samples (k,) are from their limits, for places of the torso (k, 3), m."""
    bounds = height_ranges(legs, np.ascontiguousarray(torso[:, :2]), legs_of(model))
    height = torso[:, 2]
    below, above = height - bounds["lowest"].max(axis=1), bounds["highest"].min(axis=1) - height
    return LegRooms(np.minimum(below, above), *rooms_in_space(legs, torso, legs_of(model)))


@routine(quick=True)
def rooms_in_space(samples: ArrayOf[Sample], torso: ArrayOf[Vector3], legs: Legs) -> SpaceRooms:
    """Rooms for stretch, lean at the hip and lean at the ankle, for places (k,) of the torso, m."""
    count = len(samples)
    stretch, hip, ankle = np.full(count, np.inf), np.full(count, np.inf), np.full(count, np.inf)
    for k in range(count):
        for side in (0, 1):
            stance, outward = stance_at(samples[k], side, legs), -1.0 if side == 0 else 1.0
            offset = torso[k] - torso_above_leg(stance, side, legs)  # from the ankle to the hip
            stretch[k] = min(stretch[k], legs.longest - np.sqrt(offset @ offset))
            seen = rotate_by_quaternion(quaternion_inverse(stance.upper_body), offset)
            hip[k] = min(hip[k], inside(np.arctan2(-outward * seen[1], seen[2]), legs.hip_leans))
            seen = rotate_by_quaternion(quaternion_inverse(stance.turn), offset)
            ankle[k] = min(ankle[k], inside(np.arctan2(outward * seen[1], seen[2]), legs.ankle_leans))
    return SpaceRooms(stretch, hip, ankle)


def inside(value: float, limits: Vector2) -> float:
    """How far a value is from the nearer of its limits."""
    return min(value - limits[0], limits[1] - value)
