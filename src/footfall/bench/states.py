"""Random states, the same for all contestants."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import random_configuration
from footfall.robot.model import Robot


class BenchState(NamedTuple):
    """Configuration (nq,), velocity, acceleration and joint forces (nv,); or many, with an axis in front."""

    q: Array
    v: Array
    a: Array
    tau: Array


def random_states(robot: Robot, count: int, *, seed: int = 0) -> BenchState:
    """`count` states: within the limits, rates and accelerations of order one, forces of order ten."""
    rng = np.random.default_rng(seed)
    shape = (count, robot.nv)
    q = np.ascontiguousarray(random_configuration(robot, seed=rng, count=count))
    return BenchState(q, rng.normal(size=shape), rng.normal(size=shape), 10.0 * rng.normal(size=shape))
