"""Factorisation of the mass matrix: exact products, no fill-in, solves of every shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.dynamics.factorisation import (
    MassFactor,
    dense_solve,
    factorise,
    factorise_mass_matrix,
    solve_factored,
    solve_mass_matrix,
)
from footfall.dynamics.mass_inverse import inverse_mass_matrix
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.load import load
from footfall.robot.model import Robot
from tests.peers.comparison import assert_agree
from tests.random_robots import random_robot, random_state, robots


@settings(max_examples=40)
@given(robot=robots())
def test_product_of_the_factors_is_the_mass_matrix(robot: Robot) -> None:
    q = random_state(robot, 1).q
    matrix = mass_matrix.textbook(robot, q)
    lower, inverse_pivots = factorise_mass_matrix.textbook(robot, q)
    assert_agree(lower.T @ np.diag(1 / inverse_pivots) @ lower, matrix, 1e-13)
    np.testing.assert_array_equal(lower, np.tril(lower))
    np.testing.assert_array_equal(np.diag(lower), np.ones(robot.nv))
    assert np.all(inverse_pivots > 0.0)


@settings(max_examples=40)
@given(robot=robots())
def test_solves_agree_with_dense_algebra(robot: Robot) -> None:
    q, v, _, _ = random_state(robot, 2)
    matrix = mass_matrix.textbook(robot, q)
    factor = factorise(robot.tree, matrix)
    columns = np.random.default_rng(3).normal(size=(robot.nv, 4))
    condition = float(np.linalg.cond(matrix))
    expected = np.linalg.solve(matrix, columns)
    assert_agree(solve_factored(robot.tree, factor, columns), expected, 1e-14 * condition)
    assert_agree(solve_factored(robot.tree, factor, columns[:, 0]), expected[:, 0], 1e-14 * condition)
    assert_agree(dense_solve(matrix, v), np.linalg.solve(matrix, v), 1e-14 * condition)
    inverse = inverse_mass_matrix.textbook(robot, q)
    assert_agree(inverse, np.linalg.inv(matrix), 1e-14 * condition)
    np.testing.assert_array_equal(inverse, inverse.T)


@pytest.mark.parametrize("levels, entries", [(1, 3), (3, 20), (5, 112), (6, 256)])
def test_no_fill_in(levels: int, entries: int) -> None:
    """L has the entries that M has, Schwienbacher 2014, chapter 2."""
    robot = load(f"dill-{levels}")
    q = np.full(robot.nq, np.pi / 6)
    lower = factorise_mass_matrix.textbook(robot, q).lower
    matrix = mass_matrix.textbook(robot, q)
    assert np.count_nonzero(lower) == entries
    np.testing.assert_array_equal(lower != 0.0, np.tril(matrix) != 0.0)


def test_solve_mass_matrix_takes_vectors_columns_and_batches() -> None:
    robot = random_robot(6, types=["floating", "revolute", "spherical"], ups=[0, 0, 0])
    states = [random_state(robot, seed) for seed in range(3)]
    q = np.array([state.q for state in states])
    matrices = mass_matrix(robot, q)
    factors = factorise_mass_matrix(robot, q)
    one = MassFactor(factors.lower[0], factors.inverse_pivots[0])
    rng = np.random.default_rng(7)
    for shape in ((robot.nv,), (robot.nv, 2)):
        b = rng.normal(size=shape)
        assert_agree(solve_mass_matrix(robot, one, b), np.linalg.solve(matrices[0], b), 1e-10)
        b = rng.normal(size=(3, *shape))
        expected = [np.linalg.solve(matrix, part) for matrix, part in zip(matrices, b, strict=True)]
        assert_agree(solve_mass_matrix(robot, factors, b), expected, 1e-10)
