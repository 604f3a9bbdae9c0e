"""A torso that bends: one more joint with a spring between the upper body and what it stands on (Seiwald 2023, 3.8)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import RobotError
from footfall.robot.drives.elasticity import TORSO_FREQUENCIES
from footfall.robot.drives.spring import Spring
from footfall.robot.model import JointType, Robot
from footfall.robot.variants import with_sprung_joint

BENDING = "torso_bending"


def with_torso_compliance(
    robot: Robot,
    *,
    frequency: float | None = None,
    damping_ratio: float = 0.02,
    joint: str = "br",
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0),
    configuration: str = "idle",
) -> Robot:
    """The robot with a sprung joint `torso_bending` in front of `joint`: its upper body swings with a frequency.

    frequency: Hz, of the upper body while all that hangs on `joint` stands still and no other joint moves, in the named
    configuration, under gravity; by default that of the robot's torso (9.7 Hz for lola-2012, 11.6 Hz for lola).
    axis: of bending, in world axes in that configuration. damping_ratio: of the mode.
    """
    if frequency is None:
        if robot.name not in TORSO_FREQUENCIES:
            known = ", ".join(TORSO_FREQUENCIES)
            raise RobotError(
                f"its torso has no known frequency; known are those of {known}", subject=("robot", robot.name)
            )
        frequency = TORSO_FREQUENCIES[robot.name]
    if not (math.isfinite(frequency) and frequency > 0.0):
        raise RobotError(f"frequency of a torso is {frequency} Hz; it must be finite and above zero")
    q = robot.configuration(configuration)
    swing = _upper_body(robot, q, joint, np.array(axis) / np.linalg.norm(axis))
    omega = 2.0 * math.pi * frequency
    stiffness = swing.inertia * omega**2 + swing.tipping
    spring = Spring(BENDING, stiffness, 2.0 * damping_ratio * swing.inertia * omega)
    return _with_bending(robot, joint, np.array(axis), q, spring)


class _Swing(NamedTuple):
    """Upper body about the axis: inertia (kg m2), and the torque a radian with which gravity tips it (N m)."""

    inertia: float
    tipping: float


def _upper_body(robot: Robot, q: Array, joint: str, axis: Array) -> _Swing:
    below = {robot.joint(joint).child}
    for other in robot.joints:
        if other.parent in below:
            below.add(other.child)
    parent = frame_pose.textbook(robot, q, robot.joint(joint).parent)
    pivot = parent.apply(robot.joint(joint).placement.translation)
    gravity = np.array(robot.gravity)
    inertia, tipping = 0.0, 0.0
    for body in robot.bodies:
        if body.name in below:
            continue
        pose = frame_pose.textbook(robot, q, body.name)
        arm = np.asarray(pose.apply(body.center_of_mass), dtype=float) - pivot
        turned = np.asarray(pose.rotation, dtype=float).T @ axis
        across = arm - axis * (axis @ arm)
        inertia += float(turned @ body.inertia @ turned + body.mass * (across @ across))
        # potential -m g . (R(phi) arm): its second derivative is m g . across
        tipping -= float(body.mass * (gravity @ across))
    return _Swing(inertia, tipping)


def _with_bending(robot: Robot, name: str, axis: Array, q: Array, spring: Spring) -> Robot:
    turn = np.asarray(frame_pose.textbook(robot, q, robot.joint(name).parent).rotation, dtype=float)
    inside = turn.T @ (axis / np.linalg.norm(axis))
    return with_sprung_joint(
        robot,
        name,
        spring,
        type=JointType.REVOLUTE,
        axis=np.where(np.abs(inside) < 1e-12, 0.0, inside).tolist(),
    )
