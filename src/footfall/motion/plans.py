"""Plans for a reduced model in one call: of steps, or of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall.gait.plan import MotionPlan
from footfall.gait.plan_file import build_plan, read_plan_description
from footfall.gait.poses import Foot
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.pipeline import gait_dimensions
from footfall.motion.reduced_model import ReducedModel


def walking_plan(
    model: ReducedModel, steps: Sequence[WalkingTransition], *, first_swing: Foot = "RF"
) -> MotionPlan:
    """Steps from rest in the origin, with the closing step and the rest at their end. first_swing: foot that moves
    first."""
    dimensions = gait_dimensions(model)
    sequence = walking_sequence(steps, idle_pose(dimensions), dimensions, first_swing=first_swing)
    return MotionPlan((sequence,))


def load_plan(source: Path | str, model: ReducedModel) -> MotionPlan:
    """The plan of a TOML file, given by its path or, for a shipped one, by its name (`footfall plan list`)."""
    return build_plan(read_plan_description(source), gait_dimensions(model))
