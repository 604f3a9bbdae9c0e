"""Every operation against NumPy, at random and at special values, for one lane and for all lanes."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import compiler
from footfall.compiler import build_kernel

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-310, -1e-310, 1e308, -1e308, np.inf, -np.inf, np.nan]
UNARY = {
    "neg": (lambda x: -x, np.negative, 0),
    "abs": (abs, np.abs, 0),
    "sqrt": (np.sqrt, np.sqrt, 0),
    "floor": (compiler.floor, np.floor, 0),
    "square": (lambda x: x**2, np.square, 0),
    "cube": (lambda x: x**3, lambda x: x * (x * x), 0),
    "inverse": (lambda x: 1.0 / x, lambda x: 1.0 / x, 0),
    "inverse_square": (lambda x: x**-2, lambda x: 1.0 / (x * x), 0),
    "root": (lambda x: x**0.5, np.sqrt, 0),
    "third": (lambda x: x / 3.0, lambda x: x / 3.0, 0),
    "quarter": (lambda x: x / 4.0, lambda x: x / 4.0, 0),
    "scaled": (lambda x: -2.5 * x, lambda x: -2.5 * x, 0),
    "shifted": (lambda x: 1.5 - x, lambda x: 1.5 - x, 0),
    "sin": (np.sin, np.sin, 2),
    "cos": (np.cos, np.cos, 2),
    "tan": (np.tan, np.tan, 4),
    "asin": (compiler.asin, np.arcsin, 4),
    "acos": (compiler.acos, np.arccos, 4),
    "atan": (compiler.atan, np.arctan, 4),
    "exp": (np.exp, np.exp, 4),
    "log": (np.log, np.log, 4),
}
BINARY = {
    "add": (lambda x, y: x + y, np.add, 0),
    "sub": (lambda x, y: x - y, np.subtract, 0),
    "mul": (lambda x, y: x * y, np.multiply, 0),
    "div": (lambda x, y: x / y, np.divide, 0),
    "minimum": (compiler.minimum, np.minimum, 0),
    "maximum": (compiler.maximum, np.maximum, 0),
    "atan2": (compiler.atan2, np.arctan2, 4),
    "less": (lambda x, y: x < y, np.less, 0),
    "less_equal": (lambda x, y: x <= y, np.less_equal, 0),
    "greater": (lambda x, y: x > y, np.greater, 0),
    "greater_equal": (lambda x, y: x >= y, np.greater_equal, 0),
    "equal": (lambda x, y: x == y, np.equal, 0),
    "not_equal": (lambda x, y: x != y, np.not_equal, 0),
    "and": (lambda x, y: (x < 1.0) & (y < 1.0), lambda x, y: (x < 1) & (y < 1), 0),
    "or": (lambda x, y: (x < 1.0) | (y < 1.0), lambda x, y: (x < 1) | (y < 1), 0),
    "not": (lambda x, y: ~(x < y), lambda x, y: ~(x < y), 0),
    "where": (lambda x, y: compiler.where(x < y, x, y), lambda x, y: np.where(x < y, x, y), 0),
}


def assert_same(got: np.ndarray, expected: np.ndarray, ulps: int) -> None:
    """Equal including the signs of zeros, NaN where NaN, and otherwise within a number of ulps."""
    expected = np.asarray(expected, dtype=float)
    assert (np.isnan(got) == np.isnan(expected)).all()
    known = ~np.isnan(expected)
    got, expected = got[known], expected[known]
    finite = np.isfinite(expected)
    assert (got[~finite] == expected[~finite]).all()
    got, expected = got[finite], expected[finite]
    error = np.abs(got - expected) / np.spacing(np.abs(expected))
    assert error.max(initial=0.0) <= ulps
    zero = expected == 0.0
    assert (np.signbit(got[zero]) == np.signbit(expected[zero])).all()


def samples(count: int = 200) -> np.ndarray:
    rng = np.random.default_rng(7)
    return np.concatenate(
        [SPECIAL, rng.normal(size=count), rng.uniform(-1, 1, count), 1e3 * rng.normal(size=count)]
    )


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    function, reference, ulps = UNARY[name]
    kernel = build_kernel(lambda x: function(x[0]), {"x": 1}, name=name, check_finite=False)
    x = samples()
    with np.errstate(all="ignore"):
        expected = reference(x)
    assert_same(np.array([kernel(np.array([value])) for value in x]), expected, ulps)
    assert_same(kernel.batch(x[:, None]), expected, ulps)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    function, reference, ulps = BINARY[name]
    kernel = build_kernel(lambda x: function(x[0], x[1]), {"x": 2}, name=name, check_finite=False)
    special = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1).T
    x = np.concatenate([special, np.random.default_rng(3).normal(size=(300, 2))])
    with np.errstate(all="ignore"):
        expected = reference(x[:, 0], x[:, 1])
    if name in ("minimum", "maximum"):  # which zero wins is not specified
        both_zero = (x == 0).all(axis=1)
        x, expected = x[~both_zero], expected[~both_zero]
    assert_same(np.array([kernel(row) for row in x], dtype=float), expected, ulps)
    assert_same(kernel.batch(x), expected, ulps)


def test_known_operands_are_folded() -> None:
    """What is known while tracing is computed there and leaves no operation behind."""

    def function(x: np.ndarray) -> np.ndarray:
        one = x[0] - x[0] + 1.0
        return np.array(
            [compiler.sqrt(4.0 * one), compiler.atan2(one, -0.0), x[0] * 0.0, 0.0 / x[0], x[0] ** 0]
        )

    kernel = build_kernel(function, {"x": 1})
    assert kernel.operations == 0
    assert (kernel(np.array([3.0])) == [2.0, np.pi / 2, 0.0, 0.0, 1.0]).all()


@pytest.mark.parametrize("largest", [1.0, 100.0, 1e4])
def test_sine_and_cosine_within_two_ulp(largest: float) -> None:
    rng = np.random.default_rng(11)
    near_multiples = np.arange(-6366, 6367) * (np.pi / 2)
    x = np.concatenate(
        [rng.uniform(-largest, largest, 200_000), near_multiples[np.abs(near_multiples) <= largest]]
    )
    kernel = build_kernel(lambda x: np.array([np.sin(x[0]), np.cos(x[0])]), {"x": 1}, name="sincos")
    got = kernel.batch(x[:, None])
    for column, exact in enumerate((np.sin(x.astype(np.longdouble)), np.cos(x.astype(np.longdouble)))):
        reference = exact.astype(float)
        ulps = np.abs(got[:, column] - exact) / np.spacing(np.abs(reference))
        assert float(ulps.max()) < 1.0  # below one ulp of the exact value, so within two of any good library


def test_sine_and_cosine_of_large_arguments() -> None:
    """Beyond the inline range each lane asks the C library, also next to lanes that do not."""
    x = np.array([2.0**20, 1e7, -1e15, 1e300, 0.5, -3.0, 1e22, 7.0, 2.0**20 + 1, 0.1])
    kernel = build_kernel(lambda x: np.array([np.sin(x[0]), np.cos(x[0])]), {"x": 1}, name="sincos")
    got = kernel.batch(x[:, None])
    assert_same(got[:, 0], np.sin(x), 2)
    assert_same(got[:, 1], np.cos(x), 2)
    assert (got == np.array([kernel(row) for row in x[:, None]])).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 130, 1001])
def test_lanes_and_threads_give_the_same_bits(count: int, threads: int) -> None:
    def function(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        s = np.sin(x) * y[0] - np.cos(x[::-1]) * y[1]
        t = compiler.exp(-s @ s) + compiler.atan2(s[0], y[1])
        r = compiler.repeat(lambda z: (z + t / z) / 2.0, 1.0 + y[0] * y[0], count=5)
        return {"s": s / (1.0 + s @ s), "r": r, "outer": np.outer(s, s)}

    kernel = build_kernel(function, {"x": 11, "y": 2}, name="mixed")
    rng = np.random.default_rng(count)
    x, y = rng.normal(size=(count, 11)), rng.normal(size=(count, 2))
    batch = kernel.batch(x, y, threads=threads)
    for k in range(count):
        for together, alone in zip(batch, kernel(x[k], y[k]), strict=True):
            assert (together[k] == alone).all()
