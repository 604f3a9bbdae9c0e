"""How fast and how strong joints are by their drives, where a description does not say it."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.robot.drives.drive import Drive
from footfall.robot.model import Robot

_SAMPLES = 17  # of the range of each joint
_HALF_TURN = np.pi  # rad: half the range of joints without stops


class DriveLimits(NamedTuple):
    """velocity (nv,): what joints reach in all of their range, rad/s or m/s. effort (nv,): what they give in the best
    place of their range, N m or N. The smaller of description and drives; infinite where neither says anything."""

    velocity: Array
    effort: Array


def drive_limits(robot: Robot) -> DriveLimits:
    """Limits of all joints of a robot by its description and its drives: no-load speeds and peak torques of motors
    through their mechanisms, one joint at a time."""
    velocity, effort = robot.velocity_limits.copy(), robot.effort_limits.copy()
    for drive in robot.drives:
        fastest, strongest = _of_drive(robot, drive)
        for joint, speed, torque in zip(drive.joints, fastest, strongest, strict=True):
            place = robot.v_slice(joint).start
            velocity[place], effort[place] = min(velocity[place], speed), min(effort[place], torque)
    return DriveLimits(velocity, effort)


def _of_drive(robot: Robot, drive: Drive) -> tuple[Array, Array]:
    """Velocities and efforts (n,) of the joints of a drive."""
    places = [robot.q_slice(joint).start for joint in drive.joints]
    lower = np.maximum(robot.lower_limits[places], -_HALF_TURN)
    upper = np.minimum(robot.upper_limits[places], _HALF_TURN)
    axes = [np.linspace(low, high, _SAMPLES) for low, high in zip(lower, upper, strict=True)]
    # A joint that moves alone turns all motors of its drive: the fastest one limits it. All of them push it.
    ratios = np.array([np.abs(drive.mechanism.motor_jacobian(np.array(q))) for q in itertools.product(*axes)])
    return (
        drive.motor.no_load_speed / ratios.max(axis=(0, 1)),
        drive.motor.peak_torque * ratios.sum(axis=1).max(axis=0),
    )
