"""Quaternion curves and splines: reference values, continuity, derivatives, timing (Seiwald 2023, appendix B)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BSpline
from scipy.spatial.transform import Rotation, Slerp

from footfall.arrays import Array
from footfall.errors import InvalidInput, UnknownName
from footfall.math import quaternion_curves as curves
from footfall.math import quaternions as qn
from footfall.math.b_splines import basis, clamped_knots, cumulative_basis
from footfall.math.interpolation import rest_to_rest
from footfall.math.quaternion_splines import (
    QUATERNION_METHODS,
    CubicQuaternionSpline,
    QuaternionBSpline,
    QuaternionSpline,
)
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.rotations import (
    normalised,
    quaternion_from_rotation_vector,
    quaternion_product,
    rotate_by_quaternion,
    rotation_vector_from_quaternion,
)

SEEDS = st.integers(0, 2**32 - 1)
A, B, C = np.sqrt(3 / 4), np.sqrt(3 / 8), np.sqrt(1 / 8)
KEYS = np.array(  # Seiwald 2023, (B.31)
    [
        [1, 0, 0, 0],
        [A, 0, 0.5, 0],
        [B, C, C, -B],
        [0, 0.5, 0, -A],
        [-B, C, -C, -B],
        [-A, 0, -0.5, 0],
        [-1, 0, 0, 0],
    ]
)
PLACE = np.array([5 / 24])
UNEVEN = np.array([0.1, 0.25, 0.1, 0.2, 0.15, 0.2])


def random_keys(seed: int, count: int) -> Array:
    """A walk of moderate turns."""
    steps = np.random.default_rng(seed).normal(scale=0.5, size=(count, 3))
    keys = [np.array([1.0, 0.0, 0.0, 0.0])]
    for step in quaternion_from_rotation_vector(steps):
        keys.append(quaternion_product(keys[-1], step))
    return np.array(keys[1:])


def spline(method: str, keys: Array = KEYS, proportions: Array | None = None) -> Any:
    return QuaternionBSpline(keys) if method == "b_spline" else QuaternionSpline(method, keys, proportions)


def speed(shape: Any, at: float) -> float:
    value, rate, _ = shape.derivatives(np.array([at]))
    return float(np.linalg.norm(qn.angular_velocity(value, rate)))


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("lerp", [0.802612, 0.088388, 0.463388, -0.153093]),
        ("nlerp", [0.850688, 0.093683, 0.491145, -0.162263]),
        ("slerp", [0.849385, 0.097545, 0.490393, -0.168953]),
        ("bezier", [0.783907, 0.092107, 0.592921, -0.159534]),
        ("squad", [0.836926, 0.070550, 0.528816, -0.122195]),
        ("b_spline", [0.737980, 0.263719, 0.423691, -0.454228]),
    ],
)
def test_reference_values(method: str, expected: list[float]) -> None:
    """Seiwald 2023, (B.57)-(B.62)."""
    np.testing.assert_allclose(spline(method).derivatives(PLACE)[0, 0], expected, atol=1e-6)


def test_reference_motion_of_the_b_spline() -> None:
    value, rate, second = QuaternionBSpline(KEYS).derivatives(np.array([5 / 24, 0.37]))
    omega, change = qn.angular_velocity(value, rate), qn.angular_acceleration(value, rate, second)
    np.testing.assert_allclose(omega, [[0.03913, 0.34907, -8.07205], [0.0, 0.0, -6.707929]], atol=1e-5)
    np.testing.assert_allclose(change, [[-2.8075, -16.7552, -2.1080], [0.0, 0.0, 6.534513]], atol=1e-4)


@pytest.mark.parametrize("method", [*QUATERNION_METHODS, "b_spline"])
@pytest.mark.parametrize("seed", [1, 2])
def test_derivatives_by_differences(method: str, seed: int) -> None:
    shape = spline(method, random_keys(seed, 7))
    at, h = np.array([0.05, 0.21, 0.4, 0.61, 0.93]), 1e-5
    below, here, above = (shape.derivatives(at + step) for step in (-h, 0.0, h))
    for order in (0, 1):
        numeric = (above[order] - below[order]) / (2 * h)
        np.testing.assert_allclose(here[order + 1], numeric, atol=1e-6 * (1 + np.abs(numeric).max()))


def test_third_derivative_of_the_b_spline() -> None:
    shape, h = QuaternionBSpline(KEYS, 5), 1e-5
    at = np.array([0.2, 0.7])
    numeric = (shape.derivatives(at + h)[2] - shape.derivatives(at - h)[2]) / (2 * h)
    np.testing.assert_allclose(shape.derivatives(at, 3)[3], numeric, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize(
    ("method", "continuity"),
    [("lerp", 0), ("nlerp", 0), ("slerp", 0), ("bezier", 1), ("squad", 1), ("b_spline", 2)],
)
@pytest.mark.parametrize("proportions", [None, UNEVEN])
def test_continuity(method: str, continuity: int, proportions: Array | None) -> None:
    """The classes of Seiwald 2023, table B.1, and that the next derivative does jump."""
    shape = spline(method, random_keys(5, 7), proportions)
    breaks = shape.knots[4:-4] if method == "b_spline" else shape.breaks[1:-1]
    order = continuity + 1
    gap = 1e-11
    jumps = np.abs(shape.derivatives(breaks + gap, order) - shape.derivatives(breaks - gap, order)).max(
        axis=(1, 2)
    )
    assert (jumps[: continuity + 1] < 1e-6).all()
    assert jumps[continuity + 1] > 0.1


def test_keyframes_are_met_or_passed_by() -> None:
    at = np.linspace(0.0, 1.0, 7)
    for method in QUATERNION_METHODS:
        np.testing.assert_allclose(spline(method).derivatives(at)[0], KEYS, atol=1e-12)
    found = QuaternionBSpline(KEYS).derivatives(at)[0]
    np.testing.assert_allclose(found[[0, -1]], KEYS[[0, -1]], atol=1e-12)
    assert np.abs(found[1:-1] - KEYS[1:-1]).max() > 0.05


def test_speeds_at_keyframes() -> None:
    """Seiwald 2023, (B.35)-(B.42), (B.47)-(B.49): turns in the six segments of the reference keyframes."""
    assert [speed(spline("slerp"), at) for at in (0.1, 0.5)] == pytest.approx([2 * np.pi, 3 * np.pi])
    assert [speed(spline("bezier"), at) for at in (0.0, 1 / 6, 0.5)] == pytest.approx(
        [0.0, 18.12, 9 * np.pi], abs=5e-3
    )
    assert [speed(spline("squad"), at) for at in (0.0, 1 / 6, 0.5)] == pytest.approx(
        [2 * np.pi, 5.66, 3 * np.pi], abs=5e-3
    )
    softer = QuaternionSpline("bezier", KEYS, tangent_scale=1 / 3)
    assert speed(softer, 0.5) == pytest.approx(3 * np.pi)


@given(SEEDS)
@settings(max_examples=20)
def test_slerp_is_that_of_scipy_in_all_its_forms(seed: int) -> None:
    first, last = qn.aligned(normalised(np.random.default_rng(seed).normal(size=(2, 4))))
    eta = np.linspace(0.0, 1.0, 9)
    theirs = Slerp([0.0, 1.0], Rotation.from_quat([first[[1, 2, 3, 0]], last[[1, 2, 3, 0]]]))(eta).as_quat()
    ours = curves.slerp(first, last, eta)[0]
    np.testing.assert_allclose(np.abs(qn.dot(ours, theirs[:, [3, 0, 1, 2]])), 1.0, atol=1e-14)
    angle = np.arccos(np.clip(first @ last, -1.0, 1.0))
    if angle > 1e-3:
        sines = np.sin((1 - eta) * angle)[:, None] * first + np.sin(eta * angle)[:, None] * last
        np.testing.assert_allclose(ours, sines / np.sin(angle), atol=1e-12)
    forms = (
        [  # the powers of Seiwald 2023, (B.35)
            quaternion_product(last, qn.power(quaternion_product(qn.inverse(last), first), 1 - eta[k]))
            for k in range(9)
        ],
        [
            quaternion_product(qn.power(quaternion_product(last, qn.inverse(first)), eta[k]), first)
            for k in range(9)
        ],
    )
    for form in forms:
        np.testing.assert_allclose(form, ours, atol=1e-12)


def test_curves_between_equal_and_opposite_quaternions() -> None:
    q = KEYS[2]
    still = curves.bezier(q, q, q, q, [0.3, 0.7])
    np.testing.assert_allclose(still, [[q, q], np.zeros((2, 4)), np.zeros((2, 4))], atol=1e-12)
    with pytest.raises(curves.InvalidInput, match="align"):
        curves.bezier(q, -q, q, q, [0.5])


@given(st.integers(2, 6), st.integers(0, 5))
@settings(max_examples=30)
def test_basis_is_that_of_scipy(order: int, more: int) -> None:
    count = order + more
    knots = clamped_knots(count, order)
    at = np.linspace(0.0, 1.0, 37)
    for derivative in range(order):
        ours = basis(knots, order, at, derivative)
        for i in range(count):
            theirs = BSpline(knots, np.eye(count)[i], order - 1)(at, nu=derivative)
            np.testing.assert_allclose(ours[:, i], theirs, atol=1e-9 * (1 + np.abs(theirs).max()))
    np.testing.assert_allclose(basis(knots, order, at).sum(axis=1), 1.0, atol=1e-12)
    running = cumulative_basis(knots, order, at)
    np.testing.assert_allclose(running[:, 0], 1.0, atol=1e-12)
    assert (np.diff(running, axis=1) <= 1e-12).all()
    with pytest.raises(InvalidInput):
        clamped_knots(order - 1, order)


def test_b_spline_about_one_axis_is_one_of_angles() -> None:
    angles = np.array([0.0, 0.3, 1.2, 0.4, -0.8, -0.2])
    controls = qn.from_axis_angle([0.0, 0.6, 0.8], angles)
    at = np.linspace(0.0, 1.0, 21)
    expected = BSpline(clamped_knots(6, 4), angles, 3)(at)
    found = QuaternionBSpline(controls).derivatives(at)[0]
    np.testing.assert_allclose(found, qn.from_axis_angle([0.0, 0.6, 0.8], expected), atol=1e-12)


@pytest.mark.parametrize("method", [*QUATERNION_METHODS, "b_spline"])
def test_turning_the_keyframes_turns_the_spline(method: str) -> None:
    turn = normalised(np.array([0.3, -0.5, 0.7, 0.2]))
    at = np.linspace(0.0, 1.0, 11)
    shape = spline(method, random_keys(3, 6))
    np.testing.assert_allclose(
        shape.turned(turn).derivatives(at), quaternion_product(turn, shape.derivatives(at)), atol=1e-9
    )


# Trajectories


@given(SEEDS)
@settings(max_examples=20)
def test_the_native_chain_is_the_general_b_spline(seed: int) -> None:
    controls = random_keys(seed, 12).reshape(3, 4, 4)
    shape = CubicQuaternionSpline(controls)
    timing = rest_to_rest([1.0, 2.0, 3.5, 4.0], np.arange(4.0))
    at = np.linspace(1.0, 4.0, 40)
    found = QuaternionTrajectory(shape, timing).sample(at)
    parameter, rate, change = timing.sample(at)[:, :, 0]
    value, first, second = shape.derivatives(np.clip(parameter, 0.0, 3.0))
    velocity = first * rate[:, None]
    acceleration = second * (rate**2)[:, None] + first * change[:, None]
    np.testing.assert_allclose(np.abs(qn.dot(found.quaternion, value)), 1.0, atol=1e-13)
    np.testing.assert_allclose(found.angular_velocity, qn.angular_velocity(value, velocity), atol=1e-11)
    expected = qn.angular_acceleration(value, velocity, acceleration)
    np.testing.assert_allclose(found.angular_acceleration, expected, atol=1e-9)


def test_turn_of_the_upper_body_in_closed_form() -> None:
    """Controls {a, a, b, b}: SLERP with the argument 3 e^2 - 2 e^3, Seiwald 2023, section 6.6."""
    a, b = random_keys(4, 2)
    timing = rest_to_rest([0.0, 2.0], [0.0, 1.0])
    at = np.linspace(0.0, 2.0, 21)
    found = QuaternionTrajectory(CubicQuaternionSpline(np.array([[a, a, b, b]])), timing).sample(at)
    e = timing(at)[:, 0]
    np.testing.assert_allclose(found.quaternion, curves.slerp(a, b, 3 * e**2 - 2 * e**3)[0], atol=1e-14)
    np.testing.assert_allclose(found.angular_velocity[[0, -1]], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.angular_acceleration[[0, -1]], 0.0, atol=1e-12)


@pytest.mark.parametrize("method", [*QUATERNION_METHODS, "b_spline"])
def test_motion_of_trajectories_by_differences(method: str) -> None:
    """Angular velocity and acceleration from rotations at close times; norms other than one do not matter."""
    timing = rest_to_rest([0.0, 1.5], [0.0, 1.0])
    trajectory = QuaternionTrajectory(spline(method, random_keys(8, 6)), timing)
    at, h = np.array([0.33, 0.77, 1.21]), 1e-4
    below, here, above = (trajectory.sample(at + step) for step in (-h, 0.0, h))
    numeric = rotation_vector_from_quaternion(
        quaternion_product(above.quaternion, qn.conjugate(below.quaternion))
    ) / (2 * h)
    np.testing.assert_allclose(here.angular_velocity, numeric, atol=1e-5)
    change = (above.angular_velocity - below.angular_velocity) / (2 * h)
    np.testing.assert_allclose(here.angular_acceleration, change, atol=1e-4)


def test_stopping_at_every_keyframe_makes_any_spline_smooth() -> None:
    """Speed control, Seiwald 2023, (B.63)."""
    shape = QuaternionSpline("slerp", KEYS)
    timing = rest_to_rest(np.arange(7.0), shape.breaks)
    found = QuaternionTrajectory(shape, timing).sample(np.arange(7.0))
    np.testing.assert_allclose(found.angular_velocity, 0.0, atol=1e-10)
    np.testing.assert_allclose(found.angular_acceleration, 0.0, atol=1e-8)


def test_cutting_shifting_and_turning_trajectories() -> None:
    trajectory = QuaternionTrajectory(
        CubicQuaternionSpline(random_keys(9, 8).reshape(2, 4, 4)),
        rest_to_rest([0.0, 1.0, 2.0], np.arange(3.0)),
    )
    turn = normalised(np.array([0.1, 0.9, -0.3, 0.2]))
    first, second = trajectory.split(1.3)
    assert (first.start, first.end, second.end) == (0.0, 1.3, 2.0)
    np.testing.assert_allclose(first(0.7), trajectory(0.7), atol=1e-14)
    np.testing.assert_allclose(second([1.4, 1.9]), trajectory([1.4, 1.9]), atol=1e-14)
    np.testing.assert_allclose(trajectory.cut(0.2, 0.9)(0.5), trajectory(0.5), atol=1e-14)
    np.testing.assert_allclose(trajectory.shifted(5.0)(6.2), trajectory(1.2), atol=1e-12)
    at = np.array([0.4, 1.7])
    seen = trajectory.turned(turn).sample(at)
    np.testing.assert_allclose(
        np.abs(qn.dot(seen.quaternion, quaternion_product(turn, trajectory(at)))), 1.0, atol=1e-14
    )
    np.testing.assert_allclose(
        seen.angular_velocity, rotate_by_quaternion(turn, trajectory.sample(at).angular_velocity), atol=1e-12
    )


def test_wrong_keyframes_are_refused() -> None:
    with pytest.raises(UnknownName, match="squad"):
        QuaternionSpline("squid", KEYS)
    with pytest.raises(InvalidInput, match="norm one"):
        QuaternionSpline("slerp", 2 * KEYS)
    with pytest.raises(InvalidInput, match="sum 1"):
        QuaternionSpline("slerp", KEYS, np.full(6, 0.1))
    with pytest.raises(InvalidInput, match="four"):
        CubicQuaternionSpline(KEYS)
    with pytest.raises(InvalidInput, match="norm one"):
        CubicQuaternionSpline(2 * KEYS[None, :4])
    with pytest.raises(InvalidInput, match="must have one"):
        QuaternionTrajectory(QuaternionBSpline(KEYS), rest_to_rest([0.0, 1.0], np.zeros((2, 2))))
