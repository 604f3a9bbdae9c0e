"""Contacts of a robot that stands on level ground, read from its collision geometry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.features import contact_points
from footfall.control.contact_constraints import Contact
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput
from footfall.robot.model import Robot
from footfall.robot.shapes import Sphere

_LEVEL = 1e-3  # m, within which points of a shape are its underside


class Footing(NamedTuple):
    """Where a body touches the ground: point (3,) in its axes, and the radius of a ball around it, m."""

    point: Array
    radius: float


def footings(robot: Robot, q: Array, body: str) -> list[Footing]:
    """Where a body touches level ground at q (nq,), one point a shape.

    A ball touches with its centre, which stays in place when it rolls on the spot; any other shape with the middle of
    its underside.
    """
    pose, found = frame_pose(robot, q, body), []
    for geometry in robot.body(body).collisions:
        points = contact_points(geometry).positions
        if isinstance(geometry.shape, Sphere):
            found.append(Footing(points[0], geometry.shape.radius))
            continue
        heights = np.array([pose.apply(point)[2] for point in points])
        found.append(Footing(points[heights < heights.min() + _LEVEL].mean(axis=0), 0.0))
    if not found:
        raise InvalidInput(f"body {body!r} has no collision geometry; give its contacts as `Contact(...)`")
    return found


def foot_contacts(
    robot: Robot, q: Array, bodies: Sequence[str], *, friction: float = 0.6
) -> tuple[Contact, ...]:
    """Contacts of bodies that stand on level ground at q (nq,), all with a friction coefficient."""
    return tuple(
        Contact(body, tuple(each.point.tolist()), friction=friction)
        for body in bodies
        for each in footings(robot, q, body)
    )
