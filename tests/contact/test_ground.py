"""Robots are put on the ground: on planes, stairs and terrain, by all or by some of their bodies."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall import Body, Box, Joint, JointType, Plane, Robot, Scene, SceneObject, Sphere, Transform
from footfall.contact.ground import Clearance
from footfall.errors import InvalidInput, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.robot import Geometry


def ball_and_stick(radius: float = 0.1, length: float = 0.4) -> Robot:
    """A free ball with a smaller one on a hinge below it."""
    bodies = (
        Body("base", 1.0, inertia=np.eye(3), collisions=(Geometry(Sphere(radius)),)),
        Body("foot", 1.0, inertia=np.eye(3), collisions=(Geometry(Sphere(radius / 2)),)),
    )
    down = Transform(np.eye(3), np.array([0.0, 0.0, -length]))
    joints = (
        Joint("free", JointType.FLOATING, "world", "base"),
        Joint("hinge", JointType.REVOLUTE, "base", "foot", down, axis=(0.0, 1.0, 0.0)),
    )
    return Robot("stick", bodies, joints)


@pytest.mark.parametrize("height", [-3.0, 0.2, 5.0])
@pytest.mark.parametrize("clearance", [0.0, 0.03])
def test_on_a_plane(height: float, clearance: float) -> None:
    robot = ball_and_stick()
    q = footfall.neutral(robot)
    q[2] = height
    placed = footfall.place_on_ground(robot, q, clearance=clearance)
    assert placed[2] == pytest.approx(0.4 + 0.05 + clearance, abs=1e-8)
    assert q[2] == height  # what was given is not changed


def test_the_named_bodies_touch() -> None:
    robot = ball_and_stick()
    placed = footfall.place_on_ground(robot, footfall.neutral(robot), ["base"])
    assert placed[2] == pytest.approx(0.1, abs=1e-8)


def test_on_a_slope_the_distance_is_along_its_normal() -> None:
    angle = 0.4
    turn = np.array(
        [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]], dtype=float
    )
    scene = Scene("slope", (SceneObject("plane", Plane(), Transform(turn, np.zeros(3))),))
    robot = ball_and_stick()
    placed = footfall.place_on_ground(robot, footfall.neutral(robot), "foot", scene=scene)
    # The centre of the lower ball is z - 0.4; its distance from the plane is that times cos(angle).
    assert placed[2] == pytest.approx(0.4 + 0.05 / np.cos(angle), abs=1e-7)


def test_on_a_box_inside_a_room() -> None:
    """Not on the roof: it is lifted out of the box it stands in, and no further."""
    objects = (
        SceneObject("floor", Plane()),
        SceneObject("box", Box((1.0, 1.0, 0.3)), Transform(np.eye(3), np.array([0.0, 0.0, 0.15]))),
        SceneObject("roof", Box((9.0, 9.0, 0.1)), Transform(np.eye(3), np.array([0.0, 0.0, 3.0]))),
    )
    robot = ball_and_stick()
    q = footfall.neutral(robot)
    q[2] = 0.6
    placed = footfall.place_on_ground(robot, q, scene=Scene("room", objects))
    assert placed[2] == pytest.approx(0.3 + 0.45, abs=1e-8)


def test_on_terrain() -> None:
    x = np.linspace(-2, 2, 41)
    heights = 0.2 * np.sin(2 * x)[:, None] + 0.1 * np.cos(3 * x)[None, :]
    scene = Scene("hills", (SceneObject("ground", HeightMap(heights, (0.1, 0.1))),))
    robot = ball_and_stick()
    q = footfall.neutral(robot)
    q[:3] = 0.3, -0.2, 2.0
    placed = footfall.place_on_ground(robot, q, scene=scene)
    assert Clearance(robot, scene).gap(placed, 0.1) == pytest.approx(0.0, abs=1e-7)
    lower = placed.copy()
    lower[2] -= 0.01
    assert Clearance(robot, scene).gap(lower, 0.1) < 0.0


def test_above_nothing_it_stays() -> None:
    robot = ball_and_stick()
    q = footfall.neutral(robot)
    aside = SceneObject("box", Box((0.1, 0.1, 0.1)), Transform(np.eye(3), np.array([9.0, 0.0, 0.0])))
    np.testing.assert_array_equal(footfall.place_on_ground(robot, q, scene=Scene("x", (aside,))), q)


def test_what_is_wrong_is_said() -> None:
    robot = ball_and_stick()
    with pytest.raises(UnknownName, match=r"'fot'.*foot"):
        footfall.place_on_ground(robot, footfall.neutral(robot), ["fot"])
    with pytest.raises(InvalidInput, match="shape"):
        footfall.place_on_ground(robot, np.zeros(3))
    arm = footfall.load("arm-6r")
    with pytest.raises(InvalidInput, match="floating_base=True"):
        footfall.place_on_ground(arm, footfall.neutral(arm))
