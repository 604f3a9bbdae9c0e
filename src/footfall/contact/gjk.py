"""Distance between convex shapes by Gilbert, Johnson and Keerthi (Ayit 2015, chapter 2), penetration by
`expanding_polytope`.

The two shapes are d apart where the Minkowski difference of their cores comes closest to the origin. A simplex of
up to four of its points is improved until no point lies nearer.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.contact.convex import Convex, Core, Corner, convex_of, corner_along
from footfall.contact.expanding_polytope import Meeting, penetration
from footfall.contact.simplex import closest_of_simplex
from footfall.math.transform import Transform
from footfall.robot.shapes import Shape

_STEPS = 128
_TOLERANCE = 1e-14  # of the squared distance
_TOUCHING = 1e-20  # square of a distance, in units of the squared size: closer cores overlap


class ConvexDistance(NamedTuple):
    """Answer of a narrow phase.

    distance: m, negative for penetration. normal: (3,) unit, from the second shape towards the first. on_first,
    on_second: (3,) closest (or deepest) points in the world, `on_first - on_second = distance * normal`.
    """

    distance: float
    normal: Array
    on_first: Array
    on_second: Array


def convex_distance(
    first: Shape | Convex, first_pose: Transform, second: Shape | Convex, second_pose: Transform
) -> ConvexDistance:
    """Signed distance of two convex shapes at their poses in the world."""
    one = first if isinstance(first, Convex) else convex_of(first)
    other = second if isinstance(second, Convex) else convex_of(second)
    return core_distance(one.core(first_pose), one.layer, other.core(second_pose), other.layer)


def core_distance(one: Core, one_layer: float, other: Core, other_layer: float) -> ConvexDistance:
    """The same for cores with layers around them."""
    distance, normal, first, second = closest_points(one, other)
    first = first - one_layer * normal
    second = second + other_layer * normal
    return ConvexDistance(distance - one_layer - other_layer, normal, first, second)


@routine
def closest_points(one: Core, other: Core) -> Meeting:
    """Closest points of two cores, or the deepest where they overlap."""
    simplex = new_records(Corner, 4)
    weights = np.zeros(4)
    count = gjk(one, other, simplex, weights)
    if count < 0:
        return penetration(one, other, simplex, -count)
    first: Vector3 = np.zeros(3)
    second: Vector3 = np.zeros(3)
    apart: Vector3 = np.zeros(3)
    for k in range(count):
        first = first + weights[k] * simplex[k].on_one
        second = second + weights[k] * simplex[k].on_other
        apart = apart + weights[k] * simplex[k].difference
    distance = math.sqrt(apart @ apart)
    return Meeting(distance, apart / distance, first, second)


@routine
def gjk(one: Core, other: Core, simplex: ArrayOf[Corner], weights: Array) -> int:
    """Fill the simplex (4,) nearest to the origin and the weights (4,) of its corners.

    Gives the number of corners, negative if the cores overlap.
    """
    v = one.points[0] - other.points[0]
    if v @ v == 0.0:
        v = np.array([1.0, 0.0, 0.0])
    square: float = np.inf
    count, scale = 0, 0.0
    previous = np.zeros(4)
    for _ in range(_STEPS):
        corner = corner_along(one, other, -v)
        reach = corner.difference
        scale = max(scale, float(reach @ reach))
        if count > 0 and square - v @ reach <= _TOLERANCE * square:
            return count
        for k in range(count):
            apart = simplex[k].difference - reach
            if apart @ apart == 0.0:
                return count
        simplex[count] = corner
        count += 1
        previous[:] = weights
        mask = closest_of_simplex(simplex, count, weights)
        if mask == 15:
            return -4
        following: Vector3 = np.zeros(3)
        for k in range(count):
            following = following + weights[k] * simplex[k].difference
        reached = float(following @ following)
        if reached <= _TOUCHING * scale:
            return -_compact(simplex, weights, mask, count)
        if reached >= square:  # rounding: the one before is as good as it gets
            weights[:] = previous
            return count - 1
        square, v = reached, following
        count = _compact(simplex, weights, mask, count)
    return count


@routine
def _compact(simplex: ArrayOf[Corner], weights: Array, mask: int, count: int) -> int:
    """Drop the corners that are not in the mask."""
    kept = 0
    for k in range(count):
        if mask & (1 << k):
            simplex[kept] = simplex[k]
            weights[kept] = weights[k]
            kept += 1
    for k in range(kept, 4):
        weights[k] = 0.0
    return kept
