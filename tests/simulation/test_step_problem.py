"""The problem of a step, built another way, where two bodies that both move touch over a gap."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.contact.validation import check_solution
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_problem import build_step_problem
from tests.simulation.worlds import ball, simulate

pytestmark = pytest.mark.usefixtures("listed")

DT = 2e-3


def passing_balls() -> Simulation:
    """Two free balls 3 mm apart that meet and rub in the next step; no gravity."""
    return simulate(
        ball((0.0, 0.0, 0.0), name="first", velocity=(0.3, 0.0, 2.0, 0.0, 5.0, 0.0)),
        ball((0.02, 0.0, 0.202), name="second", mass=2.0, velocity=(-0.5, 0.2, -1.0, 3.0, 0.0, 0.0)),
        dt=DT,
        gravity=0.0,
    )


def test_the_problem_is_that_of_the_step() -> None:
    simulation = passing_balls()
    built = build_step_problem(simulation, simulation.state, simulation.zero_command)
    simulation.step()
    impulses = simulation.state.impulses
    assert np.linalg.norm(impulses.reshape(-1, 3)[:, :2]) > 0.01  # N s: they rub
    np.testing.assert_allclose(built.velocity_after(impulses), simulation.state.v, atol=1e-13)
    # Without weight residuals are measured against that on Earth.
    assert check_solution(built.problem, impulses).natural_map < 1e-8 * 3.0 * 9.81 * DT


def test_angular_momentum_is_kept_over_the_gap() -> None:
    """A force and its opposite act at one place."""
    simulation = passing_balls()
    robot, q = simulation.robot, simulation.state.q
    built = build_step_problem(simulation, simulation.state, simulation.zero_command)
    before = footfall.centroidal_momentum(robot, q, built.free_velocity)
    simulation.step()
    after = footfall.centroidal_momentum(robot, q, built.velocity_after(simulation.state.impulses))
    assert np.abs(before[3:]).max() > 0.01
    np.testing.assert_allclose(after, before, atol=1e-13)
