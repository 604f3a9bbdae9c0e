"""The points in which two convex shapes touch, around the axis that separates them best.

The face that lies across the axis most squarely is the reference; the face of the other shape that looks at it is cut
by its sides. What is left has the normal of the reference face and its own gap. Where the axis is no face's normal
(edges that cross, a corner beside an edge) the point on the axis is there too.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, routine
from footfall.contact.detection.axes import UNKNOWN, Axis, refined
from footfall.contact.detection.clipping import clip, patch_feature
from footfall.contact.detection.shapes import Kind, Pools, Spot
from footfall.contact.detection.solids import Solid, face_along, new_polygon

_FACING = 0.7  # cosine from which on a face counts as lying against the other shape
_PARALLEL = 1e-13  # one minus the cosine to a face's normal below which the axis is that normal
_SAME = 1e-10  # m: gaps that differ by less are one
ON_AXIS = 1 << 60  # feature of the point on the axis itself


@routine
def patch_spots(
    pools: Pools,
    one: Solid,
    other: Solid,
    turn: Matrix3,
    way: Vector3,
    axis: Axis,
    small: float,
    margin: float,
    spots: ArrayOf[Spot],
) -> int:
    """Points nearer than `margin` (m), in the frame of the first shape; turn, way: pose of the second in it. small:
    size of the smaller one, m."""
    layers = one.radius + other.radius
    normal, gap, point = axis.normal, axis.separation - layers, axis.point
    count, lowest = 0, np.inf
    if one.kind != Kind.SPHERE and other.kind != Kind.SPHERE:
        mine, theirs, room = new_polygon(), new_polygon(), new_polygon()
        face = face_along(pools, one, -normal, axis.first_corner, mine)
        opposite = face_along(pools, other, turn.T @ normal, axis.second_corner, theirs)
        for k in range(opposite.corners):
            theirs.corners[k] = turn @ theirs.corners[k] + way
        outward = turn @ opposite.normal
        facing = -(normal @ face.normal) if face.corners > 2 else 0.0
        other_facing = normal @ outward if opposite.corners > 2 else 0.0
        squarest = max(facing, other_facing)
        # Beside an axis that is no face's own, points that are deeper than on it are deep along the wrong direction.
        least = -np.inf if squarest > 1.0 - _PARALLEL else gap - _SAME
        if squarest > _FACING and other_facing >= facing:
            kept = clip(mine, face.corners, theirs, opposite.corners, outward, room)
            base = theirs.corners[0] @ outward + layers
            for k in range(kept):
                above = mine.corners[k] @ outward - base
                if least <= above <= margin:
                    feature = patch_feature(0, opposite.number, face.number, mine.tags[k])
                    spots[count] = Spot(mine.corners[k] - one.radius * outward, outward, above, feature)
                    count, lowest = count + 1, min(lowest, above)
            normal = outward if squarest > 1.0 - _PARALLEL else normal
        elif squarest > _FACING:
            kept = clip(theirs, opposite.corners, mine, face.corners, face.normal, room)
            base = mine.corners[0] @ face.normal + layers
            for k in range(kept):
                above = theirs.corners[k] @ face.normal - base
                if least <= above <= margin:
                    feature = patch_feature(1, face.number, opposite.number, theirs.tags[k])
                    on_one = theirs.corners[k] - (above + other.radius) * face.normal
                    spots[count] = Spot(on_one, -face.normal, above, feature)
                    count, lowest = count + 1, min(lowest, above)
            normal = -face.normal if squarest > 1.0 - _PARALLEL else normal
    if count == 0 or lowest > gap + _SAME:
        if axis.first_corner == UNKNOWN and axis.second_corner == UNKNOWN:
            better = refined(pools, one, other, turn, way, axis, small)
            normal, gap, point = better.normal, better.separation - layers, better.point
        if gap <= margin:
            spots[count] = Spot(point - one.radius * normal, normal, gap, ON_AXIS)
            count += 1
    return count
