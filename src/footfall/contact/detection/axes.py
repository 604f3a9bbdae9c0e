"""The axis along which two convex cores are farthest apart, also where they touch or overlap.

Apart, it is that of the closest points. Cores that touch have none that is worth its digits: then the first core is
moved away along an axis, so that closest points tell a better one, and so on. Each step is one of the proximal point
method on the separation (Rockafellar 1976): it never falls, and at flat faces and crossing edges it is at its greatest
after one or two. Cores that overlap start from the axis of the last time, or from that of an expanding polytope.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3, routine
from footfall.contact.detection.gjk import APART, closest_points, depth
from footfall.contact.detection.shapes import Kind, Pools
from footfall.contact.detection.solids import Couple, Solid, farthest

UNKNOWN = -1  # instead of a corner: the point of an axis is not known
NEAR = 1e-3  # of the smaller shape's size: closer cores are moved apart to look at them
_APART = 0.05  # of it: by so much
_MOST_STEPS = 20
_GAINED = 1e-13  # of it: less is rounding


class Axis(NamedTuple):
    """An axis in the frame of the first core: unit normal from the second to the first, separation of the cores along
    it (m), the point of the first that is nearest there, and the numbers of the farthest corners of both."""

    normal: Vector3
    separation: float
    point: Vector3
    first_corner: int
    second_corner: int


@routine
def axis_along(pools: Pools, couple: Couple, normal: Vector3) -> Axis:
    """The axis of a unit normal."""
    far = farthest(pools, couple, -normal, 0, 0)
    return Axis(normal, float(normal @ far.corner), far.on_one, far.first, far.second)


@routine
def refined(pools: Pools, couple: Couple, start: Axis) -> Axis:
    """The axis of the greatest separation that leads up from a start."""
    best, small = start, couple.small
    for _ in range(_MOST_STEPS):
        lift = max(-best.separation, 0.0) + _APART * small
        lifted = couple._replace(way=couple.way - lift * best.normal)
        found = closest_points(pools, lifted, best.normal, np.inf)
        if found.state != APART:
            break
        next = axis_along(pools, couple, found.normal)
        gained = next.separation - best.separation
        if gained < -_GAINED * small:
            break
        turned = next.normal - best.normal
        best = next._replace(point=found.point)
        # On a face of the difference it is at its greatest: a small turn of the axis keeps the foot within the face.
        if gained <= _GAINED * small or (found.corners == 3 and turned @ turned < 1e-8):
            break
    return best


@routine
def deepest(pools: Pools, couple: Couple, axis: Vector3) -> Axis:
    """Of cores that overlap the axis of the least overlap; axis: one to start from if they are flat."""
    found = depth(pools, couple)
    if found.found:
        start = axis_along(pools, couple, -found.normal)._replace(point=found.point)
    else:
        start = _best_of_faces(pools, couple, axis)
        start = _better(start, axis_along(pools, couple, found.normal))
        start = _better(start, axis_along(pools, couple, -found.normal))
    return refined(pools, couple, start)


@routine
def _best_of_faces(pools: Pools, couple: Couple, axis: Vector3) -> Axis:
    """The best of a given axis, that between the centres, and the normals of all faces, both ways."""
    best = axis_along(pools, couple, axis / math.sqrt(axis @ axis))
    length = math.sqrt(couple.way @ couple.way)
    if length > 0.0:
        best = _better(best, axis_along(pools, couple, -couple.way / length))
    for k in range(_face_count(pools, couple.one)):
        normal = _face_normal(pools, couple.one, k)
        best = _better(best, axis_along(pools, couple, -normal))
        best = _better(best, axis_along(pools, couple, normal))
    for k in range(_face_count(pools, couple.other)):
        normal = couple.turn @ _face_normal(pools, couple.other, k)
        best = _better(best, axis_along(pools, couple, normal))
        best = _better(best, axis_along(pools, couple, -normal))
    return best


@routine
def _better(one: Axis, other: Axis) -> Axis:
    return other if other.separation > one.separation else one


@routine
def _face_count(pools: Pools, solid: Solid) -> int:
    """Of shapes that may be flat."""
    if solid.kind == Kind.HULL:
        return pools.hulls[solid.hull].faces
    if solid.kind == Kind.BOX:
        return 3
    return 1 if solid.kind in (Kind.FACET, Kind.CYLINDER) else 0


@routine
def _face_normal(pools: Pools, solid: Solid, k: int) -> Vector3:
    if solid.kind == Kind.HULL:
        return pools.faces[pools.hulls[solid.hull].first_face + k].normal
    if solid.kind == Kind.FACET:
        normal = np.cross(solid.points[1] - solid.points[0], solid.points[2] - solid.points[0])
        return normal / math.sqrt(normal @ normal)
    axis = k if solid.kind == Kind.BOX else 2
    return np.array([float(axis == 0), float(axis == 1), float(axis == 2)])
