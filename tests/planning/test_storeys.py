"""Goals on other storeys: a map has one height a place, and says so."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.environment import perceive
from footfall.environment.perception import EXACT
from footfall.errors import NoPath
from footfall.planning import Goal, plan_contacts
from footfall.scene import make_scene
from footfall.walking import WalkRequest, walk
from footfall.walking.arrival import distance
from footfall.walking.routes import goal_of_scene, start_pose
from tests.planning.scenes import model


@pytest.mark.parametrize("z, found", [(None, True), (0.0, True), (0.6, True), (3.0, False), (-2.8, False)])
def test_a_goal_on_another_storey_is_refused_with_both_heights(z: float | None, found: bool) -> None:
    environment = perceive(make_scene("right-wall"), EXACT)
    plan = plan_contacts(environment, model(), Goal(3.0, 0.0, 0.0, z), check_motion=False)
    assert plan.found is found
    if not found:
        assert plan.why_not is not None
        assert (plan.why_not.kind, plan.why_not.name) == ("goal", "height")
        assert f"{z:.2f} m high" in plan.why_not.text
        assert "0.00 m" in plan.why_not.text


def test_the_goal_of_a_building_is_on_its_topmost_storey() -> None:
    """It was "goal reached, 0 mm" after no step: the place above the start counted as the start."""
    scene = make_scene("building", floors=2, seed=3, riser=0.125, tread=0.3, rooms=6)
    goal = goal_of_scene(scene)
    assert goal is not None
    assert goal.z == pytest.approx(3.0)
    plan = plan_contacts(perceive(scene, EXACT), model(), goal, start=start_pose(scene, model()))
    assert not plan.found
    assert plan.why_not is not None
    assert plan.why_not.name == "height"


def test_the_stairs_of_a_building_fit_the_robot() -> None:
    """Storeys of 3 m have 24 risers of 12.5 cm: LOLA finds a way to the twelfth, which it sees from the floor."""
    scene = make_scene("building", seed=3)
    steps = [each for each in scene.objects if each.name.startswith("stairs-0")]
    assert len(steps) == 23
    x, y, middle = steps[11].placement.translation.tolist()
    assert 2.0 * middle == pytest.approx(1.5)
    goal = Goal(x, y, np.pi, 2.0 * middle)
    plan = plan_contacts(perceive(scene, EXACT), model(), goal, start=start_pose(scene, model()))
    assert plan.found, plan.why_not
    rises = np.diff([each.placement.position[2] for each in plan.stances])
    assert rises.max() == pytest.approx(0.125, abs=1e-3)


def test_who_stands_below_a_goal_has_not_reached_it() -> None:
    assert distance(Goal(1.0, 2.0, 0.0, 0.0), Goal(1.0, 2.0)).reached
    assert distance(Goal(1.0, 2.0, 0.0, 0.0), Goal(1.0, 2.0, 0.0, 0.3)).reached
    assert not distance(Goal(1.0, 2.0, 0.0, 0.0), Goal(1.0, 2.0, 0.0, 3.0)).reached


def test_a_walk_to_another_storey_is_refused_before_it_begins() -> None:
    with pytest.raises(NoPath, match="another storey"):
        walk(WalkRequest(scene="flat", goal=(2.0, 0.0, 0.0), goal_height=3.0))
