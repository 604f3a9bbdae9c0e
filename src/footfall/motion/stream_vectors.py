"""Task-space vectors and the wrench of all contacts at one instant, as textbook code (spec 003c section 7.3).

It is traced and runs as native code, for one sample or many.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, atan2, build_kernel
from footfall.math.rotations import (
    quaternion_inverse,
    quaternion_product,
    rotate_by_quaternion,
    rotation_vector_from_quaternion,
)
from footfall.math.spatial import cross
from footfall.motion.sample_layout import (
    CENTER_OF_MASS,
    FEET,
    FOOT_ROTATIONS,
    HANDS,
    HEAD,
    ROTATION_COUNT,
    SELECTION,
    TOES,
    TORSO,
    UPPER_BODY,
    WIDTH,
)


@cache
def stream_kernel() -> Kernel:
    """Native code of `stream_vectors`."""
    shapes = {"values": (3, WIDTH), "rotations": (ROTATION_COUNT, 10), "numbers": (13,)}
    return build_kernel(stream_vectors, shapes, name="stream_vectors", key="motion.stream_vectors")


def stream_vectors(values: Array, rotations: Array, numbers: Array) -> dict[str, Array]:
    """Task-space position and velocity (28,), see `TaskSpaceStream`, and the wrench (6,) of all contacts about the
    centre of mass, N and Nm.

    values (3, 41), rotations (4, 10): a sample of a motion. numbers (13,): `mass_numbers`.
    """
    com = slice(CENTER_OF_MASS, CENTER_OF_MASS + 3)
    upper_body, head = rotations[UPPER_BODY], rotations[HEAD]
    position = [values[0, com], rotation_vector_from_quaternion(upper_body[:4])]
    velocity = [values[1, com], upper_body[4:7]]
    for side in range(2):
        foot, toe = slice(FEET + 3 * side, FEET + 3 * side + 3), slice(TOES + side, TOES + side + 1)
        turn = rotations[FOOT_ROTATIONS + side]
        position += [values[0, foot], rotation_vector_from_quaternion(turn[:4]), values[0, toe]]
        velocity += [values[1, foot], turn[4:7], values[1, toe]]
    angles, rates = _pan_and_tilt(upper_body, head)
    hands = slice(HANDS, HANDS + 6)
    return {
        "position": np.concatenate([*position, angles, values[0, hands]]),
        "velocity": np.concatenate([*velocity, rates, values[1, hands]]),
        "wrench": _contact_wrench(values, upper_body, numbers),
    }


def _pan_and_tilt(upper_body: Array, head: Array) -> tuple[Array, Array]:
    """Pan and tilt of the head (2,) and their rates (2,), 003c (6.32), (6.33)."""
    back = quaternion_inverse(upper_body[:4])
    x, y, z = ahead = rotate_by_quaternion(quaternion_product(back, head[:4]), np.array([1.0, 0.0, 0.0]))
    dx, dy, dz = cross(rotate_by_quaternion(back, head[4:7] - upper_body[4:7]), ahead)
    flat = x * x + y * y
    level = np.sqrt(flat)
    return np.array([atan2(y, x), atan2(z, level)]), np.array([(x * dy - y * dx) / flat, dz / level])


def _contact_wrench(values: Array, upper_body: Array, numbers: Array) -> Array:
    """What all contacts exert about the centre of mass, 003c (F.3), (F.5): masses that change, and the torso turns."""
    mass, foot, hand = numbers[0], numbers[1], numbers[2]
    up, inertia = np.array([0.0, 0.0, 1.0]) * numbers[3], numbers[4:].reshape(3, 3)
    chosen, flow = hand * values[0, SELECTION : SELECTION + 2], hand * values[1, SELECTION : SELECTION + 2]
    shares = {
        FEET: (foot, 0.0),
        FEET + 3: (foot, 0.0),
        HANDS: (chosen[0], flow[0]),
        HANDS + 3: (chosen[1], flow[1]),
        TORSO: (1.0 - 2.0 * foot - chosen[0] - chosen[1], -flow[0] - flow[1]),
    }
    center = values[0, CENTER_OF_MASS : CENTER_OF_MASS + 3]
    back = quaternion_inverse(upper_body[:4])
    spin, change = rotate_by_quaternion(back, upper_body[4:7]), rotate_by_quaternion(back, upper_body[7:10])
    turning = inertia @ change + cross(spin, inertia @ spin)
    force, torque = 0.0 * up, rotate_by_quaternion(upper_body[:4], turning)
    for column, (share, rate) in shares.items():
        place, speed, push = values[:, column : column + 3]
        own = mass * (share * (push + up) + rate * speed)
        force, torque = force + own, torque + cross(place - center, own)
    return np.concatenate([force, torque])
