"""Tasks as values and files, and what they make a robot do."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.control.hybrid_active_set import dense_motion
from footfall.control.hybrid_control import in_order, solve_tasks, task_state
from footfall.control.tasks.forces import LeastForce
from footfall.control.tasks.frames import AxisGoal, FrameTask, Guard
from footfall.control.tasks.positions import Boundary, center_of_mass_position, frame_position
from footfall.control.tasks.postures import PostureTask, posture
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.text import parse_tasks
from footfall.dynamics.configuration import integrate
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.hybrid import hybrid_dynamics
from footfall.dynamics.hybrid_rows import BoundedRows
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_acceleration, frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import InvalidInput
from footfall.robot.load import load

Q = np.array([0.5, 0.7, 0.6])
ZERO = np.zeros(3)
ARM = load("planar-arm")


def test_order_and_names() -> None:
    soft = FrameTask("soft", "tip", {"x": AxisGoal("position")}, compliance=0.05)
    late = FrameTask("late", "tip", {"x": AxisGoal("position")}, priority=1)
    wall = Boundary("tip", np.zeros(3), np.array([0.0, 0.0, 1.0]), "wall")
    assert in_order([soft, late, wall]) == (wall, late, soft)  # hard before soft, boundaries first
    with pytest.raises(InvalidInput, match="two tasks are named 'late'"):
        in_order([late, late])


def test_positions_are_reached() -> None:
    """Feedback as in a textbook: critically damped, so that after ten time constants the arm is there."""
    robot = load("planar-arm")
    start = frame_pose(robot, Q, "tip").translation
    goals = {"x": AxisGoal("position", start[0] + 0.1), "z": AxisGoal("position", start[2] - 0.05)}
    tasks = [
        FrameTask("reach", "tip", goals),
        FrameTask("posture", "link1", {"ry": AxisGoal("velocity")}, compliance=1.0),
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
    task = FrameTask("move", "tip", {axis: AxisGoal("acceleration", value) for axis, value in wanted.items()})
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
    limited = solve_tasks(robot, Q, ZERO, ZERO, [FrameTask("lift", "tip", {"z": goal})])
    assert limited.saturated == (("lift", "z"),)
    assert limited.forces["lift"]["z"] == pytest.approx(5.0)
    wrench = {"tip": np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0])}
    expected = forward_dynamics(robot, Q, ZERO, ZERO, wrenches=wrench)
    np.testing.assert_allclose(limited.motion.accelerations, expected, rtol=1e-9)
    bounded = AxisGoal("acceleration", 50.0, most_acceleration=0.3)
    slow = solve_tasks(robot, Q, ZERO, ZERO, [FrameTask("lift", "tip", {"z": bounded})])
    assert slow.saturated == ()
    reached = frame_acceleration(robot, Q, ZERO, slow.motion.accelerations, "tip")
    assert reached[2] == pytest.approx(0.3)


def test_contacts_only_push() -> None:
    """Held from below an arm rests; told to hold it from above, the contact lets go."""
    robot = load("planar-arm")
    below = AxisGoal("acceleration", 0.0, pushes_only=True)
    resting = solve_tasks(robot, Q, ZERO, ZERO, [FrameTask("table", "tip", {"z": below})])
    free = np.asarray(frame_acceleration(robot, Q, ZERO, forward_dynamics(robot, Q, ZERO, ZERO), "tip"))
    assert free[2] < 0.0
    assert resting.saturated == ()
    assert resting.forces["table"]["z"] > 0.0
    falling = AxisGoal("acceleration", 2 * float(free[2]), pushes_only=True)
    loose = solve_tasks(robot, Q, ZERO, ZERO, [FrameTask("table", "tip", {"z": falling})])
    assert loose.saturated == (("table", "z"),)
    assert loose.forces["table"]["z"] == 0.0


def test_first_tasks_win_and_soft_ones_yield() -> None:
    robot = load("planar-arm")
    up = FrameTask("up", "tip", {"z": AxisGoal("acceleration", 1.0)}, priority=0)
    down = FrameTask("down", "tip", {"z": AxisGoal("acceleration", -1.0)}, priority=5)
    for tasks in ([up, down], [down, up]):
        motion = solve_tasks(robot, Q, ZERO, ZERO, tasks).motion
        assert frame_acceleration(robot, Q, ZERO, motion.accelerations, "tip")[2] == pytest.approx(1.0)
    soft = FrameTask("soft down", "tip", {"z": AxisGoal("acceleration", -1.0)}, compliance=10.0)
    motion = solve_tasks(robot, Q, ZERO, ZERO, [soft, up]).motion
    assert frame_acceleration(robot, Q, ZERO, motion.accelerations, "tip")[2] == pytest.approx(1.0)
    assert motion.kept.sum() == 2.0


def test_other_tasks_among_them() -> None:
    """Centre of mass, posture and a frame by priority: what Gauss' principle says, by the dense equations."""
    robot = load("arm-7r")
    rng = np.random.default_rng(5)
    q, v, tau = rng.normal(size=7), rng.normal(size=7), rng.normal(size=7)
    tasks = [
        posture(robot, np.zeros(7), priority=2, gains=2.0),
        center_of_mass_position(np.array([0.1, 0.2, 0.4]), rows="xz", priority=1),
        FrameTask("hand", "tip", {axis: AxisGoal("acceleration", 0.3) for axis in "xyz"}),
    ]
    solution = solve_tasks(robot, q, v, tau, tasks)
    stack = TaskStack(robot, [tasks[2], tasks[1], tasks[0]])
    matrix, value = stack.row_kernel(q, v, stack.numbers())
    a = np.asarray(solution.motion.accelerations)
    np.testing.assert_allclose(matrix[:5] @ a, value[:5], atol=1e-8)  # the first two are met
    np.testing.assert_allclose(forward_dynamics(robot, q, v, solution.motion.commands), a, atol=1e-8)
    # Of the seven rows of the posture two are left to decide: the first that do not depend on those before them.
    kept = solution.motion.kept > 0.0
    assert kept[:5].all()
    assert kept.sum() == 7
    np.testing.assert_allclose(matrix[kept] @ a, value[kept], atol=1e-7)
    few = solve_tasks(robot, q, v, tau, tasks[1:]).motion
    mass = np.asarray(mass_matrix(robot, q))
    free = np.asarray(forward_dynamics(robot, q, v, tau))
    rows = matrix[:5]
    response = np.linalg.solve(mass, rows.T)
    gauss = free + response @ np.linalg.solve(rows @ response, value[:5] - rows @ free)
    np.testing.assert_allclose(few.accelerations, gauss, atol=1e-9)


def test_dense_rows_agree_with_those_on_segments() -> None:
    """The same task with bounded forces, on a segment and as rows on joints: one active set, two solvers."""
    robot = load("arm-7r")
    rng = np.random.default_rng(7)
    for _ in range(10):
        q, v, tau = rng.normal(size=7), rng.normal(size=7), rng.normal(size=7)
        wall = Boundary("tip", rng.normal(size=3), rng.normal(size=3), "wall", float(rng.uniform(1.0, 30.0)))
        hand = frame_position("tip", rng.normal(size=3))
        plain = solve_tasks(robot, q, v, tau, [wall, hand])
        mixed = solve_tasks(
            robot, q, v, tau, [wall, hand, posture(robot, q, joints=["joint7"], gains=0.0, priority=3)]
        )
        first = solve_tasks(
            robot, q, v, tau, [wall, hand, PostureTask(q[6:], ("joint7",), gains=0.0, priority=3)]
        )
        assert mixed.forces == first.forces
        before = [block for block in plain.problem.blocks if isinstance(block, BoundedRows)]
        dense = dense_motion(robot, q, v, tau, before)
        active = np.concatenate([block.on for block in before])
        one = dense.solve(np.zeros(len(active)), active)
        other = hybrid_dynamics(
            robot,
            q,
            v,
            tau,
            constraints=plain.rows.constraints,
            directions=plain.rows.directions,
            setpoints=plain.rows.setpoints,
        )
        scale = 1.0 + np.abs(other.forces).max()
        np.testing.assert_allclose(one.accelerations, other.accelerations, atol=1e-7 * scale)
        np.testing.assert_allclose(one.forces, other.forces, atol=1e-7 * scale)


def test_boundaries_hold_back() -> None:
    """A tip that is pulled through a plane is held off by a force that only pushes, up to its limit."""
    robot = load("planar-arm")
    tip = frame_pose(robot, Q, "tip").translation
    floor = Boundary("tip", tip - np.array([0.0, 0.0, 0.01]), np.array([0.0, 0.0, 1.0]), "floor")
    down = FrameTask("down", "tip", {"z": AxisGoal("acceleration", -50.0, most_force=40.0)})
    held = solve_tasks(robot, Q, ZERO, ZERO, [down, floor])
    reached = frame_acceleration(robot, Q, ZERO, held.motion.accelerations, "tip")[2]
    assert reached == pytest.approx(-400.0 * 0.01)
    assert held.forces["floor"]["0"] > 0.0
    assert ("down", "z") in held.saturated
    weak = Boundary("tip", floor.start, floor.normal, "floor", most_force=5.0)
    broken = solve_tasks(robot, Q, ZERO, ZERO, [down, weak])
    assert broken.forces["floor"]["0"] == pytest.approx(5.0)
    assert ("floor", "0") in broken.saturated
    far = Boundary("tip", tip - np.array([0.0, 0.0, 3.0]), floor.normal, "floor")
    assert solve_tasks(robot, Q, ZERO, ZERO, [down, far]).forces["floor"]["0"] == 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: solve_tasks(ARM, Q, ZERO, np.zeros(2), []), r"tau has shape \(2,\); it must be \(3,\)"),
        (lambda: solve_tasks(ARM, Q[:2], ZERO, ZERO, []), r"q has shape \(2,\)"),
        (
            lambda: solve_tasks(ARM, Q, ZERO, ZERO, ["push"]),
            "tasks has 'push'; it must have values of type Task",
        ),
        (lambda: solve_tasks(ARM, Q, ZERO, ZERO, [LeastForce()]), "LeastForce is about contacts"),
        (
            lambda: solve_tasks(ARM, Q, ZERO, ZERO, [frame_position("tip", np.zeros(3), weight=2.0)]),
            "yield by priority",
        ),
    ],
)
def test_bad_input(make, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def test_one_task_will_do() -> None:
    task = FrameTask("hold", "tip", {"z": AxisGoal("acceleration", 0.0)})
    assert solve_tasks(ARM, Q, ZERO, ZERO, task).tasks == (task,)  # type: ignore[arg-type]


def test_guards_end_tasks() -> None:
    robot = load("planar-arm")
    touch = Guard("z", "force", above=1.0)
    task = FrameTask("down", "tip", {"z": AxisGoal("acceleration", 0.0)}, until=(touch,))
    assert solve_tasks(robot, Q, ZERO, ZERO, [task]).finished == ("down",)
    never = FrameTask(
        "down", "tip", {"z": AxisGoal("acceleration", 0.0)}, until=(Guard("x", "speed", above=1.0),)
    )
    assert solve_tasks(robot, Q, ZERO, ZERO, [never]).finished == ()
    assert task_state(robot, Q, ZERO, task).position[4] == pytest.approx(Q.sum())
