"""Robots that stand and land under PD control: no drift, no sinking, and every step solves its contact problem."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import footfall
from benchmarks.lab.contact_scenes import ContactScene, contact_scene
from footfall import StepOptions
from footfall.arrays import Array
from footfall.errors import MissingFile
from footfall.geometry.plane import Plane
from footfall.robot.start import start_of
from footfall.simulation import FeetSimulation
from footfall.simulation.lanes.batch_step import BatchStep
from footfall.simulation.lanes.foot_points import find_feet
from footfall.simulation.step_problem import build_step_problem, step_residuals


@cache
def _scene(name: str) -> ContactScene | None:
    try:
        return contact_scene(name)
    except MissingFile:
        return None


def scene_named(name: str) -> ContactScene:
    scene = _scene(name)
    if scene is None:
        pytest.skip("example-robot-data is not installed")
    return scene


def gaps(positions: Array) -> Array:
    """Heights of contact points above the plane z = 0, m."""
    return positions[..., 2]


@pytest.mark.parametrize("name", ["ANYmal standing", "LOLA standing, 8 points"])
def test_feet_stay_and_do_not_sink(name: str) -> None:
    """Drift below 1e-6 m and penetration below 1e-6 m (5 s here, 60 s in the benchmark)."""
    scene = scene_named(name)
    simulation = scene.simulation()
    command = scene.command(simulation)
    simulation.run(command, 2.0)
    trajectory = simulation.run(command, 5.0)
    assert np.abs(trajectory.positions - trajectory.positions[0]).max() < 1e-6
    assert gaps(trajectory.positions).min() > -1e-6
    weight = scene.robot.mass * 9.81
    assert trajectory.forces[-1].sum(axis=0) == pytest.approx([0.0, 0.0, weight], abs=2e-3 * weight)


@pytest.mark.parametrize(
    "name",
    ["ANYmal standing", "ANYmal dropped", "LOLA standing, 8 points", "LOLA dropped, 8 points"],
)
def test_all_steps_are_solved_exactly(name: str) -> None:
    """Natural-map residuals of the same problem built from the full mass matrix, from the first step on."""
    scene = scene_named(name)
    simulation = scene.simulation()
    command = scene.command(simulation)
    residuals, trajectory = step_residuals(simulation, command, 150)
    assert residuals.max() < 1e-8 * scene.weight_impulse
    assert trajectory.solver_steps.mean() < 5.0  # steps of Newton's method


def test_the_velocity_follows_from_the_impulses() -> None:
    """v of the native step = free velocity + M^-1 J^T p of the problem built another way."""
    scene = scene_named("LOLA dropped, 8 points")
    simulation = scene.simulation()
    command = scene.command(simulation)
    simulation.run(command, 0.1)
    for _ in range(10):
        problem = build_step_problem(simulation, simulation.state, command)
        simulation.step(command)
        expected = problem.velocity_after(simulation.state.impulses)
        assert np.abs(simulation.state.v - expected).max() < 1e-11


def test_joint_limits_and_friction_are_in_the_same_problem() -> None:
    scene = scene_named("ANYmal standing, joint limits and friction")
    simulation = scene.simulation()
    command = scene.command(simulation)
    problem = build_step_problem(simulation, simulation.state, command).problem
    assert (problem.contacts, problem.limits, len(problem.box)) == (4, 12, 12)
    assert problem.size == simulation.rows
    residuals, trajectory = step_residuals(simulation, command, 200)
    assert residuals.max() < 1e-8 * scene.weight_impulse
    # friction in the joints lets the robot stop for good
    assert np.abs(trajectory.v[-1]).max() < 1e-3


def test_limits_act_and_let_go() -> None:
    """Steps are first solved as if joints had no limits; what these hold back is solved with them. Go2 on its feet is
    pulled into the limits of its knees and out of them, and all steps solve the problem that has them."""
    robot = footfall.load("go2")
    batch = BatchStep(robot, find_feet(robot), Plane(), StepOptions(), 1)
    options = StepOptions(dt=2e-3)
    simulation = FeetSimulation(robot, candidates=batch.candidates, options=options, q=start_of(robot).q)
    stands, knees = simulation.joint_positions(), slice(2, None, 3)
    low = robot.lower_limits[[coordinate for coordinate, _ in batch.joints]]
    acted = []
    for beyond in (0.3, -0.5):
        goal = stands.copy()
        goal[knees] = low[knees] - beyond
        for _ in range(30):
            residuals, _ = step_residuals(simulation, simulation.pd(goal, kp=80.0, kd=1.0), 5)
            assert residuals.max() < 1e-8 * robot.mass * 9.81 * options.dt
            acted.append(bool((simulation.state.impulses[12:] > 0.0).any()))
    assert any(acted[:30])
    assert not any(acted[-5:])


@pytest.mark.parametrize("name", ["ANYmal dropped", "LOLA standing, 8 points"])
def test_rollouts_of_robots_are_runs(name: str) -> None:
    scene = scene_named(name)
    simulation = scene.simulation()
    command = scene.command(simulation)
    q = np.tile(scene.start(), (9, 1))
    q[:, 2] += np.linspace(0.0, 0.02, 9)
    got, _, _ = simulation.rollout(q, np.zeros((9, scene.robot.nv)), command, steps=50)
    for k in (0, 8):
        simulation.reset(q[k])
        assert np.array_equal(simulation.run(command, 0.1).q, got[k])
