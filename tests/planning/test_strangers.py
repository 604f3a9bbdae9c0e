"""Scenes that the planner was not made with: the guide leads through them, or learns that it does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.lab.planner import EXACT, goal_of, judge, random_scene, walker
from footfall import load_scene
from footfall.environment import perceive
from footfall.planning import plan_contacts
from footfall.planning.surfaces import subdivided
from footfall.scene import make_scene
from tests.planning.scenes import model

SCENES = Path(__file__).parents[2] / "benchmarks" / "scenes"


@pytest.mark.parametrize("name", ["yard", "alley", "slabs"])
def test_few_nodes_lead_through_scenes_of_strangers(name: str) -> None:
    # Before the guide knew which foot can stand, the yard took 400,000 nodes and the alley 14,000.
    scene = load_scene(SCENES / f"{name}.toml")
    plan = plan_contacts(perceive(scene, EXACT), model(), goal_of(scene))
    assert plan.complete
    assert plan.nodes < 60_000


@pytest.mark.parametrize("seed", [3, 54, 117])
def test_gaps_that_feet_only_shuffle_through_do_not_flood_the_search(seed: int) -> None:
    # While the guide took tight places for any others these took 142,000, 358,000 and 40,000 nodes.
    scene = random_scene(seed)
    plan = plan_contacts(perceive(scene, EXACT), model(), goal_of(scene))
    assert plan.complete
    assert plan.nodes < 60_000


def test_swings_are_not_refused_after_they_were_searched() -> None:
    # A foot brushed the corner of a box between two places at which the search looked, 8 cm apart.
    scene = make_scene("obstacles")
    plan = plan_contacts(perceive(scene, EXACT), model(), goal_of(scene))
    assert plan.complete
    assert plan.effort.repairs == 0


@pytest.mark.parametrize("name", ["fences", "gaps"])
def test_arms_are_in_no_fence_and_soles_over_no_gap(name: str) -> None:
    # Hands that find nothing to touch hang beside the fence; soles were put over a gap by up to a third.
    scene, robot = load_scene(SCENES / f"{name}.toml"), walker()
    plan = plan_contacts(perceive(scene, EXACT), robot.model, goal_of(scene), start=robot.start)
    assert plan.complete
    assert judge(plan, scene, robot, exact=True).faults == []


def test_a_long_wall_gets_as_many_triangles_as_its_area_needs() -> None:
    corners = np.array([[0.0, 0.0, 0.0], [50.0, 0.0, 0.0], [50.0, 0.0, 2.0], [0.0, 0.0, 2.0]])
    points, triangles, _ = subdivided(corners, np.array([[0, 1, 2], [0, 2, 3]]), np.zeros((4, 1)), 0.1)
    sides = np.stack([points[triangles[:, k]] - points[triangles[:, (k + 1) % 3]] for k in range(3)])
    areas = np.linalg.norm(np.cross(sides[0], sides[1]), axis=1) / 2
    assert areas.sum() == pytest.approx(100.0)
    assert np.linalg.norm(sides, axis=2).max() <= 0.1
    assert len(triangles) < 100_000  # halving all sides at once made 1.2 million
