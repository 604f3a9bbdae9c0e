"""Conditions that begin and end tasks."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.hybrid_control import solve_tasks
from footfall.control.tasks.frames import AxisGoal, FrameTask, Guard, TaskProgress
from footfall.errors import InvalidInput

ARM = footfall.load("planar-arm")
Q, REST = np.array([0.5, 0.7, 0.6]), np.zeros(3)


@pytest.mark.parametrize(
    ("guard", "holds", "does_not"),
    [
        (Guard("x", "position", below=-0.1), [-0.2, -5.0], [-0.1, 0.0, 0.2]),
        (Guard("x", "position", above=0.1), [0.2], [0.1, -0.2]),
        (Guard("x", "force", beyond=5.0), [-6.0, 6.0], [-5.0, 4.0]),
        (Guard("x", "speed", within=0.01), [0.0, -0.005], [0.02, -0.02]),
        (Guard("x", "force", above=5.0, below=-1.0), [6.0, -2.0], [0.0, 4.0]),
    ],
)
def test_signs_count(guard: Guard, holds: list[float], does_not: list[float]) -> None:
    assert all(guard.holds(value) for value in holds)
    assert not any(guard.holds(value) for value in does_not)


def task(**options: object) -> FrameTask:
    return FrameTask("down", "tip", {"z": AxisGoal("acceleration", 0.0)}, **options)  # type: ignore[arg-type]


def test_a_position_below_zero_ends_a_task() -> None:
    """The tip is at a known height; a guard below it does not fire, one above it does."""
    height = float(footfall.frame_pose(ARM, Q, "tip").translation[0])
    for bound, ends in ((height - 0.1, False), (height + 0.1, True)):
        guarded = task(until=(Guard("x", "position", below=bound),))
        assert solve_tasks(ARM, Q, REST, REST, [guarded]).finished == (("down",) if ends else ())


def test_tasks_wait_begin_and_end() -> None:
    """A task begins when all its conditions hold, goes on when they do not any more, and stays away when it ended."""
    push = FrameTask(
        "push",
        "tip",
        {"z": AxisGoal("force", -5.0)},
        when=(Guard("x", "speed", within=0.1), Guard("z", "force", above=2.0)),
        until=(Guard("x", "speed", beyond=1.0),),
    )
    still, touching = REST, {"tip": np.array([0.0, 0.0, 3.0, 0.0, 0.0, 0.0])}
    waiting = solve_tasks(ARM, Q, still, REST, [push])
    assert waiting.tasks == ()
    assert waiting.forces == {}
    begun = solve_tasks(ARM, Q, still, REST, [push], progress=waiting.progress, measured=touching)
    assert begun.forces["push"]["z"] == -5.0
    goes_on = solve_tasks(ARM, Q, 0.3 * np.ones(3), REST, [push], progress=begun.progress)
    assert goes_on.tasks == (push,)
    fast = 10.0 * np.ones(3)
    ended = solve_tasks(ARM, Q, fast, REST, [push], progress=goes_on.progress)
    assert ended.finished == ("push",)
    after = solve_tasks(ARM, Q, still, REST, [push], progress=ended.progress, measured=touching)
    assert after.tasks == ()
    assert after.progress == TaskProgress(frozenset({"push"}), frozenset({"push"}))


def test_measured_forces_come_before_planned_ones() -> None:
    """Along the axes of the task: a wrench in the world is turned into them."""
    guarded = FrameTask(
        "press", "tip", {"z": AxisGoal("velocity")}, "frame", until=(Guard("z", "force", above=4.0),)
    )
    axis = footfall.frame_pose(ARM, Q, "tip").rotation[:, 2]
    for force, ends in ((5.0, True), (3.0, False), (-5.0, False)):
        wrench = np.concatenate([force * axis, np.zeros(3)])
        found = solve_tasks(ARM, Q, REST, REST, [guarded], measured={"tip": wrench})
        assert found.finished == (("press",) if ends else ())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Guard("x", "colour", above=1.0), "'colour'"),  # type: ignore[arg-type]
        (lambda: Guard("w", "force", above=1.0), "axis 'w'"),
        (lambda: Guard("x", "force"), "has no bound"),
        (lambda: Guard("x", "force", above="much"), "above is 'much'"),  # type: ignore[arg-type]
        (lambda: Guard("x", "force", above=float("nan")), "must be a number"),
        (lambda: Guard("x", "force", within=-0.1), "sizes are not negative"),
    ],
)
def test_bad_input(make, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()
