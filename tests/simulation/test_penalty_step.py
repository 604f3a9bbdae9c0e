"""Penalty contact inside the native step: sink, limit of stability, friction, bodies on bodies.

Ayit 2015, chapter 5.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from footfall import Material, Scene, SceneObject, free_body
from footfall.contact.penalty import PenaltyLaw
from footfall.errors import InvalidInput, SimulationDiverged, SimulationWarning, UnknownName
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Sphere
from footfall.scene import GivenMotion
from footfall.simulation.plants import (
    ImpactSimulation,
    SmoothSimulation,
    SpringSimulation,
    SweepSimulation,
)
from footfall.simulation.simulation import Simulation, SimulationBase

MASS, RADIUS, G = 2.0, 0.1, 9.81


def ball_scene(height: float, velocity: tuple[float, ...] = (0.0,) * 6, **material: float) -> Scene:
    """A ball above the ground; its lowest point is at that height."""
    shape = Sphere(RADIUS)
    ball = SceneObject(
        "ball",
        shape,
        Transform(np.eye(3), np.array([0.0, 0.0, RADIUS + height])),
        free=free_body(shape, MASS, velocity=velocity),
    )
    ground = SceneObject("ground", Plane(), material=Material(**material))
    return Scene("ball", (ground, ball))


def simulate(
    scene: Scene, law: PenaltyLaw, seconds: float, *, dt: float = 1e-3, integrator: str = "semi-implicit"
):
    if integrator == "semi-implicit":
        simulation: SimulationBase = SpringSimulation(None, scene, law=law, dt=dt)
    else:
        simulation = SmoothSimulation(None, scene, law=law, dt=dt, integrator=integrator)  # type: ignore[arg-type]
    return simulation.run(simulation.zero_command, seconds)


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk4"])
def test_static_sink(integrator: str) -> None:
    """At rest the spring carries the weight: K sink = m g."""
    path = simulate(ball_scene(0.0), PenaltyLaw(2e4, 3e2), 1.0, integrator=integrator)
    assert -path.positions[-1, 0, 2] == pytest.approx(MASS * G / 2e4, rel=1e-6)
    assert path.forces[-1, 0] == pytest.approx([0.0, 0.0, MASS * G], abs=1e-6)


def test_integral_term_undoes_the_sink() -> None:
    path = simulate(ball_scene(0.0), PenaltyLaw(2e4, 3e2, integral=1e5), 3.0)
    assert abs(path.positions[-1, 0, 2]) < 1e-3 * MASS * G / 2e4


def stays(stiffness: float, damping: float, dt: float) -> bool:
    """Whether a tiny disturbance of a resting ball dies out."""
    scene = ball_scene(-MASS * G / stiffness, (0.0, 0.0, 1e-7, 0.0, 0.0, 0.0))
    law = PenaltyLaw(stiffness, damping, 0.0, 0.0)
    beyond = stiffness * dt**2 / MASS + 2 * damping * dt / MASS > 4
    with pytest.warns(SimulationWarning) if beyond else nullcontext():
        simulation = SpringSimulation(None, scene, law=law, dt=dt)
    path = simulation.run(simulation.zero_command, 400 * dt)
    return bool(np.abs(path.v[-50:, 2]).max() < 2e-7)


@pytest.mark.parametrize("part", [0.5, 0.9])
def test_limit_of_stability_by_bisection(part: float) -> None:
    """k + 2 d = 4 with k = K dt^2 / m, d = D dt / m; part: of it that the stiffness takes."""
    dt, low, high = 1e-3, 0.5, 1.5
    assert stays(low * part * 4 * MASS / dt**2, low * (1 - part) * 2 * MASS / dt, dt)
    assert not stays(high * part * 4 * MASS / dt**2, high * (1 - part) * 2 * MASS / dt, dt)
    for _ in range(7):
        middle = (low + high) / 2
        inside = stays(middle * part * 4 * MASS / dt**2, middle * (1 - part) * 2 * MASS / dt, dt)
        low, high = (middle, high) if inside else (low, middle)
    assert (low + high) / 2 == pytest.approx(1.0, abs=0.015)


def test_explicit_euler_gains_energy_where_the_others_do_not() -> None:
    """A bouncing ball on an undamped spring: energy grows with explicit Euler only."""
    top = {}
    for integrator in ("semi-implicit", "explicit", "rk4"):
        path = simulate(ball_scene(0.05), PenaltyLaw(2e4, 0.0), 3.0, integrator=integrator)
        top[integrator] = float(path.q[2000:, 2].max() - RADIUS)
    assert top["explicit"] > 0.1
    assert top["semi-implicit"] < 0.056
    assert top["rk4"] == pytest.approx(0.05, rel=0.02)


def test_sliding_ball_is_braked_by_friction() -> None:
    """A ball that cannot roll: a = -mu g while it slides, and then the anchor holds it."""
    size = (0.2, 0.2, 0.2)
    box = SceneObject(
        "box",
        Box(size),
        Transform(np.eye(3), np.array([0.0, 0.0, 0.1 - MASS * G / 4 / 2e4])),
        Material(friction=0.4),
        free=free_body(Box(size), MASS, velocity=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    )
    ground = SceneObject("ground", Plane(), material=Material(friction=0.4))
    path = simulate(Scene("box", (ground, box)), PenaltyLaw(2e4, 2e2, 2e4, 1e2), 1.0, dt=5e-4)
    assert path.q[-1, 0] == pytest.approx(1.0 / (2 * 0.4 * G), rel=0.02)  # v0^2 / (2 mu g)
    assert np.abs(path.v[-1]).max() < 1e-4


def test_bodies_push_each_other_apart() -> None:
    """Action and reaction: a ball thrown at a free box, without gravity, keeps momentum."""
    ball, block = Sphere(RADIUS), Box((0.3, 0.3, 0.3))
    objects = (
        SceneObject(
            "ball",
            ball,
            Transform(np.eye(3), np.array([-0.5, 0.03, 0.05])),
            free=free_body(ball, MASS, velocity=(2.0, 0.0, 0.0, 0.0, 0.0, 3.0)),
        ),
        SceneObject("block", block, material=Material(friction=0.5), free=free_body(block, 3.0)),
    )
    scene = Scene("space", objects, gravity=(0.0, 0.0, 0.0))
    simulation = SpringSimulation(None, scene, law=PenaltyLaw(2e4, 5e1, 1e4, 10.0), dt=5e-4)
    path = simulation.run(simulation.zero_command, 0.5)
    robot = simulation.robot
    linear = MASS * path.v[:, robot.v_slice("ball")][:, :3] + 3.0 * path.v[:, robot.v_slice("block")][:, :3]
    assert np.abs(linear - [2.0 * MASS, 0.0, 0.0]).max() < 1e-12
    assert path.v[-1, robot.v_slice("block")][0] > 0.5  # it was hit


def test_a_moving_belt_carries_a_box_along() -> None:
    """Anchors move with what they are on: in the end the box has the belt's velocity, and is not left behind."""
    size, belt = (0.2, 0.2, 0.2), Box((4.0, 1.0, 0.1))
    path = GivenMotion((0.0, 10.0), np.array([[0.0, 0.0, -0.05], [5.0, 0.0, -0.05]]))
    objects = (
        SceneObject("belt", belt, material=Material(friction=0.5), motion=path),
        SceneObject(
            "box", Box(size), Transform(np.eye(3), np.array([0.0, 0.0, 0.1])), free=free_body(Box(size), MASS)
        ),
    )
    simulation = SpringSimulation(None, Scene("belt", objects), law=PenaltyLaw(2e4, 2e2, 2e4, 2e2), dt=5e-4)
    course = simulation.run(simulation.zero_command, 1.0)
    speed = path.velocity(1.0)[0]
    assert speed > 0.1
    assert course.v[-1, 0] == pytest.approx(speed, rel=0.01)
    assert np.abs(course.v[-1, 1:]).max() < 1e-3


def test_divergence_is_reported() -> None:
    with pytest.warns(SimulationWarning, match="grows by a factor"):
        simulation = SpringSimulation(None, ball_scene(0.0), law=PenaltyLaw(normal_damping=1e5), dt=1e-3)
    # A damper that only pushes throws the ball, but stays finite.
    path = simulation.run(simulation.zero_command, 0.1)
    assert np.isfinite(path.q).all()
    wild = SmoothSimulation(
        None, ball_scene(-0.09), law=PenaltyLaw(1e13, 0.0), dt=5e-2, integrator="explicit"
    )
    with pytest.raises(SimulationDiverged, match="joint 'ball'"):
        wild.run(wild.zero_command, 5.0)


def test_choices_are_checked() -> None:
    with pytest.raises(UnknownName, match="no integrator 'rk5'"):
        SmoothSimulation(None, ball_scene(0.1), integrator="rk5")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="sweeps is 0; it must be at least 1"):
        ImpactSimulation(None, ball_scene(0.1), sweeps=0)


def test_impacts_one_after_the_other() -> None:
    """With one contact a sequence of impacts is the exact solution: rebound to e^2 h, then rest."""
    scene = ball_scene(0.2, restitution=0.5)
    paths = []
    for plant in (ImpactSimulation, SweepSimulation, Simulation):
        simulation = plant(None, scene, dt=1e-3)
        paths.append(simulation.run(simulation.zero_command, 2.0))
    impacts, swept, exact = paths
    assert np.abs(impacts.q - exact.q).max() < 1e-9
    assert np.abs(swept.q - exact.q).max() < 1e-9
    first = int(np.argmax(impacts.v[:, 2] > 0.0))
    assert impacts.q[first:, 2].max() - RADIUS == pytest.approx(0.25 * 0.2, rel=0.02)
    assert abs(impacts.q[-1, 2] - RADIUS) < 1e-9
