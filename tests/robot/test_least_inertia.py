"""Lenient reading: joints that move nothing get the least inertia, and it is said so; placeholders stay quiet."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import footfall
from footfall.bench.robots import examples_folder
from footfall.errors import RobotError, RobotWarning
from footfall.robot.urdf import parse_urdf
from footfall.simulation.simulation import Simulation

FINGERS = """
<robot name="hand">
  <link name="palm">
    <inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="finger"/><link name="tip"/><link name="plate"/>
  <joint name="bend" type="revolute">
    <origin xyz="0.1 0 0"/><parent link="palm"/><child link="finger"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/>
  </joint>
  <joint name="curl" type="revolute">
    <origin xyz="0.05 0 0"/><parent link="finger"/><child link="tip"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="palm"/><child link="plate"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/>
  </joint>
</robot>
"""


def test_one_warning_names_all_joints() -> None:
    with pytest.raises(RobotError, match=r"joint 'bend'|joint 'curl'|joint 'slide'"):
        parse_urdf(FINGERS)
    with pytest.warns(RobotWarning) as told:
        robot = parse_urdf(FINGERS, strict=False)
    assert len(told) == 1
    assert "3 joints move bodies without inertia (bend, curl, slide); each gets the least armature" in str(
        told[0].message
    )
    armature = {joint.name: joint.armature for joint in robot.joints}
    assert 1e-9 <= armature["bend"] == armature["curl"] < 1e-6
    assert armature["slide"] == pytest.approx(2e-6)
    assert armature["root_joint"] == 0.0


def test_forward_dynamics_is_regular_then() -> None:
    with pytest.warns(RobotWarning):
        robot = parse_urdf(FINGERS, strict=False)
    q, v = np.array([0.3, -0.2, 0.1]), np.array([0.4, 0.5, -0.2])
    tau = np.array([1e-6, 2e-6, 3e-6])
    a = footfall.forward_dynamics(robot, q, v, tau)
    np.testing.assert_allclose(footfall.inverse_dynamics(robot, q, v, a), tau, rtol=1e-9, atol=1e-15)


def test_romeo_with_its_fingers_stands() -> None:
    """Twenty-four joints without inertia: it was NaN in its first step."""
    folder = examples_folder()
    if folder is None:
        pytest.skip("needs example-robot-data")
    with pytest.warns(RobotWarning, match="24 joints move bodies without inertia"):
        robot = footfall.load(
            folder / "romeo_description" / "urdf" / "romeo.urdf", strict=False, floating_base=True
        )
    simulation = Simulation(robot, dt=1e-3)  # in free fall: contact has tests of its own
    trajectory = simulation.run(simulation.hold(), 0.05)
    assert np.isfinite(trajectory.q).all()
    centre = footfall.center_of_mass(robot, trajectory.q[-1]) - footfall.center_of_mass(
        robot, trajectory.q[0]
    )
    fallen = -9.81 / 2 * (trajectory.time[-1] ** 2 - trajectory.time[0] ** 2)
    assert centre[2] == pytest.approx(fallen, rel=0.03)  # semi-implicit steps fall by g dt t / 2 more


def test_placeholders_of_fixed_parts_are_not_told_of() -> None:
    """Exporters write 1e-6 into all six entries of small parts; with what they are fixed to it makes no difference."""
    part = (
        '<link name="cover"><inertial><mass value="0.001"/>'
        '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="{0}" ixz="{0}" iyz="{0}"/></inertial></link>'
        '<joint name="on" type="fixed"><parent link="palm"/><child link="cover"/></joint>'
    )
    fixed = FINGERS[: FINGERS.index('  <link name="finger"/>')]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_urdf(fixed + part.format("1e-6") + "</robot>")
    with pytest.warns(RobotWarning, match=r"moments of inertia are 0, 0, 0\.003 kg m2; .*the others, 0$"):
        parse_urdf(fixed + part.format("1e-3") + "</robot>")


def test_angles_are_right_or_literal() -> None:
    """1.57079632679 is 5e-12 short of a right angle, and means one, unless it is asked for literally."""
    text = FINGERS.replace('<origin xyz="0.1 0 0"/>', '<origin xyz="0.1 0 0" rpy="1.57079632679 0 0"/>')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        right, literal = (
            parse_urdf(text, strict=False, literal_angles=literally).joint("bend").placement.rotation
            for literally in (False, True)
        )
    np.testing.assert_array_equal(right, [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    assert literal[1, 1] == np.cos(1.57079632679) != 0.0
    np.testing.assert_allclose(literal, right, atol=1e-11)
