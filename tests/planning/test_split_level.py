"""A way through a building with stairs up and down, planned in one go and judged by code that is not the planner's."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.lab.planner import EXACT, goal_of, judge, walker
from footfall import MotionPlan
from footfall.environment import perceive
from footfall.errors import InvalidTransition
from footfall.motion.pipeline import generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.planning import PlannedContacts, plan_contacts, planning_job
from footfall.scene import make_scene

ROBOT = walker()
SCENE = make_scene("split-level", seed=1, rooms=5)
UPPER = 6 * 0.12  # m: risers times riser


@pytest.fixture(scope="module")
def plan() -> PlannedContacts:
    return plan_contacts(perceive(SCENE, EXACT), ROBOT.model, goal_of(SCENE), start=ROBOT.start)


def test_the_plan_climbs_to_the_upper_floor_and_comes_down_again(plan: PlannedContacts) -> None:
    assert plan.complete
    # Rooms and flights, less 1 m at each end.
    assert plan.goal.x == pytest.approx(5 * 4.0 + 2 * 5 * 0.3 - 2.0)
    heights = np.array([stance.placement.position[2] for stance in plan.stances])
    highest = int(np.argmax(heights))
    assert heights.max() == pytest.approx(UPPER, abs=1e-6)
    assert heights[[0, -1]] == pytest.approx(0.0, abs=1e-6)
    changes = np.diff(heights)
    assert changes[:highest].min() > -1e-6  # up, and only then down
    assert changes[np.flatnonzero(heights > UPPER - 1e-6)[-1] :].max() < 1e-6
    assert np.abs(changes).max() < 2.5 * 0.12  # two risers at most in a step


def test_the_judge_finds_no_fault(plan: PlannedContacts) -> None:
    assert judge(plan, SCENE, ROBOT, exact=True).faults == []


def test_a_part_that_is_refused_is_tried_beside_its_neighbours_only(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []

    def refusing(plan: MotionPlan, model: ReducedModel) -> object:
        lengths.append(len(plan.transitions))
        if len(lengths) < 3:
            raise InvalidTransition(5, "for no reason")
        return generate_motion(plan, model)

    monkeypatch.setattr(planning_job, "generate_motion", refusing)
    plan = plan_contacts(perceive(SCENE, EXACT), ROBOT.model, goal_of(SCENE), start=ROBOT.start)
    assert plan.complete
    assert plan.effort.repairs >= 2
    assert len(lengths) >= 4
    assert lengths[0] > 1.5 * max(lengths[1:-1])  # the whole way at the beginning and at the end
    assert lengths[-1] > 1.5 * max(lengths[1:-1])


def test_the_judge_would_see_higher_stairs(plan: PlannedContacts) -> None:
    higher = make_scene("split-level", seed=1, rooms=5, riser=0.15)
    assert judge(plan, higher, ROBOT, exact=True).faults != []
