"""Steps as a plan file: what a planner has found, to be played again (`footfall plan FILE`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import InvalidInput
from footfall.gait.poses import FootContact, RobotPose, mean_foot_frame
from footfall.gait.walking_transitions import GaitDimensions, HandTarget, WalkingTransition, idle_pose
from footfall.math.rotations import yaw_of
from footfall.robot.toml_text import toml_string, toml_value
from footfall.whole_file import written_whole

_DIGITS = 12  # of where it starts: rounding of a mean is no measure


def write_plan_file(
    path: Path | str,
    steps: Sequence[WalkingTransition],
    start: RobotPose,
    dimensions: GaitDimensions,
    *,
    robot: str = "lola",
    description: str = "",
) -> None:
    """Write steps as TOML that `load_plan` reads back to the same poses.

    start: pose at rest in which they begin; its swing foot moves first. robot: name or file of the robot.
    """
    text = plan_file_text(steps, start, dimensions, robot=robot, description=description)
    with written_whole(Path(path)) as file:
        file.write(text.encode())


def plan_file_text(
    steps: Sequence[WalkingTransition],
    start: RobotPose,
    dimensions: GaitDimensions,
    *,
    robot: str = "lola",
    description: str = "",
) -> str:
    """The text of `write_plan_file`. Numbers are written so that they read back the same."""
    middle, turn = mean_foot_frame(*start.feet)
    place, yaw, first = middle.round(_DIGITS), round(float(yaw_of(turn)), _DIGITS), start.swing
    if not idle_pose(dimensions, position=place.tolist(), yaw=yaw).equivalent(start):
        raise InvalidInput(
            "the steps do not begin at rest, which a plan file does; write all poses with `write_plan`"
        )
    lines = [f"description = {toml_string(description)}"] if description else []
    lines += [f"robot = {toml_string(robot)}", f"first_swing = {toml_string(first)}", ""]
    if np.any(place) or yaw != 0.0:
        lines += ["[start]", f"position = {toml_value(place.tolist())}", f"yaw = {yaw!r}", ""]
    lines += ["[[action]]", 'kind = "steps"', ""]
    for step in steps:
        lines += ["[[action.step]]", *_step_lines(step), ""]
    return "\n".join(lines)


def _step_lines(step: WalkingTransition) -> list[str]:
    """Fields that differ from a step on the spot."""
    values = {each.name: getattr(step, each.name) for each in fields(step)}
    changed = {each.name: values[each.name] for each in fields(step) if values[each.name] != each.default}
    return [f"{name} = {_text(value)}" for name, value in changed.items()]


def _text(value: Any) -> str:
    if isinstance(value, FootContact):
        return toml_string(value.value)
    if isinstance(value, HandTarget):
        given = {each.name: getattr(value, each.name) for each in fields(value)}
        parts = [
            f"{each.name} = {_text(given[each.name])}"
            for each in fields(value)
            if given[each.name] != each.default
        ]
        return "{ " + ", ".join(parts) + " }"
    if isinstance(value, bool):
        return str(value).lower()
    return toml_value(value)
