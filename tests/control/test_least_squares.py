"""Least squares, free axes and priorities, against NumPy's singular values and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from footfall.control.inverse_kinematics.limits import Bounds
from footfall.control.least_squares import least_squares
from footfall.control.priorities import Level, level, solve_hierarchy
from footfall.errors import NoSolution


@pytest.mark.parametrize("seed", range(40))
def test_least_squares_of_any_rank(seed: int) -> None:
    random = np.random.default_rng(seed)
    m, n = random.integers(1, 25, size=2)
    rank = int(random.integers(0, min(m, n) + 1))
    rows = random.normal(size=(m, rank)) @ random.normal(size=(rank, n))
    wanted = random.normal(size=m)
    x, axes, found = least_squares(rows, wanted, 1e-8)
    assert found == rank
    expected = np.linalg.pinv(rows, rcond=1e-9) @ wanted
    assert np.abs(x - expected).max() < 1e-10 * max(1.0, np.abs(expected).max())
    assert axes.shape == (n, n - rank)
    assert np.abs(rows @ axes).max(initial=0.0) < 1e-12
    assert np.abs(axes.T @ axes - np.eye(n - rank)).max(initial=0.0) < 1e-13


def random_levels(seed: int) -> list[Level]:
    """Levels of which some repeat a row of the one before with another rate."""
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 16))
    levels: list[Level] = []
    for _ in range(int(random.integers(1, 5))):
        size = int(random.integers(1, 7))
        jacobian = random.normal(size=(size, n))
        if levels and random.random() < 0.7:
            jacobian[0] = levels[-1].jacobian[0]
        levels.append(level(jacobian, random.normal(size=size), weight=random.random(size) + 0.1))
    return levels


@pytest.mark.parametrize("seed", range(30))
def test_priorities_against_singular_values(seed: int) -> None:
    levels = random_levels(seed)
    native = solve_hierarchy(levels)
    reference = solve_hierarchy(levels, threshold=1e-12)  # a filter that filters nothing
    assert native.ranks == reference.ranks
    assert native.freedom == reference.freedom
    assert np.abs(native.v - reference.v).max() < 1e-6 * max(1.0, np.abs(reference.v).max())


@pytest.mark.parametrize("seed", range(20))
def test_first_level_within_bounds_against_scipy(seed: int) -> None:
    levels = random_levels(seed)
    n = levels[0].jacobian.shape[1]
    bounds = Bounds(np.full(n, -0.2), np.full(n, 0.15))
    found = solve_hierarchy(levels, bounds=bounds)
    root = np.sqrt(levels[0].weight)
    matrix = root[:, None] * levels[0].jacobian
    expected = lsq_linear(matrix, root * levels[0].rate, bounds, method="bvls", tol=1e-14)
    best = float(np.sqrt(2.0 * expected.cost))
    assert np.linalg.norm(root * found.missing[0]) == pytest.approx(best, rel=1e-6, abs=1e-7)
    assert found.v.min() > -0.2 - 1e-9
    assert found.v.max() < 0.15 + 1e-9


def test_bounds_without_any_motion_carry_the_levels() -> None:
    levels = [level([[1.0, 1.0]], [1.0])]
    with pytest.raises(NoSolution, match="no motion keeps the bounds") as caught:
        solve_hierarchy(levels, bounds=Bounds(np.array([1.0, -1.0]), np.array([0.5, 1.0])))
    assert caught.value.evidence[0] == tuple(levels)
