"""The motion of the torso: height and place depend on each other, two rounds settle it (Seiwald 2023)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf
from footfall.math.trajectories import PolynomialTrajectory, stack
from footfall.motion.draft import Draft
from footfall.motion.horizontal_torso import end_conditions, grid, horizontal_torso
from footfall.motion.momentum import momentum_excess, no_momentum
from footfall.motion.parameters import TorsoParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample
from footfall.motion.vertical_torso import HeightPlan, feasible_height, wanted_height
from footfall.motion.whole_body import WholeBody

STAGES = (
    "RMT-z cycle 1",
    "RMT-xy cycle 1",
    "whole body cycle 1",
    "RMT-z cycle 2",
    "RMT-xy cycle 2",
    "whole body cycle 2",
)


@dataclass(frozen=True, eq=False)
class TorsoPlan:
    """trajectory (3,): of the torso's mass point, world axes, m. first_height (1,): of the first cycle, without
    limits of the legs. first_place (2,): x and y of the first cycle. times (n + 1,): break points of the second
    cycle, with the bounds of its height there, m. overlaps: those of the times at which the bounds of both legs
    contradict each other, s. legs: at the times. momentum (3,): see `momentum_excess`. stage_seconds: CPU time that the
    parts took."""

    trajectory: PolynomialTrajectory
    first_height: PolynomialTrajectory
    first_place: PolynomialTrajectory
    times: Array
    lowest: Array
    highest: Array
    overlaps: Array
    legs: ArrayOf[Sample]
    momentum: PolynomialTrajectory
    stage_seconds: Mapping[str, float]


def plan_torso(
    draft: Draft,
    model: ReducedModel,
    parameters: TorsoParameters | None = None,
    *,
    body: WholeBody | None = None,
) -> TorsoPlan:
    """Stage 14: height, place, height within the legs' bounds, place again; with a body, place once more with the
    angular momentum that it has then, in both cycles."""
    parameters = parameters or TorsoParameters()
    clock = [time.thread_time()]
    first_height = wanted_height(draft, model)
    clock.append(time.thread_time())
    ends, coarse = end_conditions(draft, model), grid(draft, parameters.first_grid_s)
    first_place = horizontal_torso(draft, model, parameters, height=first_height, times=coarse, ends=ends)
    clock.append(time.thread_time())
    compared, excess = grid(draft, parameters.body_grid_s), None
    if body is not None:
        excess = momentum_excess(draft, stack([first_place, first_height]), body, compared)
        draft = replace(draft, momentum=excess.curve)
        first_place = horizontal_torso(draft, model, parameters, height=first_height, times=coarse, ends=ends)
    clock.append(time.thread_time())
    times = grid(draft, parameters.grid_s)
    heights: HeightPlan = feasible_height(
        draft,
        model,
        parameters,
        first=first_height,
        horizontal=first_place,
        times=times,
    )
    clock.append(time.thread_time())
    place = horizontal_torso(draft, model, parameters, height=heights.height, times=times, ends=ends)
    trajectory = _side_by_side(place, heights.height)
    clock.append(time.thread_time())
    for _ in range(parameters.body_rounds if body is not None else 0):
        assert body is not None
        excess = momentum_excess(draft, trajectory, body, compared, excess)
        draft = replace(draft, momentum=excess.curve)
        place = horizontal_torso(draft, model, parameters, height=heights.height, times=times, ends=ends)
        trajectory = _side_by_side(place, heights.height)
    clock.append(time.thread_time())
    return TorsoPlan(
        trajectory,
        first_height,
        first_place,
        times,
        heights.lowest,
        heights.highest,
        times[heights.overlapping],
        heights.legs,
        no_momentum(draft) if excess is None else excess.curve,
        {name: end - begin for name, (begin, end) in zip(STAGES, pairwise(clock), strict=True)},
    )


def _side_by_side(place: PolynomialTrajectory, height: PolynomialTrajectory) -> PolynomialTrajectory:
    if place.coefficients.shape[:2] == height.coefficients.shape[:2]:
        pieces = np.concatenate([place.coefficients, height.coefficients], axis=2)
        return PolynomialTrajectory.unchecked(place.times, pieces)
    return stack([place, height])
