"""Distances of elements at their places, eight pairs of a kind at a time.

Pairs wait until eight of their kind are there: then they are measured in one go. What lanes leave open (cores that
cross or almost touch) is measured by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import (
    ArrayOf,
    EightInts,
    Lanes,
    Vector2,
    Vector3,
    as_records,
    new_records,
    routine,
)
from footfall.geometry.swept_cores import CoreDistance, core_distance
from footfall.geometry.swept_features import Corners
from footfall.geometry.swept_lanes import (
    FIRST_CORNER,
    ROWS,
    WIDTH,
    EightElements,
    LaneDistance,
    closest_in_lanes,
    distance_of,
    pair_kind,
)
from footfall.geometry.swept_sphere import Element

_KINDS = 6  # of pairs: PP, PL, LL, PT, LT, TT


class PairDistance(NamedTuple):
    """What `SweptDistances` has, of one pair and all in floats."""

    distance: float
    normal: Vector3
    first_point: Vector3
    second_point: Vector3
    core_distance: float
    exact: float
    elements: Vector2


RESULT = 14  # numbers of a PairDistance


class Placed(NamedTuple):
    """Elements at their places; vectors: the same numbers, `ROWS` vectors for each."""

    elements: ArrayOf[Element]
    vectors: ArrayOf[Vector3]

    def core(self, k: int) -> Corners:
        """The corners of element k."""
        first = ROWS * k + FIRST_CORNER
        part: Corners = self.vectors[first : first + int(self.elements[k].size)]
        return part

    def eight(self, k: int) -> EightElements:
        """Those from element k on."""
        return EightElements(
            self.vectors, ROWS * np.array([k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7])
        )


@routine
def room_for(count: int) -> Placed:
    """Room for so many elements."""
    vectors: ArrayOf[Vector3] = np.empty((ROWS * count, 3))
    return Placed(as_records(Element, vectors), vectors)


class _Entry(NamedTuple):
    """Two elements, e with no more corners than f, and where their distance goes; sign: -1 if f came first."""

    e: int
    f: int
    out: int
    sign: float


class Waiting(NamedTuple):
    """Pairs that wait for others of their kind: how many of each, and eight places for each.

    firsts, seconds: where the elements of waiting pairs begin among the vectors. results (10, 8): see `_written`.
    extents: room for a number of each element.
    """

    counts: Integers
    entries: ArrayOf[_Entry]
    firsts: Integers
    seconds: Integers
    results: ArrayOf[Lanes]
    extents: Array


@routine
def new_queue(elements: int) -> Waiting:
    """A queue in which nothing waits, for pairs of so many elements."""
    counts = np.zeros(_KINDS, dtype=np.int64)
    entries = new_records(_Entry, _KINDS * WIDTH)
    firsts, seconds = np.zeros(_KINDS * WIDTH, dtype=np.int64), np.zeros(_KINDS * WIDTH, dtype=np.int64)
    results: ArrayOf[Lanes] = np.empty((10, 8))
    return Waiting(counts, entries, firsts, seconds, results, np.empty(elements))


@routine
def wait(queue: Waiting, placed: Placed, e: int, f: int, out: int) -> int:
    """Let two elements wait. The kind of which there are eight now, or -1."""
    one, other = int(placed.elements[e].size), int(placed.elements[f].size)
    entry = _Entry(e, f, out, 1.0)
    if one > other:
        entry = _Entry(f, e, out, -1.0)
        one, other = other, one
    kind = pair_kind(one, other)
    count = queue.counts[kind]
    place = WIDTH * kind + count
    queue.entries[place] = entry
    queue.firsts[place], queue.seconds[place] = ROWS * entry.e, ROWS * entry.f
    queue.counts[kind] = count + 1
    return kind if count + 1 == WIDTH else -1


@routine
def _eight(places: Integers) -> EightInts:
    p = places
    return np.array([p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]])


@routine
def _write(found: LaneDistance, results: ArrayOf[Lanes]) -> None:
    """Rows: distances of cores, three of normals, three of points on the first, three of points on the second."""
    results[0] = found.distance
    for i in (0, 1, 2):
        results[1 + i] = found.normal[i]
        results[4 + i] = found.first[i]
        results[7 + i] = found.second[i]


@routine
def _written(results: ArrayOf[Lanes], lane: int) -> CoreDistance:
    """What lanes have found for a pair."""
    normal = np.array([results[1, lane], results[2, lane], results[3, lane]])
    first = np.array([results[4, lane], results[5, lane], results[6, lane]])
    second = np.array([results[7, lane], results[8, lane], results[9, lane]])
    return CoreDistance(results[0, lane], normal, first, second)


@routine
def of_elements(core: CoreDistance, sign: float, r: float, s: float) -> PairDistance:
    """The distance of elements with radii r and s from that of their cores, in reverse order if sign is -1."""
    normal = sign * core.normal
    first, second = (core.first, core.second) if sign > 0.0 else (core.second, core.first)
    return PairDistance(
        core.distance - (r + s),  # Schwienbacher 2014, (6.12)
        normal,
        first + r * normal,  # Schwienbacher 2014, (6.9)
        second - s * normal,
        core.distance,
        1.0,
        np.array([0.0, 0.0]),
    )


@routine
def measure(queue: Waiting, placed: Placed, kind: int, out: ArrayOf[PairDistance]) -> None:
    """Measure all that wait of a kind, and keep the least distance of each pair of volumes."""
    count, begin = queue.counts[kind], WIDTH * kind
    if count == 0:
        return
    # Where fewer wait, the other lanes have what was there before.
    one = EightElements(placed.vectors, _eight(queue.firsts[begin : begin + WIDTH]))
    other = EightElements(placed.vectors, _eight(queue.seconds[begin : begin + WIDTH]))
    _write(distance_of(closest_in_lanes(kind, one, other)), queue.results)
    for lane in range(count):
        entry = queue.entries[begin + lane]
        e, f = (entry.e, entry.f) if entry.sign > 0.0 else (entry.f, entry.e)
        r, s = placed.elements[e].radius, placed.elements[f].radius
        if queue.results[0, lane] >= 0.0 and out[entry.out].distance <= queue.results[0, lane] - (r + s):
            continue
        core = _written(queue.results, lane)
        if core.distance < 0.0:
            core = core_distance(placed.core(entry.e), placed.core(entry.f))
        if core.distance - (r + s) < out[entry.out].distance:
            found = of_elements(core, entry.sign, r, s)
            out[entry.out] = found._replace(elements=np.array([float(e), float(f)]))
    queue.counts[kind] = 0


@routine
def measure_all(queue: Waiting, placed: Placed, out: ArrayOf[PairDistance]) -> None:
    """Measure all that still waits."""
    for kind in range(_KINDS):
        measure(queue, placed, kind, out)
