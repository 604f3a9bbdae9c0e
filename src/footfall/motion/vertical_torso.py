"""Height of the torso: first from wanted heights alone, then within what the legs allow (spec 003c section 6.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solveh_banded

from footfall.compiler.native_loops import native_loop
from footfall.errors import FootfallError
from footfall.math.interpolation import hermite_quintic, quintic_spline
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.draft import Draft
from footfall.motion.five_mass import sample_limbs, torso_height
from footfall.motion.leg_bounds import LegBounds
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.torso_parameters import TorsoParameters

Array = np.ndarray[Any, np.dtype[np.float64]]


class HeightNotSmooth(FootfallError, ValueError):
    """The wanted heights of the torso cannot be reached without too much acceleration."""


class HeightPlan(NamedTuple):
    """Height of the torso (1,), and at the break points (k,): bounds of the legs, where they contradict each other."""

    height: PolynomialTrajectory
    lowest: Array
    highest: Array
    overlapping: np.ndarray[Any, np.dtype[np.bool_]]


def wanted_height(draft: Draft, model: ReducedModel) -> PolynomialTrajectory:
    """First cycle: from each pose's height to the next, at rest in each."""
    limbs = sample_limbs(draft, draft.pose_times)
    heights = torso_height(limbs, draft.com_heights, model)
    rates, seconds = np.zeros_like(heights), np.zeros_like(heights)
    if draft.torso_start is not None:
        heights[0], rates[0], seconds[0] = draft.torso_start[:, 2]
    return hermite_quintic(draft.pose_times, heights, rates, seconds)


def feasible_height(
    draft: Draft,
    model: ReducedModel,
    parameters: TorsoParameters,
    *,
    first: PolynomialTrajectory,
    horizontal: PolynomialTrajectory,
    times: Array,
    bounds: LegBounds,
) -> HeightPlan:
    """Second cycle: the first one, smoothed and kept within what both legs can reach.

    first: height of the first cycle; horizontal (2,): x and y of the torso; times (n + 1,): break points.
    """
    wanted = first.sample(times, 0)[0, :, 0]
    step = times[1] - times[0]
    share = (
        1.0 - np.exp(-step / (parameters.filter_share * draft.last_duration))
        if parameters.filter_share
        else 1.0
    )
    limits = leg_bounds_at(draft, horizontal, times, bounds)
    lowest = np.maximum(limits[0], limits[2]) + parameters.bound_margin_m
    highest = np.minimum(limits[1], limits[3]) - parameters.bound_margin_m
    heights = _kept_within(_low_pass(wanted, share), lowest, highest)
    heights[0], heights[-1] = wanted[0], wanted[-1]
    start = (0.0, 0.0) if draft.torso_start is None else tuple(draft.torso_start[1:, 2])
    most = parameters.acceleration_limit_g * model.gravity
    height = smooth_height(times, heights, start, most)
    return HeightPlan(height, lowest, highest, lowest > highest)


def leg_bounds_at(draft: Draft, horizontal: PolynomialTrajectory, times: Array, bounds: LegBounds) -> Array:
    """Bounds (4, k) of the torso's height by the right and the left leg at some times, m."""
    feet = np.stack([draft.right_foot.sample(times, 0)[0], draft.left_foot.sample(times, 0)[0]])
    turns = np.stack(
        [
            draft.right_foot_rotation.sample(times).quaternion,
            draft.left_foot_rotation.sample(times).quaternion,
        ]
    )
    toes = np.stack([draft.right_toe.sample(times, 0)[0, :, 0], draft.left_toe.sample(times, 0)[0, :, 0]])
    place = horizontal.sample(times, 0)[0]
    return bounds(feet, turns, toes, place, draft.upper_body.sample(times).quaternion)


def smooth_height(
    times: Array, heights: Array, start: tuple[float, ...], most: float, *, attempts: int = 60
) -> PolynomialTrajectory:
    """The quintic spline through heights (n + 1,), which are moved as little as needed for accelerations <= most.

    start: velocity and acceleration there; at the end the torso is at rest. Where the spline accelerates too much,
    the bend of the heights is penalised more and more, and only there.
    """
    penalty = np.zeros(len(times) - 2)
    moved = heights
    for _ in range(attempts):
        spline = quintic_spline(times, moved, start_velocity=start[0], start_acceleration=start[1])
        peaks = _acceleration_peaks(spline.times, spline.coefficients)
        too_much = peaks > most * (1.0 + 1e-9)
        if not too_much.any():
            return spline
        near = too_much[:-1] | too_much[1:]
        penalty[near] = np.maximum(2.0 * penalty[near], 1e-3)
        moved = _less_bent(heights, penalty)
    raise HeightNotSmooth(
        f"the torso's height accelerates with {peaks.max():.3g} m/s2; at most {most:.3g} m/s2 are allowed"
    )


def _less_bent(heights: Array, penalty: Array) -> Array:
    """argmin |z - heights|^2 + sum penalty_k (z_k-1 - 2 z_k + z_k+1)^2 with both ends fixed."""
    count = len(heights)
    bands = np.zeros((3, count))  # upper form: second, first, main diagonal
    bands[2] = 1.0
    for offset, factor in ((0, 1.0), (1, -2.0), (2, 1.0)):
        bands[2, offset : offset + count - 2] += factor * factor * penalty
    bands[1, 1:-1] += -2.0 * penalty
    bands[1, 2:] += -2.0 * penalty
    bands[0, 2:] += penalty
    fixed = 1e9  # the weight of the ends
    bands[2, [0, -1]] += fixed
    load = heights.copy()
    load[[0, -1]] *= 1.0 + fixed
    result = np.asarray(solveh_banded(bands, load))
    result[[0, -1]] = heights[[0, -1]]
    return result


@native_loop
def _low_pass(values: Array, share: float) -> Array:
    """A filter of first order that starts at its first value, 003c section 6.1."""
    result = values.copy()
    for k in range(1, len(values)):
        result[k] = result[k - 1] + share * (values[k] - result[k - 1])
    return result


@native_loop
def _kept_within(values: Array, lowest: Array, highest: Array) -> Array:
    """Values between bounds; the middle of bounds that contradict each other; where no leg reaches, as they are."""
    result = values.copy()
    for k in range(len(values)):
        if lowest[k] <= highest[k]:
            result[k] = min(max(values[k], lowest[k]), highest[k])
        elif np.isfinite(lowest[k]) and np.isfinite(highest[k]):
            result[k] = 0.5 * (lowest[k] + highest[k])
    return result


@native_loop
def _acceleration_peaks(times: Array, coefficients: Array) -> Array:
    """The largest second derivative (n,) of each quintic, by the roots of its third."""
    count = len(times) - 1
    result = np.zeros(count)
    for i in range(count):
        h = times[i + 1] - times[i]
        a, b, c, d = (
            20.0 * coefficients[i, 0, 0],
            12.0 * coefficients[i, 1, 0],
            6.0 * coefficients[i, 2, 0],
            2.0 * coefficients[i, 3, 0],
        )
        most = max(abs(d), abs(a + b + c + d))
        under = b * b - 3.0 * a * c
        if under >= 0.0 and a != 0.0:
            for sign in (-1.0, 1.0):
                eta = (-b + sign * np.sqrt(under)) / (3.0 * a)
                if 0.0 < eta < 1.0:
                    most = max(most, abs(((a * eta + b) * eta + c) * eta + d))
        elif a == 0.0 and b != 0.0:
            eta = -c / (2.0 * b)
            if 0.0 < eta < 1.0:
                most = max(most, abs((b * eta + c) * eta + d))
        result[i] = most / (h * h)
    return result
