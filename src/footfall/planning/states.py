"""States of the search: stances by the cell, the heading and the side of the foot that stands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector2, routine
from footfall.planning.ground import Ground
from footfall.planning.solids import Volumes
from footfall.planning.step_set import CELL


class State(NamedTuple):
    """A stance by its numbers; foot: 0 right, 1 left."""

    foot: int
    yaw: int
    i: int
    j: int


@routine
def number_of(ground: Ground, state: State) -> int:
    """Number of a state."""
    return ((state.foot * ground.yaws + state.yaw) * ground.nx + state.i) * ground.ny + state.j


@routine
def state_of(ground: Ground, number: int) -> State:
    """The state with a number."""
    row = number // ground.ny
    heading = row // ground.nx
    return State(heading // ground.yaws, heading % ground.yaws, row % ground.nx, number % ground.ny)


@routine
def middle_of(ground: Ground, volumes: Volumes, state: State) -> Vector2:
    """Middle between the feet if the other foot stood beside, m."""
    angle = 2.0 * np.pi * state.yaw / ground.yaws
    side = volumes.lateral if state.foot == 0 else -volumes.lateral
    x = ground.x + (state.i + 0.5) * CELL - side * np.sin(angle)
    y = ground.y + (state.j + 0.5) * CELL + side * np.cos(angle)
    return np.array([x, y])
