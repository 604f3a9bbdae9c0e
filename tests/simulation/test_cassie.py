"""Cassie in the simulation: its loops stay closed while it stands on its leaf springs."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.robot.variants import lock_joints
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.simulation import Simulation

CASSIE = footfall.load("cassie")
MOTORS = ("hip_roll", "hip_yaw", "hip_pitch", "knee", "foot_crank")


def hung() -> footfall.Robot:
    """Cassie with its pelvis welded to the world and the left leg stiff."""
    idle = CASSIE.configuration("idle")
    left = [
        f"left_{name}"
        for name in ("hip_roll", "hip_yaw", "hip_pitch", "knee", "shin", "tarsus", "heel_spring")
    ]
    rods = [f"left_{name}" for name in ("achilles_rod", "foot_crank", "plantar_rod", "foot")]
    return lock_joints(CASSIE, ["root", *left, *rods], q=idle)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    robot = hung()
    return FeetSimulation(robot, candidates=(), dt=1e-3, q=robot.configuration("idle"))


def test_springs_bear_the_leg(simulation: Simulation) -> None:
    """At rest each spring's torque is the generalised gravity on its coordinate."""
    robot = simulation.robot
    names = [
        joint.name
        for joint in robot.joints
        if robot.v_slice(joint.name).stop > robot.v_slice(joint.name).start
    ]
    held = np.array([name.removeprefix("right_") in MOTORS for name in names], dtype=float)
    command = simulation.pd(simulation.joint_positions(), kp=2000.0 * held, kd=20.0 * held + 2.0)
    path = simulation.run(command, 2.0)
    q = path.q[-1]
    gravity = footfall.gravity_forces.textbook(robot, q)
    for spring in robot.springs:
        place = robot.v_slice(spring.joint).start
        torque = spring.torque(q[robot.q_slice(spring.joint).start], 0.0)
        assert torque == pytest.approx(float(gravity[place]), abs=1e-3)
        assert abs(torque) > 0.1
