"""Constraints that depend on each other, near singular poses and in conflict."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.dynamics.hybrid import hybrid_dynamics
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.hybrid_elimination import solve_semidefinite
from footfall.dynamics.hybrid_singular import resolve_constraints
from footfall.errors import NoSolution, UnknownName
from footfall.robot.load import load
from tests.dynamics.constrained import dense_problem, equation_errors
from tests.random_robots import random_robot, random_state

ARM = ("planar-arm", np.array([0.4, -0.7, 0.9]), np.array([0.3, -0.2, 0.5]), np.array([1.0, -2.0, 0.5]))


def test_a_duplicate_changes_no_motion() -> None:
    name, q, v, tau = ARM
    robot = load(name)
    single = hybrid_dynamics.textbook(
        robot, q, v, tau, constraints=[Constraint("tip", ("x",))], setpoints=np.array([0.7])
    )
    twice = [Constraint("tip", ("x",)), Constraint("tip", ("x",), name="again")]
    double = hybrid_dynamics.textbook(robot, q, v, tau, constraints=twice, setpoints=np.array([0.7, 0.7]))
    np.testing.assert_allclose(double.accelerations, single.accelerations, rtol=1e-10)
    np.testing.assert_array_equal(double.kept, [1.0, 0.0])
    np.testing.assert_allclose(double.residuals, 0.0, atol=1e-10)
    shared = resolve_constraints(robot, q, v, tau, constraints=twice, setpoints=np.array([0.7, 0.7]))
    np.testing.assert_allclose(shared.motion.accelerations, single.accelerations, rtol=1e-9)
    np.testing.assert_allclose(shared.motion.forces, np.repeat(single.forces / 2, 2), rtol=1e-9)
    assert shared.redundant == ("tip.x", "again.x")
    assert shared.rank == 1


def test_conflicts_are_told_by_name_and_order_is_priority() -> None:
    name, q, v, tau = ARM
    robot = load(name)
    constraints = [Constraint("tip", ("x", "z")), Constraint("tip", ("x",), name="wall")]
    setpoints = np.array([0.7, 0.1, -0.3])
    first = hybrid_dynamics.textbook(robot, q, v, tau, constraints=constraints, setpoints=setpoints)
    np.testing.assert_allclose(first.residuals, [0.0, 0.0, -1.0], atol=1e-9)
    report = resolve_constraints(robot, q, v, tau, constraints=constraints, setpoints=setpoints)
    assert set(report.conflicts) == {"tip.x", "wall.x"}
    assert report.conflicts["tip.x"] == pytest.approx(0.5)
    assert report.conflicts["wall.x"] == pytest.approx(-0.5)
    np.testing.assert_allclose(report.motion.residuals, [0.5, 0.0, -0.5], atol=1e-9)
    with pytest.raises(NoSolution, match=r"residuals: tip\.x: 0\.5, wall\.x: -0\.5"):
        resolve_constraints(robot, q, v, tau, constraints=constraints, setpoints=setpoints, strict=True)


def test_stretched_arm_loses_one_direction_only() -> None:
    """A planar arm that hangs straight cannot move its tip along itself."""
    robot = load("planar-arm")
    zero = np.zeros(3)
    constraints = [Constraint("tip", ("x", "z"))]
    for setpoints, lost in ((np.array([0.5, 0.0]), 0.0), (np.array([0.5, 0.3]), 0.3)):
        motion = hybrid_dynamics.textbook(
            robot, zero, zero, zero, constraints=constraints, setpoints=setpoints
        )
        assert np.all(np.isfinite(motion.forces))
        np.testing.assert_allclose(motion.residuals, [0.0, lost], atol=1e-10)
    bent = np.array([0.0, 1e-4, 0.0])
    hard = resolve_constraints(robot, bent, zero, zero, constraints=constraints, setpoints=setpoints)
    damped = resolve_constraints(
        robot, bent, zero, zero, constraints=constraints, setpoints=setpoints, policy="damped"
    )
    assert np.abs(hard.motion.residuals).max() < 1e-6
    assert np.abs(hard.motion.forces).max() > 1e3 * np.abs(damped.motion.forces).max()
    assert abs(damped.motion.residuals[0]) < 1e-3 < abs(damped.motion.residuals[1])
    with pytest.raises(UnknownName, match="truncated, damped"):
        resolve_constraints(robot, bent, zero, zero, constraints=constraints, policy="hope")  # type: ignore[arg-type]


def test_soft_constraints_yield() -> None:
    name, q, v, tau = ARM
    robot = load(name)
    constraints, compliance = [Constraint("tip", ("x", "z"))], np.array([0.0, 0.3])
    motion = hybrid_dynamics.textbook(
        robot, q, v, tau, constraints=constraints, setpoints=np.array([0.2, 0.9]), compliance=compliance
    )
    np.testing.assert_allclose(motion.residuals, compliance * motion.forces, atol=1e-12)
    problem = dense_problem(robot, q, v, constraints)
    reached = np.array([0.2, 0.9]) - motion.residuals
    assert max(equation_errors(problem, tau, reached, motion.accelerations, motion.forces)) < 1e-10
    assert abs(motion.residuals[1]) > 0.1


@pytest.mark.parametrize("seed", range(6))
def test_more_constraints_than_freedom(seed: int) -> None:
    """Both ways fulfil what can be fulfilled, with the same motion where set-points do not contradict."""
    robot = random_robot(seed, types=["revolute"] * 4, ups=[0] * 4, floating_base=False)
    q, v, a, tau = random_state(robot, seed)
    constraints = [Constraint("body3"), Constraint("body2", ("x", "ry"))]
    problem = dense_problem(robot, q, v, constraints)
    setpoints = problem.jacobian @ a + problem.drift
    ordered = hybrid_dynamics.textbook(robot, q, v, tau, constraints=constraints, setpoints=setpoints)
    shared = resolve_constraints(robot, q, v, tau, constraints=constraints, setpoints=setpoints)
    np.testing.assert_allclose(ordered.accelerations, a, atol=1e-6)
    np.testing.assert_allclose(shared.motion.accelerations, a, atol=1e-6)
    assert ordered.kept.sum() == shared.rank == 4
    assert shared.conflicts == {}
    # J^T f is unique although f is not.
    np.testing.assert_allclose(
        ordered.constraint_torques, shared.motion.constraint_torques, atol=1e-6 * np.abs(setpoints).max()
    )


def test_what_is_switched_off_has_no_part() -> None:
    name, q, v, tau = ARM
    robot = load(name)
    constraints = [Constraint("tip", ("x", "z")), Constraint("tip", ("x",), name="wall")]
    setpoints, active = np.array([0.7, 0.1, -0.3]), np.array([1.0, 1.0, 0.0])
    report = resolve_constraints(
        robot, q, v, tau, constraints=constraints, setpoints=setpoints, active=active, strict=True
    )
    only = hybrid_dynamics.textbook(robot, q, v, tau, constraints=constraints[:1], setpoints=setpoints[:2])
    np.testing.assert_allclose(report.motion.accelerations, only.accelerations, rtol=1e-9)
    assert report.motion.forces[2] == 0.0
    assert report.redundant == ()


def test_elimination_of_semidefinite_matrices() -> None:
    rng = np.random.default_rng(0)
    for rank in range(6):
        factor = rng.normal(size=(5, rank))
        matrix = factor @ factor.T
        b = matrix @ rng.normal(size=5)
        x, residuals, kept, _ = solve_semidefinite(matrix.tolist(), b.tolist(), [1.0] * 5)
        np.testing.assert_allclose(matrix @ x, b, atol=1e-9)
        np.testing.assert_allclose(residuals, 0.0, atol=1e-9)
        assert sum(kept) == min(rank, 5)
