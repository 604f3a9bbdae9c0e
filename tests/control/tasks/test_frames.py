"""Tasks with a mode for each axis: in kinematics, whole-body and hybrid control; bounds on speed; frames that move."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import footfall
from footfall.control.gains import Gains
from footfall.control.hybrid_control import solve_tasks, task_state
from footfall.control.references import MovingFrame
from footfall.control.tasks.frames import AxisGoal, FrameTask, Guard
from footfall.control.tasks.positions import frame_position
from footfall.control.whole_body import WholeBodyControl
from footfall.errors import InvalidInput, UnknownName
from footfall.ik import build_ik, solve_ik, solve_velocity
from footfall.math.transform import Transform
from footfall.robot.model import Robot


@cache
def arm() -> Robot:
    return footfall.load("arm-7r")


READY = arm().configuration("ready")
PLACE = footfall.frame_pose(arm(), READY, "tip").translation


def held(**goals: AxisGoal) -> FrameTask:
    return FrameTask("hold", "tip", goals)


def test_the_same_task_in_kinematics_and_dynamics() -> None:
    """A place kept along x, a speed along z: a position task says the same."""
    goals = {"x": AxisGoal("position", PLACE[0] + 0.1), "z": AxisGoal("velocity", 0.2)}
    task = FrameTask("wipe", "tip", goals, gains=Gains(25.0, 10.0))
    plain = [
        frame_position("tip", PLACE + np.array([0.1, 0.0, 0.0]), rows="x", gains=5.0),
        frame_position("tip", PLACE, rows="z", gains=Gains(0.0, 10.0), rate=np.array([0.2])),
    ]
    v = 0.1 * np.arange(7.0)
    np.testing.assert_allclose(
        solve_velocity(build_ik(arm(), READY, [task])),
        solve_velocity(build_ik(arm(), READY, plain)),
        atol=1e-12,
    )
    torques = [WholeBodyControl(arm(), (), tasks).torque(0.0, READY, v) for tasks in ((task,), tuple(plain))]
    np.testing.assert_allclose(torques[0], torques[1], atol=1e-8)


def test_position_level() -> None:
    target = PLACE + np.array([0.05, -0.05, 0.02])
    task = held(**{axis: AxisGoal("position", float(target[k])) for k, axis in enumerate("xyz")})
    q = solve_ik(arm(), READY, [task]).require()
    np.testing.assert_allclose(footfall.frame_pose(arm(), q, "tip").translation, target, atol=1e-8)


def test_angles_are_rotation_vectors() -> None:
    """Where the task frame has the directions of the frame, angles vary like angular velocities."""
    here = footfall.frame_pose(arm(), READY, "tip")
    v = np.linspace(-1.0, 1.0, 7)
    task = FrameTask("turn", "tip", {"rx": AxisGoal("position")}, "there", outside=MovingFrame(here))
    state = task_state(arm(), READY, v, task)
    np.testing.assert_allclose(state.position, 0.0, atol=1e-12)
    step = 1e-5
    moved = task_state(arm(), footfall.integrate(arm(), READY, step * v), v, task)
    np.testing.assert_allclose(moved.position / step, state.velocity, atol=1e-4)


@pytest.mark.parametrize("way", [0.5, -0.5])
def test_speed_is_bounded_on_the_way(way: float) -> None:
    """Far from its place an axis goes with its greatest speed; near it, it comes to rest as without a bound."""
    goal = AxisGoal("position", float(PLACE[0] + way), most_speed=0.1)
    free = AxisGoal("position", float(PLACE[0] + way))
    speeds, q, v = [], READY.copy(), np.zeros(7)
    for _ in range(300):
        task = FrameTask("go", "tip", {"x": goal, "y": AxisGoal("velocity"), "z": AxisGoal("velocity")})
        weight = np.asarray(footfall.bias_forces(arm(), q, v)) - 5.0 * v
        a = solve_tasks(arm(), q, v, weight, [task]).motion.accelerations
        v = v + 2e-3 * a
        q = footfall.integrate(arm(), q, 2e-3 * v)
        speeds.append(float(task_state(arm(), q, v, task).velocity[0]))
    assert np.abs(speeds).max() < 0.1 * (1.0 + 1e-3)
    assert speeds[-1] == pytest.approx(0.1 * np.sign(way), rel=1e-2)
    asked = [
        solve_tasks(arm(), READY, np.zeros(7), np.zeros(7), [held(x=each)]).rows.setpoints[0]
        for each in (goal, free)
    ]
    assert asked[0] == pytest.approx(20.0 * 0.1 * np.sign(way))
    assert asked[1] == pytest.approx(100.0 * way)
    near = AxisGoal("position", float(PLACE[0] + 0.01), most_speed=0.1)
    (row,) = solve_tasks(arm(), READY, np.zeros(7), np.zeros(7), [held(x=near)]).rows.setpoints
    assert row == pytest.approx(1.0)


def test_bounds_hold_in_whole_body_control_too() -> None:
    """Hybrid and whole-body control ask for the same bounded acceleration."""
    v = 0.2 * np.ones(7)
    goals = {
        "x": AxisGoal("position", float(PLACE[0] + 0.5), most_speed=0.1, most_acceleration=1.5),
        "y": AxisGoal("velocity", 3.0, most_speed=0.5),
        "z": AxisGoal("acceleration", 9.0, most_acceleration=0.4),
    }
    task = FrameTask("bounded", "tip", goals)
    rows = solve_tasks(arm(), READY, v, np.zeros(7), [task]).rows.setpoints
    a = WholeBodyControl(arm(), (), (task,)).solve(0.0, READY, v).acceleration
    np.testing.assert_allclose(footfall.frame_acceleration(arm(), READY, v, a, "tip")[:3], rows, atol=1e-7)
    assert rows[2] == pytest.approx(0.4)


def test_a_point_of_the_frame() -> None:
    """A task about a point beside the frame's origin moves that point: Devaramani 2019, chapter 3, column [p x u;
    u]."""
    offset, v = (0.1, -0.05, 0.2), 0.3 * np.ones(7)
    goals = {axis: AxisGoal("acceleration", 0.1 * (k + 1)) for k, axis in enumerate("xyz")}
    task = FrameTask("corner", "tip", goals, point=offset)
    a = solve_tasks(arm(), READY, v, np.zeros(7), [task]).motion.accelerations
    pose = footfall.frame_pose(arm(), READY, "tip")
    motion, speed = (
        footfall.frame_acceleration(arm(), READY, v, a, "tip"),
        footfall.frame_velocity(arm(), READY, v, "tip"),
    )
    lever, turning = pose.rotation @ np.array(offset), speed[3:]
    corner = motion[:3] + np.cross(motion[3:], lever) + np.cross(turning, np.cross(turning, lever))
    np.testing.assert_allclose(corner, [0.1, 0.2, 0.3], atol=1e-9)
    state = task_state(arm(), READY, v, task)
    np.testing.assert_allclose(state.position[:3], pose.apply(np.array(offset)), atol=1e-12)


def test_frames_outside_in_kinematics() -> None:
    """A hand that keeps its place over a tray that moves has the tray's velocity there."""
    tray = MovingFrame(
        Transform(np.eye(3), np.array([0.2, 0.1, 0.0])), np.array([0.3, 0.0, 0.1, 0.0, 0.0, 0.7]), np.zeros(6)
    )
    seen = PLACE - tray.pose.translation
    goals = {axis: AxisGoal("position", float(seen[k])) for k, axis in enumerate("xyz")}
    task = FrameTask("over", "tip", goals, "tray", outside=tray)
    v = solve_velocity(build_ik(arm(), READY, [task]))
    expected = tray.velocity[:3] + np.cross(tray.velocity[3:], seen)
    np.testing.assert_allclose(footfall.frame_velocity(arm(), READY, v, "tip")[:3], expected, atol=1e-9)


@pytest.mark.parametrize(
    ("goal", "level", "message"),
    [
        (AxisGoal("force", 3.0), "acceleration", "only hybrid control"),
        (AxisGoal("position", most_force=3.0), "acceleration", "only hybrid control"),
        (AxisGoal("position", pushes_only=True), "velocity", "only hybrid control"),
        (AxisGoal("acceleration"), "velocity", "inverse kinematics cannot"),
        (AxisGoal("position", most_speed=0.1), "velocity", "inverse kinematics cannot"),
        (AxisGoal("velocity"), "position", "only a rate"),
    ],
)
def test_what_a_solver_cannot_do_is_refused(goal: AxisGoal, level: str, message: str) -> None:
    task = held(x=goal)
    solvers = {
        "acceleration": lambda: WholeBodyControl(arm(), (), (task,)).torque(0.0, READY, np.zeros(7)),
        "velocity": lambda: build_ik(arm(), READY, [task]),
        "position": lambda: solve_ik(arm(), READY, [task]),
    }
    with pytest.raises(InvalidInput, match=message):
        solvers[level]()
    assert solve_tasks(arm(), READY, np.zeros(7), np.zeros(7), [task]).tasks == (task,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AxisGoal("glide"), "mode 'glide' must be one of"),  # type: ignore[arg-type]
        (lambda: AxisGoal("position", "here"), "target is 'here'"),  # type: ignore[arg-type]
        (lambda: AxisGoal("position", most_speed=0.0), "most_speed is 0.0"),
        (lambda: AxisGoal("position", most_force="little"), "most_force is 'little'"),  # type: ignore[arg-type]
        (lambda: AxisGoal("position", pushes_only=1), "pushes_only is 1"),  # type: ignore[arg-type]
        (lambda: FrameTask("a", "tip", {}), "no goals"),
        (lambda: FrameTask("a", "tip", AxisGoal("position")), "no goals"),  # type: ignore[arg-type]
        (lambda: FrameTask("a", "tip", {"x": 0.3}), "must be an AxisGoal"),  # type: ignore[dict-item]
        (lambda: FrameTask("a", "tip", {"u": AxisGoal("position")}), "axis 'u'"),
        (lambda: FrameTask("", "tip", {"x": AxisGoal("position")}), "name is ''"),
        (lambda: FrameTask("a", 3, {"x": AxisGoal("position")}), "frame is 3"),  # type: ignore[arg-type]
        (
            lambda: held(x=AxisGoal("position")).settled(footfall.load("planar-arm")) and _far(),
            "three finite",
        ),
        (lambda: FrameTask("a", "tip", {"x": AxisGoal("velocity")}, compliance=-1.0), "compliance -1"),
        (lambda: FrameTask("a", "tip", {"x": AxisGoal("velocity")}, priority="high"), "whole number"),  # type: ignore[arg-type]
        (lambda: FrameTask("a", "tip", {"x": AxisGoal("velocity")}, until=("stop",)), "must be a Guard"),  # type: ignore[arg-type]
        (
            lambda: FrameTask("a", "tip", {"x": AxisGoal("position", most_speed=1.0)}, gains=Gains(9.0, 0.0)),
            "needs damping",
        ),
    ],
)
def test_bad_input(make, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def _far() -> FrameTask:
    return FrameTask("a", "tip", {"x": AxisGoal("position")}, point=(0.0, np.inf, 0.0))


def test_unknown_task_frames_list_those_there_are() -> None:
    task = FrameTask("a", "tip", {"x": AxisGoal("position")}, "tray")
    with pytest.raises(UnknownName, match=r"no frame 'tray' in robot 'arm-7r'; there are: .*tip"):
        solve_tasks(arm(), READY, np.zeros(7), np.zeros(7), [task])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            MovingFrame(Transform(np.full((3, 3), np.nan), np.zeros(3))),
            "frame 'tray' .* all entries must be finite",
        ),
        (MovingFrame(Transform(2.0 * np.eye(3), np.zeros(3))), "frame 'tray' .* must be orthonormal"),
        (MovingFrame(Transform(np.eye(3), np.zeros(3)), np.zeros(3)), r"velocity of frame 'tray' .* \(6,\)"),
        (MovingFrame(None), "frame 'tray' is None; it must be a Transform"),  # type: ignore[arg-type]
        (np.eye(3), r"frame 'tray' is an array \(3, 3\); it must be a Transform"),
    ],
)
def test_task_frames_that_are_no_poses_are_refused(frame: MovingFrame, message: str) -> None:
    task = FrameTask("a", "tip", {"x": AxisGoal("position")}, "tray")
    with pytest.raises(InvalidInput, match=message):
        solve_tasks(arm(), READY, np.zeros(7), np.zeros(7), [task], frames={"tray": frame})


def test_one_guard_will_do() -> None:
    task = FrameTask("a", "tip", {"x": AxisGoal("position")}, until=Guard("x", "speed", above=1.0))  # type: ignore[arg-type]
    assert task.until == (Guard("x", "speed", above=1.0),)
