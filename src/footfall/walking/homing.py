"""Joints without absolute encoder are homed: each drives into its stop and says from there where it is.

The head of the source's robot has such joints (Seiwald 2023, section 3.7). The operator begins it while the robot
stands and takes no orders. Servos press against the stop until current and standstill say that it is there; then
encoders count from it, and joints come back to where the controller wants them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, new_records
from footfall.robot.drives.homing import (
    Homing,
    HomingCourse,
    HomingPhase,
    HomingState,
    homing_rate,
)
from footfall.robot.model import Robot
from footfall.walking.joints_by_hand import JointsByHand

_SPEED = 0.2  # rad/s
_PRESSES = 0.3  # of a motor's greatest current, by which a stop is known
_MARGIN = 0.1  # rad, beyond the range of a joint
_ACCELERATION = 2.0  # rad/s2


class HomingJoint(NamedTuple):
    """joint, motor: their numbers. course: what it does; state: how far it is."""

    joint: int
    motor: int
    course: HomingCourse
    state: HomingState


def homing_joints(
    robot: Robot, names: tuple[str, ...], motor_joints: Integers, strongest: Array, idle: Array
) -> ArrayOf[HomingJoint]:
    """Joints of a robot, by their names, that have no absolute encoder; they go to the nearer stop. motor_joints,
    strongest (motors,): joints that motors move, and greatest currents, A. idle (joints,): rad."""
    numbers = [
        names.index(drive.joints[0])
        for drive in robot.drives
        if not drive.absolute_encoder and len(motor_joints) > 0
    ]
    records: ArrayOf[HomingJoint] = new_records(HomingJoint, len(numbers))
    for n, k in enumerate(numbers):
        motor = int(np.flatnonzero(motor_joints == k)[0])
        place = robot.q_slice(names[k]).start
        lower, upper = float(robot.lower_limits[place]), float(robot.upper_limits[place])
        up = upper - idle[k] <= idle[k] - lower
        homing = Homing(
            stop=upper if up else lower,
            speed=_SPEED if up else -_SPEED,
            current=_PRESSES * float(strongest[motor]),
            travel=upper - lower + _MARGIN,
        )
        records[n] = HomingJoint(k, motor, homing.course, HomingState(phase=HomingPhase.HOMED))
    return records


# In native code


def is_homing(joints: ArrayOf[HomingJoint], joint: int) -> bool:
    """Whether a joint looks for its stop, or leaves it."""
    homing = False
    for n in range(len(joints)):
        if joints[n].joint == joint:
            homing = joints[n].state.phase < HomingPhase.HOMED
    return homing


def add_homing_rates(joints: ArrayOf[HomingJoint], hand: JointsByHand, after: Array, period: float) -> None:
    """Add what homing wants to joint velocities (joints,) at the end of a period, s."""
    for n in range(len(joints)):
        k, before = joints[n].joint, hand.rates[joints[n].joint]
        wanted = homing_rate(joints[n].course, joints[n].state)
        most = _ACCELERATION * period
        hand.rates[k] = min(max(wanted, before - most), before + most)
        after[k] += hand.rates[k]
