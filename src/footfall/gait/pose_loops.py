"""Native loop that compares poses, given as rows in the order of `PoseRow`."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import routine


@routine
def far(before: Array, after: Array, start: int, count: int, tolerance: float) -> bool:
    """Whether any of some numbers differs by more than a tolerance."""
    largest = 0.0
    for k in range(start, start + count):
        largest = max(largest, abs(after[k] - before[k]))
    return largest > tolerance


@routine
def turned(before: Array, after: Array, start: int, tolerance: float) -> bool:
    """Whether unit quaternions of either sign are more than an angle apart; accurate for small angles."""
    product = 0.0
    for k in range(start, start + 4):
        product += before[k] * after[k]
    sign = -1.0 if product < 0.0 else 1.0
    chord = 0.0
    for k in range(start, start + 4):
        chord += (after[k] - sign * before[k]) ** 2
    return bool(np.sqrt(chord) > tolerance / 2.0)


@routine
def differences(
    before: Array, after: Array, contacts: bool, position: float, angle: float, wrench: float
) -> Flags:
    """Which parts differ (n, 7), see `changed_parts`; tolerances in m, rad, N."""
    result = np.zeros((len(before), 7), dtype=np.bool_)
    for n in range(len(before)):
        a, b = before[n], after[n]
        for side in range(2):
            foot = 1 + 7 * side
            result[n, side] = far(a, b, foot, 3, position) or turned(a, b, foot + 3, angle)
            used = a[21 + side] > 0.0 or b[21 + side] > 0.0 or contacts
            moved = far(a, b, 15 + 3 * side, 3, position)
            result[n, 2 + side] = (moved and used) or a[21 + side] != b[21 + side]
            if contacts:
                result[n, side] |= a[23 + side] != b[23 + side] or a[27 + side] != b[27 + side]
                result[n, 2 + side] |= a[25 + side] != b[25 + side] or far(a, b, 29 + 6 * side, 6, wrench)
        result[n, 4] = turned(a, b, 41, angle)
        result[n, 5] = turned(a, b, 45, angle)
        result[n, 6] = far(a, b, 49, 1, position)
    return result
