"""The patch in which two faces lie against each other: one face cut by the sides of the other."""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import Vector3, routine
from footfall.contact.detection.solids import MOST_CORNERS, Polygon

NUMBERS = 1024  # more than a hull has corners: numbers of edges and sides are told apart by it
_SLACK = 1e-12  # of the edges' lengths: corners that lie on a side stay


@routine
def clip(
    polygon: Polygon, count: int, sides: Polygon, side_count: int, normal: Vector3, room: Polygon
) -> int:
    """Cut a polygon (two corners: an edge, one: a point) by the sides of another whose unit normal is given; room: for
    what is on the way. The number of corners that are left.

    Tags of new corners are made of the edge that is cut and the side that cuts it.
    """
    for k in range(side_count):
        tail = sides.corners[k]
        head = sides.corners[k + 1 if k + 1 < side_count else 0]
        count = _cut(polygon, count, tail, np.cross(normal, head - tail), NUMBERS + sides.edges[k], room)
        if count == 0:
            return 0
    return count


@routine
def _cut(polygon: Polygon, count: int, tail: Vector3, inward: Vector3, side: int, room: Polygon) -> int:
    """Keep what lies on the inner side of a plane; side: the number of the plane."""
    corners, tags, edges = polygon.corners, polygon.tags, polygon.edges
    slack = -_SLACK * (inward @ inward)
    outside = False
    for k in range(count):
        outside = outside or (corners[k] - tail) @ inward < slack
    if not outside:
        return count
    kept = 0
    last = count - 1 if count > 2 else 0  # an edge has no way back
    before = (corners[last] - tail) @ inward
    for k in range(count):
        here = (corners[k] - tail) @ inward
        if (here < slack) != (before < slack):
            # Both may lie on the plane, within the slack.
            share = min(max(before / (before - here), 0.0), 1.0)
            room.corners[kept] = corners[last] + share * (corners[k] - corners[last])
            room.tags[kept] = 2 * NUMBERS * (1 + edges[last]) + side
            # What follows: the side itself where the polygon leaves, the rest of the edge where it comes back.
            room.edges[kept] = side if here < slack else edges[last]
            kept += 1
        if here >= slack:
            room.corners[kept] = corners[k]
            room.tags[kept] = tags[k]
            room.edges[kept] = edges[k]
            kept += 1
        before, last = here, k
    kept = min(kept, 2 * MOST_CORNERS)
    for k in range(kept):
        corners[k] = room.corners[k]
        tags[k] = room.tags[k]
        edges[k] = room.edges[k]
    return kept


@routine
def point_feature(reference: int, face: int, other_face: int, tag: int) -> int:
    """A number for a point of a patch: which of the two has the reference face, the faces, the corner."""
    return ((2 * (face % NUMBERS) + reference) * NUMBERS + other_face % NUMBERS) * (1 << 24) + tag % (1 << 24)
