"""Where bodies and frames are and how they move.

Poses are handed from the root outwards. Motions are handed from the frame inwards: each link tells its
parent how the frame moves as seen from there (differentiation in a moving frame, RSL 2022, (2.129)), so that only
the links between the frame and the root take part and nothing is rotated into world axes before the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.joints import joint_transform, joint_transforms
from footfall.dynamics.loops import Coupling
from footfall.errors import UnknownName
from footfall.math.spatial import cross, motion_to_child
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment, Link, Tree


class Poses(NamedTuple):
    """Positions (n, 3) in m and rotation matrices (n, 3, 3) of n bodies or frames in the world."""

    position: Array
    rotation: Array


@algorithm(q="nq")
def forward_kinematics(robot: Robot, q: Array, *, frames: Sequence[str] | None = None) -> Poses:
    """Poses in the world of all bodies, in the order of `robot.bodies`, at the configuration q (nq,).

    frames: names of bodies or frames to give instead.
    """
    names = [body.name for body in robot.bodies] if frames is None else frames
    attachments = [frame_attachment(robot, name) for name in names]
    links = link_poses(robot.tree, q)
    poses = [_attached(links, attachment) for attachment in attachments]
    return Poses(
        np.array([pose.translation for pose in poses]).reshape(-1, 3),
        np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
    )


@algorithm(q="nq")
def frame_pose(robot: Robot, q: Array, frame: str) -> Transform:
    """Pose of a body or frame in the world at the configuration q (nq,), RSL 2022, (2.137)."""
    return _attached(link_poses(robot.tree, q), frame_attachment(robot, frame))


@algorithm(q="nq", v="nv")
def frame_velocity(robot: Robot, q: Array, v: Array, frame: str) -> Array:
    """Velocity [v; w] (6,) of a body's or frame's origin, m/s and rad/s, world axes; q (nq,), v (nv,)."""
    return frame_motion(robot, q, v, np.zeros(robot.nv), frame).velocity


@algorithm(q="nq", v="nv", a="nv")
def frame_acceleration(robot: Robot, q: Array, v: Array, a: Array, frame: str) -> Array:
    """Acceleration [dv/dt; dw/dt] (6,) of a body's or frame's origin, m/s2 and rad/s2, world axes.

    Classical: the linear part is the second derivative of the origin's position. q (nq,), v (nv,), a (nv,).
    """
    return frame_motion(robot, q, v, a, frame).acceleration


def frame_attachment(robot: Robot, name: str) -> Attachment:
    """The link that carries a body or frame, and the pose on it."""
    attachments = robot.tree.attachments
    if name not in attachments:
        raise UnknownName("frame", name, robot.frame_names, f"robot {robot.name!r}")
    return attachments[name]


def link_poses(tree: Tree, q: Array) -> list[Transform]:
    """Pose of each link in the world."""
    poses: list[Transform] = []
    for link, pose in zip(tree.links, joint_transforms(tree, q), strict=True):
        poses.append(poses[link.parent] @ pose if link.parent >= 0 else pose)
    return poses


def _attached(links: Sequence[Transform], attachment: Attachment) -> Transform:
    return links[attachment.link] @ attachment.placement if attachment.link >= 0 else attachment.placement


def link_velocities(tree: Tree, poses: Sequence[Transform], v: Array) -> list[Array]:
    """Velocity [v; w] (6,) of each link in its own axes, Schwienbacher 2014, (2.33); poses: of the links in their
    parents."""
    velocities: list[Array] = []
    for link, pose in zip(tree.links, poses, strict=True):
        own = link.subspace @ v[link.v]
        velocities.append(motion_to_child(pose, velocities[link.parent]) + own if link.parent >= 0 else own)
    return velocities


def world_velocities(tree: Tree, poses: Sequence[Transform], v: Array) -> list[Array]:
    """Velocity [v; w] (6,) of each link's origin in world axes; poses: of the links in the world.

    Nothing is rotated from link to link, only at the end: a third of the operations of `link_velocities`.
    """
    velocities: list[Array] = []
    for link, pose in zip(tree.links, poses, strict=True):
        own = link.subspace @ v[link.v]
        linear, angular = pose.rotation @ own[:3], pose.rotation @ own[3:]
        if link.parent >= 0:
            carrier, arm = velocities[link.parent], pose.translation - poses[link.parent].translation
            linear, angular = linear + carrier[:3] + cross(carrier[3:], arm), angular + carrier[3:]
        velocities.append(np.concatenate([linear, angular]))
    return velocities


class PointMotion(NamedTuple):
    """Position, velocity and acceleration of a point seen from a link, (3,) each: m, m/s, m/s2.

    The sum of several points, each times its mass, moves by the same rules.
    """

    position: Array
    velocity: Array
    acceleration: Array


def seen_across_joint(
    link: Link, q: Array, v: Array, a: Array, point: PointMotion, *, mass: float = 1.0
) -> PointMotion:
    """A point seen from a link, in its axes, seen from the joint in its parent, in the parent's axes.

    q (nq,), v (nv,), a (nv,): of the whole robot. mass: of all points in the sum. A joint turns or slides
    but not both, so that there is no Coriolis term of a slide.
    """
    rotation = joint_transform(link, q).rotation
    velocity, acceleration = link.subspace @ v[link.v], link.subspace @ a[link.v]
    slide = link.subspace[:3] @ q[link.q] if link.kind == "prismatic" else np.zeros(3)
    w, alpha = velocity[3:], acceleration[3:]
    # RSL 2022, (2.129), and once more for the acceleration.
    carried = point.velocity + cross(w, point.position)
    rate = point.acceleration + cross(w, point.velocity + carried) + cross(alpha, point.position)
    return PointMotion(
        rotation @ (point.position + mass * slide),
        rotation @ (carried + mass * velocity[:3]),
        rotation @ (rate + mass * acceleration[:3]),
    )


class FrameMotion(NamedTuple):
    """Velocity [v; w] and classical acceleration [dv/dt; dw/dt] (6,) of a frame's origin, world axes."""

    velocity: Array
    acceleration: Array


def frame_motion(robot: Robot, q: Array, v: Array, a: Array, frame: str) -> FrameMotion:
    """Velocity and acceleration of a body or frame."""
    tree, coupling = robot.tree, Coupling(robot, q)
    v, a = coupling.velocity(v), coupling.acceleration(v, a)
    attachment = frame_attachment(robot, frame)
    point = PointMotion(attachment.placement.translation, np.zeros(3), np.zeros(3))
    w, alpha = np.zeros(3), np.zeros(3)  # of the frame as seen from the link
    for index in tree.path(attachment.link):
        link = tree.links[index]
        rotation = joint_transform(link, q).rotation
        turn, turn_rate = (link.subspace @ v[link.v])[3:], (link.subspace @ a[link.v])[3:]
        alpha = rotation @ (alpha + cross(turn, w) + turn_rate)
        w = rotation @ (w + turn)
        position, velocity, acceleration = seen_across_joint(link, q, v, a, point)
        point = PointMotion(position + link.placement.translation, velocity, acceleration)
    return FrameMotion(np.concatenate([point.velocity, w]), np.concatenate([point.acceleration, alpha]))
