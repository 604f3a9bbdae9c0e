"""Robots touch each other and carry things: their shapes are surfaces for all that is not part of them."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Scene, SceneObject, free_body
from footfall.contact.candidates import scene_candidates
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


def test_in_lanes_points_of_robots_and_things_touch_objects() -> None:
    """Of two balls one is the point and one the surface; robots are no surfaces."""
    crate = SceneObject("crate", Box((0.1, 0.1, 0.1)), free=free_body(Box((0.1, 0.1, 0.1)), 1.0))
    balls = [SceneObject(name, Sphere(0.1), free=free_body(Sphere(0.1), 1.0)) for name in ("one", "two")]
    robots = (SceneRobot("a", lump(Sphere(0.1))), SceneRobot("b", lump(Sphere(0.1))))
    scene = Scene("crowd", (crate, *balls), robots=robots)
    candidates = scene_candidates(combined_robot(scene), scene)
    pairs = {(each.body, each.surface.body) for each in candidates}
    assert pairs == {
        ("a/body", "crate"), ("b/body", "crate"), ("one", "crate"), ("two", "crate"),
        ("a/body", "one"), ("b/body", "one"), ("two", "one"),
        ("a/body", "two"), ("b/body", "two"),
    }  # fmt: skip
    assert len(candidates) == len(pairs)
