"""Poses, velocities and accelerations of frames against both peers, differences and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.kinematics import (
    forward_kinematics,
    frame_acceleration,
    frame_pose,
    frame_velocity,
    link_poses,
    world_velocities,
)
from footfall.errors import UnknownName
from footfall.math.transform import Transform
from footfall.robot import library
from footfall.robot.load import load
from footfall.robot.model import Robot
from tests.dynamics.rates import rate_along
from tests.dynamics.small_robots import planar_arm
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import MUJOCO_ROBOTS, REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


def assert_same_motion(robot: Robot, peer: PinocchioPeer | MujocoPeer, tolerance: float, seed: int) -> None:
    """Every frame's pose, velocity and acceleration is what the peer says."""
    q, v, a, _ = random_state(robot, seed)
    names = [name for name in robot.frame_names if name != "world"]
    poses = forward_kinematics.textbook(robot, q, frames=tuple(names))
    for name, position, rotation in zip(names, *poses, strict=True):
        expected = peer.frame_pose(q, name)
        assert_agree(position, expected.translation, tolerance, scale=1.0)
        assert_agree(rotation, expected.rotation, tolerance)
        velocity = frame_velocity.textbook(robot, q, v, name)
        assert_agree(velocity, peer.frame_velocity(q, v, name), tolerance, scale=1.0)
        acceleration = frame_acceleration.textbook(robot, q, v, a, name)
        assert_agree(acceleration, peer.frame_acceleration(q, v, a, name), tolerance, scale=1.0)


@settings(max_examples=40)
@given(robot=robots())
def test_random_robots_move_as_the_peers_say(robot: Robot) -> None:
    assert_same_motion(robot, PinocchioPeer.from_robot(robot), 1e-11, 1)
    assert_same_motion(robot, MujocoPeer(robot), 1e-8, 2)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_move_as_pinocchio_says(real: RealRobot) -> None:
    """Pinocchio reads the file itself, so this also tests our reader."""
    robot = load_real(real)
    assert robot.nv == real.nv
    peer = PinocchioPeer.from_real(real)
    assert_same_motion(robot, peer, 1e-10, 3)


@pytest.mark.parametrize("real", MUJOCO_ROBOTS, ids=str)
def test_real_robots_move_as_mujoco_says(real: RealRobot) -> None:
    robot = load_real(real)
    assert_same_motion(robot, MujocoPeer(robot), 1e-8, 4)


@pytest.mark.parametrize("name", library.names())
def test_shipped_robots_move_as_the_peers_say(name: str) -> None:
    robot = load(name).spanning  # the peers know trees
    assert_same_motion(robot, PinocchioPeer.from_robot(robot), 1e-11, 5)


def test_a_wrong_pose_would_be_seen() -> None:
    """The comparison fails for a robot with one joint placed a micrometre off, and for swapped frames."""
    robot = random_robot(11, floating_base=True, joints=6)
    q = random_state(robot, 1).q
    peer = PinocchioPeer.from_robot(robot)
    last, first = robot.bodies[-1].name, robot.bodies[0].name
    expected = peer.frame_pose(q, last).translation
    assert relative_error(frame_pose.textbook(robot, q, last).translation, expected) < 1e-12
    assert relative_error(frame_pose.textbook(robot, q, first).translation, expected) > 1e-3
    with pytest.raises(AssertionError):
        assert_agree(frame_pose.textbook(robot, q, last).translation + 1e-6, expected, 1e-10)


@settings(max_examples=20)
@given(robot=robots(max_joints=6))
def test_velocity_and_acceleration_are_derivatives(robot: Robot) -> None:
    """Classical: the acceleration's linear part is the second derivative of the position."""
    q, v, a, _ = random_state(robot, 5)
    frame = robot.bodies[-1].name
    position_rate = rate_along(lambda at: frame_pose.textbook(robot, at, frame).translation, robot, q, v)
    velocity = frame_velocity.textbook(robot, q, v, frame)
    assert_agree(velocity[:3], position_rate, 1e-9, scale=1.0)
    along_q = rate_along(lambda at: frame_velocity.textbook(robot, at, v, frame), robot, q, v)
    along_v = frame_velocity.textbook(robot, q, a, frame)  # linear in v
    acceleration = frame_acceleration.textbook(robot, q, v, a, frame)
    assert_agree(acceleration, along_q + along_v, 1e-9, scale=1.0)


def test_example_2_8_5() -> None:
    """Planar arm of RSL 2022, (2.137)-(2.138): position and angle of the tip."""
    arm = planar_arm()
    pose = frame_pose.textbook(arm, np.array([np.pi / 6, np.pi / 3, np.pi / 3]), "tip")
    np.testing.assert_allclose(pose.translation, [2.0, 0.0, 0.0], atol=1e-15)
    angle = np.arctan2(pose.rotation[0, 2], pose.rotation[2, 2])
    assert angle == pytest.approx(5 * np.pi / 6)


def test_default_is_all_bodies() -> None:
    robot = random_robot(4, joints=5)
    q = random_state(robot, 0).q
    poses = forward_kinematics.textbook(robot, q)
    assert poses.position.shape == (5, 3)
    assert poses.rotation.shape == (5, 3, 3)
    for body, position in zip(robot.bodies, poses.position, strict=True):
        np.testing.assert_array_equal(position, frame_pose.textbook(robot, q, body.name).translation)


def test_world_stands_still() -> None:
    robot = random_robot(4, joints=5)
    q, v, a, _ = random_state(robot, 0)
    pose = frame_pose.textbook(robot, q, "world")
    np.testing.assert_array_equal(pose.translation, np.zeros(3))
    np.testing.assert_array_equal(pose.rotation, np.eye(3))
    np.testing.assert_array_equal(frame_velocity.textbook(robot, q, v, "world"), np.zeros(6))
    np.testing.assert_array_equal(frame_acceleration.textbook(robot, q, v, a, "world"), np.zeros(6))


def test_transforms_of_example_2_6_1() -> None:
    """RSL 2022, (2.108)-(2.114), and the minus sign that (2.111) lacks in print."""
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    pose = Transform(turn, np.array([0.0, 3.0, 1.0]))
    np.testing.assert_array_equal(pose.apply(np.array([0.0, 1.0, 1.0])), [0.0, 2.0, 2.0])
    np.testing.assert_array_equal(pose.inverse().translation, [0.0, -1.0, 3.0])
    back = pose @ pose.inverse()
    np.testing.assert_array_equal(back.translation, np.zeros(3))
    np.testing.assert_array_equal(back.rotation, np.eye(3))


def test_unknown_frames_are_named() -> None:
    robot = random_robot(4, joints=5)
    q, v, a, _ = random_state(robot, 0)
    expected = r"no frame 'bodi3' in robot 'random-4'; there are: body3"
    with pytest.raises(UnknownName, match=expected):
        frame_pose.textbook(robot, q, "bodi3")
    with pytest.raises(UnknownName, match=expected):
        forward_kinematics.textbook(robot, q, frames=("body1", "bodi3"))
    with pytest.raises(UnknownName, match=expected):
        frame_acceleration.textbook(robot, q, v, a, "bodi3")


@pytest.mark.parametrize("seed", range(4))
def test_velocities_of_all_links_are_those_of_their_frames(seed: int) -> None:
    """Handed outwards in world axes, against those that frames hand inwards in their own."""
    robot = random_robot(seed)
    q, v, _, _ = random_state(robot, seed)
    found = world_velocities(robot.tree, link_poses(robot.tree, q), v)
    for body in robot.bodies:
        attachment = robot.tree.attachments[body.name]
        if attachment.link >= 0:
            velocity, pose = found[attachment.link], link_poses(robot.tree, q)[attachment.link]
            arm = np.asarray(pose.rotation) @ attachment.placement.translation
            moved = np.concatenate([velocity[:3] + np.cross(velocity[3:], arm), velocity[3:]])
            expected = frame_velocity.textbook(robot, q, v, body.name)
            assert relative_error(moved, expected) < 1e-12
            assert relative_error(velocity + 1e-3, expected) > 1e-9
