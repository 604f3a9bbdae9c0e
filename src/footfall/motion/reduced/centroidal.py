"""The centroidal model: the centre of mass of all bodies and their angular momentum about it, Carpentier 2016; and
whether legs get there.

    (c_z'' + g) (c - p) - (c_z - p_z) c'' = -L' / m     (with the signs of either axis)

is exact for any robot, if one knows its angular momentum L. It follows from the motion of all joints, and that from
where the centre of mass goes: so it is planned once as if there were none, and then again with what the robot has on
that way. A robot without a description has the momentum of five masses.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.interpolation import quintic_spline
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.five_mass import angular_momenta, masses_of, torso_equation
from footfall.motion.leg_room import rooms_of_legs
from footfall.motion.limbs import limbs_of, torso_motion
from footfall.motion.reduced.masses import (
    even_times,
    least_squares_place,
    least_squares_sites,
    masses_motion,
    torso_course,
    torso_ends,
)
from footfall.motion.reduced.problem import GRID, BalanceProblem, CentreMotion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples, as_records
from footfall.motion.vertical_torso import legs_at

_PASSES = 2


@lru_cache(maxsize=16)
def one_mass(model: ReducedModel) -> ReducedModel:
    """A robot whose mass is all in one point."""
    return replace(model, foot_share=0.0, hand_share=0.0, torso_inertia=np.zeros((3, 3)))


def plan_centroidal(problem: BalanceProblem) -> CentreMotion:
    """The centre of mass for the angular momentum that the robot has on its way."""
    point = one_mass(problem.model)
    plain = replace(problem, draft=replace(problem.draft, momentum=None))
    masses, times = masses_of(point), even_times(plain)
    sites, ends = least_squares_sites(times), np.array([plain.begin, plain.end])
    # Only the momentum changes from round to round: all else is looked up once.
    inside, outside = plain.samples(sites), plain.samples(ends)
    heights, limbs = torso_course(plain, point, sites, inside), _limbs(plain)
    momentum = None
    for number in range(1 + _PASSES):
        equation = torso_equation(inside, heights, masses)
        center = least_squares_place(times, equation, *torso_ends(plain, point, outside))
        if number < _PASSES:
            momentum = angular_momentum(plain, center, limbs)
            for samples, at in ((inside, sites), (outside, ends)):
                for name, values in zip(("value", "rate", "second"), momentum.sample(at), strict=True):
                    samples[name]["momentum"] = values
    return masses_motion(replace(plain, draft=replace(plain.draft, momentum=momentum)), point, center)


class _Limbs(NamedTuple):
    """Limbs (k, ...) at times (k,), s, and heights (3, k, 1) of the centre of mass there with two derivatives, m."""

    times: Array
    numbers: Array
    heights: Array


def _limbs(problem: BalanceProblem) -> _Limbs:
    count = max(round((problem.end - problem.begin) / GRID), 2)
    times = np.linspace(problem.begin, problem.end, count + 1)
    return _Limbs(times, problem.draft.packed.numbers(times), problem.center_heights(times)[:, :, None])


def angular_momentum(
    problem: BalanceProblem, center: PolynomialTrajectory, limbs: _Limbs
) -> PolynomialTrajectory:
    """About the centre of mass (3,), kg m2/s, that moves so (2,): of all bodies if they are known, else of five
    masses."""
    samples = MotionSamples.of(limbs.numbers)
    course = np.concatenate([center.sample(limbs.times), limbs.heights], axis=2)
    samples.center_of_mass[:] = np.moveaxis(course, 0, 1)
    if problem.body is None:
        found = angular_momenta(as_records(limbs.numbers), masses_of(problem.model))
    else:
        found = problem.body.postures(samples).momentum
    return quintic_spline(limbs.times, found)


def center_course(problem: BalanceProblem, motion: CentreMotion, at: Array) -> Array:
    """Position, velocity and acceleration (3, k, 3) of the centre of mass at times (k,), with its height."""
    height = problem.center_heights(at)[:, :, None]
    return np.concatenate([motion.center.sample(at), height], axis=2)


def least_leg_room(problem: BalanceProblem, motion: CentreMotion) -> float:
    """The kinematic check: how much longer a leg could be pulled, and how far the torso is from the heights that legs
    allow, m, where that is least; below zero it cannot be walked."""
    times = problem.grid
    samples = MotionSamples.of(problem.draft.packed.numbers(times))
    torso = torso_motion(limbs_of(samples), center_course(problem, motion, times), problem.model)
    rooms = rooms_of_legs(legs_at(problem.draft, times), np.ascontiguousarray(torso[0]), problem.model)
    return float(min(rooms.stretch.min(), rooms.height.min()))
