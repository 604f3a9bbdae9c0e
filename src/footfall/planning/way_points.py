"""Long ways: points to pass through on the shortest way that keeps clear of what is in the way.

The map is looked at as a whole, on cells of 8 cm, for a point; the footsteps are planned from point to point.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.ndimage import distance_transform_edt, maximum_filter, minimum_filter

from footfall.arrays import Array, Flags
from footfall.compiler.routines import routine
from footfall.environment.model import Environment
from footfall.planning.contacts import Goal
from footfall.planning.heap import Heap, kept_heap, pop, push
from footfall.planning.search import Aim
from footfall.planning.step_set import GUIDE_CELL
from footfall.planning.tables import Tables

_LEVEL = 3  # of the terrain's tree: cells of 8 cm
_SPACING = 3.6  # m between points to pass through
_RADIUS, _ANGLE = 0.45, math.radians(40.0)  # how near one passes them, and in which direction
_EVEN_GROUND = 0.6  # m of level ground around a point to pass through
_SHIFTS = tuple(sign * 0.3 * k for k in range(9) for sign in (1.0, -1.0))  # m along the way, to get there
_APART = 0.6  # m between points at least, however they are shifted
_SPAN = 0.8  # m on either side of a point that give its direction
_CLEARANCES = (0.35, 0.26, 0.18)  # m that a way keeps at least, wider ones first
_COMFORT = 0.7  # m; nearer to something ways count as longer
_MOVES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


class WayMap(NamedTuple):
    """Clearance (nx, ny) of cells, m, zero where there is none; x, y: corner of the first, m. level (nx, ny): whether
    the ground around is."""

    x: float
    y: float
    clearance: Array
    level: Flags


def way_points(environment: Environment, tables: Tables, start: Array, goal: Goal) -> list[Aim]:
    """Regions to pass through on a long way, and the goal; the goal alone if no way was found."""
    ways = _way_map(environment, tables)
    begin, end = (_cell(ways, x, y) for x, y in ((start[0], start[1]), (goal.x, goal.y)))
    for least in _CLEARANCES:
        clearance = ways.clearance.copy()
        for i, j in (begin, end):  # where the robot stands and shall stand is no question
            around = clearance[max(i - 4, 0) : i + 5, max(j - 4, 0) : j + 5]
            np.maximum(around, least, out=around)
        costs = np.full(clearance.shape, np.inf)
        heap = kept_heap(8 * costs.size + 16)
        heap.size[0] = 0
        cheapest_ways(clearance, least, _COMFORT, np.array(end), heap, costs)
        if np.isfinite(costs[begin]):
            path = _descended(costs, begin)
            points = np.array([ways.x, ways.y]) + GUIDE_CELL * (path + 0.5)
            return _regions(points, ways, goal)
    return [Aim(goal)]


def _way_map(environment: Environment, tables: Tables) -> WayMap:
    terrain = environment.terrain
    low, high = terrain.bounds
    window = terrain.window((float(low[0]), float(low[1])), (float(high[0]), float(high[1])), level=_LEVEL)
    steepest = tables.cost_rules.most_vertical + tables.cost_rules.noticeable
    top = window.highest.astype(np.float64)
    blocked = window.sure <= 0.0
    for axis in range(2):
        rise = np.abs(np.diff(top, axis=axis)) > steepest
        for part in (np.s_[:-1], np.s_[1:]):
            index = (part, slice(None)) if axis == 0 else (slice(None), part)
            blocked[index] |= rise
    for each in environment.objects.values():
        if each.category != "floor":
            least, greatest = (np.array(corner) for corner in each.box)
            first = np.floor((least[:2] - low) / GUIDE_CELL).astype(int)
            last = np.ceil((greatest[:2] - low) / GUIDE_CELL).astype(int)
            i, j = (slice(max(int(a), 0), max(int(b), 0)) for a, b in zip(first, last, strict=True))
            below = window.lowest[i, j]
            ground = float(np.nanmin(below)) if np.isfinite(below).any() else -np.inf
            if greatest[2] - ground > tables.cost_rules.most_obstacle:  # else it is stepped over
                blocked[i, j] = True
    edge = np.pad(~blocked, 1)
    clearance = GUIDE_CELL * distance_transform_edt(edge)[1:-1, 1:-1]
    size = 2 * round(_EVEN_GROUND / GUIDE_CELL) + 1
    known = np.nan_to_num(top)
    level = maximum_filter(known, size) - minimum_filter(known, size) <= tables.cost_rules.noticeable
    return WayMap(window.x, window.y, np.ascontiguousarray(clearance), level)


def _cell(ways: WayMap, x: float, y: float) -> tuple[int, int]:
    i, j = math.floor((x - ways.x) / GUIDE_CELL), math.floor((y - ways.y) / GUIDE_CELL)
    nx, ny = ways.clearance.shape
    return min(max(i, 0), nx - 1), min(max(j, 0), ny - 1)


@routine
def cheapest_ways(
    clearance: Array, least: float, comfort: float, begin: Array, heap: Heap, costs: Array
) -> None:
    """Lengths (nx, ny) of ways from a cell, m, counted as longer where there is little clearance."""
    nx, ny = clearance.shape[0], clearance.shape[1]
    costs[int(begin[0]), int(begin[1])] = 0.0
    push(heap, 0.0, int(begin[0]) * ny + int(begin[1]))
    while heap.size[0] > 0:
        entry = pop(heap)
        i, j = entry.item // ny, entry.item % ny
        if entry.key > costs[i, j]:
            continue
        for di, dj in _MOVES:
            a, b = i + di, j + dj
            if a < 0 or b < 0 or a >= nx or b >= ny or clearance[a, b] < least:
                continue
            lack = max(comfort - clearance[a, b], 0.0) / comfort
            length = GUIDE_CELL * np.sqrt(1.0 * (di * di + dj * dj)) * (1.0 + 2.0 * lack * lack)
            if entry.key + length < costs[a, b]:
                costs[a, b] = entry.key + length
                push(heap, entry.key + length, a * ny + b)


def _descended(costs: Array, begin: tuple[int, int]) -> Array:
    """Cells (n, 2) of the way from a cell down to cost 0."""
    here, path = begin, [begin]
    while costs[here] > 0.0:
        near = [(here[0] + di, here[1] + dj) for di, dj in _MOVES]
        near = [cell for cell in near if 0 <= cell[0] < costs.shape[0] and 0 <= cell[1] < costs.shape[1]]
        here = min(near, key=lambda cell: float(costs[cell]))
        path.append(here)
    return np.array(path)


def _regions(points: Array, ways: WayMap, goal: Goal) -> list[Aim]:
    """Regions on a way (n, 2), m, at about equal distances, turned along it, and the goal; on level ground, where there
    is some near: one does not stop on stairs."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    count = int(lengths[-1] // _SPACING)
    found, last = [], 0.0

    def place(length: float) -> Array:
        return np.array([np.interp(length, lengths, points[:, axis]) for axis in range(2)])

    def corners(begin: float, end: float) -> tuple[tuple[float, float], ...]:
        piece = points[(lengths >= begin) & (lengths <= end)]
        if not len(piece):
            return ()
        (a, b), (c, d) = piece.min(axis=0).tolist(), piece.max(axis=0).tolist()
        return (a, b), (c, d)

    for k in range(1, count):
        about = lengths[-1] * k / count
        tried = [about + shift for shift in _SHIFTS if about + shift >= last + _APART]
        at = next((each for each in tried if ways.level[_cell(ways, *place(each).tolist())]), about)
        way = place(at + _SPAN) - place(at - _SPAN)
        x, y = place(at).tolist()
        found.append(Aim(Goal(x, y, math.atan2(way[1], way[0])), _RADIUS, _ANGLE, corners(last, at)))
        last = at
    return [*found, Aim(goal, way=corners(last, lengths[-1]))]
