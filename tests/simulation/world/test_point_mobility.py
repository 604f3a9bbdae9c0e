"""How far impulses move points of a group, against the matrix that the formulas come from."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.simulation.world.island_building import Mobility


def test_mobilities_are_those_of_the_whole_matrix() -> None:
    """A force f at an arm r is the wrench [f; r x f] at the centre, and moves the point by J M J^T f with
    `J = [1, -r x]`: the trace of that in all ways, `n^T J M J^T n` along a normal."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        root = rng.normal(size=(6, 6))
        whole = root @ root.T
        mobility = Mobility(whole[:3, :3], whole[:3, 3:], whole[3:, 3:])
        arm, normal = rng.normal(size=3), rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        x, y, z = arm
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        seen = np.hstack([np.eye(3), -across])
        moved = seen @ whole @ seen.T
        assert mobility.in_all_ways().at(arm) == pytest.approx(np.trace(moved), rel=1e-13)
        assert mobility.along(normal).at(arm) == pytest.approx(normal @ moved @ normal, rel=1e-12)
        assert mobility.along(normal).at(1.01 * arm) != pytest.approx(normal @ moved @ normal, rel=1e-6)
