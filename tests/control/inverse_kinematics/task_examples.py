"""One task of each kind for a robot with a floating base, and one for each way to measure a position."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler import sin
from footfall.control.inverse_kinematics.points import CenterOf, FramePoint
from footfall.control.inverse_kinematics.robot_tasks import CustomTask, MomentumTask, PostureTask, posture
from footfall.control.inverse_kinematics.task import Task
from footfall.control.inverse_kinematics.tasks import (
    AimTask,
    HalfSpaceTask,
    LineTask,
    OrientationTask,
    PlaneTask,
    PoseTask,
    PositionTask,
    center_of_mass_position,
    frame_position,
)
from footfall.dynamics.kinematics import frame_pose
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from tests.poses import random_pose


def height_and_twist(robot: Robot, q: Array) -> Array:
    """A value of one's own, that depends on the quaternion and on joints."""
    pose = frame_pose(robot, q, "RH")
    return np.array([pose.translation[2] * sin(q[8]), pose.rotation[0, 1]])


def task_examples(robot: Robot, seed: int = 0) -> dict[str, Task]:
    """Tasks of LOLA with random targets."""
    rng = np.random.default_rng(seed)
    point, rotation = rng.normal(size=3), random_pose(rng).rotation
    pose = random_pose(rng)
    q = robot.configuration("idle") + 0.0
    q[7:] += 0.3 * rng.normal(size=robot.nq - 7)
    arm = ("afr", "aar", "arr", "efr")
    return {
        "position": frame_position("RF", point),
        "offset": frame_position("RF", point, offset=(0.1, -0.2, 0.3), rows="xz"),
        "relative position": frame_position("RF", point, relative_to="UB"),
        "mixed position": PositionTask("RF", point, CenterOf(), "torso"),
        "orientation": OrientationTask("LF", rotation),
        "relative orientation": OrientationTask("LF", rotation, "RH"),
        "pose": PoseTask("LH", pose),
        "relative pose": PoseTask("LH", pose, "RF"),
        "aim": AimTask("VTCP", np.array([3.0, 0.5, 1.0]), np.array([0.8, 0.6, 0.0])),
        "line": LineTask("LH", point, rng.normal(size=3)),
        "plane": PlaneTask(FramePoint("LH", (0.0, 0.1, 0.0)), point, rng.normal(size=3)),
        "half-space": HalfSpaceTask("RH", point, rng.normal(size=3)),
        "centre of mass": center_of_mass_position(point),
        "centre of an arm": PositionTask(CenterOf(arm), point, CenterOf(), "torso"),
        "posture": posture(robot, q),
        "floating posture": posture(
            robot, np.concatenate([point, [0.5, -0.5, 0.5, 0.5], q[7:]]), joints=["root"]
        ),
        "momentum": MomentumTask(point, rows="yz"),
        "custom": CustomTask(height_and_twist, rng.normal(size=2)),
    }


def random_state(robot: Robot, seed: int) -> tuple[Array, Array]:
    """A configuration and a velocity."""
    from footfall.dynamics.configuration import random_configuration

    return random_configuration(robot, seed=seed), np.random.default_rng(seed).normal(size=robot.nv)


def reached(task: Task, robot: Robot, q: Array) -> Task:
    """The same task with its target where the robot already is; only for tasks with rotations."""
    from dataclasses import replace

    if isinstance(task, OrientationTask):
        here = frame_pose.textbook(robot, q, task.frame)
        reference = frame_pose.textbook(robot, q, task.relative_to)
        return replace(task, target=(reference.inverse() @ here).rotation)
    if isinstance(task, PoseTask):
        here = frame_pose.textbook(robot, q, task.frame)
        reference = frame_pose.textbook(robot, q, task.relative_to)
        return replace(task, target=Transform(*(reference.inverse() @ here)))
    if isinstance(task, PostureTask):
        return posture(robot, q, joints=task.joints)
    return task
