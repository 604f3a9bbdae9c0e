"""Closed-form physics of the step that finds its contacts while it runs."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.math.transform import Transform
from footfall.robot.shapes import Sphere
from footfall.scene.model import Scene, SceneObject, free_body
from footfall.simulation.world.records import Forces
from tests.simulation.world.worlds import TestWorld, ground, loose_box

G, DT = 9.81, 1e-3


def test_free_fall() -> None:
    """Semi-implicit: after n steps z = z0 - g dt^2 n (n + 1) / 2, v = -n g dt, up to rounding."""
    world = TestWorld(None, Scene("fall", (loose_box("box", (0.1, 0.2, 0.3), (0.0, 0.0, 5.0)),)))
    world.run(0.5)
    n = 500
    assert world.state.v[2] == pytest.approx(-n * G * DT, rel=1e-13)
    assert world.state.q[2] == pytest.approx(5.0 - G * DT**2 * n * (n + 1) / 2, rel=1e-13)


@pytest.mark.parametrize(("share", "slides"), [(0.9999, False), (1.0005, True)])
def test_a_block_slides_beyond_the_angle_of_friction(share: float, slides: bool) -> None:
    """It slips where tan(slope) > friction, with g (sin - friction cos); at rest it does not creep."""
    friction = 0.5
    slope = float(np.arctan(share * friction))
    scene = Scene(
        "slope",
        (
            ground(slope=slope, friction=friction),
            loose_box("box", (0.2, 0.2, 0.1), (0.0, 0.0, 0.05), slope=slope, friction=friction),
        ),
    )
    world = TestWorld(None, scene)
    residual = world.run(1.0)
    speed = float(np.linalg.norm(world.state.v[:3]))
    assert residual < 1e-9
    if slides:
        expected = G * (np.sin(slope) - friction * np.cos(slope))
        assert speed == pytest.approx(expected, rel=1e-6)
    else:
        assert speed < 1e-12


def test_stopping_distance() -> None:
    """v0^2 / (2 mu g); a semi-implicit step shortens it by v0 dt / 2."""
    speed, friction = 2.0, 0.4
    box = loose_box(
        "box", (0.2, 0.2, 0.1), (0.0, 0.0, 0.05), velocity=(speed, 0.0, 0.0, 0.0, 0.0, 0.0), friction=friction
    )
    world = TestWorld(None, Scene("brake", (ground(friction=friction), box)))
    world.run(1.0)
    expected = speed**2 / (2 * friction * G) - speed * DT / 2
    assert world.state.q[0] == pytest.approx(expected, abs=speed * DT * 1e-2)
    assert np.abs(world.state.v).max() < 1e-12


def test_ten_boxes_stand_still() -> None:
    boxes = tuple(
        loose_box(f"box{k}", (0.2, 0.2, 0.1), (0.005 * (k % 3), 0.004 * (k % 2), 0.05 + 0.1 * k))
        for k in range(10)
    )
    world = TestWorld(None, Scene("stack", (ground(), *boxes)))
    world.run(0.5)
    before = world.state.q.copy()
    residual = world.run(1.0)
    assert residual < 1e-9
    assert np.abs(world.state.q - before).max() < 1e-12
    weight = np.linalg.norm(world.impulses()[:, :], axis=0)
    assert weight[2] > 0.0
    # The lowest four points carry all ten.
    lowest = world.state.contacts["position"][: len(world.impulses()), 2] < 1e-6
    assert world.impulses()[lowest, 2].sum() == pytest.approx(10 * G * DT, rel=1e-9)


def test_momentum_is_kept_where_loose_things_collide() -> None:
    """No outer force: linear momentum and angular momentum about the origin stay, whatever they do to each other."""
    balls = []
    rng = np.random.default_rng(0)
    for k in range(6):
        shape = Sphere(0.1)
        place = Transform(np.eye(3), 0.35 * rng.normal(size=3))
        velocity = (*(-1.5 * place.translation), *rng.normal(size=3))
        balls.append(
            SceneObject(f"ball{k}", shape, place, free=free_body(shape, 0.5 + 0.1 * k, velocity=velocity))
        )
    world = TestWorld(None, Scene("balls", tuple(balls)), gravity=np.zeros(3))

    def momentum() -> np.ndarray:
        total = np.zeros(6)
        for k in range(6):
            mass, inertia = 0.5 + 0.1 * k, 0.4 * (0.5 + 0.1 * k) * 0.01
            x, v, w = (
                world.state.q[7 * k : 7 * k + 3],
                world.state.v[6 * k : 6 * k + 3],
                world.state.v[6 * k + 3 : 6 * k + 6],
            )
            q = world.state.q[7 * k + 3 : 7 * k + 7]
            turned = footfall.math.rotate_by_quaternion(q, w)
            total += np.concatenate([mass * v, mass * np.cross(x, v) + inertia * turned])
        return total

    start = momentum()
    touched = False
    for _ in range(600):
        touched = touched or world.step().contacts > 0
    assert touched
    # Touching bodies move on by dt v each, so that angular momentum changes by rounding only where they touch midway.
    assert np.abs(momentum() - start).max() < 1e-12


def test_a_robot_stands_and_the_ground_carries_its_weight() -> None:
    robot = footfall.load("lola")
    world = TestWorld(robot, Scene("flat", (ground(),)), q=robot.configuration("idle"))
    joints = world.command.shape[1]
    world.command[0] = world.state.q[7 : 7 + joints]
    world.command[3], world.command[5] = 4000.0, 100.0
    residual = world.run(1.0)
    assert residual < 1e-8
    assert np.abs(world.state.v).max() < 2e-2
    assert world.impulses()[:, 2].sum() == pytest.approx(robot.mass * G * DT, rel=2e-2)


def test_a_push_acts_at_its_point() -> None:
    """A wrench (f, n) on a free body without gravity: dv = dt f / m, dw = dt I^-1 n; at another point also r x f."""
    box = loose_box("box", (0.2, 0.3, 0.4), (0.0, 0.0, 1.0), mass=2.0)
    world = TestWorld(None, Scene("space", (box,)), gravity=np.zeros(3))
    link = int(world.world.free["link"][0])
    force, arm = np.array([3.0, -1.0, 2.0]), np.array([0.1, 0.05, -0.2])
    forces = Forces(np.array([link]), np.array([[*force, 0.0, 0.0, 0.0]]), arm[None])
    report = world.step(forces)
    assert report.residual < 1e-9  # of its weight: nothing touches it, so that all is balanced up to rounding
    inertia = 2.0 / 12 * np.diag([0.3**2 + 0.4**2, 0.2**2 + 0.4**2, 0.2**2 + 0.3**2])
    np.testing.assert_allclose(world.state.v[:3], DT * force / 2.0, rtol=1e-12)
    np.testing.assert_allclose(
        world.state.v[3:], np.linalg.solve(inertia, DT * np.cross(arm, force)), rtol=1e-12
    )


def test_a_soft_ground_sinks_as_its_springs_say() -> None:
    """Four points carry m g: each sinks by m g / (4 k)."""
    stiffness = 2e4
    scene = Scene(
        "soft",
        (
            ground(stiffness=stiffness, damping=200.0),
            loose_box("box", (0.2, 0.2, 0.1), (0.0, 0.0, 0.05), mass=8.0),
        ),
    )
    world = TestWorld(None, scene)
    residual = world.run(2.0)
    assert residual < 1e-9
    assert world.state.q[2] - 0.05 == pytest.approx(-8.0 * G / (4 * stiffness), rel=1e-6)
