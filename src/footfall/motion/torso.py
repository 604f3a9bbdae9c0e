"""The motion of the torso: height and place depend on each other, two rounds settle it (Seiwald 2023).

A whole robot has angular momentum beyond that of five masses: thighs and shanks are not where five points are, so that
it needs another torque of the ground. At 0.5 m in 0.7 s its zero-moment point is 5 cm beside the planned one. The
difference of both momenta along a planned motion is a trajectory of its own; its rate is a torque in the equation of
the torso, which is solved again.

Where the torso moves horizontally so that the zero moment point is where it shall be (Seiwald 2023).

The five-mass model turns a wanted zero moment point into one linear differential equation of second order for the
torso's x and y, which share their left-hand side. Both ends of the motion are at rest (or continue a motion): more
conditions than the equation bears, see `footfall.math.collocation`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf
from footfall.errors import InvalidInput
from footfall.math.collocation import LinearEquation, collocate_banded
from footfall.math.interpolation import quintic_spline
from footfall.math.least_squares_splines import equal_grid, equal_quadrature_times, least_squares_pieces
from footfall.math.trajectories import PolynomialTrajectory, stack
from footfall.motion.draft import Draft
from footfall.motion.five_mass import angular_momenta, centre_of_mass_motion, masses_of, torso_equation
from footfall.motion.parameters import TorsoParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples, Sample, as_records
from footfall.motion.vertical_torso import HeightPlan, feasible_height, wanted_height
from footfall.motion.whole_body import WholeBody

_MOST_POINTS = 100_000
_POINTS = 2  # at which the error counts in each segment; three make it 3 % smaller


def grid(draft: Draft, distance: float) -> Array:
    """Break points (n + 1,) at equal distances of about `distance` s."""
    begin, end = draft.begin_time, draft.end_time
    if not (end - begin) / distance <= _MOST_POINTS:
        raise InvalidInput(
            f"break points every {distance:g} s in a motion of {end - begin:g} s; at most {_MOST_POINTS} are taken"
        )
    count = max(2, round((end - begin) / distance))
    times = begin + (end - begin) / count * np.arange(count + 1.0)
    times[-1] = end
    return times


def horizontal_equation(
    draft: Draft, model: ReducedModel, height: PolynomialTrajectory, at: Array
) -> LinearEquation:
    """The equation of x and (signs reversed) of y at times (k,), Seiwald 2023, (6.26)-(6.29)."""
    return torso_equation(draft.masses.sample(at), height.sample(at), masses_of(model))


def end_conditions(draft: Draft, model: ReducedModel) -> tuple[Array, Array]:
    """Value, velocity and acceleration (3, 2) of the torso's x and y at the begin and at the end.

    At rest the equation is gamma r = tau: the static solution Seiwald 2023, (F.14).
    """
    height = np.zeros((3, 2, 1))
    height[0] = 1.0 + draft.zmp.coefficients[0, -1, 2]  # any height above the ground
    equation = torso_equation(draft.masses.sample(draft.pose_times[[0, -1]]), height, masses_of(model))
    start, end = np.zeros((3, 2)), np.zeros((3, 2))
    start[0], end[0] = equation.tau / equation.gamma[:, None]
    if draft.torso_start is not None:
        start = np.array(draft.torso_start[:, :2])
    return start, end


def horizontal_torso(
    draft: Draft,
    model: ReducedModel,
    parameters: TorsoParameters,
    *,
    height: PolynomialTrajectory,
    times: Array,
    ends: tuple[Array, Array],
) -> PolynomialTrajectory:
    """x and y (2,) of the torso as quintics (cubics by that method) between equally distant break points (n + 1,)."""
    if parameters.method == "least_squares":
        equation = horizontal_equation(draft, model, height, equal_quadrature_times(times, _POINTS))
        pieces = least_squares_pieces(equal_grid(times, _POINTS), equation, *ends)
        return PolynomialTrajectory.unchecked(times.copy(), pieces)
    equation = horizontal_equation(draft, model, height, times[1:-1].copy())
    return collocate_banded(times, equation, *ends, kind=parameters.method)


class MomentumExcess(NamedTuple):
    """curve (3,): angular momentum about the centre of mass that a body has and masses have not, kg m2/s.
    configurations (n, nq): of the body where they were compared."""

    curve: PolynomialTrajectory
    configurations: Array


def momentum_excess(
    draft: Draft,
    torso: PolynomialTrajectory,
    body: WholeBody,
    times: Array,
    before: MomentumExcess | None = None,
) -> MomentumExcess:
    """The excess of a body with comfortable arms over masses at torso and feet: what hands do is left to their masses.

    torso (3,): its motion. times (n + 1,): where both are compared, from begin to end. before: of a motion close to
    this one.
    """
    numbers, masses = draft.packed.numbers(times), masses_of(body.model)
    limbs, samples = as_records(numbers), MotionSamples.of(numbers)
    center = centre_of_mass_motion(limbs, torso.sample(times), masses)
    samples.center_of_mass[:] = np.moveaxis(center, 0, 1)
    posture = body.postures(samples, start=None if before is None else before.configurations)
    excess = posture.momentum - angular_momenta(limbs, masses)
    start = np.zeros((3, 3)) if draft.momentum_start is None else draft.momentum_start
    excess[0], excess[-1] = start[0], 0.0
    curve = quintic_spline(times, excess, start_velocity=start[1], start_acceleration=start[2])
    return MomentumExcess(curve, posture.q)


def no_momentum(draft: Draft) -> PolynomialTrajectory:
    """For those who have no body: five masses are all there is."""
    return PolynomialTrajectory.unchecked(np.array([draft.begin_time, draft.end_time]), np.zeros((1, 6, 3)))


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
    contradict each other, s. legs: at the times, until the motion has been checked. momentum (3,): see
    `momentum_excess`. stage_seconds: CPU time that the parts took."""

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
