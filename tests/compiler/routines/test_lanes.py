"""Eight numbers side by side in vector registers: the same as one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.arrays import Integers
from footfall.compiler.routines import (
    ArrayOf,
    FourLanes,
    Lanes,
    LanesOfVector3,
    Vector3,
    lanes_at,
    put_lanes,
    routine,
)
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
def sums(x: ArrayOf[FourLanes], weights: Array, points: ArrayOf[Vector3]) -> None:
    """Into the first of x (n, 4, 8) the weighted sum of the others; points (m, 3) become ones."""
    x[0] = 0.0
    total = x[0]
    for k in range(1, len(x)):
        total += weights[k] * x[k]
    x[0] = total
    for k in range(len(points)):
        points[k] = 1.0


def test_four_lanes_at_once_and_vectors_that_are_filled() -> None:
    rng = np.random.default_rng(2)
    x, weights, points = rng.normal(size=(6, 4, 8)), rng.normal(size=6), rng.normal(size=(3, 3))
    expected = np.tensordot(weights[1:], x[1:], 1)
    sums(x, weights, points)
    np.testing.assert_allclose(x[0], expected, rtol=1e-13, atol=1e-14)
    np.testing.assert_array_equal(points, np.ones((3, 3)))


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


@routine
def shifted(points: ArrayOf[Vector3], numbers: Array, places: Integers, result: ArrayOf[Vector3]) -> None:
    """Eight vectors from anywhere, moved by their numbers, into a row."""
    p = places
    for k in (0, 8):
        at = np.array([p[k], p[k + 1], p[k + 2], p[k + 3], p[k + 4], p[k + 5], p[k + 6], p[k + 7]])
        put_lanes(result, k, lanes_at(points, at) + lanes_at(numbers, at))
        put_lanes(numbers, k, 2.0 * lanes_at(numbers, at))


def test_vectors_side_by_side_from_and_to_memory() -> None:
    """Read at any places, written in a row: the same as NumPy's own indices, and nothing else is touched."""
    rng = np.random.default_rng(3)
    points, numbers, places = rng.normal(size=(20, 3)), rng.normal(size=20), rng.integers(0, 20, size=16)
    result, given = np.full((17, 3), 7.0), numbers.copy()
    shifted(points, numbers, places, result)
    half = np.concatenate([2.0 * given[places[:8]], given[8:]])
    np.testing.assert_array_equal(result[:8], points[places[:8]] + given[places[:8], None])
    np.testing.assert_array_equal(result[8:16], points[places[8:]] + half[places[8:], None])
    np.testing.assert_array_equal(result[16], 7.0)
    np.testing.assert_array_equal(numbers[8:16], 2.0 * half[places[8:]])
    np.testing.assert_array_equal(numbers[16:], given[16:])


def test_vectors_side_by_side_in_python() -> None:
    points = np.arange(60.0).reshape(20, 3)
    lanes = lanes_at(points, np.arange(8, 16))
    assert lanes.shape == (3, 8)
    put_lanes(points, 0, lanes)
    np.testing.assert_array_equal(points[:8], np.arange(24.0, 48.0).reshape(8, 3))


@routine
def from_few(points: ArrayOf[Vector3]) -> float:
    return lanes_at(points, np.array([0, 1, 2]))[0][0]  # type: ignore[no-any-return]


def test_eight_places_are_needed() -> None:
    with pytest.raises(RoutineError, match="possible at a vector of 8 ints"):
        from_few(np.zeros((9, 3)))
