"""The tasks of a whole robot that carries out a motion, and their targets: centre of mass, upper body, feet, toes where
it has them, and hands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.arrays import Array
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.positions import center_of_mass_position, frame_position
from footfall.control.tasks.postures import posture
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import link_poses
from footfall.gait.poses import FEET, HANDS, Hand
from footfall.math.rotations import matrix_from_quaternion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import ROTATIONS, MotionSamples
from footfall.motion.standing import placed_frame
from footfall.robot.model import Joint, JointType, Robot

_UPPER_BODY = ROTATIONS.index("upper_body")
_FEET = (ROTATIONS.index("right_foot_rotation"), ROTATIONS.index("left_foot_rotation"))


def body_tasks(robot: Robot, model: ReducedModel, hands: Sequence[Hand] = ()) -> list[MotionTask]:
    """Tasks of a robot; hands: those that have one."""
    frames = model.frames
    tasks: list[MotionTask] = [center_of_mass_position(np.zeros(3)), OrientationTask(frames["UB"], np.eye(3))]
    for foot in FEET:
        tasks += [frame_position(frames[foot], np.zeros(3)), OrientationTask(frames[foot], np.eye(3))]
    if model.toe_limits is not None:
        tasks += [posture(robot, {toe_joint(robot, frames[foot]): 0.0}) for foot in FEET]
    tasks += [frame_position(frames[hand], np.zeros(3)) for hand in hands]
    return tasks


def toe_joint(robot: Robot, frame: str) -> str:
    """The joint that bends the toes, which carry the frame of a foot."""
    carriers = {joint.child: joint for joint in robot.joints}
    joint = carriers[next((entry.body for entry in robot.frames if entry.name == frame), frame)]
    while joint.type is JointType.FIXED:
        joint = carriers[joint.parent]
    return joint.name


def head_joints(robot: Robot, model: ReducedModel) -> list[tuple[str, float]]:
    """Joints that pan and tilt the head, with the signs of their angles: pan turns left, tilt looks up. Empty where
    the head has not just these two."""
    frames, poses = model.frames, link_poses(robot.tree, neutral(robot))
    if "VTCP" not in frames:
        return []
    body = placed_frame(robot, poses, frames["UB"]).rotation
    chain = joints_between(robot, frames["UB"], frames["VTCP"])
    turning = [joint for joint in chain if joint.type is not JointType.FIXED]
    if len(turning) != 2 or any(joint.type is not JointType.REVOLUTE for joint in turning):
        return []
    axes = [body.T @ placed_frame(robot, poses, joint.child).rotation @ joint.axis for joint in turning]
    signs = [float(axes[0][2]), -float(axes[1][1])]
    return [(joint.name, round(sign)) for joint, sign in zip(turning, signs, strict=True) if abs(sign) > 0.9]


def joints_between(robot: Robot, upper: str, lower: str) -> list[Joint]:
    """Joints from the body of one frame out to that of another."""
    bodies = {frame.name: frame.body for frame in robot.frames}
    parents = {joint.child: joint for joint in robot.joints}
    chain, body = [], bodies.get(lower, lower)
    while body != bodies.get(upper, upper) and body in parents:
        chain.append(parents[body])
        body = parents[body].parent
    return chain[::-1]


def body_targets(
    samples: MotionSamples, model: ReducedModel, hands: Sequence[Hand] = ()
) -> tuple[Array, Array]:
    """Targets (n, p) and rates (n, m) of these tasks in n samples, in their order."""
    rotations = matrix_from_quaternion(samples.quaternions).reshape(*samples.quaternions.shape[:-1], 9)
    targets = [samples.center_of_mass[:, 0], rotations[:, _UPPER_BODY]]
    rates = [samples.center_of_mass[:, 1], samples.angular_velocities[:, _UPPER_BODY]]
    for side, body in enumerate(_FEET):
        targets += [samples.feet[:, 0, side], rotations[:, body]]
        rates += [samples.feet[:, 1, side], samples.angular_velocities[:, body]]
    if model.toe_limits is not None:
        targets.append(samples.toes[:, 0])
        rates.append(samples.toes[:, 1])
    for hand in hands:
        targets.append(samples.hands[:, 0, HANDS.index(hand)])
        rates.append(samples.hands[:, 1, HANDS.index(hand)])
    return np.concatenate(targets, axis=1), np.concatenate(rates, axis=1)
