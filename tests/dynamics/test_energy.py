"""Kinetic and potential energy against both peers and the reference numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.robot.model import WORLD, Body, Joint, Robot
from tests.dynamics.rates import rate_along
from tests.dynamics.small_robots import planar_arm
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import MUJOCO_ROBOTS, REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


def assert_same_energy(robot: Robot, peer: PinocchioPeer | MujocoPeer, tolerance: float) -> None:
    q, v, _, _ = random_state(robot, 1)
    assert_agree(kinetic_energy.textbook(robot, q, v), peer.kinetic_energy(q, v), tolerance)
    potential = peer.potential_energy(q)
    assert_agree(potential_energy.textbook(robot, q), potential, tolerance, scale=9.81 * robot.mass)


@settings(max_examples=40)
@given(robot=robots())
def test_random_robots_agree_with_the_peers(robot: Robot) -> None:
    assert_same_energy(robot, PinocchioPeer.from_robot(robot), 1e-12)
    assert_same_energy(robot, MujocoPeer(robot), 1e-8)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    assert_same_energy(robot, peer, 1e-10)


@pytest.mark.parametrize("real", MUJOCO_ROBOTS, ids=str)
def test_real_robots_agree_with_mujoco(real: RealRobot) -> None:
    robot = load_real(real)
    assert_same_energy(robot, MujocoPeer(robot), 1e-8)


def test_reference_numbers() -> None:
    """RSL 2022, chapter 3, case A."""
    q, v = np.array([1, 2, 2]) * np.pi / 6, np.array([0.1, -0.2, 0.3])
    arm = planar_arm()
    assert float(kinetic_energy.textbook(arm, q, v)) == pytest.approx(0.0075, abs=1e-12)
    assert float(potential_energy.textbook(arm, q)) == pytest.approx(16.99141842, abs=5e-9)


def test_gravity_does_work() -> None:
    """The rate of the potential energy is the power of the gravity forces that Pinocchio gives; can fail."""
    robot = random_robot(6, joints=7, gravity=(1.0, -2.0, 3.0))
    q, v, _, _ = random_state(robot, 0)
    power = rate_along(lambda at: potential_energy.textbook(robot, at), robot, q, v)
    expected = PinocchioPeer.from_robot(robot).gravity_forces(q) @ v
    assert_agree(power, expected, 1e-9)
    assert relative_error(-power, expected) > 1.0


def test_no_mass_has_no_weight() -> None:
    """A flywheel whose mass is left out still has kinetic energy."""
    wheel = Body("wheel", inertia=np.diag([1.0, 1.0, 2.0]))
    robot = Robot("flywheel", (wheel,), (Joint("axle", "revolute", WORLD, "wheel"),))
    assert float(potential_energy.textbook(robot, np.ones(1))) == 0.0
    assert float(kinetic_energy.textbook(robot, np.ones(1), np.array([3.0]))) == pytest.approx(9.0)


def test_armature_counts() -> None:
    robot = random_robot(12, types=["revolute", "prismatic", "spherical"])
    q, v, _, _ = random_state(robot, 0)
    bare = replace(robot, joints=tuple(replace(joint, armature=0.0) for joint in robot.joints))
    assert np.any(robot.armature)
    expected = kinetic_energy.textbook(bare, q, v) + robot.armature @ v**2 / 2
    assert_agree(kinetic_energy.textbook(robot, q, v), expected, 1e-14)
