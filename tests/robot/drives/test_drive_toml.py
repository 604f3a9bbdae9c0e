"""Drives and springs as parts of a robot's TOML: read, written, checked, and kept by variants."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import footfall
from footfall.drives import CameraVergence, Drive, Friction, Spring
from footfall.errors import RobotError
from footfall.math.transform import identity_transform
from footfall.robot.combine import Placed, combine
from footfall.robot.toml import parse_toml
from footfall.robot.toml_writer import toml_text
from footfall.robot.variants import lock_joints
from tests.robot.comparison import difference

LOLA = footfall.load("lola")

LEG = """
name = "leg"

[[body]]
name = "thigh"
mass = 2.0
inertia = [0.02, 0.02, 0.01, 0.0, 0.0, 0.0]
[body.joint]
name = "hip"
type = "revolute"

[[body]]
name = "shank"
mass = 1.0
inertia = [0.01, 0.01, 0.01, 0.0, 0.0, 0.0]
[body.joint]
name = "knee"
type = "revolute"
parent = "thigh"

[motor.small]
torque_constant = 0.1
resistance = 0.5
inductance = 0.0005
voltage = 48.0
permanent_current = 3.0
peak_current = 9.0
rotor_inertia = 1e-5

[friction.gear]
coulomb = 0.01
efficiency = 0.8

[servo.slow]
period = 0.001
position_gain = 20.0
velocity_gain = 0.1
velocity_integral_gain = 1.0
current_gain = 0.5
current_integral_gain = 300.0
current_limit = 9.0
voltage_limit = 48.0

[[drive]]
joints = ["hip"]
motor = "small"
friction = "gear"
servo = "slow"
stiffness = 4000.0
damping = 4.0
rotor_axes = [[0, 0, 2]]
mechanism = { type = "harmonic-drive", ratio = 50.0 }

[[spring]]
joint = "knee"
stiffness = 120.0
rest = 0.2
"""


def test_a_robot_carries_its_drives() -> None:
    robot = parse_toml(LEG)
    (drive,) = robot.drives
    assert drive.joints == ("hip",)
    assert drive.friction.forward_efficiency == pytest.approx(0.8)
    assert drive.servo is not None
    assert drive.servo.period == 0.001
    assert drive.rotor_axes == ((0.0, 0.0, 1.0),)
    assert robot.springs == (Spring("knee", 120.0, rest=0.2),)


@pytest.mark.parametrize("robot", [parse_toml(LEG), LOLA], ids=["leg", "lola"])
def test_round_trip(robot: footfall.Robot) -> None:
    again = parse_toml(toml_text(robot))
    assert difference(robot.drives, again.drives) == 0.0
    assert robot.springs == again.springs
    changed = dataclasses.replace(again.drives[0], friction=Friction(coulomb=0.5))
    assert difference(robot.drives, (changed, *again.drives[1:])) > 0.0  # the comparison can fail


def test_every_mechanism_can_be_written() -> None:
    vergence = CameraVergence(
        0.02, 0.05, -0.015, np.array([0.03, 0.0, 0.03]), np.array([0.005, 0.0, -0.008]), 20.0, 0.1
    )
    robot = parse_toml(LEG)
    drive = Drive(("knee",), vergence, robot.drives[0].motor)
    again = parse_toml(toml_text(dataclasses.replace(robot, drives=(drive,))))
    assert difference(again.drives[0].mechanism, vergence) == 0.0
    kinds = {type(each.mechanism).__name__ for each in LOLA.drives}
    assert kinds == {"HarmonicDrive", "KneeScrew", "AnkleCranks"}  # these three are in the round trip of LOLA


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('joints = ["hip"]', 'joints = ["hop"]', "joint 'hop' does not exist; there are: .*hip"),
        ('servo = "slow"', 'servo = "fast"', "servo is 'fast'; there are: slow"),
        ("efficiency = 0.8", "efficiency = 0.8\nload = 0.1", "friction 'gear': has load and efficiency"),
        ("stiffness = 4000.0", "", "has damping without stiffness"),
        ("rotor_inertia = 1e-5", "rotor_inertia = 0.0", "motor 'small': rotor_inertia of a motor is 0"),
        ("rotor_axes = [[0, 0, 2]]", "rotor_axes = [[0, 0, 2], [1, 0, 0]]", "2 rotor axes for 1 motors"),
        ('joint = "knee"', 'joint = "nee"', "spring of 'nee': joint 'nee' does not exist"),
        ("stiffness = 120.0", "stiffness = -1.0", "stiffness is -1.0; it must be finite and not negative"),
        ("ratio = 50.0", "ratio = 0.0", "ratio of a Harmonic Drive is 0.0"),
        ("ratio = 50.0", "ratoi = 50.0", "ratoi"),
    ],
)
def test_faults_are_named(old: str, new: str, message: str) -> None:
    assert old in LEG
    with pytest.raises(RobotError, match=message):
        parse_toml(LEG.replace(old, new, 1))


def test_faults_made_in_python() -> None:
    robot = parse_toml(LEG)
    with pytest.raises(RobotError, match="knie"):
        dataclasses.replace(robot, springs=(Spring("knie", 1.0),))
    with pytest.raises(RobotError, match="two drives"):
        dataclasses.replace(robot, drives=robot.drives * 2)
    with pytest.raises(RobotError, match="it must have one coordinate"):
        dataclasses.replace(LOLA, springs=(Spring("root", 1.0),))


def test_welded_joints_lose_their_drives_and_springs() -> None:
    robot = parse_toml(LEG)
    assert lock_joints(robot, ["hip"]).drives == ()
    assert lock_joints(robot, ["knee"]).springs == ()
    ankles = lock_joints(LOLA, ["sfr"]).drives
    assert len(ankles) == len(LOLA.drives) - 1  # both motors of the ankle move the welded joint
    left = {drive.joints for drive in footfall.load("lola-2012").drives}
    assert left == {drive.joints for drive in LOLA.drives} - {("arr",), ("arl",)}


def test_robots_side_by_side_keep_their_drives() -> None:
    robot = parse_toml(LEG)
    both = combine([Placed(robot, identity_transform(), name=name) for name in ("a", "b")])
    assert [drive.joints for drive in both.drives] == [("a/hip",), ("b/hip",)]
    assert [spring.joint for spring in both.springs] == ["a/knee", "b/knee"]
