"""Momentum about the centre of mass: its value, its matrix, and its rate.

Nothing here depends on where the whole robot is, so slides that carry all of it are set to zero and fold
away.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.center_of_mass import center_shares, moving_mass
from footfall.dynamics.inverse_dynamics import force_of_motion, link_motions
from footfall.dynamics.jacobians import stacked
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.kinematics import link_poses, link_velocities
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import lumped_moments, moments_in_parent, moments_left_in_world
from footfall.errors import UnsuitableRobot
from footfall.math.spatial import force_to_parent, rotate, shift_force
from footfall.robot.model import Robot
from footfall.robot.tree import Tree


@algorithm(q="nq", v="nv")
def centroidal_momentum(robot: Robot, q: Array, v: Array) -> Array:
    """Momentum [p; l] (6,), kg m/s and kg m2/s: linear, and angular about the centre of mass.

    Schwienbacher 2014, (7.1).
    World axes; q (nq,), v (nv,). Armature is left out: it is a model of what turns fast inside the drives.
    """
    tree = robot.tree
    v, q = Coupling(robot, q).velocity(v), without_common_slides(tree, q)
    velocities = link_velocities(tree, joint_transforms(tree, q), v)
    momenta = [
        moments.momentum(velocity) for moments, velocity in zip(lumped_moments(tree), velocities, strict=True)
    ]
    return _about_center(robot, q, momenta)


@algorithm(q="nq", v="nv")
def centroidal_momentum_bias(robot: Robot, q: Array, v: Array) -> Array:
    """`dA/dt v` (6,), N and N m: rate of the centroidal momentum in constant v; q (nq,), v (nv,)."""
    tree = replace(robot.tree, gravity=np.zeros(3))
    coupling = Coupling(robot, q)
    v, bias, q = coupling.velocity(v), coupling.bias(v), without_common_slides(tree, q)
    motions = link_motions(tree, joint_transforms(tree, q), v, bias)
    forces = [
        force_of_motion(moments, motion)
        for moments, motion in zip(lumped_moments(tree), motions, strict=True)
    ]
    return _about_center(robot, q, forces)


@algorithm(q="nq")
def centroidal_momentum_matrix(robot: Robot, q: Array) -> Array:
    """Matrix A (6, nv): the centroidal momentum is `A v`, Schwienbacher 2014, (7.2); world axes; q (nq,).

    A unit velocity of one joint gives all links beyond it the momentum of one rigid body.
    """
    tree, mass = robot.tree, moving_mass(robot)
    if mass <= 0.0:
        raise UnsuitableRobot(
            f"robot {robot.name!r} has no centre of mass: none of its moving bodies has mass; give one an inertia"
        )
    coupling, q = Coupling(robot, q), without_common_slides(tree, q)
    joints = joint_transforms(tree, q)
    # Of each link with all beyond it; the last is the world's, of all.
    carried = [*lumped_moments(tree), moments_left_in_world(tree)]
    for index, link in reversed(list(enumerate(tree.links))):
        carried[link.parent] += moments_in_parent(link, q, joints[index], carried[index])
    *of_links, of_all = carried
    center_in_world = of_all.first * (1 / mass)
    centers: list[Array] = []  # the centre of mass seen from each link
    columns: list[Array] = []
    for link, joint, pose, moments in zip(tree.links, joints, link_poses(tree, q), of_links, strict=True):
        in_parent = centers[link.parent] if link.parent >= 0 else center_in_world
        center = joint.rotation.T @ (in_parent - joint.translation)
        centers.append(center)
        for motion in link.subspace.T:
            columns.append(rotate(pose.rotation, shift_force(-center, moments.momentum(motion))))
    return coupling.columns(stacked(columns, 6))


def _about_center(robot: Robot, q: Array, momenta: list[Array]) -> Array:
    """Sum (6,) of momenta or forces (6,), given in link frames, about the centre of mass in world axes."""
    tree = robot.tree
    momenta = [*momenta, np.zeros(6)]  # the last: the world's
    joints = joint_transforms(tree, q)
    for index, link in reversed(list(enumerate(tree.links))):
        momenta[link.parent] = momenta[link.parent] + force_to_parent(joints[index], momenta[index])
    center = center_shares(robot, q).world.position
    return shift_force(-center, momenta[-1])


def without_common_slides(tree: Tree, q: Array) -> Array:
    """The configuration q (nq,) with those slides at zero that move the whole robot: a floating base's."""
    parents = [link.parent for link in tree.links]
    count = 0
    for index, link in enumerate(tree.links):
        carries_all = parents.count(index - 1) == 1 and not any(other.mass for other in tree.links[:index])
        if link.kind != "prismatic" or not carries_all:
            break
        count += 1
    return np.concatenate([np.zeros(count), q[count:]])
