"""Quadratic programs, by their conditions of optimality: random, dependent, narrow, with equations."""

from __future__ import annotations

import daqp
import numpy as np
import pytest

from footfall.arrays import Array
from footfall.control.dual_active_set import (
    INFEASIBLE,
    SOLVED,
    RowLimits,
    inverse_factor,
    minimise,
    minimise_program,
)
from footfall.control.quadratic_program import QuadraticProgram, solve_quadratic_program
from footfall.errors import NoSolution


def random_program(seed: int) -> tuple[Array, Array, Array, Array, Array]:
    """A feasible program: hessian, gradient, rows, lower, upper; a third has dependent rows, a quarter an equation."""
    random = np.random.default_rng(seed)
    n, m = int(random.integers(2, 30)), int(random.integers(4, 60))
    half = random.normal(size=(n, n))
    rows = random.normal(size=(m, n))
    if seed % 3 == 0:
        rows[m // 2 :] = random.normal(size=(m - m // 2, m // 2)) @ rows[: m // 2]
    inside = rows @ random.normal(size=n)
    lower = inside - random.random(m)
    upper = inside + np.where(random.random(m) < 0.3, 0.1, np.inf)
    if seed % 4 == 0:
        lower[0] = upper[0] = inside[0]
    return half @ half.T + 1e-3 * np.eye(n), 10.0 * random.normal(size=n), rows, lower, upper


@pytest.mark.parametrize("seed", range(60))
def test_conditions_of_optimality(seed: int) -> None:
    hessian, gradient, rows, lower, upper = random_program(seed)
    status, x, multipliers, _ = minimise(
        inverse_factor(hessian, 0.0), gradient, RowLimits(rows, lower, upper), 1e-10
    )
    assert status == SOLVED
    values = rows @ x
    scale = 1e-9 * max(1.0, np.abs(x).max())
    assert (lower - values).max() < scale
    assert (values - upper).max() < scale
    slope = hessian @ x + gradient - rows.T @ multipliers
    assert np.abs(slope).max() < 1e-9 * max(np.abs(gradient).max(), np.abs(multipliers).max())
    free = lower < upper
    assert (np.abs(values - lower)[free & (multipliers > 0.0)] < scale).all()
    assert (np.abs(values - upper)[free & (multipliers < 0.0)] < scale).all()


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_x_are_rows_that_need_not_be_written_down(seed: int) -> None:
    """Bit by bit as with rows of the identity, and as DAQP has it."""
    random = np.random.default_rng(seed)
    n, m = int(random.integers(2, 30)), int(random.integers(0, 12))
    half, rows = random.normal(size=(n, n)), random.normal(size=(m, n))
    hessian, gradient = half @ half.T + 1e-2 * np.eye(n), 10.0 * random.normal(size=n)
    inside = random.normal(size=n)
    values = np.concatenate([rows @ inside, inside])
    lower, upper = values - 0.5 * random.random(m + n), values + 0.5 * random.random(m + n)
    lower[random.random(m + n) < 0.2], upper[random.random(m + n) < 0.2] = -np.inf, np.inf
    found = minimise_program(hessian, gradient, RowLimits(rows, lower, upper), 1e-10)
    written = RowLimits(np.concatenate([rows, np.eye(n)]), lower, upper)
    same = minimise_program(hessian, gradient, written, 1e-10)
    assert found.status == SOLVED
    assert (found.multipliers != 0.0).any()
    np.testing.assert_array_equal(found.x, same.x)
    np.testing.assert_array_equal(found.multipliers, same.multipliers)
    bounds = [np.roll(each, n) for each in (upper, lower)]
    theirs, _, flag, _ = daqp.solve(
        hessian, gradient, rows, *bounds, np.zeros(m + n, dtype=np.int32), primal_tol=1e-12
    )
    assert flag == 1
    np.testing.assert_allclose(found.x, theirs, atol=1e-8)
    program = QuadraticProgram(hessian, gradient, rows, bounds[1], bounds[0])
    np.testing.assert_array_equal(solve_quadratic_program(program), found.x)


def test_contradictions_are_found() -> None:
    rows, factor = np.array([[1.0, 0.0], [1.0, 0.0]]), np.eye(2)
    lower, upper = np.array([1.0, -np.inf]), np.array([np.inf, 0.5])
    status, *_ = minimise(factor, np.zeros(2), RowLimits(rows, lower, upper), 1e-10)
    assert status == INFEASIBLE
    upper[1] = 1.0
    assert minimise(factor, np.zeros(2), RowLimits(rows, lower, upper), 1e-10)[0] == SOLVED


@pytest.mark.parametrize(
    ("lower", "upper", "expected"), [(1.0, 5.0, INFEASIBLE), (-5.0, -1.0, INFEASIBLE), (1e-9, 5.0, SOLVED)]
)
def test_empty_rows_cannot_be_moved(lower: float, upper: float, expected: int) -> None:
    """A row of zeros is zero whatever x is: its bounds are kept, up to rounding, or there is no solution."""
    factor = inverse_factor(np.eye(2), 0.0)
    rows, bounds = np.array([[1.0, 0.0], [0.0, 0.0]]), (np.array([0.5, lower]), np.array([9.0, upper]))
    assert minimise(factor, np.zeros(2), RowLimits(rows, *bounds), 1e-10)[0] == expected


@pytest.mark.parametrize("noise", [0.0, 1e-13, 3e-8])
def test_opposite_rows_that_meet_at_zero(noise: float) -> None:
    """Two feet whose sum of forces is fixed, both at their least: their rows are opposite but for rounding."""
    rows = np.array(
        [[1.0, noise, 0.0], [-1.0, 0.0, noise], [0.4, 1.0, 0.0], [-0.6, 1.0, 0.3], [0.2, 1.0, 0.9]]
    )
    lower, upper = np.zeros(5), np.full(5, np.inf)
    gradient = np.array([-3.0, 5.0, -1.0])
    status, x, _, _ = minimise(np.eye(3), gradient, RowLimits(rows, lower, upper), 1e-10)
    assert status == SOLVED
    assert (rows @ x).min() > -1e-6
    assert abs(x[0]) < 1e-6


def test_nearly_flat_costs_in_a_corner() -> None:
    """A level that decides one of three directions, in a corner of four bounds: zero is the only solution."""
    row = np.array([1.0, 2.0, -1.0])
    hessian = np.outer(row, row) + 6e-9 * np.eye(3)
    rows = np.vstack([np.eye(3), -np.ones(3)])
    program = QuadraticProgram(
        hessian, -5.0 * row, rows, np.r_[np.full(3, -np.inf), np.zeros(4)], np.full(7, np.inf)
    )
    assert np.abs(solve_quadratic_program(program)).max() < 1e-9


def test_costs_that_are_not_convex_are_refused() -> None:
    program = QuadraticProgram(
        np.diag([1.0, -1.0]), np.ones(2), np.zeros((0, 2)), np.full(2, -1.0), np.full(2, 1.0)
    )
    with pytest.raises(NoSolution, match="not strictly convex") as caught:
        solve_quadratic_program(program)
    assert caught.value.evidence is program
