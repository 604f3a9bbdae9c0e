"""Contact problems and their solutions against Pinocchio's Delassus matrix and constraint solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from benchmarks.lab.random_problems import foot_problem, pile_problem
from footfall.arrays import Array
from footfall.contact.assembly import build_contact_problem
from footfall.contact.classic.gauss_seidel import solve_gauss_seidel
from footfall.contact.classic.hybrid import solve_hybrid
from footfall.contact.classic.pyramid import impulse_scale
from footfall.contact.contacts import Contacts
from footfall.contact.options import JointRows
from footfall.contact.problem import ContactProblem

pin = pytest.importorskip("pinocchio")


def peer_solution(problem: ContactProblem, solver: Any, settings: Any, result: Any) -> tuple[bool, Array]:
    """Impulses that a constraint solver of Pinocchio finds for the same matrix and bias."""
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in problem.friction:
        contact = pin.PointContactConstraintModel(model, 1)
        contact.setFriction(float(mu))
        models.append(pin.ConstraintModel(contact))
    for contact in models:
        datas.append(contact.createData())
    settings.max_iterations = 20_000
    settings.solve_ncp = True
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = 1e-12
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    delassus = pin.DelassusOperatorDense(problem.matrix())
    found = solver.solve(delassus, problem.bias, models, datas, settings, result)
    return bool(found), np.array(result.retrieveConstraintImpulses())


@pytest.mark.parametrize("kind", ["PGS", "ADMM"])
def test_solutions_agree_with_pinocchio(kind: str) -> None:
    if not hasattr(pin, f"{kind}ConstraintSolver"):
        pytest.skip(f"this Pinocchio has no {kind}ConstraintSolver")
    compared = 0
    for seed in range(8):
        for problem in (pile_problem(3, seed=seed), foot_problem(4, seed=seed)):
            parts = [getattr(pin, f"{kind}{name}")() for name in ("SolverSettings", "SolverResult")]
            found, impulses = peer_solution(
                problem, getattr(pin, f"{kind}ConstraintSolver")(problem.size), *parts
            )
            if not found:
                continue
            compared += 1
            for solve in (solve_gauss_seidel, solve_hybrid):
                ours = solve(problem)
                assert ours.converged
                # velocities: a redundant foot shares its load among the corners in many ways
                np.testing.assert_allclose(
                    ours.velocities, problem.velocities(impulses), atol=2e-7 * np.abs(problem.bias).max()
                )
    assert compared >= 8


def test_delassus_matrix_of_the_quadruped() -> None:
    pinocchio = pytest.importorskip("tests.peers.pinocchio")
    robot = footfall.load("quadruped")
    feet = ["RB", "LB", "RF", "LF"]
    q = footfall.random_configuration(robot, seed=4)
    zero = np.zeros(robot.nv)
    contacts = Contacts(feet, np.zeros(3), np.eye(3), 0.0, 0.5)
    problem = build_contact_problem(
        robot, q, zero, zero, contacts, dt=1e-3, joints=JointRows(limits=False, friction=False)
    )
    twin = pinocchio.PinocchioPeer.from_robot(robot)
    jacobian = np.concatenate([twin.frame_jacobian(q, foot)[:3] for foot in feet])
    expected = jacobian @ np.linalg.solve(twin.mass_matrix(q), jacobian.T)
    np.testing.assert_allclose(problem.delassus, expected, atol=1e-9 * np.abs(expected).max())
    assert impulse_scale(problem) > 0.0
