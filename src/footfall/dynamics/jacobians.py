"""Jacobians: how the velocities `v` of a robot move its frames.

Column k is the motion that a unit velocity k gives. It is formed in the axes of the link that moves, where
most of it is zero, and rotated into world axes at the end.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Symbol, jacobian
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.configuration import configuration_rate
from footfall.dynamics.joints import joint_transform
from footfall.dynamics.kinematics import (
    PointMotion,
    frame_attachment,
    frame_motion,
    link_poses,
    seen_across_joint,
)
from footfall.dynamics.loops import Coupling
from footfall.math.spatial import cross
from footfall.robot.model import Robot
from footfall.robot.tree import Tree


@algorithm(q="nq")
def frame_jacobian(robot: Robot, q: Array, frame: str) -> Array:
    """Jacobian J (6, nv) of a body or frame: `[v; w] = J v`, world axes, at the frame's origin, RSL 2022, (2.155).

    q (nq,). Columns of joints that do not carry the frame are zero.
    """
    tree = robot.tree
    attachment = frame_attachment(robot, frame)
    rotations = path_rotations(tree, q, attachment.link)
    columns: list[Array] = [np.zeros(6)] * tree.nv
    point = attachment.placement.translation  # the frame's origin, seen from the link
    for index in tree.path(attachment.link):
        link, rotation = tree.links[index], rotations[index]
        for column, motion in zip(range(tree.nv)[link.v], link.subspace.T, strict=True):
            linear = motion[:3] + cross(motion[3:], point)
            columns[column] = np.concatenate([rotation @ linear, rotation @ motion[3:]])
        point = joint_transform(link, q).apply(point)
    return Coupling(robot, q).columns(stacked(columns, 6))


@algorithm(q="nq", v="nv")
def frame_jacobian_bias(robot: Robot, q: Array, v: Array, frame: str) -> Array:
    """`dJ/dt v` (6,), m/s2 and rad/s2: acceleration of a body or frame in constant v; q (nq,), v (nv,)."""
    return frame_motion(robot, q, v, np.zeros(robot.nv), frame).acceleration


@algorithm(q="nq", v="nv")
def frame_jacobian_rate(robot: Robot, q: Array, v: Array, frame: str) -> Array:
    """`dJ/dt` (6, nv) of the Jacobian of a body or frame, RSL 2022, (2.151)-(2.167); q (nq,), v (nv,)."""
    if robot.loops:
        return looped_jacobian_rate(robot, q, v, frame)
    tree = robot.tree
    attachment = frame_attachment(robot, frame)
    rotations = path_rotations(tree, q, attachment.link)
    turns = _path_angular_velocities(tree, q, v, attachment.link)
    columns: list[Array] = [np.zeros(6)] * tree.nv
    point = PointMotion(attachment.placement.translation, np.zeros(3), np.zeros(3))
    for index in tree.path(attachment.link):
        link, rotation, w = tree.links[index], rotations[index], turns[index]
        for column, motion in zip(range(tree.nv)[link.v], link.subspace.T, strict=True):
            linear = motion[:3] + cross(motion[3:], point.position)
            linear_rate = cross(w, linear) + cross(motion[3:], point.velocity)
            columns[column] = np.concatenate([rotation @ linear_rate, rotation @ cross(w, motion[3:])])
        position, velocity, acceleration = seen_across_joint(link, q, v, np.zeros(tree.nv), point)
        point = PointMotion(position + link.placement.translation, velocity, acceleration)
    return stacked(columns, 6)


@algorithm(q="nq")
def joint_motions(robot: Robot, q: Array) -> Array:
    """Motions (6, nv) of all joints: column k is [v; w] that a unit velocity k gives to what it carries.

    As seen at the origin of the world (velocity of the point there, were it fixed to the body), world axes;
    q (nq,). The Jacobian of any frame at p is made of the columns of the joints that carry it:
    `[v + w x p; w]`.
    """
    tree = robot.tree
    columns: list[Array] = []
    for link, pose in zip(tree.links, link_poses(tree, q), strict=True):
        for motion in link.subspace.T:
            angular = pose.rotation @ motion[3:]
            linear = pose.rotation @ motion[:3] + cross(pose.translation, angular)
            columns.append(np.concatenate([linear, angular]))
    return Coupling(robot, q).columns(stacked(columns, 6))


def looped_jacobian_rate(robot: Robot, q: Array, v: Array, frame: str) -> Array:
    """`dJ/dt` (6, nv) of a looped robot: the graph of J is differentiated, with how the dependent joints follow."""
    if not any(isinstance(entry, Symbol) for entry in q):
        rate: Array = frame_jacobian_rate(robot, q, v, frame)
        return rate
    rates = configuration_rate.textbook(robot, q, v)
    by_q = jacobian(frame_jacobian.textbook(robot, q, frame), q)
    changed: Array = by_q @ rates
    return changed


def path_rotations(tree: Tree, q: Array, link: int) -> dict[int, Array]:
    """Rotation matrices (3, 3) in the world of the links between a link and the root."""
    rotations: dict[int, Array] = {}
    for index in reversed(tree.path(link)):
        rotation = joint_transform(tree.links[index], q).rotation
        parent = tree.links[index].parent
        rotations[index] = rotations[parent] @ rotation if parent >= 0 else rotation
    return rotations


def _path_angular_velocities(tree: Tree, q: Array, v: Array, link: int) -> dict[int, Array]:
    """Angular velocities (3,) in their own axes of the links between a link and the root."""
    turns: dict[int, Array] = {}
    for index in reversed(tree.path(link)):
        joint = tree.links[index]
        own = (joint.subspace @ v[joint.v])[3:]
        carried = turns.get(joint.parent, np.zeros(3))
        turns[index] = joint_transform(joint, q).rotation.T @ carried + own
    return turns


def stacked(columns: list[Array], rows: int) -> Array:
    """Matrix (rows, n) of n columns, also of none."""
    return np.array(columns).reshape(len(columns), rows).T
