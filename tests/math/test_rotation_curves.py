"""Ways between rotations: shortest, of constant speed, and smooth through many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from footfall.errors import InvalidInput
from footfall.math.rotation_curves import (
    RotationCurve,
    geodesic_angle,
    interpolate_quaternions,
    interpolate_rotations,
)
from footfall.math.rotations import (
    matrix_from_euler,
    matrix_from_quaternion,
    matrix_from_rotation_vector,
    quaternion_from_matrix,
    unskew,
)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.5, 1.0])
def test_scipy_interpolates_the_same(fraction: float) -> None:
    rotations = Rotation.random(2, random_state=3)
    start, target = rotations.as_matrix()
    expected = Slerp([0.0, 1.0], rotations)(fraction).as_matrix()
    np.testing.assert_allclose(interpolate_rotations(start, target, fraction), expected, atol=1e-14)
    q0, q1 = quaternion_from_matrix(start), quaternion_from_matrix(target)
    for sign in (1.0, -1.0):  # both are the same rotation
        q = interpolate_quaternions(q0, sign * q1, fraction)
        np.testing.assert_allclose(matrix_from_quaternion(q), expected, atol=1e-14)


def test_geodesic_angle_is_that_of_scipy_and_of_example_2_9_7() -> None:
    a, b = Rotation.random(2, random_state=5)
    assert geodesic_angle(a.as_matrix(), b.as_matrix()) == pytest.approx((a.inv() * b).magnitude(), abs=1e-14)
    start, goal = (matrix_from_euler("zyx", np.array(q)) for q in ([-0.7, 0.0, 1.5], [0.7, 1.5, -0.5]))
    assert geodesic_angle(start, goal) == pytest.approx(3.007207, abs=1e-6)


def test_interpolation_has_constant_speed() -> None:
    start, target = Rotation.random(2, random_state=8).as_matrix()
    steps = [interpolate_rotations(start, target, s) for s in np.linspace(0.0, 1.0, 6)]
    angles = [geodesic_angle(a, b) for a, b in itertools.pairwise(steps)]
    np.testing.assert_allclose(angles, geodesic_angle(start, target) / 5, atol=1e-13)


def test_curve_passes_through_its_rotations_smoothly() -> None:
    times = [0.0, 0.4, 1.0, 1.5]
    rotations = Rotation.random(4, random_state=1).as_matrix()
    curve = RotationCurve(times, rotations)
    for time, rotation in zip(times, rotations, strict=True):
        np.testing.assert_allclose(curve(time).rotation, rotation, atol=1e-13)
        before, after = curve(time - 1e-9), curve(time + 1e-9)
        np.testing.assert_allclose(before.angular_velocity, after.angular_velocity, atol=1e-6)
    h = 1e-5
    for time in (0.1, 0.39, 0.7, 1.2):
        rate = (curve(time + h).rotation - curve(time - h).rotation) / (2 * h)
        np.testing.assert_allclose(
            unskew(rate @ curve(time).rotation.T), curve(time).angular_velocity, atol=1e-7
        )


def test_a_turn_at_constant_speed_is_kept() -> None:
    w = np.array([0.3, -0.8, 0.5])
    times = np.array([0.0, 0.5, 1.2, 2.0])
    rotations = np.array([matrix_from_rotation_vector(t * w) for t in times])
    curve = RotationCurve(list(times), rotations, velocities=np.tile(w, (4, 1)))
    for time in (0.2, 0.9, 1.7):
        state = curve(time)
        np.testing.assert_allclose(state.rotation, matrix_from_rotation_vector(time * w), atol=1e-13)
        np.testing.assert_allclose(state.angular_velocity, w, atol=1e-12)


def test_no_curve() -> None:
    with pytest.raises(InvalidInput, match="increasing"):
        RotationCurve([0.0, 0.0], np.array([np.eye(3)] * 2))
    with pytest.raises(InvalidInput, match="velocities"):
        RotationCurve([0.0, 1.0], np.array([np.eye(3)] * 2), velocities=np.zeros(3))
