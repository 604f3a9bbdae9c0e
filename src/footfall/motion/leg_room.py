"""How far legs are from their limits: of the torso's height in their plane, of their length and lean in space."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.motion.feasibility_loops import legs_in_space
from footfall.motion.leg_bounds import LegBounds
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.vertical_torso import LegPoses


class LegRooms(NamedTuple):
    """How far legs are from their limits at k times, negative beyond, the worse leg counts. height (k,): of the torso
    from its bounds, m. stretch (k,): of hip and ankle from the length of the stretched leg, m. hip, ankle (k,): of the
    sideways lean from its limits, rad; infinite if they are not known."""

    height: Array
    stretch: Array
    hip: Array
    ankle: Array


class SpaceLegs(NamedTuple):
    """What native code knows of legs in space: the bounds of legs, and the lean outward that hip and ankle allow
    (2, 2), rad."""

    bounds: LegBounds
    leans: Array


@lru_cache(maxsize=16)
def space_legs(model: ReducedModel) -> SpaceLegs:
    """The legs of a model."""
    leans = [
        (-np.inf, np.inf) if limits is None else limits
        for limits in (model.leg.hip_roll_limits, model.leg.ankle_roll_limits)
    ]
    return SpaceLegs(LegBounds(model), np.array(leans))


def rooms_of_legs(legs: LegPoses, torso: Array, model: ReducedModel) -> LegRooms:
    """How far legs are from their limits, for places of the torso (k, 3), m."""
    bounds = space_legs(model).bounds
    limits = bounds(legs.feet, legs.turns, legs.toes, np.ascontiguousarray(torso[:, :2]), legs.upper_body)
    height = torso[:, 2]
    margins = np.stack([height - limits[0], limits[1] - height, height - limits[2], limits[3] - height])
    return LegRooms(margins.min(axis=0), *rooms_in_space(legs, torso, model))


def rooms_in_space(legs: LegPoses, torso: Array, model: ReducedModel) -> Array:
    """Rooms (3, k) for stretch, lean at the hip and lean at the ankle, see `LegRooms`, for places of the torso (k, 3),
    m."""
    own, rooms = space_legs(model), np.empty((3, len(torso)))
    bounds = own.bounds
    legs_in_space(*legs, torso, bounds.leg, bounds.signs, bounds.hip_width, bounds.longest, own.leans, rooms)
    return rooms
