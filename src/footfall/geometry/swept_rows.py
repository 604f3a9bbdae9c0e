"""Distances of many pairs of elements, row by row, eight at a time.

Rows of one kind are measured as they lie. Others are copied together until eight of their kind are there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, as_records, put_lanes, routine
from footfall.geometry.swept_blocks import Placed, of_elements, room_for
from footfall.geometry.swept_cores import core_distance
from footfall.geometry.swept_lanes import (
    WIDTH,
    EightElements,
    LaneClosest,
    distance_of,
    lines_to_lines,
    lines_to_triangles,
    points_to_lines,
    points_to_points,
    points_to_triangles,
    triangles_to_triangles,
)
from footfall.geometry.swept_sphere import Element

_AT_ONCE = 128  # rows of a kind that are looked for together: they are still at hand when they are measured
_KINDS = 9  # of pairs whose order counts: each of point, line and triangle with each


class PointRows(NamedTuple):
    """What `SweptDistances` has besides distances: (n,), and (n, 3) each."""

    core_distance: Array
    normal: ArrayOf[Vector3]
    first_point: ArrayOf[Vector3]
    second_point: ArrayOf[Vector3]


class _Rows(NamedTuple):
    """Pairs of elements, and room for what is found; points: None where they are not wanted."""

    first: Placed
    second: Placed
    distance: Array
    points: PointRows | None


@routine(fused=True)
def _measure_eights(
    closest: Callable[[EightElements, EightElements], LaneClosest], rows: _Rows, begin: int, end: int
) -> None:
    """Measure rows of a kind, as many as are eights; the first elements have no more corners than the second."""
    for k in range(begin, end, WIDTH):
        one, other = rows.first.eight(k), rows.second.eight(k)
        found, r, s = distance_of(closest(one, other)), one.radius, other.radius
        put_lanes(rows.distance, k, found.distance - (r + s))  # Schwienbacher 2014, (6.12)
        if rows.points is not None:
            put_lanes(rows.points.core_distance, k, found.distance)
            put_lanes(rows.points.normal, k, found.normal)
            put_lanes(rows.points.first_point, k, found.first + r * found.normal)  # Schwienbacher 2014, (6.9)
            put_lanes(rows.points.second_point, k, found.second - s * found.normal)
        if np.any(found.distance < 0.0):
            for lane in range(WIDTH):
                if found.distance[lane] < 0.0:
                    _measure_alone(rows, k + lane)


@routine
def _measure_alone(rows: _Rows, k: int) -> None:
    """Measure a pair that lanes have left open."""
    r, s = rows.first.elements[k].radius, rows.second.elements[k].radius
    found = of_elements(core_distance(rows.first.core(k), rows.second.core(k)), 1.0, r, s)
    rows.distance[k] = found.distance
    if rows.points is not None:
        rows.points.core_distance[k] = found.core_distance
        rows.points.normal[k] = found.normal
        rows.points.first_point[k] = found.first_point
        rows.points.second_point[k] = found.second_point


@routine(fused=True)
def _measure_kind(kind: int, rows: _Rows, begin: int, end: int) -> None:
    """Measure rows of a kind (three times the corners of the first less one, and those of the second less one)."""
    if kind == 0:
        _measure_eights(points_to_points, rows, begin, end)
    elif kind == 1:
        _measure_eights(points_to_lines, rows, begin, end)
    elif kind == 2:
        _measure_eights(points_to_triangles, rows, begin, end)
    elif kind == 4:
        _measure_eights(lines_to_lines, rows, begin, end)
    elif kind == 5:
        _measure_eights(lines_to_triangles, rows, begin, end)
    else:
        _measure_eights(triangles_to_triangles, rows, begin, end)


@routine(fused=True)
def _measure(kind: int, rows: _Rows, begin: int, end: int) -> None:
    """The same with elements in any order."""
    small, large = kind // 3, kind % 3
    if small <= large:
        _measure_kind(kind, rows, begin, end)
        return
    points = rows.points
    if points is None:
        turned = _Rows(rows.second, rows.first, rows.distance, None)
    else:
        across = PointRows(points.core_distance, points.normal, points.second_point, points.first_point)
        turned = _Rows(rows.second, rows.first, rows.distance, across)
    _measure_kind(3 * large + small, turned, begin, end)
    if points is not None:
        for k in range(begin, end):
            points.normal[k] = -points.normal[k]


class _Aside(NamedTuple):
    """Pairs that wait for others of their kind: how many of each, eight places for each, and the pairs' numbers."""

    counts: Integers
    rows: _Rows
    numbers: Integers


@routine
def _new_aside(points: PointRows | None) -> _Aside:
    """Room for pairs to wait, and for their points where there are points."""
    count = _KINDS * WIDTH
    counts, numbers = np.zeros(_KINDS, dtype=np.int64), np.zeros(count, dtype=np.int64)
    first, second, distance = room_for(count), room_for(count), np.empty(count)
    if points is None:
        rows = _Rows(first, second, distance, None)
    else:
        normal: ArrayOf[Vector3] = np.empty((count, 3))
        first_point: ArrayOf[Vector3] = np.empty((count, 3))
        second_point: ArrayOf[Vector3] = np.empty((count, 3))
        rows = _Rows(first, second, distance, PointRows(np.empty(count), normal, first_point, second_point))
    return _Aside(counts, rows, numbers)


@routine(fused=True)
def _measure_aside(aside: _Aside, kind: int, rows: _Rows) -> None:
    """Measure what waits of a kind, and put it into the rows that the pairs come from."""
    begin, count, found = WIDTH * kind, aside.counts[kind], aside.rows
    for place in range(begin + count, begin + WIDTH):
        found.first.elements[place] = found.first.elements[begin]
        found.second.elements[place] = found.second.elements[begin]
    _measure(kind, found, begin, begin + WIDTH)
    for place in range(begin, begin + count):
        k = aside.numbers[place]
        rows.distance[k] = found.distance[place]
        if rows.points is not None and found.points is not None:
            rows.points.core_distance[k] = found.points.core_distance[place]
            rows.points.normal[k] = found.points.normal[place]
            rows.points.first_point[k] = found.points.first_point[place]
            rows.points.second_point[k] = found.points.second_point[place]
    aside.counts[kind] = 0


@routine
def _kind(rows: _Rows, k: int) -> int:
    return 3 * int(rows.first.elements[k].size) + int(rows.second.elements[k].size) - 4


@routine
def _put_aside(aside: _Aside, rows: _Rows, k: int, kind: int) -> None:
    """Let a pair wait; when there are eight of its kind, measure them."""
    place = WIDTH * kind + aside.counts[kind]
    aside.rows.first.elements[place] = rows.first.elements[k]
    aside.rows.second.elements[place] = rows.second.elements[k]
    aside.numbers[place] = k
    aside.counts[kind] += 1
    if aside.counts[kind] == WIDTH:
        _measure_aside(aside, kind, rows)


@routine
def _end_of_kind(rows: _Rows, begin: int) -> int:
    """Up to where all rows are of the kind of this one, in eights; not far away."""
    one, other = rows.first.elements[begin].size, rows.second.elements[begin].size
    end, last = begin, min(begin + _AT_ONCE, len(rows.distance)) - WIDTH
    while end <= last and np.all(rows.first.eight(end).size == one):
        if not np.all(rows.second.eight(end).size == other):
            break
        end += WIDTH
    return end


@routine(fused=True)
def element_distances(
    first: ArrayOf[Vector3], second: ArrayOf[Vector3], distance: Array, points: PointRows | None
) -> None:
    """Distances (n,) of pairs of elements, the k-th of both, and their points if there is room for them.

    first, second: the numbers of `Element`, as vectors (5 n, 3).
    """
    ones, others = Placed(as_records(Element, first), first), Placed(as_records(Element, second), second)
    rows, aside = _Rows(ones, others, distance, points), _new_aside(points)
    k = 0
    while k < len(distance):
        kind, end = _kind(rows, k), _end_of_kind(rows, k)
        if end > k:
            _measure(kind, rows, k, end)
            k = end
        else:
            _put_aside(aside, rows, k, kind)
            k += 1
    for kind in range(_KINDS):
        if aside.counts[kind] > 0:
            _measure_aside(aside, kind, rows)
