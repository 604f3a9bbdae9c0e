"""Heights that stay within bounds and do not bend too much: a small banded program (Seiwald 2023).

    least sum (z_k - f_k)^2 + smoothness (z_k-1 - 2 z_k + z_k+1)^2
    with  lowest_k <= z_k <= highest_k,  |z_k-1 - 2 z_k + z_k+1| <= bend

Solved by an interior-point method, whose rounds cost one solve with a five-diagonal matrix each.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.errors import HeightNotSmooth
from footfall.math.interpolation import hermite_pieces, quintic_slopes
from footfall.math.trajectories import PolynomialTrajectory

_ROUNDS = 80
_CENTRING = 0.1  # by how much the gap shall fall in each round
_SMOOTHING_TIME = 0.12  # s: over it heights are smoothed; else bends would jump from one limit to the other
_FIRMNESS = 1e4  # of bounds: 1 m less distance to the wanted heights is worth giving way by 0.1 mm


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

    start, end = np.array([[velocity], [acceleration]]), np.zeros((2, 1))

    def through(heights: Array) -> tuple[Array, float]:
        points = heights[:, None]
        pieces = hermite_pieces(times, points, *quintic_slopes(times, points, start, end))
        return pieces, largest_acceleration(times, pieces)

    pieces, peak = through(wanted_within(wanted, lowest, highest))
    step = float(times[1] - times[0])
    drift = velocity * step + acceleration * step * step / 2
    smoothness = (_SMOOTHING_TIME / step) ** 4
    share = 1.0
    while peak > most and share > 0.2:
        # A spline bends a little more between the points than the points do: by how much, the last one shows.
        share *= 0.93 if share == 1.0 else max(0.97 * most / peak, 0.7)
        bend = share * most * step * step
        pieces, peak = through(solve_program(wanted, lowest, highest, bend, drift, smoothness))
    if peak > most:
        height = PolynomialTrajectory.unchecked(times.copy(), pieces)
        raise HeightNotSmooth(float(times[np.abs(height.sample(times)[2]).argmax()]), peak, most)
    return PolynomialTrajectory.unchecked(times.copy(), pieces)


@routine
def wanted_within(wanted: Array, lowest: Array, highest: Array) -> Array:
    """The wanted heights, brought between the bounds except at both ends."""
    result = wanted.copy()
    for k in range(1, len(wanted) - 1):
        result[k] = min(max(wanted[k], lowest[k]), highest[k])
    return result


@routine
def bends(z: Array, result: Array) -> None:
    """z_k-1 - 2 z_k + z_k+1 (n + 2,) of points (n,) among zeros."""
    count = len(z)
    for k in range(count + 2):
        value = 0.0
        if k >= 2:
            value += z[k - 2]
        if 1 <= k <= count:
            value -= 2.0 * z[k - 1]
        if k < count:
            value += z[k]
        result[k] = value


@routine
def add_bends_back(weights: Array, result: Array) -> None:
    """Add the transpose of `bends` times weights (n + 2,) to a result (n,)."""
    for i in range(len(result)):
        result[i] += weights[i + 2] - 2.0 * weights[i + 1] + weights[i]


@routine
def solve_five_diagonals(main: Array, one: Array, two: Array, load: Array) -> None:
    """Solve a symmetric, positive system in place by L D L^T; main, one and two diagonals are overwritten."""
    count = len(load)
    for i in range(count):
        if i >= 1:
            main[i] -= one[i - 1] * one[i - 1] * main[i - 1]
            load[i] -= one[i - 1] * load[i - 1]
        if i >= 2:
            main[i] -= two[i - 2] * two[i - 2] * main[i - 2]
            load[i] -= two[i - 2] * load[i - 2]
        if i >= 1:
            one[i] -= two[i - 1] * one[i - 1] * main[i - 1]
        one[i] /= main[i]
        two[i] /= main[i]
    for i in range(count - 1, -1, -1):
        load[i] /= main[i]
        if i + 1 < count:
            load[i] -= one[i] * load[i + 1]
        if i + 2 < count:
            load[i] -= two[i] * load[i + 2]


@routine
def solve_program(
    wanted: Array, lowest: Array, highest: Array, bend: float, drift: float, smoothness: float
) -> Array:
    """The program's solution (n + 1,); z moves by `drift` in the first step if it does not bend, and stays after
    the end.

    A primal-dual interior-point method. Rows: z <= highest, -z <= -lowest, D z <= bend - e, -D z <= bend + e; the
    first two give way by multiplier / `_FIRMNESS`, so that there is always a solution if bends alone allow one.
    """
    count = len(wanted) - 2  # without both ends
    first, last = wanted[0], wanted[count + 1]
    shift = np.zeros(count + 2)  # what both ends contribute to the bends
    shift[0], shift[count + 1] = -first - drift, -last
    shift[1] += first
    shift[count] += last
    rows = 4 * count + 4
    bound = np.empty(rows)
    for i in range(count):
        bound[i], bound[count + i] = min(highest[i + 1], 1e3), -max(lowest[i + 1], -1e3)
    for k in range(count + 2):
        # A spline that leaves rest goes with the cube of time: in one step it bends by a sixth.
        limit = bend if 1 <= k <= count else bend / 6.0
        bound[2 * count + k], bound[3 * count + 2 + k] = limit - shift[k], limit + shift[k]
    z = wanted[1:-1].copy()
    slack, multiplier = np.empty(rows), np.full(rows, 0.01)
    missing, weight, push = np.empty(rows), np.empty(rows), np.empty(rows)
    bent, pull = np.empty(count + 2), np.empty(count + 2)
    main, one, two, step = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    for round_number in range(_ROUNDS):
        bends(z, bent)
        gap, missed = 0.0, 0.0
        for r in range(rows):
            if r < 2 * count:
                value = z[r] if r < count else -z[r - count]
                value -= multiplier[r] / _FIRMNESS
            else:
                value = bent[r - 2 * count] if r < 3 * count + 2 else -bent[r - 3 * count - 2]
            if round_number == 0:
                slack[r] = max(bound[r] - value, 0.01)
            missing[r] = value + slack[r] - bound[r]
            missed = max(missed, abs(missing[r]))
            gap += slack[r] * multiplier[r] / rows
        if gap < 1e-10 and missed < 1e-7:
            break
        for r in range(rows):
            give = 1.0 / _FIRMNESS if r < 2 * count else 0.0
            weight[r] = 1.0 / (slack[r] + multiplier[r] * give)
            push[r] = weight[r] * (_CENTRING * gap - slack[r] * multiplier[r] + multiplier[r] * missing[r])
            weight[r] *= multiplier[r]
        for k in range(count + 2):
            up, down = 2 * count + k, 3 * count + 2 + k
            pull[k] = smoothness + weight[up] + weight[down]
            bent[k] = smoothness * (bent[k] + shift[k])
            bent[k] += multiplier[up] + push[up] - multiplier[down] - push[down]
        for i in range(count):
            main[i] = 1.0 + weight[i] + weight[count + i] + pull[i] + 4.0 * pull[i + 1] + pull[i + 2]
            one[i] = -2.0 * (pull[i + 1] + pull[i + 2])
            two[i] = pull[i + 2]
            step[i] = z[i] - wanted[i + 1] + multiplier[i] + push[i] - multiplier[count + i] - push[count + i]
        add_bends_back(bent, step)
        for i in range(count):
            step[i] = -step[i]
        solve_five_diagonals(main, one, two, step)
        bends(step, bent)
        share = 1.0
        for r in range(rows):
            if r < 2 * count:
                value = step[r] if r < count else -step[r - count]
            else:
                value = bent[r - 2 * count] if r < 3 * count + 2 else -bent[r - 3 * count - 2]
            push[r] += weight[r] * value
            change = -missing[r] - value + (push[r] / _FIRMNESS if r < 2 * count else 0.0)
            missing[r] = change  # of the slack, from here on
            if change < 0.0:
                share = min(share, -0.99 * slack[r] / change)
            if push[r] < 0.0:
                share = min(share, -0.99 * multiplier[r] / push[r])
        for r in range(rows):
            slack[r] += share * missing[r]
            multiplier[r] += share * push[r]
        for i in range(count):
            z[i] += share * step[i]
    result = wanted.copy()
    for i in range(count):
        result[i + 1] = z[i]
    return result


@routine
def largest_acceleration(times: Array, coefficients: Array) -> float:
    """Largest absolute second derivative of quintics with one component (n, 6, 1), exactly."""
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
