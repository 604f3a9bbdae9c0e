"""Heights that stay within bounds and do not bend too much: a small banded program (spec 003c section 6.1).

    least sum (z_k - f_k)^2  with  lowest_k <= z_k <= highest_k,  |z_k-1 - 2 z_k + z_k+1| <= bend

Solved by alternating directions (ADMM): each round is one solve with the same five-diagonal matrix and two
projections.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.errors import FootfallError
from footfall.math.interpolation import quintic_spline
from footfall.math.trajectories import PolynomialTrajectory

Array = np.ndarray[Any, np.dtype[np.float64]]

_ROUNDS = 1000
_CLOSE = 1e-4  # m: how far bounds may be missed
_BOUND_WEIGHT, _BEND_WEIGHT = 4.0, 1.0  # penalties of the method, relative to the objective
_RELAXATION = 1.6  # over-relaxation; with these numbers some 30 to 80 rounds for bounds of steps


class HeightNotSmooth(FootfallError, ValueError):
    """Heights of the torso that cannot be reached without too much acceleration."""


def smooth_height(
    times: Array,
    wanted: Array,
    lowest: Array,
    highest: Array,
    *,
    velocity: float = 0.0,
    acceleration: float = 0.0,
    most: float,
) -> PolynomialTrajectory:
    """The quintic spline through heights between bounds (n + 1,) close to the wanted ones, m.

    times (n + 1,) at equal distances, s. Both ends are kept as wanted; velocity, acceleration: at the start; at the
    end all is at rest. most: largest acceleration, m/s2; where it contradicts the bounds, it counts, not they.
    """

    def through(heights: Array) -> tuple[PolynomialTrajectory, float]:
        spline = quintic_spline(times, heights, start_velocity=velocity, start_acceleration=acceleration)
        return spline, largest_acceleration(spline)

    spline, peak = through(wanted_within(wanted, lowest, highest))
    step = float(times[1] - times[0])
    bend = most * step * step
    for relaxed in (False, True):  # with the bounds, then without
        low, high = (
            (np.full_like(wanted, -np.inf), np.full_like(wanted, np.inf)) if relaxed else (lowest, highest)
        )
        share = 0.95
        # A spline bends a little more between the points than the points do.
        while peak > most and share > 0.2:
            share *= 0.9
            spline, peak = through(_solved(wanted, low, high, share * bend, velocity * step))
    if peak > most:
        raise HeightNotSmooth(
            f"the torso's height accelerates with {peak:.3g} m/s2; at most {most:.3g} m/s2 are allowed"
        )
    return spline


@native_loop
def wanted_within(wanted: Array, lowest: Array, highest: Array) -> Array:
    """The wanted heights, brought between the bounds except at both ends."""
    result = wanted.copy()
    for k in range(1, len(wanted) - 1):
        result[k] = min(max(wanted[k], lowest[k]), highest[k])
    return result


@native_loop
def _solved(wanted: Array, lowest: Array, highest: Array, bend: float, drift: float) -> Array:
    """The program's solution (n + 1,); before the start z moves by `drift` in each step, after the end it stays."""
    count = len(wanted) - 2  # without both ends
    first, last = wanted[0], wanted[count + 1]
    # Bend number k belongs to point k of all; entries of D z + e with e from the fixed ends.
    shift = np.zeros(count + 2)
    shift[0] = -first - drift
    shift[1] += first
    shift[count] += last
    shift[count + 1] = -last
    main, one, two = np.empty(count), np.zeros(count), np.zeros(count)
    for i in range(count):  # L D L^T of 1 + bound weight + bend weight D^T D
        main[i] = 1.0 + _BOUND_WEIGHT + 6.0 * _BEND_WEIGHT
        one[i], two[i] = -4.0 * _BEND_WEIGHT, _BEND_WEIGHT
    for i in range(count):
        if i >= 1:
            main[i] -= one[i - 1] * one[i - 1] * main[i - 1]
        if i >= 2:
            main[i] -= two[i - 2] * two[i - 2] * main[i - 2]
        if i >= 1:
            one[i] -= two[i - 1] * one[i - 1] * main[i - 1]
        one[i] /= main[i]
        two[i] /= main[i]
    z = wanted[1:-1].copy()
    inside, slack = z.copy(), np.zeros(count)
    bent, pull = np.zeros(count + 2), np.zeros(count + 2)
    load = np.empty(count)
    for _ in range(_ROUNDS):
        for i in range(count):
            load[i] = wanted[i + 1] + _BOUND_WEIGHT * (inside[i] - slack[i])
        for k in range(count + 2):
            target = _BEND_WEIGHT * (bent[k] - pull[k] - shift[k])
            if k >= 2:
                load[k - 2] += target
            if 1 <= k <= count:
                load[k - 1] -= 2.0 * target
            if k < count:
                load[k] += target
        for i in range(count):
            if i >= 1:
                load[i] -= one[i - 1] * load[i - 1]
            if i >= 2:
                load[i] -= two[i - 2] * load[i - 2]
        moved = 0.0
        for i in range(count - 1, -1, -1):
            value = load[i] / main[i]
            if i + 1 < count:
                value -= one[i] * z[i + 1]
            if i + 2 < count:
                value -= two[i] * z[i + 2]
            moved = max(moved, abs(value - z[i]))
            z[i] = value
        missed = 0.0
        for i in range(count):
            slack[i] += _RELAXATION * z[i] + (1.0 - _RELAXATION) * inside[i]
            inside[i] = min(max(slack[i], lowest[i + 1]), highest[i + 1])
            slack[i] -= inside[i]
            missed = max(missed, abs(z[i] - inside[i]))
        for k in range(count + 2):
            value = shift[k]
            if k >= 2:
                value += z[k - 2]
            if 1 <= k <= count:
                value -= 2.0 * z[k - 1]
            if k < count:
                value += z[k]
            pull[k] += _RELAXATION * value + (1.0 - _RELAXATION) * bent[k]
            bent[k] = min(max(pull[k], -bend), bend)
            pull[k] -= bent[k]
            missed = max(missed, abs(value - bent[k]))
        if missed < _CLOSE and moved < 0.1 * _CLOSE:
            break
    result = wanted.copy()
    for i in range(count):
        result[i + 1] = z[i]
    return result


def largest_acceleration(spline: PolynomialTrajectory) -> float:
    """Largest absolute second derivative of a trajectory of quintics with one component, exactly."""
    return float(_largest_acceleration(spline.times, spline.coefficients))


@native_loop
def _largest_acceleration(times: Array, coefficients: Array) -> float:
    result = 0.0
    for i in range(len(times) - 1):
        h = times[i + 1] - times[i]
        # The second derivative a e^3 + b e^2 + c e + d is extreme at the ends or where its own derivative vanishes.
        a, b = 20.0 * coefficients[i, 0, 0], 12.0 * coefficients[i, 1, 0]
        c, d = 6.0 * coefficients[i, 2, 0], 2.0 * coefficients[i, 3, 0]
        most = max(abs(d), abs(a + b + c + d))
        under = b * b - 3.0 * a * c
        if under >= 0.0:
            for sign in (-1.0, 1.0):
                below = -b - sign * np.sqrt(under)  # c / below is the root that does not cancel for small a
                if below != 0.0:
                    eta = c / below
                    if 0.0 < eta < 1.0:
                        most = max(most, abs(((a * eta + b) * eta + c) * eta + d))
        result = max(result, most / (h * h))
    return result
