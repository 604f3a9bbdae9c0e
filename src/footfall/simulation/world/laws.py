"""What a contact asks of the velocity at the end of a step: the law of its materials, and what moves on given paths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3
from footfall.contact.contacts import Contact
from footfall.contact.islands.island import Follower
from footfall.contact.law import MaterialLaw, PairMaterial, follower_law, material_law
from footfall.simulation.world.records import Moment, World

JAMMED = 1e-5  # m: limbs of one robot that are deeper in each other may not come apart whatever presses them
GIVING = 1e-4  # of its mobility: so much a contact gives way that may not be able to do what is asked of it
DEEP = 3e-4  # m: from here on what is wedged gives way by all of `GIVING`
_LEAST_MOBILITY = 1e-9  # of the sum over all axes: keeps those about which nothing turns off zero
PRESSED = 30.0  # m/s in a step: three thousand times its own weight, if a step is a millisecond


class Law(NamedTuple):
    """What a contact asks for, and its drift (3,), m/s, see `IslandContact`; rebound: what of it is restitution, along
    the normal, m/s, not above zero."""

    drift: Vector3
    asked: MaterialLaw
    rebound: float


def contact_law(
    now: Moment, contact: Contact, own: bool, frame: Matrix3, speed: Vector3, impulse: Vector3
) -> Law:
    """The law of a contact, its mobility aside. own: whether a robot touches itself. frame: columns (t1, t2, n); along
    them speed (3,): of the first body against the second at the beginning of the step, m/s, and impulse (3,): of the
    step before, N s."""
    world, settings = now.world, now.settings
    shapes, dt, rules = world.shapes.shapes, settings.dt, settings.rules
    material = material_of(world, contact)
    carried: Vector3 = np.zeros(3)
    if _has_given_motion(world):
        given = _given_velocity(now, shapes[contact.second].body, contact.position)
        given -= _given_velocity(now, shapes[contact.first].body, contact.position)
        carried = frame.T @ given
    speed = speed - carried
    asked = material_law(material, felt_gap(own, contact.gap), contact.bend, speed, rules, dt)
    held: Vector3 = np.zeros(3)
    if asked.shear > 0.0:
        held = asked.shear * impulse
    drift = np.array([-carried[0] - held[0], -carried[1] - held[1], asked.offset - carried[2]])
    rebounds = material.restitution > 0.0 and speed[2] < -rules.restitution_speed
    return Law(drift, asked, min(asked.offset, 0.0) if rebounds else 0.0)


def material_of(world: World, contact: Contact) -> PairMaterial:
    """How its two surfaces touch each other."""
    shapes = world.shapes.shapes
    pair = shapes[contact.first].material * world.material_count + shapes[contact.second].material
    material: PairMaterial = world.materials[pair]
    return material


def follower_of(now: Moment, contact: Contact, leader: int, frame: Matrix3, turning: Matrix3) -> Follower:
    """Rolling and torsional friction of a contact. frame: its columns (t1, t2, n). turning (3, 3): about how moments
    turn what touches, 1/(kg m2)."""
    world, material = now.world, material_of(now.world, contact)
    arm, drift = material.arm, np.zeros(3)
    if _has_given_motion(world):
        shapes = world.shapes.shapes
        given = _given_rotation(now, shapes[contact.second].body) - _given_rotation(
            now, shapes[contact.first].body
        )
        drift = -arm * (frame.T @ given)
    normal = frame[:, 2] @ (turning @ frame[:, 2])
    in_all_ways = turning[0, 0] + turning[1, 1] + turning[2, 2]
    along, least = max(0.5 * (in_all_ways - normal), 0.0), _LEAST_MOBILITY * in_all_ways + 1e-200
    law = follower_law(
        arm * arm * (along + least),
        arm * arm * (normal + least),
        material.rolling_friction / arm,
        material.torsional_friction / arm,
    )
    return Follower(leader, drift, law, arm * frame)


def felt_gap(own: bool, gap: float) -> float:
    """The gap (m) that a law goes by. own: whether a robot touches itself: limbs may be jammed, and what is undone
    there gives energy, so that only what is deeper counts."""
    return min(gap + JAMMED, 0.0) if own and gap < 0.0 else gap


def giving_share(own: bool, gap: float, pressed: float) -> float:
    """By how much of its mobility a contact gives way. own: whether a robot touches itself. gap: m. pressed: the
    velocity that its impulse of the step before would give to what it acts on alone, m/s.

    Joints may let a limb move along another one only, where friction holds it. Things that are wedged in a slot, or
    inside of several others, are asked to leave all of them. No velocity does that: impulses had no bound. So what is
    deep, and pressed as little else is, gives way, by a ten-thousandth of its mobility at most.
    """
    if own:
        return GIVING
    deep = min(max(-gap / DEEP, 0.0), 1.0)
    return GIVING * deep * min(max(pressed / PRESSED - 1.0, 0.0), 1.0)


def _has_given_motion(world: World) -> bool:
    given = len(world.paths) > 0
    for robot in world.robots:
        given = given or robot.results.given.size > 0
    return given


def _given_velocity(now: Moment, body: int, point: Vector3) -> Vector3:
    """How a body moves at a point, whatever the velocities of nodes are, m/s: on a path, or by prescribed joints."""
    bodies, room, links = now.room.bodies, now.room, len(now.world.link_mover)
    velocity: Vector3 = np.zeros(3)
    if body >= links:
        velocity = bodies.linear[body] + np.cross(bodies.angular[body], point - bodies.position[body])
    elif body >= 0:
        velocity = room.given_linear[body] + np.cross(room.given_angular[body], point - bodies.position[body])
    return velocity


def _given_rotation(now: Moment, body: int) -> Vector3:
    """How a body turns, whatever the velocities of nodes are, rad/s."""
    links = len(now.world.link_mover)
    rotation: Vector3 = np.zeros(3)
    if body >= links:
        rotation += now.room.bodies.angular[body]
    elif body >= 0:
        rotation += now.room.given_angular[body]
    return rotation
