"""Contacts read from collision geometry: balls, boxes, and bodies that have none."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.contact_constraints import foot_contacts, footings
from footfall.errors import InvalidInput, UnknownName
from footfall.math.rotations import rotation_y
from footfall.math.transform import Transform
from footfall.robot.model import Body, Geometry, Joint, JointType, Robot
from footfall.robot.shapes import Box, Sphere


def two_feet() -> Robot:
    """A box whose underside is tilted in its own axes, and a ball, both fixed to a base."""
    tilted = Transform(rotation_y(0.3), np.array([0.1, 0.0, -0.2]))
    box = Body("box", 1.0, inertia=np.eye(3), collisions=(Geometry(Box((0.2, 0.1, 0.05)), tilted),))
    place = Transform(np.eye(3), np.array([0.0, 0.05, -0.1]))
    ball = Body("ball", 1.0, inertia=np.eye(3), collisions=(Geometry(Sphere(0.03), place),))
    bare = Body("bare", 1.0, inertia=np.eye(3))
    joints = (
        Joint("root", JointType.FLOATING, "world", "bare"),
        Joint("a", JointType.FIXED, "bare", "box"),
        Joint("b", JointType.FIXED, "bare", "ball"),
    )
    return Robot("two feet", (bare, box, ball), joints)


def turned(robot: Robot, angle: float) -> np.ndarray:
    """Turned about y by an angle."""
    q = footfall.neutral(robot)
    q[3:7] = [np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]
    return q


def test_balls_touch_with_their_centres() -> None:
    robot = two_feet()
    for angle in (0.0, 0.4):  # whichever way they are turned
        (found,) = footings(robot, turned(robot, angle), "ball")
        assert found.point.tolist() == [0.0, 0.05, -0.1]
        assert found.radius == 0.03


def test_boxes_touch_with_their_undersides() -> None:
    """Level: the middle of a face; otherwise of the lowest edge; corners are rounded a little."""
    robot = two_feet()
    (level,) = footings(robot, turned(robot, -0.3), "box")
    face = rotation_y(0.3) @ np.array([0.0, 0.0, -0.025]) + [0.1, 0.0, -0.2]
    assert np.abs(level.point - face).max() < 1e-4
    (tilted,) = footings(robot, turned(robot, 0.0), "box")
    edge = rotation_y(0.3) @ np.array([0.1, 0.0, -0.025]) + [0.1, 0.0, -0.2]
    assert np.abs(tilted.point - edge).max() < 1e-4
    assert level.radius == tilted.radius == 0.0


def test_contacts_of_shipped_robots() -> None:
    lola = footfall.load("lola")
    pads = foot_contacts(lola, lola.configuration("idle"), ("sfr", "zfr", "sfl", "zfl"), friction=0.5)
    assert len(pads) == 8
    assert {pad.friction for pad in pads} == {0.5}


def test_bodies_that_cannot_stand() -> None:
    robot = two_feet()
    with pytest.raises(InvalidInput, match="body 'bare' has no collision geometry"):
        foot_contacts(robot, footfall.neutral(robot), ["bare"])
    with pytest.raises(UnknownName, match="'hoof'"):
        foot_contacts(robot, footfall.neutral(robot), ["hoof"])
