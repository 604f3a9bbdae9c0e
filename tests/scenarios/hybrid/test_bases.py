"""Any mobile robot in simulation: the youBot with its arm, three omni wheels, a steered wheel."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footfall.control.gains import Gains
from footfall.control.hybrid_drive import MobileRobot, drive
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.control.tasks.postures import PostureTask
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.hybrid_wheels import Wheel
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput, UnknownName
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.scenarios.hybrid.bases import SimulatedBase, youbot

pytestmark = pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")

GOALS = {"x": AxisGoal("velocity", 0.2), "y": AxisGoal("velocity", 0.3), "rz": AxisGoal("velocity", 0.4)}
DRIVE = FrameTask("drive", "base", GOALS, axes=OWN, gains=Gains(100.0, 10.0))


def _own_velocity(base: SimulatedBase) -> np.ndarray:
    q, v = base.state
    return np.array([*(frame_pose(base.mobile.robot, q, "base").rotation.T @ v[:3])[:2], v[5]])


def test_youbot_drives_every_way_and_holds_its_arm() -> None:
    mobile = youbot()
    robot = mobile.robot
    arm = robot.groups["arm"]
    wanted = robot.configuration("reach")[-5:]
    base = SimulatedBase(mobile, joints=dict(zip(arm, wanted, strict=True)))
    q, _ = base.state
    assert q[2] == pytest.approx(0.0815)  # 47.5 mm of the wheels and 34 mm above the axles
    hold = PostureTask(wanted, joints=arm, gains=Gains(100.0, 20.0))
    base.run(lambda time, q, v: drive(mobile, q, v, [DRIVE, hold]).torques, 1.0)
    q, v = base.state
    np.testing.assert_allclose(q[-5:], wanted, atol=2e-3)
    own = _own_velocity(base)
    np.testing.assert_allclose(own, [0.2, 0.3, 0.4], atol=0.01)
    # Mecanum wheels with rollers at 45 degrees: w r = vx -+ vy -+ (lx + ly) wz, lx + ly = 0.228 + 0.158 m.
    wheels = own[0] + np.array([-1, 1, 1, -1]) * own[1] + np.array([-1, 1, -1, 1]) * 0.386 * own[2]
    np.testing.assert_allclose(v[6:10], wheels / 0.0475, atol=0.2)


def test_motors_of_wheels_with_rollers_give_their_effort_and_no_more() -> None:
    """Otherwise rollers that are turned the wrong way, which leave a base little lever, let it diverge."""
    mobile = youbot()
    most = mobile.robot.effort_limits
    ends = []
    for scale in (1.0, 1e6):
        base = SimulatedBase(mobile)
        base.run(lambda time, q, v, part=scale: np.where(np.isfinite(most), part * most, 0.0), 0.02)
        ends.append(base.state[1])
    assert np.abs(ends[0][6:10]).max() > 1.0
    np.testing.assert_array_equal(ends[0], ends[1])


def _rolling(wheels: list[tuple[str, str, Transform]], more: tuple[tuple[Body, Joint], ...] = ()) -> Robot:
    """A round base of 12 kg with wheels of 0.5 kg and 60 mm: name, parent and placement of each; axles are y."""
    base = Body("base", 12.0, np.zeros(3), np.diag([0.2, 0.2, 0.3]))
    bodies, joints = [base], [Joint("root", JointType.FLOATING, WORLD, "base")]
    for body, joint in more:
        bodies.append(body)
        joints.append(joint)
    for name, parent, place in wheels:
        bodies.append(Body(name, 0.5, np.zeros(3), np.diag([5e-4, 9e-4, 5e-4])))
        joints.append(Joint(name, JointType.CONTINUOUS, parent, name, place, (0.0, 1.0, 0.0)))
    return Robot("rolling", tuple(bodies), tuple(joints))


def test_three_omni_wheels() -> None:
    angles = np.array([0.0, 2 * np.pi / 3, 4 * np.pi / 3])
    places = [
        # The axle points outwards: y of the wheel along the radius.
        Transform(rotation_z(angle - np.pi / 2), 0.2 * np.array([math.cos(angle), math.sin(angle), 0.0]))
        for angle in angles
    ]
    robot = _rolling([(f"wheel_{k}", "base", place) for k, place in enumerate(places)])
    mobile = MobileRobot(robot, tuple(Wheel(f"wheel_{k}", 0.06, "omni") for k in range(3)))
    base = SimulatedBase(mobile, pose=(0.3, -0.2, 0.7))
    base.run(lambda time, q, v: drive(mobile, q, v, [DRIVE]).torques, 1.0)
    own = _own_velocity(base)
    np.testing.assert_allclose(own, [0.2, 0.3, 0.4], atol=0.01)
    # A wheel rolls along axle x z = (sin, -cos, 0): r w = sin(a) vx - cos(a) vy - R wz.
    speeds = np.sin(angles) * own[0] - np.cos(angles) * own[1] - 0.2 * own[2]
    np.testing.assert_allclose(base.state[1][6:], speeds / 0.06, atol=0.15)
    assert base.state[0][2] == pytest.approx(0.06, abs=1e-3)


def test_a_steered_wheel_turns_as_ackermann_says() -> None:
    """A tricycle with its front wheel turned by d drives a circle of radius L / tan(d) about its rear axle."""
    length, angle = 0.5, 0.4
    at_front = Transform(np.eye(3), np.array([length, 0.0, 0.0]))
    fork = Joint(
        "steer", JointType.REVOLUTE, "base", "fork", at_front, armature=0.01, lower=(-1.0,), upper=(1.0,)
    )
    carrier = Body("fork", 0.2, np.zeros(3), 1e-3 * np.eye(3))
    rear = [
        (f"{side}_wheel", "base", Transform(np.eye(3), np.array([0.0, y, 0.0])))
        for side, y in (("left", 0.2), ("right", -0.2))
    ]
    robot = _rolling([("front_wheel", "fork", Transform(np.eye(3), np.zeros(3))), *rear], ((carrier, fork),))
    robot = replace(
        robot,
        bodies=tuple(
            replace(b, center_of_mass=np.array([0.2, 0, 0])) if b.name == "base" else b for b in robot.bodies
        ),
    )
    wheels = tuple(Wheel(f"{place}_wheel", 0.06) for place in ("front", "left", "right"))
    mobile = MobileRobot(robot, wheels)
    base = SimulatedBase(mobile, joints={"steer": angle})
    steer, front = robot.v_slice("steer").start, robot.v_slice("front_wheel").start

    def torques(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        result = np.zeros(robot.nv)
        result[steer] = 80.0 * (angle - q[robot.q_slice("steer")][0]) - 8.0 * v[steer]
        result[front] = 0.3 * (6.0 - v[front])
        return result

    base.run(torques, 2.0)
    own = _own_velocity(base)
    assert own[0] > 0.2
    assert own[1] == pytest.approx(0.0, abs=5e-3)  # the rear axle does not slip sideways
    held = base.state[0][robot.q_slice("steer")][0]
    assert own[0] / own[2] == pytest.approx(length / math.tan(held), rel=0.02)


def test_what_cannot_roll_is_refused() -> None:
    robot = load("youbot")
    wheel = Wheel("front_left_wheel", 0.0475)
    with pytest.raises(InvalidInput, match="two wheels or more, not 1"):
        SimulatedBase(MobileRobot(robot, (wheel,)))
    with pytest.raises(UnknownName, match="no body 'wheel'"):
        SimulatedBase(MobileRobot(robot, (wheel, Wheel("wheel", 0.05))))
    with pytest.raises(InvalidInput, match="hangs on a fixed joint"):
        SimulatedBase(MobileRobot(robot, (wheel, Wheel("arm_0", 0.05))))
    with pytest.raises(InvalidInput, match="load the robot with a floating base"):
        SimulatedBase(MobileRobot(load("youbot", floating_base=False), (wheel, wheel)))
    with pytest.raises(InvalidInput, match="axle of wheel 'arm_1' must be level"):
        SimulatedBase(MobileRobot(robot, (wheel, Wheel("arm_1", 0.05, "omni"))))
    with pytest.raises(InvalidInput, match="lies along the axle"):
        SimulatedBase(MobileRobot(robot, (wheel, Wheel("rear_left_wheel", 0.05, "mecanum", math.pi / 2))))
    with pytest.raises(UnknownName, match="no joint 'arm_9'"):
        SimulatedBase(youbot(), joints={"arm_9": 1.0})
    with pytest.raises(InvalidInput, match="each may be there once"):
        SimulatedBase(MobileRobot(robot, (wheel, wheel, Wheel("rear_left_wheel", 0.0475))))
    with pytest.raises(InvalidInput, match=r"'front_left_wheel' ends 2\.5 mm above wheel 'rear_left_wheel'"):
        SimulatedBase(MobileRobot(robot, (wheel, Wheel("rear_left_wheel", 0.05))))


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf, "wide"])
def test_wheels_are_checked(radius: Any) -> None:
    with pytest.raises(InvalidInput, match="wheel 'left': radius is"):
        Wheel("left", radius)
    with pytest.raises(InvalidInput, match="roller is nan"):
        Wheel("left", 0.1, "mecanum", math.nan)
    with pytest.raises(InvalidInput, match="needs the angle of its rollers"):
        Wheel("left", 0.1, "mecanum")


@pytest.mark.parametrize(
    ("torques", "told"), [(None, "torques"), (np.zeros(3), "shape"), (np.full(15, np.nan), "finite")]
)
def test_wrong_torques_are_refused(torques: Any, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        SimulatedBase(youbot()).run(lambda _time, _q, _v: torques, 0.01)
