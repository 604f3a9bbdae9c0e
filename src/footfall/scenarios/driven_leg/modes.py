"""Modes of the leg with elastic gears: by linearising its equations, and by ringing it in the simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from footfall.arrays import Array
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.drives.friction import Friction
from footfall.robot.drives.rotor_bodies import rotor_name, with_rotor_bodies
from footfall.robot.model import Robot
from footfall.scenarios.driven_leg.leg import LEG_JOINTS
from footfall.scene.model import Scene
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import Command

_SLOWEST = 1.0  # Hz; slower modes are the leg's free motion


@dataclass(frozen=True, eq=False)
class Mode:
    """frequency: of the eigenvalue, Hz, without damping. damping: ratio. peak: where the response was greatest, Hz.

    shape: of the joints and of the outputs of elastic gears, in this order.
    """

    frequency: float
    damping: float
    peak: float
    shape: Array

    @property
    def error(self) -> float:
        """Of the peak against the eigenvalue, as a share."""
        return self.peak / self.frequency - 1.0


def free_leg(robot: Robot) -> Robot:
    """The leg without friction, and with motors that carry no current: only its gears are left to ring."""
    drives = []
    for drive in robot.drives:
        assert drive.servo is not None
        gains = dict.fromkeys(
            (
                "position_gain",
                "velocity_gain",
                "velocity_integral_gain",
                "current_gain",
                "current_integral_gain",
            ),
            0.0,
        )
        servo = replace(drive.servo, **gains)
        motor = replace(drive.motor, resistance=1e15)
        drives.append(replace(drive, friction=Friction(), servo=servo, motor=motor))
    return replace(robot, drives=tuple(drives))


def linear_modes(robot: Robot, q: Array) -> tuple[Array, Array, Array]:
    """Eigenvalues squared (n,), shapes (n, n) and mass matrix (n, n) of the free leg with elastic gears about q (nq,).

    From a tree in which all rotors are bodies, rigid gears by projection, Schwienbacher 2014, chapter 2: no code of the
    simulation's drives takes part. Coordinates are the joints and then the outputs of the elastic gears.
    """
    bodies = with_rotor_bodies(robot, robot.drives)
    drives = DriveSet(robot, robot.drives)
    elastic = [drive for drive in robot.drives if drive.elasticity is not None]
    size = robot.nv + len(elastic)
    angles, spread = np.zeros(bodies.nq), np.zeros((bodies.nv, size))
    stiffness = np.zeros((size, size))
    for k, joint in enumerate(LEG_JOINTS):
        angles[bodies.q_slice(joint)] = q[robot.q_slice(joint)]
        spread[bodies.v_slice(joint).start, k] = 1.0
    jacobian = drives.motor_jacobian(q)
    for row, name in zip(jacobian, drives.joints, strict=True):
        spread[bodies.v_slice(rotor_name(name)).start, : robot.nv] = row
    for number, drive in enumerate(elastic):
        assert drive.elasticity is not None
        rotor, joint = bodies.v_slice(rotor_name(drive.joints[0])).start, robot.v_slice(drive.joints[0]).start
        spread[rotor] = 0.0
        spread[rotor, robot.nv + number] = jacobian[drives.joints.index(drive.joints[0]), joint]
        twist = np.zeros(size)
        twist[[joint, robot.nv + number]] = 1.0, -1.0
        stiffness += drive.elasticity.stiffness * np.outer(twist, twist)
    mass = spread.T @ mass_matrix(bodies, angles) @ spread
    squares, shapes = eigh(stiffness, mass)
    return squares, shapes, mass


def ring_modes(robot: Robot, q: Array, *, dt: float = 2e-5, duration: float = 0.6) -> list[Mode]:
    """Every mode of the elastic gears about q (nq,), struck along its shape in the simulation, weightless.

    The peak is that of the spectrum of the velocity along the shape, which lies at the undamped frequency.
    """
    free = free_leg(robot)
    quick = replace(
        free,
        drives=tuple(
            replace(drive, servo=replace(drive.servo, period=dt)) for drive in free.drives if drive.servo
        ),
    )
    squares, shapes, mass = linear_modes(robot, q)
    elastic = [drive.elasticity for drive in robot.drives if drive.elasticity is not None]
    ratio = elastic[0].damping / elastic[0].stiffness  # the same for all of LOLA's gears: modes stay apart
    scene = Scene("weightless", gravity=(0.0, 0.0, 0.0))
    simulation = FeetSimulation(quick, scene, candidates=(), dt=dt, substeps=5, q=q, drives="elastic")
    train = simulation.train
    assert train is not None
    zero = np.zeros(simulation.joints)
    modes = []
    for square, shape in zip(squares, shapes.T, strict=True):
        frequency = float(np.sqrt(max(square, 0.0)) / (2.0 * np.pi))
        if frequency < _SLOWEST:
            continue
        strike = 1e-3 * shape
        simulation.reset(q)
        drives = simulation.state.drives.copy()
        drives[-1 - 2 * len(elastic) + 1 : -1 : 2] = strike[robot.nv :]
        simulation.state = replace(simulation.state, v=strike[: robot.nv], drives=drives)
        velocities = []
        for _ in range(round(duration / simulation.control_period)):
            path = simulation.step(Command(q, zero, zero, zero, zero, zero))
            outputs = simulation.state.drives[-1 - 2 * len(elastic) + 1 : -1 : 2]
            velocities.append(shape @ mass @ np.concatenate([path.v[0], outputs]))
        peak = _peak(np.array(velocities), simulation.control_period)
        modes.append(Mode(frequency, np.pi * frequency * ratio, peak, shape))
    return modes


def _peak(signal: Array, period: float) -> float:
    """Frequency of the greatest entry of a spectrum, Hz, padded so that it is found to a ten-thousandth."""
    length = 2**20
    spectrum = np.abs(np.fft.rfft(signal, length))
    return float(np.argmax(spectrum) / (length * period))
