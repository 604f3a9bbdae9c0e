"""Robots made from robots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import RobotError, UnknownName, UnsupportedFeature
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Joint, JointType, Mimic, Robot
from footfall.robot.variants import lock_joints, with_configuration, with_fixed_base, with_floating_base
from tests.random_robots import random_robot, random_rotation, random_state, robots


def bodies_at(robot: Robot, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    poses = forward_kinematics.textbook(robot, q)
    return np.asarray(poses.position), np.asarray(poses.rotation)


@given(robots(), st.data())
def test_locked_robot_stands_where_it_was_locked(robot: Robot, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from([joint.name for joint in robot.joints]), unique=True))
    q = random_state(robot, 0).q
    locked = lock_joints(with_configuration(robot, "here", q), names, q=q)
    assert all(locked.joint(name).type is JointType.FIXED for name in names)
    assert locked.nv == sum(joint.type.velocities for joint in robot.joints if joint.name not in names)
    for ours, theirs in zip(
        bodies_at(robot, q), bodies_at(locked, locked.configuration("here")), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-11)  # right angles are rounded by up to 5e-12


def test_locking_drops_what_concerns_the_joints() -> None:
    robot = load("lola")
    joint = robot.groups["left_arm"][0]
    locked = lock_joints(robot, [joint])
    assert joint not in locked.groups["left_arm"]
    assert all(joint not in limits for limits in locked.limit_sets.values())
    assert len(locked.configuration("idle")) == robot.nq - 1
    with pytest.raises(UnknownName, match="no joint 'x' in robot 'lola'"):
        lock_joints(robot, ["x"])


def test_locking_at_a_wrong_configuration() -> None:
    with pytest.raises(RobotError, match=r"has shape \(2,\); the robot has 3 coordinates"):
        lock_joints(load("wrist"), [], q=np.zeros(2))


def test_locking_at_given_coordinates() -> None:
    robot = load("lola")
    q = robot.configuration("idle")
    q[robot.q_slice("kfr")] = 0.5
    expected = lock_joints(robot, ["kfr", "root"], q=q)
    given = {"kfr": 0.5, "root": q[robot.q_slice("root")]}
    locked = lock_joints(robot, given)
    for name in given:
        for ours, theirs in zip(locked.joint(name).placement, expected.joint(name).placement, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(RobotError, match=r"joint 'kfr': coordinates has shape \(2,\); it must be \(1,\)"):
        lock_joints(robot, {"kfr": [0.5, 0.5]})
    with pytest.raises(RobotError, match=r"robot 'lola': joints are 'kfr'; give a list: \['kfr'\]"):
        lock_joints(robot, "kfr")


def test_followers_are_locked_too() -> None:
    robot = random_robot(0, types=["revolute", "revolute", "revolute"])
    first, second, third = robot.joints
    chain = (
        first,
        replace(second, mimic=Mimic(first.name, 2.0, 0.1)),
        replace(third, mimic=Mimic(second.name, -1.0)),
    )
    locked = lock_joints(replace(robot, joints=chain), [first.name], q=np.array([0.3, 0.0, 0.0]))
    assert locked.nv == 0
    for ours, theirs in zip(
        bodies_at(robot, np.array([0.3, 0.7, -0.7])), bodies_at(locked, np.zeros(0)), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-14)


def test_floating_and_fixed_bases_undo_each_other() -> None:
    rng = np.random.default_rng(1)
    arm = random_robot(4, types=["fixed", "revolute", "revolute"], ups=[0, 0, 0])
    pose = Transform(random_rotation(rng), rng.normal(size=3))
    root = Joint("root", JointType.FIXED, "world", arm.bodies[0].name, pose)
    arm = with_configuration(replace(arm, joints=(root, *arm.joints[1:])), "c", np.array([0.1, 0.2]))
    floating = with_floating_base(arm)
    assert (floating.nq, floating.nv) == (9, 8)
    # q says where the base is in the world, whatever its place was
    for ours, theirs in zip(
        bodies_at(arm, arm.configuration("c")), bodies_at(floating, floating.configuration("c")), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-14)
    assert with_floating_base(floating) is floating
    fixed = with_fixed_base(floating)
    np.testing.assert_array_equal(fixed.configuration("c"), [0.1, 0.2])
    assert with_fixed_base(fixed) is fixed


def test_robots_whose_base_cannot_change() -> None:
    slider = random_robot(0, types=["prismatic", "revolute"], ups=[0, 0])
    with pytest.raises(
        UnsupportedFeature, match="joint 'joint0': is prismatic; only a robot whose root is fixed"
    ):
        with_floating_base(slider)
    with pytest.raises(UnsupportedFeature, match="only a floating root can be fixed"):
        with_fixed_base(slider)
    two = random_robot(0, types=["fixed", "fixed"], ups=[0, 9])
    with pytest.raises(UnsupportedFeature, match="2 bodies hang on the world"):
        with_floating_base(two)
