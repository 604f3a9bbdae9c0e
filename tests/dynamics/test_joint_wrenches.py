"""Joint wrenches: against Pinocchio, statics, the cart-pendulum, and bodies on fixed joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.joint_wrenches import joint_wrenches
from footfall.dynamics.kinematics import forward_kinematics
from footfall.robot.load import load
from footfall.robot.model import JointType, Robot
from tests.dynamics.cases import some_wrenches
from tests.peers.comparison import assert_agree
from tests.random_robots import random_robot, random_state, robots


@settings(max_examples=40)
@given(robot=robots())
def test_random_robots_agree_with_pinocchio(robot: Robot) -> None:
    pytest.importorskip("pinocchio")
    from tests.peers.pinocchio import PinocchioPeer

    peer = PinocchioPeer.from_robot(robot)
    q, v, a, _ = random_state(robot, 1)
    wrenches = some_wrenches(robot)
    actual = joint_wrenches.textbook(robot, q, v, a, wrenches=wrenches)
    peer.inverse_dynamics(q, v, a, wrenches)
    scale = max(float(np.linalg.norm(actual)), 1.0)
    for joint, wrench in zip(robot.joints, actual, strict=True):
        if joint.type is not JointType.FIXED:
            theirs = peer.data.f[peer.model.getJointId(joint.name)]
            rotation = peer.frame_pose(q, joint.child).rotation
            expected = np.concatenate([rotation @ theirs.linear, rotation @ theirs.angular])
            assert_agree(wrench, expected, 1e-12, scale=scale)


@settings(max_examples=20)
@given(robot=robots(types=(JointType.REVOLUTE, JointType.PRISMATIC, JointType.SPHERICAL, JointType.FIXED)))
def test_along_free_axes_joints_transmit_their_forces(robot: Robot) -> None:
    q, v, a, _ = random_state(robot, 2)
    tau = inverse_dynamics.textbook(robot, q, v, a) - robot.armature * a
    rotations = forward_kinematics.textbook(robot, q).rotation
    for joint, rotation, wrench in zip(
        robot.joints, rotations, joint_wrenches.textbook(robot, q, v, a), strict=True
    ):
        part = slice(3) if joint.type is JointType.PRISMATIC else slice(3, 6)
        local = rotation.T @ wrench[part]
        expected = tau[robot.v_slice(joint.name)]
        if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            assert_agree(np.array([local @ np.array(joint.axis)]), expected, 1e-11, scale=10.0)
        elif joint.type is JointType.SPHERICAL:
            assert_agree(local, expected, 1e-11, scale=10.0)


def test_roots_carry_the_weight_at_rest() -> None:
    """Joints on the world, fixed ones too, carry all that hangs on them."""
    robot = random_robot(
        9, types=["revolute", "fixed", "spherical", "fixed", "prismatic"], ups=[0, 0, 0, 9, 0]
    )
    q = random_state(robot, 3).q
    rest = np.zeros(robot.nv)
    wrenches = joint_wrenches.textbook(robot, q, rest, rest)
    on_world = [i for i, joint in enumerate(robot.joints) if joint.parent == "world"]
    assert len(on_world) == 2
    np.testing.assert_allclose(wrenches[on_world, :3].sum(0), [0.0, 0.0, robot.mass * 9.81], atol=1e-12)
    poses = forward_kinematics.textbook(robot, q)
    moment = sum(wrenches[i, 3:] + np.cross(poses.position[i], wrenches[i, :3]) for i in on_world)
    weights = [
        np.cross(position + rotation @ body.center_of_mass, [0.0, 0.0, body.mass * 9.81])
        for body, position, rotation in zip(robot.bodies, *poses, strict=True)
    ]
    np.testing.assert_allclose(moment, np.sum(weights, axis=0), atol=1e-12)


def test_fixed_joints_transmit_like_stiff_ones() -> None:
    """A fixed joint, and a ball joint in its place that is held still by its forces."""
    fixed = random_robot(
        12, types=["floating", "revolute", "fixed", "revolute"], ups=[0, 0, 0, 0], armature=False
    )
    joints = list(fixed.joints)
    joints[2] = replace(joints[2], type=JointType.SPHERICAL)
    ball = replace(fixed, joints=tuple(joints))
    q, v, a, _ = random_state(fixed, 4)
    wrenches = some_wrenches(fixed)
    place = fixed.v_slice(fixed.joints[3].name).start
    wider_q = np.insert(q, fixed.q_slice(fixed.joints[3].name).start, [1.0, 0.0, 0.0, 0.0])
    wider_v, wider_a = (np.insert(vector, place, np.zeros(3)) for vector in (v, a))
    expected = joint_wrenches.textbook(ball, wider_q, wider_v, wider_a, wrenches=wrenches)
    assert_agree(joint_wrenches.textbook(fixed, q, v, a, wrenches=wrenches), expected, 1e-13)


def test_cart_pendulum() -> None:
    """Force on the pendulum in its pivot, RSL 2022, chapter 3: mass times acceleration of its centre, plus weight."""
    robot = load("cart-pendulum")
    mass, length = robot.bodies[1].mass, -robot.bodies[1].center_of_mass[2]
    phi, rate, x_acceleration, acceleration = 0.7, -2.3, 0.5, -1.7
    actual = joint_wrenches.textbook(
        robot, np.array([0.3, phi]), np.array([1.1, rate]), np.array([x_acceleration, acceleration])
    )
    along_x = mass * (x_acceleration + length * np.cos(phi) * acceleration - length * np.sin(phi) * rate**2)
    along_z = mass * (9.81 + length * np.sin(phi) * acceleration + length * np.cos(phi) * rate**2)
    np.testing.assert_allclose(actual[1, :3], [along_x, 0.0, along_z], atol=1e-13)


def test_a_floating_robot_transmits_nothing_to_the_world() -> None:
    """In free fall without joint forces the base's joint carries nothing."""
    robot = random_robot(5, types=["floating", "fixed", "fixed"], floating_base=True, armature=False)
    q = random_state(robot, 6).q
    a = np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])
    assert np.abs(joint_wrenches.textbook(robot, q, np.zeros(6), a)).max() < 1e-13
