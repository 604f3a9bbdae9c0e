"""Hospital logistics meets the criteria of Devaramani 2019, chapter 1; Mecanum wheels as balls do what they
should."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.control.gains import Gains
from footfall.control.hybrid_drive import drive
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.kinematics import frame_pose
from footfall.scenarios.hybrid.bases import FLOOR, SimulatedBase, mobile_robot
from footfall.scenarios.hybrid.logistics import room_left, run_logistics
from footfall.scene.model import Scene
from tests.scenarios.hybrid.criteria import missed

pytestmark = pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")


def test_hospital_logistics() -> None:
    """UC4, differential base: around a corner with a load that only friction holds."""
    assert missed(run_logistics("differential", seconds=9.7)) == []


def test_hospital_logistics_with_other_wheels() -> None:
    """UC4, Mecanum base: the same tasks unchanged, a shorter way."""
    assert missed(run_logistics("mecanum", seconds=3.5, stops=((0.4, 0.1, 0.3),))) == []


def test_walls_hold_back() -> None:
    """A goal inside the wall is not reached: the base stops where its nose is 0.42 m from the wall."""
    course = run_logistics("differential", seconds=6.0, stops=((3.0, 0.0, 0.0),))
    assert missed(course) == ["from the goal at the end, mm"]
    assert course.trajectory.q[-1, 0] + 0.2 == pytest.approx(3.2 - 0.42, abs=5e-3)


def test_room_in_the_corridor() -> None:
    q = np.zeros((3, 11))
    q[:, 3] = 1.0
    q[:, 0] = 0.0, -0.45, -0.6
    np.testing.assert_allclose(room_left(q), [0.5, 0.05, -0.1], atol=1e-12)


def test_mecanum_wheels_go_where_they_are_told() -> None:
    """Balls that motors turn across the rollers' axes: sideways, forward and turning at once."""
    mobile = mobile_robot("mecanum")
    base = SimulatedBase(mobile, Scene("floor", (FLOOR,)))
    goals = {
        "x": AxisGoal("velocity", 0.2),
        "y": AxisGoal("velocity", 0.4),
        "rz": AxisGoal("velocity", 0.5),
    }
    task = FrameTask("drive", "base", goals, axes=OWN, gains=Gains(100.0, 10.0))
    base.run(lambda time, q, v: drive(mobile, q, v, [task]).torques, 1.0)
    q, v = base.state
    own = frame_pose(mobile.robot, q, "base").rotation.T @ v[:3]
    np.testing.assert_allclose([*own[:2], v[5]], [0.2, 0.4, 0.5], atol=0.01)
    wheels = (own[0] + np.array([-1, 1, 1, -1]) * own[1] + np.array([-1, 1, -1, 1]) * 0.45 * v[5]) / 0.1
    np.testing.assert_allclose(v[6:], wheels, atol=0.01)  # what slip is left within a step
