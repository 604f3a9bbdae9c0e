"""Height of the torso: first from wanted heights alone, then within what the legs allow (spec 003c section 6.1)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.math.interpolation import hermite_pieces
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.curves import LimbCurves, numbers_of
from footfall.motion.draft import Draft
from footfall.motion.five_mass import mass_numbers
from footfall.motion.five_mass_loops import torso_heights
from footfall.motion.leg_bounds import LegBounds
from footfall.motion.parameters import TorsoParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.sample_layout import FEET, FOOT_ROTATIONS, TOES, UPPER_BODY
from footfall.motion.smooth_heights import smooth_height

_LEGS = numbers_of(
    "right_foot",
    "left_foot",
    "right_toe",
    "left_toe",
    "right_foot_rotation",
    "left_foot_rotation",
    "upper_body",
)


class LegPoses(NamedTuple):
    """What legs stand between, at k times: frames of both feet (2, k, 3), (2, k, 4), angles of both toe joints (2, k),
    orientation of the upper body (k, 4)."""

    feet: Array
    turns: Array
    toes: Array
    upper_body: Array


class HeightPlan(NamedTuple):
    """Height of the torso (1,), and at the break points (k,): bounds with their margins, where the bounds of the legs
    themselves contradict each other, and the legs."""

    height: PolynomialTrajectory
    lowest: Array
    highest: Array
    overlapping: np.ndarray[Any, np.dtype[np.bool_]]
    legs: LegPoses


def wanted_height(draft: Draft, model: ReducedModel) -> PolynomialTrajectory:
    """First cycle: from each pose's height to the next, at rest in each."""
    times = draft.pose_times
    motion = np.zeros((3, len(times), 1))
    torso_heights(draft.masses.sample(times)[0], draft.com_heights, mass_numbers(model), motion[0])
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
    bounds: LegBounds,
) -> HeightPlan:
    """Second cycle: the first one, smoothed and kept within what both legs can reach.

    first: height of the first cycle; horizontal (2,): x and y of the torso; times (n + 1,): break points.
    """
    step = times[1] - times[0]
    slowness = parameters.filter_share * draft.last_duration
    share = 1.0 - math.exp(-step / slowness) if slowness else 1.0
    legs = legs_at(draft, times)
    place = horizontal.sample(times, 0)[0]
    limits = bounds.in_space(legs.feet, legs.turns, legs.toes, place, legs.upper_body)
    plan = np.empty((5, len(times)))
    height_limits(first.sample(times, 0), share, limits, parameters.bound_margin_m, plan)
    lowest, highest = plan[0], plan[1]
    start = (0.0, 0.0) if draft.torso_start is None else draft.torso_start[1:, 2].tolist()
    height = smooth_height(
        times,
        plan[2],
        plan[3],
        plan[4],
        velocity=start[0],
        acceleration=start[1],
        most=parameters.acceleration_limit_g * model.gravity,
    )
    overlapping = lowest - highest > 2.0 * parameters.bound_margin_m
    return HeightPlan(height, lowest, highest, overlapping, legs)


def leg_bounds_at(curves: LimbCurves, place: Array, times: Array, bounds: LegBounds) -> Array:
    """Bounds (4, k) of the torso's height by the right and the left leg at times (k,), s, for places (k, 2) of the
    torso, m."""
    legs = legs_at(curves, times)
    return bounds(legs.feet, legs.turns, legs.toes, place, legs.upper_body)


def legs_at(curves: LimbCurves, times: Array) -> LegPoses:
    """The legs at times (k,), s."""
    count = len(times)
    legs = LegPoses(
        np.empty((2, count, 3)), np.empty((2, count, 4)), np.empty((2, count)), np.empty((count, 4))
    )
    leg_poses(*curves.packed.only(_LEGS).sample(times), *legs)
    return legs


@routine
def leg_poses(
    values: Array, rotations: Array, feet: Array, turns: Array, toes: Array, upper_body: Array
) -> None:
    """Fill what `LegBounds` takes, from samples."""
    for k in range(len(values)):
        for d in range(4):
            upper_body[k, d] = rotations[k, UPPER_BODY, d]
        for side in range(2):
            toes[side, k] = values[k, 0, TOES + side]
            for d in range(3):
                feet[side, k, d] = values[k, 0, FEET + 3 * side + d]
            for d in range(4):
                turns[side, k, d] = rotations[k, FOOT_ROTATIONS + side, d]


@routine
def height_limits(wanted: Array, share: float, limits: Array, margin: float, result: Array) -> None:
    """Fill result (5, k): bounds with their margins, the wanted height filtered, and bounds that can be kept: the
    middle of those that overlap, none where a leg does not reach its foot at all.

    wanted (1, k, 1): heights. share: of the low-pass, a filter of first order that starts at its first value, 003c
    section 6.1. limits (4, k): of the legs.
    """
    count = result.shape[1]
    for k in range(count):
        lowest, highest = max(limits[0, k], limits[2, k]) + margin, min(limits[1, k], limits[3, k]) - margin
        result[0, k], result[1, k] = lowest, highest
        before = result[2, k - 1] if k > 0 else wanted[0, 0, 0]
        result[2, k] = before + share * (wanted[0, k, 0] - before)
        if not (np.isfinite(lowest) and np.isfinite(highest)):
            lowest, highest = -np.inf, np.inf
        elif lowest > highest:
            lowest = highest = (lowest + highest) / 2.0
        result[3, k], result[4, k] = lowest, highest
    result[2, count - 1] = wanted[0, count - 1, 0]
