"""Native loop of the toe stage (spec 003c section 5.6)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine
from footfall.motion.stage_loops import SHORTEST, blend, hermite, rest

_CONTACT, _TIPTOE = 27, 2
_AT_REST = 1e-12  # rad, rad/s, rad/s2


@routine
def way_from_other_foot(begin: Array, end: Array, k: int, foot: int) -> tuple[float, float]:
    """Way of a foot forward and up, in axes of the other one, in transition k, m."""
    own, other = 1 + 7 * foot, 4 + 7 * (1 - foot)
    x, y = end[k, own] - begin[k, own], end[k, own + 1] - begin[k, own + 1]
    z = end[k, own + 2] - begin[k, own + 2]
    w, a, b, c = begin[k, other], -begin[k, other + 1], -begin[k, other + 2], -begin[k, other + 3]
    p, q, r = b * z - c * y, c * x - a * z, a * y - b * x
    return x + 2.0 * (w * p + b * r - c * q), z + 2.0 * (w * r + a * q - b * p)


@routine
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
    times: Array,
    pieces: Array,
) -> int:
    """Angle (1,) of a toe joint. numbers (8,): share of time at the peak, stride from which it bends (m), length of the
    sole (m), bend per m beyond it, bend per m up, angle on tiptoe, largest angle, sign. start (3,): state."""
    peak_share, threshold, sole, slope = numbers[0], numbers[1], numbers[2], numbers[3]
    rise, limit, sign = numbers[4], numbers[6], numbers[7]
    tiptoe = sign * min(limit, numbers[5])
    count = len(motion)
    value, now, size = np.empty(1), borders[0], 0
    value[0] = tiptoe if begin[0, _CONTACT + foot] == _TIPTOE else 0.0
    if continues and max(abs(start[0] - value[0]), abs(start[1]), abs(start[2])) > _AT_REST:
        times[0] = now  # it settles in the first phase
        state = (start[0], start[1], start[2])
        hermite(pieces, 0, 0, state, (value[0], 0.0, 0.0), borders[1] - borders[0])
        size, now = 1, borders[1]
    for p in range(count):
        k = transition[p]
        if not motion[p] or not moving[k, foot]:
            continue
        tip_before, tip_after = begin[k, _CONTACT + foot] == _TIPTOE, end[k, _CONTACT + foot] == _TIPTOE
        opening, closing = borders[p], borders[p + 1]
        if tip_before or tip_after:
            opening = max(opening, now)
            reached = tiptoe if tip_after else 0.0
            size = rest(times, pieces, size, now, opening, value)
            times[size] = opening
            blend(pieces, size, 0, value[0], reached)
            size += 1
            value[0], now = reached, closing
            continue
        ahead, up = way_from_other_foot(begin, end, k, foot)
        bend = slope * (abs(ahead) - sole) if abs(ahead) >= threshold else 0.0
        bend += rise * up if up > SHORTEST else 0.0
        if bend <= 0.0:
            continue
        # Going forward the toe bends from the load switch before on, going backward until the one after has ended.
        if ahead >= 0.0 and p > 0 and not motion[p - 1]:
            opening = borders[p - 1]
        elif ahead < 0.0 and p + 1 < count and not motion[p + 1]:
            closing = borders[p + 2]
        opening = max(opening, now)  # a step back before has the load switch in between
        top = sign * min(limit, bend)
        size = rest(times, pieces, size, now, opening, value)
        times[size], times[size + 1] = opening, opening + peak_share * (closing - opening)
        blend(pieces, size, 0, value[0], top)
        blend(pieces, size + 1, 0, top, 0.0)
        size += 2
        value[0], now = 0.0, closing
    size = rest(times, pieces, size, now, borders[count], value)
    times[size] = borders[count]
    return size
