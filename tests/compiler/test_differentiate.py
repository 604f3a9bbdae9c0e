"""Derivatives of graphs against complex steps and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import compiler
from footfall.compiler import build_kernel, gather, jacobian, rate_of, repeat, where
from footfall.errors import TraceError

SMOOTH = {
    "arithmetic": lambda x: x[0] * x[1] / (2.0 + x[2] * x[2]) - 3.0 * x[1] + 1.0 / x[0] - (-x[2]) / 3.0,
    "powers": lambda x: x[0] ** 3 + x[1] ** -2 + np.sqrt(x[2]),
    "trigonometry": lambda x: np.sin(x[0]) * np.cos(x[1] * x[2]) + np.tan(x[0] * x[1]),
    "exponentials": lambda x: np.exp(-x[0] * x[1]) + np.log(x[2] + x[0] * x[0]),
    "matrix": lambda x: np.outer(x, x) @ np.sin(x),
    "deep": lambda x: repeat(lambda y: np.sin(y) * x[0] + x[1], x[2], count=6),
    "loop of vectors": lambda x: repeat(lambda y: 0.5 * (y + np.cos(y[::-1]) * x), x, count=4),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_against_complex_steps(name: str) -> None:
    """df/dx = Im f(x + i h) / h without cancellation; exact to rounding for h = 1e-30."""
    function = SMOOTH[name]
    kernel = build_kernel(lambda x: jacobian(function(x), x), {"x": 3}, name=f"jacobian {name}")
    rng = np.random.default_rng(5)
    for _ in range(5):
        x = rng.uniform(0.3, 1.2, 3)
        columns = [np.imag(np.asarray(function(x + 1e-30j * unit))) / 1e-30 for unit in np.eye(3)]
        expected = np.stack(columns, axis=-1)
        assert np.abs(kernel(x) - expected).max() <= 1e-13 * max(1.0, np.abs(expected).max())


ROUGH = {
    "inverse trigonometry": lambda x: (
        compiler.asin(x[0]) * compiler.acos(x[1]) + compiler.atan(x[2]) + compiler.atan2(x[0], x[2] - x[1])
    ),
    "choices": lambda x: (
        where(x[0] < x[1], x[0] * x[2], x[1] ** 2)
        + compiler.minimum(x[0], x[2])
        + compiler.maximum(x[1] * x[0], x[2])
    ),
    "abs and floor": lambda x: abs(x[0] - x[1]) + compiler.floor(x[2] * 3.3) * x[0],
    "tables": lambda x: gather(np.array([1.0, 5.0, 2.0]), 3.0 * x[0]) * x[1],
    "converging loop": lambda x: repeat(
        lambda y: 0.5 * (y + x[0] / y), x[1], count=60, until=lambda y: abs(y * y - x[0]) < 1e-14
    ),
}


@pytest.mark.parametrize("name", ROUGH)
def test_against_central_differences(name: str) -> None:
    """Error of central differences is h^2 f'''/6 + eps |f| / h: about 1e-9 for h = 1e-5."""
    function = ROUGH[name]
    value = build_kernel(lambda x: function(x), {"x": 3}, name=f"value {name}")
    kernel = build_kernel(lambda x: jacobian(function(x), x), {"x": 3}, name=f"jacobian {name}")
    rng = np.random.default_rng(6)
    h = 1e-5
    for _ in range(10):
        x = rng.uniform(0.1, 0.9, 3)
        expected = [(value(x + h * unit) - value(x - h * unit)) / (2 * h) for unit in np.eye(3)]
        assert np.abs(kernel(x) - expected).max() < 1e-8


@pytest.mark.parametrize("name", [*SMOOTH, *ROUGH])
def test_rates_are_jacobians_times_rates(name: str) -> None:
    """Rates may depend on the variables; they are not differentiated."""
    function = (SMOOTH | ROUGH)[name]

    def both(x):
        rates = np.array([x[1], 2.0, -x[0] * x[2]])
        value = np.atleast_1d(function(x))
        return {"rate": rate_of(value, x, rates), "product": jacobian(value, x) @ rates}

    kernel = build_kernel(both, {"x": 3}, name=f"rate {name}")
    for x in np.random.default_rng(8).uniform(0.3, 0.9, (5, 3)):
        rate, product = kernel(x)
        assert np.abs(rate - product).max() <= 1e-13 * max(1.0, np.abs(product).max())


def test_rates_of_something_else() -> None:
    kernel = build_kernel(lambda x: rate_of(np.array([1.0, 2.0]), x, np.ones(2)), {"x": 2})
    assert not kernel(np.ones(2)).any()
    with pytest.raises(TraceError, match=r"rates have shape \(1,\), the variables \(2,\)"):
        build_kernel(lambda x: rate_of(x, x, np.ones(1)), {"x": 2})
    with pytest.raises(TraceError, match="variables must be symbols"):
        build_kernel(lambda x: rate_of(x, np.ones(2), np.ones(2)), {"x": 2})


def test_with_respect_to_some_inputs() -> None:
    def function(x, y):
        z = np.sin(x) * y[0]
        return {"x": jacobian(z, x), "y1": jacobian(z, y[1:]), "nothing": jacobian(np.array([1.0]), x)}

    dx, dy, nothing = build_kernel(function, {"x": 2, "y": 2}, name="partial")(
        np.array([0.1, 0.2]), np.array([3.0, 4.0])
    )
    assert np.abs(dx - 3.0 * np.diag(np.cos([0.1, 0.2]))).max() < 1e-15
    assert dy.shape == (2, 1)
    assert not dy.any()
    assert nothing.shape == (1, 2)
    assert not nothing.any()


def test_second_derivatives() -> None:
    kernel = build_kernel(lambda x: jacobian(jacobian(x[0] ** 2 * x[1], x), x), {"x": 2}, name="hessian")
    assert (kernel(np.array([3.0, 5.0])) == [[10.0, 6.0], [6.0, 0.0]]).all()


def test_sparsity_is_kept() -> None:
    """Each row depends on two variables only; nothing is computed for the others."""
    kernel = build_kernel(lambda x: jacobian(x[1:] * x[:-1], x), {"x": 50}, name="banded")
    assert kernel.operations == 0


def test_native_calls_cannot_be_differentiated() -> None:
    inner = build_kernel(lambda x: x * 2.0, {"x": 1}, name="inner")
    with pytest.raises(TraceError, match="native call"):
        build_kernel(lambda x: jacobian(compiler.call(inner.native_function(), x), x), {"x": 1})


def test_variables_must_be_symbols() -> None:
    with pytest.raises(TraceError, match="variables must be symbols"):
        build_kernel(lambda x: jacobian(x, np.array([1.0])), {"x": 1})
