"""Distances of elements, eight pairs of a kind at a time.

Pairs wait until eight of their kind are there: then their corners are laid side by side and measured in one go. What
lanes leave open (cores that cross or almost touch) is measured by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector2, Vector3, new_records, routine
from footfall.geometry.swept_cores import CoreDistance, core_distance
from footfall.geometry.swept_features import Corners
from footfall.geometry.swept_lanes import (
    LaneClosest,
    line_to_line_lanes,
    line_to_triangle_lanes,
    point_to_line_lanes,
    point_to_point_lanes,
    point_to_triangle_lanes,
    triangle_to_triangle_lanes,
    write_lanes,
)
from footfall.geometry.swept_sphere import Element

_KINDS = 6  # of pairs: PP, PL, LL, PT, LT, TT
_WIDTH = 8  # pairs side by side
_AT_ONCE = 512  # pairs that are sorted by kind together: what is looked at is still at hand then
_BLOCKS = 8  # of pairs that are laid out at a time


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


class _Shell(NamedTuple):
    """An element at its place; size: how many corners it has."""

    size: int
    radius: float
    reach: float
    middle: Vector3


class Placed(NamedTuple):
    """Elements at their places; corners: three of each."""

    shells: ArrayOf[_Shell]
    corners: Corners

    def core(self, k: int) -> Corners:
        """The corners of element k."""
        part: Corners = self.corners[3 * k : 3 * k + self.shells[k].size]
        return part


class _Entry(NamedTuple):
    """Two elements, e with no more corners than f, and where their distance goes; sign: -1 if f came first."""

    e: int
    f: int
    out: int
    sign: float


class Waiting(NamedTuple):
    """Pairs that wait for others of their kind: how many of each, and eight places for each.

    block (18, 8): corners of eight pairs side by side. results (10, 8): see `write_lanes`. centers: room for distances
    of the middles of all elements of two volumes.
    """

    counts: Integers
    entries: ArrayOf[_Entry]
    block: Array
    results: ArrayOf[Lanes]
    centers: Array


@routine
def room_for(count: int) -> Placed:
    """Room for so many elements."""
    return Placed(new_records(_Shell, count), np.empty((3 * count, 3)))


@routine
def put(placed: Placed, k: int, element: Element) -> None:
    """Let the k-th element be this one."""
    placed.shells[k] = _Shell(int(element.size), element.radius, element.reach, element.middle)
    for i in (0, 1, 2):
        placed.corners[3 * k + i] = element.corners[i]


@routine
def new_queue(centers: int) -> Waiting:
    """A queue in which nothing waits. centers: most pairs of elements of two volumes."""
    counts = np.zeros(_KINDS, dtype=np.int64)
    entries = new_records(_Entry, _KINDS * _WIDTH)
    results: ArrayOf[Lanes] = np.empty((10, 8))
    return Waiting(counts, entries, np.zeros((18, 8)), results, np.empty(centers))


@routine
def _kind(small: int, large: int) -> int:
    """Number of a kind of pair by how many corners its elements have."""
    return large * (large - 1) // 2 + small - 1


@routine
def wait(queue: Waiting, placed: Placed, e: int, f: int, out: int) -> int:
    """Let two elements wait. The kind of which there are eight now, or -1."""
    one, other = placed.shells[e].size, placed.shells[f].size
    entry = _Entry(e, f, out, 1.0)
    if one > other:
        entry = _Entry(f, e, out, -1.0)
        one, other = other, one
    kind = _kind(one, other)
    count = queue.counts[kind]
    queue.entries[_WIDTH * kind + count] = entry
    queue.counts[kind] = count + 1
    return kind if count + 1 == _WIDTH else -1


@routine
def _lay(block: Array, lane: int, first: int, corner: Vector3) -> None:
    """Write a corner into the rows that begin with this one."""
    for i in (0, 1, 2):
        block[first + i, lane] = corner[i]


@routine(fused=True)
def closest_in_lanes(kind: int, block: Array) -> LaneClosest:
    """The closest points of eight pairs of a kind."""
    if kind == 0:
        return point_to_point_lanes(block)
    if kind == 1:
        return point_to_line_lanes(block)
    if kind == 2:
        return line_to_line_lanes(block)
    if kind == 3:
        return point_to_triangle_lanes(block)
    if kind == 4:
        return line_to_triangle_lanes(block)
    return triangle_to_triangle_lanes(block)


@routine
def _known(results: ArrayOf[Lanes], lane: int) -> CoreDistance:
    """What lanes have found for a pair."""
    normal = np.array([results[1, lane], results[2, lane], results[3, lane]])
    first = np.array([results[4, lane], results[5, lane], results[6, lane]])
    second = np.array([results[7, lane], results[8, lane], results[9, lane]])
    return CoreDistance(results[0, lane], normal, first, second)


@routine
def _told(core: CoreDistance, sign: float, r: float, s: float) -> PairDistance:
    """The distance of elements with radii r and s from that of their cores, the order turned round if sign is -1."""
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
    count = queue.counts[kind]
    if count == 0:
        return
    for lane in range(_WIDTH):
        entry = queue.entries[_WIDTH * kind + min(lane, count - 1)]
        for i in range(placed.shells[entry.e].size):
            _lay(queue.block, lane, 3 * i, placed.corners[3 * entry.e + i])
        for i in range(placed.shells[entry.f].size):
            _lay(queue.block, lane, 9 + 3 * i, placed.corners[3 * entry.f + i])
    write_lanes(closest_in_lanes(kind, queue.block), queue.results)
    for lane in range(count):
        entry = queue.entries[_WIDTH * kind + lane]
        e, f = (entry.e, entry.f) if entry.sign > 0.0 else (entry.f, entry.e)
        r, s = placed.shells[e].radius, placed.shells[f].radius
        core = queue.results[0, lane]
        if core >= 0.0:
            if core - (r + s) < out[entry.out].distance:
                found = _told(_known(queue.results, lane), entry.sign, r, s)
                out[entry.out] = found._replace(elements=np.array([float(e), float(f)]))
            continue
        found = _told(core_distance(placed.core(entry.e), placed.core(entry.f)), entry.sign, r, s)
        if found.distance < out[entry.out].distance:
            out[entry.out] = found._replace(elements=np.array([float(e), float(f)]))
    queue.counts[kind] = 0


@routine
def measure_all(queue: Waiting, placed: Placed, out: ArrayOf[PairDistance]) -> None:
    """Measure all that still waits."""
    for kind in range(_KINDS):
        measure(queue, placed, kind, out)


@routine
def _by_kind(first: ArrayOf[Element], second: ArrayOf[Element], starts: Integers) -> Integers:
    """Numbers of pairs, those of a kind together; starts (7,) gets where each kind begins."""
    count = len(first)
    kinds, order = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    places = np.zeros(_KINDS, dtype=np.int64)
    for k in range(count):
        one, other = int(first[k].size), int(second[k].size)
        kinds[k] = _kind(min(one, other), max(one, other))
        starts[kinds[k] + 1] += 1
    for kind in range(_KINDS):
        starts[kind + 1] += starts[kind]
        places[kind] = starts[kind]
    for k in range(count):
        order[places[kinds[k]]] = k
        places[kinds[k]] += 1
    return order


@routine
def _load(block: Array, lane: int, corners: Matrix3, first: int, size: int) -> None:
    """Write the corners of an element into its lane, from this row on."""
    _lay(block, lane, first, corners[0])
    if size > 1:
        _lay(block, lane, first + 3, corners[1])
    if size > 2:
        _lay(block, lane, first + 6, corners[2])


class _Bench(NamedTuple):
    """Room for several blocks, which are filled before the first is measured: what was just written is slow to read
    at once. placed: for a pair that is measured by itself."""

    corners: Array
    results: ArrayOf[Lanes]
    placed: Placed


@routine
def _new_bench() -> _Bench:
    results: ArrayOf[Lanes] = np.empty((10 * _BLOCKS, 8))
    return _Bench(np.zeros((18 * _BLOCKS, 8)), results, room_for(2))


@routine
def _measure_block(
    bench: _Bench, kind: int, first: ArrayOf[Element], second: ArrayOf[Element], order: Integers
) -> None:
    """Fill the bench with results of pairs of a kind; order: their numbers, as many as it has room for at most."""
    blocks = (len(order) + _WIDTH - 1) // _WIDTH
    large = 1 if kind == 0 else 2 if kind < 3 else 3
    small = kind + 1 - large * (large - 1) // 2
    for n in range(blocks):
        block = bench.corners[18 * n : 18 * n + 18]
        for lane in range(_WIDTH):
            k = order[min(_WIDTH * n + lane, len(order) - 1)]
            if small == large or first[k].size < second[k].size:
                _load(block, lane, first[k].corners, 0, small)
                _load(block, lane, second[k].corners, 9, large)
            else:
                _load(block, lane, second[k].corners, 0, small)
                _load(block, lane, first[k].corners, 9, large)
    for n in range(blocks):
        block = bench.corners[18 * n : 18 * n + 18]
        write_lanes(closest_in_lanes(kind, block), bench.results[10 * n : 10 * n + 10])


@routine
def _by_itself(placed: Placed, first: Element, second: Element) -> PairDistance:
    """The distance of a pair that lanes have left open."""
    sign = -1.0 if first.size > second.size else 1.0
    put(placed, 0, first if sign > 0.0 else second)
    put(placed, 1, second if sign > 0.0 else first)
    return _told(core_distance(placed.core(0), placed.core(1)), sign, first.radius, second.radius)


@routine
def _some_distances(
    bench: _Bench, first: ArrayOf[Element], second: ArrayOf[Element], out: ArrayOf[PairDistance]
) -> None:
    starts = np.zeros(_KINDS + 1, dtype=np.int64)
    order = _by_kind(first, second, starts)
    for kind in range(_KINDS):
        for begin in range(starts[kind], starts[kind + 1], _WIDTH * _BLOCKS):
            own = order[begin : min(begin + _WIDTH * _BLOCKS, starts[kind + 1])]
            _measure_block(bench, kind, first, second, own)
            for place, k in enumerate(own):
                results, lane = bench.results[10 * (place // 8) : 10 * (place // 8) + 10], place % 8
                if results[0, lane] >= 0.0:
                    sign = -1.0 if first[k].size > second[k].size else 1.0
                    out[k] = _told(_known(results, lane), sign, first[k].radius, second[k].radius)
                else:
                    out[k] = _by_itself(bench.placed, first[k], second[k])


@routine
def _some_gaps(bench: _Bench, first: ArrayOf[Element], second: ArrayOf[Element], out: Array) -> None:
    starts = np.zeros(_KINDS + 1, dtype=np.int64)
    order = _by_kind(first, second, starts)
    for kind in range(_KINDS):
        for begin in range(starts[kind], starts[kind + 1], _WIDTH * _BLOCKS):
            own = order[begin : min(begin + _WIDTH * _BLOCKS, starts[kind + 1])]
            _measure_block(bench, kind, first, second, own)
            for place, k in enumerate(own):
                core = bench.results[10 * (place // 8), place % 8]
                if core >= 0.0:
                    out[k] = core - (first[k].radius + second[k].radius)
                else:
                    out[k] = _by_itself(bench.placed, first[k], second[k]).distance


@routine(fused=True)
def element_distances(first: ArrayOf[Element], second: ArrayOf[Element], out: ArrayOf[PairDistance]) -> None:
    """Distances (count,) of many pairs of elements, the k-th of both."""
    bench = _new_bench()
    for begin in range(0, len(out), _AT_ONCE):
        end = min(begin + _AT_ONCE, len(out))
        _some_distances(bench, first[begin:end], second[begin:end], out[begin:end])


@routine(fused=True)
def element_gaps(first: ArrayOf[Element], second: ArrayOf[Element], out: Array) -> None:
    """Distances (count,) alone, m."""
    bench = _new_bench()
    for begin in range(0, len(out), _AT_ONCE):
        end = min(begin + _AT_ONCE, len(out))
        _some_gaps(bench, first[begin:end], second[begin:end], out[begin:end])
