"""Columns multiplied by the inverse of the mass matrix, as native code: one robot and many."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler import build_kernel
from footfall.dynamics.factorisation import MassFactor, factorise
from footfall.dynamics.mass_inverse import times_inverse
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.load import load
from tests.peers.comparison import assert_agree
from tests.random_robots import random_state


# 1, 2 and more than 4 vectors of columns at a time, with and without a rest
@pytest.mark.parametrize("name, columns", [("arm-7r", 0), ("arm-7r", 30), ("lola", 5)])
def test_columns_in_native_code_are_those_of_dense_algebra(name: str, columns: int) -> None:
    robot = load(name)
    rng = np.random.default_rng(1)
    matrices = [mass_matrix.textbook(robot, random_state(robot, seed).q) for seed in range(9)]
    factors = [factorise(robot.tree, matrix) for matrix in matrices]
    b = rng.normal(size=(9, robot.nv, columns))

    def both(lower, inverse_pivots, b):
        product, inverse = times_inverse(robot.tree, MassFactor(lower, inverse_pivots), b)
        return {"product": product, "inverse": inverse}

    shapes = {"lower": (robot.nv, robot.nv), "inverse_pivots": robot.nv, "b": (robot.nv, columns)}
    kernel = build_kernel(both, shapes, name="columns")
    lower, pivots = np.array([factor.lower for factor in factors]), np.array([f[1] for f in factors])
    together = kernel(lower, pivots, b)
    for k, matrix in enumerate(matrices):
        product, inverse = kernel(lower[k], pivots[k], b[k])
        condition = float(np.linalg.cond(matrix))
        assert_agree(inverse, np.linalg.inv(matrix), 1e-14 * condition)
        np.testing.assert_array_equal(inverse, inverse.T)
        if columns:
            assert_agree(product, np.linalg.solve(matrix, b[k]), 1e-14 * condition)
            wrong = np.linalg.solve(matrix, b[k - 1])  # the comparison can fail
            assert not np.allclose(product, wrong)
        # One lane runs loops, eight run straight code: with the same bits.
        np.testing.assert_array_equal(product, together[0][k])
        np.testing.assert_array_equal(inverse, together[1][k])
