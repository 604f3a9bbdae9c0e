"""Forward dynamics of looped robots in O(n): the articulated-body algorithm with sub-systems.

Schwienbacher 2014, chapter 2, (2.74)-(2.90).
A sub-system is a group of links that share coordinates, a small robot that hangs on one link p. Inward it takes over
what hangs on its members, and hands on to p what it is itself while its coordinates are free; outward it responds to
the acceleration of p. In the letters of Schwienbacher 2014, all about the origin and in the axes of p:

    M_S, B_S    inertia of the sub-system's coordinates, and their coupling with the motion of p
    f_S, f-_S   forces on the coordinates and on p at zero acceleration
    M-_S        inertia of all members together
    K_S, k_S    inertia and force handed on

They are found as for a rigid tree, member by member from the tips inward (composite bodies), in the velocities of all
members' joints; `u = G v`, `u' = G v' + g` (see `dynamics/loops.py`) then leaves the independent ones. What is cubic is
the elimination of a sub-system's own coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.external_wrenches import link_wrenches
from footfall.dynamics.free_joints import JointResponse, free_joint_axis
from footfall.dynamics.inverse_dynamics import force_of_motion
from footfall.dynamics.joints import free_axes, inertia_in_parent_axes, joint_transforms
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import lumped_moments
from footfall.dynamics.velocity_terms import VelocityTerms, velocity_terms
from footfall.math.spatial import cross, force_to_parent, rigid_inertia, rotate, shift_force, shift_inertia
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.subsystems import Subsystem
from footfall.robot.tree import Link, Tree


class Response(NamedTuple):
    """How the coordinates of a sub-system accelerate: `a[k] = free[k] - gains[k] @ [a[k + 1], ..., that of p (6,)]`.

    places: of the coordinates in v.
    """

    places: list[int]
    free: list[Any]
    gains: list[Array]


def articulated_subsystems(
    robot: Robot, q: Array, v: Array, tau: Array, wrenches: Mapping[str, Array] | None
) -> Array:
    """Accelerations a (nv,) of a looped robot; arguments as in `forward_dynamics`."""
    tree, structure, coupling = robot.tree, robot.tree.loops, Coupling(robot, q)
    assert structure is not None
    poses = joint_transforms(tree, q)
    terms = velocity_terms(tree, poses, coupling.velocity(v))
    bias = coupling.bias(v)
    moments = lumped_moments(tree)
    inertias = [rigid_inertia(m.mass, m.first, m.rotational_inertia()) for m in moments]
    external = link_wrenches(robot, poses, wrenches)
    forces = [
        force_of_motion(m, term.motion) - wrench
        for m, term, wrench in zip(moments, terms, external, strict=True)
    ]

    # Inward: what each sub-system hands on to the link it hangs on, Schwienbacher 2014, (2.84), (2.85).
    places = {velocity: place for place, velocity in enumerate(structure.independent)}
    responses: list[Response | list[JointResponse]] = []
    for subsystem in reversed(structure.subsystems):
        if subsystem.cuts:
            drift = _drift(tree, subsystem, poses, terms, bias)
            body = _rigid_subsystem(tree, subsystem, q, poses, inertias, forces, drift, bias)
            response, inertia, force = _freed(coupling, body, tau)
            responses.insert(0, response)
        else:
            index = subsystem.links[0]
            link, own = tree.links[index], [tau[places[k]] for k, _ in free_axes(tree.links[index])]
            joint, inertia, force = _freed_link(
                link, q, poses[index], terms[index].bias, inertias[index], forces[index], own
            )
            responses.insert(0, joint)
        if subsystem.parent >= 0:
            inertias[subsystem.parent] = inertias[subsystem.parent] + inertia
            forces[subsystem.parent] = forces[subsystem.parent] + force

    # Outward, Schwienbacher 2014, (2.79), (2.90). Gravity is an acceleration of the world, upwards.
    accelerations: dict[int, Array] = {-1: np.concatenate([-tree.gravity, np.zeros(3)])}
    a: list[Any] = [0.0] * robot.nv
    for subsystem, answer in zip(structure.subsystems, responses, strict=True):
        if isinstance(answer, Response):
            known = list(accelerations[subsystem.parent])
            for place, free, gain in reversed(list(zip(*answer, strict=True))):
                a[place] = free - gain @ np.array(known)
                known.insert(0, a[place])
        for index in subsystem.links:
            link, pose, parent = tree.links[index], poses[index], accelerations[tree.links[index].parent]
            at_joint = np.concatenate([parent[:3] + cross(parent[3:], pose.translation), parent[3:]])
            acceleration = rotate(pose.rotation.T, at_joint + terms[index].bias)
            for number, (velocity, axis) in enumerate(free_axes(link)):
                if isinstance(answer, Response):
                    row = coupling.rows[velocity]
                    relative = sum((w * a[k] for k, w in row.items()), start=bias[velocity])
                else:
                    relative = answer[number].free_acceleration - answer[number].gain @ acceleration
                    a[places[velocity]] = relative
                acceleration = acceleration + np.eye(6)[axis] * relative
            accelerations[index] = acceleration
    return np.array(a)


def _freed_link(
    link: Link, q: Array, pose: Transform, bias: Array, inertia: Array, force: Array, tau: Sequence[Any]
) -> tuple[list[JointResponse], Array, Array]:
    """A link that shares nothing, as in a tree: responses of its axes, and what it hands on to its parent."""
    responses: list[JointResponse] = []
    for (_, axis), own in reversed(list(zip(free_axes(link), tau, strict=True))):
        response, inertia, force = free_joint_axis(axis, link.armature, own, inertia, force)
        responses.insert(0, response)
    turned = inertia_in_parent_axes(link, q, inertia)
    pushed = rotate(pose.rotation, force) + turned @ bias
    return responses, shift_inertia(pose.translation, turned), shift_force(pose.translation, pushed)


def _drift(
    tree: Tree, subsystem: Subsystem, poses: Sequence[Transform], terms: Sequence[VelocityTerms], bias: Array
) -> dict[int, Array]:
    """Acceleration (6,) of each member in constant velocities v while p does not accelerate, Schwienbacher 2014,
    (2.78a)."""
    drift: dict[int, Array] = {}
    for index in subsystem.links:
        link, pose = tree.links[index], poses[index]
        carried = terms[index].bias
        if link.parent != subsystem.parent:
            parent = drift[link.parent]
            carried = carried + np.concatenate([parent[:3] + cross(parent[3:], pose.translation), parent[3:]])
        drift[index] = rotate(pose.rotation.T, carried) + link.subspace @ bias[link.v]
    return drift


class RigidSubsystem(NamedTuple):
    """A sub-system in constant v, and what a unit acceleration of each of its joints takes.

    inertia (6, 6), force (6,): of all members about the origin of p. mass (n, n), bias (n,): of the joints' velocities
    alone, with armature; coupling (n, 6): of these with the motion of p. velocities: tree velocities.
    """

    inertia: Array
    force: Array
    mass: Array
    bias: Array
    coupling: Array
    velocities: list[int]


def _rigid_subsystem(
    tree: Tree,
    subsystem: Subsystem,
    q: Array,
    poses: Sequence[Transform],
    inertias: Sequence[Array],
    forces: Sequence[Array],
    drift: Mapping[int, Array],
    joint_bias: Array,
) -> RigidSubsystem:
    """Composite bodies from the tips of a sub-system to the link it hangs on."""
    members = [tree.links[index] for index in subsystem.links]
    velocities = [velocity for link in members for velocity, _ in free_axes(link)]
    place = {velocity: k for k, velocity in enumerate(velocities)}
    size = len(velocities)
    mass: list[list[Any]] = [[0.0] * size for _ in range(size)]
    bias: list[Any] = [0.0] * size
    rows: list[Array] = [np.zeros(6)] * size
    inertia = {index: inertias[index] for index in subsystem.links} | {subsystem.parent: np.zeros((6, 6))}
    force = {index: forces[index] + inertias[index] @ drift[index] for index in subsystem.links}
    force[subsystem.parent] = np.zeros(6)
    for index in reversed(subsystem.links):
        link = tree.links[index]
        for velocity, axis in free_axes(link):
            own, column, at = place[velocity], inertia[index][:, axis], index
            bias[own] = force[index][axis] + link.armature * joint_bias[velocity]
            while at != subsystem.parent:
                for other, row in free_axes(tree.links[at]):
                    mass[own][place[other]] = mass[place[other]][own] = column[row]
                column, at = force_to_parent(poses[at], column), tree.links[at].parent
            mass[own][own] = mass[own][own] + link.armature
            rows[own] = column
        in_parent = shift_inertia(poses[index].translation, inertia_in_parent_axes(link, q, inertia[index]))
        inertia[link.parent] = inertia[link.parent] + in_parent
        force[link.parent] = force[link.parent] + force_to_parent(poses[index], force[index])
    return RigidSubsystem(
        inertia[subsystem.parent],
        force[subsystem.parent],
        np.array(mass),
        np.array(bias),
        np.array(rows),
        velocities,
    )


def _freed(coupling: Coupling, body: RigidSubsystem, tau: Array) -> tuple[Response, Array, Array]:
    """Let the independent coordinates move: their response, and the inertia and force handed on to p."""
    places = sorted({k for velocity in body.velocities for k in coupling.rows[velocity]})
    weights = [
        {k: row[place] for k, row in enumerate(coupling.rows[u] for u in body.velocities) if place in row}
        for place in places
    ]
    half = [_combined(weight, body.mass) for weight in weights]  # rows of G^T M
    size = len(places)
    matrix: list[list[Any]] = [[0.0] * (size + 6) for _ in range(size + 6)]  # [[M_S, B_S], [B_S^T, M-_S]]
    right: list[Any] = [0.0] * (size + 6)
    for i, place in enumerate(places):
        for j in range(i, size):
            # Schwienbacher 2014, (2.76a).
            matrix[i][j] = sum((w * half[i][k] for k, w in weights[j].items()), start=0.0)
        matrix[i][size:] = list(_combined(weights[i], body.coupling))  # (2.76b)
        right[i] = tau[place] - sum((w * body.bias[k] for k, w in weights[i].items()), start=0.0)  # (2.76c)
    for i in range(6):
        matrix[size + i][size + i :] = list(body.inertia[i, i:])
        right[size + i] = -body.force[i]
    free, gains = [], []
    for k in range(size):  # Schwienbacher 2014, (2.80), (2.81), one coordinate after the other
        inverse = 1 / matrix[k][k]
        gain = [entry * inverse for entry in matrix[k][k + 1 :]]
        free.append(right[k] * inverse)
        gains.append(np.array(gain))
        for i, factor in enumerate(gain, start=k + 1):
            for j in range(i, size + 6):
                matrix[i][j] = matrix[i][j] - factor * matrix[k][j]
            right[i] = right[i] - factor * right[k]
    inertia = np.array([[matrix[size + min(i, j)][size + max(i, j)] for j in range(6)] for i in range(6)])
    return Response(places, free, gains), inertia, -np.array(right[size:])


def _combined(weights: Mapping[int, Any], rows: Array) -> Array:
    """Sum of rows, each times its weight."""
    terms = [weight * rows[k] for k, weight in weights.items()]
    total: Array = sum(terms[1:], start=terms[0])
    return total
