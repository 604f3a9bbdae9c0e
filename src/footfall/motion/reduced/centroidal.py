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

import numpy as np

from footfall.arrays import Array
from footfall.math.interpolation import quintic_spline
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.five_mass import angular_momenta, masses_of
from footfall.motion.leg_room import rooms_of_legs
from footfall.motion.limbs import limbs_of, torso_motion
from footfall.motion.reduced.masses import plan_masses
from footfall.motion.reduced.problem import GRID, BalanceProblem, CentreMotion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples, as_records
from footfall.motion.vertical_torso import legs_at

_ROUNDS = 2


@lru_cache(maxsize=16)
def one_mass(model: ReducedModel) -> ReducedModel:
    """A robot whose mass is all in one point."""
    return replace(model, foot_share=0.0, hand_share=0.0, torso_inertia=np.zeros((3, 3)))


def plan_centroidal(problem: BalanceProblem) -> CentreMotion:
    """The centre of mass for the angular momentum that the robot has on its way."""
    point = one_mass(problem.model)
    plain = replace(problem, draft=replace(problem.draft, momentum=None))
    motion = plan_masses(plain, point, None)
    for _ in range(_ROUNDS):
        momentum = angular_momentum(plain, motion)
        motion = plan_masses(replace(plain, draft=replace(plain.draft, momentum=momentum)), point, None)
    return motion


def angular_momentum(problem: BalanceProblem, motion: CentreMotion) -> PolynomialTrajectory:
    """About the centre of mass (3,), kg m2/s: of all bodies if they are known, else of five masses."""
    count = max(round((problem.end - problem.begin) / GRID), 2)
    times = np.linspace(problem.begin, problem.end, count + 1)
    numbers = problem.draft.packed.numbers(times)
    samples = MotionSamples.of(numbers)
    samples.center_of_mass[:] = np.moveaxis(center_course(problem, motion, times), 0, 1)
    if problem.body is None:
        found = angular_momenta(as_records(numbers), masses_of(problem.model))
    else:
        found = problem.body.postures(samples).momentum
    return quintic_spline(times, found)


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
