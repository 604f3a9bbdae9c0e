"""Several masses: torso and feet (Buschmann 2007), with hands and an inertia of the torso (Seiwald 2023).

Feet are planned before, so what they do to the zero-moment point is known, and the torso obeys one linear equation of
second order along either axis (`footfall.motion.five_mass`). Both ends rest: more conditions than the equation bears.
The predecessor of LOLA's generator has three masses and solves it by collocation with cubic splines; with feet that
weigh nothing it is the linear inverted pendulum, whose mass may move up and down as it likes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf
from footfall.math.collocation import LinearEquation, SplineKind, collocate_banded
from footfall.math.least_squares_splines import equal_grid, equal_quadrature_times, least_squares_pieces
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.five_mass import (
    centre_of_mass_motion,
    contact_wrenches,
    masses_of,
    torso_equation,
    zero_moment_point,
)
from footfall.motion.reduced.problem import GRID, BalanceProblem, CentreMotion, joined, through
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample

_POINTS = 2  # of a quadrature, in each segment


@lru_cache(maxsize=16)
def three_masses(model: ReducedModel) -> ReducedModel:
    """A robot of torso and feet alone: mass points, whose hands weigh nothing."""
    return replace(model, hand_share=0.0, torso_inertia=np.zeros((3, 3)))


def plan_three_masses(problem: BalanceProblem) -> CentreMotion:
    """Three masses by cubic collocation: what LOLA walked by before."""
    return plan_masses(problem, three_masses(problem.model), "cubic")


def plan_five_masses(problem: BalanceProblem) -> CentreMotion:
    """Five masses with least error over all times, as `generate_motion` has them without a body."""
    return plan_masses(problem, problem.model, None)


def plan_masses(problem: BalanceProblem, model: ReducedModel, kind: SplineKind | None) -> CentreMotion:
    """The motion of a robot with the masses of a model, by collocation with splines of a kind or by least squares."""
    masses, ends = masses_of(model), torso_ends(problem, model)
    times = even_times(problem) if kind is None else collocation_times(problem)
    sites = least_squares_sites(times) if kind is None else times[1:-1].copy()
    samples = problem.samples(sites)
    equation = torso_equation(samples, torso_course(problem, model, sites, samples), masses)
    if kind is None:
        place = least_squares_place(times, equation, *ends)
    else:
        place = collocate_banded(times, equation, *ends, kind=kind)
    return masses_motion(problem, model, place)


def least_squares_sites(times: Array) -> Array:
    """Where least squares between equal break points look at the equation, s."""
    return equal_quadrature_times(times, _POINTS)


def least_squares_place(
    times: Array, equation: LinearEquation, start: Array, end: Array
) -> PolynomialTrajectory:
    """Where the torso goes (2,), m, with least error of its equation at `least_squares_sites`."""
    pieces = least_squares_pieces(equal_grid(times, _POINTS), equation, start, end)
    return PolynomialTrajectory.unchecked(times.copy(), pieces)


def even_times(problem: BalanceProblem) -> Array:
    """Break points at equal distances of about `GRID`, s."""
    count = max(round((problem.end - problem.begin) / GRID), 2)
    times = problem.begin + (problem.end - problem.begin) / count * np.arange(count + 1.0)
    times[-1] = problem.end
    return times


def collocation_times(problem: BalanceProblem) -> Array:
    """Break points of a collocation, s: the first and last load switch are one piece each. There the zero-moment point
    gives way to what must be met at the ends; kept 50 ms after a start, it would leave the soles before by 0.3 m."""
    first, last = problem.times[1], problem.times[-2]
    if last - first < 2.0 * GRID:
        return even_times(problem)
    count = round((last - first) / GRID)
    return np.concatenate([[problem.begin], np.linspace(first, last, count + 1), [problem.end]])


def torso_course(problem: BalanceProblem, model: ReducedModel, at: Array, samples: ArrayOf[Sample]) -> Array:
    """Height (3, k, 1) of the torso of a model for the height of the centre of mass, m, at times (k,). samples: limbs
    at these times."""
    if model is problem.model:
        return problem.height.sample(at)
    feet = np.stack(
        [
            samples[name]["right_foot"][:, 2] + samples[name]["left_foot"][:, 2]
            for name in ("value", "rate", "second")
        ]
    )
    torso = (problem.center_heights(at, samples) - model.foot_share * feet) / (1.0 - 2.0 * model.foot_share)
    return np.ascontiguousarray(torso[:, :, None])


def torso_ends(
    problem: BalanceProblem, model: ReducedModel, samples: ArrayOf[Sample] | None = None
) -> tuple[Array, Array]:
    """Position, velocity and acceleration (3, 2) of the torso at the begin and at the end: at rest its equation is
    `gamma r = tau`, else it is where the centre of mass says. samples: of both ends, if they are known."""
    at = np.array([problem.begin, problem.end])
    height = np.zeros((3, 2, 1))
    height[0] = 1.0 + problem.wanted.coefficients[0, -1, 2]  # any height above the ground
    samples = problem.samples(at) if samples is None else samples
    equation = torso_equation(samples, height, masses_of(model))
    start, end = np.zeros((3, 2)), np.zeros((3, 2))
    start[0], end[0] = equation.tau / equation.gamma[:, None]
    if problem.start is None:
        return start, end
    # The centre of mass is linear in the torso: two places of it tell where the torso is for a third.
    torso = np.zeros((3, 2, 3))
    resting = centre_of_mass_motion(samples, torso, masses_of(model))[:, 0, :2]
    now = samples["value"][0]
    share = 1.0 - 2.0 * model.foot_share
    share -= model.hand_share * float(now["right_selection"] + now["left_selection"])
    return (problem.start - resting) / share, end


def masses_motion(problem: BalanceProblem, model: ReducedModel, place: PolynomialTrajectory) -> CentreMotion:
    """What a robot with the masses of a model does whose torso is at a place (2,)."""
    draft = problem.draft
    times = np.unique(
        np.concatenate([problem.grid, place.times, draft.right_foot.times, draft.left_foot.times])
    )
    times = times[np.append(np.diff(times) > 1e-9, True)]
    samples, masses = problem.samples(times), masses_of(model)
    torso = np.concatenate([place.sample(times), torso_course(problem, model, times, samples)], axis=2)
    center = centre_of_mass_motion(samples, torso, masses)
    wrench = contact_wrenches(samples, torso, masses)
    zmp = zero_moment_point(wrench, np.ascontiguousarray(samples["value"]["zmp"][:, 2]))
    # All that is left about the centre of mass is the rate of the angular momentum; hands have their share.
    torque = wrench.torque - np.cross(center[0], wrench.force) + hand_torques(problem, center[0], times)
    return CentreMotion(through(times, center[:, :, :2]), joined(times, zmp[:, :2]), joined(times, torque))


def hand_torques(problem: BalanceProblem, center: Array, times: Array) -> Array:
    """Of known wrenches on hands about the centre of mass (k, 3), N m."""
    total = np.zeros((len(times), 3))
    if not problem.uses_hands:
        return total
    now = problem.samples(times)["value"]
    for side in ("right", "left"):
        force, used = now[f"{side}_force"], now[f"{side}_selection"][:, None]
        total += used * (now[f"{side}_torque"] + np.cross(now[f"{side}_hand"] - center, force))
    return total
