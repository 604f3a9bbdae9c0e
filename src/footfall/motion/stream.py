"""The stream processor: what a controller is given of a motion at a time (spec 003c section 7.3).

It turns a sample of all trajectories into the task-space vectors of the robot, with the contact wrench that the motion
needs. One sample or many at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.math.quaternions import conjugate, product, rotate, rotation_vectors
from footfall.motion.curves import MotionSamples
from footfall.motion.five_mass import Limbs, contact_wrench
from footfall.motion.reduced_model import ReducedModel

Array = np.ndarray[Any, np.dtype[np.float64]]
BODY_TASKS = 22  # of the task-space vectors; then come the hands, three each


class HeadAngles(NamedTuple):
    """Pan and tilt (..., 2), rad, and their rates (..., 2), rad/s."""

    angles: Array
    rates: Array


class TaskSpaceStream(NamedTuple):
    """What a controller follows.

    position (..., 28): centre of mass, rotation vector of the upper body, position, rotation vector and toe angle of RF
    and of LF, head pan and tilt, RH, LH; m and rad. velocity (..., 28): its velocities, with angular velocities for
    rotation vectors. selection (..., 2): how far RH and LH are in task space; with 0 the last rows do not count. load
    (..., 4): of RF, LF, RH, LH. wrenches (..., 2, 6): on RH and LH. contact_wrench (..., 6): of all contacts about the
    centre of mass, N and Nm. World axes.
    """

    position: Array
    velocity: Array
    selection: Array
    load: Array
    wrenches: Array
    contact_wrench: Array


def stream(samples: MotionSamples, model: ReducedModel) -> TaskSpaceStream:
    """The task-space vectors of one or several samples."""
    vectors = rotation_vectors(samples.quaternions)
    spins = samples.angular_velocities
    head = head_angles(samples)
    shape = samples.values.shape[:-2]
    position, velocity = np.empty((*shape, 28)), np.empty((*shape, 28))
    for derivative, vector, turning, neck in (
        (0, position, vectors, head.angles),
        (1, velocity, spins, head.rates),
    ):
        feet, hands = samples.feet[..., derivative, :, :], samples.hands[..., derivative, :, :]
        vector[..., 0:3] = samples.center_of_mass[..., derivative, :]
        vector[..., 3:6] = turning[..., 0, :]
        for foot, start in ((0, 6), (1, 13)):
            vector[..., start : start + 3] = feet[..., foot, :]
            vector[..., start + 3 : start + 6] = turning[..., 2 + foot, :]
            vector[..., start + 6] = samples.toes[..., derivative, foot]
        vector[..., 20:22] = neck
        vector[..., 22:25], vector[..., 25:28] = hands[..., 0, :], hands[..., 1, :]
    return TaskSpaceStream(
        position,
        velocity,
        samples.selection[..., 0, :],
        samples.load[..., 0, :],
        samples.wrenches[..., 0, :, :],
        wrench_about_center_of_mass(samples, model),
    )


def head_angles(samples: MotionSamples) -> HeadAngles:
    """Pan and tilt of the head from the rotations of upper body and head, 003c (6.32), (6.33)."""
    body, head = samples.quaternions[..., 0, :], samples.quaternions[..., 1, :]
    back = conjugate(body)
    ahead = rotate(product(back, head), np.array([1.0, 0.0, 0.0]))
    turning = rotate(back, samples.angular_velocities[..., 1, :] - samples.angular_velocities[..., 0, :])
    moving = np.cross(turning, ahead)
    x, y, z = np.moveaxis(ahead, -1, 0)
    flat = x * x + y * y
    angles = np.stack([np.arctan2(y, x), np.arctan2(z, np.sqrt(flat))], axis=-1)
    rates = np.stack(
        [(x * moving[..., 1] - y * moving[..., 0]) / flat, moving[..., 2] / np.sqrt(flat)], axis=-1
    )
    return HeadAngles(angles, rates)


def limbs_of(samples: MotionSamples) -> Limbs:
    """Samples (k,) as the limbs of the five-mass model."""
    feet, hands = np.moveaxis(samples.feet, -3, 0), np.moveaxis(samples.hands, -3, 0)
    selection = np.moveaxis(samples.selection, -2, 0)
    wrenches = samples.wrenches[..., 0, :, :]
    body = samples.rotations[..., 0, :]
    solid = np.ascontiguousarray
    return Limbs(
        solid(feet[..., 0, :]),
        solid(feet[..., 1, :]),
        solid(hands[..., 0, :]),
        solid(hands[..., 1, :]),
        solid(selection[..., 0:1]),
        solid(selection[..., 1:2]),
        wrenches.reshape(*wrenches.shape[:-2], 12),
        solid(body[..., 0:4]),
        solid(body[..., 4:7]),
        solid(body[..., 7:10]),
    )


def wrench_about_center_of_mass(samples: MotionSamples, model: ReducedModel) -> Array:
    """Force and torque (..., 6) of all contacts about the centre of mass, N and Nm, 003c (6.34), (6.35)."""
    one = samples.values.ndim == 2
    many = MotionSamples(samples.values[None], samples.rotations[None]) if one else samples
    feet = contact_wrench(limbs_of(many), np.ascontiguousarray(np.moveaxis(many.torso, -2, 0)), model)
    center = many.center_of_mass[..., 0, :]
    force, torque = feet.force.copy(), feet.torque - np.cross(center, feet.force)
    for hand in range(2):
        share = many.selection[..., 0, hand, None]
        wrench = many.wrenches[..., 0, hand, :]
        arm = many.hands[..., 0, hand, :] - center
        force += share * wrench[..., :3]
        torque += share * (wrench[..., 3:] + np.cross(arm, wrench[..., :3]))
    result = np.concatenate([force, torque], axis=-1)
    return result[0] if one else result
