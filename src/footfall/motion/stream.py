"""The stream processor: what a controller is given of a motion at a time (Seiwald 2023).

It turns a sample of all trajectories into the task-space vectors of the robot, with the contact wrench that the motion
needs. One sample or many at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.motion.five_mass import masses_of
from footfall.motion.limbs import contact_wrench, limbs_of
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import LOAD, SELECTION, WRENCHES, MotionSamples
from footfall.motion.stream_vectors import stream_kernel

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
