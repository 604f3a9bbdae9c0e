"""Modes of robots about a pose: pendulums, servos, a torso that bends, and a simulation that is struck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.dynamics.modes import linear_vibration, robot_modes
from footfall.errors import RobotError
from footfall.math.modes import identify_modes
from footfall.robot.drives.spring import Spring
from footfall.scene.model import Scene
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.torso_compliance import BENDING, with_torso_compliance


def test_double_pendulum() -> None:
    """Two uniform rods of length l: w^2 = (3 -+ 6 / sqrt(7)) g / l."""
    modes = robot_modes(footfall.load("double-pendulum"), np.zeros(2))
    squares = [(2 * np.pi * mode.frequency) ** 2 for mode in modes]
    # The shipped rods are 0.0002 kg m2 thick about their length only, which plays no part here.
    assert squares == pytest.approx([(3 - 6 / np.sqrt(7)) * 9.81, (3 + 6 / np.sqrt(7)) * 9.81], rel=1e-6)


def test_servos_and_joint_damping() -> None:
    """A joint of inertia I on a servo: w = sqrt(kp / I), damping (kd + d) / (2 sqrt(kp I))."""
    robot = footfall.load("scara")
    q = np.zeros(robot.nq)
    mass = np.asarray(footfall.mass_matrix(robot, q))
    lift = [joint.type for joint in robot.joints if joint.type.velocities].index("prismatic")
    kp, kd = np.zeros(robot.nv), np.zeros(robot.nv)
    kp[lift], kd[lift] = 5000.0, 40.0
    (mode,) = robot_modes(robot, q, kp=kp, kd=kd)
    m = 1.0 / np.linalg.inv(mass)[lift, lift]
    assert mode.frequency == pytest.approx(np.sqrt(5000.0 / m) / (2 * np.pi), rel=1e-6)
    assert mode.damping == pytest.approx((40.0 + robot.damping[lift]) / (2 * np.sqrt(5000.0 * m)), rel=1e-3)


def test_torso_that_bends() -> None:
    """With all other joints held: the frequency and damping that the compliance was made for."""
    robot = with_torso_compliance(footfall.load("lola"), frequency=9.7, damping_ratio=0.02)
    q = robot.configuration("idle")
    vibration = linear_vibration(robot, q)
    # The compliance counts the upper body while what hangs on `br` stands still: so the legs are held, not the base.
    held = footfall.frame_jacobian(robot, q, robot.joint("br").child)
    place = robot.v_slice(BENDING).start
    free = np.zeros((robot.nv, 1))
    free[place] = 1.0
    free[:6] = np.linalg.solve(held[:, :6], -held[:, [place]])
    m, c, k = (float((free.T @ np.asarray(each) @ free).item()) for each in vibration)
    assert np.sqrt(k / m) / (2 * np.pi) == pytest.approx(9.7, rel=1e-3)
    assert c / (2 * np.sqrt(k * m)) == pytest.approx(0.02, rel=1e-2)


def test_a_struck_robot_rings_as_it_should() -> None:
    """Two sprung joints of an arm, struck in simulation: poles identified from its response are those of the modes."""
    arm = footfall.load("planar-arm")
    names = [joint.name for joint in arm.joints if joint.type.velocities]
    springs = tuple(
        Spring(name, k, c) for name, k, c in zip(names, (4000.0, 2500.0, 600.0), (8.0, 4.0, 1.0), strict=True)
    )
    robot = replace(arm, springs=springs, gravity=(0.0, 0.0, 0.0))
    modes = robot_modes(robot, np.zeros(3))
    dt, steps = 2e-4, 20_000
    strike = np.array([0.0, 0.0, 1e-4])
    weightless = Scene("weightless", gravity=(0.0, 0.0, 0.0))
    simulation = FeetSimulation(robot, weightless, candidates=(), q=np.zeros(3), v=strike, dt=dt, substeps=1)
    run = simulation.run(simulation.zero_command, dt * steps)
    at = np.fft.rfftfreq(steps, dt)
    # M x'' + C x' + K x = M v0 delta(t): the Fourier transform of what follows a strike is the response to it.
    spectrum = np.fft.rfft(run.q, axis=0) * dt
    band = (at > 0.3 * modes[0].frequency) & (at < 1.3 * modes[-1].frequency)
    found = identify_modes(at[band], spectrum[band], 3)
    for one, other in zip(found, modes, strict=True):
        stepped = -np.log(1.0 - other.pole * dt) / dt  # springs are taken implicitly: z = 1 / (1 - s dt)
        assert one.frequency == pytest.approx(abs(stepped) / (2 * np.pi), rel=1e-3)
        assert one.damping == pytest.approx(-stepped.real / abs(stepped), rel=0.02)


def test_loops_are_refused() -> None:
    with pytest.raises(RobotError, match="has loops"):
        robot_modes(footfall.load("cassie"), footfall.load("cassie").configuration("idle"))
