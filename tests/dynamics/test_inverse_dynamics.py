"""Inverse dynamics: against both peers, worked examples, energy and the principle of virtual work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.arrays import Array
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.dynamics.inverse_dynamics import bias_forces, gravity_forces, inverse_dynamics
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import UnknownName
from footfall.robot.load import load
from footfall.robot.model import Robot
from tests.dynamics.cases import CASE_A, CASE_B, PlanarArmCase, moved, some_wrenches
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


@settings(max_examples=60)
@given(robot=robots())
def test_random_robots_agree_with_the_peers(robot: Robot) -> None:
    q, v, a, _ = random_state(robot, 1)
    peer = PinocchioPeer.from_robot(robot)
    wrenches = some_wrenches(robot)
    actual = inverse_dynamics.textbook(robot, q, v, a, wrenches=wrenches)
    assert_agree(actual, peer.inverse_dynamics(q, v, a, wrenches), 1e-12, scale=1.0)
    assert_agree(bias_forces.textbook(robot, q, v), peer.bias_forces(q, v), 1e-12, scale=1.0)
    assert_agree(gravity_forces.textbook(robot, q), peer.gravity_forces(q), 1e-12, scale=1.0)
    expected = MujocoPeer(robot).inverse_dynamics(q, v, a)
    assert_agree(inverse_dynamics.textbook(robot, q, v, a), expected, 1e-8, scale=1.0)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    q, v, a, _ = random_state(robot, 1)
    assert_agree(inverse_dynamics.textbook(robot, q, v, a), peer.inverse_dynamics(q, v, a), 1e-10)
    assert_agree(gravity_forces.textbook(robot, q), peer.gravity_forces(q), 1e-10)


def test_a_comparison_can_fail() -> None:
    """A gram more on one body, or the wrong sign of gravity, is seen."""
    robot = random_robot(3, types=["floating", "revolute", "universal", "spherical"], ups=[0, 0, 0, 0])
    q, v, a, _ = random_state(robot, 3)
    heavier = (replace(robot.bodies[-1], mass=robot.bodies[-1].mass + 1e-3), *robot.bodies[:-1])
    right = PinocchioPeer.from_robot(robot).inverse_dynamics(q, v, a)
    for wrong in (replace(robot, bodies=heavier), replace(robot, gravity=(0.0, 0.0, 9.81))):
        assert relative_error(inverse_dynamics.textbook(wrong, q, v, a), right) > 1e-6


@settings(max_examples=20)
@given(robot=robots(max_joints=6))
def test_forces_are_linear_in_accelerations_and_wrenches(robot: Robot) -> None:
    """`tau = M a + h - sum J^T w`, RSL 2022, (3.1)."""
    q, v, a, _ = random_state(robot, 2)
    wrenches = some_wrenches(robot)
    actual = inverse_dynamics.textbook(robot, q, v, a, wrenches=wrenches)
    expected = mass_matrix.textbook(robot, q) @ a + bias_forces.textbook(robot, q, v)
    for name, wrench in wrenches.items():
        expected = expected - frame_jacobian.textbook(robot, q, name).T @ wrench
    assert_agree(actual, expected, 1e-12, scale=1.0)
    bias = bias_forces.textbook(robot, q, v, wrenches=wrenches)
    assert_agree(bias, inverse_dynamics.textbook(robot, q, v, 0 * a, wrenches=wrenches), 1e-14, scale=1.0)


@settings(max_examples=30)
@given(robot=robots(max_joints=8))
def test_an_actuator_between_two_points_gives_its_power(robot: Robot) -> None:
    """A cylinder pushes two bodies apart with a force F: `v . tau = F d(length)/dt`, RSL 2022, (3.52) with points of
    attack.

    The length is from positions alone, by a difference of fourth order: 1e-16 / h and h^4 make 1e-10 relative.
    """
    q, v, _, _ = random_state(robot, 5)
    rng = np.random.default_rng(5)
    bodies = [robot.bodies[k].name for k in (0, -1)]
    points = rng.uniform(-0.5, 0.5, (2, 3))
    force = 70.0

    def ends(at: Array) -> tuple[list[Array], list[Array]]:
        poses = [frame_pose.textbook(robot, at, name) for name in bodies]
        arms = [pose.rotation @ point for pose, point in zip(poses, points, strict=True)]
        return arms, [pose.translation + arm for pose, arm in zip(poses, arms, strict=True)]

    def length(t: float) -> float:
        _, (first, second) = ends(moved(robot, q, t * v))
        return float(np.linalg.norm(second - first))

    arms, (first, second) = ends(q)
    push = force * (second - first) / np.linalg.norm(second - first)
    pushes = [np.append(-push, np.cross(arms[0], -push)), np.append(push, np.cross(arms[1], push))]
    wrenches = dict.fromkeys(bodies, np.zeros(6))
    for body, wrench in zip(bodies, pushes, strict=True):  # on the same one there is no power
        wrenches[body] = wrenches[body] + wrench
    zero = np.zeros(robot.nv)
    forces = inverse_dynamics.textbook(robot, q, v, zero) - inverse_dynamics.textbook(
        robot, q, v, zero, wrenches=wrenches
    )
    h = 1e-4
    rate = (8 * (length(h) - length(-h)) - (length(2 * h) - length(-2 * h))) / (12 * h)
    assert v @ forces == pytest.approx(force * rate, rel=1e-8, abs=1e-7)


def test_a_motor_between_links_turns_one_joint() -> None:
    """A torque along a hinge, and its reaction on the parent, is one joint torque, RSL 2022, (3.52)."""
    robot = load("arm-7r")
    q, v, _, _ = random_state(robot, 6)
    joint = robot.joints[3]
    axis = frame_pose.textbook(robot, q, joint.child).rotation @ np.asarray(joint.axis)
    torque = np.append(np.zeros(3), 5.0 * axis)
    zero = np.zeros(robot.nv)
    forces = inverse_dynamics.textbook(robot, q, v, zero) - inverse_dynamics.textbook(
        robot, q, v, zero, wrenches={joint.child: torque, joint.parent: -torque}
    )
    expected = np.zeros(robot.nv)
    expected[robot.v_slice(joint.name)] = 5.0
    np.testing.assert_allclose(forces, expected, atol=1e-12)


@settings(max_examples=20)
@given(robot=robots(max_joints=6))
def test_power_becomes_energy(robot: Robot) -> None:
    """`v . tau = d/dt (T + U)` along any motion."""
    q, v, a, _ = random_state(robot, 4)
    h = 1e-4

    def energy(t: float) -> float:
        at, rate = moved(robot, q, t * v + t * t / 2 * a), v + t * a
        return kinetic_energy.textbook(robot, at, rate) + potential_energy.textbook(robot, at)

    rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    power = v @ inverse_dynamics.textbook(robot, q, v, a)
    scale = np.linalg.norm(v) * np.linalg.norm(inverse_dynamics.textbook(robot, q, v, a)) + 1.0
    assert abs(rate - power) < 1e-7 * scale


def test_gravity_forces_are_the_slope_of_the_potential() -> None:
    robot = random_robot(11, types=["floating", "planar", "spherical", "prismatic"], ups=[0, 0, 0, 1])
    q, h = random_state(robot, 5).q, 1e-5
    slope = [
        (
            potential_energy.textbook(robot, moved(robot, q, h * step))
            - potential_energy.textbook(robot, moved(robot, q, -h * step))
        )
        / (2 * h)
        for step in np.eye(robot.nv)
    ]
    assert_agree(gravity_forces.textbook(robot, q), slope, 1e-8)


@pytest.mark.parametrize("case", [CASE_A, CASE_B], ids=["A", "B"])
def test_planar_arm(case: PlanarArmCase) -> None:
    robot = load("planar-arm")
    q, v = np.array(case.q), np.array(case.v)
    gravity = gravity_forces.textbook(robot, q)
    np.testing.assert_allclose(gravity, case.gravity_forces, atol=1e-8)
    bias = bias_forces.textbook(robot, q, v) - gravity
    np.testing.assert_allclose(bias, case.velocity_forces, atol=1e-8)


def test_planar_arm_forces_of_a_motion() -> None:
    tau = inverse_dynamics.textbook(
        load("planar-arm"), np.array(CASE_A.q), np.array(CASE_A.v), np.arange(1.0, 4.0)
    )
    np.testing.assert_allclose(tau, [-17.62264743, -8.41316987, 0.05616025], atol=1e-8)


def test_cart_pendulum() -> None:
    """The equations of motion of RSL 2022, chapter 3; the angle counts from the downward vertical."""
    robot = load("cart-pendulum")
    cart, pendulum = robot.bodies
    mass, length = pendulum.mass, -pendulum.center_of_mass[2]
    inertia = pendulum.inertia[1, 1]
    (_, phi), (_, rate), (x_acceleration, acceleration) = (0.3, 0.7), (1.1, -2.3), (0.5, -1.7)
    force = (
        (cart.mass + mass) * x_acceleration
        + mass * length * np.cos(phi) * acceleration
        - mass * length * np.sin(phi) * rate**2
    )
    moment = (
        mass * length * np.cos(phi) * x_acceleration
        + (mass * length**2 + inertia) * acceleration
        + mass * 9.81 * length * np.sin(phi)
    )
    actual = inverse_dynamics.textbook(
        robot, np.array([0.3, phi]), np.array([1.1, rate]), np.array([x_acceleration, acceleration])
    )
    np.testing.assert_allclose(actual, [force, moment], rtol=1e-13)


def test_unknown_frames_are_named() -> None:
    robot = load("planar-arm")
    zero = np.zeros(3)
    with pytest.raises(UnknownName, match=r"no frame 'tipp' in robot 'planar-arm'; there are: tip"):
        inverse_dynamics.textbook(robot, zero, zero, zero, wrenches={"tipp": np.zeros(6)})


def test_wrenches_on_the_world_do_nothing() -> None:
    robot = load("planar-arm")
    q, v, a, _ = random_state(robot, 1)
    expected = inverse_dynamics.textbook(robot, q, v, a)
    actual = inverse_dynamics.textbook(robot, q, v, a, wrenches={"world": np.ones(6)})
    np.testing.assert_array_equal(actual, expected)
