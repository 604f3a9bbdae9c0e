"""Resolved motion rate as one native call: against the textbook formula, and the cost it lowers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import footfall
from footfall.control.inverse_kinematics.costs import ComfortCost
from footfall.control.inverse_kinematics.rates import ResolvedRate
from footfall.control.inverse_kinematics.velocity import build_ik
from footfall.control.tasks.lola import lola_task_space, lola_task_space_2012
from footfall.control.tasks.positions import HalfSpaceTask, frame_position
from footfall.control.tasks.stack import TaskStack
from footfall.errors import InvalidInput
from footfall.math.positive_definite import solve_positive_definite
from footfall.robot.model import Robot
from tests.dynamics.rates import rate_along


@cache
def lola() -> Robot:
    return footfall.load("lola")


IDLE = lola().configuration("idle")
COST = ComfortCost(tuple(IDLE.tolist()), comfort_gain=0.5, limit_gain=2.0, margin=0.1)
WEIGHTS = np.linspace(1.0, 3.0, lola().nv)


@cache
def controller() -> ResolvedRate:
    tasks = lola_task_space(lola(), IDLE, gains=5.0)
    return ResolvedRate(lola(), tasks, motion_weights=WEIGHTS, cost=COST, damping=1e-9)


def disturbed(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return footfall.integrate(lola(), IDLE, 0.1 * rng.normal(size=lola().nv))


def test_it_is_equation_4_12() -> None:
    q = disturbed()
    problem = build_ik(lola(), q, controller().stack.tasks)
    jacobian, inverse = problem.jacobian, np.diag(1 / WEIGHTS)
    weighted = inverse @ jacobian.T @ np.linalg.inv(jacobian @ inverse @ jacobian.T)
    projector = np.eye(lola().nv) - weighted @ jacobian
    gradient = COST.gradient(lola(), q)
    expected = weighted @ problem.rate - projector @ inverse @ gradient
    v = controller()(q)
    np.testing.assert_allclose(v, expected, atol=1e-9)
    np.testing.assert_allclose(jacobian @ v, problem.rate, atol=1e-9)
    np.testing.assert_allclose(jacobian @ projector, 0.0, atol=1e-10)
    np.testing.assert_allclose(projector @ projector, projector, atol=1e-10)
    assert np.abs(projector - projector.T).max() > 1e-3  # not symmetric for W other than the identity
    free = projector @ inverse
    np.testing.assert_allclose(free, free.T, atol=1e-10)
    assert gradient @ -free @ gradient < 0.0  # null-space motion lowers the cost


def test_gradient_is_the_derivative_of_the_cost() -> None:
    for seed in range(3):
        q = footfall.random_configuration(lola(), seed=seed)
        v = np.random.default_rng(seed).normal(size=lola().nv)
        rate = rate_along(lambda at: np.array(COST.value(lola(), at)), lola(), q, v, h=1e-4)
        assert COST.gradient(lola(), q) @ v == pytest.approx(float(rate), abs=1e-6)


def test_lola_returns_to_her_idle_pose() -> None:
    q = disturbed(3)
    for _ in range(400):
        q = footfall.integrate(lola(), q, 0.05 * controller()(q))
    # Pelvis and arms are free: the cost alone brings them back.
    assert np.abs(footfall.difference(lola(), q, IDLE)).max() < 0.05
    stack = controller().stack
    assert np.abs(stack.kernel(q, stack.parameters)[0]).max() < 1e-9


def test_moving_targets_need_no_other_code() -> None:
    tasks = list(controller().stack.tasks)
    tasks[0] = replace(tasks[0], target=tasks[0].target + 0.01, rate=np.array([0.1, 0.0, 0.0]))  # type: ignore[call-arg,attr-defined]
    v = controller()(IDLE, tasks)
    assert footfall.dynamics.center_of_mass_velocity(lola(), IDLE, v)[0] == pytest.approx(0.15, abs=1e-8)
    with pytest.raises(InvalidInput, match="differ in more"):
        controller()(IDLE, tasks[:-1])


@pytest.mark.parametrize(("hands", "rows"), [((), 22), (("RH",), 25), (("LH", "RH"), 28)])
def test_task_space_of_lola(hands: tuple[str, ...], rows: int) -> None:
    """Seiwald 2023, section 4.3: sizes, null space, and velocities against differences of poses."""
    stack = TaskStack(lola(), lola_task_space(lola(), IDLE, hands=hands))
    error, jacobian = stack.kernel(IDLE, stack.parameters)
    assert error.shape == (rows,)
    np.testing.assert_allclose(error, 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(jacobian, tol=1e-6) == rows
    v = np.random.default_rng(rows).normal(size=lola().nv)
    rate = rate_along(lambda q: stack.kernel(q, stack.parameters)[0], lola(), IDLE, v)
    np.testing.assert_allclose(-rate, jacobian @ v, atol=1e-8)


@pytest.mark.parametrize("name", ["lola", "lola-2012"])
def test_task_space_of_2012(name: str) -> None:
    """Schwienbacher 2014, table 4.2: 28 rows; without the head the robot of 2012 has no freedom left."""
    robot = footfall.load(name)
    q = robot.configuration("idle")
    stack = TaskStack(robot, lola_task_space_2012(robot, q))
    error, jacobian = stack.kernel(q, stack.parameters)
    assert error.shape == (28,)
    np.testing.assert_allclose(error, 0.0, atol=1e-12)
    head = [robot.v_slice(joint).start for joint in ("vp", "vt")]
    assert np.linalg.matrix_rank(np.delete(jacobian, head, axis=1), tol=1e-6) == 28
    assert robot.nv - len(head) == (28 if name == "lola-2012" else 30)


def test_factorisation_solves() -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(7, 7))
    matrix, right = root @ root.T + np.eye(7), rng.normal(size=7)
    solution = solve_positive_definite(matrix, right).astype(float)
    np.testing.assert_allclose(solution, np.linalg.solve(matrix, right), atol=1e-12)


def test_bad_input() -> None:
    task = frame_position("RH", np.zeros(3))
    with pytest.raises(InvalidInput, match="inequalities"):
        ResolvedRate(lola(), [HalfSpaceTask("RH", np.zeros(3), np.array([0.0, 0.0, 1.0]))])
    with pytest.raises(InvalidInput, match="motion_weights"):
        ResolvedRate(lola(), [task], motion_weights=np.zeros(lola().nv))
    with pytest.raises(InvalidInput, match="comfort has 2 entries"):
        ResolvedRate(lola(), [task], cost=ComfortCost((0.0, 0.0)))
    with pytest.raises(InvalidInput, match="hands are nose"):
        lola_task_space(lola(), IDLE, hands=["nose"])
