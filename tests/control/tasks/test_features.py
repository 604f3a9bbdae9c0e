"""Chains of features: closed forms of their coordinates, Jacobian and bias by differences, use in all solvers."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.references import MovingFrame
from footfall.control.tasks.features import FeatureTask, chain_bias, chain_pose
from footfall.errors import InvalidInput
from footfall.ik import ResolvedRate, solve_ik
from footfall.math import parameters_from_matrix
from footfall.tasks import AxisGoal, FrameTask, TaskStack, check_ranks, parse_frames, parse_tasks, tasks_text

ARM = footfall.load("arm-7r")
READY = ARM.configuration("ready")
POST = {"angle": "rz", "distance": "x", "height": "z", "turn": "rz", "tilt": "ry", "lean": "rx"}
TABLE = {"x": "x", "y": "y", "z": "z", "yaw": "rz", "pitch": "ry", "roll": "rx"}


def test_the_chain_itself() -> None:
    """Jacobian and bias of the chain by differences."""
    rng = np.random.default_rng(0)
    axes = tuple(POST.values())
    values, rates, step = rng.normal(size=6), rng.normal(size=6), 1e-5
    ends = [chain_pose(axes, values + sign * step * rates) for sign in (-1.0, 0.0, 1.0)]
    speed = (ends[2].position - ends[0].position) / (2 * step)
    np.testing.assert_allclose(ends[1].jacobian[:3] @ rates, speed, atol=1e-8)
    bias = (ends[2].jacobian @ rates - ends[0].jacobian @ rates) / (2 * step)
    np.testing.assert_allclose(chain_bias(axes, values, rates), bias, atol=1e-8)


def test_closed_forms() -> None:
    """Across a table: place and Euler angles. Round a post: cylinder coordinates."""
    q = READY + 0.2 * np.random.default_rng(1).normal(size=7)
    pose = footfall.frame_pose(ARM, q, "tip")
    x, y, z = pose.translation
    expected = {
        "table": (
            TABLE,
            {"yaw": -3.0, "pitch": 0.5, "roll": 3.0},
            [x, y, z, *parameters_from_matrix("zyx", pose.rotation)],
        ),
        "post": (POST, {"distance": 0.5}, [np.arctan2(y, x), np.hypot(x, y), z]),
    }
    for chain, near, values in expected.values():
        names = list(chain)[: len(values)]
        task = FeatureTask("tip", chain, dict.fromkeys(names, 0.1), near=near)
        found = task.coordinates(ARM, q, task.parameters)
        np.testing.assert_allclose(found[: len(values)], values, atol=1e-9)


@pytest.mark.parametrize("seen_from", ["world", "link3"])
def test_jacobian_and_bias_by_differences(seen_from: str) -> None:
    seen_from = ARM.bodies[2].name if seen_from == "link3" else seen_from
    v = 0.4 * np.random.default_rng(2).normal(size=7)
    task = FeatureTask(
        "tip",
        POST,
        {"angle": 0.1, "distance": 0.4, "tilt": 0.2},
        relative_to=seen_from,
        near={"distance": 0.4},
    )
    stack, step = TaskStack(ARM, [task]), 1e-6
    seen = [stack.kernel(READY + sign * step * v, stack.parameters) for sign in (-1.0, 0.0, 1.0)]
    np.testing.assert_allclose(seen[1][1] @ v, (seen[0][0] - seen[2][0]) / (2 * step), atol=1e-7)
    bias = stack.motion_kernel(READY, v, stack.parameters)[3]
    np.testing.assert_allclose(bias, (seen[2][1] - seen[0][1]) @ v / (2 * step), atol=1e-6)


def test_round_a_post() -> None:
    """On velocity level the tip goes round at its distance; on position level it comes to an angle; hybrid too."""
    tip = footfall.frame_pose(ARM, READY, "tip").translation
    around = {"angle": 0.0, "distance": float(np.hypot(*tip[:2])), "height": float(tip[2])}
    near = {"distance": around["distance"]}
    turning = FeatureTask("tip", POST, around, near=near, rate=np.array([0.5, 0.0, 0.0]), gains=0.0)
    v = ResolvedRate(ARM, [turning])(READY)
    moved = footfall.frame_velocity(ARM, READY, v, "tip")[:3]
    np.testing.assert_allclose(moved, np.cross([0.0, 0.0, 0.5], tip), atol=1e-6)
    found = solve_ik(ARM, READY, [FeatureTask("tip", POST, {**around, "angle": 0.4}, near=near)])
    assert found.reached
    place = footfall.frame_pose(ARM, found.q, "tip").translation
    assert np.arctan2(place[1], place[0]) == pytest.approx(0.4, abs=1e-6)
    assert np.hypot(*place[:2]) == pytest.approx(around["distance"], abs=1e-6)
    driven = footfall.hybrid.solve_tasks(ARM, READY, np.zeros(7), np.zeros(7), [turning])
    stack = TaskStack(ARM, [turning])
    jacobian = stack.kernel(READY, stack.parameters)[1]
    np.testing.assert_allclose(jacobian @ driven.motion.accelerations, np.zeros(3), atol=1e-6)


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="it must have six names"):
        FeatureTask("tip", {"x": "x"}, {"x": 0.0})
    with pytest.raises(InvalidInput, match=r"targets has \['far'\]; the chain has angle"):
        FeatureTask("tip", POST, {"far": 0.0})
    with pytest.raises(InvalidInput, match="most_force is -1"):
        FeatureTask("tip", POST, {"angle": 0.0}, most_force=-1)
    with pytest.raises(InvalidInput, match="there are no targets"):
        FeatureTask("tip", POST, {})


TRAY = """
[[frame]]
name = "tray"
position = [0.5, 0.1, 0.4]
rotation = [0.1, 0.0, 0.3]
velocity = [0.05, 0.0, 0.02]
turning = [0.0, 0.1, 0.4]

[[features]]
name = "post"
frame = "tip"
relative_to = "tray"
chain = { angle = "rz", distance = "x", height = "z", turn = "rz", tilt = "ry", lean = "rx" }
targets = { angle = 0.4, distance = 0.2, height = 0.1 }
near = { distance = 0.3, angle = 1.5 }
most_force = 200.0
stiffness = 400.0
damping = 40.0
"""


def test_frames_outside_by_differences() -> None:
    """Rates and accelerations of coordinates over a tray that drives and turns, against those of the whole motion."""
    task, step = parse_tasks(TRAY)[0], 1e-4
    assert isinstance(task, FeatureTask)
    v = 0.3 * np.random.default_rng(5).normal(size=7)

    def coordinates(time: float) -> np.ndarray:
        placed = task.seen_from(parse_frames(TRAY, time))
        return np.asarray(placed.coordinates(ARM, READY + v * time, placed.parameters), dtype=float)[:3]

    back, here, ahead = (coordinates(time) for time in (-step, 0.0, step))
    stack = TaskStack(ARM, [task.seen_from(parse_frames(TRAY))])
    error, _, speed, bias = stack.motion_kernel(READY, v, stack.parameters)
    missing = np.array([0.4, 0.2, 0.1]) - here
    missing[0] = np.arctan2(np.sin(missing[0]), np.cos(missing[0]))  # angles count modulo a turn
    np.testing.assert_allclose(error, missing, atol=1e-12)
    np.testing.assert_allclose(speed, (ahead - back) / (2 * step), atol=1e-6)
    np.testing.assert_allclose(bias, (ahead - 2 * here + back) / step**2, atol=1e-5)
    still = TaskStack(ARM, [task.seen_from({"tray": MovingFrame(parse_frames(TRAY)["tray"].pose)})])
    assert (
        np.abs(still.motion_kernel(READY, v, still.parameters)[2] - speed).max() > 0.01
    )  # the tray's motion counts


def test_text_of_features() -> None:
    tasks = parse_tasks(TRAY)
    assert parse_tasks(tasks_text(tasks)) == tasks
    for wrong, said in (
        (TRAY.replace('height = "z"', "height = 3"), "must be an axis"),
        (TRAY.replace("angle = 0.4", 'angle = "a"'), "must be a number"),
        (TRAY.replace("[0.5, 0.1, 0.4]", "[0.5]"), "three numbers"),
        (TRAY.replace("near =", "nearby ="), "unknown field 'nearby'"),
        (TRAY.replace("targets = {", "targets = 3 #"), "must be a table"),
        (TRAY + '[[frame]]\nname = "tray"\n', "name of its own"),
        (TRAY + "[[chain]]\n", "unknown table 'chain'"),
    ):
        with pytest.raises(InvalidInput, match=said):
            _ = parse_tasks(wrong), parse_frames(wrong)


def test_ranks() -> None:
    """What depends on what, on rows whose dependence is known, by name."""
    place = footfall.frame_pose(ARM, READY, "tip").translation
    post = FeatureTask(
        "tip", POST, {"angle": 0.0, "height": float(place[2])}, near={"distance": 0.5}, name="post"
    )
    here = {"x": AxisGoal("position", float(place[0])), "y": AxisGoal("position", float(place[1]))}
    hold = FrameTask("hold", "tip", here)
    fine = check_ranks(ARM, READY, [post])
    assert fine.fine
    assert fine.text == "rank 2 of 2 rows"
    # The angle about z follows from x and y; at rest in both it asks for the same.
    angle = float(np.arctan2(place[1], place[0]))
    same = FeatureTask("tip", POST, {"angle": angle}, near={"distance": 0.5}, name="same")
    report = check_ranks(ARM, READY, [hold, same])
    assert report.redundant == {"same.angle": ("hold.y",)}  # the tip is on the x axis: x has no part in it
    assert (report.rank, report.rows) == (2, 3)
    other = FeatureTask("tip", POST, {"angle": angle + 0.3}, near={"distance": 0.5}, name="other")
    report = check_ranks(ARM, READY, [hold, other])
    assert report.conflicting == {"other.angle": ("hold.y",)}
    assert "other.angle conflicts with hold.y" in report.text
    # On the post itself the angle round it and the turn on it are the same motion.
    on_post = MovingFrame(footfall.Transform(np.eye(3), place))
    inside = FeatureTask("tip", POST, {"angle": 0.0}, "post axis", near={"tilt": 2.0}, name="inside")
    report = check_ranks(ARM, READY, [inside], frames={"post axis": on_post})
    assert report.singular == {"inside": ("angle", "turn")}
    assert "angle and turn do the same" in report.text
    # What hangs on the world itself is moved by nothing.
    base = FrameTask("base", ARM.bodies[0].name, {"z": AxisGoal("position")})
    report = check_ranks(ARM, READY, [base, hold])
    assert report.unmoved == ("base.z",)
    with pytest.raises(InvalidInput, match="q has shape"):
        check_ranks(ARM, READY[:3], [hold])
