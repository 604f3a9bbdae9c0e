"""Tasks as values and files, and what they make a robot do."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.control.hybrid_control import solve_tasks, task_state
from footfall.control.hybrid_tasks import AxisGoal, Guard, Task, in_order, parse_tasks, tasks_text
from footfall.dynamics.configuration import integrate
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_acceleration, frame_pose
from footfall.errors import InvalidTask
from footfall.robot.load import load

TEXT = """
[[task]]
name = "wipe"
frame = "tip"
priority = 1
stiffness = 64.0
damping = 16.0
until = [{ axis = "z", quantity = "force", above = 20.0 }]
[task.goals]
x = { velocity = 0.1, most_acceleration = 0.5 }
z = { force = -10.0 }

[[task]]
name = "keep upright"
frame = "tip"
softness = 0.05
[task.goals]
ry = { position = 0.2, most_force = 3.0 }
"""
Q = np.array([0.5, 0.7, 0.6])
ZERO = np.zeros(3)


def test_files_say_what_values_say() -> None:
    wipe, upright = parse_tasks(TEXT)
    assert wipe.goals["x"] == AxisGoal("velocity", 0.1, most_acceleration=0.5)
    assert wipe.motion_axes == ("x",)
    assert wipe.force_axes == ("z",)
    assert wipe.until == (Guard("z", "force", above=20.0),)
    assert upright.softness == 0.05
    again = parse_tasks(tasks_text([wipe, upright]))
    assert again == (wipe, upright)
    assert in_order([upright, wipe]) == (wipe, upright)  # hard before soft


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[task]]\nname = 'a'\nframe = 'tip'", "goals is missing"),
        ("[[task]]\nname = 'a'\nframe = 'tip'\nspeed = 1\n[task.goals]\n", "unknown field 'speed'"),
        ("[[task]]\nname = 'a'\nframe = 'tip'\n[task.goals]\nw = { force = 1 }", "axis 'w'"),
        (
            "[[task]]\nname = 'a'\nframe = 'tip'\n[task.goals]\nx = { force = 1, velocity = 2 }",
            "one of position",
        ),
        ("[[task]]\nname = 'a'\nframe = 'tip'\n[task.goals]\nx = { force = 1, stop = 2 }", "has stop"),
        ("[[task]]\nname = 'a'\nframe = 'tip'\n[task.goals]\n", "no goals"),
        ("[[task]]\nname = 'a'\nframe = 't'\naxes = 'frame'\n[task.goals]\nx = { position = 1 }", "own axes"),
        ("[[task]]\nname = 'a'\nframe = 't'\nsoftness = -1\n[task.goals]\nx = { force = 1 }", "softness -1"),
        ("[[task", "no TOML"),
        ("[[tusk]]\n", "unknown table 'tusk'"),
    ],
)
def test_wrong_files_are_explained(text: str, message: str) -> None:
    with pytest.raises(InvalidTask, match=message):
        parse_tasks(text)


def test_wrong_values_are_explained() -> None:
    with pytest.raises(InvalidTask, match="most_force"):
        AxisGoal("position", most_force=0.0)
    with pytest.raises(InvalidTask, match="'colour'"):
        Guard("x", "colour")  # type: ignore[arg-type]
    task = Task("twice", "tip", {"x": AxisGoal("position")})
    with pytest.raises(InvalidTask, match="'twice'"):
        in_order([task, task])


def test_positions_are_reached() -> None:
    """Feedback as in a textbook: critically damped, so that after ten time constants the arm is there."""
    robot = load("planar-arm")
    start = frame_pose(robot, Q, "tip").translation
    goals = {"x": AxisGoal("position", start[0] + 0.1), "z": AxisGoal("position", start[2] - 0.05)}
    tasks = [
        Task("reach", "tip", goals),
        Task("posture", "link1", {"ry": AxisGoal("velocity")}, softness=1.0),
    ]
    q, v = Q.copy(), ZERO.copy()
    for _ in range(500):
        weight = np.asarray(bias_forces(robot, q, v))
        solution = solve_tasks(robot, q, v, weight, tasks)
        v = v + 4e-3 * np.asarray(forward_dynamics(robot, q, v, solution.motion.commands))
        q = integrate(robot, q, 4e-3 * v)
    reached = frame_pose(robot, q, "tip").translation
    np.testing.assert_allclose(reached - start, [0.1, 0.0, -0.05], atol=1e-5)
    assert np.abs(v).max() < 0.05  # what the tasks leave free only comes to rest softly


def test_operational_space_control_is_a_task() -> None:
    """Khatib's torque `J^T L (a - J' v) + J^T L J M^-1 h` is the command of a full-rank task without feed-forward."""
    robot = load("planar-arm")
    v = np.array([0.2, -0.3, 0.1])
    wanted = {"x": 0.7, "z": -0.4}
    task = Task("move", "tip", {axis: AxisGoal("acceleration", value) for axis, value in wanted.items()})
    solution = solve_tasks(robot, Q, v, ZERO, [task])
    jacobian = np.asarray(frame_jacobian(robot, Q, "tip"))[[0, 2]]
    drift = np.asarray(frame_acceleration(robot, Q, v, ZERO, "tip"))[[0, 2]]
    free = np.asarray(forward_dynamics(robot, Q, v, ZERO))
    responses = [np.asarray(forward_dynamics(robot, Q, v, row)) - free for row in jacobian]
    inertia = np.linalg.inv(jacobian @ np.array(responses).T)
    torque = jacobian.T @ inertia @ (np.array([0.7, -0.4]) - drift - jacobian @ free)
    np.testing.assert_allclose(solution.motion.commands, torque, rtol=1e-9)


def test_force_axes_push() -> None:
    robot = load("planar-arm")
    (still,) = parse_tasks("[[task]]\nname = 'push'\nframe = 'tip'\n[task.goals]\nz = { force = -7.0 }")
    tau = np.asarray(bias_forces(robot, Q, ZERO))
    motion = solve_tasks(robot, Q, ZERO, tau, [still]).motion
    wrench = {"tip": np.array([0.0, 0.0, -7.0, 0.0, 0.0, 0.0])}
    np.testing.assert_allclose(
        motion.accelerations, forward_dynamics(robot, Q, ZERO, tau, wrenches=wrench), rtol=1e-10
    )


def test_limits_replace_constraints() -> None:
    robot = load("planar-arm")
    goal = AxisGoal("acceleration", 50.0, most_force=5.0)
    limited = solve_tasks(robot, Q, ZERO, ZERO, [Task("lift", "tip", {"z": goal})])
    assert limited.saturated == (("lift", "z"),)
    assert limited.forces["lift"]["z"] == pytest.approx(5.0)
    wrench = {"tip": np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0])}
    expected = forward_dynamics(robot, Q, ZERO, ZERO, wrenches=wrench)
    np.testing.assert_allclose(limited.motion.accelerations, expected, rtol=1e-9)
    bounded = AxisGoal("acceleration", 50.0, most_acceleration=0.3)
    slow = solve_tasks(robot, Q, ZERO, ZERO, [Task("lift", "tip", {"z": bounded})])
    assert slow.saturated == ()
    reached = frame_acceleration(robot, Q, ZERO, slow.motion.accelerations, "tip")
    assert reached[2] == pytest.approx(0.3)


def test_contacts_only_push() -> None:
    """Held from below an arm rests; told to hold it from above, the contact lets go."""
    robot = load("planar-arm")
    below = AxisGoal("acceleration", 0.0, pushes_only=True)
    resting = solve_tasks(robot, Q, ZERO, ZERO, [Task("table", "tip", {"z": below})])
    free = np.asarray(frame_acceleration(robot, Q, ZERO, forward_dynamics(robot, Q, ZERO, ZERO), "tip"))
    assert free[2] < 0.0
    assert resting.saturated == ()
    assert resting.forces["table"]["z"] > 0.0
    falling = AxisGoal("acceleration", 2 * float(free[2]), pushes_only=True)
    loose = solve_tasks(robot, Q, ZERO, ZERO, [Task("table", "tip", {"z": falling})])
    assert loose.saturated == (("table", "z"),)
    assert loose.forces["table"]["z"] == 0.0


def test_first_tasks_win_and_soft_ones_yield() -> None:
    robot = load("planar-arm")
    up = Task("up", "tip", {"z": AxisGoal("acceleration", 1.0)}, priority=0)
    down = Task("down", "tip", {"z": AxisGoal("acceleration", -1.0)}, priority=5)
    for tasks in ([up, down], [down, up]):
        motion = solve_tasks(robot, Q, ZERO, ZERO, tasks).motion
        assert frame_acceleration(robot, Q, ZERO, motion.accelerations, "tip")[2] == pytest.approx(1.0)
    soft = Task("soft down", "tip", {"z": AxisGoal("acceleration", -1.0)}, softness=10.0)
    motion = solve_tasks(robot, Q, ZERO, ZERO, [soft, up]).motion
    assert frame_acceleration(robot, Q, ZERO, motion.accelerations, "tip")[2] == pytest.approx(1.0)
    assert motion.kept.sum() == 2.0


def test_guards_end_tasks() -> None:
    robot = load("planar-arm")
    touch = Guard("z", "force", above=1.0)
    task = Task("down", "tip", {"z": AxisGoal("acceleration", 0.0)}, until=(touch,))
    assert solve_tasks(robot, Q, ZERO, ZERO, [task]).finished == ("down",)
    never = Task("down", "tip", {"z": AxisGoal("acceleration", 0.0)}, until=(Guard("x", "speed", above=1.0),))
    assert solve_tasks(robot, Q, ZERO, ZERO, [never]).finished == ()
    assert task_state(robot, Q, ZERO, task).position[4] == pytest.approx(Q.sum())
