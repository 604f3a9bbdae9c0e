"""Gauss-Seidel on the exact cone, and with Newton steps: closed forms, redundant contacts, towers, failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lab.random_problems import (
    foot_problem,
    pile_problem,
    problems,
    random_problem,
    stack_problem,
)
from footfall.arrays import Array
from footfall.contact.classic.gauss_seidel import solve_gauss_seidel, solve_gauss_seidel_source
from footfall.contact.classic.hybrid import solve_hybrid
from footfall.contact.classic.pyramid import impulse_scale
from footfall.contact.problem import ContactProblem, ContactSolution
from footfall.contact.validation import check_solution
from footfall.errors import InvalidInput

Solver = Callable[..., ContactSolution]
SOLVERS = [solve_gauss_seidel, solve_hybrid]
MASS, DT, G = 3.0, 1e-3, 9.81


def assert_solves(problem: ContactProblem, solution: ContactSolution, tolerance: float = 1e-9) -> None:
    residuals = check_solution(problem, solution.impulses)
    assert solution.converged, solution.status
    assert residuals.natural_map <= tolerance * impulse_scale(problem)
    assert solution.residual == pytest.approx(residuals.natural_map, abs=1e-10 * impulse_scale(problem))
    np.testing.assert_allclose(
        solution.velocities, problem.velocities(solution.impulses), rtol=1e-9, atol=1e-12
    )


def block_on_slope(angle: float, mu: float, velocity: Array | None = None) -> ContactProblem:
    """A block on one point in the middle of its sole, so that it does not turn: contact frame along the slope."""
    gravity = DT * G * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    return ContactProblem(np.eye(3) / MASS, gravity + (0.0 if velocity is None else velocity), np.array([mu]))


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("mu", [0.2, 0.5, 1.0])
def test_block_sticks_below_atan_mu_and_slides_above(solve: Solver, mu: float) -> None:
    stuck = solve(block_on_slope(0.99 * np.arctan(mu), mu))
    np.testing.assert_allclose(stuck.velocities, 0.0, atol=1e-11)
    angle = 1.1 * np.arctan(mu)
    sliding = solve(block_on_slope(angle, mu))
    # a = g (sin - mu cos)
    assert sliding.velocities[0] == pytest.approx(DT * G * (np.sin(angle) - mu * np.cos(angle)), rel=1e-7)


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("size", [4, 8, 16])
def test_redundant_foot_carries_the_weight(solve: Solver, size: int) -> None:
    for seed in range(4):
        problem = foot_problem(size, seed=seed)
        assert np.linalg.matrix_rank(problem.delassus, tol=1e-9) <= 6
        assert_solves(problem, solve(problem))


@pytest.mark.parametrize("seed", range(3))
def test_tower_of_ten_boxes_is_solved_by_the_hybrid(seed: int) -> None:
    problem = stack_problem(10, seed=seed)
    assert_solves(problem, solve_hybrid(problem))


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), contacts=st.integers(1, 8))
def test_piles_are_solved(seed: int, contacts: int) -> None:
    problem = pile_problem(contacts, seed=seed)
    assert_solves(problem, solve_hybrid(problem))


@pytest.mark.parametrize("solve", SOLVERS)
def test_limits_and_boxes_in_the_same_problem(solve: Solver) -> None:
    for seed in range(8):
        problem = random_problem(3, limits=3, boxes=3, seed=seed)
        assert_solves(problem, solve(problem))


@pytest.mark.parametrize("solve", SOLVERS)
def test_compliance_and_extra(solve: Solver) -> None:
    for seed in range(6):
        problem = pile_problem(5, seed=seed)
        compliance = np.zeros(15)
        compliance[2::3] = 0.3
        problem = replace(problem, compliance=compliance, extra=np.full(5, 1e-3))
        assert_solves(problem, solve(problem))


def test_sweep_order_does_not_matter_where_the_solution_is_unique() -> None:
    # Small friction and a regular W: Coulomb's problem has one solution.
    for seed in range(5):
        problem = random_problem(5, friction=0.05, seed=seed)
        order = np.random.default_rng(seed).permutation(5)
        rows = (3 * order[:, None] + np.arange(3)).ravel()
        turned = ContactProblem(
            problem.delassus[np.ix_(rows, rows)], problem.bias[rows], problem.friction[order]
        )
        first, second = solve_gauss_seidel(problem), solve_gauss_seidel(turned)
        np.testing.assert_allclose(first.impulses[rows], second.impulses, atol=1e-7 * impulse_scale(problem))


def test_warm_start_saves_sweeps() -> None:
    problem = pile_problem(8, seed=3)
    cold = solve_gauss_seidel(problem)
    nearby = replace(problem, bias=problem.bias * (1 + 1e-6))
    warm = solve_gauss_seidel(nearby, start=cold.impulses)
    assert warm.converged
    assert warm.iterations < cold.iterations
    assert solve_gauss_seidel(problem, start=cold.impulses).iterations == 0


def test_over_relaxation_saves_sweeps_on_the_whole() -> None:
    made = [pile_problem(8, seed=seed) for seed in range(20)]
    plain = sum(solve_gauss_seidel(problem).iterations for problem in made)
    relaxed = sum(solve_gauss_seidel(problem, relaxation=1.3).iterations for problem in made)
    assert relaxed < 0.8 * plain


def test_failure_is_reported() -> None:
    problem = stack_problem(6, seed=0)
    solution = solve_gauss_seidel(problem, max_sweeps=5)
    assert not solution.converged
    assert solution.iterations == 5
    assert "residual above" in solution.status
    assert solution.residual == pytest.approx(
        check_solution(problem, solution.impulses).natural_map, rel=1e-6
    )


def test_no_contact_is_no_problem() -> None:
    empty = ContactProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0))
    for solve in (*SOLVERS, solve_gauss_seidel_source):
        assert solve(empty).converged


def test_wrong_options_and_starts_are_named() -> None:
    problem = pile_problem(2, seed=0)
    with pytest.raises(InvalidInput, match="relaxation is 2"):
        solve_gauss_seidel(problem, relaxation=2.0)
    with pytest.raises(InvalidInput, match="tolerance is -1"):
        solve_gauss_seidel(problem, tolerance=-1.0)
    with pytest.raises(InvalidInput, match="start needs 6 finite impulses"):
        solve_gauss_seidel(problem, start=np.full(6, np.nan))


def test_scheme_of_the_source_reaches_the_same_solution() -> None:
    for seed in range(5):
        problem = pile_problem(3, seed=seed)
        exact = solve_hybrid(problem)
        source = solve_gauss_seidel_source(problem, tolerance=1e-13, max_sweeps=5000)
        assert source.converged
        np.testing.assert_allclose(source.impulses, exact.impulses, atol=1e-8 * impulse_scale(problem))


def test_tolerance_of_the_source_is_out_of_reach() -> None:
    # Ayit 2015, (4.34)-(4.43): 1e-20 is below rounding, the cap of 100 sweeps decides.
    problem = foot_problem(4, feet=2, seed=1)
    capped = solve_gauss_seidel_source(problem)
    assert (capped.iterations, capped.converged) == (100, False)
    assert solve_gauss_seidel_source(problem, tolerance=1e-6).iterations < 100


def test_friction_dissipates() -> None:
    # Kinetic energy changes by p.(w + b) / 2, never upwards without restitution.
    for _, problem in problems(30, contacts=4, seed=7):
        solution = solve_hybrid(problem)
        assert solution.impulses @ (solution.velocities + problem.bias) <= 1e-12
