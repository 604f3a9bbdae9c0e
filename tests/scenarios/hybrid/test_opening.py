"""Drawers, doors and valves in any direction: their closed forms, and arms that open them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall
from footfall.cli.application import app
from footfall.cli.task_options import read_pose, read_robot
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import InvalidInput, NoSolution, UnknownName
from footfall.hybrid import MobileRobot
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.transform import Transform
from footfall.scenarios.hybrid.opening import (
    Kind,
    Openable,
    Pull,
    hand_of,
    run_opening,
    tool_frame,
    usual_mechanism,
    way_of,
)
from tests.scenarios.hybrid.criteria import missed

KINDS: tuple[Kind, ...] = ("drawer", "door", "valve")


def _tilted(seed: int, place: tuple[float, float, float] = (0.45, 0.1, 0.45)) -> Transform:
    quaternion = np.random.default_rng(seed).normal(size=4)
    return Transform(matrix_from_quaternion(quaternion / np.linalg.norm(quaternion)), np.array(place))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hinge", ["left", "right"])
def test_geometry(kind: Kind, hinge: Any) -> None:
    """The way of the handle against the kinematics, inertia and weight of the mechanism as a robot."""
    mechanism = usual_mechanism(kind, pose=_tilted(7), hinge=hinge)
    robot = mechanism.robot()
    for opened in (0.0, 0.13, 0.9 * mechanism.opening):
        q = np.array([opened])
        body = mechanism.pose @ frame_pose(robot, q, kind)
        np.testing.assert_allclose(
            body.translation, mechanism.moved(opened).apply(mechanism.pivot), rtol=0, atol=1e-14
        )
        np.testing.assert_allclose(body.rotation, mechanism.moved(opened).rotation, rtol=0, atol=1e-14)
        assert abs(mechanism.opened(mechanism.slot(opened).translation) - opened) < 1e-14
        # m, m w^2 / 3 of a plate about its edge, m r^2 of a rim
        np.testing.assert_allclose(mass_matrix(robot, q), [[mechanism.inertia]], rtol=1e-12)
        # The handle moves along x of the slot, at `lever` for a unit of opening; second differences bend.
        step = 1e-4
        ahead, here, back = (mechanism.slot(opened + d).translation for d in (step, 0.0, -step))
        tangent = mechanism.slot(opened).rotation[:, 0] * mechanism.lever
        np.testing.assert_allclose((ahead - back) / (2 * step), tangent, rtol=0, atol=1e-8)
        np.testing.assert_allclose(
            (ahead - 2 * here + back) / step**2, mechanism.bend(opened, 1.0), rtol=0, atol=1e-6
        )
        lifted = [
            9.81 * mechanism.mass * (mechanism.moved(opened + d).apply(mechanism.center_of_mass))[2]
            for d in (step, -step)
        ]
        weight = mechanism.weight(opened, np.array([0.0, 0.0, -9.81]))
        assert abs(-(lifted[0] - lifted[1]) / (2 * step) - weight) < 1e-6
    assert mechanism.slot(0.0).rotation[:, 0] @ mechanism.pose.rotation[:, 0] == pytest.approx(
        0.0 if kind == "valve" else 1.0
    )


def test_arm_opens_a_tilted_drawer() -> None:
    """In a direction that nobody chose; mass and friction are what the force must show: F = m a + friction - weight."""
    mechanism = usual_mechanism("drawer", pose=_tilted(1001), mass=2.5, friction=6.0, opening=0.15)
    course = run_opening(mechanism, robot=footfall.load("arm-7r"), pull=Pull(force=90.0))
    assert missed(course) == []
    wrong = Openable("drawer", mechanism.pose, 2.6, 6.0, mechanism.size, mechanism.opening)
    weight = [each.weight(0.0, np.array([0.0, 0.0, -9.81])) for each in (mechanism, wrong)]
    assert abs(weight[0] - weight[1]) > 0.01  # so the comparison would see 0.1 kg


def test_arm_opens_a_door_on_its_other_hinge() -> None:
    course = run_opening(
        usual_mechanism("door", hinge="right", opening=0.5),
        robot=footfall.load("arm-6r"),
        pull=Pull(speed=0.2),
    )
    assert missed(course) == []


def test_youbot_turns_a_valve() -> None:
    course = run_opening(
        usual_mechanism("valve", opening=0.6), robot=footfall.hybrid.youbot(), pull=Pull(speed=0.1)
    )
    assert missed(course) == []


def test_a_mobile_robot_without_named_postures() -> None:
    """Its arm is straight up in its neutral posture, where the first joint does nothing at the finger."""
    shipped = footfall.hybrid.youbot()
    own = replace(shipped, robot=replace(shipped.robot, configurations={}))
    mechanism = usual_mechanism("drawer", opening=0.05)
    assert missed(run_opening(mechanism, robot=own, pull=Pull(speed=0.1))) == []


def test_too_much_friction_is_seen() -> None:
    """A drawer that needs more than the limit stays closed, and the force stays below it."""
    mechanism = usual_mechanism("drawer", friction=60.0, opening=0.1)
    course = run_opening(mechanism, robot=footfall.load("arm-7r"), seconds=2.0)
    assert missed(course)[0] == "the drawer opens by, m"
    assert course.criteria[1].passed


def test_refused() -> None:
    pose = Transform(np.eye(3), np.zeros(3))
    with pytest.raises(InvalidInput, match="mass is -1"):
        usual_mechanism("drawer", mass=-1.0)
    with pytest.raises(InvalidInput, match=r"only 0\.3 m deep"):
        usual_mechanism("drawer", size=0.3, opening=0.5)
    with pytest.raises(InvalidInput, match="170"):
        usual_mechanism("door", opening=3.1)
    with pytest.raises(UnknownName, match="left, right"):
        usual_mechanism("door", hinge="up")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="drawer, door, valve"):
        usual_mechanism("window")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="mass, friction"):
        usual_mechanism("door", weight=1.0)
    with pytest.raises(InvalidInput, match="friction is nan"):
        Openable("valve", pose, 1.0, float("nan"), 0.1, 1.0)
    with pytest.raises(InvalidInput, match="rotation of pose of the door is no rotation"):
        usual_mechanism("door", pose=Transform(2.0 * np.eye(3), np.zeros(3)))
    with pytest.raises(InvalidInput, match="force of the pull"):
        Pull(force=0.0)
    far = usual_mechanism("drawer", pose=Transform(np.eye(3), np.array([4.0, 0.0, 0.0])))
    with pytest.raises(NoSolution, match="does not reach the handle of the drawer where it is open by 0 mm"):
        way_of(hand_of(footfall.load("arm-7r")), far)
    with pytest.raises(InvalidInput, match="floating base"):
        hand_of(footfall.load("quadruped"))
    with pytest.raises(InvalidInput, match="named like a tool"):
        tool_frame(footfall.load("mecanum-base"))


def test_options() -> None:
    pose = read_pose("1,2,3,0,0,90")
    assert pose is not None
    np.testing.assert_allclose(pose.rotation[:, 0], [0.0, 1.0, 0.0], atol=1e-15)
    own = read_robot("differential-base", ["left_wheel=0.1", "right_wheel=0.1"])
    assert isinstance(own, MobileRobot)
    assert own.wheels[1].radius == 0.1
    for wrong, said in (
        (["task", "docking", "--mass", "3"], "goes with drawer, door and valve"),
        (["task", "drawer", "--pose", "1,2"], "must be X,Y,Z"),
        (["task", "drawer", "--finger", "1"], "must be X,Y,Z"),
        (["task", "drawer", "--wheel", "left"], "must be like left_wheel=0.08"),
    ):
        result = CliRunner().invoke(app, wrong)
        assert result.exit_code == 2
        assert said in " ".join(result.output.replace("│", "").split())
