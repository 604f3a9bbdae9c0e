"""Task-space vectors and the wrench of all contacts at one instant, as textbook code (Seiwald 2023).

It is traced and runs as native code, for one sample or many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, atan2, build_kernel
from footfall.compiler.once import once
from footfall.compiler.routines import record_dtype, record_from_numbers
from footfall.math.quaternion_splines import Turning
from footfall.math.rotations import (
    quaternion_inverse,
    quaternion_product,
    rotate_by_quaternion,
    rotation_vector_from_quaternion,
)
from footfall.math.spatial import cross
from footfall.motion.five_mass import Masses, MassPoint, limbs_at, spin_torque
from footfall.motion.samples import TURNINGS, VALUES, Quantities, Sample


@once
def stream_kernel() -> Kernel:
    """Native code of `stream_vectors`."""
    shapes: dict[str, int | tuple[int, ...]] = {
        "values": VALUES,
        "rotations": TURNINGS,
        "masses": record_dtype(Masses).itemsize // 8,
    }
    return build_kernel(stream_vectors, shapes, name="stream_vectors", key="motion.stream_vectors")


def stream_vectors(values: Array, rotations: Array, masses: Array) -> dict[str, Array]:
    """Task-space position and velocity (28,), see `TaskSpaceStream`, and the wrench (6,) of all contacts about the
    centre of mass, N and Nm.

    values (3, 49), rotations (4, 10): a sample of a motion. masses (13,): the numbers of `Masses`.
    """
    quantities = [record_from_numbers(Quantities, row) for row in values]
    at = Sample(*quantities, *(record_from_numbers(Turning, row) for row in rotations))
    now, rate, body = at.value, at.rate, at.upper_body
    right, left = at.right_foot_rotation, at.left_foot_rotation
    pan_and_tilt, turning = _pan_and_tilt(body, at.head)
    position: list[Any] = [
        *(now.center_of_mass, rotation_vector_from_quaternion(body.quaternion)),
        *(now.right_foot, rotation_vector_from_quaternion(right.quaternion), [now.right_toe]),
        *(now.left_foot, rotation_vector_from_quaternion(left.quaternion), [now.left_toe]),
        *(pan_and_tilt, now.right_hand, now.left_hand),
    ]
    velocity: list[Any] = [
        *(rate.center_of_mass, body.angular_velocity),
        *(rate.right_foot, right.angular_velocity, [rate.right_toe]),
        *(rate.left_foot, left.angular_velocity, [rate.left_toe]),
        *(turning, rate.right_hand, rate.left_hand),
    ]
    return {
        "position": np.concatenate(position),
        "velocity": np.concatenate(velocity),
        "wrench": _contact_wrench(at, record_from_numbers(Masses, masses)),
    }


def _pan_and_tilt(body: Turning, head: Turning) -> tuple[Array, Array]:
    """Pan and tilt of the head (2,) and their rates (2,), Seiwald 2023, (6.32), (6.33)."""
    back = quaternion_inverse(body.quaternion)
    ahead = rotate_by_quaternion(quaternion_product(back, head.quaternion), np.array([1.0, 0.0, 0.0]))
    spin = rotate_by_quaternion(back, head.angular_velocity - body.angular_velocity)
    (x, y, z), (dx, dy, dz) = ahead, cross(spin, ahead)
    flat = x * x + y * y
    level = np.sqrt(flat)
    return np.array([atan2(y, x), atan2(z, level)]), np.array([(x * dy - y * dx) / flat, dz / level])


def _contact_wrench(at: Sample, masses: Masses) -> Array:
    """What all contacts exert about the centre of mass, Seiwald 2023, (F.3), (F.5): masses that change, and the torso
    turns."""
    limbs = limbs_at(at, masses)
    mass = masses.total - sum(limb.mass for limb in limbs)
    flow = -sum(limb.flow for limb in limbs)
    torso = MassPoint(mass, flow, at.value.torso, at.rate.torso, at.second.torso)
    up = np.array([0.0, 0.0, 1.0]) * masses.gravity
    force, torque = 0.0 * up, at.rate.momentum + spin_torque(at.upper_body, masses.torso_inertia)
    for point in (*limbs, torso):
        own = point.mass * (point.acceleration + up) + point.flow * point.velocity
        force, torque = force + own, torque + cross(point.place - at.value.center_of_mass, own)
    return np.concatenate([force, torque])
