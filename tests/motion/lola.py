"""LOLA and her walks, for the tests of the motion generator."""

from __future__ import annotations

from collections.abc import Sequence

import footfall
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.model_derivation import reduced_model
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion

MODEL = reduced_model(footfall.load("lola"))
LOLA = gait_dimensions(MODEL)
IDLE = idle_pose(LOLA)


def walk(steps: Sequence[WalkingTransition]) -> MotionPlan:
    """A plan of steps, right foot first."""
    return MotionPlan((walking_sequence(steps, IDLE, LOLA, first_swing="RF"),))


def straight(count: int = 8, forward: float = 0.4) -> Motion:
    """A straight walk."""
    return generate_motion(walk([WalkingTransition(forward=forward)] * count), MODEL)
