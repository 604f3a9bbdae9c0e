"""Columns multiplied by the inverse of the mass matrix, as native code: one robot and many."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler import build_kernel
from footfall.dynamics.factorisation import MassFactor, factorise
from footfall.dynamics.mass_inverse import in_twos, inverse_mass_matrix, response
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.load import load
from tests.peers.comparison import assert_agree
from tests.random_robots import random_robot, random_state


# One block, narrow or wide; wide blocks and a narrow rest, from one matrix and from two; branches that no humanoid has
@pytest.mark.parametrize(
    "name, matrices, columns",
    [("arm-7r", 1, 30), ("lola", 1, 5), ("lola", 1, 70), ("lola", 2, 35), ("branches", 2, 9)],
)
def test_columns_in_native_code_are_those_of_dense_algebra(name: str, matrices: int, columns: int) -> None:
    branches = random_robot(
        7, types=["revolute", "spherical", "planar"] * 4, ups=[0, 0, 1, 1, 0, 3, 2, 0, 4, 1, 6, 0]
    )
    robot = branches if name == "branches" else load(name)
    rng = np.random.default_rng(1)
    masses = [mass_matrix.textbook(robot, random_state(robot, seed).q) for seed in range(9)]
    factors = [factorise(robot.tree, mass) for mass in masses]
    # Zeros here and there, and a column of them: native code leaves out what it can.
    present = rng.random((robot.nv, columns)) < 0.2
    present[:, columns // 2] = False
    b = rng.normal(size=(9, matrices, robot.nv, columns)) * present

    def both(lower, inverse_pivots, b):
        forces = [np.where(present, matrix, 0.0) for matrix in b]
        inverse, solved = response(robot.tree, MassFactor(lower, inverse_pivots), forces)
        return {"inverse": inverse, **{f"solved{k}": entries for k, entries in enumerate(solved)}}

    shapes = {"lower": (robot.nv, robot.nv), "inverse_pivots": robot.nv, "b": b.shape[1:]}
    kernel = build_kernel(both, shapes, name="columns")
    lower, pivots = np.array([factor.lower for factor in factors]), np.array([f[1] for f in factors])
    together = kernel(lower, pivots, b)
    for k, mass in enumerate(masses):
        results = kernel(lower[k], pivots[k], b[k])
        inverse, *solved = results
        condition = float(np.linalg.cond(mass))
        assert_agree(inverse, np.linalg.inv(mass), 1e-14 * condition)
        np.testing.assert_array_equal(inverse, inverse.T)
        for entries, given, wrong in zip(solved, b[k], b[k - 1], strict=True):
            assert_agree(entries, -np.linalg.solve(mass, given), 1e-14 * condition)
            assert not np.allclose(entries, -np.linalg.solve(mass, wrong))  # the comparison can fail
        # One lane runs loops, eight run straight code: with the same bits.
        for one, many in zip(results, together, strict=True):
            np.testing.assert_array_equal(one, many[k])


def test_plain_steps_do_the_same() -> None:
    robot = load("lola")
    mass = mass_matrix.textbook(robot, random_state(robot, 1).q)
    factor = factorise(robot.tree, mass)
    b = np.random.default_rng(2).normal(size=(robot.nv, 3))
    inverse, (solved,) = response(robot.tree, factor, [b])
    condition = float(np.linalg.cond(mass))
    assert_agree(inverse, np.linalg.inv(mass), 1e-14 * condition)
    assert_agree(inverse, inverse_mass_matrix.textbook(robot, random_state(robot, 1).q), 1e-14 * condition)
    assert_agree(solved, -inverse @ b, 1e-14 * condition)


def test_rows_in_twos() -> None:
    """A chain of three velocities, on whose first one another chain of two hangs."""
    paths = {0: [], 1: [0], 2: [0, 1], 3: [0], 4: [0, 3]}
    assert in_twos(range(5), paths) == [(0, 1), (2, 2), (3, 4)]
    behind = {4: [], 3: [4], 2: [], 1: [2], 0: [4, 3, 2, 1]}
    assert in_twos([4, 3, 2, 1, 0], behind) == [(4, 3), (2, 1), (0, 0)]
