"""Rows of contacts in a robot's velocities, and elimination on its branches, against dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from benchmarks.lab.contact_scenes import contact_scene
from footfall.arrays import Array
from footfall.contact.law import LinearLaw
from footfall.contact.newton_schedule import ONE_ROUND, ROUND_APART, NewtonStep
from footfall.dynamics.factorisation import factorise
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.lanes.contacts import JointLaw, lane_contact
from footfall.simulation.lanes.groups import ConstraintGroups, SparseRows, solve_sparse
from footfall.simulation.lanes.newton import schedule
from footfall.simulation.step_problem import build_step_problem


@pytest.fixture(scope="module", params=["ANYmal standing", "LOLA standing, 8 points"])
def standing(request: Any) -> tuple[Any, ConstraintGroups, Array]:
    """A simulation, its groups (one or two contacts a link) with a joint row, and the dense Jacobian of all rows."""
    scene = contact_scene(request.param)
    simulation = scene.simulation()
    robot = simulation.robot
    q = simulation.state.q.copy()
    q[7:] += 0.1 * np.random.default_rng(0).normal(size=robot.nq - 7)
    motion = LinkMotion(robot.tree, link_poses(robot.tree, q), Coupling(robot, q))
    contacts = [lane_contact(robot, motion.poses, each, 0.8, 0.0) for each in simulation.candidates]
    groups = ConstraintGroups(motion, contacts, [JointLaw({8: 1.0}, -1.0, 0.0, np.inf)])
    simulation.reset(q)
    problem = build_step_problem(simulation, simulation.state, simulation.zero_command)
    mass = footfall.mass_matrix(robot, q) + np.diag(simulation.options.dt * robot.damping)
    jacobian = problem.response.T[: 3 * len(contacts)] @ mass
    return simulation, groups, np.concatenate([jacobian, -np.eye(robot.nv)[8:9]])


def test_rows_are_those_of_the_jacobian(standing: tuple[Any, ConstraintGroups, Array]) -> None:
    _, groups, jacobian = standing
    rng = np.random.default_rng(1)
    v, p = rng.normal(size=jacobian.shape[1]), rng.normal(size=jacobian.shape[0])
    assert np.allclose(np.array(groups.velocities(v), dtype=float), jacobian @ v, atol=1e-10)
    assert np.allclose(np.array(groups.forces(p), dtype=float), jacobian.T @ p, atol=1e-10)


def test_stiffness_is_that_of_the_jacobian(standing: tuple[Any, ConstraintGroups, Array]) -> None:
    _, groups, jacobian = standing
    rng = np.random.default_rng(2)
    cones, whole = [], np.zeros((len(jacobian), len(jacobian)))
    for k in range(len(groups.contacts)):
        along, normal, lean, angle = rng.normal(size=4)
        cones.append(
            LinearLaw(np.zeros(3), along, normal, lean, k % 2 == 0, np.cos(angle), np.sin(angle), 0.0, 0.0)
        )
        whole[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = cones[-1].stiffness
    whole[-1, -1] = 0.3
    size = jacobian.shape[1]
    rows: SparseRows = [{} for _ in range(size)]
    groups.add_stiffness(rows, cones, [0.3])
    matrix = np.array([[float(rows[i].get(j, 0.0)) for j in range(size)] for i in range(size)])
    assert np.allclose(matrix, jacobian.T @ whole @ jacobian, atol=1e-9)


def test_mobilities_are_near_the_diagonal(standing: tuple[Any, ConstraintGroups, Array]) -> None:
    """They scale the natural map: within a factor of five they do no harm."""
    simulation, groups, jacobian = standing
    inertia = footfall.mass_matrix(simulation.robot, simulation.state.q)
    diagonal = np.diag(jacobian @ np.linalg.solve(inertia, jacobian.T))[:-1].reshape(-1, 3)
    found = np.array(groups.mobilities(factorise(simulation.robot.tree, inertia).inverse_pivots), dtype=float)
    ratios = found / np.stack([diagonal[:, :2].mean(axis=1), diagonal[:, 2]], axis=1)
    assert np.all((ratios > 1 / 5) & (ratios < 5))


def test_elimination_solves_systems_with_any_symmetric_pattern() -> None:
    rng = np.random.default_rng(3)
    size = 12
    pattern = [{k} for k in range(size)]
    for i, j in rng.integers(0, size, size=(15, 2)):
        pattern[i].add(int(j))
        pattern[j].add(int(i))
    matrix = np.zeros((size, size))
    for i, columns in enumerate(pattern):
        for j in columns:
            matrix[i, j] = rng.normal() + (6.0 if i == j else 0.0)
    rows: SparseRows = [{j: float(matrix[i, j]) for j in columns} for i, columns in enumerate(pattern)]
    right = rng.normal(size=size)
    assert np.allclose(solve_sparse(rows, right), np.linalg.solve(matrix, right), rtol=1e-10)


@pytest.mark.parametrize("kinds", [ONE_ROUND, ROUND_APART])
def test_the_schedule_has_a_row_for_every_step(kinds: tuple[NewtonStep, ...]) -> None:
    reach, softness, least, leaning = schedule(kinds, 100)
    assert len(reach) == len(softness) == len(least) == len(leaning) == 100
    assert reach.max() > 1e5 > reach[0]
    assert np.all(np.maximum(softness, least) > 0.0)
    assert set(leaning) == {0.0, 1.0}
