"""Quaternion calculus: algebra, exponential and logarithm, conversions, against SciPy and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.arrays import Array
from footfall.math import quaternions as qn
from footfall.math.rotations import (
    matrix_from_quaternion,
    normalised,
    quaternion_from_rotation_vector,
    quaternion_product,
    rotate_by_quaternion,
    rotation_vector_from_quaternion,
)

SEEDS = st.integers(0, 2**32 - 1)
I, J, K = np.eye(4)[1:]


def random_unit(seed: int, count: int = 8) -> Array:
    return normalised(np.random.default_rng(seed).normal(size=(count, 4)))


def as_scipy(q: Array) -> Rotation:
    return Rotation.from_quat(q[..., [1, 2, 3, 0]])  # SciPy has the scalar last


def test_hamiltons_rules() -> None:
    np.testing.assert_array_equal(quaternion_product(I, J), K)
    np.testing.assert_array_equal(quaternion_product(J, I), -K)
    np.testing.assert_array_equal(quaternion_product(J, K), I)
    np.testing.assert_array_equal(quaternion_product(K, I), J)
    for unit in (I, J, K):
        np.testing.assert_array_equal(quaternion_product(unit, unit), [-1.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(quaternion_product(quaternion_product(I, J), K), [-1.0, 0.0, 0.0, 0.0])


@given(SEEDS)
@settings(max_examples=30)
def test_algebra(seed: int) -> None:
    a, b, c = np.random.default_rng(seed).normal(size=(3, 5, 4))
    np.testing.assert_allclose(
        quaternion_product(quaternion_product(a, b), c),
        quaternion_product(a, quaternion_product(b, c)),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        quaternion_product(a, b + c), quaternion_product(a, b) + quaternion_product(a, c), atol=1e-12
    )
    np.testing.assert_allclose(
        qn.modulus(quaternion_product(a, b)), qn.modulus(a) * qn.modulus(b), rtol=1e-12
    )
    np.testing.assert_allclose(
        quaternion_product(qn.inverse(a), a), np.tile([1.0, 0, 0, 0], (5, 1)), atol=1e-12
    )
    np.testing.assert_allclose(
        qn.conjugate(quaternion_product(a, b)),
        quaternion_product(qn.conjugate(b), qn.conjugate(a)),
        atol=1e-12,
    )


@given(SEEDS)
@settings(max_examples=30)
def test_exponential_logarithm_and_powers(seed: int) -> None:
    q = np.random.default_rng(seed).normal(size=(6, 4))
    np.testing.assert_allclose(qn.exponential(qn.logarithm(q)), q, atol=1e-12)
    np.testing.assert_allclose(qn.power(q, np.full(6, 2.0)), quaternion_product(q, q), atol=1e-11)
    np.testing.assert_allclose(qn.power(q, np.full(6, -1.0)), qn.inverse(q), atol=1e-11, rtol=1e-11)
    np.testing.assert_allclose(qn.power(q, np.tile([1.0, 0, 0, 0], (6, 1))), q, atol=1e-12)
    third = qn.power(q, np.full(6, 1 / 3))
    np.testing.assert_allclose(quaternion_product(quaternion_product(third, third), third), q, atol=1e-11)


def test_small_angles_and_numbers_without_logarithm() -> None:
    for size in (0.0, 1e-300, 1e-13, 1e-11, 1e-6):
        vector = size * np.array([0.6, 0.0, 0.8])
        np.testing.assert_allclose(qn.logarithm(qn.exponential(qn.pure(vector)))[1:], vector, rtol=1e-9)
    for wrong in ([0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]):
        with np.errstate(divide="ignore"), pytest.raises(qn.InvalidInput, match="no logarithm"):
            qn.logarithm(wrong)


@given(SEEDS)
@settings(max_examples=30)
def test_conversions_are_those_of_scipy(seed: int) -> None:
    q = random_unit(seed)
    vector = np.random.default_rng(seed).normal(size=3)
    reference = as_scipy(q)
    np.testing.assert_allclose(matrix_from_quaternion(q), reference.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(rotate_by_quaternion(q, vector), reference.apply(vector), atol=1e-13)
    np.testing.assert_allclose(rotation_vector_from_quaternion(q), reference.as_rotvec(), atol=1e-12)
    np.testing.assert_allclose(rotation_vector_from_quaternion(-q), reference.as_rotvec(), atol=1e-12)
    back = quaternion_from_rotation_vector(reference.as_rotvec())
    np.testing.assert_allclose(np.abs(qn.dot(back, q)), 1.0, atol=1e-14)
    axis, angle = qn.axis_and_angle(q)
    np.testing.assert_allclose(qn.from_axis_angle(axis, angle), q, atol=1e-14)
    np.testing.assert_array_equal(qn.axis_and_angle(np.array([1.0, 0, 0, 0]))[0], [1.0, 0.0, 0.0])


@given(SEEDS)
@settings(max_examples=20)
def test_angular_velocity_and_acceleration_by_differences(seed: int) -> None:
    """A motion q(t) = q0 exp(a t) exp(b t^2); omega from the rotation between close times."""
    rng = np.random.default_rng(seed)
    start, a, b = random_unit(seed, 1)[0], *rng.normal(size=(2, 3))

    def at(t: float) -> Array:
        return quaternion_product(
            quaternion_product(start, qn.exponential(qn.pure(a * t))), qn.exponential(qn.pure(b * t**2))
        )

    t, h = 0.3, 1e-4
    q = at(t)
    rate = (at(t + h) - at(t - h)) / (2 * h)
    second = (at(t + h) - 2 * q + at(t - h)) / h**2
    omega = rotation_vector_from_quaternion(quaternion_product(at(t + h), qn.conjugate(at(t - h)))) / (2 * h)
    np.testing.assert_allclose(qn.angular_velocity(q, rate), omega, atol=1e-6)

    def velocity(time: float) -> Array:
        return rotation_vector_from_quaternion(
            quaternion_product(at(time + h), qn.conjugate(at(time - h)))
        ) / (2 * h)

    np.testing.assert_allclose(
        qn.angular_acceleration(q, rate, second), (velocity(t + h) - velocity(t - h)) / (2 * h), atol=1e-5
    )
    square = quaternion_product(
        quaternion_product(rate, qn.conjugate(q)), quaternion_product(rate, qn.conjugate(q))
    )
    other = 2 * (quaternion_product(second, qn.conjugate(q)) - square)[1:]
    np.testing.assert_allclose(other, qn.angular_acceleration(q, rate, second), atol=1e-6)


@given(SEEDS)
@settings(max_examples=20)
def test_alignment_keeps_orientations_and_brings_neighbours_together(seed: int) -> None:
    keys = random_unit(seed)
    ours = qn.aligned(keys)
    assert (qn.dot(ours[:-1], ours[1:]) >= 0.0).all()
    np.testing.assert_allclose(np.abs(qn.dot(ours, keys)), 1.0, atol=1e-14)
    np.testing.assert_array_equal(ours[0], keys[0])
