"""Distance between convex shapes by Gilbert, Johnson and Keerthi (Ayit 2015, chapter 2), penetration by
`expanding_polytope`.

The two shapes are d apart where the Minkowski difference of their cores comes closest to the origin. A simplex of
up to four of its points is improved until no point lies nearer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector3, routine
from footfall.contact.convex import Convex, Core, convex_of, support
from footfall.contact.expanding_polytope import penetration
from footfall.contact.simplex import closest_of_simplex
from footfall.geometry.native_vectors import along, copy, dot, minus
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
    corners, on_one, on_other = np.zeros((4, 3)), np.zeros((4, 3)), np.zeros((4, 3))
    count, weights = gjk(*one, *other, corners, on_one, on_other)
    if count > 0:
        first, second = weights[:count] @ on_one[:count], weights[:count] @ on_other[:count]
        apart = weights[:count] @ corners[:count]
        distance = float(np.linalg.norm(apart))
        normal = apart / distance
    else:
        distance, normal, first, second = penetration(*one, *other, corners, on_one, on_other, -count)
    first = first - one_layer * normal
    second = second + other_layer * normal
    return ConvexDistance(distance - one_layer - other_layer, normal, first, second)


@routine
def gjk(
    points: Array,
    disc: Array,
    other_points: Array,
    other_disc: Array,
    corners: Array,
    on_one: Array,
    on_other: Array,
) -> tuple[int, Array]:
    """Fill the simplex (4, 3) nearest to the origin and its corners on both cores.

    Gives the number of corners and their weights; the number is negative if the cores overlap.
    """
    weights = np.zeros(4)
    v = minus(points[0], other_points[0])
    if dot(v, v) == 0.0:
        v = np.array([1.0, 0.0, 0.0])
    square: float = np.inf
    count, scale = 0, 0.0
    previous = np.zeros(4)
    for _ in range(_STEPS):
        a = support(points, disc, -v[0], -v[1], -v[2])
        b = support(other_points, other_disc, v[0], v[1], v[2])
        wx, wy, wz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
        scale = max(scale, wx * wx + wy * wy + wz * wz)
        if count and square - (v[0] * wx + v[1] * wy + v[2] * wz) <= _TOLERANCE * square:
            return count, weights
        for k in range(count):
            if corners[k, 0] == wx and corners[k, 1] == wy and corners[k, 2] == wz:
                return count, weights
        corners[count, 0], corners[count, 1], corners[count, 2] = wx, wy, wz
        on_one[count, 0], on_one[count, 1], on_one[count, 2] = a
        on_other[count, 0], on_other[count, 1], on_other[count, 2] = b
        count += 1
        copy(weights, previous)
        mask = closest_of_simplex(corners, count, weights)
        if mask == 15:
            return -4, weights
        following: Vector3 = np.zeros(3)
        for k in range(count):
            following = along(following, weights[k], corners[k])
        reached = dot(following, following)
        if reached <= _TOUCHING * scale:
            return -_compact(corners, on_one, on_other, weights, mask, count), weights
        if reached >= square:  # rounding: the one before is as good as it gets
            copy(previous, weights)
            return count - 1, weights
        square, v = reached, following
        count = _compact(corners, on_one, on_other, weights, mask, count)
    return count, weights


@routine
def _compact(corners: Array, on_one: Array, on_other: Array, weights: Array, mask: int, count: int) -> int:
    """Drop the corners that are not in the mask."""
    kept = 0
    for k in range(count):
        if mask & (1 << k):
            copy(corners[k], corners[kept])
            copy(on_one[k], on_one[kept])
            copy(on_other[k], on_other[kept])
            weights[kept] = weights[k]
            kept += 1
    for k in range(kept, 4):
        weights[k] = 0.0
    return kept
