"""Points on many facets, gathered plane by plane: of each plane only the outermost and the deepest are kept.

A foot on a fine mesh meets hundreds of triangles in one plane, which are one patch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.contact.detection.reduction import chosen
from footfall.contact.detection.shapes import Spot

MOST_GROUPS = 48
SLOTS = 9  # of a group: eight directions, and the deepest
_SAME_NORMAL = 1e-9  # one minus the cosine
_DIAGONAL = np.sqrt(0.5)


class Group(NamedTuple):
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

    groups: ArrayOf[Group]
    spots: ArrayOf[Spot]
    reached: Array
    used: Integers
    size: Vector3
    slack: float


@routine
def new_gathering(size: Vector3, slack: float) -> Gathering:
    return Gathering(
        new_records(Group, MOST_GROUPS),
        new_records(Spot, MOST_GROUPS * SLOTS),
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
def add_spot(gathering: Gathering, spot: Spot, level: float, hides: float) -> None:
    """A point in the frame of the first shape; level: of the touched plane along its normal; hides: see `Group`. In a
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
            gathering.spots[first + slot] = spot


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
def _new_group(size: Vector3, normal: Vector3, level: float, hides: float) -> Group:
    """Axes along two of the first shape's own, in units of its extent."""
    x, y, z = np.abs(normal)
    if z >= x and z >= y:
        across, beside = np.array([1.0 / size[0], 0.0, 0.0]), np.array([0.0, 1.0 / size[1], 0.0])
    elif y >= x:
        across, beside = np.array([0.0, 0.0, 1.0 / size[2]]), np.array([1.0 / size[0], 0.0, 0.0])
    else:
        across, beside = np.array([0.0, 1.0 / size[1], 0.0]), np.array([0.0, 0.0, 1.0 / size[2]])
    return Group(normal, level, hides, across, beside)


@routine
def gathered_spots(gathering: Gathering, spots: ArrayOf[Spot]) -> int:
    """The points of all groups that matter, one group after another; how many."""
    count = 0
    for number in range(gathering.used[0]):
        start = count
        for slot in range(SLOTS):
            if gathering.reached[number, slot] == -np.inf:
                continue
            spot = gathering.spots[number * SLOTS + slot]
            known = False
            for k in range(start, count):
                apart = spots[k].position - spot.position
                known = known or apart @ apart < gathering.slack * gathering.slack
            if not known:
                spots[count] = spot
                count += 1
        gaps = np.empty(count - start)
        for k in range(len(gaps)):
            gaps[k] = spots[start + k].gap
        count = start + chosen(spots[start:count], gaps, len(gaps))
    return count
