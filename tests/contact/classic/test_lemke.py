"""Lemke's method and the other solvers of complementarity problems on the friction pyramid."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lab.random_problems import foot_problem, pile_problem, random_problem
from footfall.arrays import Array
from footfall.contact.classic.complementarity import (
    solve_interior_point,
    solve_interior_point_lcp,
    solve_lemke,
    solve_lemke_lcp,
    solve_newton,
    solve_newton_lcp,
)
from footfall.contact.classic.hybrid import solve_hybrid
from footfall.contact.classic.pyramid import (
    LCPResult,
    facet_directions,
    impulse_scale,
    pyramid_residual,
    solve_gauss_seidel_pyramid,
)
from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution
from footfall.errors import InvalidInput

LCP_SOLVERS: list[Callable[..., LCPResult]] = [solve_lemke_lcp, solve_interior_point_lcp, solve_newton_lcp]
SOLVERS = [solve_lemke, solve_interior_point, solve_newton]


def enumerated(a: Array, b: Array) -> list[Array]:
    """All solutions of a small problem: try every set of positive variables."""
    found = []
    for chosen in product([False, True], repeat=len(b)):
        inside = np.array(chosen)
        u = np.zeros(len(b))
        if inside.any():
            u[inside] = np.linalg.solve(a[np.ix_(inside, inside)], -b[inside])
        if (u >= -1e-12).all() and (a @ u + b >= -1e-9).all():
            found.append(u)
    return found


@pytest.mark.parametrize("solve", LCP_SOLVERS)
def test_cases_of_the_source(solve: Callable[..., LCPResult]) -> None:
    # Ayit 2015, (4.33)
    first = solve(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0]))
    np.testing.assert_allclose(first.u, [4 / 3, 7 / 3], atol=1e-9)
    second = solve(np.eye(2), np.array([-1.0, 2.0]))
    np.testing.assert_allclose(second.u, [1.0, 0.0], atol=1e-9)
    assert solve(np.array([[0.0]]), np.array([-1.0])).status != "solved"


def test_unsolvable_problem_ends_on_a_ray_without_a_guess() -> None:
    result = solve_lemke_lcp(np.array([[0.0]]), np.array([-1.0]))
    assert result.status == "ray"
    assert np.isnan(result.u).all()


def test_nothing_to_do() -> None:
    result = solve_lemke_lcp(np.zeros((2, 2)), np.array([0.0, 1.0]))
    assert result.status == "solved"
    np.testing.assert_array_equal(result.u, np.zeros(2))


def test_limit_of_pivots_is_reported() -> None:
    root = np.random.default_rng(0).normal(size=(8, 8))
    assert solve_lemke_lcp(root @ root.T, -np.ones(8), max_pivots=2).status == "limit"


def test_wrong_input_is_named() -> None:
    with pytest.raises(InvalidInput, match="NaN"):
        solve_lemke_lcp(np.eye(2), np.array([np.nan, 1.0]))
    with pytest.raises(InvalidInput, match=r"A has shape \(3, 3\)"):
        solve_lemke_lcp(np.eye(3), np.ones(2))
    with pytest.raises(InvalidInput, match="at least 3"):
        solve_lemke(pile_problem(1, seed=0), facets=2)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 7))
def test_agrees_with_enumeration(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    a, b = root @ root.T + 1e-3 * np.eye(size), rng.normal(size=size)
    (expected,) = enumerated(a, b)  # positive definite: exactly one
    for solve in LCP_SOLVERS:
        result = solve(a, b)
        assert result.status == "solved"
        np.testing.assert_allclose(result.u, expected, atol=1e-6 * max(1.0, np.abs(expected).max()))


def test_degenerate_problem_does_not_cycle() -> None:
    # Equal rows make ties in every ratio test.
    a = np.ones((6, 6))
    result = solve_lemke_lcp(a, -np.ones(6))
    assert result.status == "solved"
    np.testing.assert_allclose(a @ result.u, 1.0)


@pytest.mark.parametrize("facets", [3, 4, 8, 16])
def test_lemke_and_gauss_seidel_agree_on_the_pyramid(facets: int) -> None:
    for seed in range(5):
        problem = random_problem(3, friction=0.1, seed=seed)
        lemke = solve_lemke(problem, facets=facets)
        sweeps = solve_gauss_seidel_pyramid(problem, facets=facets)
        assert lemke.converged
        assert sweeps.converged
        assert lemke.residual < 1e-11 * impulse_scale(problem)
        np.testing.assert_allclose(sweeps.impulses, lemke.impulses, atol=1e-7 * impulse_scale(problem))


def test_many_facets_approach_the_cone() -> None:
    errors = []
    for facets in (4, 8, 16, 32):
        total = 0.0
        for seed in range(6):
            problem = random_problem(2, friction=0.3, seed=seed)
            cone, pyramid = solve_hybrid(problem), solve_lemke(problem, facets=facets)
            total += np.abs(cone.velocities - pyramid.velocities).max() / np.abs(problem.bias).max()
        errors.append(total / 6)
    # The polygon's gap to the circle falls by four for twice the facets, its corners' spacing by two.
    assert errors[3] < errors[0] / 6
    assert all(later < earlier for earlier, later in pairwise(errors))


def test_frictionless_contacts_agree_exactly() -> None:
    for seed in range(6):
        problem = random_problem(5, friction=0.0, seed=seed)
        cone = solve_hybrid(problem)
        for solve in SOLVERS:
            solution = solve(problem, facets=4)
            assert solution.converged
            np.testing.assert_allclose(solution.impulses, cone.impulses, atol=1e-8 * impulse_scale(problem))


@pytest.mark.parametrize("solve", SOLVERS)
def test_redundant_foot(solve: Callable[..., object]) -> None:
    for seed in range(3):
        problem = foot_problem(4, seed=seed)
        solution = solve(problem, facets=8)
        assert solution.converged, solution.status  # type: ignore[attr-defined]
        assert pyramid_residual(problem, solution.impulses, facets=8) < 1e-8 * impulse_scale(problem)  # type: ignore[attr-defined]


def test_limits_boxes_and_extra() -> None:
    for seed in range(5):
        problem = random_problem(2, limits=2, boxes=2, friction=0.1, seed=seed)
        cone, pyramid = solve_hybrid(problem), solve_lemke(problem, facets=32)
        assert pyramid.converged
        np.testing.assert_allclose(pyramid.impulses, cone.impulses, atol=0.05 * np.abs(cone.impulses).max())
    slipping = ContactProblem(np.eye(3), np.array([2.0, 0.0, -1.0]), np.array([0.2]), extra=np.array([0.1]))
    np.testing.assert_allclose(solve_lemke(slipping).impulses, [-0.3, 0.0, 1.0], atol=1e-12)
    leaving = ContactProblem(np.eye(3), np.array([2.0, 0.0, 1.0]), np.array([0.2]), extra=np.array([0.1]))
    np.testing.assert_array_equal(solve_lemke(leaving).impulses, np.zeros(3))


@pytest.mark.parametrize("angle", [0.0, 22.5, 45.0])
def test_box_pushed_across_the_facets(angle: float) -> None:
    # With four facets the friction bound is the square |x| + |y| <= mu p_n: right along t1 and t2, at 45 degrees
    # too small by cos(45). The cone is right in each direction.
    mass, mu, speed = 2.0, 0.5, 3.0
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    problem = ContactProblem(np.eye(3) / mass, np.array([*(speed * direction), -1.0]), np.array([mu]))
    cone = solve_hybrid(problem).impulses
    np.testing.assert_allclose(cone[:2], -mu * mass * direction, atol=1e-9)
    pyramid = solve_lemke(problem, facets=4).impulses
    corners = mu * mass * facet_directions(4)
    expected = corners[np.argmax(corners @ -direction)]  # most dissipation: a corner
    if angle != 45.0:
        np.testing.assert_allclose(pyramid[:2], expected, atol=1e-9)
    slowing = -(pyramid[:2] @ direction) / (mu * mass)
    assert slowing == pytest.approx(np.cos(np.radians(angle)), abs=1e-9)
    assert check_solution(problem, pyramid).natural_map > (1e-3 if angle else -1.0)
