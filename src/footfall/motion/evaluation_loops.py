"""Native loops that evaluate the trajectories of a plan, held one behind the other in flat arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.math.polynomial_loops import segment_between
from footfall.math.quaternion_loops import turn_on_piece

Array = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]


@native_loop
def sample_at(
    time: float,
    times: Array,
    coefficients: Array,
    layout: Integers,
    controls: Array,
    logarithms: Array,
    guesses: Integers,
    values: Array,
    rotations: Array,
    k: int,
) -> None:
    """Fill row k of values (n, 3, columns) and rotations (n, rows, 10) at a time, s; beyond its ends all stands still.

    times, coefficients: of all trajectories one after the other, quintics. layout (trajectories, 7): first time, number
    of segments, first coefficient, dimension, column, number of pieces and first piece. A rotation has its row instead
    of the column; what is no rotation has no pieces. controls (pieces, 4, 4), logarithms (pieces, 3, 3): of the
    rotations, see `turn_on_piece`. guesses (trajectories,): segments to try first; those found take their place.
    """
    for g in range(len(layout)):
        first, segments, offset, dimension = layout[g, 0], layout[g, 1], layout[g, 2], layout[g, 3]
        column, pieces = layout[g, 4], layout[g, 5]
        now = min(max(time, times[first]), times[first + segments])
        segment = segment_between(times, first, segments, now, guesses[g])
        guesses[g] = segment
        begin, duration = times[first + segment], times[first + segment + 1] - times[first + segment]
        eta = (now - begin) / duration
        rate = 1.0 / duration if now == time else 0.0
        base = offset + 6 * dimension * segment
        for d in range(dimension):
            value, slope, half = 0.0, 0.0, 0.0
            for power in range(6):
                half = half * eta + slope
                slope = slope * eta + value
                value = value * eta + coefficients[base + power * dimension + d]
            slope, bend = slope * rate, 2.0 * half * rate * rate
            if pieces == 0:
                values[k, 0, column + d] = value
                values[k, 1, column + d] = slope
                values[k, 2, column + d] = bend
            else:
                # At rest at the end of a piece it may be a rounding error before the next: both are the same there.
                piece = min(max(int(np.floor(value)), 0), pieces - 1)
                inside = min(max(value - piece, 0.0), 1.0)
                turned = turn_on_piece(controls, logarithms, layout[g, 6] + piece, inside, slope, bend)
                for c in range(10):
                    rotations[k, column, c] = turned[c]


@native_loop
def evaluate(
    at: Array,
    times: Array,
    coefficients: Array,
    layout: Integers,
    controls: Array,
    logarithms: Array,
    values: Array,
    rotations: Array,
) -> None:
    """Fill values (k, 3, columns) and rotations (k, rows, 10) at times (k,), s; see `sample_at`."""
    guesses = np.zeros(len(layout), dtype=np.int64)
    for k in range(len(at)):
        sample_at(at[k], times, coefficients, layout, controls, logarithms, guesses, values, rotations, k)
