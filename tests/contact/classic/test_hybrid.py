"""The hybrid solver: what sweeps do not solve, Newton's method in contact space does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.lab.random_problems import problems, random_problem
from footfall.contact.classic.gauss_seidel import solve_gauss_seidel
from footfall.contact.classic.hybrid import projected, solve_hybrid
from footfall.contact.classic.pyramid import impulse_scale
from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution

DT, G = 2e-3, 9.81


def landing_plate(points: int, seed: int) -> ContactProblem:
    """A plate of 10 kg, 0.6 m by 0.4 m, that comes down flat on points x points of its points and slides and spins.

    Its gaps are some micrometres, a little more towards the rim, so that not all points can touch. Rank 6.
    """
    rng = np.random.default_rng([points, seed])
    x, y = np.meshgrid(np.linspace(-0.3, 0.3, points), np.linspace(-0.2, 0.2, points))
    places = np.stack([x.ravel(), y.ravel(), np.full(points**2, -0.025)], axis=1)
    # Velocity of a point: v + w x r, in the order t1, t2, n.
    jacobian = np.concatenate(
        [np.hstack([np.eye(3), [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]]) for x, y, z in places]
    )
    inverse = np.diag(1 / np.array([10.0, 10.0, 10.0, 0.135, 0.302, 0.433]))
    v = rng.normal(size=6) * [0.1, 0.1, 0.01, 0.01, 0.01, 0.5]
    v[2] -= G * DT
    bias = jacobian @ v
    gaps = 1e-6 * (places[:, :2] @ rng.normal(size=2)) + 1e-7 * (places[:, :2] ** 2).sum(axis=1)
    bias[2::3] += (gaps - gaps.min()) / DT
    return ContactProblem(jacobian @ inverse @ jacobian.T, bias, np.full(len(places), 0.8))


def solves(problem: ContactProblem, impulses: np.ndarray, tolerance: float) -> bool:
    residuals = check_solution(problem, impulses)
    return residuals.natural_map <= tolerance * impulse_scale(problem)


@pytest.mark.parametrize("points", [2, 4, 6])
def test_corners_that_land_and_slide_are_solved(points: int) -> None:
    for seed in range(12):
        problem = landing_plate(points, seed)
        solution = solve_hybrid(problem)
        assert solves(problem, solution.impulses, 1e-7), (seed, solution.status)


def test_sweeps_alone_do_not_solve_them() -> None:
    """Else the test above would not need Newton's method."""
    found = [solve_gauss_seidel(landing_plate(4, seed), max_sweeps=300).converged for seed in range(12)]
    assert not all(found)


def test_limits_boxes_and_compliance_are_solved_along() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        problem = random_problem(5, seed=seed, limits=3, boxes=4, velocities=16)
        compliance = np.zeros(problem.size)
        compliance[2:15:3] = rng.uniform(0.0, 0.5, 5)
        problem = replace(problem, compliance=compliance)
        solution = solve_hybrid(problem, sweeps=1)
        assert solution.converged, seed
        assert solves(problem, solution.impulses, 2e-10)
        assert np.abs(solution.impulses[18:]).max() <= problem.box.max()


def test_what_comes_out_is_allowed() -> None:
    for _, problem in problems(20, contacts=8, seed=4):
        p = solve_hybrid(problem).impulses
        np.testing.assert_allclose(p, projected(problem, p), atol=1e-10 * impulse_scale(problem))


def test_a_start_that_solves_is_kept() -> None:
    problem = landing_plate(4, 0)
    first = solve_hybrid(problem, tolerance=1e-8 * impulse_scale(problem))
    again = solve_hybrid(problem, start=first.impulses, tolerance=1e-7 * impulse_scale(problem))
    assert again.iterations == 0
    np.testing.assert_array_equal(again.impulses, first.impulses)


def test_too_few_rounds_are_reported() -> None:
    problem = landing_plate(6, 1)
    solution = solve_hybrid(problem, max_rounds=1, sweeps=1, tolerance=0.0)
    assert not solution.converged
    assert "residual above" in solution.status
