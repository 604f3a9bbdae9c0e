"""The watch over energy: it tells of gains, of the body and of a step that would do, and of nothing else."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import footfall
from benchmarks.lab.pile_scenes import pile
from footfall import Command, Material, Scene, SceneObject, Simulation, StepOptions, free_body
from footfall.errors import SimulationWarning
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Sphere

START = np.array([2.0, 1.0])  # rad, of a double pendulum that turns over


def swung(dt: float, terms: str) -> tuple[Simulation, list[str]]:
    """A double pendulum for 3 s, and what was told of its energy."""
    options = StepOptions(dt=dt, velocity_terms=terms)  # type: ignore[arg-type]
    simulation = Simulation(footfall.load("double-pendulum"), options=options, q=START)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        simulation.run(simulation.zero_command, 3.0)
    return simulation, [str(each.message) for each in caught if "energy" in str(each.message)]


def test_a_gain_is_told_with_the_body_and_a_step_that_does() -> None:
    """Coriolis forces at the start of steps are of first order: 10 ms give a double pendulum a tenth of its energy."""
    simulation, told = swung(0.01, "start")
    assert len(told) == 1
    assert any(repr(body.name) in told[0] for body in simulation.robot.bodies)
    share, enough = re.search(r"grew by ([\d.]+) %.*dt=([\d.e-]+)$", told[0]).groups()  # type: ignore[union-attr]
    assert float(share) > 5.0
    assert float(enough) <= 0.005
    assert swung(float(enough), "start")[1] == []


@pytest.mark.parametrize("dt", [0.001, 0.01])
def test_what_is_exact_to_second_order_is_not_told(dt: float) -> None:
    """Half a step back its energy goes up and down by 1e-5 at 1 ms, and by a hundred times that at 10 ms: (w dt)^2 / 24
    for a swing at w = 10 to 20 rad/s."""
    simulation, told = swung(dt, "auto")
    assert told == []
    trajectory = simulation.run(simulation.zero_command, 2.0)
    before = footfall.integrate(simulation.robot, trajectory.q, -0.5 * dt * trajectory.v)
    kinetic = np.asarray(footfall.kinetic_energy(simulation.robot, before, trajectory.v))
    energy = kinetic + np.asarray(footfall.potential_energy(simulation.robot, before))
    assert np.ptp(energy) / kinetic.max() < 1e-4 * (dt / 0.001) ** 2


@pytest.mark.filterwarnings("error:energy grew")
@pytest.mark.filterwarnings("ignore:.*deep in")
def test_nothing_is_told_of_what_falls_bounces_or_is_driven() -> None:
    scene, dt = pile(20, 3)
    falling = Simulation(None, scene, dt=dt)
    falling.run(falling.zero_command, 0.5)
    shape, rubber = Sphere(0.1), Material(friction=0.5, restitution=1.0)
    pose = Transform(np.eye(3), np.array([0.0, 0.0, 1.0]))
    ball = SceneObject("ball", shape, pose, rubber, free=free_body(shape, 1.0))
    bouncing = Simulation(None, Scene("court", (SceneObject("floor", Plane(), material=rubber), ball)))
    bouncing.run(bouncing.zero_command, 3.0)
    driven = Simulation(footfall.load("double-pendulum"))
    driven.run(lambda time, q, v: np.array([20.0, 0.0]), 0.5)  # it gains, and should
    pushed = Simulation(None, scene, dt=dt)
    pushed.push("box0", np.array([0.0, 0.0, 500.0, 0.0, 0.0, 0.0]), 0.1)
    pushed.run(pushed.zero_command, 0.1)
    helped = Simulation(None, scene, dt=dt)

    def lift(time: float, q: np.ndarray, v: np.ndarray) -> Command:
        helped.push("box0", np.array([0.0, 0.0, 500.0, 0.0, 0.0, 0.0]), 0.1)
        return helped.zero_command

    helped.run(lift, 0.1)  # a controller pushes, too


def test_short_runs_are_looked_at_together() -> None:
    """Energy that comes in many short runs is compared with the lowest of all of them."""
    options = StepOptions(dt=0.01, velocity_terms="start")
    simulation = Simulation(footfall.load("double-pendulum"), options=options, q=START)

    def stepped() -> None:
        for _ in range(300):
            simulation.step(simulation.zero_command)

    with pytest.warns(SimulationWarning, match="energy grew"):
        stepped()
