"""Inverse dynamics: the forces that a motion takes, by the recursive Newton-Euler algorithm (RNEA).

Outward the links hand on how they move, inward the forces that this takes. Gravity enters as an acceleration of
the world upwards. Accelerations are classical and in link axes, so there is no term v x* I v, and linear
velocities are never needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.external_wrenches import link_wrenches
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import MassMoments, lumped_moments
from footfall.math.spatial import acceleration_gradient, axial_difference, cross, force_to_parent
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.tree import Tree


@algorithm(q="nq", v="nv", a="nv", wrenches="name -> 6")
def inverse_dynamics(
    robot: Robot, q: Array, v: Array, a: Array, *, wrenches: Mapping[str, Array] | None = None
) -> Array:
    """Joint forces tau (nv,), N m or N, that cause the accelerations a (nv,) in the state q (nq,), v (nv,).

    `tau = M(q) a + h(q, v) - sum J^T w`, RSL 2022, (3.1); with armature, without damping and friction.
    wrenches: by name of a body or frame, external wrench [f; n] (6,) on the robot in N and N m, world axes,
    at the frame's origin.
    """
    return newton_euler(robot, q, v, a, wrenches)


@algorithm(q="nq", v="nv", wrenches="name -> 6")
def bias_forces(robot: Robot, q: Array, v: Array, *, wrenches: Mapping[str, Array] | None = None) -> Array:
    """Joint forces (nv,), N m or N, that cause no acceleration: `h(q, v) - sum J^T w`.

    h: velocity terms and gravity. q (nq,), v (nv,); wrenches as in `inverse_dynamics`.
    """
    return newton_euler(robot, q, v, np.zeros(robot.nv), wrenches)


@algorithm(q="nq")
def gravity_forces(robot: Robot, q: Array) -> Array:
    """Joint forces g (nv,), N m or N, that hold the robot still in the configuration q (nq,)."""
    return newton_euler(robot, q, np.zeros(robot.nv), np.zeros(robot.nv), None)


class LinkMotion(NamedTuple):
    """How a link moves, in its own axes; a point at x accelerates with `acceleration + acceleration_gradient @ x`.

    angular_velocity (3,) rad/s, angular_acceleration (3,) rad/s2, acceleration (3,) m/s2 of the origin,
    acceleration_gradient (3, 3) 1/s2. Gravity is in it: a link at rest accelerates with -gravity, upwards.
    """

    angular_velocity: Array
    angular_acceleration: Array
    acceleration: Array
    acceleration_gradient: Array


def newton_euler(
    robot: Robot,
    q: Array,
    v: Array,
    a: Array,
    wrenches: Mapping[str, Array] | None,
    *,
    gravity: Array | None = None,
) -> Array:
    """The recursive Newton-Euler algorithm: joint forces (nv,); arguments as in `inverse_dynamics`.

    gravity: (3,) m/s2, the robot's own by default.
    """
    tree, coupling = robot.tree, Coupling(robot, q)
    v, a = coupling.velocity(v), coupling.acceleration(v, a)
    poses = joint_transforms(tree, q)
    motions = link_motions(tree, poses, v, a, gravity=gravity)
    external = link_wrenches(robot, poses, wrenches)
    forces = [
        force_of_motion(moments, motion) - wrench
        for moments, motion, wrench in zip(lumped_moments(tree), motions, external, strict=True)
    ]
    tau: list[Array] = []
    for index, link in reversed(list(enumerate(tree.links))):
        tau.insert(0, link.subspace.T @ forces[index] + link.armature * a[link.v])
        if link.parent >= 0:
            forces[link.parent] = forces[link.parent] + force_to_parent(poses[index], forces[index])
    return coupling.forces(np.concatenate([np.zeros(0), *tau]))


def world_motion(tree: Tree, *, gravity: Array | None = None) -> LinkMotion:
    """Of the world and all that is fixed to it: gravity as an acceleration upwards."""
    pull = tree.gravity if gravity is None else gravity
    return LinkMotion(np.zeros(3), np.zeros(3), -pull, np.zeros((3, 3)))


def link_motions(
    tree: Tree, poses: Sequence[Transform], v: Array, a: Array, *, gravity: Array | None = None
) -> list[LinkMotion]:
    """Motion of each link while the world accelerates against gravity, Schwienbacher 2014, (2.33), (2.34)."""
    motions: list[LinkMotion] = []
    for link, pose in zip(tree.links, poses, strict=True):
        parent = motions[link.parent] if link.parent >= 0 else world_motion(tree, gravity=gravity)
        to_link = pose.rotation.T
        velocity, acceleration = link.subspace @ v[link.v], link.subspace @ a[link.v]
        carried = to_link @ parent.angular_velocity
        w = carried + velocity[3:]
        alpha = to_link @ parent.angular_acceleration + cross(carried, velocity[3:]) + acceleration[3:]
        linear = (
            to_link @ (parent.acceleration + parent.acceleration_gradient @ pose.translation)
            + 2 * cross(carried, velocity[:3])
            + acceleration[:3]
        )
        motions.append(LinkMotion(w, alpha, linear, acceleration_gradient(w, alpha)))
    return motions


def force_of_motion(moments: MassMoments, motion: LinkMotion) -> Array:
    """Force [f; n] (6,) about the link's origin that its motion takes: Newton's and Euler's laws.

    Points at x accelerate with a + G x: f is the integral of (a + G x) dm, n of cross(x, a + G x) dm. What G adds
    to n is the `I alpha + w x I w` of textbooks.
    """
    _, _, acceleration, gradient = motion
    force = moments.mass * acceleration + gradient @ moments.first
    moment = cross(moments.first, acceleration) + axial_difference(gradient @ moments.second)
    return np.concatenate([force, moment])
