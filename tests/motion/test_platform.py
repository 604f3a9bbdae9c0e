"""The torso on the platform of the source: toes make the step down possible (Seiwald 2023)."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

import footfall
from footfall.gait.plan_file import build_plan, read_plan_description
from footfall.gait.poses import FootContact
from footfall.motion.motion import Motion
from footfall.motion.parameters import MotionParameters, ToeParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.verification import leg_margins

MODEL = footfall.reduced_model(footfall.load("lola"))


def platform_walk(*, toes: bool) -> Motion:
    description: Any = read_plan_description("platform")
    parameters = MotionParameters()
    if not toes:
        parameters = MotionParameters(toe=ToeParameters(rise_rad_per_m=0.0))
        (action,) = description.action
        steps = [msgspec.structs.replace(step, contact=FootContact.FULL) for step in action.step]
        description = msgspec.structs.replace(
            description,
            action=type(description.action)([msgspec.structs.replace(action, step=type(action.step)(steps))]),
        )
    return generate_motion(
        build_plan(description, gait_dimensions(MODEL)), MODEL, parameters=parameters, check=toes
    )


def test_without_toes_the_legs_contradict_each_other_on_the_step_down() -> None:
    motion = platform_walk(toes=False)
    down = motion.overlaps[motion.overlaps > 10.0]
    assert len(down) > 5
    assert 13.0 < down.min() < down.max() < 15.0


def test_with_toes_both_legs_reach_at_all_times() -> None:
    """Partial contact up, tiptoe down: no overlap, and within the limits between the break points too."""
    motion = platform_walk(toes=True)
    assert len(motion.overlaps) == 0
    times = np.linspace(motion.begin_time, motion.end_time, 2000)
    assert leg_margins(motion, times).min() > 0.0
