"""Gaps between things, and how wide a robot is: numbers for why there is no way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.environment.model import Environment
from footfall.environment.objects import EnvironmentObject
from footfall.planning.biped import Biped

_LEAST = 0.05  # m: things that are closer together leave no gap
_STRADDLED = 0.15  # m: what is lower is stepped over


class Gap(NamedTuple):
    """The thing on the other side, and how wide the gap is, m."""

    other: str
    wide: float


def narrowest_gap(environment: Environment, id: str) -> Gap | None:
    """The narrowest gap between an object and another one that is neither floor nor low."""
    here = environment.object(id)
    found = [
        Gap(each.id, _apart(_box(here), _box(each)))
        for each in environment.objects.values()
        if each.id != id and each.category != "floor" and each.box[1][2] - here.box[0][2] > _STRADDLED
    ]
    return min((gap for gap in found if gap.wide > _LEAST), key=lambda gap: gap.wide, default=None)


def _box(each: EnvironmentObject) -> Array:
    return np.array(each.box)[:, :2]


def _apart(one: Array, other: Array) -> float:
    """Distance of two boxes (2, 2), m."""
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(one[0] - other[1], other[0] - one[1]))))


def widths(biped: Biped) -> tuple[float, float]:
    """How wide a gap a robot takes with hanging arms, ahead and sideways, m."""
    elements = [element for volume in (biped.body, *biped.arms) for element in volume.elements]
    low = np.min([element.corners.min(axis=0) - element.radius for element in elements], axis=0)
    high = np.max([element.corners.max(axis=0) + element.radius for element in elements], axis=0)
    return float(high[1] - low[1]), float(high[0] - low[0])
