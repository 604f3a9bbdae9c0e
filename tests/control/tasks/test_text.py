"""Tasks and boundaries as TOML: what goes out comes back, and what is wrong is explained."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.control.gains import Gains
from footfall.control.tasks.frames import AxisGoal, FrameTask, Guard
from footfall.control.tasks.points import FramePoint
from footfall.control.tasks.positions import Boundary
from footfall.control.tasks.text import parse_tasks, tasks_text
from footfall.errors import InvalidInput

TEXT = """
[[task]]
name = "wipe"
frame = "tip"
priority = 1
point = [0.1, 0.0, -0.02]
stiffness = 64.0
damping = 16.0
when = [{ axis = "x", quantity = "position", below = -0.1 }]
until = [{ axis = "z", quantity = "force", beyond = 20.0 }]
[task.goals]
x = { velocity = 0.1, most_acceleration = 0.5, most_speed = 1 }
z = { force = -10.0 }

[[task]]
name = "keep upright"
frame = "tip"
compliance = 0.05
[task.goals]
ry = { position = 0.2, most_force = 3.0, pushes_only = true }

[[boundary]]
name = "wall"
frame = "tip"
point = [0.0, 0.0, 0.1]
start = [1.0, 0.0, 0.0]
normal = [-2.0, 0.0, 0.0]
damping = 10
most_force = 50.0
"""
HEAD = "[[task]]\nname = 'a'\nframe = 'tip'\n"
GOAL = "[task.goals]\nx = { force = 1 }\n"
WALL = "[[boundary]]\nname = 'a'\nframe = 'tip'\nstart = [0, 0, 0]\n"


def test_files_of_earlier_releases() -> None:
    """What yields had a softness there."""
    with pytest.warns(DeprecationWarning, match="compliance="):
        _, upright, _ = parse_tasks(TEXT.replace("compliance", "softness"))
    assert isinstance(upright, FrameTask)
    assert upright.compliance == 0.05
    with pytest.warns(DeprecationWarning, match="FrameTask.softness is now compliance"):
        assert upright.softness == 0.05
    assert "compliance = 0.05" in tasks_text([upright])
    with pytest.raises(InvalidInput, match="softness is the old name of compliance"):
        parse_tasks(TEXT.replace("compliance = 0.05", "compliance = 0.05\nsoftness = 0.05"))


def test_texts_say_what_values_say() -> None:
    wipe, upright, wall = parse_tasks(TEXT)
    assert isinstance(wipe, FrameTask)
    assert wipe.goals["x"] == AxisGoal("velocity", 0.1, most_acceleration=0.5, most_speed=1)
    assert wipe.point == (0.1, 0.0, -0.02)
    assert wipe.gains == Gains(64.0, 16.0)
    assert wipe.when == (Guard("x", "position", below=-0.1),)
    assert wipe.until == (Guard("z", "force", beyond=20.0),)
    assert isinstance(upright, FrameTask)
    assert upright.goals["ry"].pushes_only
    assert upright.gains == Gains(100.0, 20.0)
    expected = Boundary(
        FramePoint("tip", (0.0, 0.0, 0.1)),
        np.array([1.0, 0.0, 0.0]),
        np.array([-1.0, 0.0, 0.0]),
        "wall",
        50.0,
        gains=Gains(400.0, 10.0),
    )
    assert wall == expected
    assert parse_tasks(tasks_text([wipe, upright, wall])) == (wipe, upright, wall)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[task", "must be TOML"),
        ("[[tusk]]\n", "unknown table 'tusk'"),
        ("task = 3", "must be tables that begin with"),
        ("task = [1, 2]", "must be tables that begin with"),
        ("[task]\nname = 'a'", "must be tables that begin with"),
        (HEAD, "goals is missing"),
        ("[[task]]\nframe = 'tip'\n" + GOAL, "name is missing"),
        ("[[task]]\nname = 7\nframe = 'tip'\n" + GOAL, "name is 7; it must be a name"),
        ("[[task]]\nname = 'a'\nframe = 7\n" + GOAL, "frame is 7"),
        (HEAD + "axes = 7\n" + GOAL, "axes is 7"),
        (HEAD + "speed = 1\n" + GOAL, "unknown field 'speed'"),
        (HEAD + "goals = 3", "goals are 3; they must be a table"),
        (HEAD + "[task.goals]\n", "no goals"),
        (HEAD + "[task.goals]\nw = { force = 1 }", "axis 'w'"),
        (HEAD + "[task.goals]\nx = 3", "x is 3; it must be a table"),
        (HEAD + "[task.goals]\nx = { force = 1, velocity = 2 }", "needs one of position"),
        (HEAD + "[task.goals]\nx = { force = 'much' }", "force is 'much'; it must be a number"),
        (HEAD + "[task.goals]\nx = { force = true }", "force is True; it must be a number"),
        (HEAD + "[task.goals]\nx = { position = nan }", "must be a number"),
        (HEAD + "[task.goals]\nx = { position = 1, most_force = 'much' }", "most_force is 'much'"),
        (HEAD + "[task.goals]\nx = { force = 1, stop = 2 }", "has stop; besides force there are"),
        (HEAD + "priority = 'high'\n" + GOAL, "priority is 'high'; it must be a whole number"),
        (HEAD + "priority = 0.5\n" + GOAL, "must be a whole number"),
        (HEAD + "stiffness = 'soft'\n" + GOAL, "stiffness is 'soft'"),
        (HEAD + "stiffness = -3\n" + GOAL, "stiffness is -3"),
        (HEAD + "compliance = -1\n" + GOAL, "compliance -1"),
        (HEAD + "compliance = 'a little'\n" + GOAL, "compliance 'a little'"),
        (HEAD + "point = [1, 2]\n" + GOAL, "must be three numbers"),
        (HEAD + "point = [1, 2, 'x']\n" + GOAL, "point is 'x'; it must be a number"),
        (HEAD + "until = 3\n" + GOAL, "until is 3; it must be a list"),
        (HEAD + "until = [3]\n" + GOAL, "until has 3; it must be a table"),
        (HEAD + "until = [{ axis = 'z' }]\n" + GOAL, "until: quantity is missing"),
        (HEAD + "until = [{ axis = 'z', quantity = 'force' }]\n" + GOAL, "has no bound"),
        (HEAD + "until = [{ axis = 'z', quantity = 'force', over = 3 }]\n" + GOAL, "unknown field 'over'"),
        (HEAD + "until = [{ axis = 'z', quantity = 'force', above = 'x' }]\n" + GOAL, "above is 'x'"),
        (HEAD + f"until = [{{ axis = 'z', quantity = 'force', above = {10**400} }}]\n" + GOAL, "below 1e308"),
        (HEAD + f"[task.goals]\nx = {{ force = {10**400} }}", "below 1e308"),
        (HEAD + f"[task.goals]\nx = {{ force = 1, most_force = {10**400} }}", "must be a number"),
        (HEAD + f"compliance = {10**400}\n" + GOAL, "must be a number"),
        (HEAD + ".".join("a" * 50_000) + " = 1\n" + GOAL, "32 dots"),
        (HEAD + "axes = 'frame'\n[task.goals]\nx = { position = 1 }", "own axes"),
        (WALL, "normal is missing"),
        (WALL + "normal = [0, 0, 0]", "must have a direction"),
        (WALL + "normal = [0, 0, 1]\nmost_force = 0", "most_force is 0"),
        (WALL + "normal = [0, 0, 1]\nheight = 0", "unknown field 'height'"),
        (WALL + "normal = [0, 0, 1]\npriority = 'first'", "must be a whole number"),
        (
            "[[boundary]]\nname = 3\nframe = 'tip'\nstart = [0, 0, 0]\nnormal = [0, 0, 1]",
            "name of a boundary is 3",
        ),
        ("[[boundary]]\nname = 'a'\nframe = 3\nstart = [0, 0, 0]\nnormal = [0, 0, 1]", "frame is 3"),
    ],
)
def test_wrong_texts_are_explained(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_tasks(text)


def test_texts_are_texts() -> None:
    with pytest.raises(InvalidInput, match="must be a text"):
        parse_tasks(3)  # type: ignore[arg-type]
