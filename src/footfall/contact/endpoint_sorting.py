"""Insertion sort of the ends of boxes that notices which boxes begin and cease to overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine


@routine
def sort_endpoints(lower: Array, upper: Array, ends: Integers, axes: Any) -> Integers:
    """Sort the ends (3, 2n) of n boxes along each axis, 2 k for the lower and 2 k + 1 for the upper end of box k.

    axes: (n, n), on how many axes a pair overlaps, the smaller index first; kept up to date. Gives the pairs (m, 2)
    that changed, some more than once. A lower end comes before an upper one at the same place, since touching counts.
    """
    changed: list[tuple[int, int]] = []
    for axis in range(3):
        order = ends[axis]
        for k in range(1, len(order)):
            moving = order[k]
            box, high = moving >> 1, moving & 1
            value = upper[box, axis] if high else lower[box, axis]
            place = k
            while place > 0:
                left = order[place - 1]
                other, other_high = left >> 1, left & 1
                other_value = upper[other, axis] if other_high else lower[other, axis]
                if other_value < value or (other_value == value and other_high <= high):
                    break
                if other_high != high:
                    first, second = min(box, other), max(box, other)
                    if other_high:
                        axes[first, second] += 1
                    else:
                        axes[first, second] -= 1
                    changed.append((first, second))
                order[place] = left
                place -= 1
            order[place] = moving
    result = np.empty((len(changed), 2), dtype=np.int64)
    for k in range(len(changed)):
        result[k, 0], result[k, 1] = changed[k]
    return result
