"""All points where shapes touch, or may do so within a step."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import (
    ArrayOf,
    Matrix3,
    Team,
    Vector3,
    add_at_once,
    new_records,
    new_team,
    next_piece,
    routine,
    together,
)
from footfall.contact.contacts import Contact
from footfall.contact.detection.boxes import reaches_plane
from footfall.contact.detection.broad import update_pairs
from footfall.contact.detection.convex_pairs import Found
from footfall.contact.detection.narrow import motion_between, pair_spots, solid_of
from footfall.contact.detection.reduction import chosen
from footfall.contact.detection.shapes import (
    Bodies,
    ContactMemory,
    Kind,
    ManifoldPoint,
    Pair,
    Search,
    ShapeTable,
)
from footfall.contact.detection.solids import support
from footfall.contact.detection.tree import overlap
from footfall.math.transform import Transform

# Fast things: where two shapes will first touch within a step.
#
# Something that moves by more than a part of its own thickness may hit another part of what it meets than that which
# is nearest now, or nothing at all. Both shapes are moved ahead along their velocities, each time by no more than is
# certain to leave them apart (Mirtich 1996), until they touch or the step ends. The points found there are carried
# back to the start of the step, with the normal that they have when they touch.

_FAST = 0.2  # of the thinner shape's half thickness: motion within a step from which on things are fast
_THIN = 1e-3  # m: thinner ones count as this
_TOUCHING = 1e-6  # m: gap at which they touch, if `reach` is smaller
_MOST_ADVANCES = 30


class Motion(NamedTuple):
    """How a body moves: a point it turns about, its velocity (m/s), and the angular velocity (rad/s), world axes."""

    origin: Vector3
    linear: Vector3
    angular: Vector3


@routine
def is_fast(table: ShapeTable, one: int, other: int, motion: float) -> bool:
    """Whether two shapes move by so much (m) relative to each other that the nearest points now say little. Over a
    plane they say all."""
    if table.shapes[other].kind == Kind.PLANE:
        return False
    inner = min(table.shapes[one].inner, table.shapes[other].inner)
    return motion > _FAST * max(inner, _THIN)


@routine
def motion_of(table: ShapeTable, bodies: Bodies, number: int) -> Motion:
    """The motion of the body that carries a shape."""
    body = table.shapes[number].body
    if body < 0:
        return Motion(np.zeros(3), np.zeros(3), np.zeros(3))
    return Motion(bodies.position[body], bodies.linear[body], bodies.angular[body])


@routine
def impact_spots(search: Search, margin: float, manifold: ArrayOf[ManifoldPoint], near: Found) -> Found:
    """Points of a pair that is fast; near: those within `margin` (m) now, which `spots` holds.

    Pairs that touch already keep them.
    """
    table, memory, bodies, dt = search.table, search.memory, search.bodies, search.dt
    one, other = near.pair.first, near.pair.second
    touching = max(search.reach, _TOUCHING)
    if _least(manifold, near.points) <= touching:
        return near
    place, other_place = memory.places[one], memory.places[other]
    motion, other_motion = motion_of(table, bodies, one), motion_of(table, bodies, other)
    turning = memory.spin[one] + memory.spin[other]
    found, time = near, 0.0
    for _ in range(_MOST_ADVANCES):
        time += _certain(motion, other_motion, manifold, found.points, turning / dt, 0.5 * touching)
        if time >= dt:
            found = Found(0, found.pair)
            break
        memory.places[one] = _moved(place, motion, time)
        memory.places[other] = _moved(other_place, other_motion, time)
        found = pair_spots(table, memory, found.pair, margin, manifold)
        if _least(manifold, found.points) <= touching:
            break
    memory.places[one], memory.places[other] = place, other_place
    # Points that are farther away when the first one touches may be reached in the rest of the step, also because the
    # impact turns the bodies. Along their arcs they are no nearer now than their velocities say.
    rest = (1.0 - min(time / dt, 1.0)) * motion_between(memory, one, other)
    kept = 0
    for k in range(found.points):
        then, spot = manifold[k].gap, _before(manifold[k], motion, other_motion, time)
        if then > 2.0 * touching:
            apart = velocity_at(motion, spot.position) - velocity_at(other_motion, spot.position)
            approach = -(spot.normal @ apart)
            if then > 2.0 * touching + rest or approach <= 0.0:
                continue
            spot = spot._replace(gap=max(spot.gap, then + time * approach))
        manifold[kept] = spot
        kept += 1
    return Found(kept, near.pair)


@routine
def _least(manifold: ArrayOf[ManifoldPoint], count: int) -> float:
    least = np.inf
    for k in range(count):
        least = min(least, manifold[k].gap)
    return least


@routine
def _certain(
    motion: Motion,
    other: Motion,
    manifold: ArrayOf[ManifoldPoint],
    count: int,
    turning: float,
    touching: float,
) -> float:
    """Time (s) that passes at least until a gap is as small as `touching` (m). turning: m/s, how much faster than the
    points found others of the shapes may be."""
    least = np.inf
    for k in range(count):
        point = manifold[k].position
        approach = turning - manifold[k].normal @ (velocity_at(motion, point) - velocity_at(other, point))
        if approach > 0.0:
            least = min(least, (manifold[k].gap - touching) / approach)
    return least


@routine
def velocity_at(motion: Motion, point: Vector3) -> Vector3:
    """Of a point that moves with a body, m/s."""
    return motion.linear + np.cross(motion.angular, point - motion.origin)


@routine
def _moved(place: Transform, motion: Motion, time: float) -> Transform:
    turn = _turned(motion.angular, time)
    arm = turn @ (place.translation - motion.origin)
    return Transform(turn @ place.rotation, motion.origin + time * motion.linear + arm)


@routine
def _before(spot: ManifoldPoint, motion: Motion, other: Motion, time: float) -> ManifoldPoint:
    """A point as it is at the start of the step: both shapes carried back, the normal as it is."""
    point = _carried_back(spot.position, motion, time)
    opposite = _carried_back(spot.position - spot.gap * spot.normal, other, time)
    return ManifoldPoint(point, spot.normal, float(spot.normal @ (point - opposite)), spot.feature)


@routine
def _carried_back(point: Vector3, motion: Motion, time: float) -> Vector3:
    turn = _turned(motion.angular, time)
    return motion.origin + turn.T @ (point - motion.origin - time * motion.linear)


@routine
def _turned(angular: Vector3, time: float) -> Matrix3:
    """The turn of a body in some time (Rodrigues)."""
    speed = math.sqrt(angular @ angular)
    c, s = math.cos(speed * time), math.sin(speed * time)
    x, y, z = angular / max(speed, 1e-300)
    d = 1.0 - c
    return np.array(
        [
            [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
            [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
            [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
        ]
    )


# Shapes that do not move against each other and lie side by side: what slides over their seam does not feel it.
#
# A ball that rolls from one box onto the next touches the first with its lowest point, and the edge of the second
# beside it, along a normal that leans back. That edge lies in the plane that the ball touches, and all of the second
# box below: whatever is above the plane cannot hit it.

_FLUSH = 1e-5  # of the touching shape's size: what lies less above a plane lies below it
_SMALLEST = 1e-3  # m: size of smaller shapes
_OTHER = 1e-9  # one minus the cosine between normals that differ


@routine
def without_seams(
    table: ShapeTable, memory: ContactMemory, found: ArrayOf[Contact], start: int, end: int
) -> int:
    """Of the contacts of one shape from `start` on, leave those out that lie below a plane which the same shape touches
    on a neighbour; where they end then."""
    slack = _FLUSH * max(table.shapes[found[start].first].bound, _SMALLEST)
    hidden = np.zeros(end - start, dtype=np.bool_)
    for k in range(start, end):
        for j in range(start, end):
            if found[j].second != found[k].second and not hidden[j - start]:
                hidden[k - start] = hidden[k - start] or _hides(table, memory, found[j], found[k], slack)
    kept = start
    for k in range(start, end):
        if not hidden[k - start]:
            found[kept] = found[k]
            kept += 1
    return kept


@routine
def _hides(table: ShapeTable, memory: ContactMemory, one: Contact, other: Contact, slack: float) -> bool:
    """Whether the shape that the second touch is on lies below the plane of the first one."""
    if table.shapes[one.second].body != table.shapes[other.second].body:
        return False
    cosine = one.normal @ other.normal
    if cosine < 0.0 or 1.0 - cosine < _OTHER:
        return False
    above = 0.5 * one.gap if 0 <= table.shapes[one.second].body < table.links else 0.0  # see `Touch.position`
    level = one.normal @ one.position - above + slack
    return bool(_top(table, memory, other.second, one.normal) <= level)


@routine
def _top(table: ShapeTable, memory: ContactMemory, number: int, up: Vector3) -> float:
    """How far a shape reaches along a direction, m; of meshes their boxes do."""
    shape = table.shapes[number]
    if shape.bound == np.inf:
        return np.inf
    place = memory.places[number]
    along = place.rotation.T @ up
    if shape.kind == Kind.MESH:
        return float(up @ place.translation + np.abs(along) @ shape.size)
    point, _ = support(table.pools, solid_of(table, number), along, 0)
    return float(up @ place.translation + along @ point) + shape.radius


_SHARE = 0.9  # of the reach: by so much corners of a hull may be farther from a plane than the nearest one
_SAME_WAY = 1e-12  # one minus the cosine below which normals are the same


class Need(NamedTuple):
    """contacts, pairs: how many there are; if there is no room for all, those behind are left out."""

    contacts: int
    pairs: int


class Sleepers(NamedTuple):
    """What need not be looked at: still (bodies,): which bodies stay where they were, empty if none do; contacts: of
    the step before, by pairs in their order."""

    still: Flags
    contacts: ArrayOf[Contact]


NONE_SLEEP = Sleepers(np.zeros(0, dtype=np.bool_), new_records(Contact, 0))


class Shared(NamedTuple):
    """A team of threads that looks at pairs, and room for the contacts that it finds: twice what there is for all, as
    some are left out at the end, see `without_seams`."""

    team: Team
    contacts: ArrayOf[Contact]


ALONE = Shared(new_team(1), new_records(Contact, 0))


class Seen(NamedTuple):
    """What a team has found: of pair k (k,) so many contacts, from a number on. used (1,): how many in all."""

    numbers: Integers
    starts: Integers
    used: Integers
    contacts: ArrayOf[Contact]


@routine(fused=True, apart=True, quick=True)
def find_contacts(
    table: ShapeTable,
    memory: ContactMemory,
    bodies: Bodies,
    dt: float,
    reach: float,
    found: ArrayOf[Contact],
    asleep: Sleepers,
    shared: Shared = ALONE,
) -> Need:
    """Points where shapes touch or may touch within a step of dt (s), by pairs in their order.

    A point is there if its gap is below `reach` (m), or will be at the end of the step if the bodies move as expected.
    found: room for them. If there are more pairs than `memory.pairs` has room for, none are given.
    """
    needed = update_pairs(table, memory, bodies, dt, reach, shared.team)
    if needed > len(memory.pairs):
        return Need(0, needed)
    search = Search(table, memory, bodies, dt, reach)
    several = shared.team.threads > 1 and needed >= _WORTH_HELP
    numbers = np.empty(needed if several else 0, dtype=np.int64)
    seen = Seen(numbers, numbers.copy(), np.zeros(1, dtype=np.int64), shared.contacts)
    if several:
        together(shared.team, _look_at_some, shared.team, search, needed, asleep.still, seen)
        if seen.used[0] > len(seen.contacts):
            return Need(seen.used[0], needed)
    count, most, known = 0, 0, 0
    start, seconds = 0, 0  # of the contacts of one shape: where they begin, and how many others it touches
    for k in range(needed):
        pair = memory.pairs[k]
        one, other = pair.first, pair.second
        if k > 0 and one != memory.pairs[k - 1].first:
            if seconds > 1 and count <= len(found):
                count = without_seams(table, memory, found, start, count)
            start, seconds = count, 0
        if not _may_meet(table, memory, one, other):
            continue
        before = count
        if _both_sleep(table, asleep.still, one, other):
            while known < len(asleep.contacts) and _comes_before(asleep.contacts[known], one, other):
                known += 1
            while known < len(asleep.contacts) and not _comes_after(asleep.contacts[known], one, other):
                if count < len(found):
                    found[count] = asleep.contacts[known]
                count, known = count + 1, known + 1
        elif several:
            for j in range(min(seen.numbers[k], len(found) - count)):
                found[count + j] = seen.contacts[seen.starts[k] + j]
            count += seen.numbers[k]
        else:
            count += _pair_contacts(search, k, found, count)
        seconds += int(count > before)
        most = max(most, count)
    if seconds > 1 and count <= len(found):
        count = without_seams(table, memory, found, start, count)
    return Need(count if most <= len(found) else most, needed)


_WORTH_HELP = 256  # pairs that are worth the help of others
_PAIRS_A_PIECE = 16  # pairs that one of them takes at a time
_PAIR_CONTACTS = 16  # contacts of a pair, see `chosen`


@routine
def _look_at_some(team: Team, search: Search, count: int, still: Flags, seen: Seen) -> None:
    """Contacts of the first so many pairs, as far as others do not look at them; what sleeps is left out."""
    table, memory = search.table, search.memory
    # What is looked at moves for a moment, see `impact_spots`.
    own = memory._replace(
        manifold=new_records(ManifoldPoint, len(memory.manifold)), places=memory.places.copy()
    )
    mine, found = search._replace(memory=own), new_records(Contact, _PAIRS_A_PIECE * _PAIR_CONTACTS)
    pieces = -(-count // _PAIRS_A_PIECE)
    piece = next_piece(team, -1, pieces)
    while piece < pieces:
        first, last, number = _PAIRS_A_PIECE * piece, min(_PAIRS_A_PIECE * (piece + 1), count), 0
        for k in range(first, last):
            one, other = memory.pairs[k].first, memory.pairs[k].second
            before = number
            if _may_meet(table, memory, one, other) and not _both_sleep(table, still, one, other):
                number += _pair_contacts(mine, k, found, number)
            seen.starts[k], seen.numbers[k] = before, number - before
        start = add_at_once(seen.used, 0, number)
        for j in range(min(number, len(seen.contacts) - start)):
            seen.contacts[start + j] = found[j]
        for k in range(first, last):
            seen.starts[k] += start
        piece = next_piece(team, piece, pieces)


@routine
def _may_meet(table: ShapeTable, memory: ContactMemory, one: int, other: int) -> bool:
    """Whether the boxes of two shapes over the step overlap; if one is a fixed plane, whether the box reaches it."""
    lower, upper, second = memory.lower[one], memory.upper[one], table.shapes[other]
    if second.kind != Kind.PLANE or second.body >= 0:
        return overlap(lower, upper, memory.lower[other], memory.upper[other])
    return reaches_plane(lower, upper, memory.places[other])


@routine
def _both_sleep(table: ShapeTable, still: Flags, one: int, other: int) -> bool:
    if len(still) == 0:
        return False
    first, second = table.shapes[one].body, table.shapes[other].body
    return (first < 0 or still[first]) and (second < 0 or still[second])


@routine
def _comes_before(contact: Contact, one: int, other: int) -> bool:
    return contact.first < one or (contact.first == one and contact.second < other)


@routine
def _comes_after(contact: Contact, one: int, other: int) -> bool:
    return contact.first > one or (contact.first == one and contact.second > other)


@routine
def _pair_contacts(search: Search, k: int, found: ArrayOf[Contact], count: int) -> int:
    """Write the contacts of a pair behind the first ones; how many."""
    table, memory, manifold = search.table, search.memory, search.memory.manifold
    pair = memory.pairs[k]
    motion = motion_between(memory, pair.first, pair.second)
    margin = search.reach + motion
    answer = pair_spots(table, memory, pair, margin, manifold)
    memory.pairs[k] = answer.pair
    if answer.points == 0:
        return 0
    if is_fast(table, pair.first, pair.second, motion):
        answer = impact_spots(search, margin, manifold, answer)
    ahead = np.empty(answer.points)
    near = _approaching(search, pair, manifold, ahead)
    number = chosen(manifold, ahead, near)
    _write(table, pair, manifold, number, found, count)
    return number


@routine
def _approaching(search: Search, pair: Pair, manifold: ArrayOf[ManifoldPoint], ahead: Array) -> int:
    """How many points may matter, the first ones then: none unless one is near, or will be at the end of the step. A
    impact at one may drive others down that were not approaching; but corners of a hull that only an impact brings to a
    plane wait for the second look. ahead: room for their gaps at the end of the step, m."""
    at, nearest = manifold[0].position, np.inf
    one = motion_of(search.table, search.bodies, pair.first)
    other = motion_of(search.table, search.bodies, pair.second)
    linear, angular = velocity_at(one, at) - velocity_at(other, at), one.angular - other.angular
    for k in range(len(ahead)):
        apart = linear + np.cross(angular, manifold[k].position - at)
        ahead[k] = manifold[k].gap + search.dt * (apart @ manifold[k].normal)
        nearest = min(nearest, manifold[k].gap, ahead[k])
    if nearest > search.reach:
        return 0
    if not _is_hull_on_plane(search.table, pair):
        return len(ahead)
    kept, most = 0, max(nearest, 0.0) + _SHARE * search.reach
    for k in range(len(ahead)):
        if min(manifold[k].gap, ahead[k]) <= most:
            manifold[kept], ahead[kept] = manifold[k], ahead[k]
            kept += 1
    return kept


@routine
def _is_hull_on_plane(table: ShapeTable, pair: Pair) -> bool:
    return table.shapes[pair.first].kind == Kind.HULL and table.shapes[pair.second].kind == Kind.PLANE


@routine
def _write(
    table: ShapeTable,
    pair: Pair,
    manifold: ArrayOf[ManifoldPoint],
    number: int,
    found: ArrayOf[Contact],
    count: int,
) -> None:
    """Write the points of a pair behind the first ones, as far as there is room.

    Points that share a normal lie in one plane, as their gaps close: if they stood where the tilted faces are, a foot
    whose points stick could not rock at all without slipping everywhere, by lengths of gap times tilt.
    """
    body = table.shapes[pair.second].body
    both_move = 0 <= body < table.links
    level, flat = 0.0, both_move
    for k in range(number):
        spot = manifold[k]
        level += (spot.position @ spot.normal - 0.5 * spot.gap) / number
        flat = flat and bool(np.abs(spot.normal @ manifold[0].normal - 1.0) < _SAME_WAY)
    for k in range(min(number, len(found) - count)):
        spot = manifold[k]
        lower = 0.5 * spot.gap if both_move else spot.gap
        if flat:
            lower = spot.position @ spot.normal - level
        position = spot.position - lower * spot.normal
        found[count + k] = Contact(
            pair.first, pair.second, spot.feature, position, spot.normal, spot.gap, -np.inf, 0.0, np.zeros(3)
        )
