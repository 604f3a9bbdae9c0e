"""All points where shapes touch, or may do so within a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf, new_records, routine
from footfall.contact.detection.boxes import reaches_plane
from footfall.contact.detection.broad import update_pairs
from footfall.contact.detection.impact import impact_spots, is_fast, motion_of, velocity_at
from footfall.contact.detection.memory import ContactMemory, Pair, Search, ShapeTable
from footfall.contact.detection.narrow import motion_between, pair_spots
from footfall.contact.detection.reduction import chosen
from footfall.contact.detection.seams import without_seams
from footfall.contact.detection.shapes import Bodies, Kind, Spot, Touch
from footfall.contact.detection.tree import overlap

_CLOSE = 0.9  # of the reach: by so much corners of a hull may be farther from a plane than the nearest one
_SAME_WAY = 1e-12  # one minus the cosine below which normals are the same


class Need(NamedTuple):
    """touches, pairs: how many there are; if there is no room for all, those behind are left out."""

    touches: int
    pairs: int


class Sleepers(NamedTuple):
    """What need not be looked at: still (bodies,): which bodies stay where they were, empty if none do; touches: of the
    step before, by pairs in their order."""

    still: Flags
    touches: ArrayOf[Touch]


NONE_SLEEP = Sleepers(np.zeros(0, dtype=np.bool_), new_records(Touch, 0))


@routine(fused=True, apart=True, quick=True)
def find_contacts(
    table: ShapeTable,
    memory: ContactMemory,
    bodies: Bodies,
    dt: float,
    reach: float,
    found: ArrayOf[Touch],
    asleep: Sleepers,
) -> Need:
    """Points where shapes touch or may touch within a step of dt (s), by pairs in their order.

    A point is there if its gap is below `reach` (m), or will be at the end of the step if the bodies move as expected.
    found: room for them. If there are more pairs than `memory.pairs` has room for, none are given.
    """
    needed = update_pairs(table, memory, bodies, dt, reach)
    if needed > len(memory.pairs):
        return Need(0, needed)
    search = Search(table, memory, bodies, dt, reach)
    count, most, known = 0, 0, 0
    start, seconds = 0, 0  # of the touches of one shape: where they begin, and how many others it touches
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
            while known < len(asleep.touches) and _comes_before(asleep.touches[known], one, other):
                known += 1
            while known < len(asleep.touches) and not _comes_after(asleep.touches[known], one, other):
                if count < len(found):
                    found[count] = asleep.touches[known]
                count, known = count + 1, known + 1
        else:
            count += _pair_touches(search, k, found, count)
        seconds += int(count > before)
        most = max(most, count)
    if seconds > 1 and count <= len(found):
        count = without_seams(table, memory, found, start, count)
    return Need(count if most <= len(found) else most, needed)


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
def _comes_before(touch: Touch, one: int, other: int) -> bool:
    return touch.first < one or (touch.first == one and touch.second < other)


@routine
def _comes_after(touch: Touch, one: int, other: int) -> bool:
    return touch.first > one or (touch.first == one and touch.second > other)


@routine
def _pair_touches(search: Search, k: int, found: ArrayOf[Touch], count: int) -> int:
    """Write the touches of a pair behind the first ones; how many."""
    table, memory, spots = search.table, search.memory, search.memory.spots
    pair = memory.pairs[k]
    motion = motion_between(memory, pair.first, pair.second)
    margin = search.reach + motion
    answer = pair_spots(table, memory, pair, margin, spots)
    memory.pairs[k] = answer.pair
    if answer.points == 0:
        return 0
    if is_fast(table, pair.first, pair.second, motion):
        answer = impact_spots(search, margin, spots, answer)
    ahead = np.empty(answer.points)
    near = _approaching(search, pair, spots, ahead)
    number = chosen(spots, ahead, near)
    _write(table, pair, spots, number, found, count)
    return number


@routine
def _approaching(search: Search, pair: Pair, spots: ArrayOf[Spot], ahead: Array) -> int:
    """How many points may matter, the first ones then: none unless one is near, or will be at the end of the step. A
    blow at one may drive others down that were not on their way; but corners of a hull that only a blow brings to a
    plane wait for the second look. ahead: room for their gaps at the end of the step, m."""
    at, nearest = spots[0].position, np.inf
    one = motion_of(search.table, search.bodies, pair.first)
    other = motion_of(search.table, search.bodies, pair.second)
    linear, angular = velocity_at(one, at) - velocity_at(other, at), one.angular - other.angular
    for k in range(len(ahead)):
        apart = linear + np.cross(angular, spots[k].position - at)
        ahead[k] = spots[k].gap + search.dt * (apart @ spots[k].normal)
        nearest = min(nearest, spots[k].gap, ahead[k])
    if nearest > search.reach:
        return 0
    if not _is_hull_on_plane(search.table, pair):
        return len(ahead)
    kept, most = 0, max(nearest, 0.0) + _CLOSE * search.reach
    for k in range(len(ahead)):
        if min(spots[k].gap, ahead[k]) <= most:
            spots[kept], ahead[kept] = spots[k], ahead[k]
            kept += 1
    return kept


@routine
def _is_hull_on_plane(table: ShapeTable, pair: Pair) -> bool:
    return table.shapes[pair.first].kind == Kind.HULL and table.shapes[pair.second].kind == Kind.PLANE


@routine
def _write(
    table: ShapeTable, pair: Pair, spots: ArrayOf[Spot], number: int, found: ArrayOf[Touch], count: int
) -> None:
    """Write the points of a pair behind the first ones, as far as there is room.

    Points that share a normal lie in one plane, as their gaps close: if they stood where the tilted faces are, a foot
    whose points stick could not rock at all without slipping everywhere, by lengths of gap times tilt.
    """
    body = table.shapes[pair.second].body
    both_move = 0 <= body < table.links
    level, flat = 0.0, both_move
    for k in range(number):
        spot = spots[k]
        level += (spot.position @ spot.normal - 0.5 * spot.gap) / number
        flat = flat and bool(np.abs(spot.normal @ spots[0].normal - 1.0) < _SAME_WAY)
    for k in range(min(number, len(found) - count)):
        spot = spots[k]
        lower = 0.5 * spot.gap if both_move else spot.gap
        if flat:
            lower = spot.position @ spot.normal - level
        position = spot.position - lower * spot.normal
        found[count + k] = Touch(
            pair.first, pair.second, spot.feature, position, spot.normal, spot.gap, -np.inf, 0.0, np.zeros(3)
        )
