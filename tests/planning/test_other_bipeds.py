"""Robots of other sizes, and without hands: nothing in the planner is for one robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall import generate_motion
from footfall.environment import PerceptionOptions, perceive
from footfall.errors import UnsuitableRobot
from footfall.gait import idle_pose
from footfall.motion import gait_dimensions
from footfall.motion.landmarks import has_hands
from footfall.motion.model_derivation import reduced_model
from footfall.motion.reduced_model import ReducedModel
from footfall.planning import Goal, parameters_for, plan_contacts
from footfall.scene import make_scene
from tests.armless_biped import armless_biped
from tests.motion.lola import MODEL

EXACT = PerceptionOptions(voxel=0.0, noise=0.0)
SCALE = 0.7


def smaller() -> ReducedModel:
    """A robot of 0.7 times the size."""
    lengths = ("toe_height", "toe_shift", "mid_foot_length", "mid_foot_height", "lower_leg", "upper_leg")
    leg = MODEL.leg
    shorter = {name: SCALE * getattr(leg, name) for name in (*lengths, "hip_to_torso", "torso_ahead")}
    names = ("hip_width", "shoulder_width", "shoulder_height", "upper_arm", "lower_arm", "hand_radius")
    sizes = {name: SCALE * getattr(MODEL, name) for name in (*names, "com_height", "foot_distance")}
    soles = {
        name: tuple(SCALE * x for x in getattr(MODEL, name)) for name in ("sole", "toe_sole", "hand_offset")
    }
    return replace(MODEL, name="small", leg=replace(leg, **shorter), **sizes, **soles)


def test_a_smaller_robot_makes_smaller_steps() -> None:
    model = smaller()
    environment = perceive(make_scene("empty-floor", goal=2.0), EXACT)
    start = idle_pose(gait_dimensions(model))
    result = plan_contacts(environment, model, Goal(2.0, 0.0), start=start)
    assert result.found
    limits = parameters_for(model).step
    assert limits.forward_m == pytest.approx(SCALE * 0.64)
    longest = max(step.forward for step in result.steps)
    assert 0.2 < longest <= limits.forward_m + 0.06
    right, left = result.stances[-1].placement, result.stances[-2].placement
    assert right.foot != left.foot
    assert result.motion_plan is not None
    assert generate_motion(result.motion_plan, model).duration > 0.0


def test_a_robot_without_hands_plans_without_hands() -> None:
    model = replace(MODEL, name="armless", upper_arm=0.0, lower_arm=0.0)
    environment = perceive(make_scene("right-wall"), EXACT)
    result = plan_contacts(environment, model, Goal(3.0, 0.0), start=idle_pose(gait_dimensions(model)))
    assert result.found
    assert result.hand_contacts == ()
    with_hands = plan_contacts(environment, MODEL, Goal(3.0, 0.0), start=idle_pose(gait_dimensions(MODEL)))
    assert with_hands.hand_contacts
    assert np.isfinite(result.cost)


def test_a_biped_without_arms_has_a_reduced_model() -> None:
    model = reduced_model(armless_biped(0.42, 0.40))
    assert not has_hands(model.frames)
    assert (model.hand_share, model.upper_arm, model.lower_arm) == (0.0, 0.0, 0.0)
    assert (model.leg.upper_leg, model.leg.lower_leg) == pytest.approx((0.42, 0.40))
    assert model.foot_distance == pytest.approx(0.26 * 0.82)
    assert model.bulk is not None
    assert model.bulk.arm == ()
    # The pelvis is 0.4 legs wide: its corner is in one of two capsules 0.26 legs apart, with 2 cm around it.
    radius = np.hypot(0.11 * 0.82, (0.2 - 0.13) * 0.82) + 0.02
    assert model.bulk.body[0].radius >= radius - 1e-9


def test_arms_whose_names_say_nothing_are_asked_for() -> None:
    with pytest.raises(UnsuitableRobot, match="RH and LH"):
        reduced_model(armless_biped(arms=True))


@pytest.mark.parametrize("scene, legs", [("right-wall", 0.42), ("obstacles", 0.5), ("stairs", 0.42)])
def test_a_biped_without_arms_plans_from_its_description(scene: str, legs: float) -> None:
    model = reduced_model(armless_biped(legs, legs))
    made = make_scene(scene)
    assert made.goal is not None
    x, y, _ = made.goal.translation.tolist()
    result = plan_contacts(perceive(made, EXACT), model, Goal(x, y), start=idle_pose(gait_dimensions(model)))
    assert result.complete
    assert result.hand_contacts == ()
    assert result.motion_plan is not None
    assert generate_motion(result.motion_plan, model).duration > 0.0
