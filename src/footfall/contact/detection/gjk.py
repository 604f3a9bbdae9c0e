"""Distance of convex cores by Gilbert, Johnson and Keerthi (Ayit 2015, chapter 2).

Two cores are as far apart as their Minkowski difference is from the origin. A simplex of up to four of its points is
improved until no point lies nearer. All is done in the frame of the first core.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import Pools
from footfall.contact.detection.simplex import nearest_on_simplex
from footfall.contact.detection.solids import Couple, farthest

_STEPS = 64
_TOLERANCE = 1e-14  # of the squared distance
_TOUCHING = 1e-24  # square of a distance, in units of the squared size: closer cores overlap
APART, FAR, OVERLAP = 0, 1, 2  # states


class Closest(NamedTuple):
    """Answer for two cores, in the frame of the first.

    distance: m. normal: unit, from the second to the first. point: the closest one on the first. corners: how many the
    closest simplex has. first_corner, second_corner: numbers of the last farthest points. If the state is FAR, farther
    than asked for, the distance is a bound from below; if it is OVERLAP, it is zero and the normal is any."""

    state: int
    distance: float
    normal: Vector3
    point: Vector3
    corners: int
    first_corner: int
    second_corner: int


@routine
def closest_points(pools: Pools, couple: Couple, start: Vector3, limit: float) -> Closest:
    """Closest points of two cores.

    start: a direction from the second to the first to begin with. limit: m, from which on distances do not matter.
    """
    corners: ArrayOf[Vector3] = np.empty((4, 3))
    on_one: ArrayOf[Vector3] = np.empty((4, 3))
    v = start
    square: float = np.inf
    count, scale, first, second = 0, 0.0, 0, 0
    weights: Vector3 = np.zeros(3)
    for _ in range(_STEPS):
        w, a, first, second = farthest(pools, couple, -v, first, second)
        scale = max(scale, float(w @ w))
        ahead = float(v @ w)
        if count == 0:
            length = math.sqrt(v @ v)
            if ahead > limit * length:
                return Closest(FAR, ahead / length, v / length, a, count, first, second)
        else:
            if ahead > 0.0 and ahead * ahead > limit * limit * square:
                length = math.sqrt(square)
                return Closest(FAR, ahead / length, v / length, a, count, first, second)
            if square - ahead <= _TOLERANCE * square:
                break
        known = False
        for k in range(count):
            apart = corners[k] - w
            known = known or apart @ apart == 0.0
        if known:
            break
        corners[count] = w
        on_one[count] = a
        count += 1
        nearest = nearest_on_simplex(corners, count)
        if nearest.mask == 15 or nearest.square <= _TOUCHING * scale:
            return Closest(OVERLAP, 0.0, v, a, count, first, second)
        if nearest.square >= square:  # rounding: the one before is as good as it gets
            count -= 1
            break
        square, v, weights = nearest.square, nearest.point, nearest.weights
        kept = 0
        for k in range(count):
            if nearest.mask & (1 << k):
                corners[kept] = corners[k]
                on_one[kept] = on_one[k]
                kept += 1
        count = kept
    point: Vector3 = np.zeros(3)
    rest = 1.0
    for k in range(count - 1):
        point += weights[k] * on_one[k]
        rest -= weights[k]
    point += rest * on_one[count - 1]
    distance = math.sqrt(square)
    return Closest(APART, distance, v / distance, point, count, first, second)
