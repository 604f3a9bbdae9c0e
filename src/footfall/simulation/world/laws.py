"""What a touch asks of the velocity at the end of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3
from footfall.contact.detection.shapes import Touch
from footfall.simulation.world.records import Moment

FAR = 1e9  # m/s: a contact that may close so fast is none


class Law(NamedTuple):
    """See `Point`."""

    drift: Vector3
    compliance: float
    friction: float
    extra: float


def contact_law(now: Moment, touch: Touch, frame: Matrix3, speed: Vector3) -> Law:
    """The law of a touch, its mobility aside. frame: columns (t1, t2, n); speed (3,): of the first body against the
    second at the beginning of the step, along them, m/s."""
    world, settings = now.world, now.settings
    shapes, dt = world.shapes.shapes, settings.dt
    pair = shapes[touch.first].material * world.material_count + shapes[touch.second].material
    material = world.materials[pair]
    carried: Vector3 = np.zeros(3)
    body = shapes[touch.second].body
    if body >= len(world.link_mover):  # on a given path
        bodies = now.room.bodies
        arm = touch.position - bodies.position[body]
        carried = frame.T @ (bodies.linear[body] + np.cross(bodies.angular[body], arm))
        speed = speed - carried
    compliance = 0.0
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
    if (
        material.restitution > 0.0
        and speed[2] < -settings.restitution_speed
        and touch.gap + dt * speed[2] < 0.0
    ):
        offset = material.restitution * speed[2]
    extra = 0.0
    if material.viscous_friction > 0.0:  # 001 (4.22), with the sliding speed at the start of the step
        extra = material.viscous_friction * dt * np.sqrt(speed[0] * speed[0] + speed[1] * speed[1])
    drift = np.array([-carried[0], -carried[1], offset - carried[2]])
    return Law(drift, compliance, material.friction, extra)
