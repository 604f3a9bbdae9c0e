"""Native loops over the motion phases of a sequence: how the stages put their trajectories together.

Rows of poses are those of `PoseRow`. Trajectories are made segment by segment: they rest, move, and rest again; a
segment that would last no time is left out. Loops fill times (at least n + 1,) and pieces (at least n, 6, d) that they
are given, and tell the number n of segments.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine

SHORTEST = 1e-9  # s: segments that last less are left out
_NO_FORCE = 1e-6  # N: a force below has no direction
_HAND_POSITION, _SELECTION, _CLOSED, _WRENCH = 15, 21, 23, 29


@routine
def rest(times: Array, pieces: Array, size: int, start: float, stop: float, value: Array) -> int:
    """Append a rest at a value (d,); the new number of segments."""
    if stop - start <= SHORTEST:
        return size
    times[size] = start
    for d in range(len(value)):
        for power in range(5):
            pieces[size, power, d] = 0.0
        pieces[size, 5, d] = value[d]
    return size + 1


@routine
def blend(pieces: Array, size: int, d: int, first: float, last: float) -> None:
    """The quintic from rest to rest, 003c section 4.2."""
    way = last - first
    pieces[size, 0, d], pieces[size, 1, d], pieces[size, 2, d] = 6.0 * way, -15.0 * way, 10.0 * way
    pieces[size, 3, d], pieces[size, 4, d], pieces[size, 5, d] = 0.0, 0.0, first


@routine
def hermite(
    pieces: Array,
    size: int,
    d: int,
    first: tuple[float, float, float],
    last: tuple[float, float, float],
    h: float,
) -> None:
    """The quintic between two states of value, velocity and acceleration, 003c (G.32)."""
    way = last[0] - first[0]
    v0, v1 = first[1] * h, last[1] * h
    a0, a1 = first[2] * h * h / 2.0, last[2] * h * h / 2.0
    pieces[size, 0, d] = 6.0 * way - 3.0 * (v0 + v1) - a0 + a1
    pieces[size, 1, d] = -15.0 * way + 8.0 * v0 + 7.0 * v1 + 3.0 * a0 - 2.0 * a1
    pieces[size, 2, d] = 10.0 * way - 6.0 * v0 - 4.0 * v1 - 3.0 * a0 + a1
    pieces[size, 3, d], pieces[size, 4, d], pieces[size, 5, d] = a0, v0, first[0]


@routine
def swing_phases(
    begin: Array,
    end: Array,
    moving: Flags,
    owner: Integers,
    heights: Array,
    timings: Array,
    foot: int,
    phases: Array,
    which: Integers,
) -> int:
    """Fill inputs (n, 20) of `swing_foot` for the motion phases in which a foot swings, and their numbers (n,); n.

    heights, timings: step height and swing timing of each transition. 003c (6.10): a foot that comes from the air or
    stays in it needs no clearance.
    """
    count, own, other = 0, 1 + 7 * foot, 1 + 7 * (1 - foot)
    for m in range(len(owner)):
        k = owner[m]
        if moving[k, foot]:
            for c in range(7):
                phases[count, c], phases[count, 7 + c] = begin[k, own + c], end[k, own + c]
            for c in range(4):
                phases[count, 14 + c] = begin[k, other + 3 + c]
            phases[count, 18] = heights[k] * begin[k, _CLOSED + foot] * end[k, _CLOSED + foot]
            phases[count, 19] = timings[k]
            which[count] = m
            count += 1
    return count


@routine
def swing_course(
    phases: Array,
    borders: Array,
    swings: Array,
    which: Integers,
    starts: Array,
    stops: Array,
    value: Array,
    times: Array,
    pieces: Array,
) -> int:
    """Position of a foot that rests except for n swings: phases (n, 20), borders (n, 6) as parts of the motion phases
    `which` (n,), swings (n, 5, 6, 3). value (3,): where it is at first, then where it is at last; times[0] and
    times[-1]: begin and end of it all."""
    size, now, end = 0, times[0], times[len(times) - 1]
    for i in range(len(phases)):
        first, last = starts[which[i]], stops[which[i]]
        size = rest(times, pieces, size, now, first + (last - first) * borders[i, 0], value)
        for s in range(5):
            if (last - first) * (borders[i, s + 1] - borders[i, s]) > SHORTEST:
                times[size] = first + (last - first) * borders[i, s]
                for power in range(6):
                    for d in range(3):
                        pieces[size, power, d] = swings[i, s, power, d]
                size += 1
        now = first + (last - first) * borders[i, 5]
        for d in range(3):
            value[d] = phases[i, 7 + d]
    size = rest(times, pieces, size, now, end, value)
    times[size] = end
    return size


@routine
def body_turns(
    begin: Array,
    end: Array,
    moving: Flags,
    owner: Integers,
    part: int,
    column: int,
    controls: Array,
    which: Integers,
) -> int:
    """Fill control quaternions (n, 4, 4) of upper body or head, and the motion phases (n,) in which it turns; n."""
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
    return count


@routine
def turn_course(
    controls: Array,
    which: Integers,
    starts: Array,
    stops: Array,
    shares: Array,
    timing: Array,
    times: Array,
    pieces: Array,
) -> int:
    """The parameter along n turns, one in each of the motion phases `which` (n,). timing (s, 6): of one turn from 0 to
    1, between shares (s + 1,) of its phase. times[0] and times[-1]: begin and end of it all.

    Signs of the controls (n, 4, 4) are changed so that they go on from turn to turn.
    """
    size, now, end, value = 0, times[0], times[len(times) - 1], np.zeros(1)
    for i in range(len(controls)):
        if i > 0:
            product = 0.0
            for d in range(4):
                product += controls[i - 1, 3, d] * controls[i, 0, d]
            if product < 0.0:
                for j in range(4):
                    for d in range(4):
                        controls[i, j, d] = -controls[i, j, d]
        first, last = starts[which[i]], stops[which[i]]
        size = rest(times, pieces, size, now, first, value)
        for s in range(len(timing)):
            times[size] = first + (last - first) * shares[s]
            for power in range(6):
                pieces[size, power, 0] = timing[s, power]
            pieces[size, 5, 0] += i
            size += 1
        now, value[0] = last, i + 1.0
    size = rest(times, pieces, size, now, end, value)
    times[size] = end
    return size


@routine
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
    times: Array,
    pieces: Array,
) -> int:
    """Course of a hand, 003c (6.16)-(6.18). maps (4, 4, 3, 4): states at the borders from the four control points,
    for each set of them that counts. shares (3,): of time, of the way, and the clearance in m. times[0] and times[-1]:
    begin and end of it all."""
    column, force = _HAND_POSITION + 3 * hand, _WRENCH + 6 * hand
    points, states, value = np.empty((4, 3)), np.empty((4, 3)), np.empty(3)
    size, now, last = 0, times[0], times[len(times) - 1]
    for d in range(3):
        value[d] = begin[0, column + d]
    for m in range(len(owner)):
        k = owner[m]
        moves = moving[k, 2 + hand]
        push, pull = 0.0, 0.0
        for d in range(3):
            # Hands in null space, which have no say, follow their poses too: so their course is continuous.
            moves = moves or begin[k, column + d] != end[k, column + d]
            push += begin[k, force + d] * begin[k, force + d]
            pull += end[k, force + d] * end[k, force + d]
        if not moves:
            continue
        push, pull = max(np.sqrt(push), _NO_FORCE), max(np.sqrt(pull), _NO_FORCE)
        for d in range(3):
            here, there = begin[k, column + d], end[k, column + d]
            points[0, d], points[3, d] = here, there
            points[1, d] = here + shares[1] * (there - here) + shares[2] * begin[k, force + d] / push
            points[2, d] = there - shares[1] * (there - here) + shares[2] * end[k, force + d] / pull
        case = int(begin[k, _CLOSED + 2 + hand]) + 2 * int(end[k, _CLOSED + 2 + hand])
        size = rest(times, pieces, size, now, starts[m], value)
        duration = stops[m] - starts[m]
        times[size] = starts[m]
        times[size + 1], times[size + 2] = starts[m] + duration * shares[0], stops[m] - duration * shares[0]
        for d in range(3):
            for border in range(4):
                for n in range(3):
                    state = 0.0
                    for point in range(4):
                        state += maps[case, border, n, point] * points[point, d]
                    states[border, n] = state
            for s in range(3):
                before = (states[s, 0], states[s, 1], states[s, 2])
                after = (states[s + 1, 0], states[s + 1, 1], states[s + 1, 2])
                hermite(pieces, size + s, d, before, after, shares[0] if s != 1 else 1.0 - 2.0 * shares[0])
            value[d] = end[k, column + d]
        size += 3
        now = stops[m]
    size = rest(times, pieces, size, now, last, value)
    times[size] = last
    return size


@routine
def selection_course(
    begin: Array,
    end: Array,
    owner: Integers,
    starts: Array,
    stops: Array,
    hand: int,
    shares: Array,
    times: Array,
    pieces: Array,
) -> int:
    """Task-space selection of a hand; shares (2, 2): lag and lead into task space and out of it, 003c (6.20). times[0]
    and times[-1]: begin and end of it all."""
    column = _SELECTION + hand
    size, now, last, value = 0, times[0], times[len(times) - 1], np.empty(1)
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
        blend(pieces, size, 0, before, after)
        size += 1
        now, value[0] = stop, after
    size = rest(times, pieces, size, now, last, value)
    times[size] = last
    return size
