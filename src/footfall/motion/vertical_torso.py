"""Height of the torso: first from wanted heights alone, then within what the legs allow (spec 003c section 6.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.math.interpolation import hermite_quintic
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.draft import Draft
from footfall.motion.five_mass import sample_limbs, torso_height
from footfall.motion.leg_bounds import LegBounds
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.smooth_heights import smooth_height
from footfall.motion.torso_parameters import TorsoParameters

Array = np.ndarray[Any, np.dtype[np.float64]]


class HeightPlan(NamedTuple):
    """Height of the torso (1,), and at the break points (k,): bounds with their margins, and where the bounds of the
    legs themselves contradict each other."""

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
    filtered = _low_pass(wanted, share)
    filtered[-1] = wanted[-1]
    start = np.zeros(2) if draft.torso_start is None else draft.torso_start[1:, 2]
    height = smooth_height(
        times,
        filtered,
        *_without_contradiction(lowest, highest),
        velocity=float(start[0]),
        acceleration=float(start[1]),
        most=parameters.acceleration_limit_g * model.gravity,
    )
    overlapping = lowest - highest > 2.0 * parameters.bound_margin_m
    return HeightPlan(height, lowest, highest, overlapping)


def _without_contradiction(lowest: Array, highest: Array) -> tuple[Array, Array]:
    """Bounds that can be kept: the middle of those that overlap, none where a leg does not reach its foot at all."""
    overlapping = lowest > highest
    if not overlapping.any():
        return lowest, highest
    reached = np.isfinite(lowest) & np.isfinite(highest)
    middle = (np.where(reached, lowest, 0.0) + np.where(reached, highest, 0.0)) / 2
    low, high = np.where(overlapping, middle, lowest), np.where(overlapping, middle, highest)
    return np.where(reached, low, -np.inf), np.where(reached, high, np.inf)


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


@native_loop
def _low_pass(values: Array, share: float) -> Array:
    """A filter of first order that starts at its first value, 003c section 6.1."""
    result = values.copy()
    for k in range(1, len(values)):
        result[k] = result[k - 1] + share * (values[k] - result[k - 1])
    return result
