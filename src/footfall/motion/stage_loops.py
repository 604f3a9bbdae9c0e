"""Native loops over the motion phases of a sequence: how the stages put their trajectories together.

Rows of poses are those of `PoseRow`. Trajectories are made segment by segment: they rest, move, and rest again; a
segment that would last no time is left out. They are given as times (n + 1,) and coefficients (n, 6, d).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop

Array = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]

SHORTEST = 1e-9  # s: segments that last less are left out
_NO_FORCE = 1e-6  # N: a force below has no direction
_HAND_POSITION, _SELECTION, _CLOSED, _CONTACT, _WRENCH = 15, 21, 23, 27, 29


@native_loop
def rest(times: Array, pieces: Array, size: int, start: float, stop: float, value: Array) -> int:
    """Append a rest; the new number of segments."""
    if stop - start <= SHORTEST:
        return size
    times[size] = start
    for d in range(len(value)):
        for power in range(5):
            pieces[size, power, d] = 0.0
        pieces[size, 5, d] = value[d]
    return size + 1


@native_loop
def blend(piece: Array, d: int, first: float, last: float) -> None:
    """The quintic from rest to rest, 003c section 4.2."""
    way = last - first
    piece[0, d], piece[1, d], piece[2, d] = 6.0 * way, -15.0 * way, 10.0 * way
    piece[3, d], piece[4, d], piece[5, d] = 0.0, 0.0, first


@native_loop
def hermite(piece: Array, d: int, first: Array, last: Array, h: float) -> None:
    """The quintic between two states (3,) of value, velocity and acceleration, 003c (G.32)."""
    way = last[0] - first[0]
    v0, v1 = first[1] * h, last[1] * h
    a0, a1 = first[2] * h * h / 2.0, last[2] * h * h / 2.0
    piece[0, d] = 6.0 * way - 3.0 * (v0 + v1) - a0 + a1
    piece[1, d] = -15.0 * way + 8.0 * v0 + 7.0 * v1 + 3.0 * a0 - 2.0 * a1
    piece[2, d] = 10.0 * way - 6.0 * v0 - 4.0 * v1 - 3.0 * a0 + a1
    piece[3, d], piece[4, d], piece[5, d] = a0, v0, first[0]


@native_loop
def rests_between(
    initial: Array, borders: Array, moves: Array, reached: Array, begin: float, end: float
) -> tuple[Array, Array]:
    """A trajectory from `initial` (d,) with n moves: borders (n, s + 1) in s, pieces (n, s, 6, d), reached (n, d)."""
    count, segments, _, dimension = moves.shape
    times = np.empty(count * (segments + 1) + 2)
    pieces = np.empty((count * (segments + 1) + 1, 6, dimension))
    size, now, value = 0, begin, initial
    for m in range(count):
        size = rest(times, pieces, size, now, borders[m, 0], value)
        for s in range(segments):
            if borders[m, s + 1] - borders[m, s] > SHORTEST:
                times[size] = borders[m, s]
                pieces[size] = moves[m, s]
                size += 1
        now, value = borders[m, segments], reached[m]
    size = rest(times, pieces, size, now, end, value)
    times[0], times[size] = begin, end
    return times[: size + 1].copy(), pieces[:size].copy()


@native_loop
def swing_phases(
    begin: Array, end: Array, moving: Flags, owner: Integers, heights: Array, timings: Array, foot: int
) -> tuple[Array, Integers]:
    """Inputs (n, 20) of `swing_foot` for the motion phases in which a foot swings, and their numbers (n,).

    heights, timings: step height and swing timing of each transition. 003c (6.10): a foot that comes from the air or
    stays in it needs no clearance.
    """
    phases, which = np.empty((len(owner), 20)), np.empty(len(owner), dtype=np.int64)
    count, own, other = 0, 1 + 7 * foot, 1 + 7 * (1 - foot)
    for m in range(len(owner)):
        k = owner[m]
        if moving[k, foot]:
            phases[count, :7] = begin[k, own : own + 7]
            phases[count, 7:14] = end[k, own : own + 7]
            phases[count, 14:18] = begin[k, other + 3 : other + 7]
            phases[count, 18] = heights[k] * begin[k, _CLOSED + foot] * end[k, _CLOSED + foot]
            phases[count, 19] = timings[k]
            which[count] = m
            count += 1
    return phases[:count].copy(), which[:count].copy()


@native_loop
def stretched(shares: Array, which: Integers, starts: Array, stops: Array) -> Array:
    """Borders in s of shares (n, s + 1) or (1, s + 1) of the motion phases `which` (n,)."""
    borders = np.empty((len(which), shares.shape[1]))
    for i in range(len(which)):
        row = min(i, len(shares) - 1)
        first, last = starts[which[i]], stops[which[i]]
        for s in range(shares.shape[1]):
            borders[i, s] = first + (last - first) * shares[row, s]
    return borders


@native_loop
def body_turns(
    begin: Array, end: Array, moving: Flags, owner: Integers, part: int, column: int
) -> tuple[Array, Integers]:
    """Control quaternions (n, 4, 4) of upper body or head, and the motion phases (n,) in which it turns."""
    controls, which = np.empty((len(owner), 4, 4)), np.empty(len(owner), dtype=np.int64)
    count = 0
    for m in range(len(owner)):
        k = owner[m]
        if moving[k, part]:
            product = 0.0
            for d in range(4):
                product += begin[k, column + d] * end[k, column + d]
            sign = -1.0 if product < 0.0 else 1.0
            for d in range(4):
                controls[count, 0, d] = controls[count, 1, d] = begin[k, column + d]
                controls[count, 2, d] = controls[count, 3, d] = sign * end[k, column + d]
            which[count] = m
            count += 1
    return controls[:count].copy(), which[:count].copy()


@native_loop
def turn_timing(
    controls: Array, borders: Array, timing: Array, begin: float, end: float
) -> tuple[Array, Array]:
    """Times and coefficients (n, 6, 1) of the parameter along n turns; timing (s, 6): of one turn from 0 to 1.

    Signs of the controls (n, 4, 4) are changed so that they go on from turn to turn.
    """
    count, segments = len(controls), len(timing)
    moves, reached = np.empty((count, segments, 6, 1)), np.empty((count, 1))
    for i in range(count):
        if i > 0:
            product = 0.0
            for d in range(4):
                product += controls[i - 1, 3, d] * controls[i, 0, d]
            if product < 0.0:
                for j in range(4):
                    for d in range(4):
                        controls[i, j, d] = -controls[i, j, d]
        for s in range(segments):
            for power in range(6):
                moves[i, s, power, 0] = timing[s, power]
            moves[i, s, 5, 0] += i
        reached[i, 0] = i + 1.0
    return rests_between(np.zeros(1), borders, moves, reached, begin, end)


@native_loop
def hand_course(
    begin: Array,
    end: Array,
    moving: Flags,
    owner: Integers,
    starts: Array,
    stops: Array,
    hand: int,
    maps: Array,
    shares: Array,
    first: float,
    last: float,
) -> tuple[Array, Array]:
    """Course of a hand, 003c (6.16)-(6.18). maps (4, 4, 3, 4): states at the borders from the four control points,
    for each set of them that counts. shares (3,): of time, of the way, and the clearance in m."""
    column, force = _HAND_POSITION + 3 * hand, _WRENCH + 6 * hand
    times, pieces = np.empty(4 * len(owner) + 2), np.empty((4 * len(owner) + 1, 6, 3))
    borders = np.array([0.0, shares[0], 1.0 - shares[0], 1.0])
    points, states, value = np.empty((4, 3)), np.empty((4, 3)), np.empty(3)
    size, now = 0, first
    value[:] = begin[0, column : column + 3]
    for m in range(len(owner)):
        k = owner[m]
        moves = moving[k, 2 + hand]
        for d in range(3):
            # Hands in null space, which have no say, follow their poses too: so their course is continuous.
            moves = moves or begin[k, column + d] != end[k, column + d]
        if not moves:
            continue
        push, pull = 0.0, 0.0
        for d in range(3):
            push += begin[k, force + d] ** 2
            pull += end[k, force + d] ** 2
        push, pull = max(np.sqrt(push), _NO_FORCE), max(np.sqrt(pull), _NO_FORCE)
        for d in range(3):
            here, there = begin[k, column + d], end[k, column + d]
            points[0, d], points[3, d] = here, there
            points[1, d] = here + shares[1] * (there - here) + shares[2] * begin[k, force + d] / push
            points[2, d] = there - shares[1] * (there - here) + shares[2] * end[k, force + d] / pull
        case = int(begin[k, _CLOSED + 2 + hand]) + 2 * int(end[k, _CLOSED + 2 + hand])
        size = rest(times, pieces, size, now, starts[m], value)
        for s in range(3):
            times[size + s] = starts[m] + (stops[m] - starts[m]) * borders[s]
        for d in range(3):
            for border in range(4):
                for n in range(3):
                    states[border, n] = 0.0
                    for point in range(4):
                        states[border, n] += maps[case, border, n, point] * points[point, d]
            for s in range(3):
                hermite(pieces[size + s], d, states[s], states[s + 1], borders[s + 1] - borders[s])
        size += 3
        now = stops[m]
        value[:] = end[k, column : column + 3]
    size = rest(times, pieces, size, now, last, value)
    times[size] = last
    return times[: size + 1].copy(), pieces[:size].copy()


@native_loop
def selection_course(
    begin: Array,
    end: Array,
    owner: Integers,
    starts: Array,
    stops: Array,
    hand: int,
    shares: Array,
    first: float,
    last: float,
) -> tuple[Array, Array]:
    """Task-space selection of a hand; shares (2, 2): lag and lead into task space and out of it, 003c (6.20)."""
    column = _SELECTION + hand
    times, pieces = np.empty(2 * len(owner) + 2), np.empty((2 * len(owner) + 1, 6, 1))
    size, now, value = 0, first, np.empty(1)
    value[0] = begin[0, column]
    for m in range(len(owner)):
        before, after = begin[owner[m], column], end[owner[m], column]
        if before == after:
            continue
        row = 0 if after > before else 1
        duration = stops[m] - starts[m]
        start, stop = starts[m] + shares[row, 0] * duration, stops[m] - shares[row, 1] * duration
        size = rest(times, pieces, size, now, start, value)
        times[size] = start
        blend(pieces[size], 0, before, after)
        size += 1
        now, value[0] = stop, after
    size = rest(times, pieces, size, now, last, value)
    times[size] = last
    return times[: size + 1].copy(), pieces[:size].copy()
