"""The stream processor: what a controller is given of a motion at a time (Seiwald 2023).

It turns a sample of all trajectories into the task-space vectors of the robot, with the contact wrench that the motion
needs. One sample or many at once.

Task-space vectors and the wrench of all contacts at one instant, as textbook code (Seiwald 2023).

It is traced and runs as native code, for one sample or many.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
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
from footfall.motion.five_mass import Masses, MassPoint, limbs_at, masses_of, spin_torque
from footfall.motion.limbs import contact_wrench, limbs_of
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import (
    LOAD,
    SELECTION,
    TURNINGS,
    VALUES,
    WRENCHES,
    MotionSamples,
    Quantities,
    Sample,
)


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


HEAD = slice(20, 22)  # pan and tilt in the vectors of a stream


class TaskSpaceStream(NamedTuple):
    """What a controller follows.

    position (..., 28): centre of mass, rotation vector of the upper body, position, rotation vector and toe angle of RF
    and of LF, head pan and tilt, RH, LH; m and rad. velocity (..., 28): its velocities, with angular velocities for
    rotation vectors. selection (..., 2): how far RH and LH are in task space; with 0 the last rows do not count. load
    (..., 4): of RF, LF, RH, LH. wrenches (..., 2, 6): on RH and LH. contact_wrench (..., 6): of all contacts about the
    centre of mass, N and Nm. time (...): s. closed (..., 2): whether RF and LF stand. contact (..., 2): on what they
    stand or will stand, in the order of `FootContact`: whole sole, toe pad, tiptoe. World axes.
    """

    position: Array
    velocity: Array
    selection: Array
    load: Array
    wrenches: Array
    contact_wrench: Array
    time: Array
    closed: Flags
    contact: Integers


def stream(samples: MotionSamples, model: ReducedModel) -> TaskSpaceStream:
    """The task-space vectors of one or several samples."""
    position, velocity, wrench = stream_kernel()(*samples, mass_numbers(model))
    values = samples.values
    wrenches = values[..., 0, WRENCHES]
    return TaskSpaceStream(
        position,
        velocity,
        values[..., 0, SELECTION],
        values[..., 0, LOAD],
        wrenches.reshape(*wrenches.shape[:-1], 2, 6),
        wrench,
        samples.times,
        samples.closed,
        samples.contact,
    )


@lru_cache(maxsize=16)
def mass_numbers(model: ReducedModel) -> Array:
    """The numbers (13,) of `Masses`, as the kernel takes them."""
    numbers = np.concatenate([np.ravel(part) for part in masses_of(model)])
    numbers.flags.writeable = False
    return numbers


def wrench_about_center_of_mass(samples: MotionSamples, model: ReducedModel) -> Array:
    """Force and torque (..., 6) of all contacts about the centre of mass, N and Nm, Seiwald 2023, (6.34), (6.35): feet
    and hands summed up, for comparison with what `stream` gets from the masses."""
    one = samples.values.ndim == 2
    many = MotionSamples(samples.values[None], samples.rotations[None]) if one else samples
    feet = contact_wrench(limbs_of(many), np.moveaxis(many.torso, -2, 0), model)
    center = many.center_of_mass[..., 0, :]
    force, torque = feet.force.copy(), feet.torque - np.cross(center, feet.force) + many.momentum[..., 1, :]
    for hand in range(2):
        share = many.selection[..., 0, hand, None]
        wrench = many.wrenches[..., 0, hand, :]
        arm = many.hands[..., 0, hand, :] - center
        force += share * wrench[..., :3]
        torque += share * (wrench[..., 3:] + np.cross(arm, wrench[..., :3]))
    result = np.concatenate([force, torque], axis=-1)
    return result[0] if one else result
