"""Native loops over piecewise polynomials: evaluation, change of partition, checks.

Coefficients have shape (segments, degree + 1, dimension), highest power first, in eta = (t - t_i) / h_i.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine


@routine
def segment_between(times: Array, first: int, count: int, time: float, guess: int) -> int:
    """Which of `count` segments, whose break points begin at `first`, holds a time, the later one at a break point;
    `guess` and the one behind it are tried first."""
    if times[first + guess] <= time:
        for near in range(guess, min(guess + 2, count)):
            if time < times[first + near + 1] or near == count - 1:
                return near
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if times[first + middle] <= time:
            low = middle
        else:
            high = middle
    return low


@routine
def segment_at(times: Array, time: float, guess: int) -> int:
    """The segment that holds a time, see `segment_between`."""
    return segment_between(times, 0, len(times) - 1, time, guess)


@routine
def sample(times: Array, coefficients: Array, at: Array, order: int) -> Array:
    """Values and derivatives (order + 1, len(at), dimension); beyond the ends they hold and do not move."""
    segments, powers, dimension = coefficients.shape
    result = np.zeros((order + 1, len(at), dimension))
    segment = 0
    for k in range(len(at)):
        time = min(max(at[k], times[0]), times[segments])
        segment = segment_at(times, time, segment)
        duration = times[segment + 1] - times[segment]
        eta = (time - times[segment]) / duration
        order_here = order if times[0] <= at[k] <= times[segments] else 0
        if order_here <= 2:  # by far the most common: three numbers in registers
            for d in range(dimension):
                value, rate, half = 0.0, 0.0, 0.0
                for power in range(powers):
                    half = half * eta + rate
                    rate = rate * eta + value
                    value = value * eta + coefficients[segment, power, d]
                result[0, k, d] = value
                if order_here >= 1:
                    result[1, k, d] = rate / duration
                if order_here == 2:
                    result[2, k, d] = 2.0 * half / (duration * duration)
            continue
        highest = min(order, powers - 1)
        for power in range(powers):
            for m in range(highest, 0, -1):
                for d in range(dimension):
                    result[m, k, d] = result[m, k, d] * eta + result[m - 1, k, d]
            for d in range(dimension):
                result[0, k, d] = result[0, k, d] * eta + coefficients[segment, power, d]
        factor = 1.0
        for m in range(1, highest + 1):
            factor *= m / duration
            for d in range(dimension):
                result[m, k, d] *= factor
    return result


@routine
def restrict(times: Array, coefficients: Array, partition: Array) -> Array:
    """The same polynomials on another partition, each of whose segments lies in one of the old ones."""
    _, powers, dimension = coefficients.shape
    count = len(partition) - 1
    result = np.zeros((count, powers, dimension))
    segment = 0
    for k in range(count):
        segment = segment_at(times, 0.5 * (partition[k] + partition[k + 1]), segment)
        duration = times[segment + 1] - times[segment]
        eta = (partition[k] - times[segment]) / duration
        ratio = (partition[k + 1] - partition[k]) / duration
        # Horner's scheme gives Taylor's coefficients about the new start: row `powers - 1 - m` for power m.
        for power in range(powers):
            for m in range(power, 0, -1):
                row = powers - 1 - m
                for d in range(dimension):
                    result[k, row, d] = result[k, row, d] * eta + result[k, row + 1, d]
            for d in range(dimension):
                result[k, powers - 1, d] = result[k, powers - 1, d] * eta + coefficients[segment, power, d]
        factor = 1.0
        for m in range(1, powers):
            factor *= ratio
            for d in range(dimension):
                result[k, powers - 1 - m, d] *= factor
    return result


@routine
def merged_times(ordered: Array, closeness: float) -> Array:
    """Sorted times without those closer than `closeness` to the one before."""
    kept = 1
    for k in range(1, len(ordered)):
        if ordered[k] - ordered[kept - 1] > closeness:
            ordered[kept] = ordered[k]
            kept += 1
    return ordered[:kept].copy()


@routine
def first_fault(times: Array, coefficients: Array) -> int:
    """0: none. 1: times do not increase or are not finite. 2: a coefficient is not finite."""
    for k in range(len(times) - 1):
        if not (times[k + 1] > times[k] and np.isfinite(times[k + 1] - times[k])):
            return 1
    segments, powers, dimension = coefficients.shape
    for i in range(segments):
        for power in range(powers):
            for d in range(dimension):
                if not np.isfinite(coefficients[i, power, d]):
                    return 2
    return 0
