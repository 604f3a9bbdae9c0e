"""Impulses to start with: a touch that was there in the last step begins with the impulse that it had."""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import Touch

_NEAR = 0.03  # m: touches of a pair that are farther apart are others


@routine
def warm_impulses(
    before: ArrayOf[Touch], impulses: ArrayOf[Vector3], now: ArrayOf[Touch], result: ArrayOf[Vector3]
) -> None:
    """For each touch (n,) of this step the impulse (n, 3), world axes, of the same one in the step before, else of the
    nearest of its pair; both lists are ordered by pairs."""
    first, same = 0, 0
    for k in range(len(now)):
        touch = now[k]
        if same < len(before) and _is_same(before[same], touch):  # most are: in the order of the step before
            result[k] = impulses[same]
            same += 1
            continue
        while first < len(before) and _comes_before(before[first], touch):
            first += 1
        best, least = -1, _NEAR * _NEAR
        m = first
        while m < len(before) and before[m].first == touch.first and before[m].second == touch.second:
            if before[m].feature == touch.feature:
                best = m
                break
            apart = before[m].position - touch.position
            if apart @ apart < least:
                best, least = m, apart @ apart
            m += 1
        result[k] = impulses[best] if best >= 0 else np.zeros(3)
        same = best + 1 if best >= 0 else first


def _is_same(one: Touch, other: Touch) -> bool:
    return one.first == other.first and one.second == other.second and one.feature == other.feature


def _comes_before(one: Touch, other: Touch) -> bool:
    return one.first < other.first or (one.first == other.first and one.second < other.second)
