"""Native loops of the phase stage, and what is measured on poses before anything is planned."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine
from footfall.motion.support_loops import sole_gap

LAST_MOVES, STILL_TWICE = -1, -2  # faults of `lay_out_phases`
_ROUNDING = 1e-9  # rad
BOTH_SWING, STRAY_CONTACT, STRAY_KIND = 1, 2, 3  # faults of `contact_fault`


@routine
def lay_out_phases(
    changed: Flags,
    held: Flags,
    durations: Array,
    numbers: Array,
    continues: bool,
    owner: Integers,
    motion: Flags,
    times: Array,
    pose_times: Array,
) -> tuple[int, int]:
    """Fill transition and kind of each phase (P,), borders (P + 1,) and the times of the poses (K + 1,); P, or a fault
    and the number of the transition.

    changed (K, 7), held (K,): what moves, and poses that are held. durations (K,): NaN for the usual one. numbers (4,):
    usual duration, share of the load switch, factors of the first and last one. times[0]: the begin.
    """
    usual, share = numbers[0], numbers[1]
    size, last, now = 0, len(durations) - 1, times[0]
    moved = True
    pose_times[0] = now
    for k in range(last + 1):
        moves = held[k]
        for part in range(changed.shape[1]):
            moves = moves or changed[k, part]
        if moves and k == last:
            return LAST_MOVES, k
        if not moves and not moved:
            return STILL_TWICE, k
        custom = not np.isnan(durations[k])
        total = durations[k] if custom else usual
        switches = not moves or k == 0 or moved
        if switches:
            switch = total if custom and not moves else share * total
            # The last counts before the first: a sequence that only stands has one load switch.
            if k == last and not custom:
                switch = numbers[3] * share * usual
            elif k == 0 and not continues:
                # From rest the weight needs its time to come over a foot, however fast the step is.
                switch = max(switch, numbers[2] * share * usual)
            owner[size], motion[size] = k, False
            now += switch
            size += 1
            times[size] = now
        if moves:
            owner[size], motion[size] = k, True
            now += total if custom and not switches else (1.0 - share) * total
            size += 1
            times[size] = now
        pose_times[k + 1] = now
        moved = moves
    return size, 0


@routine
def contact_fault(begin: Array, end: Array, moving: Flags) -> tuple[int, int, int]:
    """The first fault (0 if there is none), number of the transition and of the foot or hand; the worst kind first."""
    worst, number, limb = 0, 0, 0
    for k in range(len(begin)):
        for e in range(4):
            fault = 0
            if e == 0 and moving[k, 0] and moving[k, 1]:
                fault = BOTH_SWING
            elif begin[k, 23 + e] != end[k, 23 + e] and not moving[k, e]:
                fault = STRAY_CONTACT
            elif e < 2 and begin[k, 27 + e] != end[k, 27 + e] and not moving[k, e]:
                fault = STRAY_KIND
            if fault != 0 and (worst == 0 or fault < worst):
                worst, number, limb = fault, k, e
    return worst, number, limb


@routine
def pose_fault(rows: Array, corners: Array, limits: Array) -> tuple[int, int, float]:
    """Which of the limits (5,) is broken (-1 if none is), by which pose (n, 50), and the value, m; the first limit
    counts most: most distance of the feet, how much one is above the other, least distance of their soles (n, 2, 4, 2),
    least height of the centre of mass above the higher foot, most above the lower foot.
    """
    worst, pose, found = len(limits), 0, 0.0
    for n in range(len(rows)):
        square = 0.0
        for d in range(1, 4):
            square += (rows[n, 7 + d] - rows[n, d]) * (rows[n, 7 + d] - rows[n, d])
        right, left, height = rows[n, 3], rows[n, 10], rows[n, 49]
        values = (
            np.sqrt(square),
            abs(left - right),
            sole_gap(corners, n),
            height - max(left, right),
            height - min(left, right),
        )
        for kind in range(worst):
            least = kind == 2 or kind == 3
            if values[kind] < limits[kind] if least else values[kind] > limits[kind]:
                worst, pose, found = kind, n, values[kind]
                break
    return (worst if worst < len(limits) else -1), pose, found


@routine
def head_fault(rows: Array, limits: Array) -> tuple[int, int, float, float]:
    """Which joint of the head (0 pan, 1 tilt, -1 none) is beyond its limits (2, 2) in which pose (n, 50), its angle and
    the limit, rad; 003c (6.32), (6.33)."""
    for n in range(len(rows)):
        a, b, c, d = rows[n, 41], -rows[n, 42], -rows[n, 43], -rows[n, 44]  # back from the upper body
        e, f, g, h = rows[n, 45], rows[n, 46], rows[n, 47], rows[n, 48]
        w, x = a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g
        y, z = a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e
        ahead, left, up = 1.0 - 2.0 * (y * y + z * z), 2.0 * (w * z + x * y), 2.0 * (x * z - w * y)
        angles = (np.arctan2(left, ahead), np.arctan2(up, np.hypot(ahead, left)))
        for joint in range(2):
            if angles[joint] < limits[joint, 0] - _ROUNDING:
                return joint, n, angles[joint], limits[joint, 0]
            if angles[joint] > limits[joint, 1] + _ROUNDING:
                return joint, n, angles[joint], limits[joint, 1]
    return -1, 0, 0.0, 0.0
