"""Control of looped robots: inverse kinematics and joint space in independent coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.ik import solve_ik
from footfall.tasks import frame_position
from tests.dynamics.multipliers import all_constraint_rows
from tests.looped_robots import four_bar, tower


def test_inverse_kinematics_moves_closed_loops() -> None:
    """A tower of three four-bars reaches where it has been before, closed all the way."""
    robot = tower(3)
    start = footfall.neutral(robot)
    there = footfall.integrate(robot, start, np.array([0.2, -0.15, 0.1]))
    target = footfall.frame_pose(robot, there, "rocker2_tip").translation
    solution = solve_ik(robot, start, [frame_position("rocker2_tip", target)])
    q = solution.require()
    assert np.abs(footfall.frame_pose(robot, q, "rocker2_tip").translation - target).max() < 1e-6
    assert np.abs(all_constraint_rows(robot, q, np.zeros(robot.tree.nv))[0]).max() < 1e-12


def test_forces_that_hold_a_linkage_still() -> None:
    robot = four_bar()
    q = footfall.neutral(robot)
    tau = footfall.gravity_forces(robot, q)
    assert footfall.forward_dynamics(robot, q, np.zeros(1), tau) == pytest.approx(np.zeros(1), abs=1e-12)
