"""Splines that obey differential equations: against closed forms, the source's tables, SciPy, each other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_bvp
from scipy.linalg import solve

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.collocation import (
    LinearEquation,
    collocate,
    collocate_banded,
    knot_gradients,
)
from footfall.math.interpolation import cubic_spline, quintic_spline
from footfall.math.least_squares_splines import least_squares, quadrature_times
from footfall.math.linear_systems import solve_bands
from footfall.math.trajectories import PolynomialTrajectory

UNDER, OVER, CRITICAL = (1.0, 1.0, 10.0), (1.0, 10.0, 10.0), (1.0, 10.0, 25.0)
DURATION = 5.0


def exact(system: tuple[float, float, float]) -> Callable[[Any], Any]:
    """The free motion from 1 at rest, Seiwald 2023, (G.68)-(G.70)."""
    alpha, beta, gamma = system
    s1 = -beta / (2 * alpha)
    under = beta**2 / (4 * alpha**2) - gamma / alpha
    s2 = np.sqrt(abs(under))
    if abs(under) < 1e-12:
        return lambda t: np.exp(s1 * t) * (1 - s1 * t)
    if under < 0:
        return lambda t: np.exp(s1 * t) * (np.cos(s2 * t) - s1 / s2 * np.sin(s2 * t))
    return lambda t: (-(s1 - s2) * np.exp((s1 + s2) * t) + (s1 + s2) * np.exp((s1 - s2) * t)) / (2 * s2)


def conditions(system: tuple[float, float, float], consistent: bool) -> tuple[list[float], list[float]]:
    alpha, beta, gamma = system
    start = [1.0, 0.0, -gamma / alpha]
    if not consistent:
        return start, [0.0, 0.0, 0.0]
    value = exact(system)(DURATION)
    rate = np.imag(exact(system)(DURATION + 1e-30j)) / 1e-30
    return start, [value, rate, -(beta * rate + gamma * value) / alpha]


def constant_equation(system: tuple[float, float, float], count: int) -> LinearEquation:
    return LinearEquation(*(np.full(count, part) for part in system), np.zeros((count, 1)))


def solved(
    system: tuple[float, float, float], sites: int, kind: str, *, consistent: bool = True
) -> PolynomialTrajectory:
    times = np.linspace(0.0, DURATION, sites + 2)
    start, end = conditions(system, consistent)
    if kind == "least_squares":
        return least_squares(times, constant_equation(system, 3 * (sites + 1)), start, end)
    return collocate(times, constant_equation(system, sites), start, end, kind=kind)  # type: ignore[arg-type]


def errors(
    system: tuple[float, float, float], sites: int, kind: str, *, consistent: bool = True
) -> tuple[float, float]:
    """Root mean squares of error and residual on a grid of 0.01 s, by the trapezoidal rule as in the source."""
    at = np.linspace(0.0, DURATION, 501)
    motion = solved(system, sites, kind, consistent=consistent).sample(at)
    residual = constant_equation(system, 501).residual(motion)[:, 0]

    def mean(values: Array) -> float:
        return float(np.sqrt(np.trapezoid(values**2, at) / DURATION))

    return mean(motion[0, :, 0] - exact(system)(at)), mean(residual)


@pytest.mark.parametrize(
    ("system", "sites", "expected"),
    [
        (UNDER, 1, [(2.09, 17.0), (0.870, 6.65), (0.564, 4.08)]),
        (UNDER, 4, [(0.419, 2.09), (0.246, 1.42), (0.103, 0.713)]),
        (UNDER, 9, [(0.103, 0.593), (0.511, 3.58), (1.46e-2, 0.119)]),
        (UNDER, 30, [(8.02e-2, 0.120), (1.66e-2, 0.128), (4.49e-4, 7.11e-3)]),
        (UNDER, 100, [(1.83e-2, 1.33e-2), (6.60e-3, 0.135), (8.07e-6, 2.36e-4)]),
        (OVER, 9, [(3.40e-2, 1.70), (7.37e-3, 0.667), (8.13e-3, 0.270)]),
        (OVER, 100, [(1.66e-4, 1.75e-2), (1.29e-4, 3.59e-2), (5.53e-7, 1.81e-4)]),
    ],
)
def test_errors_for_consistent_ends(
    system: tuple[float, float, float], sites: int, expected: list[tuple[float, float]]
) -> None:
    """Seiwald 2023, (G.67)-(G.70), to three digits; and least squares has the least residual."""
    found = [errors(system, sites, kind) for kind in ("cubic_free", "cubic", "quintic")]
    np.testing.assert_allclose(found, expected, rtol=6e-3)
    assert errors(system, sites, "least_squares")[1] < found[2][1]


@pytest.mark.parametrize(
    ("system", "kind", "best", "least", "at_40"),
    [
        (UNDER, "cubic_free", 9, 0.759, 1.57),
        (UNDER, "cubic", 11, 0.572, 7.58),
        (UNDER, "quintic", 5, 0.414, 20.5),
        (OVER, "cubic_free", 8, 2.67, 5.49),
        (OVER, "cubic", 6, 1.46, 13.3),
        (OVER, "quintic", 5, 1.18, 18.3),
    ],
)
def test_ends_that_do_not_fit(
    system: tuple[float, float, float], kind: str, best: int, least: float, at_40: float
) -> None:
    """Collocation is best at some number of sites and diverges beyond, Seiwald 2023, (G.67)-(G.70)."""
    residuals = {sites: errors(system, sites, kind, consistent=False)[1] for sites in range(1, 20)}
    assert min(residuals, key=lambda sites: residuals[sites]) == best
    assert residuals[best] == pytest.approx(least, rel=6e-3)
    assert errors(system, 40, kind, consistent=False)[1] == pytest.approx(at_40, rel=6e-3)


@pytest.mark.parametrize("system", [UNDER, OVER, CRITICAL])
def test_least_squares_beats_collocation_on_every_grid_and_converges(
    system: tuple[float, float, float],
) -> None:
    """With ends that do not fit; all six values are kept."""
    residuals = []
    for sites in (4, 8, 16, 32, 64, 128):
        ours = errors(system, sites, "least_squares", consistent=False)[1]
        others = [errors(system, sites, kind, consistent=False)[1] for kind in ("cubic", "quintic")]
        assert ours < min(others)
        residuals.append(ours)
        spline = solved(system, sites, "least_squares", consistent=False)
        start, end = conditions(system, consistent=False)
        ends = spline.sample(np.array([0.0, DURATION]))[:, :, 0]
        np.testing.assert_allclose(ends, np.stack([start, end], axis=1), atol=1e-8)
    assert all(after <= 1.001 * before for before, after in pairwise(residuals))
    assert residuals[-1] == pytest.approx(residuals[-2], rel=0.05, abs=1e-3)


def test_orders_of_convergence() -> None:
    """Source: quintic 3.46 and 2.95, free cubic 1.49 and 2.01, cubic 0.93 and 0.29 (sites 49 to 99)."""

    def orders(kind: str, few: int, many: int) -> list[float]:
        coarse, fine = errors(UNDER, few, kind), errors(UNDER, many, kind)
        return [float(np.log2(a / b)) for a, b in zip(coarse, fine, strict=True)]

    np.testing.assert_allclose(orders("quintic", 49, 99), [3.46, 2.95], atol=0.02)
    np.testing.assert_allclose(orders("cubic_free", 49, 99), [1.49, 2.01], atol=0.02)
    np.testing.assert_allclose(orders("cubic", 49, 99), [0.93, 0.29], atol=0.02)
    error, residual = orders("least_squares", 24, 49)
    assert error > 5.0
    assert residual > 3.8


def test_condition_of_the_dense_matrix_grows() -> None:
    """R-17: 47, 2.1e3, 8.0e3, 4.6e4 for the quintic at 9, 30, 50, 100 sites."""
    conditions_found = []
    for sites in (9, 30, 50, 100):
        times = np.linspace(0.0, DURATION, sites + 2)
        rates, seconds = knot_gradients(times, "quintic")
        inner = slice(1, sites + 1)
        matrix = seconds[inner, inner] + rates[inner, inner] + 10 * np.eye(sites)
        conditions_found.append(np.linalg.cond(matrix))
    np.testing.assert_allclose(conditions_found, [47, 2.1e3, 8.0e3, 4.6e4], rtol=0.03)


@given(st.integers(0, 2**32 - 1), st.integers(1, 15), st.sampled_from(["cubic", "quintic"]))
@settings(max_examples=40)
def test_banded_splines_are_the_dense_ones(seed: int, sites: int, kind: Any) -> None:
    """On uneven grids, two components; the equation holds at the sites, the six conditions at the ends."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.2, 0.5, sites + 2))
    equation = LinearEquation(
        -rng.uniform(0.5, 2.0, sites),
        rng.normal(size=sites),
        rng.uniform(5.0, 15.0, sites),
        rng.normal(size=(sites, 2)),
    )
    start, end = rng.normal(size=(2, 3, 2))
    dense = collocate(times, equation, start, end, kind=kind)
    banded = collocate_banded(times, equation, start, end, kind=kind)
    at = np.linspace(times[0], times[-1], 50)
    for derivative in range(3):
        expected = dense(at, derivative)
        np.testing.assert_allclose(banded(at, derivative), expected, atol=1e-8 * (1 + np.abs(expected).max()))
    residual = equation.residual(dense.sample(times[1:-1]))
    np.testing.assert_allclose(residual, 0.0, atol=1e-8 * (1 + np.abs(dense(times, 2)).max()))
    ends = banded.sample(times[[0, -1]])
    np.testing.assert_allclose(ends, np.stack([start, end], axis=1), atol=1e-8 * (1 + np.abs(ends).max()))
    smooth = 4 if kind == "quintic" else 2
    inner = dense.times[1:-1]
    jump = np.abs(dense(inner, smooth) - dense(inner - 1e-10, smooth)).max()
    assert jump < 1e-4 * (1 + np.abs(dense(at, smooth)).max())


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_gradients_by_differences(kind: Any) -> None:
    """A spline is linear in what it is given: differences are exact."""
    rng = np.random.default_rng(4)
    times = np.cumsum(rng.uniform(0.1, 0.5, 6))
    count = 4 if kind == "quintic" else 2
    given_values = rng.normal(size=6 + count)

    def motion(values: Array) -> Array:
        y, more = values[:6], values[6:]
        if kind == "quintic":
            names = ("start_velocity", "start_acceleration", "end_velocity", "end_acceleration")
            spline = quintic_spline(times, y, **dict(zip(names, more, strict=True)))
        else:
            spline = cubic_spline(times, y, start_acceleration=more[0], end_acceleration=more[1])
        return spline.sample(times)[1:, :, 0]

    rates, seconds = knot_gradients(times, kind)
    for column in range(6 + count):
        step = np.eye(6 + count)[column]
        difference = motion(given_values + step) - motion(given_values)
        np.testing.assert_allclose(difference, [rates[:, column], seconds[:, column]], atol=1e-9)


def test_a_pendulum_that_falls_against_scipy() -> None:
    """r'' = w^2 (r - p(t)): alpha and gamma of opposite sign; positions given at both ends, solve_bvp as oracle.

    The conditions on velocity and acceleration are taken from the oracle, so that all six fit.
    """
    square, last = 9.81 / 1.15, 4.0

    def zmp(t: Array) -> Array:
        return 0.05 * np.sin(2 * np.pi * t / 1.6)

    reference = solve_bvp(
        lambda t, y: np.stack([y[1], square * (y[0] - zmp(t))]),
        lambda a, b: np.array([a[0], b[0]]),
        np.linspace(0.0, last, 400),
        np.zeros((2, 400)),
        tol=1e-10,
        max_nodes=100_000,
    ).sol

    def ends(t: float) -> list[float]:
        position, velocity = reference(t)
        return [position, velocity, square * (position - zmp(np.array(t)))]

    at = np.linspace(0.0, last, 777)
    deviations = []
    for count in (20, 40):
        times = np.linspace(0.0, last, count + 1)
        sites = times[1:-1]
        ones = np.ones(len(sites))
        equation = LinearEquation(ones, 0 * ones, -square * ones, -square * zmp(sites)[:, None])
        quintic = collocate_banded(times, equation, ends(0.0), ends(last))
        points = quadrature_times(times)
        ones = np.ones(len(points))
        equation = LinearEquation(ones, 0 * ones, -square * ones, -square * zmp(points)[:, None])
        least = least_squares(times, equation, ends(0.0), ends(last))
        deviations.append([np.abs(spline(at)[:, 0] - reference(at)[0]).max() for spline in (quintic, least)])
    assert deviations[1][0] < 2e-5
    assert deviations[1][1] < 1e-7
    assert np.log2(deviations[0][0] / deviations[1][0]) > 3.0


def test_weights_of_least_squares() -> None:
    """Where the residual counts more it becomes smaller."""
    times = np.linspace(0.0, DURATION, 31)
    equation = constant_equation(UNDER, 90)
    start, end = conditions(UNDER, consistent=False)
    at = np.linspace(4.0, DURATION, 200)
    late = np.where(quadrature_times(times) > 4.0, 100.0, 1.0)
    plain, weighted = (
        np.sqrt(
            np.mean(
                constant_equation(UNDER, 200).residual(
                    least_squares(times, equation, start, end, weights=w).sample(at)
                )
                ** 2
            )
        )
        for w in (None, late)
    )
    assert weighted < 0.5 * plain


def test_wrong_problems_are_refused() -> None:
    times = np.linspace(0.0, 1.0, 5)
    equation = constant_equation(UNDER, 3)
    with pytest.raises(InvalidInput, match="needed at 3 times"):
        collocate(times, constant_equation(UNDER, 4), np.zeros(3), np.zeros(3))
    with pytest.raises(InvalidInput, match="increase"):
        collocate_banded(times[::-1], equation, np.zeros(3), np.zeros(3))
    with pytest.raises(InvalidInput, match="free cubic"):
        collocate_banded(times, equation, np.zeros(3), np.zeros(3), kind="cubic_free")
    nothing = LinearEquation(np.zeros(3), np.zeros(3), np.zeros(3), np.ones((3, 1)))
    for way in (collocate, collocate_banded):
        with pytest.raises(InvalidInput, match="contradict"):
            way(times, nothing, np.zeros(3), np.zeros(3))
    with pytest.raises(InvalidInput, match="vanishes"):
        least_squares(times, LinearEquation(*np.zeros((3, 12)), np.ones((12, 1))), np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("width", [1, 2, 5])
def test_banded_systems_against_scipy(width: int) -> None:
    """Cholesky's factors in bands, two right-hand sides; a matrix that is not positive is refused."""
    rng = np.random.default_rng(width)
    count = 12
    lower = np.tril(np.triu(rng.normal(size=(count, count)), -width)) + 3.0 * np.eye(count)
    matrix, load = lower @ lower.T, rng.normal(size=(count, 2))
    bands = np.zeros((count, width + 1))
    for i in range(count):
        for j in range(max(0, i - width), i + 1):
            bands[i, width + j - i] = matrix[i, j]
    kept, solution = bands.copy(), load.copy()
    assert solve_bands(bands, solution)
    np.testing.assert_allclose(solution, solve(matrix, load, assume_a="pos"), rtol=1e-9)
    kept[5, width] = -1.0
    assert not solve_bands(kept, load)
