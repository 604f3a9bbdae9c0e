"""How rates of rotation parameters and angular velocity relate (Robotic Systems Lab 2022).

For the parameters of each kind of `footfall.math.rotations` there are `E` with `angular velocity = E @ rates`
and its (right) inverse. Angular velocities `w_AB` are in rad/s, in the axes of the reference A, or of the
body B on request.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import less, where
from footfall.math.positions import refuse_singular
from footfall.math.rotations import ELEMENTARY, matrix_from_parameters, rotation_kind, sine_over_angle
from footfall.math.rows import rowwise
from footfall.math.spatial import cross, skew

# Taylor coefficients in x^2 of (x - sin x) / x^3 and of (1 - x/2 cot(x/2)) / x^2, which cancel near zero
_CUBIC = (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800)
_COTANGENT = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600)
_SERIES_BELOW = 0.25  # of x^2: there the first term left out is below rounding


def angular_velocity_map(kind: str, parameters: Array, *, body_axes: bool = False) -> Array:
    """E (3, m): angular velocity from the rates of the parameters (m,); for rows of them, a map each."""
    kind = rotation_kind(kind)
    return _velocity_map(kind, _row(kind, parameters), body_axes=body_axes)


def rotation_rate_map(kind: str, parameters: Array, *, body_axes: bool = False) -> Array:
    """Right inverse of E (m, 3): rates of the parameters (m,) from the angular velocity; for rows of them, a map each.

    Constraints of redundant parameters (unit norms, orthonormal columns) stay fulfilled. Raises
    `InvalidInput` on floats where there is no inverse; on symbols, and for rows, entries are then infinite.
    """
    kind = rotation_kind(kind)
    return _rate_map(kind, _row(kind, parameters), body_axes=body_axes)


def _row(kind: str, parameters: Array) -> Array:
    """A matrix as a row of its entries."""
    given = np.asarray(parameters)
    return given.reshape(*given.shape[:-2], 9) if kind == "matrix" and given.shape[-2:] == (3, 3) else given


@rowwise(parameters=-1)
def _velocity_map(kind: str, parameters: Array, *, body_axes: bool) -> Array:
    if kind == "quaternion":
        return 2 * quaternion_map(parameters, body_axes=body_axes)
    if kind == "rotation_vector":
        return rotation_vector_map(-parameters if body_axes else parameters)
    if kind == "angle_axis":
        result = angle_axis_map(parameters)
    elif kind == "matrix":
        result = matrix_map(parameters)
    else:
        result = euler_map(kind, parameters)
    return matrix_from_parameters(kind, parameters).T @ result if body_axes else result


@rowwise(parameters=-1)
def _rate_map(kind: str, parameters: Array, *, body_axes: bool) -> Array:
    if kind == "quaternion":
        return quaternion_map(parameters, body_axes=body_axes).T / 2
    if kind == "rotation_vector":
        return rotation_vector_map_inverse(-parameters if body_axes else parameters)
    if kind == "angle_axis":
        result = angle_axis_map_inverse(parameters)
    elif kind == "matrix":
        result = matrix_map_inverse(parameters)
    else:
        result = euler_map_inverse(kind, parameters)
    return result @ matrix_from_parameters(kind, parameters) if body_axes else result


@rowwise(q=4)
def quaternion_map(q: Array, *, body_axes: bool = False) -> Array:
    """H (3, 4) with `w = 2 H dq/dt` and `dq/dt = H^T w / 2`, RSL 2022, (2.94)-(2.99)."""
    turn = -skew(q[1:]) if body_axes else skew(q[1:])
    return np.concatenate([-q[1:, None], turn + q[0] * np.eye(3)], axis=1)


@rowwise(angles=3)
def euler_map(sequence: str, angles: Array) -> Array:
    """E (3, 3): the axes that the three angles turn about, RSL 2022, (2.86)-(2.92)."""
    e = np.eye(3)
    axes = [e["xyz".index(axis)] for axis in sequence]
    first = ELEMENTARY[sequence[0]](angles[0])
    second = first @ ELEMENTARY[sequence[1]](angles[1])
    return np.stack([axes[0], first @ axes[1], second @ axes[2]], axis=1)


@rowwise(angles=3)
def euler_map_inverse(sequence: str, angles: Array) -> Array:
    """Inverse of E (3, 3), RSL 2022, (2.87)-(2.93); singular where first and third axis are parallel."""
    first, second, third = euler_map(sequence, angles).T
    normal = cross(second, third)
    volume = first @ normal
    refuse_singular(sequence, "the volume spanned by the three axes", volume)
    inverse: Array = np.stack([normal, cross(third, first), cross(first, second)]) / volume
    return inverse


@rowwise(parameters=4)
def angle_axis_map(parameters: Array) -> Array:
    """E (3, 4), RSL 2022, (2.100)-(2.102)."""
    c, s = np.cos(parameters[0]), np.sin(parameters[0])
    n = parameters[1:]
    return np.concatenate([n[:, None], s * np.eye(3) + (1.0 - c) * skew(n)], axis=1)


@rowwise(parameters=4)
def angle_axis_map_inverse(parameters: Array) -> Array:
    """Right inverse of E (4, 3) that keeps the axis a unit vector, RSL 2022, (2.103); singular at whole turns."""
    half = parameters[0] / 2
    n = parameters[1:]
    refuse_singular("angle_axis", "the sine of half the angle", np.sin(half))
    cotangent = np.cos(half) / np.sin(half)  # sin / (1 - cos)
    turn = skew(n)
    return np.concatenate([n[None, :], -cotangent / 2 * (turn @ turn) - turn / 2])


def _horner(coefficients: tuple[float, ...], x: Any) -> Any:
    result: Any = 0.0
    for coefficient in reversed(coefficients):
        result = result * x + coefficient
    return result


@rowwise(vector=3)
def rotation_vector_map(vector: Array) -> Array:
    """E (3, 3): the left Jacobian of SO(3), RSL 2022, (2.104); the identity at zero."""
    square = vector @ vector
    small = less(square, _SERIES_BELOW)
    x = np.sqrt(where(small, 1.0, square))
    half = sine_over_angle(square / 4)
    quadratic = half * half / 2  # (1 - cos x) / x^2
    cubic = where(small, _horner(_CUBIC, square), (x - np.sin(x)) / (x * x * x))
    turn = skew(vector)
    result: Array = np.eye(3) + quadratic * turn + cubic * (turn @ turn)
    return result


@rowwise(vector=3)
def rotation_vector_map_inverse(vector: Array) -> Array:
    """Inverse of E (3, 3), RSL 2022, (2.107); singular at whole turns but not at zero.

    At an angle 2 pi - d it grows as 2 pi / d, and the rounding of the angle with it: relative errors are about
    1e-15 / d. The same rotation as a vector of length d, the other way round, has none of this.
    """
    square = vector @ vector
    small = less(square, _SERIES_BELOW)
    half = np.sqrt(where(small, 1.0, square)) / 2
    refuse_singular("rotation_vector", "the sine of half the angle", np.sin(half))
    cotangent = (1.0 - half * np.cos(half) / np.sin(half)) / (4 * half * half)
    factor = where(small, _horner(_COTANGENT, square), cotangent)
    turn = skew(vector)
    result: Array = np.eye(3) - turn / 2 + factor * (turn @ turn)
    return result


def matrix_map(parameters: Array) -> Array:
    """E (3, 9): `skew(w) = dC/dt C^T` with the antisymmetric part taken, RSL 2022, (2.72)."""
    c = np.asarray(parameters).reshape(3, 3)
    zero = np.zeros(3)
    rows = [[zero, -c[2], c[1]], [c[2], zero, -c[0]], [-c[1], c[0], zero]]
    return np.stack([np.concatenate(row) for row in rows]) / 2


def matrix_map_inverse(parameters: Array) -> Array:
    """Right inverse of E (9, 3): `dC/dt = skew(w) C`, RSL 2022, (2.72)."""
    c = np.asarray(parameters).reshape(3, 3)
    e = np.eye(3)
    return np.stack([(skew(e[axis]) @ c).reshape(9) for axis in range(3)], axis=1)
