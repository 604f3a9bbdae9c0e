"""Feet, hands and upper body over many times, as they are recorded, and the five-mass model on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, new_records
from footfall.motion.curves import LimbCurves
from footfall.motion.five_mass import FootWrench, centre_of_mass_motion, contact_wrenches, masses_of
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import ROTATIONS, MotionSamples, Sample

_DERIVATIVES = Sample._fields[:3]


class Limbs(NamedTuple):
    """Feet and hands (3, k, 3) and selections (3, k, 1), each with velocity and acceleration, at k times.

    wrenches (k, 12): force and torque on the right hand at its frame, then on the left. quaternion (k, 4),
    spin and change (k, 3): orientation of the upper body, its angular velocity and acceleration.
    """

    right_foot: Array
    left_foot: Array
    right_hand: Array
    left_hand: Array
    right_selection: Array
    left_selection: Array
    wrenches: Array
    quaternion: Array
    spin: Array
    change: Array

    @property
    def samples(self) -> ArrayOf[Sample]:
        """Samples (k,) with these limbs; all else is zero."""
        samples = new_records(Sample, len(self.wrenches))
        for number, derivative in enumerate(_DERIVATIVES):
            part = samples[derivative]
            for name in ("right_foot", "left_foot", "right_hand", "left_hand"):
                part[name] = getattr(self, name)[number]
            for name in ("right_selection", "left_selection"):
                part[name] = getattr(self, name)[number, :, 0]
        names = ("right_force", "right_torque", "left_force", "left_torque")
        for name, wrench in zip(names, np.split(self.wrenches, 4, axis=1), strict=True):
            samples["value"][name] = wrench
        body = samples["upper_body"]
        body["quaternion"], body["angular_velocity"] = self.quaternion, self.spin
        body["angular_acceleration"] = self.change
        return samples


def sample_limbs(curves: LimbCurves, at: Array) -> Limbs:
    """All that moves besides the torso, at times (k,), s."""
    return limbs_of(MotionSamples.of(curves.packed.numbers(np.ascontiguousarray(at, dtype=np.float64))))


def limbs_of(samples: MotionSamples) -> Limbs:
    """The limbs in samples (k,) of a motion."""
    feet, hands, selection = (
        np.moveaxis(part, 1, 0) for part in (samples.feet, samples.hands, samples.selection)
    )
    body = ROTATIONS.index("upper_body")
    return Limbs(
        feet[:, :, 0],
        feet[:, :, 1],
        hands[:, :, 0],
        hands[:, :, 1],
        selection[:, :, :1],
        selection[:, :, 1:],
        samples.wrenches[:, 0].reshape(-1, 12),
        samples.quaternions[:, body],
        samples.angular_velocities[:, body],
        samples.angular_accelerations[:, body],
    )


def contact_wrench(limbs: Limbs, torso: Array, model: ReducedModel) -> FootWrench:
    """What the ground must exert on the feet for a motion of the torso (3, k, 3), Seiwald 2023, (F.3), (F.5)."""
    return contact_wrenches(limbs.samples, np.ascontiguousarray(torso), masses_of(model))


def centre_of_mass(limbs: Limbs, torso: Array, model: ReducedModel) -> Array:
    """Value, velocity and acceleration (3, k, 3) of the centre of mass for those of the torso, Seiwald 2023, (F.8)."""
    return centre_of_mass_motion(limbs.samples, np.ascontiguousarray(torso), masses_of(model))


def torso_motion(limbs: Limbs, centre: Array, model: ReducedModel) -> Array:
    """Value, velocity and acceleration (3, k, 3) of the torso from those of the centre of mass, Seiwald 2023, (F.9)."""
    feet = model.foot_share * (limbs.right_foot + limbs.left_foot)
    hands = (
        (model.hand_share * limbs.right_selection, limbs.right_hand),
        (model.hand_share * limbs.left_selection, limbs.left_hand),
    )
    loss = hands[0][0] + hands[1][0]
    rest = centre - feet
    for share, motion in hands:
        rest = rest - np.stack(
            [
                share[0] * motion[0],
                share[0] * motion[1] + share[1] * motion[0],
                share[0] * motion[2] + 2 * share[1] * motion[1] + share[2] * motion[0],
            ]
        )
    mass = 1.0 - 2.0 * model.foot_share - loss[0]
    value = rest[0] / mass
    rate = (rest[1] + loss[1] * value) / mass
    return np.stack([value, rate, (rest[2] + 2 * loss[1] * rate + loss[2] * value) / mass])
