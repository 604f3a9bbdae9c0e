"""Strict priorities: the recursion, quadratic programs and a nested optimisation agree in their residuals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.control.inverse_kinematics.limits import Bounds
from footfall.control.inverse_kinematics.textbook import solve_damped_hierarchy
from footfall.control.priorities import HierarchySolution, Level, level, solve_hierarchy
from footfall.control.quadratic_program import (
    QuadraticProgram,
    solve_quadratic_program,
)
from footfall.errors import InvalidInput, NoSolution
from footfall.math.generalised_inverses import null_space_projector, pseudo_inverse


def random_levels(seed: int, sizes: tuple[int, ...], n: int) -> list[Level]:
    """Levels that conflict: some rows repeat those of earlier levels with other rates."""
    rng = np.random.default_rng(seed)
    levels: list[Level] = []
    for size in sizes:
        jacobian = rng.normal(size=(size, n))
        if levels:
            jacobian[0] = levels[-1].jacobian[0]
        levels.append(level(jacobian, rng.normal(size=size)))
    return levels


def with_a_filter(levels: list[Level], **options: Any) -> HierarchySolution:
    """By singular values instead of reflections, with a filter that filters nothing."""
    return solve_damped_hierarchy(levels, threshold=1e-12, **options)


def by_projectors(levels: list[Level]) -> np.ndarray:
    """RSL 2022, (2.220) as it is written."""
    n = levels[0].jacobian.shape[1]
    v, projector = np.zeros(n), np.eye(n)
    for k, each in enumerate(levels):
        inverse = pseudo_inverse(each.jacobian @ projector, scale=float(np.linalg.norm(each.jacobian)))
        v = v + projector @ inverse @ (each.rate - each.jacobian @ v)
        projector = null_space_projector(np.vstack([other.jacobian for other in levels[: k + 1]]))
    return v


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", [(2, 3), (3, 4, 2), (2, 2, 2, 2, 2), (6, 4)])
def test_three_ways_agree(sizes: tuple[int, ...], seed: int) -> None:
    levels = random_levels(seed, sizes, 7)
    solution = solve_hierarchy(levels)
    np.testing.assert_allclose(solution.v, by_projectors(levels), atol=1e-9)
    programs = with_a_filter(levels)
    # What is missed, not x: where tasks leave freedom it may differ.
    for ours, theirs in zip(solution.missing, programs.missing, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert solution.ranks == programs.ranks
    assert solution.freedom == 7 - sum(solution.ranks)


def test_every_level_is_optimal_among_those_that_keep_the_earlier_ones() -> None:
    """A nested optimisation: no motion that keeps the earlier levels makes a level better."""
    levels = random_levels(3, (3, 3, 2), 7)
    solution = solve_hierarchy(levels)
    for k, each in enumerate(levels):
        before = np.vstack([other.jacobian for other in levels[:k]]) if k else np.zeros((1, 7))
        free = null_space_projector(before)
        slope = free @ each.jacobian.T @ each.missing(solution.v)
        np.testing.assert_allclose(slope, 0.0, atol=1e-10)


def test_a_task_that_vanishes_in_the_null_space_gets_nothing() -> None:
    """The rank is decided against the Jacobian before projection: what is left is only rounding."""
    rng = np.random.default_rng(0)
    jacobian = rng.normal(size=(3, 6))
    levels = [level(jacobian, np.ones(3)), level(rng.normal(size=(3, 3)) @ jacobian, 100 * np.ones(3))]
    solution = solve_hierarchy(levels)
    assert solution.ranks == (3, 0)
    np.testing.assert_allclose(solution.missing[0], 0.0, atol=1e-13)
    broken = solve_hierarchy(levels, tolerance=0.0)  # the cut is what protects the first level's null space
    assert np.abs(broken.v).max() > 1e6 * np.abs(solution.v).max() or broken.ranks != (3, 0)


def test_example_of_section_14_2() -> None:
    """Two unknowns: the sum should be 2, then the difference 3, then both 1 (which has no room)."""
    levels = [level([[1.0, 1.0]], [2.0]), level([[1.0, -1.0]], [3.0]), level(np.eye(2), np.ones(2))]
    for solve in (solve_hierarchy, with_a_filter):
        np.testing.assert_allclose(solve(levels).v, [2.5, -0.5], atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_bounded_levels_against_scipy(seed: int) -> None:
    """The first level with bounds is bounded least squares; the second keeps its result."""
    from scipy.optimize import lsq_linear

    first, second = random_levels(seed, (5, 4), 6)
    bounds = Bounds(np.full(6, -0.2), np.full(6, 0.3))
    solution = solve_hierarchy([first, second], bounds=bounds)
    expected = lsq_linear(first.jacobian, first.rate, bounds, method="bvls", tol=1e-14)
    assert np.linalg.norm(solution.missing[0]) == pytest.approx(np.sqrt(2 * expected.cost), rel=1e-6)
    assert np.all(solution.v <= 0.3 + 1e-8)
    assert np.all(solution.v >= -0.2 - 1e-8)


def test_inequalities_keep_their_slack() -> None:
    """x >= 1 and x <= -1 cannot both hold: the slack is shared; y is then free to be 2 as y >= 0 holds."""
    conflict = level([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1.0, 1.0, 0.0], inequality=True)
    solution = solve_hierarchy([conflict, level([[0.0, 1.0]], [2.0]), level([[1.0, 0.0]], [5.0])])
    np.testing.assert_allclose(solution.v, [0.0, 2.0], atol=1e-6)
    np.testing.assert_allclose(solution.missing[0], [1.0, 1.0, 0.0], atol=1e-6)


def test_preferred_velocity_fills_what_is_left() -> None:
    levels = [level([[1.0, 0.0, 0.0]], [1.0])]
    wish = np.array([9.0, 2.0, -3.0])
    for solve in (solve_hierarchy, with_a_filter):
        np.testing.assert_allclose(solve(levels, preferred=wish).v, [1.0, 2.0, -3.0], atol=1e-7)


def test_weights_of_rows() -> None:
    rows = level([[1.0], [1.0]], [0.0, 1.0], weight=np.array([3.0, 1.0]))
    for solve in (solve_hierarchy, with_a_filter):
        np.testing.assert_allclose(solve([rows]).v, [0.25], atol=1e-8)


def test_infeasible_programs_carry_themselves() -> None:
    contradiction = QuadraticProgram(
        np.eye(1), np.zeros(1), np.ones((1, 1)), np.array([-np.inf, 2.0]), np.array([1.0, np.inf])
    )
    with pytest.raises(NoSolution, match="infeasible") as caught:
        solve_quadratic_program(contradiction)
    assert caught.value.evidence is contradiction
    with pytest.raises(InvalidInput, match="rows must agree"):
        level(np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(InvalidInput, match="at least one level"):
        solve_hierarchy([])
