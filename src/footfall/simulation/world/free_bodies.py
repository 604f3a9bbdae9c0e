"""Free bodies in a step: inertia, smooth forces and motion, for any of them, while it runs.

A free body has the velocity [velocity of its origin in world axes; angular velocity in body axes], as a floating joint.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3
from footfall.math.linear_systems import solve_in_place
from footfall.math.rotations import matrix_from_quaternion, quaternion_product
from footfall.math.spatial import skew
from footfall.simulation.world.records import FreeBody, Settings


def free_inertia(body: FreeBody, rotation: Matrix3, block: ArrayOf[Lanes]) -> None:
    """Fill the block (8, 8) of a body's inertia."""
    block[:] = 0.0
    turn = body.mass * (rotation @ skew(body.center))
    for i in range(3):
        block[i, i] = body.mass
        for j in range(3):
            block[i, 3 + j] = -turn[i, j]
            block[3 + j, i] = -turn[i, j]
            block[3 + i, 3 + j] = body.inertia[i, j]
    block[6, 6] = 1.0
    block[7, 7] = 1.0


def free_forces(body: FreeBody, rotation: Matrix3, angular: Vector3, gravity: Vector3) -> Lanes:
    """Forces on the velocities of a body that turns with an angular velocity (3,) in its own axes, N and N m."""
    pull = body.mass * (rotation.T @ gravity)
    spin = body.inertia @ angular
    force = rotation @ (pull - body.mass * np.cross(angular, np.cross(angular, body.center)))
    moment = np.cross(body.center, pull) - np.cross(angular, spin)
    result: Lanes = np.zeros(8)
    result[0], result[1], result[2] = force[0], force[1], force[2]
    result[3], result[4], result[5] = moment[0], moment[1], moment[2]
    return result


def free_velocity(
    body: FreeBody, rotation: Matrix3, block: ArrayOf[Lanes], v: Lanes, settings: Settings
) -> Lanes:
    """Velocity after a step without contact; gyroscopic forces are those in its middle, or at its start."""
    matrix, right = np.empty((6, 6)), np.empty(6)
    angular = np.array([v[3], v[4], v[5]])
    for stage in range(0 if settings.middle else 1, 2):
        forces = free_forces(body, rotation, angular, settings.gravity)
        step = 0.5 * settings.dt if stage == 0 else settings.dt
        for i in range(6):
            right[i] = step * forces[i]
            for j in range(6):
                matrix[i, j] = block[i, j]
        solve_in_place(matrix, right)
        angular = np.array([v[3] + right[3], v[4] + right[4], v[5] + right[5]])
    result = v.copy()
    for i in range(6):
        result[i] += right[i]
    return result


def moved_quaternion(q: Array, turn: Vector3) -> Array:
    """A quaternion (4,) turned further by a rotation vector (3,) in body axes, rad."""
    angle = np.sqrt(turn @ turn)
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else np.sin(0.5 * angle) / angle
    step = np.array([np.cos(0.5 * angle), scale * turn[0], scale * turn[1], scale * turn[2]])
    product = quaternion_product(np.array([q[0], q[1], q[2], q[3]]), step)
    return product / np.sqrt(product @ product)


def body_rotation(q: Array) -> Matrix3:
    """Rotation (3, 3) of the quaternion q[3:7] of a free body's coordinates."""
    return matrix_from_quaternion(np.array([q[3], q[4], q[5], q[6]]))
