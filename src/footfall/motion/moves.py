"""Trajectories that move now and then and rest in between: how the results of most stages are put together."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.math.trajectories import PolynomialTrajectory

Array = np.ndarray[Any, np.dtype[np.float64]]

REST_TO_REST = np.array([6.0, -15.0, 10.0, 0.0, 0.0, 0.0])  # of the quintic from 0 to 1, highest power first
SHORTEST = 1e-9  # s: segments that last less are left out


def moves_and_rests(
    initial: Array, times: Array, coefficients: Array, reached: Array, begin: float, end: float
) -> PolynomialTrajectory:
    """A trajectory (d,) from begin to end, s, that rests except for n moves of s segments each.

    initial (d,): before the first move. times (n, s + 1): borders of the segments of each move, s, in order; segments
    without duration are left out. coefficients (n, s, 6, d): highest power first. reached (n, d): after each move.
    """
    moves, segments = coefficients.shape[:2]
    if moves == 0:
        still = np.zeros((1, 6, len(initial)))
        still[0, 5] = initial
        return PolynomialTrajectory(np.array([begin, end]), still)
    borders = np.empty(moves * (segments + 1) + 2)
    borders[0], borders[-1] = begin, end
    borders[1:-1] = times.ravel()
    pieces = np.zeros((moves * (segments + 1) + 1, 6, len(initial)))
    pieces[0, 5] = initial
    after = pieces[1:].reshape(moves, segments + 1, 6, len(initial))
    after[:, :segments] = coefficients
    after[:, segments, 5] = reached
    lasting = borders[1:] - borders[:-1] > SHORTEST
    kept = borders[:-1][lasting]
    kept[0] = begin
    return PolynomialTrajectory(np.append(kept, end), pieces[lasting])


def rest_to_rest_pieces(values: Array) -> Array:
    """Coefficients (n, s, 6, d) of quintics between neighbouring values (n, s + 1, d), at rest in each."""
    pieces: Array = (values[:, 1:] - values[:, :-1])[:, :, None, :] * REST_TO_REST[:, None]
    pieces[:, :, 5] += values[:, :-1]
    return pieces


def hermite_pieces(states: Array, durations: Array) -> Array:
    """Coefficients (n, s, 6, d) of quintics between states (n, s + 1, 3, d) of value, velocity and acceleration;
    durations (n, s); 003c (G.32)."""
    h = durations[..., None]
    y0, y1 = states[:, :-1, 0], states[:, 1:, 0]
    v0, v1 = states[:, :-1, 1] * h, states[:, 1:, 1] * h
    a0, a1 = states[:, :-1, 2] * (h * h / 2), states[:, 1:, 2] * (h * h / 2)
    way = y1 - y0
    return np.stack(
        [
            6 * way - 3 * (v0 + v1) - a0 + a1,
            -15 * way + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1,
            10 * way - 6 * v0 - 4 * v1 - 3 * a0 + a1,
            a0,
            v0,
            y0,
        ],
        axis=2,
    )
