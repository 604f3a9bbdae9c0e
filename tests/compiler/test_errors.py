"""What cannot be traced says where and what to use instead."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.compiler import build_kernel, call, trace, where
from footfall.errors import TraceError

HERE = __file__


def branch(x):
    if x[0] > 0:
        return x
    return -x


def builtin_max(x):
    return max(x[0], x[1])


def into_floats(x):
    result = np.zeros(2)
    result[0] = x[0]
    return result


def linear_algebra(x):
    return np.linalg.solve(np.outer(x, x), x)


def array_comparison(x):
    return np.where(x < 0, -x, x)


def math_module(x):
    return math.sin(x[0])


def unknown_function(x):
    return np.sinh(x[0])


def array_function(x):
    return np.cosh(x)


def numbers_and_symbols(x):
    return np.sin(np.array([x[0], 1.0], dtype=object))


def odd_power(x):
    return x[0] ** 0.3


@pytest.mark.parametrize(
    "function, hint",
    [
        (branch, "where"),
        (builtin_max, "maximum"),
        (into_floats, "dtype=object"),
        (linear_algebra, "footfall.compiler"),
        (array_comparison, "where"),
        (math_module, "footfall.compiler"),
        (unknown_function, "np.sin"),
        (array_function, "footfall.compiler"),
        (numbers_and_symbols, "footfall.compiler"),
        (odd_power, "exp"),
    ],
)
def test_errors_name_the_place_and_the_remedy(function, hint: str) -> None:
    with pytest.raises(TraceError) as caught:
        trace(function, {"x": 2})
    line = function.__code__.co_firstlineno
    assert any(
        f"{HERE}:{number} in {function.__name__}" in str(caught.value) for number in (line + 1, line + 2)
    )
    assert hint in str(caught.value)


def test_two_traces_must_not_mix() -> None:
    kept = []
    trace(lambda x: kept.append(x[0]) or x, {"x": 1})
    for mixing in (lambda x: x[0] * kept[0], lambda x: where(x[0] < 0.0, kept[0], 1.0), lambda x: kept[0]):
        with pytest.raises(TraceError, match="two different traces"):
            trace(mixing, {"x": 1})


def test_an_error_of_the_function_itself_passes_through() -> None:
    def function(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        build_kernel(function, {"x": 1})


def test_call_and_where_want_the_right_things() -> None:
    kernel = build_kernel(lambda x: x * 2.0, {"x": 1}, name="double")
    with pytest.raises(TraceError, match="inside traced code"):
        call(kernel.native_function(), 1.0)
    with pytest.raises(TraceError, match="comparison"):
        trace(lambda x: where(x[0], x[0], 1.0), {"x": 1})
