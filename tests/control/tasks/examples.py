"""One task of each kind for any robot, and one for each way to measure a position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from footfall.arrays import Array
from footfall.compiler import sin
from footfall.control.references import MovingFrame
from footfall.control.tasks.accelerations import FrameAcceleration, JointAcceleration, MomentumTask
from footfall.control.tasks.custom import CombinedTask, CustomTask
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.control.tasks.orientations import AimTask, OrientationTask
from footfall.control.tasks.points import CenterOf, FramePoint
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import (
    HalfSpaceTask,
    LineTask,
    PlaneTask,
    PositionTask,
    center_of_mass_position,
    frame_position,
)
from footfall.control.tasks.postures import PostureTask, posture
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.configuration import random_configuration
from footfall.dynamics.kinematics import frame_pose
from footfall.math.transform import Transform
from footfall.robot.model import JointType, Robot
from tests.poses import random_pose

# Positions of places, but not angles, whose rates are angular velocities only where they are small.
MIXED = {
    "x": AxisGoal("position", 0.3),
    "z": AxisGoal("velocity", 0.1),
    "ry": AxisGoal("velocity"),
    "rz": AxisGoal("acceleration", 0.4),
}
OWN_GOALS = {"y": AxisGoal("velocity", 0.2), "rx": AxisGoal("velocity", -0.1)}


@cache
def height_and_twist(frame: str) -> Callable[[Robot, Array], Array]:
    """A value of one's own, that depends on quaternions and on joints."""

    def value(robot: Robot, q: Array) -> Array:
        pose = frame_pose(robot, q, frame)
        return np.array([pose.translation[2] * sin(q[-1]), pose.rotation[0, 1]])

    return value


def task_examples(robot: Robot, frame: str, other: str, seed: int = 0) -> dict[str, MotionTask]:
    """Tasks about two frames of a robot that different joints move, with random targets."""
    rng = np.random.default_rng(seed)
    point, rotation = rng.normal(size=3), random_pose(rng).rotation
    pose, q = random_pose(rng), random_configuration(robot, seed=rng)
    heavy = tuple(body.name for body in robot.bodies if body.mass > 0.0)[-3:]
    single = [each.name for each in robot.joints if each.type is JointType.REVOLUTE]
    floating = [each.name for each in robot.joints if each.type is JointType.FLOATING]
    outside = MovingFrame(random_pose(rng), rng.normal(size=6), rng.normal(size=6))
    examples: dict[str, MotionTask] = {
        "position": frame_position(frame, point),
        "offset": frame_position(frame, point, offset=(0.1, -0.2, 0.3), rows="xz"),
        "relative position": frame_position(frame, point, relative_to=other),
        "mixed position": PositionTask(frame, point, CenterOf(), other),
        "orientation": OrientationTask(frame, rotation),
        "relative orientation": OrientationTask(frame, rotation, other),
        "about two axes": OrientationTask(frame, rotation, other, rows="xz"),
        "pose": PoseTask(frame, pose),
        "relative pose": PoseTask(frame, pose, other),
        "parts of a pose": PoseTask(frame, pose, other, rows=("x", "z", "ry")),
        "aim": AimTask(frame, np.array([3.0, 0.5, 1.0]), np.array([0.8, 0.6, 0.0])),
        "line": LineTask(frame, point, rng.normal(size=3)),
        "plane": PlaneTask(FramePoint(frame, (0.0, 0.1, 0.0)), point, rng.normal(size=3)),
        "half-space": HalfSpaceTask(other, point, rng.normal(size=3)),
        "centre of mass": center_of_mass_position(point),
        "centre of some bodies": PositionTask(CenterOf(heavy), point, CenterOf(), other),
        "posture": posture(robot, q),
        "posture of drives": PostureTask(q),
        "posture of two joints": posture(robot, q, joints=single[-2:]),
        "momentum": MomentumTask(point, rows="yz"),
        "custom": CustomTask(height_and_twist(frame), rng.normal(size=2)),
        "combination": CombinedTask(PoseTask(frame, pose, other), rng.normal(size=(2, 6))),
        "task frame": FrameTask("a", frame, MIXED, other, (0.1, 0.2, -0.1)),
        "own axes": FrameTask("b", frame, OWN_GOALS, "frame", (0.1, 0.2, -0.1)),
        "frame outside": FrameTask("c", frame, MIXED, "tray", outside=outside),
        "frame acceleration": FrameAcceleration(frame, rng.normal(size=6), rows=("y", "rx")),
        "joint acceleration": JointAcceleration(rng.normal(size=robot.nv)),
    }
    if floating:
        examples["floating posture"] = posture(robot, q, joints=floating)
    return examples


def lola_examples(robot: Robot, seed: int = 0) -> dict[str, MotionTask]:
    """The same for LOLA's right foot and left hand."""
    return task_examples(robot, "RF", "LH", seed)


def random_state(robot: Robot, seed: int) -> tuple[Array, Array]:
    """A configuration and a velocity."""
    return random_configuration(robot, seed=seed), np.random.default_rng(seed).normal(size=robot.nv)


def reached(task: MotionTask, robot: Robot, q: Array) -> MotionTask:
    """The same task with its target where the robot already is; only for tasks with rotations."""
    if isinstance(task, CombinedTask):
        return replace(task, task=reached(task.task, robot, q))
    if isinstance(task, OrientationTask):
        return replace(task, target=_seen(robot, q, task.frame, task.relative_to).rotation)
    if isinstance(task, PoseTask):
        return replace(task, target=_seen(robot, q, task.frame, task.relative_to))
    if isinstance(task, PostureTask):
        return PostureTask(q) if task.joints is None else posture(robot, q, joints=task.joints)
    return task


def _seen(robot: Robot, q: Array, frame: str, reference: str) -> Transform:
    here, there = (frame_pose.textbook(robot, q, each) for each in (frame, reference))
    return Transform(*(there.inverse() @ here))
