"""Any robot of hinges and slides in maximal coordinates: every body is free, joints are constraints with reactions.

Newton and Euler for each body by itself (textbook chapter 3.3), `m a = f`, `I alpha + w x I w = n`, and for each joint
that its two bodies accelerate alike in all directions it does not leave free: a linear system whose unknowns are the
accelerations of all bodies and the reactions in all joints. Recursive algorithms find the same, without the system.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import footfall
from footfall import JointType, Robot
from footfall.arrays import Array

HINGES, SLIDES = (JointType.REVOLUTE, JointType.CONTINUOUS), (JointType.PRISMATIC,)


class FreeBodies(NamedTuple):
    """accelerations (bodies, 6): [a; alpha] of the centres of mass. reactions (joints, 6): [f; n] on the child, at its
    origin, without the drive's part. joint_accelerations (nv,). World axes, SI."""

    accelerations: Array
    reactions: Array
    joint_accelerations: Array


def solve_free_bodies(robot: Robot, q: Array, v: Array, tau: Array) -> FreeBodies:
    """All bodies at once, in the state q (nq,), v (nv,) under joint forces tau (nv,); a fixed or floating base."""
    bodies, index = robot.bodies, {body.name: i for i, body in enumerate(robot.bodies)}
    poses = [footfall.frame_pose(robot, q, body.name) for body in bodies]
    twists = [np.asarray(footfall.frame_velocity(robot, q, v, body.name)) for body in bodies]
    size = 6 * len(bodies)
    mass, force = np.zeros((size, size)), np.zeros(size)
    for i, (body, pose, twist) in enumerate(zip(bodies, poses, twists, strict=True)):
        inertia, w = pose.rotation @ body.inertia @ pose.rotation.T, twist[3:]
        mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = body.mass * np.eye(3)
        mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia
        force[6 * i : 6 * i + 3] = body.mass * np.array(robot.gravity)
        force[6 * i + 3 : 6 * i + 6] = -np.cross(w, inertia @ w)

    rows, right, directions = [], [], []
    for joint in robot.joints:
        child = index[joint.child]
        parent = index.get(joint.parent)
        moves = np.asarray(footfall.frame_jacobian(robot, q, joint.child))[:, robot.v_slice(joint.name)]
        held = _held_directions(joint.type, moves)
        directions.append(held)
        place = poses[child].translation
        at_child, from_child = _at(place, bodies[child], poses[child], twists[child])
        jacobian, bias = np.zeros((6, size)), from_child
        jacobian[:, 6 * child : 6 * child + 6] = at_child
        turning = np.zeros(3)
        if parent is not None:
            at_parent, from_parent = _at(place, bodies[parent], poses[parent], twists[parent])
            jacobian[:, 6 * parent : 6 * parent + 6] = -at_parent
            bias, turning = bias - from_parent, twists[parent][3:]
        # Seen from the parent, the child moves along `moves`: Coriolis terms of a motion on a turning body.
        relative = moves @ v[robot.v_slice(joint.name)]
        coriolis = np.concatenate([2 * np.cross(turning, relative[:3]), np.cross(turning, relative[3:])])
        if joint.type is not JointType.FLOATING:
            rows.append(held.T @ jacobian)
            right.append(held.T @ (coriolis - bias))
            force += jacobian.T @ (moves @ tau[robot.v_slice(joint.name)])
    constraints = np.concatenate([np.zeros((0, size)), *rows])
    count = len(constraints)
    system = np.block([[mass, -constraints.T], [constraints, np.zeros((count, count))]])
    found = np.linalg.solve(system, np.concatenate([force, *right]))
    return _sorted_out(robot, q, v, found, directions)


def _held_directions(kind: JointType, moves: Array) -> Array:
    """(6, 6 - n): an orthonormal basis of what a joint does not leave free."""
    if kind not in (*HINGES, *SLIDES, JointType.FIXED, JointType.FLOATING):
        raise ValueError(f"a joint is {kind}; free bodies are shown for hinges and slides")
    return np.linalg.svd(moves, full_matrices=True)[0][:, moves.shape[1] :] if moves.size else np.eye(6)


def _at(place: Array, body: footfall.Body, pose: footfall.Transform, twist: Array) -> tuple[Array, Array]:
    """Acceleration of a body at a place from that of its centre: matrix (6, 6), and what velocities add (6,)."""
    x, y, z = place - pose.apply(body.center_of_mass)
    arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix = np.block([[np.eye(3), -arm], [np.zeros((3, 3)), np.eye(3)]])
    w = twist[3:]
    return matrix, np.concatenate([np.cross(w, np.cross(w, np.array([x, y, z]))), np.zeros(3)])


def _sorted_out(robot: Robot, q: Array, v: Array, found: Array, directions: list[Array]) -> FreeBodies:
    size = 6 * len(robot.bodies)
    accelerations, multipliers, reactions = found[:size].reshape(-1, 6), found[size:], []
    for joint, held in zip(robot.joints, directions, strict=True):
        count = 0 if joint.type is JointType.FLOATING else held.shape[1]
        reactions.append(held[:, :count] @ multipliers[:count])
        multipliers = multipliers[count:]
    # Joint accelerations: those of all centres of mass together are J a + dJ/dt v.
    jacobians, biases = [], []
    for body in robot.bodies:
        pose, twist = (
            footfall.frame_pose(robot, q, body.name),
            footfall.frame_velocity(robot, q, v, body.name),
        )
        matrix, bias = _at(pose.apply(body.center_of_mass), _at_origin(body), pose, np.asarray(twist))
        jacobians.append(matrix @ np.asarray(footfall.frame_jacobian(robot, q, body.name)))
        own = np.asarray(footfall.frame_acceleration(robot, q, v, np.zeros(robot.nv), body.name))
        biases.append(matrix @ own + bias)
    stacked, left = np.concatenate(jacobians), accelerations.ravel() - np.concatenate(biases)
    return FreeBodies(accelerations, np.array(reactions), np.linalg.lstsq(stacked, left, rcond=None)[0])


def _at_origin(body: footfall.Body) -> footfall.Body:
    return footfall.Body(body.name)


def main() -> None:
    robot = footfall.load("arm-7r")
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=7), rng.normal(size=7), rng.normal(size=7)
    found = solve_free_bodies(robot, q, v, tau)
    a = footfall.forward_dynamics(robot, q, v, tau)
    print(f"joint accelerations differ by {np.abs(found.joint_accelerations - a).max():.1e} rad/s2")
    wrenches = np.asarray(footfall.dynamics.joint_wrenches(robot, q, v, a))
    print(f"force in the shoulder {np.linalg.norm(found.reactions[0, :3]):.3f} N,", end=" ")
    print(f"by recursion {np.linalg.norm(wrenches[0, :3]):.3f} N")


if __name__ == "__main__":
    main()
