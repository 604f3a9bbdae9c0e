"""Plans of the nine scenes judged by code that is not the planner's: coal and trimesh on raw triangles."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks.lab.plan_checker import PlanCheck
from benchmarks.lab.planner import NINE, goal_of, judge, walker
from footfall.planning import PlannedContacts, plan_contacts
from footfall.scene import make_scene
from tests.planning.scenes import seen

ROBOT = walker()


@cache
def planned(name: str) -> PlannedContacts:
    return plan_contacts(seen(name), ROBOT.model, goal_of(make_scene(name)), start=ROBOT.start)


@cache
def judged(name: str) -> PlanCheck:
    return judge(planned(name), make_scene(name), ROBOT, exact=False)


@pytest.mark.parametrize("name", NINE)
def test_nothing_is_wrong_with_a_plan(name: str) -> None:
    assert planned(name).found
    assert judged(name).faults == []
    assert judged(name).motion is not None


@pytest.mark.parametrize("name", NINE)
def test_durations_obey_the_identity_of_the_source(name: str) -> None:
    # Seiwald 2023, table 5.4: T = 0.8 (n - 1) + 0.32 + 0.8 + 0.4 n_slow holds for all nine scenes.
    result = planned(name)
    assert result.motion_plan is not None
    n, steps = len(result.motion_plan.transitions), result.steps
    assert n == len(steps) + 2  # a closing step and the rest at the end
    slow = sum(step.duration is not None and step.duration > 1.0 for step in steps)
    motion = judged(name).motion
    assert motion is not None
    assert motion.duration == pytest.approx(0.8 * (n - 1) + 0.32 + 0.8 + 0.4 * slow, abs=1e-6)


def test_the_judge_would_see_a_plan_of_another_scene() -> None:
    # The plan through an empty corridor leads through the wall of the trap.
    result = planned("corridor")
    check = judge(result, make_scene("gap", gap=0.4, distance=1.0), ROBOT, exact=False)
    assert any(fault.kind == "collision" for fault in check.faults)
