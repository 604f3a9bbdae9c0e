"""Small pieces of ground for searches that look at everything."""

from __future__ import annotations

import numpy as np

from footfall.environment import Terrain, terrain_from_cells
from footfall.planning import PlannerParameters
from footfall.planning.parameters import GridParameters, SearchParameters, StepCosts, StepLimits
from tests.planning.reference.first_level import FirstLevel
from tests.planning.reference.footprints import HeightLayer, Sole
from tests.planning.reference.grid import LEFT, RIGHT, Grid, Pose, State
from tests.planning.reference.second_level import SecondLevel, stance_goals

PARAMETERS = PlannerParameters()
# Short steps and headings of 15 degrees: few enough to look at all of them.
SHORT = PlannerParameters(
    grid=GridParameters(yaws=48),
    step=StepLimits(
        forward_m=0.32, outward_m=0.12, first_last_m=0.20, guide_first_last_m=0.16, ignored_m=0.0
    ),
    # Without what is ours and not the source's: a close look at soles, whole swings, bodies between stances.
    cost=StepCosts(desired_m=0.20, bump=0.0),
    search=SearchParameters(whole_swings=False, swept_body=False),
)
HALF = 0.1375  # m, of the distance of the feet of the source's robot
SOLE, TOES = Sole(-0.2336, 0.0425, -0.11, 0.11), Sole(-0.0425, 0.0425, -0.11, 0.11)
BOTH = Sole(-0.2336, 0.0425, -0.2475, 0.2475)


def ground(
    length: float, width: float, *, seed: int | None = None, blocks: int = 3, highest: float = 0.12
) -> Terrain:
    """Level ground around the origin, seen from 0.4 m behind it; blocks at random places with a seed."""
    shape = round((length + 0.8) / 0.01), round(width / 0.01)
    heights = np.zeros(shape)
    if seed is not None:
        rng = np.random.default_rng(seed)
        for _ in range(blocks):
            x, y = rng.integers(50, shape[0] - 75), rng.integers(0, shape[1])
            w, d = rng.integers(3, 10), rng.integers(4, 16)
            heights[x : x + w, y : y + d] = rng.choice([0.03, 0.06, highest, 0.3])
    return terrain_from_cells(heights, np.ones(shape), first=(-40, -round(width / 0.02)))


def second_level(
    terrain: Terrain, goal: Pose, *, parameters: PlannerParameters = SHORT, foot: int = RIGHT
) -> SecondLevel:
    """The search of footsteps from rest at the origin."""
    grid = Grid(0.04, parameters.grid.yaws, HALF)
    begin = Pose(0.0, 0.0, 0.0).moved(0.0, -HALF if foot == RIGHT else HALF)
    start, goals = grid.state(foot, begin), stance_goals(grid, goal)
    return SecondLevel(grid, HeightLayer(terrain, 4), SOLE, TOES, parameters, start, goals)


def first_level(terrain: Terrain, goal: Pose, *, parameters: PlannerParameters = SHORT) -> FirstLevel:
    """The search of a guide path from the origin."""
    grid = Grid(0.08, parameters.grid.yaws, HALF)
    start, end = grid.state(RIGHT, Pose(0.0, 0.0, 0.0)), grid.state(RIGHT, goal)
    return FirstLevel(grid, HeightLayer(terrain, 3), BOTH, parameters, start, frozenset({end}))


def all_states(level: FirstLevel | SecondLevel, headings: range) -> list[State]:
    """Every state on the ground of a level, with a range of headings."""
    lower, cells = level.layer.first, level.layer.window.mean.shape
    feet = (RIGHT,) if isinstance(level, FirstLevel) else (RIGHT, LEFT)
    return [
        State(foot, lower[0] + i, lower[1] + j, yaw % level.grid.yaws)
        for i in range(cells[0])
        for j in range(cells[1])
        for yaw in headings
        for foot in feet
    ]
