"""Native loop of the load and wrench stages (spec 003c sections 5.10 and 5.11)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine
from footfall.motion.stage_loops import hermite, rest

_CLOSED, _WRENCH = 23, 29


@routine
def level(rows: Array, k: int, moving: Flags, still: bool, result: Array) -> None:
    """What is carried in pose k, (16,): loads of RF, LF, RH, LH and wrenches. What moves carries only if still."""
    feet = 0.0
    for e in range(4):
        carries = rows[k, _CLOSED + e] > 0.5 and (still or not moving[k, e])
        result[e] = 1.0 if carries else 0.0
        if e < 2:
            feet += result[e]
    for e in range(2):
        result[e] /= max(feet, 1.0)
        for d in range(6):
            result[4 + 6 * e + d] = rows[k, _WRENCH + 6 * e + d] * result[2 + e]


@routine
def load_course(
    begin: Array,
    end: Array,
    moving: Flags,
    transition: Integers,
    motion: Flags,
    borders: Array,
    share: float,
    start: Array,
    continues: bool,
    times: Array,
    pieces: Array,
) -> int:
    """Loads and wrenches (16,): constant in motion phases, blended by load switches that reach some way into these.

    borders (P + 1,): of the phases, s. start (3, 16): state to continue from.
    """
    count = len(motion)
    value, following = np.empty(16), np.empty(16)
    level(begin, transition[0], moving, not motion[0], value)
    if continues:
        for d in range(16):
            value[d] = start[0, d]
    size, now = 0, borders[0]
    for p in range(count):
        if motion[p]:
            continue
        duration = borders[p + 1] - borders[p]
        before, after = share * duration if p > 0 else 0.0, 0.0
        if p > 1:  # where a motion phase is too short for both its neighbours, they meet in it
            wanted = before + share * (borders[p - 1] - borders[p - 2])
            before *= min(1.0, (borders[p] - borders[p - 1]) / max(wanted, 1e-12))
        if p < count - 1:
            after = share * duration
            wanted = after + (share * (borders[p + 3] - borders[p + 2]) if p + 2 < count else 0.0)
            after *= min(1.0, (borders[p + 2] - borders[p + 1]) / max(wanted, 1e-12))
            level(begin, transition[p + 1], moving, not motion[p + 1], following)
        else:
            level(end, transition[p], moving, not motion[p], following)
        opening, closing = borders[p] - before, borders[p + 1] + after
        goes_on = continues and now == borders[0]
        if goes_on:
            opening = borders[0]
        size = rest(times, pieces, size, now, opening, value)
        times[size] = opening
        for d in range(16):
            rate, change = (start[1, d], start[2, d]) if goes_on else (0.0, 0.0)
            state = (value[d], rate, change)
            hermite(pieces, size, d, state, (following[d], 0.0, 0.0), closing - opening)
            value[d] = following[d]
        size += 1
        now = closing
    size = rest(times, pieces, size, now, borders[count], value)
    times[size] = borders[count]
    return size
