"""Robots on wheels: virtual forces become wheel torques, contacts push only, boundaries hold, frames may move."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.control.hybrid_active_set import solve_bounded
from footfall.control.hybrid_control import solve_tasks, task_state
from footfall.control.hybrid_drive import MobileRobot, drive
from footfall.control.references import MovingFrame
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.configuration import integrate
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.hybrid_rows import Touch, touch_rows
from footfall.dynamics.hybrid_wheels import Wheel
from footfall.dynamics.kinematics import frame_acceleration, frame_pose, frame_velocity
from footfall.math.rotations import rotation_x, rotation_z
from footfall.math.transform import Transform
from footfall.robot.load import load
from tests.random_robots import random_state

TWO_WHEELS = (Wheel("left_wheel", 0.1), Wheel("right_wheel", 0.1))
BASE = MobileRobot(load("differential-base"), TWO_WHEELS)
REST = BASE.robot.configuration("rest")


def rolling(speed: float, turn: float) -> np.ndarray:
    wheels = (speed + np.array([-0.25, 0.25]) * turn) / 0.1
    return np.array([speed, 0.0, 0.0, 0.0, 0.0, turn, *wheels])


def straight(**goals: AxisGoal) -> FrameTask:
    return FrameTask("drive", "base", goals, axes=OWN)


def test_base_force_to_wheel_torques() -> None:
    """The example of Devaramani 2019, chapter 4, and the closed form (r / 2) (F -+ M / W) of a differential drive."""
    task = straight(x=AxisGoal("acceleration", 0.5), rz=AxisGoal("acceleration", -0.4))
    driven = drive(BASE, REST, rolling(0.6, 0.8), [task])
    np.testing.assert_allclose(driven.torques[6:], [0.542416, 0.563584], atol=1e-6)
    forces = driven.solution.forces["drive"]
    closed = 0.05 * (forces["x"] + np.array([-1.0, 1.0]) * forces["rz"] / 0.25)
    np.testing.assert_allclose(driven.torques[6:], closed, rtol=1e-9)
    np.testing.assert_allclose(driven.residual, 0.0, atol=1e-10)
    again = solve_bounded(
        BASE.robot, REST, rolling(0.6, 0.8), driven.torques, BASE.ground_rows(REST, rolling(0.6, 0.8))
    )
    assert again.motion.accelerations[0] == pytest.approx(0.5)
    assert again.motion.accelerations[5] == pytest.approx(-0.4)


def test_sideways_is_refused_with_a_residual() -> None:
    driven = drive(BASE, REST, np.zeros(8), [straight(y=AxisGoal("acceleration", 1.0))])
    assert driven.solution.motion.residuals[-1] == pytest.approx(1.0)
    np.testing.assert_allclose(driven.torques, 0.0, atol=1e-12)


@pytest.mark.parametrize(("wanted", "force"), [(0.5, 0.0), (-0.5, 0.0), (5.0, 50.0)])
def test_what_a_wall_prevents_saturates(wanted: float, force: float) -> None:
    """Against a wall a motion task pushes with its limit; away from it, the wall does not hold back."""
    wall = touch_rows(
        BASE.robot,
        REST,
        np.zeros(8),
        [Touch("base", (0.25, y, 0.0), (-1.0, 0.0, 0.0), 0.0) for y in (0.2, -0.2)],
    )
    task = straight(x=AxisGoal("acceleration", wanted, most_force=50.0))
    driven = drive(BASE, REST, np.zeros(8), [task], contacts=wall)
    if wanted > 0.0:
        assert driven.solution.saturated == (("drive", "x"),)
        assert driven.solution.forces["drive"]["x"] == pytest.approx(50.0)
        np.testing.assert_allclose(driven.solution.bounded.forces[7:9].sum(), 50.0)
        np.testing.assert_allclose(driven.torques[6:], 2.5)
    else:
        assert driven.solution.saturated == ()
        np.testing.assert_allclose(driven.solution.bounded.forces[7:9], force)
        assert driven.solution.motion.accelerations[0] == pytest.approx(wanted)


def test_boundaries_give_way_no_further() -> None:
    """A boundary ahead leaves less than the task asks for; the motors brake, nothing outside does."""
    v = rolling(0.5, 0.0)
    ahead = touch_rows(
        BASE.robot,
        REST,
        v,
        [Touch("base", (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0), 0.1)],
        approach=4.0,
        stiffness=4.0,
    )
    driven = drive(BASE, REST, v, [straight(x=AxisGoal("velocity", 0.5))], boundaries=ahead)
    assert -driven.solution.motion.accelerations[0] == pytest.approx(4.0 * 0.5 - 4.0 * 0.1)
    far = touch_rows(
        BASE.robot,
        REST,
        v,
        [Touch("base", (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0), 3.0)],
        approach=4.0,
        stiffness=4.0,
    )
    driven = drive(BASE, REST, v, [straight(x=AxisGoal("acceleration", 0.2))], boundaries=far)
    assert driven.solution.motion.accelerations[0] == pytest.approx(0.2)


def test_rows_come_back_when_others_go() -> None:
    """Two walls at right angles to a push that leaves only one of them: solved against all combinations."""
    robot = load("arm-7r")
    rng = np.random.default_rng(3)
    body = robot.bodies[-1].name
    for seed in range(20):
        q, v, _, tau = random_state(robot, seed)
        normals = rng.normal(size=(4, 3))
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        touches = [Touch(body, tuple(rng.normal(size=3) * 0.1), tuple(n), 0.0) for n in normals]
        rows = touch_rows(robot, q, v, touches, approach=0.0)
        found = solve_bounded(robot, q, v, tau, rows)
        gap = found.reached - rows.setpoints
        scale = 1.0 + np.abs(found.forces).max()
        assert found.forces.min() >= -1e-9 * scale
        assert gap.min() >= -1e-6 * (1.0 + np.abs(rows.setpoints).max())
        assert np.abs(gap * found.forces).max() < 1e-6 * scale * (1.0 + np.abs(gap).max())


def test_a_task_frame_that_moves_outside() -> None:
    """A tip that keeps its place in a frame on a turntable moves with it: its path is the table's."""
    robot = load("arm-6r")
    rate, center = 0.8, np.array([0.3, 0.1, 0.2])

    def table(time: float) -> MovingFrame:
        return MovingFrame(
            Transform(rotation_z(rate * time) @ rotation_x(0.4), center), np.array([0, 0, 0, 0, 0, rate])
        )

    q, tip = np.array([0.3, -0.5, 0.9, 0.2, 0.6, -0.3]), robot.bodies[-1].name
    start = table(0.0).pose.inverse() @ frame_pose(robot, q, tip)
    goals = {axis: AxisGoal("position", float(start.translation[k])) for k, axis in enumerate("xyz")}
    task = FrameTask("ride", tip, goals, axes="table")
    arm = frame_pose(robot, q, tip).translation - center
    v = np.zeros(6)
    jacobian = np.array([frame_velocity(robot, q, row, tip)[:3] for row in np.eye(6)]).T
    v = np.linalg.lstsq(jacobian, rate * np.cross([0.0, 0.0, 1.0], arm), rcond=None)[0]
    solution = solve_tasks(robot, q, v, np.zeros(6), [task], frames={"table": table(0.0)})
    reached = frame_acceleration(robot, q, v, solution.motion.accelerations, tip)[:3]
    turning = np.array([0.0, 0.0, rate])
    np.testing.assert_allclose(reached, np.cross(turning, np.cross(turning, arm)), atol=1e-9)
    resting = solve_tasks(
        robot, q, v, np.zeros(6), [task], frames={"table": table(0.0)._replace(velocity=np.zeros(6))}
    )
    assert np.abs(resting.motion.accelerations - solution.motion.accelerations).max() > 1e-2


def test_a_task_frame_on_the_robot_itself() -> None:
    """What is held in the axes of a moving body is at rest there, found by differences of a short motion."""
    robot = load("arm-7r")
    q, v, _, tau = random_state(robot, 4)
    hand, upper = robot.bodies[-1].name, robot.bodies[1].name
    goals = {axis: AxisGoal("acceleration") for axis in ("x", "z", "ry")}
    task = FrameTask("hold", hand, goals, axes=upper)
    motion = solve_tasks(robot, q, v, tau, [task]).motion
    before = task_state(robot, q, v, task).velocity[[0, 2, 4]]
    step = 1e-6
    rates = []
    for sign in (-1.0, 1.0):
        moved = integrate(robot, q, sign * step * v + step**2 / 2 * motion.accelerations)
        rates.append(
            task_state(robot, moved, v + sign * step * motion.accelerations, task).velocity[[0, 2, 4]]
        )
    np.testing.assert_allclose((rates[1] - rates[0]) / (2 * step), 0.0, atol=1e-5)
    assert np.abs(before).max() > 0.1
