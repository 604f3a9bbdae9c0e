"""Small vectors and matrices in routines give what NumPy gives, and are refused where their shapes do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from footfall.compiler.routines import ArrayOf, Matrix3, Matrix6, Quaternion, Vector3, Vector6, routine
from footfall.errors import RoutineError
from footfall.math.rotations import matrix_from_quaternion, quaternion_product, rotate_by_quaternion
from footfall.math.spatial import motion_cross_force, skew

Array = np.ndarray[Any, Any]
VECTORS = arrays(np.float64, 3, elements=st.floats(-1e3, 1e3))
MATRICES = arrays(np.float64, (3, 3), elements=st.floats(-1e3, 1e3))
UP = np.array([0.0, 0.0, 1.0])
MIDDLE = 1


@routine
def numbers_in_turn(a: Vector3, k: int) -> tuple[Any, ...]:
    """Elements that are set one after another, at places that are known beforehand and at one that is not."""
    running, counts = a.copy(), np.array([1, 2, 3])
    for i in (0, 1, 2):
        for r in (0, 1, 2):
            if r > i:
                running[r] -= 0.5 * running[i]
    running[k] *= 2.0
    running[-1] += running[k]
    counts[1] += 4
    changed = np.array([1, 2, 3])
    changed[0] = 0.5 * a[1]  # all of it becomes floats
    block: Matrix3 = np.zeros((3, 3))
    block[1] = running
    block[1, 2] -= 1.0
    block[:, 0] += a
    return running, counts, changed, block


@routine
def algebra(a: Vector3, b: Vector3, m: Matrix3, k: int) -> tuple[Any, ...]:
    x, y, z = a
    other = np.array([z, x, y])
    other[MIDDLE] = 2.0 * b[-1]
    other[k] += 1.0
    product = m @ (a - 2 * b) / 3.0 + m.T @ other
    far = a if abs(x) > abs(y) else b
    square: Matrix3 = np.eye(3)
    square[0, 1] = x
    square[1] = a
    return (
        product,
        a @ b,
        np.cross(a, b),
        -far,
        m @ m.T,
        a[1:] * b[:2],
        m[k, 1] + m[k] @ a,
        np.concatenate([a[:1], b, [x]]),
        np.linalg.norm(a - b),
        square,
        np.maximum(a, b),
        np.any(a > b),
        max(a[0], b[0], 0.0) + len(a),
        np.sum(a),
    )


@pytest.mark.parametrize("k", [0, 1, 2])
def test_elements_are_set_in_turn_as_numpy_does(k: int) -> None:
    a = np.array([0.3, -1.7, 2.9])
    running, counts, changed, block = numbers_in_turn(a, k)
    expected = a.copy()
    for i in range(3):
        for r in range(i + 1, 3):
            expected[r] -= 0.5 * expected[i]
    expected[k] *= 2.0
    expected[-1] += expected[k]
    square = np.zeros((3, 3))
    square[1] = expected
    square[1, 2] -= 1.0
    square[:, 0] += a
    assert np.array_equal(running, expected)
    assert np.array_equal(counts, [1, 6, 3])
    assert np.array_equal(changed, [0.5 * a[1], 2.0, 3.0])
    assert np.array_equal(block, square)


@given(VECTORS, VECTORS, MATRICES, st.integers(0, 2))
def test_small_arrays_give_what_numpy_gives(a: Array, b: Array, m: Array, k: int) -> None:
    for ours, numpy in zip(algebra(a, b, m, k), algebra.python(a, b, m, k), strict=True):
        np.testing.assert_allclose(ours, numpy, rtol=1e-12, atol=1e-9)
        assert np.shape(ours) == np.shape(numpy)


@routine
def helpers(q: Quaternion, p: Quaternion, v: Vector3, w: Vector6) -> tuple[Any, ...]:
    """Functions of `footfall.math` that are traced elsewhere: inlined as they stand."""
    turned = rotate_by_quaternion(quaternion_product(q, p), v)
    return matrix_from_quaternion(q) @ v, turned, skew(v) @ UP, motion_cross_force(w, 2.0 * w)


def test_plain_functions_of_math_are_shared_with_traced_code() -> None:
    rng = np.random.default_rng(1)
    q, p, v, w = rng.normal(size=4), rng.normal(size=4), rng.normal(size=3), rng.normal(size=6)
    q, p = q / np.linalg.norm(q), p / np.linalg.norm(p)
    for ours, numpy in zip(helpers(q, p, v, w), helpers.python(q, p, v, w), strict=True):
        np.testing.assert_allclose(ours, numpy, rtol=1e-13, atol=1e-13)


@routine
def centre(points: ArrayOf[Vector3], weights: Array) -> Vector3:
    total: Vector3 = np.zeros(3)
    for point, weight in zip(points, weights):  # noqa: B905 the shorter one ends it
        total += weight * point
    points[0] = total
    points[1, 2] = 5.0
    points[2] += UP
    moved = points[1:] - total
    points[3:] = moved[2:]
    return total / len(points)


def test_arrays_of_vectors() -> None:
    results = []
    for function in (centre, centre.python):
        points, weights = np.arange(15.0).reshape(5, 3), np.linspace(0.0, 1.0, 5)
        results.append((function(points, weights), points))
    for ours, numpy in zip(*results, strict=True):
        np.testing.assert_allclose(ours, numpy, rtol=1e-15)


@routine
def rows(table: Array, m: Matrix3) -> Array:
    """Rows of arrays whose shape is not annotated become vectors where they meet one."""
    result = np.empty((len(table), 3))
    for k in range(len(table)):
        result[k] = m @ table[k] + UP * table[k, 0]
    return result


def test_rows_become_vectors() -> None:
    rng = np.random.default_rng(2)
    table, m = rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
    np.testing.assert_allclose(rows(table, m), rows.python(table, m), rtol=1e-13, atol=1e-14)


@routine
def changed_below(v: Vector3) -> Vector3:
    v[0] = 1.0
    return v


@routine
def changed_alias(v: Vector3) -> Vector3:
    w = 2.0 * v
    u = w
    u[0] = 1.0
    return w


@routine
def copied(v: Vector3) -> Vector3:
    w = v.copy()
    w[0] = 1.0
    return w


def test_values_do_not_change_behind_the_back() -> None:
    """In Python the caller's vector would change, or another name of it: that is refused."""
    for function in (changed_below, changed_alias):
        with pytest.raises(RoutineError, match="may be known by another name"):
            function(np.zeros(3))
    v = np.zeros(3)
    assert copied(v).tolist() == [1.0, 0.0, 0.0]
    assert v.tolist() == [0.0, 0.0, 0.0]


@routine
def misfit(a: Vector3, m: Matrix6) -> Array:
    return m @ a


def test_shapes_that_do_not_fit_are_told() -> None:
    with pytest.raises(
        RoutineError, match=r"test_vectors.py:\d+ in misfit: float matrix \[6, 6\] @ float vector \[3\]"
    ):
        misfit(np.zeros(3), np.zeros((6, 6)))
    with pytest.raises(RoutineError, match=r"misfit: a has the shape \(4,\), needed is \(3,\)"):
        misfit(np.zeros(4), np.zeros((6, 6)))
    with pytest.raises(RoutineError, match=r"points has the shape \(3, 2\), needed is \(n, 3\)"):
        centre(np.zeros((3, 2)), np.zeros(3))


@routine
def large(one: Array, other: Array, x: Array) -> tuple[Array, Array, Array, float, Array]:
    y = one @ x
    y += 0.5 * (x[: len(y)] - y) * y
    return one @ other, y, one.T @ y, x @ x, x @ other


def test_products_of_arrays() -> None:
    rng = np.random.default_rng(3)
    for rows_of_one, inner, columns in [(1, 1, 1), (5, 7, 3), (12, 33, 9), (0, 4, 2)]:
        one, other = rng.normal(size=(rows_of_one, inner)), rng.normal(size=(inner, columns))
        x = rng.normal(size=inner) if inner >= rows_of_one else rng.normal(size=rows_of_one)
        for ours, numpy in zip(large(one, other, x), large.python(one, other, x), strict=True):
            np.testing.assert_allclose(ours, numpy, rtol=1e-12, atol=1e-12)


@routine
def across(rows: Array, others: Array) -> tuple[Array, Array]:
    turned = rows.T.copy()
    turned[0] = 7.0  # rows stay as they are
    return turned, rows @ others.T


@routine
def view_across(rows: Array) -> float:
    turned = rows.T
    return float(turned[0, 0])


def test_arrays_with_their_axes_exchanged() -> None:
    rng = np.random.default_rng(4)
    rows, others = rng.normal(size=(4, 5)), rng.normal(size=(3, 5))
    turned, product = across(rows, others)
    expected, _ = across.python(rows, others)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(turned, expected)
    np.testing.assert_allclose(product, rows @ others.T, rtol=1e-13, atol=1e-13)
    with pytest.raises(RoutineError, match=r"view_across: `rows.T` would be a view: use it in a product"):
        view_across(rows)


@routine
def shifted(values: Array) -> None:
    values[1:] = values[:-1] + values[1:]


def test_overlapping_parts_are_read_before_they_are_written() -> None:
    values, expected = np.arange(6.0), np.arange(6.0)
    shifted(values)
    shifted.python(expected)
    np.testing.assert_array_equal(values, expected)


@routine
def unrolled(m: Matrix3, v: Vector3) -> tuple[float, float]:
    """Numbers of a loop over a tuple are known in its body, also as indices and slices of small arrays."""
    total, product = 0.0, 1.0
    for i in (0, 1, 2):
        for j in (2, 1):
            total += m[i, (i + j) % 3] * v[j - 1] + m[i][(j + 1) % 3]
            if i == j:
                continue
            product *= 2.0 + np.sum(m[j, i:])
    for i in (3, 4):
        i -= 3
        total += v[i]
    return total, product


def test_numbers_of_loops_over_tuples_are_known() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        m, v = rng.normal(size=(3, 3)), rng.normal(size=3)
        np.testing.assert_allclose(unrolled(m, v), unrolled.python(m, v), rtol=1e-13)


@routine
def side_by_side(v: Vector3, m: Matrix3) -> tuple[float, float, Vector3]:
    """Loops over tuples and small vectors are written out, so that items may be of several types."""
    total, last = 0.0, 0.0
    for number, (row, factor) in zip(v, ((m[0], 1), (m[1], 2.5), (m[2], True)), strict=True):
        total += number * factor * row[0]
    for k, number in enumerate(v):
        if k == 1:
            continue
        last = k + number
    turned: Vector3 = np.zeros(3)
    for row, factor in zip(m, v, strict=True):
        turned += factor * row
    return total, last, turned


def test_loops_over_small_arrays_side_by_side() -> None:
    rng = np.random.default_rng(4)
    v, m = rng.normal(size=3), rng.normal(size=(3, 3))
    for ours, numpy in zip(side_by_side(v, m), side_by_side.python(v, m), strict=True):
        np.testing.assert_allclose(ours, numpy, rtol=1e-14)


@routine
def uneven(v: Vector3) -> float:
    total = 0.0
    for one, other in zip(v, (1.0, 2.0), strict=False):
        total += one * other
    return total


def test_loops_over_uneven_items_are_refused() -> None:
    with pytest.raises(RoutineError, match="3, 2 items side by side"):
        uneven(np.zeros(3))
