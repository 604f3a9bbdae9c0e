"""Random poses for tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from footfall.math.rotations import matrix_from_quaternion
from footfall.math.transform import Transform


def random_pose(rng: np.random.Generator, spread: float = 1.0) -> Transform:
    """A rotation without preference and a position with this standard deviation, m."""
    q = rng.normal(size=4)
    return Transform(matrix_from_quaternion(q / np.linalg.norm(q)), rng.normal(size=3) * spread)


def poses(spread: float = 1.0) -> st.SearchStrategy[Any]:
    """Poses from a seed, for hypothesis."""
    return st.integers(0, 2**32 - 1).map(lambda seed: random_pose(np.random.default_rng(seed), spread))
