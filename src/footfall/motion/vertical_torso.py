"""Height of the torso: first from wanted heights alone, then within what the legs allow (Seiwald 2023)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf, routine
from footfall.math.interpolation import hermite_pieces
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.curves import LimbCurves, numbers_of
from footfall.motion.draft import Draft
from footfall.motion.five_mass import masses_of, torso_heights
from footfall.motion.leg_bounds import HeightRange, legs_of
from footfall.motion.parameters import TorsoParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample
from footfall.motion.smooth_heights import smooth_height
from footfall.motion.stretched_leg import height_ranges_in_space

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
