"""Body and arms between stances whose feet were moved by refinement: nothing is rounded to cells and headings here.

The search looks at the body on its way too (`body_ways.py`), but before it is known where feet stand to the centimetre.
What is in the way after all is refused here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.planning.nearby import cell_below
from footfall.planning.solids import Capsule, Solids, Volumes, capsule_gap, moved_capsule

_PIECE = 0.02  # m between places that are looked at
ALLOWED = 0.002  # m that body and arms may be in something: what lies between two places


class Midway(NamedTuple):
    """The middle between the feet: x, y and height of the lower foot, m, and its heading, rad."""

    place: Vector3
    yaw: float


@routine
def midway_between(begin: Midway, end: Midway, share: float) -> Midway:
    """On the way from one to another, whose headings differ by half a turn at most; as high as the lower end."""
    place = begin.place + share * (end.place - begin.place)
    low = np.array([place[0], place[1], min(begin.place[2], end.place[2])])
    return Midway(low, begin.yaw + share * (end.yaw - begin.yaw))


@routine
def in_something(solids: Solids, capsules: ArrayOf[Capsule], here: Midway, depth: float) -> bool:
    """Whether capsules, given in the frame between the feet, are deeper in something than `depth`, m."""
    nowhere = np.zeros(3)
    cell = cell_below(solids.near, here.place[0], here.place[1])
    for m in range(solids.near.firsts[cell], solids.near.firsts[cell + 1]):
        n = solids.near.items[m]
        if not solids.solid[n]:
            continue
        for k in range(len(capsules)):
            capsule = moved_capsule(capsules[k], here.place, here.yaw)
            if capsule_gap(capsule, nowhere, solids.elements[n], -depth) < -depth:
                return True
    return False


class Blocked(NamedTuple):
    """Where a way ends: number of the step, or how many there are if none is blocked; place on its way, and whether it
    is an arm that is in something."""

    step: int
    place: Vector3
    arm: bool


@routine
def first_blocked(solids: Solids, volumes: Volumes, middles: ArrayOf[Midway]) -> Blocked:
    """The first step on which body or arms are in something. middles (n + 1,): before and after each of n steps."""
    body, arms = volumes.body[: volumes.body_count], volumes.arms[: 2 * volumes.arm_count]
    for n in range(len(middles) - 1):
        begin, end = middles[n], middles[n + 1]
        way = end.place - begin.place
        pieces = int(np.sqrt(way @ way) / _PIECE) + 2
        for k in range(1, pieces + 1):
            here = midway_between(begin, end, k / pieces)
            if in_something(solids, body, here, ALLOWED):
                return Blocked(n, here.place, False)
            if in_something(solids, arms, here, ALLOWED):
                return Blocked(n, here.place, True)
    return Blocked(len(middles) - 1, middles[0].place, False)
