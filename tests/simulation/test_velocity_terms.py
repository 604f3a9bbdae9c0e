"""Coriolis and gyroscopic forces in the middle of a step keep the energy that those at its start create."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from benchmarks.lab.drops import random_walker
from footfall import Material, Scene, SceneObject, free_body
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.simulation.lanes.step import foreseen_velocities
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_problem import build_step_problem
from footfall.simulation.step_values import JointOptions, StepOptions, VelocityTerms
from tests.simulation.worlds import energies


def spin_energy_gain(terms: VelocityTerms, dt: float) -> float:
    """Of a box of three unlike edges that tumbles about its middle axis without torque for 2 s, over its energy."""
    shape = Box((0.1, 0.2, 0.4))
    solid = free_body(shape, 1.0, velocity=(0.0, 0.0, 0.0, 0.1, 6.0, 0.1))
    thing = SceneObject("box", shape, Transform(np.eye(3), np.zeros(3)), Material(), free=solid)
    scene = Scene("space", (thing,), gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(None, scene, options=StepOptions(dt=dt, velocity_terms=terms))
    start = float(energies(simulation.robot, simulation.state.q, simulation.state.v))
    simulation.run(simulation.zero_command, 2.0)
    return float(energies(simulation.robot, simulation.state.q, simulation.state.v)) / start - 1.0


def test_a_tumbling_box_keeps_its_energy() -> None:
    coarse, fine = 4e-3, 2e-3
    # w+ = w - dt I^-1 (w x I w) gives dE = dt^2/2 |w x I w|^2 over I, never less than zero: of first order after all
    # steps. In the middle what is left is of third order a step.
    euler = [spin_energy_gain("start", dt) for dt in (coarse, fine)]
    middle = [spin_energy_gain("middle", dt) for dt in (coarse, fine)]
    assert euler[1] > 1e-3
    assert euler[0] / euler[1] == pytest.approx(2.0, rel=0.1)
    assert abs(middle[1]) < 1e-3 * euler[1]
    assert middle[0] / middle[1] > 3.5


def walker_energy_drift(terms: VelocityTerms, dt: float) -> float:
    """Range of the energy of a passive walker with turning joints that floats for a second, over its energy.

    Velocities hold between two configurations, so the energy is that halfway: at an end it is off by dt/2 v . c.
    """
    walker = random_walker(3)
    robot = replace(walker, joints=tuple(replace(joint, damping=0.0) for joint in walker.joints))
    options = StepOptions(dt=dt, velocity_terms=terms, joints=JointOptions(limits=False, friction=False))
    v = np.random.default_rng(2).normal(0.0, 4.0, robot.nv)
    simulation = FeetSimulation(
        robot, Scene("space", gravity=(0.0, 0.0, 0.0)), candidates=(), options=options, v=v
    )
    trajectory = simulation.run(simulation.zero_command, 1.0)
    halfway = footfall.integrate(robot, trajectory.q, -dt / 2 * trajectory.v)
    energy = np.array(footfall.kinetic_energy(robot, halfway, trajectory.v))
    return float(np.ptp(energy) / energy[0])


def test_a_walker_in_the_air_keeps_its_energy() -> None:
    start, middle = walker_energy_drift("start", 2e-3), walker_energy_drift("middle", 2e-3)
    assert start > 1e-2
    assert middle < 1e-2 * start
    assert walker_energy_drift("middle", 4e-3) / middle == pytest.approx(4.0, rel=0.1)  # of second order


def test_the_native_step_is_the_dense_one() -> None:
    robot = footfall.load("quadruped")
    options = StepOptions(dt=2e-3, velocity_terms="middle")
    simulation = FeetSimulation(robot, candidates=(), options=options, q=robot.configuration("stand"))
    simulation.run(simulation.zero_command, 0.1)
    expected = build_step_problem(simulation, simulation.state, simulation.zero_command)
    simulation.step(simulation.zero_command)
    after = expected.velocity_after(simulation.state.impulses)
    assert simulation.state.v == pytest.approx(after, abs=1e-12)


def test_free_bodies_have_it_by_themselves() -> None:
    robot = footfall.load("quadruped")
    options = StepOptions()
    shape = Box((0.1, 0.2, 0.4))
    thing = SceneObject("box", shape, free=free_body(shape, 1.0))
    both = FeetSimulation(robot, Scene("both", (thing,)), candidates=(), options=options).robot
    box = both.v_slice("box")
    assert foreseen_velocities(robot, options) == []
    assert foreseen_velocities(both, options) == list(range(both.nv)[box])
    assert len(foreseen_velocities(both, StepOptions(velocity_terms="middle"))) == both.nv
    assert spin_energy_gain("auto", 2e-3) == spin_energy_gain("middle", 2e-3)
