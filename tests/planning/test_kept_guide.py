"""Planning again with what an earlier plan has learnt of the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.environment import perceive
from footfall.gait import idle_pose
from footfall.math.transform import Transform
from footfall.motion import gait_dimensions
from footfall.planning import Goal, plan_contacts
from footfall.scene.model import SceneObject
from footfall.scene.parts import at, block, floor
from tests.planning.scenes import model, planned, seen


def test_nothing_new_gives_the_same_plan() -> None:
    first = planned("obstacles")
    again = plan_contacts(seen("obstacles"), model(), first.goal, previous=first)
    assert again.stances == first.stances
    assert again.effort.guide_nodes == 0  # no guide was searched
    assert again.guide is first.guide


def test_a_moved_wall_and_another_start_are_planned_with_as_they_are() -> None:
    first, environment = planned("right-wall"), seen("right-wall")
    wall = environment.object("right-wall")
    moved = wall.moved(
        Transform(wall.placement.rotation, wall.placement.translation + np.array([0.1, 0.0, 0.0]))
    )
    here = replace(environment, objects={**environment.objects, wall.id: moved})
    start = idle_pose(gait_dimensions(model()), position=(0.8, 0.0, 0.0))
    again = plan_contacts(here, model(), first.goal, start=start, previous=first)
    anew = plan_contacts(here, model(), first.goal, start=start)
    assert again.effort.guide_nodes == 0
    assert again.complete
    assert again.cost <= 1.05 * anew.cost
    for contact in again.hand_contacts:
        assert contact.object == "right-wall"


def closed(*objects: SceneObject) -> footfall.environment.Environment:
    return perceive(footfall.Scene("way", (floor(), *objects), start=at(0.0, 0.0), goal=at(3.0, 0.0)))


def test_a_guide_that_leads_nowhere_any_more_is_left() -> None:
    # A way to the right of a long wall, then a wall across it: only the way to the left is open.
    wall = block("wall", "obstacle", (1.3, 1.4), (-0.3, 1.1), (0.0, 0.6))
    shut = block("shut", "obstacle", (1.3, 1.4), (-4.0, -0.3), (0.0, 0.6))
    first = plan_contacts(closed(wall), model(), Goal(3.0, 0.0), check_motion=False)
    assert min(stance.placement.position[1] for stance in first.stances) < -0.4
    again = plan_contacts(closed(wall, shut), model(), first.goal, previous=first, check_motion=False)
    anew = plan_contacts(closed(wall, shut), model(), first.goal, check_motion=False)
    assert again.found
    assert max(stance.placement.position[1] for stance in again.stances) > 1.1
    assert again.cost == pytest.approx(anew.cost, rel=0.05)


def test_another_goal_has_a_guide_of_its_own() -> None:
    first = planned("right-wall")
    plan = plan_contacts(seen("right-wall"), model(), Goal(2.4, 0.0), previous=first)
    assert plan.found
    assert plan.effort.guide_nodes > 0
