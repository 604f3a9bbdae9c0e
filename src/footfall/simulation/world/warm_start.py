"""What a contact knows of the step before: the impulse that it had, and by how much that step came out nearer than its
velocity said.

A step is straight: bodies move with one velocity, and a contact asks where that leads. But limbs that turn take their
points along curves, by `a dt^2 / 2` beside it. What a point missed in one step it will miss about as much in the next
one, and the law (`laws.py`) makes up for it. Otherwise a limb that is dragged round would lie so deep that what
recovers from its depth in a step is just what it misses: five times as much.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.contacts import Contact
from footfall.contact.detection.narrow import motion_between
from footfall.simulation.world.records import Moment

_SAME_POINT = 0.03  # m: contacts of a pair that are farther apart are others
_BENDS = 0.1  # of the way that points move in a step is the most that curves take them aside: angles of 0.2


@routine
def match_contacts(before: ArrayOf[Contact], now: ArrayOf[Contact], matches: Integers) -> None:
    """For each contact (n,) of this step the number of the same one in the step before, else of the nearest of its
    pair, or -1; both lists are ordered by pairs."""
    first, same = 0, 0
    for k in range(len(now)):
        contact = now[k]
        if same < len(before) and _is_same(
            before[same], contact
        ):  # most are: in the order of the step before
            matches[k] = same
            same += 1
            continue
        while first < len(before) and comes_before(before[first], contact):
            first += 1
        best, least = -1, _SAME_POINT * _SAME_POINT
        m = first
        while m < len(before) and before[m].first == contact.first and before[m].second == contact.second:
            if before[m].feature == contact.feature:
                best = m
                break
            apart = before[m].position - contact.position
            if apart @ apart < least:
                best, least = m, apart @ apart
            m += 1
        matches[k] = best
        same = best + 1 if best >= 0 else first


@routine
def warm_impulses(impulses: ArrayOf[Vector3], matches: Integers, result: ArrayOf[Vector3]) -> None:
    """Impulses (n, 3) to start with, world axes: those of the step before."""
    for k in range(len(matches)):
        result[k] = impulses[matches[k]] if matches[k] >= 0 else np.zeros(3)


@routine
def note_bends(now: Moment, before: ArrayOf[Contact], matches: Integers) -> None:
    """Fill in `bend` of the contacts of robots in this step. Points of a free body need none: what turns about its
    centre of mass curves inwards, away from what it touches."""
    world, found = now.world, now.room.found
    for k in range(len(matches)):
        match = matches[k]
        if match < 0 or found[k].gap >= before[match].ahead or not _is_same(before[match], found[k]):
            continue
        contact = found[k]
        if world.link_mover[world.shapes.shapes[contact.first].body] < len(world.robots):
            most = _BENDS * motion_between(now.state.memory, contact.first, contact.second)
            found[k] = contact._replace(bend=max(contact.gap - before[match].ahead, -most))


@routine
def note_moments(before: ArrayOf[Contact], matches: Integers, found: ArrayOf[Contact]) -> None:
    """Fill in `moment` of the contacts of this step, to start with: that of the step before."""
    for k in range(len(matches)):
        if matches[k] >= 0:
            moment = before[matches[k]].moment
            if moment @ moment > 0.0:
                found[k] = found[k]._replace(moment=moment)


def _is_same(one: Contact, other: Contact) -> bool:
    return one.first == other.first and one.second == other.second and one.feature == other.feature


def comes_before(one: Contact, other: Contact) -> bool:
    """Whether the pair of a contact is before that of another one in their order."""
    return one.first < other.first or (one.first == other.first and one.second < other.second)
