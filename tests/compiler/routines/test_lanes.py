"""Eight numbers side by side in vector registers: the same as one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.compiler.routines import ArrayOf, Lanes, LanesOfVector3, routine
from footfall.errors import RoutineError

Array = np.ndarray[Any, Any]


@routine
def clipped(x: ArrayOf[Lanes], y: ArrayOf[Lanes], factor: float) -> tuple[float, int]:
    """Changes x (n, 8); gives the sum of all, and how many rows have a negative number."""
    total: Lanes = np.zeros(8)
    count = 0
    for k in range(len(x)):
        value = factor * x[k] - y[k] / 2.0
        value = np.where(value < 0.0, -value * value, np.sqrt(value))
        if np.any(value < -1.0) and not np.all(x[k] > y[k]):
            count += 1
        value[3] += 1.0
        x[k] = np.maximum(np.minimum(value, 2.0), y[k]) + x[k][1] + x[k, 2]
        total += np.abs(x[k])
    return np.sum(total), count


def test_lanes_are_numbers_side_by_side() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 8)), rng.normal(size=(6, 8))
    expected, count = x.copy(), 0
    for k in range(6):
        value = 3.0 * expected[k] - y[k] / 2.0
        with np.errstate(invalid="ignore"):
            value = np.where(value < 0.0, -value * value, np.sqrt(value))
        count += bool((value < -1.0).any() and not (expected[k] > y[k]).all())
        value[3] += 1.0
        expected[k] = np.maximum(np.minimum(value, 2.0), y[k]) + expected[k, 1] + expected[k, 2]
    total, found = clipped(x, y, 3.0)
    np.testing.assert_allclose(x, expected, rtol=1e-15)
    assert total == pytest.approx(np.abs(expected).sum(), rel=1e-14)
    assert found == count


@routine
def distances(a: ArrayOf[LanesOfVector3], b: ArrayOf[LanesOfVector3]) -> Array:
    """Vectors of lanes: `np.cross`, `@` and the rest are those of vectors."""
    result: ArrayOf[Lanes] = np.empty((len(a), 8))
    for k in range(len(a)):
        apart = a[k] - b[k]
        result[k] = np.sqrt(apart @ apart) + np.cross(a[k], b[k])[2]
    return result


def test_vectors_of_lanes() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(5, 3, 8)), rng.normal(size=(5, 3, 8))
    expected = np.linalg.norm(a - b, axis=1) + a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    np.testing.assert_allclose(distances(a, b), expected, rtol=1e-14, atol=1e-15)


@routine
def branching(x: ArrayOf[Lanes]) -> float:
    if x[0] > 0.0:
        return 1.0
    return 0.0


def test_lanes_do_not_branch() -> None:
    with pytest.raises(
        RoutineError, match=r"test_lanes.py:\d+ in branching: conditions of several lanes differ"
    ):
        branching(np.zeros((1, 8)))


def product(a: float, b: float, c: float) -> float:
    return a * b + c


def test_fused_products_round_once() -> None:
    a, b = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    plain, fused = routine(product)(a, b, -1.0), routine(fused=True)(product)(a, b, -1.0)
    assert plain == 0.0  # a b rounds to one
    assert fused in (plain, -(2.0**-60))  # exact where the processor has such an instruction
