"""Forward dynamics: the accelerations that forces cause, by the articulated-body algorithm (ABA), O(n).

A link that hangs in a free joint resists a push less than if it were rigidly attached. Inward, each link takes
over what its children are while their joints are free; outward, the accelerations follow one after the other.
In Featherstone's letters:

    I^A, p^A                inertia, force     of a link and all beyond it, whose joints are free
    U = I^A S               column             S is a unit vector, so this is a column of I^A
    D = S^T U + armature    inverse = 1 / D
    u = tau - S^T p^A       free_acceleration = u / D
    U / D                   gain
    I^a, p^a                handed_on, force_handed_on (before I^a c is added)
    c                       bias

Vectors are [linear; angular] in link axes, and accelerations classical: so c is not v x S q', but
[w x (w x r) + 2 w x r'; w x w_J] with the parent's w and the joint's r, r' and w_J. It is given in parent axes,
where `I^a c` is added. A spherical joint is freed one axis after the other: its S is constant in the link, so
that three scalar eliminations are the one with a D of (3, 3), and the armature stands on D's diagonal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.dense_dynamics import dense_forward_dynamics
from footfall.dynamics.external_wrenches import link_wrenches
from footfall.dynamics.factorisation import dense_solve, factorise, solve_factored
from footfall.dynamics.free_joints import JointResponse, free_joint_axis
from footfall.dynamics.inverse_dynamics import force_of_motion, newton_euler
from footfall.dynamics.joints import free_axes, inertia_in_parent_axes, joint_transforms
from footfall.dynamics.loop_forces import held_by_forces
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.dynamics.mass_moments import lumped_moments
from footfall.dynamics.subsystems import articulated_subsystems
from footfall.dynamics.velocity_terms import velocity_terms
from footfall.errors import UnknownName
from footfall.math.spatial import (
    cross,
    rigid_inertia,
    rotate,
    shift_force,
    shift_inertia,
)
from footfall.robot.model import Robot
from footfall.robot.validation import check_mass_matrix

Method = Literal["articulated", "factorised", "dense"]


@algorithm(q="nq", v="nv", tau="nv", wrenches="name -> 6")
def forward_dynamics(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    *,
    wrenches: Mapping[str, Array] | None = None,
    method: Method = "articulated",
) -> Array:
    """Accelerations a (nv,), rad/s2 or m/s2, that joint forces tau (nv,) cause in the state q (nq,), v (nv,).

    Solves `M(q) a + h(q, v) = tau + sum J^T w`; with armature, without damping and friction.
    wrenches: by name of a body or frame, external wrench [f; n] (6,) on the robot in N and N m, world axes,
    at the frame's origin.
    method: "articulated", O(n), with sub-systems where there are loops; or the mass matrix and its "factorised"
    (branch-sparse) or "dense" solution, which large robots leave to LAPACK.
    """
    check_mass_matrix(robot)
    if method == "articulated":
        return articulated_bodies(robot, q, v, tau, wrenches)
    forces = tau - newton_euler(robot, q, v, np.zeros(robot.nv), wrenches)
    if method == "factorised":
        a = solve_factored(robot.tree, factorise(robot.tree, composite_bodies(robot, q)), forces)
        return held_by_forces(robot, q, v, a)
    if method == "dense":
        return held_by_forces(robot, q, v, dense_solve(composite_bodies(robot, q), forces))
    raise UnknownName("method", method, ("articulated", "factorised", "dense"), "forward_dynamics")


forward_dynamics.answer_untraced(dense_forward_dynamics, option="method", value="dense")


def articulated_bodies(
    robot: Robot, q: Array, v: Array, tau: Array, wrenches: Mapping[str, Array] | None
) -> Array:
    """The articulated-body algorithm, Schwienbacher 2014, (2.64)-(2.73): accelerations (nv,); arguments as in
    `forward_dynamics`."""
    tree = robot.tree
    if tree.loops is not None:
        return held_by_forces(robot, q, v, articulated_subsystems(robot, q, v, tau, wrenches))
    poses = joint_transforms(tree, q)
    by_velocity = velocity_terms(tree, poses, v)
    moments = lumped_moments(tree)
    inertias = [rigid_inertia(m.mass, m.first, m.rotational_inertia()) for m in moments]
    external = link_wrenches(robot, poses, wrenches)
    forces = [
        force_of_motion(m, terms.motion) - wrench
        for m, terms, wrench in zip(moments, by_velocity, external, strict=True)
    ]

    # Inward: free the joint, then hand on to the parent what is left of inertia and force, Schwienbacher 2014, (2.69),
    # (2.70).
    responses: list[list[JointResponse]] = []
    for index, link in reversed(list(enumerate(tree.links))):
        inertia, force = inertias[index], forces[index]
        responses.insert(0, [])
        for velocity, axis in reversed(free_axes(link)):
            response, inertia, force = free_joint_axis(axis, link.armature, tau[velocity], inertia, force)
            responses[0].insert(0, response)
        if link.parent >= 0:
            pose = poses[index]
            inertia = inertia_in_parent_axes(link, q, inertia)
            force = rotate(pose.rotation, force) + inertia @ by_velocity[index].bias
            inertias[link.parent] = inertias[link.parent] + shift_inertia(pose.translation, inertia)
            forces[link.parent] = forces[link.parent] + shift_force(pose.translation, force)

    # Outward: each joint responds to the acceleration it is carried with. Gravity is one of the world, upwards.
    world = np.concatenate([-tree.gravity, np.zeros(3)])
    accelerations: list[Array] = []
    a: list[Any] = []
    for index, (link, pose) in enumerate(zip(tree.links, poses, strict=True)):
        parent = accelerations[link.parent] if link.parent >= 0 else world
        at_joint = np.concatenate([parent[:3] + cross(parent[3:], pose.translation), parent[3:]])
        acceleration = rotate(pose.rotation.T, at_joint + by_velocity[index].bias)
        for (_, axis), response in zip(free_axes(link), responses[index], strict=True):
            a.append(response.free_acceleration - response.gain @ acceleration)  # Schwienbacher 2014, (2.66)
            acceleration = acceleration + np.eye(6)[axis] * a[-1]
        accelerations.append(acceleration)
    return np.array(a)
