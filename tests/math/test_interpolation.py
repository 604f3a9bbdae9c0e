"""Splines through points against SciPy, with the orders at which they converge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, make_interp_spline

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.interpolation import KAPPA, cubic_spline, hermite_quintic, quintic_spline, rest_to_rest
from footfall.math.trajectories import PolynomialTrajectory

SEEDS = st.integers(0, 2**32 - 1)


def random_points(seed: int, count: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.uniform(0.2, 0.8, count)), rng.normal(size=(count, 2))


@given(SEEDS, st.integers(2, 12))
@settings(max_examples=40)
def test_cubic_splines_are_those_of_scipy(seed: int, count: int) -> None:
    times, points = random_points(seed, count)
    start, end = np.random.default_rng(seed).normal(size=(2, 2))
    ours = cubic_spline(times, points, start_acceleration=start, end_acceleration=end)
    theirs = CubicSpline(times, points, bc_type=((2, start), (2, end)))
    at = np.linspace(times[0], times[-1], 60)
    for derivative in range(3):
        np.testing.assert_allclose(ours(at, derivative), theirs(at, derivative), atol=1e-11, rtol=1e-11)


@given(SEEDS, st.integers(3, 12))
@settings(max_examples=40)
def test_quintic_splines_are_those_of_scipy(seed: int, count: int) -> None:
    times, points = random_points(seed, count)
    start, end = np.random.default_rng(seed).normal(size=(2, 2, 2))
    ours = quintic_spline(
        times,
        points,
        start_velocity=start[0],
        start_acceleration=start[1],
        end_velocity=end[0],
        end_acceleration=end[1],
    )
    theirs = make_interp_spline(
        times, points, k=5, bc_type=([(1, start[0]), (2, start[1])], [(1, end[0]), (2, end[1])])
    )
    at = np.linspace(times[0], times[-1], 60)
    for derivative in range(5):
        expected = theirs(at, derivative)
        scale = np.abs(expected).max() + 1.0
        np.testing.assert_allclose(ours(at, derivative), expected, atol=1e-11 * 30**derivative * scale)
    jumps = ours.times[1:-1]
    below = PolynomialTrajectory(ours.times, ours.coefficients)(jumps - 1e-9, 4)
    np.testing.assert_allclose(below, ours(jumps, 4), atol=1e-4 * (1.0 + np.abs(below).max()))


@given(SEEDS)
@settings(max_examples=20)
def test_a_quintic_polynomial_is_reproduced(seed: int) -> None:
    rng = np.random.default_rng(seed)
    polynomial = np.polynomial.Polynomial(rng.normal(size=6))
    times = np.sort(rng.uniform(-1.0, 1.0, 6)) + 0.1 * np.arange(6)
    ends = [(polynomial.deriv(1)(t), polynomial.deriv(2)(t)) for t in (times[0], times[-1])]
    spline = quintic_spline(
        times,
        polynomial(times),
        start_velocity=ends[0][0],
        start_acceleration=ends[0][1],
        end_velocity=ends[1][0],
        end_acceleration=ends[1][1],
    )
    at = np.linspace(times[0], times[-1], 33)
    np.testing.assert_allclose(spline(at)[:, 0], polynomial(at), atol=1e-10)
    values, rates, accelerations = (polynomial.deriv(k)(times) if k else polynomial(times) for k in range(3))
    np.testing.assert_allclose(
        hermite_quintic(times, values, rates, accelerations)(at)[:, 0], polynomial(at), atol=1e-11
    )


def convergence_order(spline: Any, derivative: int) -> float:
    """How fast the error of sin falls when the grid is halved."""
    errors = []
    at = np.linspace(0.0, 3.0, 1001)
    for count in (12, 24):
        times = np.linspace(0.0, 3.0, count + 1)
        exact = (np.sin, np.cos, lambda t: -np.sin(t))[derivative](at)
        errors.append(np.abs(spline(times)(at, derivative)[:, 0] - exact).max())
    return float(np.log2(errors[0] / errors[1]))


def test_orders_of_convergence() -> None:
    """Known: a spline of degree p converges with order p + 1, each derivative costs one."""

    def cubic(times: Array) -> PolynomialTrajectory:
        return cubic_spline(times, np.sin(times), end_acceleration=-np.sin(3.0))

    def quintic(times: Array) -> PolynomialTrajectory:
        return quintic_spline(
            times,
            np.sin(times),
            start_velocity=1.0,
            end_velocity=np.cos(3.0),
            end_acceleration=-np.sin(3.0),
        )

    assert [round(convergence_order(cubic, d)) for d in range(3)] == [4, 3, 2]
    assert [round(convergence_order(quintic, d)) for d in range(3)] == [6, 5, 4]


def test_stability_measure_of_the_block_system() -> None:
    """Gamma(1) = 1.2419, least for equal segments: Seiwald 2023, (G.45)-(G.47), R-11."""

    def gamma(ratio: float) -> float:
        g0, g1 = 1.0, ratio
        k = KAPPA
        diagonal = np.array(
            [
                [64 * (g0**3 + g1**3), 12 * k * (g0**2 - g1**2) * g1],
                [12 * k * (g0**2 - g1**2) * g1, 3 * k**2 * (g0 + g1) * g1**2],
            ]
        )

        def upper(g: float, after: float) -> Array:
            return np.array([[56 * g**3, 8 * k * g**2 * after], [-8 * k * g**3, -(k**2) * g**2 * after]])

        off = np.linalg.norm(upper(g0, g1).T, 2) + np.linalg.norm(upper(g1, g1 * ratio), 2)
        return float(np.linalg.norm(np.linalg.inv(diagonal), 2) * off)

    assert gamma(1.0) == pytest.approx(1.2419, abs=5e-5)
    measured = {ratio: gamma(ratio) for ratio in (0.5, 0.8, 1.0, 1.25, 2.0)}
    assert min(measured, key=lambda ratio: measured[ratio]) == 1.0
    np.testing.assert_allclose(list(measured.values()), [4.87, 1.74, 1.2419, 1.54, 3.00], rtol=5e-3)


def test_wrong_points_are_refused() -> None:
    with pytest.raises(InvalidInput, match="increase"):
        quintic_spline([0.0, 0.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(InvalidInput, match="two at least"):
        cubic_spline([0.0], [1.0])
    with pytest.raises(InvalidInput, match="and some"):
        rest_to_rest([], [])
