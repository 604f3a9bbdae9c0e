"""What a search of footsteps knows while it runs: estimates of turns, free ways, and where refined feet will stand."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.environment import PerceptionOptions, perceive
from footfall.gait import RobotPose, idle_pose
from footfall.motion.pipeline import gait_dimensions
from footfall.planning import Goal, parameters_for, plan_contacts
from footfall.planning.footsteps import CLOSED, FOUND, STRICT, standing_at
from footfall.planning.postprocess import stances_of
from footfall.planning.search import Aim, Search, SearchOptions, guide_for, new_search, path_of
from footfall.planning.surroundings import surroundings
from footfall.planning.tables import tables_for
from footfall.planning.watch import Watch
from footfall.scene import make_scene
from tests.planning.scenes import model

EXACT = PerceptionOptions(voxel=0.0, noise=0.0)
WEIGHT = parameters_for(model()).search.weight


def searched(name: str, goal: Goal, start: RobotPose) -> Search:
    """A guided search through a scene that is known exactly, at its end."""
    tables = tables_for(model(), parameters_for(model()))
    around = surroundings(perceive(make_scene(name), EXACT), tables, (-2.5, -2.5), (6.5, 2.5))
    search = guide_for(new_search(around, tables, start, Aim(goal), SearchOptions(weight=WEIGHT)))
    assert search.run(set(), Watch()) == FOUND
    return search


def standing(yaw: float = 0.0) -> RobotPose:
    return idle_pose(gait_dimensions(model()), yaw=yaw)


@pytest.mark.parametrize("headings", [-5, -3, 3, 5])
def test_estimates_know_how_many_steps_a_turn_in_place_takes(headings: int) -> None:
    """Feet turn by two headings (15 degrees) in a step, so five take three steps and three take two. The guide knows
    every second heading; the mean of its costs on either side is half a step too low."""
    search = searched("empty-floor", Goal(0.0, 0.0, 0.0), standing(np.deg2rad(7.5 * headings)))
    assert search.nodes is not None
    path = path_of(search)
    steps = -(-abs(headings) // 2)
    assert len(path.states) >= steps
    estimate = float(search.nodes.estimates[list(search.starts)].min()) / WEIGHT
    each = search.cost / len(path.states)
    assert search.cost - 0.4 * each < estimate <= search.cost + 0.4 * each


def test_a_stance_without_a_free_way_is_never_taken_up() -> None:
    """Entries of the open list outlive the way that they stand for; the corners of boxes end many."""
    search = searched("obstacles", Goal(4.5, 0.0), standing())
    assert search.nodes is not None
    nodes = search.nodes
    assert ((nodes.status == STRICT) & (nodes.costs == np.inf)).any()  # else this scene shows nothing
    taken = nodes.status == CLOSED
    assert np.isfinite(nodes.costs[taken]).all()
    assert (nodes.steps[taken] != 0).all()


def test_the_body_is_looked_at_where_refined_feet_stand() -> None:
    """On level ground refinement moves no foot; cells of 1 cm have their middles 5 mm beside those of 4 cm."""
    search = searched("empty-floor", Goal(2.0, 0.4, 0.3), standing())
    path = path_of(search)
    expected = np.array([standing_at(search.problem.ground, state) for state in path.states])
    found = np.array([stance.placement.position[:2] for stance in stances_of(search, path)])
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["obstacles", "trap"])
def test_corners_are_passed_without_a_repair(name: str) -> None:
    """A body that is free in the search is free between refined stances, where nothing but the floor is below feet."""
    scene = make_scene(name)
    assert scene.goal is not None
    x, y, _ = scene.goal.translation.tolist()
    plan = plan_contacts(perceive(scene, EXACT), model(), Goal(x, y))
    assert plan.complete
    assert plan.effort.repairs == 0
