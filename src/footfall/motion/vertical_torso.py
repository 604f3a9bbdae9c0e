"""Height of the torso: first from wanted heights alone, then within what the legs allow (Seiwald 2023).

Heights that stay within bounds and do not bend too much: a small banded program (Seiwald 2023).

    least sum (z_k - f_k)^2 + smoothness (z_k-1 - 2 z_k + z_k+1)^2
    with  lowest_k <= z_k <= highest_k,  |z_k-1 - 2 z_k + z_k+1| <= bend

Solved by an interior-point method, whose rounds cost one solve with a five-diagonal matrix each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf, routine
from footfall.errors import HeightNotSmooth
from footfall.math.interpolation import hermite_pieces, quintic_slopes
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.curves import LimbCurves, numbers_of
from footfall.motion.draft import Draft
from footfall.motion.five_mass import masses_of, torso_heights
from footfall.motion.leg_bounds import HeightRange, legs_of
from footfall.motion.parameters import TorsoParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample
from footfall.motion.stretched_leg import height_ranges_in_space

_MOST_ROUNDS = 80
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


class Rows(NamedTuple):
    """Inequalities of the program in four blocks: z <= highest, -z <= -lowest, D z <= bend - e, -D z <= bend + e.

    The first two blocks give way by multiplier / `_FIRMNESS`, so that there is always a solution if bends alone allow
    one. missing: what is left of `value + slack = bound`. weight: how stiff rows are for a change of z. slack_step,
    multiplier_step: of this round.
    """

    bound: Array
    slack: Array
    multiplier: Array
    missing: Array
    weight: Array
    slack_step: Array
    multiplier_step: Array


class Bands(NamedTuple):
    """Diagonals of the matrix of a round, and its right side, which becomes the step of z."""

    main: Array
    one: Array
    two: Array
    step: Array


@routine
def solve_program(
    wanted: Array, lowest: Array, highest: Array, bend: float, drift: float, smoothness: float
) -> Array:
    """The program's solution (n + 1,); z moves by `drift` in the first step if it does not bend, and stays after
    the end. A primal-dual interior-point method.
    """
    count = len(wanted) - 2  # without both ends
    shift = shift_by_ends(wanted, drift)
    rows = new_rows(lowest, highest, shift, bend)
    bands = Bands(np.empty(count), np.empty(count), np.empty(count), np.empty(count))
    z, bent = wanted[1:-1].copy(), np.empty(count + 2)
    bends(z, bent)
    for r in range(len(rows.slack)):
        value = row_value(z, bent, r) - relaxation(count, r, rows.multiplier[r])
        rows.slack[r] = max(rows.bound[r] - value, 0.01)
    for _ in range(_MOST_ROUNDS):
        bends(z, bent)
        gap, missed = what_is_missing(rows, z, bent)
        if gap < 1e-10 and missed < 1e-7:
            break
        aim_at(rows, count, _CENTRING * gap)
        fill_bands(rows, bands, z, wanted, bent, shift, smoothness)
        solve_five_diagonals(bands.main, bands.one, bands.two, bands.step)
        bends(bands.step, bent)
        share = steps_of_rows(rows, bands.step, bent)
        for r in range(len(rows.slack)):
            rows.slack[r] += share * rows.slack_step[r]
            rows.multiplier[r] += share * rows.multiplier_step[r]
        for i in range(count):
            z[i] += share * bands.step[i]
    result = wanted.copy()
    for i in range(count):
        result[i + 1] = z[i]
    return result


@routine
def shift_by_ends(wanted: Array, drift: float) -> Array:
    """What both ends contribute to the bends (n + 2,)."""
    count = len(wanted) - 2
    shift = np.zeros(count + 2)
    shift[0], shift[count + 1] = -wanted[0] - drift, -wanted[count + 1]
    shift[1] += wanted[0]
    shift[count] += wanted[count + 1]
    return shift


@routine
def new_rows(lowest: Array, highest: Array, shift: Array, bend: float) -> Rows:
    """All rows with their bounds; slacks are not known yet."""
    count = len(shift) - 2
    size = 4 * count + 4
    bound = np.empty(size)
    for i in range(count):
        bound[i], bound[count + i] = min(highest[i + 1], 1e3), -max(lowest[i + 1], -1e3)
    for k in range(count + 2):
        # A spline that leaves rest goes with the cube of time: in one step it bends by a sixth.
        limit = bend if 1 <= k <= count else bend / 6.0
        bound[2 * count + k], bound[3 * count + 2 + k] = limit - shift[k], limit + shift[k]
    return Rows(
        bound,
        np.empty(size),
        np.full(size, 0.01),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
    )


@routine
def row_value(z: Array, bent: Array, r: int) -> float:
    """Left side of row r at heights and their bends, or the change that a step of both makes."""
    count = len(z)
    if r < 2 * count:
        return z[r] if r < count else -z[r - count]
    return bent[r - 2 * count] if r < 3 * count + 2 else -bent[r - 3 * count - 2]


@routine
def relaxation(count: int, r: int, multiplier: float) -> float:
    """By how much row r yields to its multiplier: bounds of heights do, those of bends do not."""
    return multiplier / _FIRMNESS if r < 2 * count else 0.0


@routine
def what_is_missing(rows: Rows, z: Array, bent: Array) -> tuple[float, float]:
    """Mean of slack times multiplier, and the greatest error of a row."""
    size = len(rows.slack)
    gap, missed = 0.0, 0.0
    for r in range(size):
        value = row_value(z, bent, r) - relaxation(len(z), r, rows.multiplier[r])
        rows.missing[r] = value + rows.slack[r] - rows.bound[r]
        missed = max(missed, abs(rows.missing[r]))
        gap += rows.slack[r] * rows.multiplier[r] / size
    return gap, missed


@routine
def aim_at(rows: Rows, count: int, target: float) -> None:
    """Weights of all rows, and the steps of multipliers at heights that stay, for slack times multiplier = target."""
    for r in range(len(rows.slack)):
        slack, multiplier = rows.slack[r], rows.multiplier[r]
        compliance = 1.0 / (slack + multiplier * relaxation(count, r, 1.0))
        rows.multiplier_step[r] = compliance * (target - slack * multiplier + multiplier * rows.missing[r])
        rows.weight[r] = compliance * multiplier


@routine
def fill_bands(
    rows: Rows, bands: Bands, z: Array, wanted: Array, bent: Array, shift: Array, smoothness: float
) -> None:
    """The linear system for the step of z; bends are overwritten."""
    count = len(z)
    pull = np.empty(count + 2)
    multiplier, aimed, weight = rows.multiplier, rows.multiplier_step, rows.weight
    for k in range(count + 2):
        up, down = 2 * count + k, 3 * count + 2 + k
        pull[k] = smoothness + weight[up] + weight[down]
        bent[k] = smoothness * (bent[k] + shift[k])
        bent[k] += multiplier[up] + aimed[up] - multiplier[down] - aimed[down]
    for i in range(count):
        low = count + i
        bands.main[i] = 1.0 + weight[i] + weight[low] + pull[i] + 4.0 * pull[i + 1] + pull[i + 2]
        bands.one[i] = -2.0 * (pull[i + 1] + pull[i + 2])
        bands.two[i] = pull[i + 2]
        bands.step[i] = z[i] - wanted[i + 1] + multiplier[i] + aimed[i] - multiplier[low] - aimed[low]
    add_bends_back(bent, bands.step)
    for i in range(count):
        bands.step[i] = -bands.step[i]


@routine
def steps_of_rows(rows: Rows, step: Array, bent: Array) -> float:
    """Steps of slacks and multipliers that belong to a step of z and its bends; the share of all that may be taken."""
    share = 1.0
    for r in range(len(rows.slack)):
        change = row_value(step, bent, r)
        rows.multiplier_step[r] += rows.weight[r] * change
        rows.slack_step[r] = -rows.missing[r] - change + relaxation(len(step), r, rows.multiplier_step[r])
        if rows.slack_step[r] < 0.0:
            share = min(share, -0.99 * rows.slack[r] / rows.slack_step[r])
        if rows.multiplier_step[r] < 0.0:
            share = min(share, -0.99 * rows.multiplier[r] / rows.multiplier_step[r])
    return share


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


_LEGS = numbers_of(
    "right_foot",
    "left_foot",
    "right_toe",
    "left_toe",
    "right_foot_rotation",
    "left_foot_rotation",
    "upper_body",
)


class HeightPlan(NamedTuple):
    """Height of the torso (1,), and at the break points (k,): bounds with their margins, where the bounds of the legs
    themselves contradict each other, and the legs."""

    height: PolynomialTrajectory
    lowest: Array
    highest: Array
    overlapping: Flags
    legs: ArrayOf[Sample]


def wanted_height(draft: Draft, model: ReducedModel) -> PolynomialTrajectory:
    """First cycle: from each pose's height to the next, at rest in each."""
    times = draft.pose_times
    motion = np.zeros((3, len(times), 1))
    motion[0, :, 0] = torso_heights(draft.masses.sample(times), draft.com_heights, masses_of(model))
    if draft.torso_start is not None:
        motion[:, 0, 0] = draft.torso_start[:, 2]
    pieces = hermite_pieces(times, motion[0], motion[1], motion[2])
    return PolynomialTrajectory.unchecked(times.copy(), pieces)


def feasible_height(
    draft: Draft,
    model: ReducedModel,
    parameters: TorsoParameters,
    *,
    first: PolynomialTrajectory,
    horizontal: PolynomialTrajectory,
    times: Array,
) -> HeightPlan:
    """Second cycle: the first one, smoothed and kept within what both legs can reach.

    first: height of the first cycle; horizontal (2,): x and y of the torso; times (n + 1,): break points.
    """
    step = times[1] - times[0]
    slowness = parameters.filter_share * draft.last_duration
    share = 1.0 - math.exp(-step / slowness) if 700.0 * slowness > step else 1.0  # exp(-700) is nothing
    legs = legs_at(draft, times)
    bounds = height_ranges_in_space(legs, horizontal.sample(times, 0)[0], legs_of(model))
    limits = height_limits(first.sample(times, 0)[0, :, 0], share, bounds, parameters.bound_margin_m)
    start = (0.0, 0.0) if draft.torso_start is None else draft.torso_start[1:, 2].tolist()
    height = smooth_height(
        times,
        limits.wanted,
        limits.floor,
        limits.ceiling,
        velocity=start[0],
        acceleration=start[1],
        most=parameters.acceleration_limit_g * model.gravity,
    )
    overlapping = limits.lowest - limits.highest > 2.0 * parameters.bound_margin_m
    return HeightPlan(height, limits.lowest, limits.highest, overlapping, legs)


def legs_at(curves: LimbCurves, times: Array) -> ArrayOf[Sample]:
    """Samples (k,) with all that legs depend on, at times (k,), s."""
    return curves.packed.only(_LEGS).sample(times)


class HeightLimits(NamedTuple):
    """At k times, m. lowest, highest: bounds with their margins. wanted: the wanted height, filtered. floor, ceiling:
    bounds that can be kept: the middle of those that overlap, none where a leg does not reach its foot at all."""

    lowest: Array
    highest: Array
    wanted: Array
    floor: Array
    ceiling: Array


@routine(quick=True)
def height_limits(wanted: Array, share: float, bounds: ArrayOf[HeightRange], margin: float) -> HeightLimits:
    """Limits for wanted heights (k,) and bounds (k, 2) of both legs. share: of the low-pass, a filter of first order
    that starts at its first value, Seiwald 2023, section 6.14.1."""
    count = len(wanted)
    lowest, highest, filtered = np.empty(count), np.empty(count), np.empty(count)
    floor, ceiling = np.empty(count), np.empty(count)
    before = wanted[0]
    for k in range(count):
        low = max(bounds[k, 0].lowest, bounds[k, 1].lowest) + margin
        high = min(bounds[k, 0].highest, bounds[k, 1].highest) - margin
        lowest[k], highest[k] = low, high
        before = before + share * (wanted[k] - before)
        filtered[k] = before
        if not (np.isfinite(low) and np.isfinite(high)):
            low, high = -np.inf, np.inf
        elif low > high:
            low = high = (low + high) / 2.0
        floor[k], ceiling[k] = low, high
    filtered[count - 1] = wanted[count - 1]
    return HeightLimits(lowest, highest, filtered, floor, ceiling)
