"""Several bodies and robots in one problem: stacks, redundant corners, loads that are carried."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import Material, Scene, SceneObject, free_body
from footfall.contact.candidates import Candidate, Surface, point_candidates, surface_of
from footfall.contact.validation import check_solution
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene import SceneRobot
from footfall.scene.assembly import combined_robot
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_problem import build_step_problem
from tests.simulation.worlds import EDGE, GRAVITY, block, ground, simulate

G = GRAVITY


def stack(count: int) -> Simulation:
    """Cubes of 1 kg one upon the other, flush; each touches the next with its lower corners."""
    cubes = [block(f"cube{k}", (0.0, 0.0, EDGE * (k + 0.5))) for k in range(count)]
    scene = Scene("stack", (ground(), *cubes))
    robot = combined_robot(scene)
    candidates = [
        each
        for k, below in enumerate(scene.objects[:-1])
        for each in point_candidates(robot, [f"cube{k}"], [surface_of(below)])
        if each.point[2] < 0.0
    ]
    assert len(candidates) == 4 * count
    return FeetSimulation(None, scene, candidates=candidates, dt=2e-3)


def test_a_stack_of_ten_stands() -> None:
    simulation = stack(10)
    start = simulation.state.q.copy()
    trajectory = simulation.run(simulation.zero_command, 0.2)
    # The force below cube k carries all above it: (10 - k) m g.
    carried = trajectory.forces[-1, :, 2].reshape(10, 4).sum(axis=1)
    assert carried == pytest.approx([(10 - k) * G for k in range(10)], rel=1e-6)
    assert np.abs(simulation.state.q - start).max() < 1e-6
    assert np.abs(simulation.state.v).max() < 1e-6


def test_a_stack_stands_by_default_settings_with_all_corners() -> None:
    simulation = simulate(ground(), *(block(f"cube{k}", (0.0, 0.0, EDGE * (k + 0.5))) for k in range(3)))
    start = simulation.state.q.copy()
    trajectory = simulation.run(simulation.zero_command, 0.5)
    assert trajectory.force_on("ground")[-1, 2] == pytest.approx(-3 * G, rel=1e-6)
    assert np.abs(simulation.state.q - start).max() < 1e-6


def test_redundant_corners_of_a_foot_are_solved() -> None:
    """16 points under one plate: the problem has rank 6 of 48, the conditions hold nevertheless."""
    shape = Box((0.3, 0.2, 0.1))
    plate = SceneObject(
        "plate", shape, Transform(np.eye(3), np.array([0.0, 0.0, 0.05])), free=free_body(shape, 10.0)
    )
    points = [(x, y, -0.05) for x in np.linspace(-0.15, 0.15, 4) for y in np.linspace(-0.1, 0.1, 4)]
    candidates = [Candidate("plate", point, 0.0, Surface(Plane())) for point in points]
    simulation = FeetSimulation(None, Scene("plate", (plate,)), candidates=candidates, dt=1e-3)
    problem = build_step_problem(simulation, simulation.state, simulation.zero_command).problem
    assert np.linalg.matrix_rank(problem.delassus) == 6
    trajectory = simulation.step()
    assert trajectory.forces[0].sum(axis=0) == pytest.approx([0.0, 0.0, 10 * G], abs=1e-6)
    residual = check_solution(problem, simulation.state.impulses)
    assert residual.natural_map < 1e-8 * 10 * G * 1e-3
    # No moment about the middle of the plate either, and a push at one edge stays balanced.
    moment = np.cross(trajectory.positions[0], trajectory.forces[0]).sum(axis=0)
    assert moment == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    simulation.push("plate", np.array([0.0, 0.0, -20.0, 0.0, 2.0, 0.0]), 0.1)
    trajectory = simulation.run(simulation.zero_command, 0.1)
    moment = np.cross(trajectory.positions[-1], trajectory.forces[-1]).sum(axis=0)
    assert moment == pytest.approx([0.0, -2.0, 0.0], abs=1e-4)


def test_a_free_body_is_carried_by_a_robot() -> None:
    """An arm-like table, one prismatic joint under PD, with a load on it: one problem couples both."""
    robot = footfall.load(_lift())
    load = block("load", (0.0, 0.0, 1.0 + EDGE / 2 + 1e-3), mass=2.0)
    table = Surface(Box((0.5, 0.5, 0.1)), body="table")
    candidates = [Candidate("load", (x, y, -EDGE / 2), 0.0, table) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    simulation = FeetSimulation(robot, Scene("lift", (load,)), candidates=candidates, dt=1e-3)
    stiffness = 2000.0
    command = simulation.pd(np.array([0.95]), kp=stiffness, kd=200.0)
    trajectory = simulation.run(command, 2.0)
    # kp (q* - q) = (m_table + m_load) g, and the load stands on the table's upper face.
    expected = 0.95 - (3.0 + 2.0) * G / stiffness
    assert simulation.state.q[0] == pytest.approx(expected, abs=1e-6)
    assert simulation.state.q[3] == pytest.approx(expected + 0.05 + EDGE / 2, abs=1e-6)
    assert trajectory.effort[-1, 0] == pytest.approx(5.0 * G, abs=1e-4)
    assert trajectory.forces[-1, :, 2].sum() == pytest.approx(2.0 * G, abs=1e-4)


def _lift() -> str:
    return str(Path(__file__).with_name("lift.toml"))


def test_two_robots_in_one_scene_do_not_disturb_each_other() -> None:
    """Apart, they move as each alone, to the last bits of the solver's tolerance."""
    robot = footfall.load("falling-rod")
    slope = SceneObject("ground", Plane(), material=Material(friction=0.5))
    one = Simulation(robot, Scene("one", (slope,)), dt=1e-3, q=robot.configuration("horizontal"))
    placement = Transform(np.eye(3), np.array([0.0, 5.0, 0.0]))
    both = Scene(
        "both",
        (slope,),
        (
            SceneRobot("near", robot, configuration="horizontal"),
            SceneRobot("far", robot, placement, "horizontal"),
        ),
    )
    two = Simulation(None, both, dt=1e-3)
    one.run(one.zero_command, 0.5)
    two.run(two.zero_command, 0.5)
    assert two.state.q[:7] == pytest.approx(one.state.q, abs=1e-9)
    assert two.state.q[7:] == pytest.approx(one.state.q + np.array([0, 5.0, 0, 0, 0, 0, 0]), abs=1e-9)
