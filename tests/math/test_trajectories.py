"""Curves, splines and trajectories against SciPy's piecewise polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PPoly

from footfall.errors import InvalidInput
from footfall.math.interpolation import constant, polyline, rest_to_rest
from footfall.math.polynomials import PolynomialCurve, PolynomialSpline
from footfall.math.trajectories import PolynomialTrajectory, join, over_time, stack, union_of_times

SEEDS = st.integers(0, 2**32 - 1)


def random_trajectory(
    seed: int, *, segments: int = 5, degree: int = 5, dimension: int = 3
) -> PolynomialTrajectory:
    """Not continuous, so that every segment is seen to be the right one; from 0 to 2 s."""
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.sort(rng.uniform(0.2, 1.8, segments - 1)), [2.0]])
    return PolynomialTrajectory(times, rng.normal(size=(segments, degree + 1, dimension)))


def as_scipy(trajectory: PolynomialTrajectory) -> PPoly:
    powers = np.arange(trajectory.degree, -1, -1)
    scaled = trajectory.coefficients / trajectory.durations[:, None, None] ** powers[:, None]
    return PPoly(scaled.transpose(1, 0, 2), trajectory.times)


def assert_same_motion(
    ours: PolynomialTrajectory, theirs: PolynomialTrajectory, *, relative: float = 1e-12
) -> None:
    at = np.linspace(max(ours.start, theirs.start), min(ours.end, theirs.end), 77)[1:-1]
    for derivative in range(theirs.degree + 1):
        expected = theirs(at, derivative)
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(ours(at, derivative), expected, atol=relative * scale)


@given(SEEDS, st.integers(0, 6), st.integers(1, 4))
@settings(max_examples=30)
def test_values_and_derivatives_are_those_of_scipy(seed: int, degree: int, dimension: int) -> None:
    trajectory = random_trajectory(seed, degree=degree, dimension=dimension)
    at = np.random.default_rng(seed).uniform(0.0, 2.0, 50)  # in no order
    reference = as_scipy(trajectory)
    samples = trajectory.sample(at, order=degree + 1)
    for derivative in range(degree + 2):
        expected = reference(at, derivative)
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(samples[derivative], expected, atol=1e-12 * scale)
        np.testing.assert_allclose(trajectory(at, derivative), samples[derivative], atol=1e-13 * scale)


def test_one_time_many_times_and_times_outside() -> None:
    trajectory = random_trajectory(1)
    assert trajectory(0.5).shape == (3,)
    assert trajectory(np.full((4, 2), 0.5)).shape == (4, 2, 3)
    np.testing.assert_array_equal(trajectory(-1.0), trajectory(0.0))
    np.testing.assert_array_equal(trajectory(9.0), trajectory(2.0))
    np.testing.assert_array_equal(trajectory(9.0, 1), np.zeros(3))
    assert np.abs(trajectory(2.0, 1)).min() > 0.0
    later = trajectory.times[1]
    np.testing.assert_allclose(trajectory(later), trajectory.coefficients[1, -1])


@given(SEEDS, st.floats(0.05, 1.95))
@settings(max_examples=30)
def test_split_and_join_give_the_same_motion(seed: int, time: float) -> None:
    trajectory = random_trajectory(seed)
    first, second = trajectory.split(time)
    assert first.end == second.start == time
    assert_same_motion(join([first, second]), trajectory)
    middle = trajectory.cut(time / 2, time)
    assert_same_motion(middle, first)


def test_splitting_at_a_break_point_makes_no_tiny_segment() -> None:
    trajectory = random_trajectory(3)
    first, second = trajectory.split(trajectory.times[2])
    assert len(first.coefficients) == 2
    assert len(second.coefficients) == len(trajectory.coefficients) - 2


@given(SEEDS)
@settings(max_examples=20)
def test_sums_stacks_and_maps(seed: int) -> None:
    a, b = random_trajectory(seed), random_trajectory(seed + 1, segments=3, degree=2)
    at = np.linspace(0.0, 2.0, 41)[1:-1]
    rng = np.random.default_rng(seed)
    matrix, offset = rng.normal(size=(2, 3)), rng.normal(size=2)
    for d in range(4):
        tolerance = 1e-11 * max(1.0, np.abs(a(at, d)).max())
        np.testing.assert_allclose((a + b)(at, d), a(at, d) + b(at, d), atol=tolerance)
        np.testing.assert_allclose((a - b)(at, d), a(at, d) - b(at, d), atol=tolerance)
        np.testing.assert_allclose(stack([a, b])(at, d), np.hstack([a(at, d), b(at, d)]), atol=tolerance)
        moved = a.mapped(matrix, offset)
        shift = offset if d == 0 else 0.0
        np.testing.assert_allclose(moved(at, d), a(at, d) @ matrix.T + shift, atol=10 * tolerance)
        np.testing.assert_allclose(a.differentiated()(at, d), a(at, d + 1), atol=1e2 * tolerance)
        np.testing.assert_allclose(a.shifted(3.0)(at + 3.0, d), a(at, d), atol=1e3 * tolerance)
        np.testing.assert_allclose(a.time_scaled(2.0)(2 * at, d), a(at, d) / 2**d, atol=tolerance)
    np.testing.assert_array_equal(a.component(2, 0)(at), a(at)[:, [2, 0]])


def test_times_that_differ_by_rounding_are_one() -> None:
    times = union_of_times(np.array([0.0, 0.1 + 0.2, 1.0]), np.array([0.0, 0.3, 0.5, 1.0]))
    np.testing.assert_allclose(times, [0.0, 0.3, 0.5, 1.0])


def test_curves_splines_and_trajectories_are_three_things() -> None:
    """A curve and a spline run over [0, 1]; a trajectory takes time."""
    curve = PolynomialCurve([[1.0], [0.0], [2.0]])
    np.testing.assert_allclose(curve([0.0, 0.5, 1.0])[:, 0], [2.0, 2.25, 3.0])
    before, after = curve.split(0.25)
    np.testing.assert_allclose([before(1.0), after(0.5)], [curve(0.25), curve(0.625)])
    spline = PolynomialSpline.chain([curve, PolynomialCurve([[3.0]])], [0.25, 0.75])
    np.testing.assert_allclose([spline(0.125), spline(0.9)], [[2.25], [3.0]])
    first, second = spline.split(0.5)
    np.testing.assert_allclose(first.proportions, [0.5, 0.5])
    np.testing.assert_allclose([first(0.25), second(0.3)], [[2.25], [3.0]])
    trajectory = over_time(spline, 10.0, 4.0)
    np.testing.assert_allclose(trajectory(10.5), [2.25])
    np.testing.assert_allclose(trajectory(10.5, 1), spline(0.125, 1) / 4.0)
    assert curve.degree == 2
    assert trajectory.duration == 4.0


def test_values_cannot_be_changed() -> None:
    trajectory = constant([1.0, 2.0], 0.0, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        trajectory.coefficients[0, 0, 0] = 3.0
    with pytest.raises(AttributeError):
        trajectory.times = np.zeros(2)  # type: ignore[misc]


def test_rest_to_rest_stops_in_every_point_and_takes_the_later_of_two_at_once() -> None:
    """Peak velocity and acceleration of Seiwald 2023, appendix G."""
    trajectory = rest_to_rest([0.0, 0.0, 0.5, 2.5], [9.0, 0.0, 1.0, -1.0])
    np.testing.assert_allclose(trajectory([0.0, 0.5, 2.5])[:, 0], [0.0, 1.0, -1.0], atol=1e-15)
    np.testing.assert_allclose(trajectory.sample(np.array([0.0, 0.5, 2.5]))[1:], 0.0, atol=1e-13)
    assert trajectory(1.5, 1)[0] == pytest.approx(-15 / 8 * 2.0 / 2.0)
    peak = 0.5 + 2.0 * (0.5 - np.sqrt(3) / 6)
    assert trajectory(peak, 2)[0] == pytest.approx(-10 / np.sqrt(3) * 2.0 / 4.0)


def test_polyline_with_ends_at_rest() -> None:
    line = polyline([0.0, 1.0, 3.0, 4.0], [0.0, 1.0, 2.0, 5.0], rest_at_start=True, rest_at_end=True)
    np.testing.assert_allclose(line([0.0, 0.5, 1.0, 2.0, 3.5, 4.0])[:, 0], [0.0, 0.125, 1.0, 1.5, 4.625, 5.0])
    np.testing.assert_allclose(line.sample(np.array([0.0, 4.0]))[1:], 0.0, atol=1e-14)
    assert line(2.0, 1)[0] == pytest.approx(0.5)
    both = polyline([0.0, 1.0], [2.0, 3.0])
    assert both(0.25)[0] == pytest.approx(2.25)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PolynomialTrajectory(np.array([0.0, 0.0]), np.ones((1, 1, 1))), "increase"),
        (lambda: PolynomialTrajectory(np.array([0.0, 1.0, 2.0]), np.ones((1, 1, 1))), "must be 2"),
        (lambda: PolynomialTrajectory(np.array([0.0, 1.0]), np.full((1, 1, 1), np.nan)), "must be finite"),
        (lambda: constant(1.0, 0.0, 1.0).cut(0.5, 3.0), "from 0 s to 1 s"),
        (lambda: join([constant(1.0, 0.0, 1.0), constant(1.0, 2.0, 3.0)]), "not at 2 s"),
        (lambda: constant(1.0, 0.0, 1.0) + constant(1.0, 0.0, 2.0), "same times"),
        (lambda: PolynomialSpline(np.array([0.5, 0.4]), np.ones((2, 1, 1))), "sum 1"),
        (lambda: PolynomialCurve(np.ones(3))(0.5, -1), "0 or more"),
        (lambda: rest_to_rest([0.0, 1.0], [1.0]), "as many"),
    ],
)
def test_wrong_trajectories_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()
