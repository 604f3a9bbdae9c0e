"""A reduced model in the pipeline of motions: it says where the centre of mass goes, all else is planned as ever.

The torso of the five masses is put where the centre of mass then is, at heights that legs allow. What the model knows
of angular momentum, less what five masses have, is the `momentum` of the motion; so the contact wrench that controllers
are given is the model's own: that of a pendulum has no torque about the centre of mass.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from footfall.arrays import Array
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.rotations import (
    quaternion_from_rotation_vector,
    quaternion_inverse,
    quaternion_product,
    rotate_by_quaternion,
    rotation_vector_from_quaternion,
)
from footfall.math.trajectories import PolynomialTrajectory, stack, union_of_times
from footfall.motion.draft import Draft
from footfall.motion.five_mass import centre_of_mass_motion, contact_wrenches, masses_of
from footfall.motion.limbs import limbs_of, torso_motion
from footfall.motion.parameters import TorsoParameters
from footfall.motion.reduced.generators import plan_center
from footfall.motion.reduced.masses import hand_torques
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion, through
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples
from footfall.motion.support import SupportAreas
from footfall.motion.torso import TorsoPlan, grid
from footfall.motion.vertical_torso import feasible_height, wanted_height
from footfall.motion.whole_body import WholeBody

if TYPE_CHECKING:
    from footfall.motion.pipeline import DraftedSequence

_FINE = 0.025  # s, between the times at which torques are compared
_UPRIGHT = 1e-9  # rad or rad/s: less is no lean


@lru_cache(maxsize=16)
def without_hand_masses(model: ReducedModel) -> ReducedModel:
    """The model of motions whose centre of mass a reduced model gives: hands take no mass from the torso as they come
    into task space. Masses that change would have the torso leap to keep the centre of mass where it is."""
    return replace(model, hand_share=0.0)


def problem_of(
    drafted: DraftedSequence, height: PolynomialTrajectory, model: ReducedModel, body: WholeBody | None
) -> BalanceProblem:
    """What a generator is asked for by a sequence of which all but the torso is planned. height (1,): of the torso."""
    schedule, areas, draft = drafted
    left = schedule.times[1:] > draft.begin_time + 1e-9  # it may begin within a phase
    return BalanceProblem(
        np.append(draft.begin_time, schedule.times[1:][left]),
        schedule.motion[left],
        SupportAreas(areas.corners[left], areas.sizes[left]),
        draft,
        height,
        model,
        None if draft.torso_start is None else _center_start(draft, model),
        _lean_start(draft),
        body,
    )


def _center_start(draft: Draft, model: ReducedModel) -> Array:
    """Position, velocity and acceleration (3, 2) of the centre of mass that a motion is continued from."""
    assert draft.torso_start is not None
    at = np.array([draft.begin_time])
    torso = np.ascontiguousarray(draft.torso_start[:, None])
    return centre_of_mass_motion(draft.masses.sample(at), torso, masses_of(model))[:, 0, :2]


def _lean_start(draft: Draft) -> Array | None:
    """How the upper body leans against its plan (3, 2) where a motion is continued, rad; None if it does not."""
    if draft.upper_body_start is None:
        return None
    quaternion, velocity, acceleration = np.split(draft.upper_body_start, [4, 7])
    planned = draft.upper_body(draft.begin_time)
    away = rotation_vector_from_quaternion(quaternion_product(quaternion, quaternion_inverse(planned)))
    lean = np.stack([away[:2], velocity[:2], acceleration[:2]])
    return lean if np.abs(lean[:2]).max() > _UPRIGHT else None


def plan_reduced(
    drafted: DraftedSequence,
    model: ReducedModel,
    parameters: TorsoParameters,
    *,
    body: WholeBody | None = None,
) -> tuple[TorsoPlan, Draft]:
    """Stage 14 by a reduced model: the torso, and the draft with the model's zero-moment point, the upper body as it
    leans, and the momentum."""
    draft, begin = drafted.draft, time.thread_time()
    first_height = wanted_height(draft, model)
    problem = problem_of(drafted, first_height, model, body)
    motion = plan_center(problem, parameters.generator)
    draft = _leaning(problem, motion)
    first_place = _torso_place(replace(problem, draft=draft), motion)
    times = grid(draft, parameters.grid_s)
    heights = feasible_height(
        draft, model, parameters, first=first_height, horizontal=first_place, times=times
    )
    # Models that know of heights are asked again, now that these are known.
    problem = replace(problem, height=heights.height)
    if parameters.generator in ("three_masses", "centroidal"):
        motion = plan_center(problem, parameters.generator)
    problem = replace(problem, draft=draft)
    trajectory = stack([_torso_place(problem, motion), heights.height])
    momentum = _momentum(problem, motion, trajectory)
    zmp = stack([motion.zmp, draft.zmp.component(2)])
    torso = TorsoPlan(
        trajectory,
        first_height,
        first_place,
        times,
        heights.lowest,
        heights.highest,
        times[heights.overlapping],
        heights.legs,
        momentum,
        {"reduced model": time.thread_time() - begin},
    )
    return torso, replace(draft, zmp=zmp, momentum=momentum)


def _torso_place(problem: BalanceProblem, motion: CentreMotion) -> PolynomialTrajectory:
    """x and y (2,) of the torso of five masses for where the centre of mass is."""
    draft, center = problem.draft, motion.center
    times = union_of_times(center.times, *(each.times for each in _moving(draft)))
    samples = MotionSamples.of(draft.packed.numbers(times))
    course = np.zeros((3, len(times), 3))
    course[:, :, :2] = center.sample(times)
    return through(times, torso_motion(limbs_of(samples), course, problem.model)[:, :, :2])


def _moving(draft: Draft) -> tuple[PolynomialTrajectory, ...]:
    """What the torso of five masses moves against."""
    limbs: tuple[PolynomialTrajectory, ...] = (draft.right_foot, draft.left_foot)
    if np.count_nonzero(draft.right_selection.coefficients) + np.count_nonzero(
        draft.left_selection.coefficients
    ):
        limbs += (draft.right_hand, draft.left_hand, draft.right_selection, draft.left_selection)
    return limbs


def _momentum(
    problem: BalanceProblem, motion: CentreMotion, torso: PolynomialTrajectory
) -> PolynomialTrajectory:
    """Angular momentum (3,) that the model has and five masses have not, kg m2/s: integrated from torques, which are
    compared at both ends and in the middle of short intervals (Simpson's rule)."""
    draft = replace(problem.draft, momentum=None)
    count = max(int(np.ceil((problem.end - problem.begin) / _FINE)), 1)
    even = np.linspace(problem.begin, problem.end, count + 1)
    borders = union_of_times(even, *(each.times for each in _moving(draft)))
    at = np.empty(2 * len(borders) - 1)
    at[::2], at[1::2] = borders, 0.5 * (borders[:-1] + borders[1:])
    samples, masses = draft.masses.sample(at), masses_of(problem.model)
    course = torso.sample(at)
    center, wrench = centre_of_mass_motion(samples, course, masses), contact_wrenches(samples, course, masses)
    own = wrench.torque - np.cross(center[0], wrench.force) + hand_torques(problem, center[0], at)
    torque = motion.momentum(at) - own
    span, first, middle, last = np.diff(borders)[:, None], torque[:-1:2], torque[1::2], torque[2::2]
    pieces = np.zeros((len(span), 6, 3))
    pieces[:, 4] = span * first
    pieces[:, 3] = span * (-3.0 * first + 4.0 * middle - last) / 2.0
    pieces[:, 2] = span * (2.0 * first - 4.0 * middle + 2.0 * last) / 3.0
    gained = span * (first + 4.0 * middle + last) / 6.0
    pieces[1:, 5] = np.cumsum(gained, axis=0)[:-1]
    if draft.momentum_start is not None:
        pieces[:, 5] += draft.momentum_start[0]
    return PolynomialTrajectory.unchecked(borders, pieces)


def _leaning(problem: BalanceProblem, motion: CentreMotion) -> Draft:
    """The draft with an upper body that leans as the model says, or comes back to where it is planned."""
    lean = motion.lean
    if lean is None and problem.lean is not None:
        until = float(problem.times[min(2, len(problem.times) - 1)])
        upright = np.stack([problem.lean, np.zeros((3, 2))], axis=1)
        lean = through(np.array([problem.begin, until]), upright)
    if lean is None:
        return problem.draft
    return replace(problem.draft, upper_body=leaning_body(problem.draft.upper_body, lean))


def leaning_body(planned: QuaternionTrajectory, lean: PolynomialTrajectory) -> QuaternionTrajectory:
    """A rotation, composed with one about the world's x and y by lean (2,), rad, which is small."""
    fine = np.linspace(planned.start, planned.end, max(round((planned.end - planned.start) / 0.05), 1) + 1)
    inside = [
        each.times[(each.times > planned.start) & (each.times < planned.end)]
        for each in (planned.timing, lean)
    ]
    times = union_of_times(fine, *inside)
    known, turn = planned.sample(times), lean.sample(times)
    away = np.zeros((2, len(times), 3))
    away[:, :, :2] = turn[:2]
    further = quaternion_from_rotation_vector(away[0])
    keys = quaternion_product(further, known.quaternion)
    spin = rotate_by_quaternion(further, known.angular_velocity) + away[1]
    own = rotate_by_quaternion(quaternion_inverse(keys), spin)
    third = np.diff(times)[:, None] / 3.0
    controls = np.stack(
        [
            keys[:-1],
            quaternion_product(keys[:-1], quaternion_from_rotation_vector(third * own[:-1])),
            quaternion_product(keys[1:], quaternion_from_rotation_vector(-third * own[1:])),
            keys[1:],
        ],
        axis=1,
    )
    timing = np.zeros((len(third), 6, 1))
    timing[:, 4], timing[:, 5, 0] = 1.0, np.arange(len(third))
    return QuaternionTrajectory(
        CubicQuaternionSpline(controls), PolynomialTrajectory.unchecked(times, timing)
    )
