"""Native loop of the toe stage (spec 003c section 5.6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.motion.stage_loops import SHORTEST, blend, hermite, rest

Array = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]

_CONTACT, _TIPTOE = 27, 2
_AT_REST = 1e-12  # rad, rad/s, rad/s2


@native_loop
def way_from_other_foot(begin: Array, end: Array, foot: int) -> Array:
    """Way (3,) of a foot in axes of the other one, m."""
    own, other = 1 + 7 * foot, 4 + 7 * (1 - foot)
    x, y, z = end[own] - begin[own], end[own + 1] - begin[own + 1], end[own + 2] - begin[own + 2]
    w, a, b, c = begin[other], -begin[other + 1], -begin[other + 2], -begin[other + 3]
    p, q, r = b * z - c * y, c * x - a * z, a * y - b * x
    way = np.empty(3)
    way[0] = x + 2.0 * (w * p + b * r - c * q)
    way[1] = y + 2.0 * (w * q + c * p - a * r)
    way[2] = z + 2.0 * (w * r + a * q - b * p)
    return way


@native_loop
def toe_course(
    begin: Array,
    end: Array,
    moving: Flags,
    transition: Integers,
    motion: Flags,
    borders: Array,
    foot: int,
    numbers: Array,
    start: Array,
    continues: bool,
) -> tuple[Array, Array]:
    """Angle (1,) of a toe joint. numbers (8,): share of time at the peak, stride from which it bends (m), length of the
    sole (m), bend per m beyond it, bend per m up, angle on tiptoe, largest angle, sign. start (3,): state."""
    peak_share, threshold, sole, slope, rise, tiptoe, limit, sign = numbers
    count = len(motion)
    times, pieces = np.empty(3 * count + 5), np.empty((3 * count + 4, 6, 1))
    value, now, size = np.empty(1), borders[0], 0
    value[0] = sign * min(limit, tiptoe) if begin[0, _CONTACT + foot] == _TIPTOE else 0.0
    if continues and max(abs(start[0] - value[0]), abs(start[1]), abs(start[2])) > _AT_REST:
        at_rest = np.array([value[0], 0.0, 0.0])  # it settles in the first phase
        times[0] = now
        hermite(pieces[0], 0, start, at_rest, borders[1] - borders[0])
        size, now = 1, borders[1]
    for p in range(count):
        if not motion[p] or not moving[transition[p], foot]:
            continue
        before, after = begin[transition[p]], end[transition[p]]
        tip_before, tip_after = before[_CONTACT + foot] == _TIPTOE, after[_CONTACT + foot] == _TIPTOE
        opening, closing = borders[p], borders[p + 1]
        if tip_before or tip_after:
            opening = max(opening, now)
            reached = sign * min(limit, tiptoe) if tip_after else 0.0
            size = rest(times, pieces, size, now, opening, value)
            times[size] = opening
            blend(pieces[size], 0, value[0], reached)
            size += 1
            value[0], now = reached, closing
            continue
        way = way_from_other_foot(before, after, foot)
        stride = abs(way[0])
        bend = slope * (stride - sole) if stride >= threshold else 0.0
        bend += rise * way[2] if way[2] > SHORTEST else 0.0
        if bend <= 0.0:
            continue
        # Going forward the toe bends from the load switch before on, going backward until the one after has ended.
        if way[0] >= 0.0 and p > 0 and not motion[p - 1]:
            opening = borders[p - 1]
        elif way[0] < 0.0 and p + 1 < count and not motion[p + 1]:
            closing = borders[p + 2]
        opening = max(opening, now)  # a step back before has the load switch in between
        middle = opening + peak_share * (closing - opening)
        top = sign * min(limit, bend)
        size = rest(times, pieces, size, now, opening, value)
        times[size], times[size + 1] = opening, middle
        blend(pieces[size], 0, value[0], top)
        blend(pieces[size + 1], 0, top, 0.0)
        size += 2
        value[0], now = 0.0, closing
    size = rest(times, pieces, size, now, borders[count], value)
    times[size] = borders[count]
    return times[: size + 1].copy(), pieces[:size].copy()
