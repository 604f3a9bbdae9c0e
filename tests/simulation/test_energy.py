"""Contact never creates energy: what the robots have, less the work of their drives, does not grow."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from benchmarks.lab.contact_scenes import contact_scene
from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface, point_candidates
from footfall.errors import MissingFile
from footfall.geometry.plane import Plane
from footfall.robot.model import Robot
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import Command, StepOptions
from tests.simulation.worlds import EDGE, GRAVITY, ball, block, energies, ground, simulate, tilted, turned

pytestmark = pytest.mark.usefixtures("each_way")


def growth(energy: Array) -> float:
    """Greatest rise above an earlier value, J."""
    return float((energy - np.minimum.accumulate(energy)).max())


def energy_less_work(simulation: Simulation, command: Command, seconds: float) -> Array:
    """Energy (n,) of a run with the first state in front, less the work that the drives did up to then, J."""
    start, dt = simulation.state, simulation.options.dt
    trajectory = simulation.run(command, seconds)
    q = np.concatenate([start.q[None], trajectory.q])
    v = np.concatenate([start.v[None], trajectory.v])
    # The configuration moves with the velocity at the end of the step: dW = tau . v dt is the work of a step.
    work = np.cumsum(np.sum(trajectory.effort * trajectory.v, axis=1)) * dt
    return energies(simulation.robot, q, v) - np.concatenate([[0.0], work])


def midway(robot: Robot, start: Array, trajectory: Trajectory) -> Array:
    """Energy with the potential of the middle of the step, through which the body moves with v; J.

    In free flight this is constant: dE = -m g^2 dt^2 / 2 a step for the ends, exactly what the middle makes up for.
    """
    potential = footfall.potential_energy(robot, np.concatenate([start[None], trajectory.q]))
    kinetic = footfall.kinetic_energy(robot, trajectory.q, trajectory.v)
    return np.asarray(kinetic + (potential[1:] + potential[:-1]) / 2)


@pytest.mark.parametrize(
    "name", ["ANYmal dropped", "LOLA dropped, 8 points", "ANYmal standing, joint limits and friction"]
)
def test_robots_that_land_under_control(name: str) -> None:
    try:
        scene = contact_scene(name)
    except MissingFile:
        pytest.skip("example-robot-data is not installed")
    simulation = scene.simulation()
    energy = energy_less_work(simulation, scene.command(simulation), 0.6)
    scale = scene.robot.mass * GRAVITY * max(scene.drop, 0.01)
    assert growth(energy) < 1e-6 * scale
    assert energy[-1] < energy[0] - 0.01 * scale  # the impact and the drives' damping did take some


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_tumbling_block_only_loses_energy(friction: float) -> None:
    moving = (1.0, -0.5, 0.0, 4.0, -3.0, 2.0)
    simulation = simulate(ground(friction=friction), block(position=(0.0, 0.0, 0.5), velocity=moving))
    start = simulation.state
    trajectory = simulation.run(simulation.zero_command, 2.0)
    energy = energies(simulation.robot, trajectory.q, trajectory.v)
    assert growth(energy) < 1e-6 * float(energies(simulation.robot, start.q, start.v))
    # it lies still; without friction nothing can take the spin about the vertical, I w_z of a cube
    spin = float(np.linalg.norm(simulation.state.v[3:]))
    assert spin == pytest.approx(0.0 if friction else moving[5], abs=1e-6)


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
def test_frictionless_restitution_creates_no_energy(restitution: float) -> None:
    """A cube falls onto a corner, and balls onto a slope and each other."""
    rotation = tilted(0.7) @ turned(0.4)
    simulation = simulate(
        ground(0.2, restitution=restitution, friction=0.0),
        block(position=(0.0, 0.0, 0.4), rotation=rotation, restitution=restitution, friction=0.0),
        ball((0.0, 0.5, 0.4), name="low", restitution=restitution, friction=0.0),
        ball((0.03, 0.5, 0.7), name="high", restitution=restitution, friction=0.0),
    )
    start = simulation.state.q
    trajectory = simulation.run(simulation.zero_command, 1.0)
    energy = midway(simulation.robot, start, trajectory)
    scale = 3 * GRAVITY * 0.5
    assert growth(energy) < 1e-6 * scale
    if restitution == 1.0:
        assert np.ptp(energy[:300]) < 1e-6 * scale  # before anything else, all of it is kept


def test_a_passive_quadruped_collapses_without_a_gain() -> None:
    robot = footfall.load("quadruped")
    simulation = FeetSimulation(
        robot,
        candidates=_feet(robot),
        options=StepOptions(dt=1e-3),
        q=_lifted(robot.configuration("stand"), 0.1),
    )
    energy = energy_less_work(simulation, simulation.zero_command, 0.5)
    assert growth(energy) < 1e-6 * robot.mass * GRAVITY * 0.1


@pytest.mark.parametrize("depth", [0.002, 0.02])
def test_what_starts_inside_the_ground_is_lifted_out_and_not_thrown(depth: float) -> None:
    """It comes out at `recovery_speed` v at most, so it rises above the ground by v^2 / 2g at most, and then lies."""
    simulation = simulate(ground(), block(position=(0.0, 0.0, EDGE / 2 - depth)))
    speed = simulation.options.contact.recovery_speed
    trajectory = simulation.run(simulation.zero_command, 2 * depth / speed + 0.3)
    above = trajectory.q[:, 2] - EDGE / 2
    assert trajectory.v[:, 2].max() <= speed * (1 + 1e-9)
    assert above.max() < speed**2 / (2 * GRAVITY) + speed * simulation.options.dt
    assert above[-1] == pytest.approx(0.0, abs=1e-7)
    # what it gained is what it was lifted by
    start = -GRAVITY * depth
    energy = energies(simulation.robot, trajectory.q, trajectory.v) - GRAVITY * EDGE / 2
    assert growth(np.concatenate([[start], energy])) < GRAVITY * depth + speed**2 / 2 + GRAVITY * speed * 2e-3


def _feet(robot: Robot) -> list[Candidate]:
    feet = [body.name for body in robot.bodies if body.collisions]
    return point_candidates(robot, feet, [Surface(Plane())])


def _lifted(q: Array, height: float) -> Array:
    return q + np.eye(len(q))[2] * height
