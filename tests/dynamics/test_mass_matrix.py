"""The mass matrix: against both peers, energy, its sparsity, and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.configuration import random_configuration
from footfall.dynamics.energy import kinetic_energy
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.mass_matrix import mass_matrix, mass_matrix_pattern
from footfall.robot.load import load
from footfall.robot.model import Robot
from tests.dynamics.cases import CASE_A, CASE_B, DILL_CASES, DillCase, PlanarArmCase
from tests.peers.comparison import assert_agree
from tests.peers.robots import REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


@settings(max_examples=60)
@given(robot=robots())
def test_random_robots_agree_with_the_peers(robot: Robot) -> None:
    q, v, _, _ = random_state(robot, 1)
    matrix = mass_matrix.textbook(robot, q)
    assert_agree(matrix, PinocchioPeer.from_robot(robot).mass_matrix(q), 1e-12)
    assert_agree(matrix, MujocoPeer(robot).mass_matrix(q), 1e-8)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > 0.0
    assert v @ matrix @ v / 2 == pytest.approx(kinetic_energy.textbook(robot, q, v), rel=1e-12)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    q = random_state(robot, 1).q
    assert_agree(mass_matrix.textbook(robot, q), peer.mass_matrix(q), 1e-10)


def test_columns_are_forces_of_unit_accelerations() -> None:
    robot = random_robot(7, types=["floating", "planar", "universal", "spherical"], ups=[0, 0, 0, 1])
    q, rest = random_state(robot, 2).q, np.zeros(robot.nv)
    still = inverse_dynamics.textbook(robot, q, rest, rest)
    columns = [inverse_dynamics.textbook(robot, q, rest, unit) - still for unit in np.eye(robot.nv)]
    assert_agree(mass_matrix.textbook(robot, q), np.array(columns).T, 1e-12)


def test_the_base_position_plays_no_part() -> None:
    robot = random_robot(8, types=["floating", "revolute", "prismatic"], ups=[0, 0, 0])
    q = random_state(robot, 3).q
    there = q + np.concatenate([[10.0, -20.0, 30.0], np.zeros(robot.nq - 3)])
    np.testing.assert_array_equal(mass_matrix.textbook(robot, there), mass_matrix.textbook(robot, q))


@pytest.mark.parametrize("case", [CASE_A, CASE_B], ids=["A", "B"])
def test_planar_arm(case: PlanarArmCase) -> None:
    actual = mass_matrix.textbook(load("planar-arm"), np.array(case.q))
    np.testing.assert_allclose(actual, case.mass_matrix, atol=1e-8)


@pytest.mark.parametrize("case", DILL_CASES[:6], ids=lambda case: f"dill-{case.levels}")
def test_dill(case: DillCase) -> None:
    """Entry, energy and number of non-zeros of Schwienbacher 2014, chapter 2."""
    robot = load(f"dill-{case.levels}")
    matrix = mass_matrix.textbook(robot, np.full(robot.nq, np.pi / 6))
    assert robot.mass == pytest.approx(case.mass)
    assert matrix[0, 0] == pytest.approx(case.first_inertia, rel=1e-9)
    assert matrix.sum() / 2 == pytest.approx(case.kinetic_energy, rel=1e-9)
    assert np.count_nonzero(np.tril(matrix)) == 2 ** (case.levels - 1) * (case.levels + 2)


def test_sparsity_of_lola() -> None:
    """267 of 465 entries for the 30-velocity model, Schwienbacher 2014, table 2.4."""
    robot = load("lola-2012")
    matrix = mass_matrix.textbook(robot, random_state(robot, 4).q)
    related = sum(1 + len(list(_path(robot, k))) for k in range(robot.nv))
    assert related == 267
    # Velocities of the base's slides are at right angles: three of the entries are exact zeros.
    assert np.count_nonzero(np.tril(matrix)) == 267 - 3


def _path(robot: Robot, velocity: int):
    while (velocity := robot.tree.parent_velocity[velocity]) >= 0:
        yield velocity


def test_packed_entries_make_the_whole_matrix() -> None:
    """LOLA has 287 of 528 entries, Schwienbacher 2014 counts them for its predecessor."""
    robot = load("lola")
    q = random_configuration(robot, seed=4)
    rows, columns = mass_matrix_pattern(robot)
    assert len(rows) == 287
    matrix = np.zeros((robot.nv, robot.nv))
    matrix[rows, columns] = matrix[columns, rows] = mass_matrix(robot, q, packed=True)
    assert (matrix == mass_matrix(robot, q)).all()
