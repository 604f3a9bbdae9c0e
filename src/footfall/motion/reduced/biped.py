"""Two pendulums, one a leg: the linear biped, Stephens 2010. Each foot is a pivot, and loads say how they share:

    c'' = w^2 (c - l_R p_R - l_L p_L),  l_R + l_L = 1

With one foot on the ground that is the linear inverted pendulum; double support has a time of its own, in which the
load goes over. Loads are those that the plan has for the feet anyway; a foot is a pivot where the zero-moment point is
wanted half way through its single support.
"""

from __future__ import annotations

import numpy as np

from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.reduced.pendulum import follow_pivots, wanted_pivots
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion, joined, pendulum_motion

_LEAST = 0.05  # load, with which a foot says where its pivot is


def shared_pivots(problem: BalanceProblem) -> PolynomialTrajectory:
    """Where both legs together have their pivot (2,), m. Without steps from foot to foot it is where it is wanted."""
    middles = problem.phase_middles[problem.moving]
    sides = problem.draft.load(middles)[:, :2].argmax(axis=1) if len(middles) else np.zeros(0, dtype=int)
    if len(sides) < 2 or (np.diff(sides) == 0).any():
        return wanted_pivots(problem)
    times, places = problem.grid, problem.wanted(middles)[:, :2]
    loads = problem.draft.load(times)[:, :2]
    loads = loads / loads.sum(axis=1, keepdims=True)
    wanted = problem.wanted(times[[0, -1]])[:, :2]
    # The foot that has carried before the first step, and that which will after the last: where it must have been.
    before, after = places[1], places[-2]
    for end, carrying in ((0, 0), (-1, -1)):
        share = loads[end, sides[carrying]]
        if 1.0 - share > _LEAST:
            other = (wanted[end] - share * places[carrying]) / (1.0 - share)
            before, after = (other, after) if end == 0 else (before, other)
    stances = np.concatenate([[before], places, [after]])
    number = np.searchsorted(
        middles, times, side="right"
    )  # between which single supports: this one and the next
    first = np.where(number > 0, sides[np.maximum(number - 1, 0)], 1 - sides[0])
    share = np.take_along_axis(loads, first[:, None], axis=1)
    points = share * stances[number] + (1.0 - share) * stances[number + 1]
    points[[0, -1]] = wanted
    return joined(times, problem.hands(times).pivots(points))


def plan_biped(problem: BalanceProblem) -> CentreMotion:
    """Two pendulums whose loads go over as planned."""
    times = problem.grid
    motion = follow_pivots(shared_pivots(problem), problem.times, *problem.ends, problem.omega, times)
    motion[:, 0], motion[:, -1] = problem.ends
    return pendulum_motion(problem, times, motion)
