"""The nine scenes of Seiwald 2023, table 5.4: which contacts there are, what is stepped over, what is walked around."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import footfall
from footfall import MotionPlan
from footfall.environment import EnvironmentUpdate, updated
from footfall.errors import InvalidTransition, MotionWarning
from footfall.gait import FootContact
from footfall.motion import gait_dimensions
from footfall.planning import Goal, PlannedContacts, plan_contacts
from tests.planning.scenes import model, planned, seen

NINE = (
    "platform",
    "right-wall",
    "right-table",
    "corridor",
    "obstacles",
    "ramps",
    "stairs",
    "stairs-partial",
    "trap",
)


def slow_steps(plan: PlannedContacts) -> int:
    return sum(step.duration == pytest.approx(1.2) for step in plan.steps)


@pytest.mark.parametrize("name", NINE)
def test_every_scene_has_a_plan_that_becomes_a_motion(name: str) -> None:
    plan = planned(name)
    assert plan.found
    assert plan.complete
    assert plan.motion_plan is not None
    end = np.mean([foot.position for foot in plan.motion_plan.end.feet], axis=0)
    assert np.hypot(end[0] - plan.goal.x, end[1] - plan.goal.y) < 0.05  # half a cell and refinement
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MotionWarning)
        footfall.generate_motion(plan.motion_plan, model())
    assert [str(each.message) for each in caught] == list(plan.warnings)


@pytest.mark.parametrize("name", NINE)
def test_steps_replayed_lead_to_the_stances(name: str) -> None:
    """Poses after each step of the plan are those of the stances: step parameters and back."""
    plan = planned(name)
    assert plan.motion_plan is not None
    for stance, transition in zip(plan.stances, plan.motion_plan.transitions, strict=False):
        foot = transition.end.stance_foot
        assert transition.end.stance == stance.placement.foot
        np.testing.assert_allclose(foot.position, stance.placement.position, atol=1e-9)
        assert abs(np.dot(foot.rotation, stance.placement.rotation)) > 1.0 - 1e-12
        for contact in stance.hands:
            hand = transition.end.hand(contact.hand)
            np.testing.assert_allclose(hand.position, contact.position, atol=1e-9)
            np.testing.assert_allclose(hand.wrench[:3], 50.0 * np.array(contact.normal), atol=1e-9)


def test_the_platform_is_crossed_with_a_hand_on_each_wall_and_left_on_tiptoe() -> None:
    plan = planned("platform")
    assert [(each.hand, each.object) for each in plan.hand_contacts] == [
        ("LH", "left-wall"),
        ("LH", "second-wall"),
    ]
    assert slow_steps(plan) in (6, 7)  # three for each hand; steps up and down may be among them
    heights = [stance.placement.position[2] for stance in plan.stances]
    down = next(k for k in range(1, len(heights)) if heights[k] < heights[k - 1] - 0.1)
    assert plan.stances[down].placement.contact is FootContact.TIPTOE


@pytest.mark.parametrize(
    ("name", "normal"), [("right-wall", (0.0, 1.0, 0.0)), ("right-table", (0.0, 0.0, 1.0))]
)
def test_one_hand_leans_on_what_is_beside(name: str, normal: tuple[float, float, float]) -> None:
    plan = planned(name)
    (contact,) = plan.hand_contacts
    assert contact.hand == "RH"
    assert np.dot(contact.normal, normal) > 0.95
    assert slow_steps(plan) == 3
    assert len(plan.steps) in (6, 7, 8)


def test_a_corridor_is_used_with_both_hands_at_once() -> None:
    plan = planned("corridor")
    both = [stance for stance in plan.stances if len(stance.hands) == 2 and not stance.hands[0].held]
    assert len(both) == 1
    assert slow_steps(plan) == 3


def test_a_bar_is_stepped_over_and_boxes_are_walked_around() -> None:
    plan = planned("obstacles")
    assert plan.motion_plan is not None
    crossings = []
    for step, transition in zip(plan.steps, plan.motion_plan.transitions, strict=False):
        foot = transition.end.stance
        if transition.begin.foot(foot).position[0] < 1.25 < transition.end.foot(foot).position[0]:
            crossings.append(step.step_height)
    assert len(crossings) == 2  # each foot once
    assert all(height is not None and 0.1 < height < 0.2 for height in crossings)
    assert not plan.hand_contacts
    for stance in plan.stances:
        assert abs(stance.placement.position[2]) < 0.02  # never on the bar or a box


def test_feet_follow_the_slope_of_ramps() -> None:
    plan = planned("ramps")
    pitches = [step.pitch for step in plan.steps]
    slope = np.arctan(0.1)
    assert min(pitches) == pytest.approx(-slope, abs=0.03)  # up: toes rise
    assert max(pitches) == pytest.approx(slope, abs=0.03)


def test_stairs_are_climbed_on_whole_soles_if_treads_allow() -> None:
    plan = planned("stairs")
    assert {step.contact for step in plan.steps} <= {FootContact.FULL, FootContact.TIPTOE}
    assert max(stance.placement.position[2] for stance in plan.stances) == pytest.approx(0.3, abs=0.01)


def test_short_treads_are_climbed_on_toe_pads() -> None:
    plan = planned("stairs-partial")
    assert sum(step.contact is FootContact.PARTIAL for step in plan.steps) >= 2
    assert max(stance.placement.position[2] for stance in plan.stances) == pytest.approx(0.3, abs=0.01)


def test_the_way_out_of_a_trap_is_around_its_walls() -> None:
    plan = planned("trap")
    assert slow_steps(plan) == 0
    assert max(abs(stance.placement.position[1]) for stance in plan.stances) > 1.3


@pytest.mark.parametrize("name", ["right-wall", "stairs"])
def test_the_guide_costs_little(name: str) -> None:
    """Without guide and weight A* finds the least cost, since its estimate is consistent."""
    plan = planned(name)
    best = plan_contacts(seen(name), model(), plan.goal, guided=False, check_motion=False)
    assert best.cost <= plan.cost + 1e-9
    assert plan.cost <= 1.05 * best.cost


def test_a_plan_over_a_horizon_goes_on_towards_the_goal() -> None:
    whole = planned("right-wall")
    part = plan_contacts(seen("right-wall"), model(), whole.goal, horizon=4)
    assert part.found
    assert not part.complete
    assert len(part.steps) == 4
    assert part.stances[-1].placement.position[0] > 1.0
    assert part.stances[-1].can_stop


def test_planning_is_deterministic() -> None:
    first = planned("right-table")
    again = plan_contacts(seen("right-table"), model(), first.goal)
    assert again.stances == first.stances
    assert again.cost == first.cost
    assert again.nodes == first.nodes


def test_a_goal_without_ground_is_told() -> None:
    plan = plan_contacts(seen("right-wall"), model(), Goal(30.0, 0.0))
    assert not plan.found
    assert plan.why_not is not None
    assert plan.why_not.kind == "goal"


def test_objects_that_are_not_there_give_no_hand_contact() -> None:
    bare = updated(seen("right-wall"), EnvironmentUpdate(remove=frozenset({"right-wall"})))
    plan = plan_contacts(bare, model(), Goal(3.0, 0.0), check_motion=False)
    assert plan.found
    assert not plan.hand_contacts


def test_a_start_in_the_middle_of_a_step_keeps_its_stance() -> None:
    whole = planned("right-wall")
    assert whole.motion_plan is not None
    begin = whole.motion_plan.transitions[2].end
    plan = plan_contacts(seen("right-wall"), model(), whole.goal, start=begin)
    assert plan.found
    assert plan.start.stance == begin.stance
    assert plan.stances[0].placement.foot == begin.swing
    assert gait_dimensions(model()).foot_distance > 0.0


def test_a_step_that_is_not_accepted_is_left_out_and_the_search_goes_on() -> None:
    """Whoever walks may refuse what five masses can do, such as a leg that is too short for the whole robot."""
    goal, asked = Goal(1.2, 0.0, 0.0), []
    usual = plan_contacts(seen("stairs"), model(), goal)
    second = usual.stances[1].placement.position

    def accepts(plan: MotionPlan) -> None:
        asked.append(plan)
        if np.allclose(plan.transitions[1].end.stance_foot.position, second, atol=1e-6):
            raise InvalidTransition(1, "not this one")

    other = plan_contacts(seen("stairs"), model(), goal, accepts=accepts)
    assert other.found
    assert len(asked) > 1
    assert not np.allclose(other.stances[1].placement.position, second, atol=1e-6)

    def never(plan: MotionPlan) -> None:
        raise InvalidTransition(0, "nor that")

    refused = plan_contacts(seen("stairs"), model(), goal, accepts=never)
    assert not refused.found
