"""Impacts one after the other: restitution, energy, Newton's cradle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lab.random_problems import pile_problem, random_problem
from footfall.arrays import Array
from footfall.contact.classic.hybrid import solve_hybrid
from footfall.contact.classic.impacts import solve_impact_sequence
from footfall.contact.problem import ContactProblem
from footfall.errors import InvalidInput


def row_of_balls(count: int, velocity: Array) -> ContactProblem:
    """Equal balls in a row that touch; the only direction that matters is the normal of each contact."""
    jacobian = np.zeros((3 * (count - 1), count))
    for contact in range(count - 1):
        jacobian[3 * contact + 2, contact : contact + 2] = -1.0, 1.0
    return ContactProblem(jacobian @ jacobian.T, jacobian @ velocity, np.zeros(count - 1))


def velocities_after(problem: ContactProblem, count: int, velocity: Array, impulses: Array) -> Array:
    jacobian = np.zeros((problem.size, count))
    for contact in range(count - 1):
        jacobian[3 * contact + 2, contact : contact + 2] = -1.0, 1.0
    return velocity + jacobian.T @ impulses


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_one_ball_rebounds(restitution: float) -> None:
    problem = ContactProblem(np.eye(3) / 2.0, np.array([0.0, 0.0, -3.0]), np.array([0.5]))
    solution = solve_impact_sequence(problem, restitution=restitution)
    assert solution.converged
    np.testing.assert_allclose(solution.velocities, [0.0, 0.0, 3.0 * restitution], atol=1e-8)


def test_slow_impact_is_plastic() -> None:
    problem = ContactProblem(np.eye(3), np.array([0.0, 0.0, -0.01]), np.array([0.5]))
    solution = solve_impact_sequence(problem, restitution=1.0, rest_speed=0.02)
    assert solution.velocities[2] == pytest.approx(0.0, abs=1e-10)


def test_newtons_cradle_passes_the_impact_on() -> None:
    # In sequence the last ball leaves with all of the speed. The simultaneous problem gives another answer.
    velocity = np.array([1.0, 0.0, 0.0])
    problem = row_of_balls(3, velocity)
    solution = solve_impact_sequence(problem, restitution=1.0)
    np.testing.assert_allclose(
        velocities_after(problem, 3, velocity, solution.impulses), [0.0, 0.0, 1.0], atol=1e-7
    )
    # (1 + e) v, Ayit 2015, (4.13).
    together = ContactProblem(problem.delassus, problem.bias * 2, problem.friction)
    answer = velocities_after(problem, 3, velocity, solve_hybrid(together).impulses)
    np.testing.assert_allclose(answer, [-1 / 3, 2 / 3, 2 / 3], atol=1e-7)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), restitution=st.floats(0.0, 1.0))
def test_never_adds_energy_and_never_ends_approaching(seed: int, restitution: float) -> None:
    problem = pile_problem(4, seed=seed)
    solution = solve_impact_sequence(problem, restitution=restitution)
    scale = np.abs(problem.bias).max()
    assert solution.converged, solution.status
    assert solution.velocities[2::3].min() >= -1e-9 * scale
    assert solution.impulses[2::3].min() >= 0.0
    energy = 0.5 * solution.impulses @ (solution.velocities + problem.bias)
    assert energy <= 1e-9 * scale**2


def test_single_plastic_contact_is_the_complementarity_solution() -> None:
    for seed in range(20):
        problem = pile_problem(1, seed=seed)
        np.testing.assert_allclose(
            solve_impact_sequence(problem).impulses, solve_hybrid(problem).impulses, atol=1e-7
        )


def test_wrong_input_is_named() -> None:
    with pytest.raises(InvalidInput, match="restitution is"):
        solve_impact_sequence(pile_problem(1, seed=0), restitution=1.1)
    with pytest.raises(InvalidInput, match="no dry friction"):
        solve_impact_sequence(random_problem(1, boxes=1, seed=0))
