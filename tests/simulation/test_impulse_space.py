"""The matrix of a few contacts, and Newton's steps in their impulses, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from benchmarks.lab.contact_scenes import contact_scene
from footfall.arrays import Array
from footfall.contact.law import LinearLaw
from footfall.dynamics.factorisation import factorise
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling
from footfall.geometry.plane import Plane
from footfall.robot.model import Robot
from footfall.robot.start import start_of
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.lanes.batch_step import BatchStep
from footfall.simulation.lanes.contacts import lane_contact
from footfall.simulation.lanes.foot_points import find_feet
from footfall.simulation.lanes.groups import ConstraintGroups
from footfall.simulation.lanes.newton import (
    GroupMotion,
    delassus_matrix,
    diagonal_mobilities,
    impulse_solver,
)
from footfall.simulation.step_values import StepOptions


@pytest.fixture(scope="module")
def feet() -> tuple[Robot, Array, ConstraintGroups]:
    """ANYmal in some posture, on its four feet."""
    scene = contact_scene("ANYmal standing")
    robot, q = scene.robot, scene.q.copy()
    q[7:] += 0.1 * np.random.default_rng(0).normal(size=robot.nq - 7)
    motion = LinkMotion(robot.tree, link_poses(robot.tree, q), Coupling(robot, q))
    contacts = [lane_contact(robot, motion.poses, each, 0.8, 0.0) for each in scene.candidates]
    return robot, q, ConstraintGroups(motion, contacts, [])


@pytest.fixture(scope="module")
def delassus(feet: tuple[Robot, Array, ConstraintGroups]) -> Array:
    robot, q, groups = feet
    factor = factorise(robot.tree, footfall.mass_matrix(robot, q))
    return delassus_matrix(robot.tree, factor, groups.contact_rows()).astype(float)


def test_the_matrix_is_what_impulses_do(feet: tuple[Robot, Array, ConstraintGroups], delassus: Array) -> None:
    robot, q, groups = feet
    assert not groups.redundant()
    mass = footfall.mass_matrix(robot, q)
    for k, unit in enumerate(np.eye(12)):
        answer = groups.velocities(np.linalg.solve(mass, groups.forces(unit).astype(float)))
        assert delassus[:, k] == pytest.approx(np.array(answer, dtype=float), rel=1e-9, abs=1e-12)


def test_mobilities_are_the_diagonal(delassus: Array) -> None:
    along, normal = np.array(diagonal_mobilities(delassus)).T
    own = np.diag(delassus).reshape(-1, 3)
    assert along == pytest.approx(own[:, :2].mean(axis=1), rel=1e-6)
    assert normal == pytest.approx(own[:, 2], rel=1e-6)


@pytest.mark.parametrize("softness", [1e-2, 1e-7])
def test_steps_solve_their_equation(delassus: Array, softness: float) -> None:
    """`(1 + K W) dp = shift` with one contact each that sticks, slides and is open, as stiff as they come."""
    rng = np.random.default_rng(1)
    normal = 1.0 / (softness * delassus[2, 2])
    slip = np.array([np.cos(0.7), np.sin(0.7)])
    none, lean = np.zeros(3), -0.8 * normal
    cones = [
        LinearLaw(none, normal, normal, 0.0, False, 0.0, 0.0, 0.0, 0.0),
        LinearLaw(none, 30.0, normal, lean, True, *slip, 0.0, 0.0),
        LinearLaw(none, 0.0, 0.0, 0.0, False, 0.0, 0.0, 0.0, 0.0),
        LinearLaw(none, normal, normal, 0.0, False, 0.0, 0.0, 0.0, 0.0),
    ]
    slides = 30.0 * (np.eye(2) - np.outer(slip, slip))
    assert cones[1].stiffness == pytest.approx(np.block([[slides, lean * slip[:, None]], [0.0, 0.0, normal]]))
    springs = np.zeros((12, 12))
    for k, cone in enumerate(cones):
        springs[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = cone.stiffness
    shift = springs @ rng.normal(size=12)
    found = np.array(impulse_solver(delassus, cones)(shift), dtype=float)
    expected = np.linalg.solve(np.eye(12) + springs @ delassus, shift)
    assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("bent", [0.0, 0.3])
def test_soles_of_several_points_move_as_their_loads_say(bent: float) -> None:
    """`(M + J^T K J) dv = J^T shift` in the motions of two soles of four points each, which the springs of sticking
    points hold in more ways than they can move; also with straight knees, where loads along the legs move nothing."""
    robot, rng = footfall.load("g1"), np.random.default_rng(2)
    q = start_of(robot).q.copy()
    q[7:] = bent * rng.uniform(-1.0, 1.0, robot.nq - 7)
    step = BatchStep(robot, find_feet(robot), Plane(), StepOptions(), 1)
    motion = LinkMotion(robot.tree, link_poses(robot.tree, q), Coupling(robot, q))
    contacts = [lane_contact(robot, motion.poses, each, 0.8, 0.0) for each in step.candidates]
    groups = ConstraintGroups(motion, contacts, [])
    assert len(groups.groups) == 2
    assert groups.redundant()
    assert groups.apart()
    mass = footfall.mass_matrix(robot, q)
    soles = GroupMotion(robot.tree, factorise(robot.tree, mass), groups)
    size = 3 * len(contacts)
    jacobian = np.array([groups.velocities(unit, relative=True) for unit in np.eye(robot.nv)], dtype=float).T
    response = jacobian @ np.linalg.solve(mass, jacobian.T)
    p = rng.normal(size=size)
    assert soles.answer(p).astype(float) == pytest.approx(response @ p, rel=1e-9, abs=1e-12)

    none, hard = np.zeros(3), 1.0 / (1e-5 * response[2, 2])
    open_one = LinearLaw(none, 0.0, 0.0, 0.0, False, 0.0, 0.0, 0.0, 0.0)
    slides = LinearLaw(none, 30.0, hard, 0.5 * hard, True, np.cos(0.7), np.sin(0.7), 0.0, 0.0)
    sticks = LinearLaw(none, hard, hard, 0.0, False, 0.0, 0.0, 0.0, 0.0)
    cones = [sticks, sticks, slides, open_one, sticks, sticks, sticks, sticks]
    springs = np.zeros((size, size))
    for k, cone in enumerate(cones):
        springs[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = cone.stiffness
    shift = springs @ rng.normal(size=size)
    expected = jacobian @ np.linalg.solve(mass + jacobian.T @ springs @ jacobian, jacobian.T @ shift)
    found = soles.solver(cones)(shift).astype(float)
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()
