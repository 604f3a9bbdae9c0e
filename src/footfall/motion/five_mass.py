"""The five-mass model: torso, feet and hands as mass points, the torso also with inertia (spec 003c section 10).

A hand has mass only as far as it is in task space (its selection factor); the torso has the rest, so that masses
change while a hand is blended in. World axes, SI units throughout; torques about the world's origin unless said.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.motion.curves import LimbCurves
from footfall.motion.five_mass_loops import all_limb_terms, mass_point_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.sample_layout import FEET, HANDS, ROTATION_COUNT, SELECTION, UPPER_BODY, WIDTH, WRENCHES


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


class FootWrench(NamedTuple):
    """Force (k, 3) in N and torque about the world's origin (k, 3) in N m that the ground exerts on both feet."""

    force: Array
    torque: Array


def sample_limbs(curves: LimbCurves, at: Array) -> Limbs:
    """All that moves besides the torso, at times (k,), s."""
    return limbs_of(*curves.packed.sample(np.ascontiguousarray(at, dtype=np.float64)))


def limbs_of(values: Array, rotations: Array) -> Limbs:
    """The limbs in samples of a motion, values (k, 3, 41) and rotations (k, 4, 10)."""
    motion, body = np.moveaxis(values, 1, 0), rotations[:, UPPER_BODY]
    feet, hands = motion[..., FEET : FEET + 6], motion[..., HANDS : HANDS + 6]
    selection = motion[..., SELECTION : SELECTION + 2]
    return Limbs(
        feet[..., :3],
        feet[..., 3:],
        hands[..., :3],
        hands[..., 3:],
        selection[..., :1],
        selection[..., 1:],
        motion[0, :, WRENCHES : WRENCHES + 12],
        body[:, 0:4],
        body[:, 4:7],
        body[:, 7:10],
    )


def samples_of(limbs: Limbs) -> tuple[Array, Array]:
    """Samples with these limbs: the reverse of `limbs_of`; all else is zero."""
    count = len(limbs.wrenches)
    values, rotations = np.zeros((count, 3, WIDTH)), np.zeros((count, ROTATION_COUNT, 10))
    motion = np.moveaxis(values, 1, 0)
    for number, part in enumerate(limbs[:4]):
        motion[..., FEET + 3 * number : FEET + 3 * number + 3] = part
    motion[..., SELECTION], motion[..., SELECTION + 1] = (
        limbs.right_selection[..., 0],
        limbs.left_selection[..., 0],
    )
    values[:, 0, WRENCHES : WRENCHES + 12] = limbs.wrenches
    rotations[:, UPPER_BODY] = np.concatenate(limbs[7:], axis=1)
    return values, rotations


@lru_cache(maxsize=16)
def mass_numbers(model: ReducedModel) -> Array:
    """What native code knows of the masses, (13,): mass, shares of a foot and of a hand, gravity, torso's inertia."""
    shares = (model.mass, model.foot_share, model.hand_share, model.gravity)
    numbers = np.array([*shares, *model.torso_inertia.ravel().tolist()])
    numbers.flags.writeable = False
    return numbers


def demands(limbs: Limbs, model: ReducedModel) -> Array:
    """What the limbs contribute to the contact wrench (k, 8): C1, C2 of 003c (F.3), (F.6); torso mass, its rate."""
    terms = np.empty((len(limbs.wrenches), 8))
    all_limb_terms(*samples_of(limbs), mass_numbers(model), terms)
    return terms


def contact_wrench(limbs: Limbs, torso: Array, model: ReducedModel) -> FootWrench:
    """What the ground must exert on the feet for a motion of the torso (3, k, 3), 003c (F.3), (F.5)."""
    terms = demands(limbs, model)
    mass, flow = terms[:, 6, None], terms[:, 7, None]
    push = mass * torso[2] + flow * torso[1]
    lift = push + mass * np.array([0.0, 0.0, model.gravity])
    return FootWrench(push + terms[:, :3], np.cross(torso[0], lift) + terms[:, 3:6])


def zero_moment_point(wrench: FootWrench, height: Array) -> Array:
    """Where (k, 3) at a height (k,) the wrench has no horizontal torque, 003c section 2.5, m."""
    force, torque = wrench
    x = -(torque[:, 1] - height * force[:, 0]) / force[:, 2]
    y = (torque[:, 0] + height * force[:, 1]) / force[:, 2]
    return np.stack([x, y, np.broadcast_to(height, x.shape)], axis=1)


def static_torso(limbs: Limbs, zmp: Array, model: ReducedModel) -> Array:
    """Where (k, 2) the torso must stand for a zero moment point (k, 3) if nothing moves, 003c (F.14), (F.15)."""
    gravity = np.array([0.0, 0.0, -model.gravity])
    masses = _masses(limbs, model)
    moment = model.mass * zmp - np.einsum("ek,ekd->kd", masses[1:], _places(limbs))
    load = np.cross(moment, gravity)
    for side, (hand, selection) in enumerate(_hands(limbs)):
        force, torque = (
            limbs.wrenches[:, 6 * side : 6 * side + 3],
            limbs.wrenches[:, 6 * side + 3 : 6 * side + 6],
        )
        load += selection[0] * (np.cross(zmp - hand[0], force) - torque)
    weight = masses[0] * model.gravity
    return np.stack([load[:, 1] / weight, -load[:, 0] / weight], axis=1)


def torso_height(limbs: Limbs, centre: Array, model: ReducedModel) -> Array:
    """Height (k,) of the torso for heights of the centre of mass (k,) if masses do not change, 003c (6.22)."""
    masses = _masses(limbs, model)
    others = np.einsum("ek,ek->k", masses[1:], _places(limbs)[:, :, 2])
    return np.asarray((model.mass * centre - others) / masses[0])


def centre_of_mass_motion(limbs: Limbs, torso: Array, model: ReducedModel) -> Array:
    """Value, velocity and acceleration (3, k, 3) of the centre of mass, 003c (F.8)."""
    result = np.empty(torso.shape)
    mass_point_motion(samples_of(limbs)[0], np.ascontiguousarray(torso), mass_numbers(model), result)
    return result


def torso_motion(limbs: Limbs, centre: Array, model: ReducedModel) -> Array:
    """Value, velocity and acceleration (3, k, 3) of the torso from those of the centre of mass, 003c (F.9)."""
    feet = model.foot_share * (limbs.right_foot + limbs.left_foot)
    hands = [(model.hand_share * selection, motion) for motion, selection in _hands(limbs)]
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


def _hands(limbs: Limbs) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    return (limbs.right_hand, limbs.right_selection), (limbs.left_hand, limbs.left_selection)


def _places(limbs: Limbs) -> Array:
    return np.stack([limbs.right_foot[0], limbs.left_foot[0], limbs.right_hand[0], limbs.left_hand[0]])


def _masses(limbs: Limbs, model: ReducedModel) -> Array:
    """Of torso, feet and hands (5, k)."""
    hands = [selection[0, :, 0] * model.hand_share for _, selection in _hands(limbs)]
    feet = np.full_like(hands[0], model.foot_share)
    others = np.stack([feet, feet, *hands])
    return model.mass * np.concatenate([1.0 - others.sum(axis=0, keepdims=True), others])
