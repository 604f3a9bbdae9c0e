"""Robots touch each other and carry things: their shapes are surfaces for all that is not part of them."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall import Scene, SceneObject, free_body
from footfall.contact.candidates import (
    MOST_OPTIONAL,
    moving_parts,
    owner_of,
    robot_candidates,
    scene_candidates,
)
from footfall.errors import SimulationWarning
from footfall.math.transform import Transform
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Capsule, Geometry, Shape, Sphere
from footfall.scene import SceneRobot
from footfall.scene.assembly import combined_robot
from footfall.simulation.simulation import Simulation
from tests.simulation.worlds import GRAVITY, ground

MASS = 5.0


def lump(*shapes: Shape) -> Robot:
    """One floating body with these shapes about its origin."""
    geometries = tuple(Geometry(shape) for shape in shapes)
    body = Body("body", MASS, np.zeros(3), 0.1 * np.eye(3), (), geometries)
    return Robot("lump", (body,), (Joint("root", JointType.FLOATING, "world", "body"),))


def at(x: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, 0.0, z]))


def test_one_robot_lies_on_another() -> None:
    robots = (
        SceneRobot("lower", lump(Sphere(0.1)), at(0.0, 0.1)),
        SceneRobot("upper", lump(Sphere(0.1)), at(0.0, 0.35)),
    )
    simulation = Simulation(None, Scene("two", (ground(),), robots=robots), dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    np.testing.assert_allclose(trajectory.q[-1, [2, 9]], [0.1, 0.3], atol=1e-6)


def test_a_ball_rests_on_a_robot_and_weighs_on_it() -> None:
    shape = Sphere(0.1)
    ball = SceneObject("ball", shape, at(0.2, 0.4), free=free_body(shape, 1.0))
    robots = (SceneRobot("table", lump(Box((1.0, 1.0, 0.2))), at(0.0, 0.1)),)
    simulation = Simulation(None, Scene("table", (ground(), ball), robots=robots), dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    assert trajectory.q[-1, 9] == pytest.approx(0.3, abs=1e-6)
    # The floor carries both, the table the ball: each its share of the weight.
    assert trajectory.force_on("ball")[-1, 2] == pytest.approx(1.0 * GRAVITY, rel=1e-6)
    assert trajectory.force_on("table/body")[-1, 2] == pytest.approx(MASS * GRAVITY, rel=1e-6)
    assert trajectory.force_on("ground")[-1, 2] == pytest.approx(-(1.0 + MASS) * GRAVITY, rel=1e-6)


def test_momentum_goes_from_one_robot_to_the_other() -> None:
    """A plastic blow of equal masses without gravity: both go on with half the speed."""
    robots = (
        SceneRobot("left", lump(Capsule(0.1, 0.4)), at(0.0, 0.0)),
        SceneRobot("right", lump(Sphere(0.1)), at(0.3, 0.0)),
    )
    scene = Scene("blow", robots=robots, gravity=(0.0, 0.0, 0.0))
    v = np.zeros(12)
    v[0] = 2.0
    simulation = Simulation(None, scene, dt=1e-3, v=v)
    trajectory = simulation.run(simulation.zero_command, 0.2)
    np.testing.assert_allclose(trajectory.v[-1, [0, 6]], 1.0, atol=1e-9)


def test_who_touches_whom() -> None:
    robots = (
        SceneRobot("a", lump(Sphere(0.1), Box((0.1, 0.1, 0.1)))),
        SceneRobot("b", lump(Sphere(0.1))),
    )
    scene = Scene("pairs", robots=robots)
    robot = combined_robot(scene)
    parts = moving_parts(robot, scene)
    assert [(part.body, part.owner) for part in parts] == [("a/body", "a"), ("a/body", "a"), ("b/body", "b")]
    pairs = [(each.body, type(each.surface.shape)) for each in robot_candidates(parts)]
    # Two spheres touch once, a sphere and a box too: the sphere is the point. A robot does not touch itself.
    assert pairs == [("a/body", Sphere), ("b/body", Box)]


def test_too_many_shapes_are_said() -> None:
    boxes = tuple(Box((0.1, 0.1, 0.1 + 0.01 * k)) for k in range(6))
    scene = Scene("crowd", (ground(),), robots=(SceneRobot("a", lump(*boxes)), SceneRobot("b", lump(*boxes))))
    with pytest.warns(SimulationWarning, match=f"288 places, more than the {MOST_OPTIONAL}"):
        candidates = scene_candidates(combined_robot(scene), scene)
    assert {each.surface.body for each in candidates} == {"world"}


def test_robots_that_do_not_feel_each_other_still_feel_what_they_carry() -> None:
    boxes = tuple(Box((0.1, 0.1, 0.1 + 0.01 * k)) for k in range(6))
    crate = SceneObject("crate", boxes[0], free=free_body(boxes[0], 1.0))
    robots = (SceneRobot("a", lump(*boxes)), SceneRobot("b", lump(*boxes)))
    scene = Scene("crowd", (ground(), crate), robots=robots)
    with pytest.warns(SimulationWarning, match="robots may touch each other in 288 places"):
        candidates = scene_candidates(combined_robot(scene), scene)
    assert {each.surface.body for each in candidates} == {"world", "crate"}
    assert {each.body for each in candidates if each.surface.body == "crate"} == {"a/body", "b/body"}


def test_a_robot_beside_the_scene_has_an_owner_too() -> None:
    scene = Scene("one", robots=(SceneRobot("a", lump(Sphere(0.1))),))
    robot = combined_robot(scene, footfall.load("point-foot-quadruped"))
    assert {owner_of(body.name, scene) for body in robot.bodies} == {"a", ""}
