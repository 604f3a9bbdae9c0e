"""Derivatives of inverse and forward dynamics on the tangent space, from link to link.

A change at one joint carries all links beyond it along like one rigid body: seen from the joint's link only
the motion that arrives there changes. The force that this takes is linear in the changes of acceleration a,
angular acceleration alpha and angular velocity w:

    d force  = mass a' + alpha' x first + 2 w' x P
    d moment = first x a' + J alpha' + 2 (tr K - K) w'

with the moments of mass that the joint carries (mass, first, J) and of its velocity, `P = sum u dm` and
`K = sum u x^T dm` over points x that move with u. Here `w' = dw`, `alpha' = d alpha + w x dw` and, for a link
whose origin moves with V, `a' = da - 2 dw x V`: then rigidly connected links differ in a', alpha' and w' only
by place and axes. So rows and columns of the derivatives are forces, handed down the path to the root like
those of the mass matrix. (Of looped robots the graph is differentiated instead, see `mass_inverse.py`.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.external_wrenches import wrench_on_link
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.inverse_dynamics import (
    LinkMotion,
    force_of_motion,
    link_motions,
    newton_euler,
    world_motion,
)
from footfall.dynamics.joints import free_axes, joint_transforms
from footfall.dynamics.kinematics import frame_attachment
from footfall.dynamics.mass_inverse import is_traced, looped_force_derivatives, response
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.dynamics.mass_moments import MassMoments, lumped_moments, moments_in_parent
from footfall.math.spatial import (
    cross,
    force_to_parent,
    motion_cross_force,
    rotate_constant,
    skew,
    turn_matrix,
)
from footfall.math.transform import Transform
from footfall.robot.joint_poses import hinge_turn
from footfall.robot.model import Robot
from footfall.robot.tree import Link, Tree
from footfall.robot.validation import check_mass_matrix


class VectorMoments(NamedTuple):
    """Sums over vectors y at points x of y (3,) and y x^T (3, 3), about the origin of a frame.

    A couple n counts as `second = skew(n)`.
    """

    first: Array
    second: Array

    def __add__(self, other: VectorMoments) -> VectorMoments:  # type: ignore[override]
        """Of both together."""
        return VectorMoments(self.first + other.first, self.second + other.second)

    def turned(self, w: Array) -> Array:
        """Sum (6,) `[w x y; x x (w x y)]`: what a turn w of all vectors changes in their resultant."""
        return np.concatenate([cross(w, self.first), self._trace() * w - self.second @ w])

    def gradient(self, motion: Array) -> Array:
        """Gradient (3,) of `motion @ turned(w)` with respect to w, for a motion (6,) `[v; w]`."""
        linear, angular = motion[:3], motion[3:]
        by_second: Array = self._trace() * angular - self.second.T @ angular
        return cross(self.first, linear) + by_second

    def _trace(self) -> Any:
        return self.second[0, 0] + self.second[1, 1] + self.second[2, 2]


def vector_moments_in_parent(link: Link, q: Array, pose: Transform, moments: VectorMoments) -> VectorMoments:
    """Moments in the frame of the parent from moments in the frame of a link, at `pose` in the parent."""
    first = pose.rotation @ moments.first
    if link.kind == "revolute":
        turned = turn_matrix(*hinge_turn(link, q), moments.second)
        second = rotate_constant(link.placement.rotation, turned, turn_matrix, _rotate_matrix)
    else:
        second = _rotate_matrix(pose.rotation, moments.second)
    return VectorMoments(first, second + np.outer(first, pose.translation))


def _rotate_matrix(rotation: Array, matrix: Array) -> Array:
    rotated: Array = rotation @ matrix @ rotation.T
    return rotated


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives (nv, nv) of the joint forces with respect to q (on the tangent space), v and a."""

    dq: Array
    dv: Array
    da: Array


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives (nv, nv) of the accelerations with respect to q (on the tangent space), v and tau."""

    dq: Array
    dv: Array
    dtau: Array


@algorithm(q="nq", v="nv", a="nv", wrenches="name -> 6")
def inverse_dynamics_derivatives(
    robot: Robot, q: Array, v: Array, a: Array, *, wrenches: Mapping[str, Array] | None = None
) -> InverseDynamicsDerivatives:
    """Derivatives of `inverse_dynamics` in the state q (nq,), v (nv,), a (nv,).

    Column k of `dq` belongs to `integrate(q, step)` with a small step k; `da` is the mass matrix. wrenches as
    in `inverse_dynamics`; they stay what they are in world axes and move along with their frames.
    """
    return derivatives_of_newton_euler(robot, q, v, a, wrenches)


@algorithm(q="nq", v="nv", tau="nv", wrenches="name -> 6")
def forward_dynamics_derivatives(
    robot: Robot, q: Array, v: Array, tau: Array, *, wrenches: Mapping[str, Array] | None = None
) -> ForwardDynamicsDerivatives:
    """Derivatives of `forward_dynamics` in the state q (nq,), v (nv,) under the joint forces tau (nv,).

    Column k of `dq` belongs to `integrate(q, step)` with a small step k; `dtau` is the inverse of the mass
    matrix. wrenches as in `inverse_dynamics_derivatives`.
    """
    check_mass_matrix(robot)
    tree = robot.tree
    factor = factorise(tree, composite_bodies(robot, q))
    a = solve_factored(tree, factor, tau - newton_euler(robot, q, v, np.zeros(robot.nv), wrenches))
    forces = derivatives_of_newton_euler(robot, q, v, a, wrenches)
    dtau, (dq, dv) = response(tree, factor, (forces.dq, forces.dv))
    return ForwardDynamicsDerivatives(dq, dv, dtau)


class Change(NamedTuple):
    """What changes in the motion that arrives at a link, and the link's own turn with it; in link axes.

    acceleration: (6,) [a'; alpha'], spin: (3,) w', see the module's docstring. turn: (3,) rad.
    """

    acceleration: Array
    spin: Array
    turn: Array


class Carried(NamedTuple):
    """All that a joint carries, about its link's origin: mass, twice its velocity, outer forces on it."""

    mass: MassMoments
    velocity: VectorMoments
    outer: VectorMoments

    def force(self, change: Change) -> Array:
        """Change (6,) of the force that the joint transmits."""
        by_acceleration = self.mass.momentum(change.acceleration)
        by_spin, by_turn = self.velocity.turned(change.spin), self.outer.turned(change.turn)
        changed: Array = by_acceleration + by_spin + by_turn
        return changed


def derivatives_of_newton_euler(
    robot: Robot, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None
) -> InverseDynamicsDerivatives:
    """Derivatives of `newton_euler`, see the module's docstring."""
    if robot.loops:
        if not is_traced(q):
            return InverseDynamicsDerivatives(
                *inverse_dynamics_derivatives(robot, q, v, a, wrenches=wrenches)
            )
        along_steps, by_velocity = looped_force_derivatives(robot, q, v, a, wrenches)
        return InverseDynamicsDerivatives(along_steps, by_velocity, composite_bodies(robot, q))
    tree = robot.tree
    poses = joint_transforms(tree, q)
    motions = link_motions(tree, poses, v, a)
    velocities = doubled_velocities(tree, poses, motions, v)
    changes = [changes_at_link(tree, poses, motions, velocities, index) for index in range(len(tree.links))]
    carried, forces = links_alone(robot, poses, motions, velocities, wrenches)
    dq, dv, da = (_zeros(tree.nv) for _ in range(3))
    for index, link in reversed(list(enumerate(tree.links))):
        load = carried[index]
        for (column, axis), by_q, by_v in zip(free_axes(link), *changes[index], strict=True):
            unit = np.eye(6)[axis]
            # Columns: the change of force here; to the parent it also turns or moves with the link.
            along_q, along_v, along_a = load.force(by_q), load.force(by_v), load.mass.momentum(unit)
            for row, other in free_axes(link):
                dq[row][column], dv[row][column], da[row][column] = (
                    along_q[other],
                    along_v[other],
                    along_a[other],
                )
            along_q = along_q + motion_cross_force(unit, forces[index])
            # Rows: how the force along this axis answers to spin and turn of the link.
            to_spin, to_turn = load.velocity.gradient(unit), load.outer.gradient(unit)
            below = index
            for above in tree.path(link.parent):
                pose = poses[below]
                along_q, along_v, along_a = (force_to_parent(pose, f) for f in (along_q, along_v, along_a))
                to_spin, to_turn = pose.rotation @ to_spin, pose.rotation @ to_turn
                for (row, other), above_q, above_v in zip(
                    free_axes(tree.links[above]), *changes[above], strict=True
                ):
                    dq[row][column], dv[row][column] = along_q[other], along_v[other]
                    da[row][column] = da[column][row] = along_a[other]
                    dq[column][row] = (
                        along_a @ above_q.acceleration + to_spin @ above_q.spin + to_turn @ above_q.turn
                    )
                    dv[column][row] = along_a @ above_v.acceleration + to_spin @ above_v.spin
                below = above
            da[column][column] = da[column][column] + link.armature
        if link.parent >= 0:
            pose = poses[index]
            parent = carried[link.parent]
            carried[link.parent] = Carried(
                parent.mass + moments_in_parent(link, q, pose, load.mass),
                parent.velocity + vector_moments_in_parent(link, q, pose, load.velocity),
                parent.outer + vector_moments_in_parent(link, q, pose, load.outer),
            )
            forces[link.parent] = forces[link.parent] + force_to_parent(pose, forces[index])
    shape = (tree.nv, tree.nv)
    return InverseDynamicsDerivatives(*(np.array(matrix).reshape(shape) for matrix in (dq, dv, da)))


def _zeros(size: int) -> list[list[Any]]:
    """Rows of a square matrix; entries that stay zero vanish from traced code."""
    return [[0.0] * size for _ in range(size)]


def doubled_velocities(
    tree: Tree, poses: Sequence[Transform], motions: Sequence[LinkMotion], v: Array
) -> list[Array]:
    """Twice the velocity (3,) of each link's origin in link axes, seen from the last link that does not turn.

    Forces do not feel a steady velocity; leaving it out keeps the base's from the traced code.
    """
    velocities: list[Array] = []
    turning: list[bool] = []
    for link, pose in zip(tree.links, poses, strict=True):
        turning.append(link.kind != "prismatic" or (link.parent >= 0 and turning[link.parent]))
        velocity = np.zeros(3)
        if link.parent >= 0 and turning[link.parent]:
            w = 2 * motions[link.parent].angular_velocity
            slide = 2 * (link.subspace @ v[link.v])[:3]
            velocity = pose.rotation.T @ (velocities[link.parent] + cross(w, pose.translation)) + slide
        velocities.append(velocity)
    return velocities


def changes_at_link(
    tree: Tree,
    poses: Sequence[Transform],
    motions: Sequence[LinkMotion],
    velocities: Sequence[Array],
    index: int,
) -> tuple[list[Change], list[Change]]:
    """Changes that arrive at a link by each coordinate of its joint, and by each velocity."""
    link, pose = tree.links[index], poses[index]
    parent = motions[link.parent] if link.parent >= 0 else world_motion(tree)
    to_link = pose.rotation.T
    w = to_link @ parent.angular_velocity  # of the parent, as is all that is not by the joint
    acceleration = to_link @ (parent.acceleration + parent.acceleration_gradient @ pose.translation)
    zero = np.zeros(3)
    by_q: list[Change] = []
    by_v: list[Change] = []
    for _, axis in free_axes(link):
        unit = np.eye(3)[axis % 3]
        gradient = to_link @ (parent.acceleration_gradient @ (pose.rotation @ unit))
        if link.kind == "prismatic":
            by_q.append(Change(np.concatenate([gradient, zero]), zero, zero))
            by_v.append(Change(np.concatenate([2 * cross(w, unit), zero]), zero, zero))
            continue
        spin = cross(w, unit)
        linear = cross(acceleration, unit) - cross(spin, velocities[index])
        by_q.append(Change(np.concatenate([linear, gradient]), spin, unit))
        linear, angular = -cross(unit, velocities[index]), cross(w + motions[index].angular_velocity, unit)
        by_v.append(Change(np.concatenate([linear, angular]), unit, zero))
    return by_q, by_v


def links_alone(
    robot: Robot,
    poses: Sequence[Transform],
    motions: Sequence[LinkMotion],
    velocities: Sequence[Array],
    wrenches: Mapping[str, Array] | None,
) -> tuple[list[Carried], list[Array]]:
    """What each link is without its children, and the force (6,) that its own motion takes."""
    carried: list[Carried] = []
    forces: list[Array] = []
    for moments, motion, velocity in zip(lumped_moments(robot.tree), motions, velocities, strict=True):
        spin = 2 * motion.angular_velocity
        moving = VectorMoments(
            moments.mass * velocity + cross(spin, moments.first),
            np.outer(velocity, moments.first) + skew(spin) @ moments.second,
        )
        carried.append(Carried(moments, moving, VectorMoments(np.zeros(3), np.zeros((3, 3)))))
        forces.append(force_of_motion(moments, motion))
    for name, wrench in (wrenches or {}).items():
        attachment = frame_attachment(robot, name)
        link, at = attachment.link, attachment.placement.translation
        if link >= 0:
            applied = wrench_on_link(robot.tree, poses, attachment, wrench)
            couple = applied[3:] - cross(at, applied[:3])
            outer = VectorMoments(applied[:3], np.outer(applied[:3], at) + skew(couple))
            carried[link] = carried[link]._replace(outer=carried[link].outer + outer)
            forces[link] = forces[link] - applied
    return carried, forces
