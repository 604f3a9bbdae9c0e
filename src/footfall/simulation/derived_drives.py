"""Drives for joints of which a description says how strong and how fast they are, and nothing of their motors.

URDFs have efforts and velocities only. A motor that gives them, behind a gear of ratio 100, and a servo tuned to what
the joint moves make the robot fit for simulations with drives. They are no robot's real drives, and are meant to be
neither better nor worse than such.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.drive_limits import drive_limits
from footfall.robot.drives.electric_motor import ElectricMotor
from footfall.robot.drives.friction import Friction
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.servo_cascade import tuned_servo
from footfall.robot.model import Robot
from footfall.robot.variants import sprung_joints
from footfall.simulation.joint_control import actuated_velocities, held_inertias

_RATIO = 100.0
_TORQUE_CONSTANT = 0.1  # N m/A
_WINDING = 1e-3  # s, time constant
_HEADROOM = 1.5  # no-load speed over the joint's velocity limit
_DROP = 0.25  # share of the voltage that the peak current takes at rest
_PERMANENT = 0.4  # of the peak current
_ROTOR = 0.3  # inertia behind the gear, of what the joint moves; none is added to armature that is given
_DRY, _VISCOUS = 0.01, 0.005  # of the peak torque: dry friction, and viscous at the velocity limit
_BANDWIDTH = 250.0  # rad/s, of the velocity loop
_CURRENT = 3.0  # current loop of firmer servos over what it was
_FASTEST = 10.0  # rad/s, of joints without a limit
_LEAST = 1e-3  # kg m2


def with_derived_drives(robot: Robot, q: Array) -> Robot:
    """The robot with a drive for each joint axis that has none, springs aside that stand for parts that bend; q (nq,):
    where servos are tuned."""
    driven = {joint for drive in robot.drives for joint in drive.joints}.union(sprung_joints(robot))
    limits, inertias = drive_limits(robot), held_inertias(robot, q)
    weight = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81)
    added = []
    owners = {robot.v_slice(joint.name).start: joint.name for joint in robot.joints}
    for _, velocity in actuated_velocities(robot):
        name = owners.get(velocity)
        if name is None or name in driven:
            continue
        effort, speed = float(limits.effort[velocity]), float(limits.velocity[velocity])
        effort = effort if np.isfinite(effort) and effort > 0.0 else 0.5 * weight  # at half a metre's arm
        speed = speed if np.isfinite(speed) and speed > 0.0 else _FASTEST
        armature = float(robot.armature[velocity])
        added.append(_drive(name, effort, speed, max(float(inertias[velocity]), _LEAST), armature > 0.0))
    return replace(robot, drives=(*robot.drives, *added)) if added else robot


def with_firmer_servos(robot: Robot, share: float) -> Robot:
    """The robot with velocity loops of its servos so many times as fast, and current loops that keep up with them.

    Servos are tuned to the limb that they move. A leg that carries the robot moves all of it, for which they are soft.
    """
    return replace(robot, drives=tuple(_firmer(drive, share) for drive in robot.drives))


def _firmer(drive: Drive, share: float) -> Drive:
    if drive.servo is None:
        return drive
    servo = replace(
        drive.servo,
        velocity_gain=share * drive.servo.velocity_gain,
        velocity_integral_gain=share * drive.servo.velocity_integral_gain,
        current_gain=_CURRENT * drive.servo.current_gain,
        current_integral_gain=_CURRENT * drive.servo.current_integral_gain,
    )
    return replace(drive, servo=servo)


def _drive(joint: str, effort: float, speed: float, inertia: float, has_armature: bool) -> Drive:
    """effort: N m. speed: rad/s. inertia: kg m2, that the joint moves."""
    peak = effort / (_RATIO * _TORQUE_CONSTANT)
    voltage = _HEADROOM * speed * _RATIO * _TORQUE_CONSTANT / (1.0 - _DROP)
    resistance = _DROP * voltage / peak
    rotor = (1e-3 if has_armature else _ROTOR) * inertia / _RATIO**2
    motor = ElectricMotor(
        _TORQUE_CONSTANT, resistance, _WINDING * resistance, voltage, _PERMANENT * peak, peak, rotor
    )
    friction = Friction(
        viscous=_VISCOUS * effort / (speed * _RATIO**2), coulomb=_DRY * effort / _RATIO, load=0.1
    )
    servo = tuned_servo(motor, rotor + inertia / _RATIO**2, bandwidth=_BANDWIDTH)
    return Drive((joint,), HarmonicDrive(_RATIO), motor, friction, servo=servo)
