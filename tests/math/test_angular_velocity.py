"""Maps between rates of rotation parameters and angular velocity, RSL 2022, chapter 2."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.errors import InvalidInput, UnknownName
from footfall.math import rotations as r
from footfall.math.angular_velocity import (
    angle_axis_map_inverse,
    angular_velocity_map,
    quaternion_map,
    rotation_rate_map,
    rotation_vector_map,
    rotation_vector_map_inverse,
)
from footfall.math.spatial import skew
from tests.random_robots import random_rotation


def parameters_and_rates(kind: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """Parameters of a random rotation and rates that keep their constraints."""
    parameters = r.parameters_from_matrix(kind, random_rotation(rng))
    return parameters, rotation_rate_map(kind, parameters) @ rng.normal(size=3)


def rotation_rate(kind: str, parameters: Array, rates: Array, h: float = 1e-4) -> Array:
    """dC/dt by a central difference of fourth order."""

    def at(k: int) -> Array:
        return r.matrix_from_parameters(kind, parameters + k * h * rates)

    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)


@pytest.mark.parametrize("kind", r.ROTATION_KINDS)
@pytest.mark.parametrize("body_axes", [False, True])
def test_maps_agree_with_the_derivative_of_the_matrix(kind: str, body_axes: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        parameters, rates = parameters_and_rates(kind, rng)
        matrix = r.matrix_from_parameters(kind, parameters)
        # Near singularities rates are large: slow the motion down to one rad/s.
        rates /= max(1.0, np.abs(rates).max())
        derivative = rotation_rate(kind, parameters, rates)
        expected = r.unskew(matrix.T @ derivative if body_axes else derivative @ matrix.T)
        actual = angular_velocity_map(kind, parameters, body_axes=body_axes) @ rates
        np.testing.assert_allclose(actual, expected, atol=1e-10)


@pytest.mark.parametrize("kind", r.ROTATION_KINDS)
@pytest.mark.parametrize("body_axes", [False, True])
def test_rates_are_a_right_inverse(kind: str, body_axes: bool) -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        parameters = r.parameters_from_matrix(kind, random_rotation(rng))
        forward = angular_velocity_map(kind, parameters, body_axes=body_axes)
        inverse = rotation_rate_map(kind, parameters, body_axes=body_axes)
        np.testing.assert_allclose(forward @ inverse, np.eye(3), atol=1e-12 * max(1.0, np.abs(inverse).max()))


def test_example_2_5_1() -> None:
    """A turn about x: the angular velocity is (rate, 0, 0)."""
    forward = angular_velocity_map("xyz", np.array([0.7, 0.0, 0.0]))
    np.testing.assert_allclose(forward @ [1.3, 0.0, 0.0], [1.3, 0.0, 0.0])


def test_printed_euler_maps() -> None:
    """RSL 2022, (2.86)-(2.93), maps and inverses, and their determinants."""
    a, b = 0.4, 1.1
    (s1, sb), (c1, cb) = np.sin([a, b]), np.cos([a, b])
    tb = sb / cb
    printed = {
        "zyx": (
            [[0, -s1, cb * c1], [0, c1, cb * s1], [1, 0, -sb]],
            [[c1 * tb, s1 * tb, 1], [-s1, c1, 0], [c1 / cb, s1 / cb, 0]],
            -cb,
        ),
        "xyz": (
            [[1, 0, sb], [0, c1, -cb * s1], [0, s1, c1 * cb]],
            [[1, s1 * tb, -c1 * tb], [0, c1, s1], [0, -s1 / cb, c1 / cb]],
            cb,
        ),
        "zyz": (
            [[0, -s1, c1 * sb], [0, c1, s1 * sb], [1, 0, cb]],
            [[-c1 / tb, -s1 / tb, 1], [-s1, c1, 0], [c1 / sb, s1 / sb, 0]],
            -sb,
        ),
        "zxz": (
            [[0, c1, s1 * sb], [0, s1, -c1 * sb], [1, 0, cb]],
            [[-s1 / tb, c1 / tb, 1], [c1, s1, 0], [s1 / sb, -c1 / sb, 0]],
            -sb,
        ),
    }
    for sequence, (forward, inverse, determinant) in printed.items():
        angles = np.array([a, b, -0.7])
        np.testing.assert_allclose(angular_velocity_map(sequence, angles), forward, atol=1e-15)
        np.testing.assert_allclose(rotation_rate_map(sequence, angles), inverse, atol=1e-14)
        assert np.linalg.det(forward) == pytest.approx(determinant)


def test_quaternion_map_identities() -> None:
    """RSL 2022, (2.94)-(2.99): half the transpose is a right inverse and keeps the norm."""
    rng = np.random.default_rng(3)
    q = r.quaternion_from_matrix(random_rotation(rng))
    for body_axes in (False, True):
        h = quaternion_map(q, body_axes=body_axes)
        np.testing.assert_allclose(h @ h.T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(h.T @ h, np.eye(4) - np.outer(q, q), atol=1e-15)
        np.testing.assert_allclose(h @ q, 0.0, atol=1e-15)


def test_angle_axis_inverse_keeps_the_axis_a_unit_vector() -> None:
    """RSL 2022, (2.103): a right inverse, but not the one with the least norm."""
    parameters = np.array([0.9, *np.array([1.0, -2.0, 2.0]) / 3])
    inverse = angle_axis_map_inverse(parameters)
    np.testing.assert_allclose(parameters[1:] @ inverse[1:], 0.0, atol=1e-15)
    pseudo = np.linalg.pinv(angular_velocity_map("angle_axis", parameters))
    assert np.linalg.norm(pseudo - inverse) > 1e-2
    theta, n = parameters[0], parameters[1:]
    ratio = np.sin(theta) / (1 - np.cos(theta))
    np.testing.assert_allclose(inverse[1:], -ratio / 2 * skew(n) @ skew(n) - skew(n) / 2, atol=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-200, 1e-8, 1e-3, 0.1, 0.4999, 0.5001, 1.0, 3.0, 6.0])
def test_rotation_vector_map_is_smooth(size: float) -> None:
    """RSL 2022, (2.104)-(2.107), series and closed form, against the integral of the exponential."""
    vector = size * np.array([1.0, -2.0, 2.0]) / 3
    nodes, weights = np.polynomial.legendre.leggauss(24)
    points = (nodes + 1) / 2
    expected = sum(
        w / 2 * r.matrix_from_rotation_vector(s * vector) for s, w in zip(points, weights, strict=True)
    )
    actual = rotation_vector_map(vector)
    np.testing.assert_allclose(actual, expected, atol=4e-15)
    np.testing.assert_allclose(rotation_vector_map_inverse(vector) @ actual, np.eye(3), atol=1e-13)
    if size > 0.1:
        assert np.linalg.det(actual) == pytest.approx(2 * (1 - np.cos(size)) / size**2)


@pytest.mark.parametrize("short", [1.0, 1e-2, 1e-4, 1e-6, 1e-8])
def test_rotation_vector_map_near_a_whole_turn(short: float) -> None:
    """At 2 pi - d the inverse is as exact as its angle is known: cot(x/2) has the relative condition 2 pi / d.

    Three roundings of the angle (components, square, root) of half a unit each make 2 pi 3/2 eps / d. Computed in 40
    digits from the same vector; along an axis the angle is exact, and so is the result.
    """
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(8)
    bound = 8 * np.finfo(float).eps + 1.5 * np.finfo(float).eps * 2 * np.pi / short
    with mpmath.workdps(40):
        for k in range(20):
            axis = np.eye(3)[k] if k < 3 else rng.normal(size=3)
            vector = (2 * np.pi - short) * axis / np.linalg.norm(axis)
            x, y, z = (mpmath.mpf(float(part)) for part in vector)
            angle = mpmath.sqrt(x * x + y * y + z * z)
            turn = mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            factor = (1 - angle / 2 * mpmath.cot(angle / 2)) / angle**2
            exact = np.array((mpmath.eye(3) - turn / 2 + factor * turn * turn).tolist(), dtype=float)
            error = np.abs(rotation_vector_map_inverse(vector) - exact).max() / np.abs(exact).max()
            assert error < (8 * np.finfo(float).eps if k < 3 else bound)


@pytest.mark.parametrize("second", r.ROTATION_KINDS)
def test_angular_velocities_add(second: str) -> None:
    """w_AC = w_AB + C_AB w_BC, whatever parameters the two turns have, RSL 2022, (2.76); their order matters.

    w_AC is from differences of fourth order of the product: h^4 / 30 of a fifth derivative, below 1e-12 at h = 1e-4,
    and rounding, 1e-16 / h.
    """
    rng = np.random.default_rng(9)
    h = 1e-4
    for first in ("zyx", "quaternion", "rotation_vector"):
        ab, ab_rates = parameters_and_rates(first, rng)
        bc, bc_rates = parameters_and_rates(second, rng)
        ab_rates /= max(1.0, np.abs(ab_rates).max())
        bc_rates /= max(1.0, np.abs(bc_rates).max())

        def product(k: int, ab=ab, bc=bc, ab_rates=ab_rates, bc_rates=bc_rates, first=first) -> Array:  # type: ignore[no-untyped-def]
            return r.matrix_from_parameters(first, ab + k * h * ab_rates) @ r.matrix_from_parameters(
                second, bc + k * h * bc_rates
            )

        rate = (8 * (product(1) - product(-1)) - (product(2) - product(-2))) / (12 * h)
        turn = r.matrix_from_parameters(first, ab)
        w_ab = angular_velocity_map(first, ab) @ ab_rates
        w_bc = angular_velocity_map(second, bc) @ bc_rates
        actual = r.unskew(rate @ product(0).T)
        np.testing.assert_allclose(actual, w_ab + turn @ w_bc, atol=1e-10)
        assert np.abs(actual - (w_ab + w_bc)).max() > 1e-3  # in one frame only


def test_matrix_rates_keep_the_matrix_orthonormal() -> None:
    matrix = random_rotation(np.random.default_rng(4))
    w = np.array([0.3, -0.2, 1.0])
    rates = (rotation_rate_map("matrix", matrix.reshape(9)) @ w).reshape(3, 3)
    np.testing.assert_allclose(rates, skew(w) @ matrix, atol=1e-15)


@pytest.mark.parametrize(
    "kind, parameters",
    [
        ("zyx", [0.3, np.pi / 2, 0.1]),
        ("zyz", [0.3, 0.0, 0.1]),
        ("angle_axis", [0.0, 1.0, 0.0, 0.0]),
        ("rotation_vector", [2 * np.pi, 0.0, 0.0]),
    ],
)
def test_singular_parameters_are_refused(kind: str, parameters: list[float]) -> None:
    angular_velocity_map(kind, np.array(parameters))  # this way is always possible
    with pytest.raises(InvalidInput, match=f"{kind} parameters have no rates here"):
        rotation_rate_map(kind, np.array(parameters))


def test_unknown_kinds_are_named() -> None:
    for function in (angular_velocity_map, rotation_rate_map):
        with pytest.raises(UnknownName, match=r"no rotation parameterisation 'euler'; there are:"):
            function("euler", np.zeros(3))


def test_pinocchio_has_the_same_map_of_rotation_vectors() -> None:
    """Pinocchio's Jexp3 is the right Jacobian, ours the left one: rates to velocity in world axes; Jlog3 inverts it."""
    pinocchio = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(6)
    for angle in (1e-9, 1e-4, 0.3, 2.0, 3.1):
        axis = rng.normal(size=3)
        vector = angle * axis / np.linalg.norm(axis)
        np.testing.assert_allclose(rotation_vector_map(vector), pinocchio.Jexp3(-vector), atol=1e-12)
        inverse = pinocchio.Jlog3(pinocchio.exp3(-vector))
        np.testing.assert_allclose(rotation_vector_map_inverse(vector), inverse, atol=1e-10)


def test_scipy_moves_with_the_same_angular_velocity() -> None:
    """SciPy's rotation spline knows its own rate, in body axes; ours is from the derivative of its quaternion."""
    from scipy.spatial.transform import Rotation, RotationSpline

    rng = np.random.default_rng(7)
    spline = RotationSpline(np.arange(5.0), Rotation.random(5, random_state=8))
    h = 1e-4
    for time in rng.uniform(0.1, 3.9, 20):
        near = np.array([spline(time + k * h).as_quat()[[3, 0, 1, 2]] for k in (-2, -1, 0, 1, 2)])
        near *= np.sign(near @ near[2])[:, None]
        rate = (8 * (near[3] - near[1]) - (near[4] - near[0])) / (12 * h)
        velocity = angular_velocity_map("quaternion", near[2], body_axes=True) @ rate
        np.testing.assert_allclose(velocity, spline(time, 1), atol=1e-9)
