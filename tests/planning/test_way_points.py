"""Points to pass on long ways, and where the way between them lies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from footfall import Box, Scene
from footfall.environment import Environment, PerceptionOptions, perceive
from footfall.gait import idle_pose
from footfall.math.transform import Transform
from footfall.motion.pipeline import gait_dimensions
from footfall.planning import Goal, PlannerParameters
from footfall.planning.planning_job import part_bounds
from footfall.planning.search import Aim
from footfall.planning.tables import tables_for
from footfall.planning.way_points import way_points
from footfall.scene.model import SceneObject
from tests.planning.scenes import model

GOAL = Goal(16.0, 0.0)
OPENING = -3.4  # m: walls leave 1.2 m around it
TABLES = tables_for(model(), PlannerParameters())


def box(name: str, size: tuple[float, float, float], place: tuple[float, float, float]) -> SceneObject:
    kind = "floor" if name == "floor" else "wall"
    return SceneObject(name, Box(size), Transform(np.eye(3), np.array(place)), category=kind)


@pytest.fixture(scope="module")
def around_a_wall() -> Environment:
    """A floor with a wall across, whose opening is far aside."""
    floor = box("floor", (20.0, 10.0, 0.1), (8.0, 0.0, -0.05))
    low, high = OPENING - 0.6, OPENING + 0.6
    walls = (
        box("north", (0.2, 5.0 - high, 2.0), (8.0, (5.0 + high) / 2, 1.0)),
        box("south", (0.2, low + 5.0, 2.0), (8.0, (low - 5.0) / 2, 1.0)),
    )
    return perceive(Scene("hall", (floor, *walls)), PerceptionOptions(voxel=0.0, noise=0.0))


def test_each_point_knows_where_the_way_to_it_lies(around_a_wall: Environment) -> None:
    aims = way_points(around_a_wall, TABLES, np.zeros(3), GOAL)
    assert aims[-1].goal == GOAL
    assert all(aim.radius > 0.0 for aim in aims[:-1])
    begins = [(0.0, 0.0), *((aim.goal.x, aim.goal.y) for aim in aims[:-1])]
    for begin, aim in zip(begins, aims, strict=True):
        low, high = np.array(aim.way)
        for place in (begin, (aim.goal.x, aim.goal.y)):
            assert (low - 0.12 <= place).all()  # a diagonal of cells of 8 cm
            assert (place <= high + 0.12).all()
    lowest = min(aim.way[0][1] for aim in aims)
    assert OPENING - 0.6 < lowest < OPENING + 0.3  # through the opening


def test_a_part_is_searched_where_its_way_lies(around_a_wall: Environment) -> None:
    """Points beside each other may have a way between them that leads far aside."""
    start = idle_pose(gait_dimensions(model()), position=(6.0, 0.0, 0.0))
    beyond = Aim(Goal(10.0, 0.0), 0.45, 0.7, ((6.0, OPENING), (10.0, 0.0)))
    (_, known), _ = part_bounds(around_a_wall, start, beyond, margin=1.0)
    (_, straight), _ = part_bounds(around_a_wall, start, beyond._replace(way=()), margin=1.0)
    assert known == pytest.approx(OPENING - 1.0)
    assert straight == pytest.approx(-1.0)  # the opening is outside


def test_points_follow_the_way(around_a_wall: Environment) -> None:
    aims = way_points(around_a_wall, TABLES, np.zeros(3), GOAL)
    for one, other in itertools.pairwise(aims):
        assert np.hypot(one.goal.x - other.goal.x, one.goal.y - other.goal.y) < 6.0
