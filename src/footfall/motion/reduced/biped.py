"""Two pendulums, one a leg: the linear biped, Stephens 2010. Each foot is a pivot, and loads say how they share:

    c'' = w^2 (c - l_R p_R - l_L p_L),  l_R + l_L = 1

With one foot on the ground that is the linear inverted pendulum; double support has a time of its own, in which the
load goes over. Loads are those that the plan has for the feet anyway.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.reduced.pendulum import follow_pivots
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion, joined, pendulum_motion


def shared_pivots(problem: BalanceProblem) -> PolynomialTrajectory:
    """Where both legs together have their pivot (2,), m: soles' middles, weighted by the loads of the feet."""
    times = problem.grid
    loads = problem.draft.load(times)[:, :2]
    loads = loads / loads.sum(axis=1, keepdims=True)
    points = loads[:, :1] * _middle(problem, times, right=True) + loads[:, 1:] * _middle(
        problem, times, right=False
    )
    points[[0, -1]] = problem.wanted(times[[0, -1]])[:, :2]  # where the robot rests, or what it continues
    return joined(times, problem.hands(times).pivots(points))


def _middle(problem: BalanceProblem, times: Array, *, right: bool) -> Array:
    """Middle (k, 2) of a sole at times (k,), m."""
    draft = problem.draft
    foot, turn = (
        (draft.right_foot, draft.right_foot_rotation)
        if right
        else (draft.left_foot, draft.left_foot_rotation)
    )
    rear, front, outer, inner = problem.model.sole
    w, x, y, z = turn(times).T
    ahead = np.stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)], axis=1)
    aside = np.stack([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z)], axis=1)
    return np.asarray(foot(times)[:, :2] + 0.5 * (rear + front) * ahead + 0.5 * (outer + inner) * aside)


def plan_biped(problem: BalanceProblem) -> CentreMotion:
    """Two pendulums whose loads go over as planned."""
    times = problem.grid
    motion = follow_pivots(shared_pivots(problem), problem.times, *problem.ends, problem.omega, times)
    motion[:, 0], motion[:, -1] = problem.ends
    return pendulum_motion(problem, times, motion)
