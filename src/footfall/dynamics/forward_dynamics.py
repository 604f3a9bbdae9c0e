"""Forward dynamics: the accelerations that forces cause.

The articulated-body algorithm needs O(n) operations. A link that hangs in a free joint resists a push less
than if it were rigidly attached. Inward, each link takes over what its children are while their joints are
free; outward, the accelerations follow one after the other. Vectors are [linear; angular] in link axes and
accelerations classical, so only angular velocities enter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.external_wrenches import link_wrenches
from footfall.dynamics.factorisation import dense_solve, factorise, solve_factored
from footfall.dynamics.inverse_dynamics import LinkMotion, force_of_motion, newton_euler
from footfall.dynamics.joints import free_axes, inertia_in_parent_axes, joint_transforms
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.dynamics.mass_moments import lumped_moments
from footfall.errors import UnknownName
from footfall.math.spatial import (
    acceleration_gradient,
    cross,
    rigid_inertia,
    rotate,
    shift_force,
    shift_inertia,
    symmetric,
)
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.tree import Tree

Array = np.ndarray[Any, np.dtype[Any]]
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
    method: "articulated", O(n); or the mass matrix and its "factorised" (branch-sparse) or "dense" solution.
    """
    if method == "articulated":
        return articulated_bodies(robot, q, v, tau, wrenches)
    forces = tau - newton_euler(robot, q, v, np.zeros(robot.nv), wrenches)
    if method == "factorised":
        return solve_factored(robot.tree, factorise(robot.tree, composite_bodies(robot, q)), forces)
    if method == "dense":
        return dense_solve(composite_bodies(robot, q), forces)
    raise UnknownName("method", method, ("articulated", "factorised", "dense"), "forward_dynamics")


def articulated_bodies(
    robot: Robot, q: Array, v: Array, tau: Array, wrenches: Mapping[str, Array] | None
) -> Array:
    """Accelerations (nv,) of `forward_dynamics`, 000 section 2.6."""
    tree = robot.tree
    poses = joint_transforms(tree, q)
    turning = turning_links(tree, poses, v)
    moments = lumped_moments(tree)
    inertias = [rigid_inertia(m.mass, m.first, m.rotational_inertia()) for m in moments]
    external = link_wrenches(robot, poses, wrenches)
    forces = [
        force_of_motion(m, link.motion) - wrench
        for m, link, wrench in zip(moments, turning, external, strict=True)
    ]

    # Inward: free the joint, then hand on to the parent what remains of inertia and force, 000 (2.69), (2.70).
    answers: list[list[Answer]] = []
    for index, link in reversed(list(enumerate(tree.links))):
        inertia, force = inertias[index], forces[index]
        answers.insert(0, [])
        for velocity, axis in reversed(free_axes(link)):
            answer, inertia, force = free_joint_axis(axis, link.armature, tau[velocity], inertia, force)
            answers[0].insert(0, answer)
        if link.parent >= 0:
            pose = poses[index]
            inertia = inertia_in_parent_axes(link, q, inertia)
            force = rotate(pose.rotation, force) + inertia @ turning[index].bias
            inertias[link.parent] = inertias[link.parent] + shift_inertia(pose.translation, inertia)
            forces[link.parent] = forces[link.parent] + shift_force(pose.translation, force)

    # Outward: each joint answers to the acceleration it is carried with. Gravity is one of the world, upwards.
    world = np.concatenate([-tree.gravity, np.zeros(3)])
    accelerations: list[Array] = []
    a: list[Any] = []
    for index, (link, pose) in enumerate(zip(tree.links, poses, strict=True)):
        parent = accelerations[link.parent] if link.parent >= 0 else world
        at_joint = np.concatenate([parent[:3] + cross(parent[3:], pose.translation), parent[3:]])
        acceleration = rotate(pose.rotation.T, at_joint + turning[index].bias)
        for (_, axis), answer in zip(free_axes(link), answers[index], strict=True):
            a.append(answer.acceleration - answer.gain @ acceleration)  # 000 (2.66)
            acceleration = acceleration + np.eye(6)[axis] * a[-1]
        accelerations.append(acceleration)
    return np.array(a)


class TurningLink(NamedTuple):
    """What velocities alone do to a link.

    motion: turning about its origin without acceleration, in link axes. bias: (6,) acceleration that the
    velocities of parent and joint add to what the parent hands on, at the link's origin, in parent axes.
    """

    motion: LinkMotion
    bias: Array


def turning_links(tree: Tree, poses: Sequence[Transform], v: Array) -> list[TurningLink]:
    """Angular velocities from the root outward, and the accelerations that they cause, 000 (2.37)."""
    zero = np.zeros(3)
    world = LinkMotion(zero, zero, zero, np.zeros((3, 3)))
    links: list[TurningLink] = []
    for link, pose in zip(tree.links, poses, strict=True):
        parent = links[link.parent].motion if link.parent >= 0 else world
        rate = link.subspace @ v[link.v]
        linear, angular = pose.rotation @ rate[:3], pose.rotation @ rate[3:]
        bias = np.concatenate(
            [
                parent.gradient @ pose.translation + 2 * cross(parent.angular_velocity, linear),
                cross(parent.angular_velocity, angular),
            ]
        )
        w = pose.rotation.T @ parent.angular_velocity + rate[3:]
        links.append(TurningLink(LinkMotion(w, zero, zero, acceleration_gradient(w, zero)), bias))
    return links


class Answer(NamedTuple):
    """A free joint axis moves with `acceleration - gain @ a` while its parent carries the link with a."""

    acceleration: Any
    gain: Array


def free_joint_axis(
    axis: int, armature: float, tau: Any, inertia: Array, force: Array
) -> tuple[Answer, Array, Array]:
    """Let one axis of a joint move freely under tau: its answer, and the inertia and force that remain.

    In Featherstone's letters: inertia I^A, force p^A, column U, 1 / inverse D. Along the axis a joint hands on
    no inertia but the armature's and no force but tau. These entries are written down as such, not computed:
    so they are exact, and vanish from traced code where there is no armature.
    """
    column = inertia[:, axis]
    inverse = 1 / (column[axis] + armature)
    acceleration = (tau - force[axis]) * inverse  # 000 (2.68)
    gain = column * inverse  # 000 (2.67)
    gain[axis] = 1 - armature * inverse

    def remaining(i: int, j: int) -> Any:  # 000 (2.71)
        if axis in (i, j):
            return armature * gain[j if i == axis else i]
        return inertia[i, j] - column[i] * gain[j]

    remaining_force = force + column * acceleration  # 000 (2.72)
    remaining_force[axis] = tau - armature * acceleration
    return Answer(acceleration, gain), symmetric(6, remaining), remaining_force
