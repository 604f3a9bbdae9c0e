"""Legs on their ways: knees that swing against things which body and feet pass.

The search knows the body as upright volumes above the middle between the feet. A knee that swings ahead is farther from
there than they reach, and above the ground that swings of feet are compared with: one that turns beside the leg of a
table strikes it. So the planned motion itself is looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.errors import InvalidTransition
from footfall.motion.leg_bounds import Legs, legs_of, stance_at
from footfall.motion.motion import Motion
from footfall.motion.samples import Sample, as_records
from footfall.motion.stretched_leg import leg_points
from footfall.planning.parameters import PRINTED_LEG
from footfall.planning.solids import Capsule, Solids, capsule_gap, cell_below

_RADIUS = 0.06  # m, of a thigh with legs of 0.87 m
_SPARE = 0.03  # m around it: the robot is never just where it should be
_SHARE = 0.5  # of the shank, from the knee down: what is lower is beside what feet step over
_LOOK_PERIOD = 0.04  # s between two looks


class Struck(NamedTuple):
    """Number of the first sample in which a leg is in something, -1 if there is none, and where its knee is then, m."""

    sample: int
    knee: Vector3


@routine
def leg_in(solids: Solids, capsule: Capsule) -> bool:
    """Whether a part of a leg is in something."""
    nowhere = np.zeros(3)
    middle = (capsule.start + capsule.end) / 2.0
    cell = cell_below(solids.near, middle[0], middle[1])
    for m in range(solids.near.firsts[cell], solids.near.firsts[cell + 1]):
        n = solids.near.items[m]
        if solids.solid[n] and capsule_gap(capsule, nowhere, solids.elements[n], 0.0) < 0.0:
            return True
    return False


@routine(quick=True)
def first_struck(
    solids: Solids, samples: ArrayOf[Sample], wanted: Integers, legs: Legs, radius: float
) -> Struck:
    """The first of the wanted samples in which a thigh, or the upper part of a shank, is in something."""
    for k in wanted:
        for side in (0, 1):
            found = leg_points(stance_at(samples[k], side, legs), side, legs, samples[k].value.torso)
            low = found.knee + _SHARE * (found.ankle - found.knee)
            if leg_in(solids, Capsule(found.hip, found.knee, radius)) or leg_in(
                solids, Capsule(found.knee, low, radius)
            ):
                return Struck(int(k), found.knee)
    return Struck(-1, np.zeros(3))


class LegsOnTheirWay:
    """The legs of a motion at all times that are looked at."""

    def __init__(self, motion: Motion) -> None:
        times, numbers = [], []
        for number, (_, _, begin, end) in enumerate(motion.plan.spans()):
            looks = int(np.ceil((end - begin) / _LOOK_PERIOD))
            times.append(begin + (np.arange(looks) + 1.0) * (end - begin) / looks)
            numbers.append(np.full(looks, number))
        self._steps: Array = np.concatenate(numbers)
        self._samples = as_records(motion.curves.packed.numbers(np.concatenate(times)))
        self._legs, model = legs_of(motion.model), motion.model
        scale = (model.leg.lower_leg + model.leg.upper_leg) / PRINTED_LEG
        self._radius = _RADIUS * scale + _SPARE

    def check(self, solids: Solids, steps: range) -> None:
        """InvalidTransition if legs are in something during some of the steps."""
        wanted = np.flatnonzero((self._steps >= steps.start) & (self._steps < steps.stop))
        found = first_struck(solids, self._samples, wanted, self._legs, self._radius)
        if found.sample >= 0:
            x, y, z = found.knee
            raise InvalidTransition(
                int(self._steps[found.sample]),
                f"a leg would be in something on its way, its knee at ({x:.2f}, {y:.2f}, {z:.2f}) m",
            )
