"""The linear inverted pendulum by preview control, Kajita 2003: jerks follow from the zero-moment points to come.

The gains are those of `footfall.gait.preview`; here they act on both axes at once, in a native loop.

Two pendulums, one a leg: the linear biped, Stephens 2010. Each foot is a pivot, and loads say how they share:

    c'' = w^2 (c - l_R p_R - l_L p_L),  l_R + l_L = 1

With one foot on the ground that is the linear inverted pendulum; double support has a time of its own, in which the
load goes over. Loads are those that the plan has for the feet anyway; a foot is a pivot where the zero-moment point is
wanted half way through its single support.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.gait.preview import CartTable
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.reduced.pendulum import follow_pivots, wanted_pivots
from footfall.motion.reduced.problem import (
    BalanceProblem,
    CentreMotion,
    brought_to_rest,
    joined,
    pendulum_motion,
)

PERIOD, HORIZON = 0.01, 1.6  # s
_PERIODS_A_BREAK = 5  # periods between two break points of the result


@lru_cache(maxsize=16)
def cart_table(height: float, gravity: float) -> CartTable:
    """The model with its gains."""
    return CartTable(height, dt=PERIOD, horizon=HORIZON, gravity=gravity)


class CartLaw(NamedTuple):
    """What a cart is moved and controlled by: transition (3, 3), push (3,) of a jerk, output (3,); gains of the summed
    error, of the state (3,) and of the references to come (steps,)."""

    transition: Array
    push: Array
    output: Array
    error: float
    state: Array
    preview: Array


@lru_cache(maxsize=16)
def cart_law(height: float, gravity: float) -> CartLaw:
    """The law of a cart."""
    table = cart_table(height, gravity)
    return CartLaw(
        table.transition,
        table.input,
        table.output,
        table.gains.error,
        table.gains.state.copy(),
        table.gains.preview,
    )


@routine
def follow_cart(law: CartLaw, ahead: Array, start: Array) -> Array:
    """States (n, 3, d) of a cart along references (n + steps, d) of its zero-moment point, from a state (3, d).

    As `CartTable.follow` for several axes, and from any state, as if it had come there without a jerk: gains act on
    changes, and summed up on what differs from the instant before.
    """
    steps, axes = len(law.preview), ahead.shape[1]
    count = len(ahead) - steps
    states, course = np.empty((count, 3, axes)), np.empty(len(ahead))
    for d in range(axes):
        for k in range(len(ahead)):
            course[k] = ahead[k, d]
        x, v, a, summed = start[0, d], start[1, d], start[2, d], 0.0
        step = law.transition[0, 1]
        speed = v - step * a
        before = (
            law.state[0] * (x - step * speed - 0.5 * step * step * a)
            + law.state[1] * speed
            + law.state[2] * a
        )
        before -= law.preview @ course[:steps]
        for k in range(count):
            states[k, 0, d], states[k, 1, d], states[k, 2, d] = x, v, a
            summed += law.output[0] * x + law.output[2] * a - course[k]
            to_come = law.preview @ course[k + 1 : k + 1 + steps]
            jerk = (
                before
                + to_come
                - law.error * summed
                - (law.state[0] * x + law.state[1] * v + law.state[2] * a)
            )
            x += law.transition[0, 1] * v + law.transition[0, 2] * a + law.push[0] * jerk
            v += law.transition[1, 2] * a + law.push[1] * jerk
            a += law.push[2] * jerk
    return states


def plan_preview(problem: BalanceProblem) -> CentreMotion:
    """The linear inverted pendulum by preview control along the wanted zero-moment point."""
    law = cart_law(problem.model.com_height, problem.model.gravity)
    count = max(int((problem.end - problem.begin) / PERIOD), 1) + 1
    times = problem.begin + PERIOD * np.arange(count + 1.0)
    wanted = problem.hands(times).pivots(problem.wanted(times)[:, :2])
    held = np.repeat(wanted[-1:], len(law.preview), axis=0)
    states = follow_cart(law, np.concatenate([wanted, held]), np.array(problem.ends[0]))
    kept = np.arange(0, count - 1, _PERIODS_A_BREAK)
    at, motion = np.append(times[kept], problem.end), np.moveaxis(states[np.append(kept, count - 1)], 1, 0)
    left = problem.end - times[count - 1]
    last = motion[:, -1]
    ending = np.stack([last[0] + left * last[1] + left**2 / 2 * last[2], last[1] + left * last[2], last[2]])
    motion = np.concatenate([motion[:, :-1], ending[:, None]], axis=1)
    return pendulum_motion(problem, at, brought_to_rest(problem, at, motion))


_LEAST_LOAD = 0.05  # load, with which a foot says where its pivot is


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
        if 1.0 - share > _LEAST_LOAD:
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
