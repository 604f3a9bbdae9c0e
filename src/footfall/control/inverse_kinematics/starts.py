"""Where a search begins anew, and how the closest pose is searched where no start met the tasks.

The squared error has many valleys: a knee bent or straight, an arm in front of the body or behind it. Which one a
search ends in is decided where it begins.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.levenberg_marquardt import levenberg_marquardt
from footfall.control.inverse_kinematics.objective import Objective, Progress
from footfall.dynamics.configuration import random_configuration
from footfall.robot.model import JointType, Robot

_CANDIDATES, _LOOKED_AT = 256, 64  # random configurations; the best of these are looked at
_LOOK_AHEAD = 10  # steps from each of them
_SURE = 1e-8  # cost from which on tasks are always met, for weights of one
_ROUND = 16  # descents between two looks at the best
_FRUITLESS = 6  # rounds without a closer pose after which it is the closest
_CLOSER = 1e-3  # relative decrease of the cost that is worth going on


def promising_start(objective: Objective, q: Array, rng: np.random.Generator) -> Array:
    """Of random configurations the one (nq,) from which a few steps lead to the smallest cost."""
    candidates = _random_joints(objective.stack.robot, q, rng, _CANDIDATES)
    order = np.argsort(objective.costs(candidates), kind="stable")[:_LOOKED_AT]
    best, lowest, sure = q, np.inf, _SURE * float(objective.root_weights.max()) ** 2
    for k in order:
        look = levenberg_marquardt(objective, candidates[k], 0.0, _LOOK_AHEAD)
        if look.cost < lowest:
            best, lowest = look.q, look.cost
        if lowest < sure:
            break
    return best


def closest(
    objective: Objective, best: Progress, rng: np.random.Generator, tolerance: float, iterations: int
) -> tuple[Progress, int]:
    """The best of descents from random configurations and from the best one so far with a limb changed.

    Gives it, with the iterations of all, and how many descents there were.
    """
    robot = objective.stack.robot
    fruitless, descents = 0, 0
    while fruitless < _FRUITLESS and not best.reached:
        before = best.cost
        for start in (
            *_random_joints(robot, best.q, rng, _ROUND // 2),
            *_changed_limbs(robot, best.q, rng, _ROUND // 2),
        ):
            found = levenberg_marquardt(objective, start, tolerance, iterations)
            used, descents = best.iterations + found.iterations, descents + 1
            best = replace(found if found.cost < best.cost else best, iterations=used)
            if best.reached:
                break
        fruitless = fruitless + 1 if best.cost > (1.0 - _CLOSER) * before else 0
    return best, descents


def _random_joints(robot: Robot, q: Array, rng: np.random.Generator, count: int) -> Array:
    """Random configurations (count, nq) whose floating base stays where it is in q (nq,)."""
    starts: Array = random_configuration(robot, seed=rng, count=count)
    for joint in robot.joints:
        if joint.type is JointType.FLOATING:
            starts[:, robot.q_slice(joint.name)] = q[robot.q_slice(joint.name)]
    return starts


def _changed_limbs(robot: Robot, q: Array, rng: np.random.Generator, count: int) -> Array:
    """Configurations (count, nq) with random angles beyond some joint each, and all others as in q (nq,).

    Robots with loops get random angles everywhere: their joints follow one another.
    """
    starts = _random_joints(robot, q, rng, count)
    links = robot.tree.links
    if robot.tree.loops is not None:
        return starts
    beyond = np.zeros((len(links), robot.nq), dtype=bool)
    for k in reversed(range(len(links))):
        beyond[k, links[k].q] = True
        if links[k].parent >= 0:
            beyond[links[k].parent] |= beyond[k]
    changed = beyond[rng.integers(len(links), size=count)]
    return np.where(changed, starts, q)
