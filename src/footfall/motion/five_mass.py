"""The five-mass model: torso, feet and hands as mass points, the torso also with inertia (Seiwald 2023).

A hand has mass only as far as it is in task space (its selection factor); the torso has the rest, so that masses
change while a hand is blended in. World axes, SI units throughout; torques about the world's origin unless said.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, routine
from footfall.math.collocation import LinearEquation
from footfall.math.polynomials import Jet
from footfall.math.quaternion_splines import Turning
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.spatial import cross
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample


class Masses(NamedTuple):
    """What the equations know of a robot. foot_share, hand_share: of its mass, each."""

    total: float  # kg
    foot_share: float
    hand_share: float
    gravity: float  # m/s2
    torso_inertia: Matrix3  # kg m2, axes of the upper body


@lru_cache(maxsize=16)
def masses_of(model: ReducedModel) -> Masses:
    """Those of a robot."""
    return Masses(model.mass, model.foot_share, model.hand_share, model.gravity, model.torso_inertia)


class MassPoint(NamedTuple):
    """A mass that changes, and how it moves. flow: rate of the mass, kg/s."""

    mass: float
    flow: float
    place: Vector3
    velocity: Vector3
    acceleration: Vector3


class LimbTerms(NamedTuple):
    """What feet and hands, the turning of the torso, and angular momentum beyond five masses contribute to the contact
    wrench, Seiwald 2023, (F.3), (F.6): force C1 and torque C2; and the mass that they leave to the torso, with its
    rate."""

    force: Vector3
    torque: Vector3
    torso: float
    flow: float


class FootWrench(NamedTuple):
    """Force (k, 3) in N and torque about the world's origin (k, 3) in N m that the ground exerts on both feet."""

    force: Array
    torque: Array


# One time


def spin_torque(turning: Turning, inertia: Matrix3) -> Vector3:
    """d/dt (Theta omega) in world axes, for an inertia in axes that turn, Seiwald 2023, (F.7)."""
    turn = matrix_from_quaternion(turning.quaternion)
    spin, change = turn.T @ turning.angular_velocity, turn.T @ turning.angular_acceleration
    return turn @ (inertia @ change + cross(spin, inertia @ spin))


def is_turning(body: Turning) -> bool:
    """Whether it has angular velocity or acceleration."""
    spin, change = body.angular_velocity, body.angular_acceleration
    return bool(spin @ spin + change @ change > 0.0)


def limbs_at(at: Sample, masses: Masses) -> tuple[MassPoint, MassPoint, MassPoint, MassPoint]:
    """RF, LF, RH and LH."""
    value, rate, second = at.value, at.rate, at.second
    foot, hand = masses.foot_share * masses.total, masses.hand_share * masses.total
    right, left = value.right_selection * hand, value.left_selection * hand
    right_flow, left_flow = rate.right_selection * hand, rate.left_selection * hand
    return (
        MassPoint(foot, 0.0, value.right_foot, rate.right_foot, second.right_foot),
        MassPoint(foot, 0.0, value.left_foot, rate.left_foot, second.left_foot),
        MassPoint(right, right_flow, value.right_hand, rate.right_hand, second.right_hand),
        MassPoint(left, left_flow, value.left_hand, rate.left_hand, second.left_hand),
    )


def limb_terms(at: Sample, masses: Masses) -> LimbTerms:
    """What the limbs contribute at a time."""
    force = np.array([0.0, 0.0, masses.total * masses.gravity])  # of the whole mass
    torque = at.rate.momentum
    if is_turning(at.upper_body):
        torque = torque + spin_torque(at.upper_body, masses.torso_inertia)
    torso, flow = masses.total, 0.0
    for limb in limbs_at(at, masses):
        push = limb.mass * limb.acceleration + limb.flow * limb.velocity
        force = force + push
        torque = torque + cross(limb.place, push + np.array([0.0, 0.0, limb.mass * masses.gravity]))
        torso, flow = torso - limb.mass, flow - limb.flow
    now = at.value
    if now.right_selection != 0.0:
        force = force - now.right_selection * now.right_force
        torque = torque - now.right_selection * (cross(now.right_hand, now.right_force) + now.right_torque)
    if now.left_selection != 0.0:
        force = force - now.left_selection * now.left_force
        torque = torque - now.left_selection * (cross(now.left_hand, now.left_force) + now.left_torque)
    return LimbTerms(force, torque, torso, flow)


class Wrench(NamedTuple):
    """Force and torque about the world's origin."""

    force: Vector3
    torque: Vector3


def wrench_at(at: Sample, torso: Jet, masses: Masses) -> Wrench:
    """What the ground must exert on the feet for a motion of the torso, Seiwald 2023, (F.3), (F.5)."""
    terms = limb_terms(at, masses)
    push = terms.torso * torso.second + terms.flow * torso.rate
    lift = push + np.array([0.0, 0.0, terms.torso * masses.gravity])
    return Wrench(push + terms.force, cross(torso.value, lift) + terms.torque)


# Many times


@routine
def contact_wrenches(samples: ArrayOf[Sample], torso: ArrayOf[Vector3], masses: Masses) -> FootWrench:
    """What the ground must exert on the feet, for a motion of the torso (3, k)."""
    force: ArrayOf[Vector3] = np.empty((len(samples), 3))
    torque: ArrayOf[Vector3] = np.empty((len(samples), 3))
    for k in range(len(samples)):
        wrench = wrench_at(samples[k], Jet(torso[0, k], torso[1, k], torso[2, k]), masses)
        force[k], torque[k] = wrench.force, wrench.torque
    return FootWrench(np.asarray(force), np.asarray(torque))


def zero_moment_point(wrench: FootWrench, height: Array) -> Array:
    """Where (k, 3) at a height (k,) the wrench has no horizontal torque, Seiwald 2023, (4.5)-(4.9), m."""
    force, torque = wrench
    x = -(torque[:, 1] - height * force[:, 0]) / force[:, 2]
    y = (torque[:, 0] + height * force[:, 1]) / force[:, 2]
    return np.stack([x, y, np.broadcast_to(height, x.shape)], axis=1)


@routine
def torso_equation(samples: ArrayOf[Sample], height: Array, masses: Masses) -> LinearEquation:
    """alpha r'' + beta r' + gamma r = tau for the torso's x and y, Seiwald 2023, (6.26)-(6.29). height (3, k, 1): of
    the torso.

    The equation of y is that of x with all signs reversed: it is multiplied by -1, so that both have the same left-hand
    side.
    """
    count = len(samples)
    alpha, beta, gamma, tau = np.empty(count), np.empty(count), np.empty(count), np.empty((count, 2))
    for k in range(count):
        terms, zmp = limb_terms(samples[k], masses), samples[k].value.zmp
        arm = zmp[2] - height[0, k, 0]
        lift = terms.torso * height[2, k, 0] + terms.flow * height[1, k, 0]
        alpha[k], beta[k], gamma[k] = terms.torso * arm, terms.flow * arm, lift + terms.torso * masses.gravity
        push = lift + terms.force[2]
        tau[k, 0] = terms.torque[1] - zmp[2] * terms.force[0] + zmp[0] * push
        tau[k, 1] = -(terms.torque[0] + zmp[2] * terms.force[1] - zmp[1] * push)
    return LinearEquation(alpha, beta, gamma, tau)


@routine(quick=True)
def torso_heights(samples: ArrayOf[Sample], centre: Array, masses: Masses) -> Array:
    """The torso's height (k,) for heights of the centre of mass (k,) if masses do not change, Seiwald 2023, (6.22),
    m."""
    result = np.empty(len(samples))
    for k in range(len(samples)):
        torso, moment = masses.total, masses.total * centre[k]
        for limb in limbs_at(samples[k], masses):
            torso, moment = torso - limb.mass, moment - limb.mass * limb.place[2]
        result[k] = moment / torso
    return result


def product(share: Jet, point: Jet) -> Jet:
    """Of a number and a vector that both change."""
    return Jet(
        share.value * point.value,
        share.value * point.rate + share.rate * point.value,
        share.value * point.second + 2.0 * share.rate * point.rate + share.second * point.value,
    )


def centre_of_mass_at(at: Sample, torso: Jet, masses: Masses) -> Jet:
    """Motion of the centre of mass with masses that change, Seiwald 2023, (F.8)."""
    value, rate, second, hand = at.value, at.rate, at.second, masses.hand_share
    foot = Jet(masses.foot_share, 0.0, 0.0)
    right = Jet(hand * value.right_selection, hand * rate.right_selection, hand * second.right_selection)
    left = Jet(hand * value.left_selection, hand * rate.left_selection, hand * second.left_selection)
    rest = 1.0 - 2.0 * foot.value - right.value - left.value
    body = product(Jet(rest, -right.rate - left.rate, -right.second - left.second), torso)
    place, velocity, acceleration = body.value, body.rate, body.second
    for part in (
        product(foot, Jet(value.right_foot, rate.right_foot, second.right_foot)),
        product(foot, Jet(value.left_foot, rate.left_foot, second.left_foot)),
        product(right, Jet(value.right_hand, rate.right_hand, second.right_hand)),
        product(left, Jet(value.left_hand, rate.left_hand, second.left_hand)),
    ):
        place, velocity, acceleration = place + part.value, velocity + part.rate, acceleration + part.second
    return Jet(place, velocity, acceleration)


@routine
def angular_momenta(samples: ArrayOf[Sample], masses: Masses) -> Array:
    """Angular momentum (k, 3) about the centre of mass of feet and torso, kg m2/s, if hands have no mass of their own;
    the torso is where it then must be for the centre of mass to be where the samples have it."""
    result: ArrayOf[Vector3] = np.empty((len(samples), 3))
    foot = masses.foot_share * masses.total
    torso = masses.total - 2.0 * foot
    for k in range(len(samples)):
        at = samples[k]
        turn, spin = matrix_from_quaternion(at.upper_body.quaternion), at.upper_body.angular_velocity
        right, left = (
            at.value.right_foot - at.value.center_of_mass,
            at.value.left_foot - at.value.center_of_mass,
        )
        to_right, to_left = (
            at.rate.right_foot - at.rate.center_of_mass,
            at.rate.left_foot - at.rate.center_of_mass,
        )
        place, rate = -foot / torso * (right + left), -foot / torso * (to_right + to_left)
        feet = foot * (cross(right, to_right) + cross(left, to_left))
        result[k] = turn @ (masses.torso_inertia @ (turn.T @ spin)) + feet + torso * cross(place, rate)
    return np.asarray(result)


@routine
def centre_of_mass_motion(samples: ArrayOf[Sample], torso: ArrayOf[Vector3], masses: Masses) -> Array:
    """Value, velocity and acceleration (3, k, 3) of the centre of mass, for those of the torso (3, k)."""
    result: ArrayOf[Vector3] = np.empty((3, len(samples), 3))
    for k in range(len(samples)):
        centre = centre_of_mass_at(samples[k], Jet(torso[0, k], torso[1, k], torso[2, k]), masses)
        result[0, k], result[1, k], result[2, k] = centre.value, centre.rate, centre.second
    return np.asarray(result)
