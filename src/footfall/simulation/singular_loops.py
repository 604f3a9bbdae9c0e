"""Loops that come to a dead point, where joints that lead would have to turn back: told of before, and stopped at."""

from __future__ import annotations

import warnings

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.loop_margin import has_margin, loop_margin
from footfall.errors import LoopAtDeadPoint, SimulationWarning
from footfall.robot.model import Robot
from footfall.simulation.divergence import NEAR_DEAD_POINT, named_loops
from footfall.simulation.run_values import SimulationState

_NEAR = 0.02  # loop_margin: joints follow fifty times as fast as they are led
_COMING = 0.2  # from here on a dead point that a loop moves towards is told of
_SOON = 10  # control periods before a loop is there
_STUCK = 1e-4  # loop_margin of a linkage that has no way to go on

_REMEDY = "let other joints be `dependent`, or keep its drives away from there"


class LoopWatch:
    """Looks at the loops of a robot after each control period of a run.

    Near a dead point the square of the margin falls in proportion to the distance, so that its course tells when the
    loop will be there: it warns some periods before, and once.
    """

    def __init__(self, robot: Robot, q: Array) -> None:
        self.robot = robot
        self.watching = has_margin(robot)
        self.square = self._square(q) if self.watching else 1.0
        self.told = False

    def _square(self, q: Array) -> float:
        return float(loop_margin(self.robot, q)) ** 2

    def look(self, q: Array, state: SimulationState) -> None:
        """At the configuration q (nq,) that comes after a state; raises LoopAtDeadPoint if the loop is stuck."""
        if not self.watching:
            return
        square = self._square(q)
        fallen, self.square = self.square - square, square
        if square < _STUCK**2:
            loops = named_loops(self.robot, state.q)
            raise LoopAtDeadPoint(f"{loops} came to a dead point and cannot go on; {_REMEDY}", state)
        if self.told:
            return
        if square < _NEAR**2 or (square < _COMING**2 and square < _SOON * fallen):
            self.told = True
            warnings.warn(
                f"{named_loops(self.robot, q)} comes near a dead point after t = {state.time:.6g} s: loop_margin is "
                f"{np.sqrt(square):.2g}; {_REMEDY}",
                SimulationWarning,
                stacklevel=3,
            )


def warn_of_dead_points(robot: Robot, q: Array) -> None:
    """Of robots (batch, steps, nq) of a rollout that were lost near a dead point of a loop, or are stuck in one."""
    if not has_margin(robot):
        return
    good = np.asarray(np.isfinite(q).all(axis=2))
    last = np.where(good.all(axis=1), q.shape[1] - 1, good.argmin(axis=1) - 1)
    known = np.flatnonzero(last >= 0)
    if not len(known):
        return
    margins = np.asarray(loop_margin(robot, q[known, last[known]]))
    lost = last[known] < q.shape[1] - 1
    dead = known[np.where(lost, margins < NEAR_DEAD_POINT, margins < _STUCK)]
    if len(dead):
        first = dead[last[dead].argmin()]
        loops = named_loops(robot, q[first, last[first]])
        warnings.warn(
            f"{len(dead)} of {len(q)} robots came to a dead point of {loops}, robot {first} in step {last[first]}: "
            f"what follows there is not to be trusted; {_REMEDY}",
            SimulationWarning,
            stacklevel=3,
        )
