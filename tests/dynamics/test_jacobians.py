"""Jacobians, their rates and biases against both peers, differences and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.jacobians import (
    frame_jacobian,
    frame_jacobian_bias,
    frame_jacobian_rate,
    joint_motions,
)
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.errors import UnknownName
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


def assert_same_jacobians(
    robot: Robot, peer: PinocchioPeer | MujocoPeer, tolerance: float, names: list[str]
) -> None:
    q, v, _, _ = random_state(robot, 1)
    for name in names:
        assert_agree(frame_jacobian.textbook(robot, q, name), peer.frame_jacobian(q, name), tolerance)
        rate = peer.frame_jacobian_rate(q, v, name)
        assert_agree(frame_jacobian_rate.textbook(robot, q, v, name), rate, tolerance, scale=1.0)
        assert_agree(frame_jacobian_bias.textbook(robot, q, v, name), rate @ v, tolerance, scale=1.0)


@settings(max_examples=40)
@given(robot=robots())
def test_random_robots_agree_with_the_peers(robot: Robot) -> None:
    names = [name for name in robot.frame_names if name != "world"]
    peer = PinocchioPeer.from_robot(robot)
    assert_same_jacobians(robot, peer, 1e-11, names)
    assert_same_jacobians(robot, MujocoPeer(robot), 1e-8, names)
    q = random_state(robot, 2).q
    assert_agree(joint_motions.textbook(robot, q), peer.joint_motions(q), 1e-12)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    names = [body.name for body in robot.bodies]
    assert_same_jacobians(robot, peer, 1e-10, [*names[:: max(1, len(names) // 6)], names[-1]])
    q = random_state(robot, 2).q
    assert_agree(joint_motions.textbook(robot, q), peer.joint_motions(q), 1e-10)


@pytest.mark.parametrize("real", MUJOCO_ROBOTS, ids=str)
def test_real_robots_agree_with_mujoco(real: RealRobot) -> None:
    robot = load_real(real)
    names = [body.name for body in robot.bodies]
    assert_same_jacobians(robot, MujocoPeer(robot), 1e-8, [*names[:: max(1, len(names) // 6)], names[-1]])


@settings(max_examples=20)
@given(robot=robots(max_joints=6))
def test_rate_and_bias_are_derivatives(robot: Robot) -> None:
    q, v, _, _ = random_state(robot, 3)
    frame = robot.bodies[-1].name
    expected = rate_along(lambda at: frame_jacobian.textbook(robot, at, frame), robot, q, v)
    assert_agree(frame_jacobian_rate.textbook(robot, q, v, frame), expected, 1e-9, scale=1.0)
    assert_agree(frame_jacobian_bias.textbook(robot, q, v, frame), expected @ v, 1e-9, scale=1.0)


@settings(max_examples=20)
@given(robot=robots(max_joints=6))
def test_jacobians_give_velocities(robot: Robot) -> None:
    """`J v` is the frame's velocity, and the frame's columns of `joint_motions`, shifted to it, are J."""
    q, v, _, _ = random_state(robot, 4)
    frame = robot.bodies[-1].name
    jacobian = frame_jacobian.textbook(robot, q, frame)
    assert_agree(jacobian @ v, frame_velocity.textbook(robot, q, v, frame), 1e-12, scale=1.0)
    motions = joint_motions.textbook(robot, q)
    position = frame_pose.textbook(robot, q, frame).translation
    shifted = np.vstack([motions[:3] + np.cross(motions[3:].T, position).T, motions[3:]])
    on_path = np.any(jacobian != 0.0, axis=0)
    assert_agree(jacobian, shifted * on_path, 1e-12)


def test_a_wrong_jacobian_would_be_seen() -> None:
    """Trap T5: angular velocity of the base in the wrong axes passes at identity only."""
    robot = random_robot(3, floating_base=True, joints=4)
    q = random_state(robot, 0).q
    frame = robot.bodies[-1].name
    peer = PinocchioPeer.from_robot(robot)
    wrong = frame_jacobian.textbook(robot, q, frame).copy()
    base = frame_pose.textbook(robot, q, robot.bodies[0].name).rotation
    wrong[:, 3:6] = wrong[:, 3:6] @ base.T
    assert relative_error(wrong, peer.frame_jacobian(q, frame)) > 1e-3


def test_base_columns_are_constant() -> None:
    """RSL 2022, (2.264): a floating base moves every frame along the world's axes."""
    robot = random_robot(3, floating_base=True, joints=4)
    jacobian = frame_jacobian.textbook(robot, random_state(robot, 0).q, robot.bodies[-1].name)
    np.testing.assert_array_equal(jacobian[:, :3], np.eye(6)[:, :3])


@pytest.mark.parametrize("lengths", [(1.0, 1.0, 1.0), (0.7, 1.3, 0.4)])
def test_examples_2_8_6_and_2_8_7(lengths: tuple[float, float, float]) -> None:
    """Planar arm of RSL 2022, (2.143)-(2.148), (2.151)-(2.167), by hand."""
    arm = planar_arm(lengths=lengths)
    q = np.array([0.3, 0.7, -0.4])
    x, z = lengths * np.sin(np.cumsum(q)), lengths * np.cos(np.cumsum(q))
    lever_x, lever_z = np.cumsum(x[::-1])[::-1], np.cumsum(z[::-1])[::-1]
    zero, one = np.zeros(3), np.ones(3)
    expected = np.array([lever_z, zero, -lever_x, zero, one, zero])
    np.testing.assert_allclose(frame_jacobian.textbook(arm, q, "tip"), expected, atol=1e-15)


def test_reference_numbers() -> None:
    """RSL 2022, chapter 3, cases A and B."""
    arm = planar_arm()
    bias = frame_jacobian_bias.textbook(
        arm, np.array([1, 2, 2]) * np.pi / 6, np.array([0.1, -0.2, 0.3]), "tip"
    )
    np.testing.assert_allclose(bias[[0, 2]], [-0.035, 0.02598076], atol=5e-9)
    q, v = np.array([0.3, 0.7, -0.4]), np.array([0.5, -1.0, 0.8])
    jacobian = frame_jacobian.textbook(arm, q, "tip")
    expected = [[2.32097441, 1.36563792, 0.82533561], [-1.70163366, -1.40611346, -0.56464247]]
    np.testing.assert_allclose(jacobian[[0, 2]], expected, atol=5e-9)
    bias = frame_jacobian_bias.textbook(arm, q, v, "tip")
    np.testing.assert_allclose(bias[[0, 2]], [-0.33506562, -0.4481899], atol=5e-9)


def test_world_and_unknown_frames() -> None:
    robot = random_robot(4, joints=5)
    q, v, _, _ = random_state(robot, 0)
    np.testing.assert_array_equal(frame_jacobian.textbook(robot, q, "world"), np.zeros((6, robot.nv)))
    for function, arguments in ((frame_jacobian, (q,)), (frame_jacobian_rate, (q, v))):
        with pytest.raises(UnknownName, match=r"no frame 'hand' in robot 'random-4'; there are: "):
            function.textbook(robot, *arguments, "hand")
