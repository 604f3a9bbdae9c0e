"""Where a convex shape touches the triangles of a mesh or the cells of terrain.

A facet whose plane separates it from the shape is touched by its face. Such planes are looked for first. What lies
below one of them cannot be touched otherwise: so a shape that slides over a seam does not feel the edges beside it. All
other facets are convex shapes like others, whose edges are felt where they stick out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, new_records, routine
from footfall.contact.detection.axes import Axis
from footfall.contact.detection.convex_pairs import best_axis, put_into_world
from footfall.contact.detection.facets import (
    Outline,
    Source,
    gather_facets,
    is_sharp,
    load_facet,
    terrain_height,
)
from footfall.contact.detection.manifold import clip, manifold_points, point_feature
from footfall.contact.detection.reduction import chosen
from footfall.contact.detection.shapes import Kind, ManifoldPoint, Pools
from footfall.contact.detection.solids import Couple, Solid, face_along, new_polygon, support
from footfall.math.transform import Transform

# Points on many facets, gathered plane by plane: of each plane only the outermost and the deepest are kept.
#
# A foot on a fine mesh meets hundreds of triangles in one plane, which are one patch.

MOST_GROUPS = 48
SLOTS = 9  # of a group: eight directions, and the deepest
_SAME_NORMAL = 1e-9  # one minus the cosine
_DIAGONAL = np.sqrt(0.5)


class Sheet(NamedTuple):
    """Points with one normal in one plane (level: its distance from the origin, m), seen along two axes across it.
    hides: all of the shape is above the plane, and facets that lie farther below it than this cannot be touched, m;
    without bound where the shape is not above it."""

    normal: Vector3
    level: float
    hides: float
    across: Vector3
    beside: Vector3


class Gathering(NamedTuple):
    """groups, with `SLOTS` spots each and how far they reach; reached: -inf where a slot is empty. used (1,): how many
    groups there are. size: half extents of the shape that touches, by which directions are scaled. slack: m, levels
    that differ by less are one."""

    groups: ArrayOf[Sheet]
    manifold: ArrayOf[ManifoldPoint]
    reached: Array
    used: Integers
    size: Vector3
    slack: float


@routine
def new_gathering(size: Vector3, slack: float) -> Gathering:
    return Gathering(
        new_records(Sheet, MOST_GROUPS),
        new_records(ManifoldPoint, MOST_GROUPS * SLOTS),
        np.full((MOST_GROUPS, SLOTS), -np.inf),
        np.zeros(1, dtype=np.int64),
        np.maximum(size, 1e-6),
        slack,
    )


@routine
def group_of(gathering: Gathering, normal: Vector3, level: float) -> int:
    """The group of a plane, -1 if there is none."""
    for k in range(gathering.used[0]):
        same = 1.0 - gathering.groups[k].normal @ normal < _SAME_NORMAL
        if same and abs(gathering.groups[k].level - level) <= gathering.slack:
            return k
    return -1


@routine
def add_spot(gathering: Gathering, spot: ManifoldPoint, level: float, hides: float) -> None:
    """A point in the frame of the first shape; level: of the touched plane along its normal; hides: see `Sheet`. In a
    full gathering a nearer plane takes the place of the farthest one."""
    number = group_of(gathering, spot.normal, level)
    if number < 0:
        number = _free_place(gathering, spot.gap)
        if number < 0:
            return
        gathering.groups[number] = _new_group(gathering.size, spot.normal, level, hides)
    group = gathering.groups[number]
    if hides < group.hides:
        gathering.groups[number] = group._replace(hides=hides)
    u, v = spot.position @ group.across, spot.position @ group.beside
    first = number * SLOTS
    for slot in range(SLOTS):
        angle = slot % 8
        x = 0.0 if angle in (2, 6) else 1.0 if angle in (0, 1, 7) else -1.0
        y = 0.0 if angle in (0, 4) else 1.0 if angle in (1, 2, 3) else -1.0
        value = x * u + y * v if slot < 8 else -spot.gap / gathering.slack
        if value > gathering.reached[number, slot] + 1e-7:
            gathering.reached[number, slot] = value
            gathering.manifold[first + slot] = spot


@routine
def _free_place(gathering: Gathering, gap: float) -> int:
    """Where a new group goes, -1 if all others are nearer than `gap` (m)."""
    number = gathering.used[0]
    if number < MOST_GROUPS:
        gathering.used[0] = number + 1
        return number
    farthest = 0
    for k in range(1, MOST_GROUPS):
        if gathering.reached[k, SLOTS - 1] < gathering.reached[farthest, SLOTS - 1]:
            farthest = k
    if gathering.reached[farthest, SLOTS - 1] >= -gap / gathering.slack:
        return -1
    gathering.reached[farthest] = -np.inf
    return farthest


@routine
def _new_group(size: Vector3, normal: Vector3, level: float, hides: float) -> Sheet:
    """Axes along two of the first shape's own, in units of its extent."""
    x, y, z = np.abs(normal)
    if z >= x and z >= y:
        across, beside = np.array([1.0 / size[0], 0.0, 0.0]), np.array([0.0, 1.0 / size[1], 0.0])
    elif y >= x:
        across, beside = np.array([0.0, 0.0, 1.0 / size[2]]), np.array([1.0 / size[0], 0.0, 0.0])
    else:
        across, beside = np.array([0.0, 1.0 / size[1], 0.0]), np.array([0.0, 0.0, 1.0 / size[2]])
    return Sheet(normal, level, hides, across, beside)


@routine
def gathered_spots(gathering: Gathering, manifold: ArrayOf[ManifoldPoint]) -> int:
    """The points of all groups that matter, one group after another; how many."""
    count = 0
    for number in range(gathering.used[0]):
        start = count
        for slot in range(SLOTS):
            if gathering.reached[number, slot] == -np.inf:
                continue
            spot = gathering.manifold[number * SLOTS + slot]
            known = False
            for k in range(start, count):
                apart = manifold[k].position - spot.position
                known = known or apart @ apart < gathering.slack * gathering.slack
            if not known:
                manifold[count] = spot
                count += 1
        gaps = np.empty(count - start)
        for k in range(len(gaps)):
            gaps[k] = manifold[start + k].gap
        count = start + chosen(manifold[start:count], gaps, len(gaps))
    return count


_FLUSH = 1e-5  # of the shape's size: what lies less above a touched plane lies below it
_SEPARATES = 1e-6  # of it: a plane that cuts into the shape by less separates it from the facet
_ON_EDGE = 1e-6  # of it: points so near to an edge lie on it
_ALONG = 1e-12  # one minus the cosine to a facet's normal below which an axis is that normal
_BACKWARDS = 1e-6  # cosine to it: facets are not touched from behind
_BESIDE, _SOON, _OVER = 0, 1, 2  # where a point is


class Nearness(NamedTuple):
    """margin: how near facets must be, m. motion: how far points may move in this step, m."""

    margin: float
    motion: float


class FacetPair(NamedTuple):
    """A convex shape, the pose of the facets in its frame, and how near they must be (see `Nearness`). small: its size,
    m."""

    one: Solid
    turn: Matrix3
    way: Vector3
    source: Source
    small: float
    margin: float
    motion: float


class FacetView(NamedTuple):
    """A facet: its number, its outline, and the corners in its own frame, m."""

    number: int
    outline: Outline
    corners: ArrayOf[Vector3]


class FacetPlane(NamedTuple):
    """The plane of a facet in the frame of the shape: unit normal, distance along it (m)."""

    normal: Vector3
    level: float


class Crossing(NamedTuple):
    """A facet that is touched by an edge or a corner, along an axis."""

    number: int
    axis: Axis


@routine
def facet_spots(
    pools: Pools,
    one: Solid,
    place: Transform,
    small: float,
    source: Source,
    other_place: Transform,
    near: Nearness,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    """Points at which a convex shape is near the facets of a source, which stands at `other_place`. small: size of the
    shape, m."""
    turn = place.rotation.T @ other_place.rotation
    way = place.rotation.T @ (other_place.translation - place.translation)
    pair = FacetPair(one, turn, way, source, small, near.margin, near.motion)
    gathering = new_gathering(one.size + one.radius, _FLUSH * small)
    if source.kind == Kind.TERRAIN and _is_below(pools, pair):
        _lift_out(pools, pair, gathering)
    else:
        _touch_facets(pools, pair, gathering, manifold)
    count = gathered_spots(gathering, manifold)
    put_into_world(manifold, count, place)
    return count


@routine
def _touch_facets(pools: Pools, pair: FacetPair, gathering: Gathering, room: ArrayOf[ManifoldPoint]) -> None:
    """First facets whose planes separate, then those that turn out to be touched by their faces, then all others."""
    found: list[int] = []
    gather_facets(pools, pair.source, found)
    corners: ArrayOf[Vector3] = np.empty((4, 3))
    left: list[int] = []
    for number in found:
        facet = FacetView(number, load_facet(pools, pair.source, number, corners), corners)
        if not _touch_face(pools, pair, facet, gathering):
            left.append(number)
    edges: list[Crossing] = []
    for number in left:
        facet = FacetView(number, load_facet(pools, pair.source, number, corners), corners)
        crossing = _touch_across(pools, pair, facet, gathering, room)
        if crossing.number >= 0:
            edges.append(crossing)
    for crossing in edges:
        facet = FacetView(crossing.number, load_facet(pools, pair.source, crossing.number, corners), corners)
        if not _lies_below(gathering, pair, facet):
            _add_around(pools, pair, crossing, facet, gathering, room)


@routine
def _is_below(pools: Pools, pair: FacetPair) -> bool:
    """Whether the middle of the shape is below terrain."""
    middle = -(pair.turn.T @ pair.way)
    return middle[2] < terrain_height(pools, pools.terrains[pair.source.content], middle[0], middle[1])


@routine
def _lift_out(pools: Pools, pair: FacetPair, gathering: Gathering) -> None:
    """Something that is deep in the ground comes out upwards."""
    middle = -(pair.turn.T @ pair.way)
    ground = terrain_height(pools, pools.terrains[pair.source.content], middle[0], middle[1])
    up = pair.turn[:, 2]
    low, _ = support(pools, pair.one, -up, 0)
    point = low - pair.one.radius * up
    gap = float(up @ (point - pair.way)) - ground
    add_spot(gathering, ManifoldPoint(point, up, gap, 0), ground, -gathering.slack)


@routine
def _plane_of(pair: FacetPair, facet: FacetView) -> FacetPlane:
    normal = pair.turn @ facet.outline.normal
    return FacetPlane(normal, normal @ pair.way + facet.outline.normal @ facet.corners[0])


@routine
def _touch_face(pools: Pools, pair: FacetPair, facet: FacetView, gathering: Gathering) -> bool:
    """Add the points of a facet whose plane separates it from the shape, if the shape's nearest point is over it;
    whether nothing is left to do for it."""
    plane = _plane_of(pair, facet)
    normal, level = plane.normal, plane.level
    low, hint = support(pools, pair.one, -normal, 0)
    apart = normal @ low - level - pair.one.radius
    if apart > pair.margin:
        return True
    if level > 0.0:  # the middle of the shape is behind it, perhaps all of the shape
        high, _ = support(pools, pair.one, normal, 0)
        return bool(normal @ high - level + pair.one.radius < 0.0)
    if apart < -_SEPARATES * pair.small:
        return False
    over = _is_over(pools, pair, facet, pair.turn.T @ (low - pair.way))
    if over == _BESIDE:
        return False
    if over == _SOON:
        spot = ManifoldPoint(
            low - pair.one.radius * normal, normal, float(apart), point_feature(0, facet.number, 0, 0)
        )
        add_spot(gathering, spot, level, -gathering.slack)
    _add_patch(pools, pair, facet, plane, hint, -gathering.slack, gathering)
    return True


@routine
def _is_over(pools: Pools, pair: FacetPair, facet: FacetView, point: Vector3) -> int:
    """Whether a point, in the facet's frame, is over a facet, or beyond seams of it by no more than it may come over
    them in this step. A seam is no ridge: the plane of the facet runs below what is on its other side."""
    outline, corners, over = facet.outline, facet.corners, _OVER
    for k in range(outline.corners):
        edge = corners[k + 1 if k + 1 < outline.corners else 0] - corners[k]
        length = math.sqrt(edge @ edge)
        beyond = (corners[k] - point) @ np.cross(outline.normal, edge)
        if beyond > _ON_EDGE * pair.small * length:
            if beyond > pair.motion * length or is_sharp(pools, pair.source, corners, outline, k):
                return _BESIDE
            over = _SOON
    return over


@routine
def _add_patch(
    pools: Pools,
    pair: FacetPair,
    facet: FacetView,
    plane: FacetPlane,
    hint: int,
    hides: float,
    gathering: Gathering,
) -> None:
    """Add the face of the shape that looks at a facet, cut by the facet's sides."""
    outline, normal, level = facet.outline, plane.normal, plane.level
    mine, sides, room = new_polygon(), new_polygon(), new_polygon()
    face = face_along(pools, pair.one, -normal, hint, mine)
    for k in range(outline.corners):
        sides.corners[k] = pair.turn @ facet.corners[k] + pair.way
        sides.edges[k] = k
    kept = clip(mine, face.corners, sides, outline.corners, normal, room)
    for k in range(kept):
        gap = mine.corners[k] @ normal - level - pair.one.radius
        if gap <= pair.margin:
            feature = point_feature(0, facet.number, face.number, mine.tags[k])
            spot = ManifoldPoint(mine.corners[k] - pair.one.radius * normal, normal, gap, feature)
            add_spot(gathering, spot, level, hides)


@routine
def _lies_below(gathering: Gathering, pair: FacetPair, facet: FacetView) -> bool:
    """Whether a facet lies below a plane that is touched, so that it cannot be: the shape is above that plane."""
    for number in range(gathering.used[0]):
        group = gathering.groups[number]
        if group.hides == np.inf:
            continue
        up = pair.turn.T @ group.normal
        level = group.level - group.normal @ pair.way - group.hides
        below = True
        for k in range(facet.outline.corners):
            below = below and up @ facet.corners[k] <= level
        if below:
            return True
    return False


@routine
def _touch_across(
    pools: Pools, pair: FacetPair, facet: FacetView, gathering: Gathering, room: ArrayOf[ManifoldPoint]
) -> Crossing:
    """A facet whose plane cuts the shape, or that lies beside it. Add its points if its face is touched all the same;
    else the axis along which it is nearest, with the number -1 if that does not matter."""
    one, turn, way, outline = pair.one, pair.turn, pair.way, facet.outline
    plane = _plane_of(pair, facet)
    normal = plane.normal
    nothing = Crossing(-1, Axis(normal, 0.0, normal, 0, 0))
    if group_of(gathering, normal, plane.level) >= 0:  # it goes on where others are touched
        _, hint = support(pools, one, -normal, 0)
        _add_patch(pools, pair, facet, plane, hint, np.inf, gathering)
        return nothing
    if _lies_below(gathering, pair, facet):
        return nothing
    limit = pair.margin + one.radius
    best = best_axis(pools, _couple(pair, facet), limit, normal, False)
    if best.separation > limit or (not outline.sheet and best.normal @ normal < -_BACKWARDS):
        return nothing
    crossing = Crossing(facet.number, best)
    if 1.0 - best.normal @ normal < _ALONG:
        _add_around(pools, pair, crossing, facet, gathering, room)
        return nothing
    point = turn.T @ (best.point - best.separation * best.normal - way)
    if _can_be_touched(pools, pair, facet, point):
        return crossing
    # Nearest at a seam, which is not felt; but what is over the face may come down on it.
    _, hint = support(pools, one, -normal, 0)
    _add_patch(pools, pair, facet, plane, hint, np.inf, gathering)
    return nothing


@routine
def _can_be_touched(pools: Pools, pair: FacetPair, facet: FacetView, point: Vector3) -> bool:
    """Whether a point of a facet, in its own frame, lies within it or on an edge that sticks out."""
    outline, corners, inside = facet.outline, facet.corners, True
    for k in range(outline.corners):
        edge = corners[k + 1 if k + 1 < outline.corners else 0] - corners[k]
        inward = np.cross(outline.normal, edge)
        if (point - corners[k]) @ inward <= _ON_EDGE * pair.small * math.sqrt(inward @ inward):
            if is_sharp(pools, pair.source, corners, outline, k):
                return True
            inside = False
    return inside


@routine
def _couple(pair: FacetPair, facet: FacetView) -> Couple:
    """The shape and one of its facets."""
    plate = Solid(Kind.FACET, np.zeros(3), 0.0, facet.corners[: facet.outline.corners], 0, 0)
    return Couple(pair.one, plate, pair.turn, pair.way, pair.small)


@routine
def _add_around(
    pools: Pools,
    pair: FacetPair,
    crossing: Crossing,
    facet: FacetView,
    gathering: Gathering,
    room: ArrayOf[ManifoldPoint],
) -> None:
    """Add the points of the patch around an axis."""
    count = manifold_points(pools, _couple(pair, facet), crossing.axis, pair.margin, room)
    for k in range(count):
        spot = room[k]
        level = spot.normal @ (spot.position - spot.gap * spot.normal)
        # The shape is above the plane across the axis, but may come down elsewhere on what is near that plane.
        hides = pair.margin if 1.0 - spot.normal @ crossing.axis.normal < _ALONG else np.inf
        add_spot(gathering, spot._replace(feature=spot.feature ^ (crossing.number << 40)), level, hides)
