"""Native loop that evaluates the trajectories of a plan, held one behind the other in flat arrays."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.math.polynomials import Jet, segment_at
from footfall.math.quaternion_splines import turning_on_piece


@routine
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
    """Fill values (k, 3, columns) and rotations (k, rows, 10) at times (k,), s; beyond its ends all stands still.

    times, coefficients: of all trajectories one after the other, quintics. layout (trajectories, 7): first time, number
    of segments, first coefficient, dimension, column, number of pieces and first piece. A rotation has its row instead
    of the column; what is no rotation has no pieces. controls (pieces, 4, 4), logarithms (pieces, 3, 3): of the
    rotations, see `turn_on_piece`.
    """
    for g in range(len(layout)):
        first, segments, offset, dimension = layout[g, 0], layout[g, 1], layout[g, 2], layout[g, 3]
        column, pieces, first_piece = layout[g, 4], layout[g, 5], layout[g, 6]
        segment = 0
        for k in range(len(at)):
            time = min(max(at[k], times[first]), times[first + segments])
            segment = segment_at(times[first : first + segments + 1], time, segment)
            begin = times[first + segment]
            rate = 1.0 / (times[first + segment + 1] - begin)
            eta = (time - begin) * rate
            if time != at[k]:
                rate = 0.0
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
                    # At rest at the end of a piece it may be a rounding error before the next: both are the same.
                    piece = min(max(int(np.floor(value)), 0), pieces - 1)
                    inside = min(max(value - piece, 0.0), 1.0)
                    turned = turning_on_piece(
                        controls[first_piece + piece, 0],
                        logarithms[first_piece + piece],
                        Jet(inside, slope, bend),
                    )
                    rotations[k, column, 0:4] = turned.quaternion
                    rotations[k, column, 4:7] = turned.angular_velocity
                    rotations[k, column, 7:10] = turned.angular_acceleration
