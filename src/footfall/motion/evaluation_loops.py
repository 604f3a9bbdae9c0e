"""Native loop that evaluates all trajectories of a plan at many times."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.math.polynomial_loops import segment_at
from footfall.math.quaternion_loops import multiply, turn_vector

Array = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]


@native_loop
def evaluate(
    at: Array,
    times: Array,
    coefficients: Array,
    layout: Integers,
    starts: Array,
    logarithms: Array,
    width: int,
    begin: float,
    end: float,
) -> tuple[Array, Array]:
    """Values and two derivatives (k, 3, width) of polynomial trajectories, and orientations with angular velocity and
    acceleration (k, rotations, 10), at times (k,); beyond the ends all stands still.

    times, coefficients: of all trajectories one after the other, quintics. layout (trajectories, 5): first time, number
    of segments, first coefficient, dimension and column; the timing of a rotation has its number of pieces and -1 minus
    its first piece instead of these two.
    starts (pieces, 4), logarithms (pieces, 3, 3): of the rotations, see `sample_chain`.
    """
    groups = len(layout)
    rotations = 0
    for g in range(groups):
        if layout[g, 4] < 0:
            rotations += 1
    count = len(at)
    values = np.zeros((count, 3, width))
    turns = np.zeros((count, rotations, 10))
    guesses = np.zeros(groups, dtype=np.int64)
    work = np.empty(20)
    for k in range(count):
        time = min(max(at[k], begin), end)
        moving = begin <= at[k] <= end
        rotation = 0
        for g in range(groups):
            first, segments, offset, dimension, column = layout[g]
            own = times[first : first + segments + 1]
            segment = segment_at(own, time, guesses[g])
            guesses[g] = segment
            duration = own[segment + 1] - own[segment]
            eta = (time - own[segment]) / duration
            rate = 1.0 / duration if moving else 0.0
            base = offset + segment * 6 * (dimension if column >= 0 else 1)
            if column >= 0:
                for d in range(dimension):
                    value, slope, bend = 0.0, 0.0, 0.0
                    for power in range(6):
                        bend = bend * eta + slope
                        slope = slope * eta + value
                        value = value * eta + coefficients[base + power * dimension + d]
                    values[k, 0, column + d] = value
                    values[k, 1, column + d] = slope * rate
                    values[k, 2, column + d] = 2.0 * bend * rate * rate
            else:
                value, slope, bend = 0.0, 0.0, 0.0
                for power in range(6):
                    bend = bend * eta + slope
                    slope = slope * eta + value
                    value = value * eta + coefficients[base + power]
                pieces = layout[g, 3]
                piece = min(max(int(np.floor(value)), 0), pieces - 1)
                own_piece = piece - 1 - column
                turn(
                    starts[own_piece],
                    logarithms[own_piece],
                    min(max(value - piece, 0.0), 1.0),
                    slope * rate,
                    2.0 * bend * rate * rate,
                    turns[k, rotation],
                    work,
                )
                rotation += 1
    return values, turns


@native_loop
def turn(
    start: Array, logarithms: Array, eta: float, speed: float, change: float, result: Array, work: Array
) -> None:
    """Orientation (4,), angular velocity (3,) and acceleration (3,) on a piece of a quaternion B-spline, see 003c
    (B.58); result (10,), work (20,)."""
    rest = 1.0 - eta
    here, turned, step, axis = work[0:4], work[4:8], work[8:12], work[12:15]
    for d in range(4):
        here[d] = start[d]
    for j in range(3):
        w = logarithms[j]
        size = np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if size == 0.0:
            continue
        if j == 0:
            angle, rate, second = 1.0 - rest * rest * rest, 3.0 * rest * rest, -6.0 * rest
        elif j == 1:
            angle, rate, second = eta * eta * (3.0 - 2.0 * eta), 6.0 * eta * rest, 6.0 - 12.0 * eta
        else:
            angle, rate, second = eta * eta * eta, 3.0 * eta * eta, 6.0 * eta
        turn_vector(here, w, axis)
        first = 2.0 * rate * speed
        then = 2.0 * (second * speed * speed + rate * change)
        a, b, c = result[4], result[5], result[6]
        result[7] += then * axis[0] + first * (b * axis[2] - c * axis[1])
        result[8] += then * axis[1] + first * (c * axis[0] - a * axis[2])
        result[9] += then * axis[2] + first * (a * axis[1] - b * axis[0])
        for d in range(3):
            result[4 + d] += first * axis[d]
        sine = np.sin(size * angle) / size
        step[0] = np.cos(size * angle)
        for d in range(3):
            step[d + 1] = sine * w[d]
        multiply(here, step, turned)
        for d in range(4):
            here[d] = turned[d]
    for d in range(4):
        result[d] = here[d]
