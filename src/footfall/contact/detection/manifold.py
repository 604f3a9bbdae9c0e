"""Contact manifolds: where two convex shapes touch, around the axis that separates them best.

The face that lies across the axis most squarely is the reference; the face of the other shape that looks at it is cut
by its sides. What is left has the normal of the reference face and its own gap. Where the axis is no face's normal
(edges that cross, a corner beside an edge) the point on the axis is the contact, and corners of the faces are there for
what comes next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.axes import UNKNOWN, Axis, refined
from footfall.contact.detection.shapes import Kind, ManifoldPoint, Pools
from footfall.contact.detection.solids import MOST_CORNERS, Couple, Polygon, face_along, new_polygon

# The patch in which two faces lie against each other: one face cut by the sides of the other.

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


_FACING = 0.8  # cosine from which on a face counts as lying against the other shape
_PARALLEL = 1e-13  # one minus the cosine to a face's normal below which the axis is that normal
_SAME = 1e-10  # m: gaps that differ by less are one
_SAME_WAY = 1e-6  # square of the sine below which two lines are parallel
_ROUNDING = 1e-9  # of a length
ON_AXIS = 1 << 60  # feature of the point on the axis itself


class Edges(NamedTuple):
    """Two edges or lines that look at each other: their ends."""

    tail: Vector3
    head: Vector3
    other_tail: Vector3
    other_head: Vector3


@routine
def _edge_spots(
    edges: Edges,
    normal: Vector3,
    gap: float,
    layers: float,
    radius: float,
    margin: float,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    """The point in which two lines cross, seen along the normal, or the two ends of what parallel ones share; none if
    they are not what is nearest."""
    along, other = edges.head - edges.tail, edges.other_head - edges.other_tail
    apart = edges.other_tail - edges.tail
    aa, bb, ab = along @ along, other @ other, along @ other
    sine = aa * bb - ab * ab
    shares = np.zeros(2)
    if sine > _SAME_WAY * aa * bb:
        shares[0] = (bb * (along @ apart) - ab * (other @ apart)) / sine
        shares[1] = shares[0]
    else:
        first, second = (along @ apart) / aa, (along @ (apart + other)) / aa
        shares[0], shares[1] = max(min(first, second), 0.0), min(max(first, second), 1.0)
    count, lowest = 0, np.inf
    for k in range(2):
        share = shares[k]
        point = edges.tail + share * along
        place = (other @ (point - edges.other_tail)) / bb
        beside = share < 0.0 or share > 1.0 or place < -_ROUNDING or place > 1.0 + _ROUNDING
        if beside or (k == 1 and share == shares[0]):
            continue
        above = normal @ (point - edges.other_tail - place * other) - layers
        if above <= margin:
            manifold[count] = ManifoldPoint(point - radius * normal, normal, above, ON_AXIS + 1 + k)
            count, lowest = count + 1, min(lowest, above)
    return count if abs(lowest - gap) < _SAME else 0


@routine
def manifold_points(
    pools: Pools, couple: Couple, axis: Axis, margin: float, manifold: ArrayOf[ManifoldPoint]
) -> int:
    """Points nearer than `margin` (m), in the frame of the first shape."""
    one, other, turn, way, _ = couple
    layers = one.radius + other.radius
    normal, gap, point = axis.normal, axis.separation - layers, axis.point
    count, covered = 0, False
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
        if face.corners == 2 and opposite.corners == 2:
            edges = Edges(mine.corners[0], mine.corners[1], theirs.corners[0], theirs.corners[1])
            count = _edge_spots(edges, normal, gap, layers, one.radius, margin, manifold)
            covered = count > 0
        # Beside an axis that is no face's own its point is the contact. Measured along the axis, all pairs of points
        # are at least as far apart as it says. Corners of the faces that are just so far are that point, seen along
        # another normal; corners that are deeper than it are deep along the wrong direction.
        own = bool(squarest > 1.0 - _PARALLEL)
        least, lowest = -np.inf, np.inf
        if not own and squarest > _FACING:
            least = max(gap, float((axis.separation + _SAME) / squarest - layers))
        if squarest > _FACING and other_facing >= facing:
            kept = clip(mine, face.corners, theirs, opposite.corners, outward, room)
            base = theirs.corners[0] @ outward + layers
            for k in range(kept):
                above = mine.corners[k] @ outward - base
                if least <= above <= margin:
                    feature = point_feature(0, opposite.number, face.number, mine.tags[k])
                    manifold[count] = ManifoldPoint(
                        mine.corners[k] - one.radius * outward, outward, above, feature
                    )
                    count, lowest = count + 1, min(lowest, above)
            normal = outward if own else normal
        elif squarest > _FACING:
            kept = clip(theirs, opposite.corners, mine, face.corners, face.normal, room)
            base = mine.corners[0] @ face.normal + layers
            for k in range(kept):
                above = theirs.corners[k] @ face.normal - base
                if least <= above <= margin:
                    feature = point_feature(1, face.number, opposite.number, theirs.tags[k])
                    on_one = theirs.corners[k] - (above + other.radius) * face.normal
                    manifold[count] = ManifoldPoint(on_one, -face.normal, above, feature)
                    count, lowest = count + 1, min(lowest, above)
            normal = -face.normal if own else normal
        covered = covered or (own and lowest <= gap + _SAME)
    if not covered:
        if axis.first_corner == UNKNOWN and axis.second_corner == UNKNOWN:
            better = refined(pools, couple, axis)
            normal, gap, point = better.normal, better.separation - layers, better.point
        if gap <= margin:
            manifold[count] = ManifoldPoint(point - one.radius * normal, normal, gap, ON_AXIS)
            count += 1
    return count
