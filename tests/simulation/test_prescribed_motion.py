"""Robots whose joints move as they are told: the base alone answers to gravity and contact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.scene.assembly import combined_robot, placed_robots
from footfall.scene.load import load_scene
from footfall.scene.model import Material, Scene
from footfall.simulation.robot_motion import PrescribedMotion
from footfall.simulation.step_values import Command, StepOptions
from footfall.simulation.world.engine import Setting, WorldEngine

SOFT = Material(friction=0.8, stiffness=5e4, damping=5e2)


def engine_of(scene: Scene, q: Array, *, dt: float) -> WorldEngine:
    robot = footfall.load("lola")
    placed = tuple(placed_robots(scene, robot, q=q))
    whole = combined_robot(scene, robot, q=q)
    return WorldEngine(Setting(whole, scene, placed, StepOptions(dt=dt), 1, None, False, True))


def soft_floor() -> Scene:
    scene = load_scene("flat")
    return replace(scene, objects=tuple(replace(each, material=SOFT) for each in scene.objects))


def run(engine: WorldEngine, q: Array, velocities: Array) -> tuple[Array, Array, Array]:
    """q, v after each step, and the sum of contact forces in the last one, N; velocities (steps, joints)."""
    course = engine.course(len(velocities))
    state = engine.start(q, np.zeros(engine.setting.robot.nv))
    for k, velocity in enumerate(velocities):
        zero = np.zeros_like(velocity)
        command = Command(*(velocity if name == "velocity" else zero for name in Command._fields))
        state = course.advance(state, command, {}, k, k + 1, np.zeros(1))
    log = course.log
    return log.q, log.v, log.forces[log.contact_starts[-2] : log.contact_starts[-1]].sum(axis=0)


def swinging(steps: int, dt: float) -> Array:
    """Joint velocities that start at rest, rad/s."""
    rng = np.random.default_rng(3)
    rates, phases = rng.uniform(2.0, 9.0, 26), rng.uniform(0.5, 1.0, 26)
    t = dt * np.arange(1, steps + 1)[:, None]
    return phases * np.sin(rates * t)


def drift_in_flight(dt: float) -> tuple[float, float]:
    """How far the angular momentum, kg m2/s, and the centre of mass, m, are off after 0.2 s of free fall."""
    robot = footfall.load("lola")
    start = robot.configuration("idle").copy()
    start[2] += 5.0
    steps = round(0.2 / dt)
    q, v, _ = run(engine_of(soft_floor(), start, dt=dt), start, swinging(steps, dt))
    momentum = footfall.centroidal_momentum(robot, q[-1], v[-1])
    fallen = footfall.center_of_mass(robot, q[-1]) - footfall.center_of_mass(robot, start)
    # Semi-implicit steps fall by g t (t + dt) / 2.
    wanted = np.array([0.0, 0.0, -9.81 * 0.2 * (0.2 + dt) / 2])
    return float(np.abs(momentum[3:]).max()), float(np.abs(fallen - wanted).max())


def test_joints_that_move_in_flight_leave_the_momentum() -> None:
    coarse, fine = drift_in_flight(2e-3), drift_in_flight(1e-3)
    # The error of a step is of second order, that of a run of first: half the step, half the error.
    assert coarse[0] < 0.05
    assert coarse[1] < 2e-3
    assert fine[0] < 0.6 * coarse[0]
    assert fine[1] < 0.6 * coarse[1]


def test_joints_follow_exactly() -> None:
    robot = footfall.load("lola")
    start = robot.configuration("idle").copy()
    velocities = swinging(100, 1e-3)
    q, v, _ = run(engine_of(soft_floor(), start, dt=1e-3), start, velocities)
    np.testing.assert_array_equal(v[:, 6:], velocities)
    np.testing.assert_allclose(q[:, 7:], start[7:] + 1e-3 * np.cumsum(velocities, axis=0), atol=1e-14)


def test_a_robot_stands_on_springs() -> None:
    robot = footfall.load("lola")
    start = robot.configuration("idle").copy()
    q, v, force = run(engine_of(soft_floor(), start, dt=1e-3), start, np.zeros((1500, 26)))
    assert abs(v[-1]).max() < 1e-6
    np.testing.assert_allclose(force, [0.0, 0.0, robot.mass * 9.81], atol=1e-3)
    # 32 corners of pads, each a spring: the base sinks by m g / (32 k), tilts aside.
    sunk = robot.mass * 9.81 / (32 * SOFT.stiffness)
    assert abs(start[2] - q[-1, 2] - sunk) < 0.1 * sunk


def test_loops_cannot_be_prescribed() -> None:
    with pytest.raises(InvalidInput, match="cannot be prescribed"):
        PrescribedMotion(footfall.load("cassie"))
