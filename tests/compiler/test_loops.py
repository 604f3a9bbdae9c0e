"""repeat, gather and call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler import NativeFunction, build_kernel, call, gather, repeat, where
from footfall.compiler.routines import RoutineCallback, routine
from footfall.errors import TraceError


def test_repeat_counts() -> None:
    kernel = build_kernel(lambda x: repeat(lambda y: y * x[0], 1.0, count=7), {"x": 1}, name="power")
    assert kernel(np.array([2.0])) == 128.0


def test_repeat_on_numbers_is_a_loop() -> None:
    assert repeat(lambda y: y * 2.0, 1.0, count=5) == 32.0
    assert repeat(lambda y: y * 2.0, 1.0, count=50, until=lambda y: y > 100.0) == 128.0


def newton_root(x):
    """Square roots, each lane until it has converged; also counts."""
    step = lambda y, n: ((y + x[0] / y) / 2.0, n + 1.0)  # noqa: E731
    close = lambda y, n: abs(y * y - x[0]) < 1e-10 * x[0]  # noqa: E731
    root, count = repeat(step, (x[0], 0.0), count=100, until=close)
    return {"root": root, "count": count}


def test_repeat_until_freezes_each_lane() -> None:
    kernel = build_kernel(newton_root, {"x": 1})
    x = np.array([1.0, 2.0, 9.0, 1e-6, 1e12, 3.0, 1e4, 16.0, 7.0, 1e8, 2.0])[:, None]
    roots, counts = kernel.batch(x)
    for value, root, count in zip(x, roots, counts, strict=True):
        expected = newton_root(value)
        assert kernel(value) == (root, count)
        assert count == expected["count"]
        assert abs(root - np.sqrt(value[0])) <= 1e-9 * root
    assert counts[0] == 0.0
    assert len(set(counts)) > 4


def test_repeat_until_stops_at_the_limit() -> None:
    kernel = build_kernel(
        lambda x: repeat(lambda y: y + 1.0, x[0], count=10, until=lambda y: y > 1e9), {"x": 1}, name="limit"
    )
    assert kernel(np.array([0.0])) == 10.0


def test_condition_from_outside_the_loop() -> None:
    kernel = build_kernel(
        lambda x: repeat(lambda y: y + 1.0, x[0], count=3, until=lambda y: x[1] > 0.0),
        {"x": 2},
        name="outside",
    )
    assert (kernel.batch(np.array([[0.0, 1.0], [0.0, -1.0]])) == [0.0, 3.0]).all()


def test_state_is_replaced_at_once() -> None:
    """Fibonacci: both parts of the next state are computed from the old ones."""
    kernel = build_kernel(
        lambda x: np.array(repeat(lambda a, b: (b, a + b), (x[0], x[1]), count=10)),
        {"x": 2},
        name="fibonacci",
    )
    assert (kernel(np.array([0.0, 1.0])) == [55.0, 89.0]).all()


def test_arrays_as_state_and_loops_in_loops() -> None:
    a = np.array([[0.9, 0.2], [-0.1, 0.8]])

    def function(x):
        def outer(y):
            return repeat(lambda z: a @ z + x, y, count=3)

        return repeat(outer, x, count=4)

    x = np.array([1.0, -2.0])
    got = build_kernel(function, {"x": 2}, name="nested")(x)
    assert np.abs(got - function(x)).max() < 1e-14


def test_a_value_must_not_leave_its_loop() -> None:
    def function(x):
        kept = []

        def body(y):
            kept.append(y * 2.0)
            return y + 1.0

        repeat(body, x[0], count=3)
        return kept[0] + 1.0

    with pytest.raises(TraceError, match="return it from the body"):
        build_kernel(function, {"x": 1})


def test_a_body_must_keep_the_shape() -> None:
    with pytest.raises(TraceError, match="shapes"):
        build_kernel(lambda x: repeat(lambda y: np.concatenate([y, y]), x, count=3), {"x": 2})


def test_gather_from_a_table() -> None:
    table = np.arange(10.0) ** 2
    kernel = build_kernel(lambda x: gather(table, x), {"x": 3}, name="table", check_finite=False)
    x = np.array([[0.0, 3.7, 9.0], [-5.0, 100.0, np.nan], [8.999, 1.0, -0.0]])
    expected = [[0.0, 9.0, 81.0], [0.0, 81.0, 0.0], [64.0, 1.0, 0.0]]
    assert (kernel.batch(x) == expected).all()
    assert (np.array([kernel(row) for row in x]) == expected).all()
    assert (gather(table, x[0]) == expected[0]).all()
    table[3] = -1.0  # the kernel looks at the table itself
    assert kernel(x[0])[1] == -1.0


def test_kernels_with_equal_code_have_their_own_tables() -> None:
    kernels = [
        build_kernel(lambda x, t=t: gather(t, x[0]), {"x": 1}, name="own") for t in (np.ones(4), np.zeros(4))
    ]
    assert [kernel(np.array([2.0])) for kernel in kernels] == [1.0, 0.0]


def test_gather_from_symbols() -> None:
    kernel = build_kernel(lambda x: gather(x[1:], x[0]), {"x": 8}, name="pick")
    x = np.array([[k, *range(10, 17)] for k in (-1.0, 0.0, 2.5, 6.0, 99.0)])
    assert (kernel.batch(x) == [10.0, 10.0, 12.0, 16.0, 16.0]).all()


def test_call_another_kernel() -> None:
    inner = build_kernel(lambda x, y: {"s": x + y, "p": x @ y}, {"x": 2, "y": 2}, name="inner")

    def function(a):
        result = call(inner.native_function(), a, 2.0 * a)
        return repeat(lambda r: call(inner.native_function(), r, a)[:2], result[:2], count=2) * result[2]

    kernel = build_kernel(function, {"a": 2}, name="caller")
    a = np.random.default_rng(0).normal(size=(13, 2))
    expected = (3 * a + 2 * a) * (2 * (a * a).sum(axis=1))[:, None]
    assert np.abs(kernel.batch(a) - expected).max() < 1e-12
    assert np.abs(kernel(a[3]) - expected[3]).max() < 1e-12


def test_call_a_routine_with_data() -> None:
    @routine
    def nearest(inputs, outputs, data):
        best = 0
        for k in range(4):
            if abs(data[k] - inputs[0]) < abs(data[best] - inputs[0]):
                best = k
        outputs[0] = data[best]
        outputs[1] = best

    data = np.array([0.0, 1.0, 5.0, 9.0])
    callback = RoutineCallback(nearest)
    native = NativeFunction("nearest", callback.address, 2, data=data, owner=callback)
    kernel = build_kernel(lambda x: call(native, x[0] * 2.0), {"x": 1}, name="nearest")
    x = np.array([[0.1], [0.4], [2.0], [100.0], [3.4]])
    assert (kernel.batch(x) == [[0.0, 0.0], [1.0, 1.0], [5.0, 2.0], [9.0, 3.0], [5.0, 2.0]]).all()


def test_call_a_routine_with_data_that_are_ints() -> None:
    @routine
    def chosen(inputs, outputs, data):
        for k in range(3):
            outputs[k] = inputs[data[k]]

    callback = RoutineCallback(chosen, data=np.int64)
    data = np.array([2, 0, 1])
    native = NativeFunction("chosen", callback.address, 3, data=data, owner=callback)
    kernel = build_kernel(lambda x: call(native, x), {"x": 3}, name="chosen")
    np.testing.assert_array_equal(kernel(np.array([5.0, 6.0, 7.0])), [7.0, 5.0, 6.0])


class Rates(NamedTuple):
    """What a routine reads where it is."""

    names: int
    upwards: bool
    share: float
    values: Array


def test_call_a_routine_with_a_record() -> None:
    @routine
    def rated(inputs, outputs, rates: Rates):
        total = 0.0
        for k in range(rates.names):
            total += rates.values[k] * inputs[k]
        outputs[0] = rates.share * total if rates.upwards else -rates.share * total

    values = np.array([1.0, 10.0, 100.0])
    for upwards in (True, False):
        callback = RoutineCallback(rated, record=Rates(3, upwards, 0.5, values))
        native = NativeFunction("rated", callback.address, 1, data=callback.data, owner=callback)
        kernel = build_kernel(lambda x, native=native: call(native, x), {"x": 3}, name="rated")
        x = np.arange(9.0).reshape(3, 3)
        expected = (0.5 if upwards else -0.5) * x @ values
        np.testing.assert_array_equal(kernel.batch(x)[:, 0], expected)
    values[0] = 2.0  # read where it is
    assert kernel(x[1])[0] == -0.5 * x[1] @ values


def test_constant_arguments_of_a_call() -> None:
    """Neighbours are stored together: runs of every length, of one number and of several, between others."""

    @routine
    def same(inputs, outputs, data):
        for k in range(40):
            outputs[k] = inputs[k]

    callback = RoutineCallback(same)
    native = NativeFunction("same", callback.address, 40, owner=callback)

    def given(x):
        constants = np.arange(1.0, 8.0)
        return [x[0], *[0.0] * 17, x[1], 4.0, x[0] + x[1], *[0.0] * 3, *constants, *constants, -0.0, x[1]]

    kernel = build_kernel(lambda x: call(native, *given(x)), {"x": 2}, name="same")
    x = np.array([3.0, -2.0])
    assert len(given(x)) == 40
    assert kernel(x).tobytes() == np.array(given(x)).tobytes()


def test_one_native_function_with_two_data() -> None:
    @routine
    def scaled(inputs, outputs, data):
        outputs[0] = inputs[0] * data[0]

    callback = RoutineCallback(scaled)
    two, three = (
        NativeFunction("scaled", callback.address, 1, data=np.array([x]), owner=callback) for x in (2.0, 3.0)
    )
    kernel = build_kernel(lambda x: np.array([call(two, x)[0], call(three, x)[0], call(two, x)[0]]), {"x": 1})
    assert (kernel(np.array([5.0])) == [10.0, 15.0, 10.0]).all()


def test_outputs_of_a_call_go_anywhere() -> None:
    """In a row, turned around, twice, and into further operations; from arguments of every kind."""

    @routine
    def doubled(inputs, outputs, data):
        for k in range(23):
            outputs[k] = 2.0 * inputs[k]

    callback = RoutineCallback(doubled)
    native = NativeFunction("doubled", callback.address, 23, owner=callback)

    def function(x):
        squares = x * x
        y = call(native, x, 3.0, squares, squares[0], x[1])
        return {"row": y, "turned": y[::-1], "some": y[5:9], "sum": squares + y[11:21]}

    kernel = build_kernel(function, {"x": 10}, name="doubled")
    x = np.random.default_rng(0).normal(size=(11, 10))
    for each in range(11):
        row, turned, some, total = kernel(x[each])
        squares = x[each] ** 2
        np.testing.assert_array_equal(row, 2.0 * np.array([*x[each], 3.0, *squares, squares[0], x[each, 1]]))
        np.testing.assert_array_equal(turned, row[::-1])
        np.testing.assert_array_equal(some, row[5:9])
        np.testing.assert_array_equal(total, 3.0 * squares)
        for one, many in zip((row, turned, some, total), kernel(x), strict=True):
            np.testing.assert_array_equal(one, many[each])


def test_straight_code_in_the_place_of_a_call() -> None:
    """Many lanes take it, one does not: shown by two that, unlike what they should, differ."""

    @routine
    def two(inputs, outputs, data):
        outputs[0] = 2.0

    callback = RoutineCallback(two)
    native = NativeFunction("two", callback.address, 1, owner=callback)
    kernel = build_kernel(lambda x: call(native, x, in_lanes=lambda: 3.0 + 0.0 * x), {"x": 1}, name="two")
    assert kernel(np.ones(1)) == [2.0]
    assert (kernel(np.ones((64, 1))) == 3.0).all()


def test_where_on_arrays() -> None:
    kernel = build_kernel(lambda x: where(x[0] < x, x, np.zeros(3)), {"x": 3}, name="where3")
    assert (kernel(np.array([1.0, 2.0, 0.5])) == [0.0, 2.0, 0.0]).all()
