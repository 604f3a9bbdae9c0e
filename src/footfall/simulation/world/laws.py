"""What a touch asks of the velocity at the end of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3
from footfall.contact.detection.shapes import Touch
from footfall.simulation.world.records import Moment, World

JAMMED = 1e-5  # m: limbs of one robot that are deeper in each other may not come apart whatever presses them
FAR = 1e9  # m/s: a contact that may close so fast is none
GIVING = 1e-4  # of its mobility: so much a contact of a robot with itself gives way


class Law(NamedTuple):
    """See `Point`. offset: of its drift, what is asked of the normal velocity against the other body, m/s."""

    drift: Vector3
    offset: float
    compliance: float
    shear: float
    friction: float
    extra: float


def contact_law(now: Moment, touch: Touch, frame: Matrix3, speed: Vector3, impulse: Vector3) -> Law:
    """The law of a touch, its mobility aside. frame: columns (t1, t2, n); along them speed (3,): of the first body
    against the second at the beginning of the step, m/s, and impulse (3,): of the step before, N s."""
    world, settings = now.world, now.settings
    shapes, dt = world.shapes.shapes, settings.dt
    pair = shapes[touch.first].material * world.material_count + shapes[touch.second].material
    material = world.materials[pair]
    carried: Vector3 = np.zeros(3)
    if _has_given_motion(world):
        given = _given_velocity(now, shapes[touch.second].body, touch.position)
        given -= _given_velocity(now, shapes[touch.first].body, touch.position)
        carried = frame.T @ given
    speed = speed - carried
    compliance, shear = 0.0, 0.0
    held: Vector3 = np.zeros(3)
    if material.stiffness < np.inf:
        # p = -dt (k (gap + dt v) + d v), solved for v: an implicit spring and damper
        answer = material.stiffness * dt + material.damping
        offset, compliance = touch.gap * (material.stiffness / answer), 1.0 / (dt * answer)
    elif settings.touching_only:
        offset = 0.0 if touch.gap <= 0.0 else FAR
    else:
        # A penetration comes from what a step could not see, such as a bend of the terrain; undone at once it would
        # throw.
        offset = max(max(touch.gap, settings.recovery * touch.gap) / dt, -settings.recovery_speed)
        if touch.gap < 0.0:
            offset = max(touch.gap / dt, offset + touch.bend / dt)
    if (
        material.restitution > 0.0
        and speed[2] < -settings.restitution_speed
        and touch.gap + dt * speed[2] < 0.0
    ):
        offset = material.restitution * speed[2]
    extra = 0.0
    if material.viscous_friction > 0.0:  # 001 (4.22), with the sliding speed at the start of the step
        extra = material.viscous_friction * dt * np.sqrt(speed[0] * speed[0] + speed[1] * speed[1])
    if material.shear_stiffness < np.inf:
        # p = -dt k (s + dt v), where s is the length that gave the step before its impulse -dt k s
        shear = 1.0 / (dt * dt * material.shear_stiffness)
        held = shear * impulse
    drift = np.array([-carried[0] - held[0], -carried[1] - held[1], offset - carried[2]])
    return Law(drift, offset, compliance, shear, material.friction, extra)


def _has_given_motion(world: World) -> bool:
    given = len(world.paths) > 0
    for robot in world.robots:
        given = given or robot.given >= 0
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
