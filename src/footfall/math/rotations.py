"""Rotations and the ways to write them (Robotic Systems Lab 2022).

A rotation matrix `C_AB` maps components in B to components in A; its columns are the axes of B written in A.
Kinds of parameters, all of which describe `C_AB`:

- `matrix`: the nine entries, row by row
- `quaternion`: Hamilton's, unit, scalar first (w, x, y, z); q and -q are the same rotation
- `angle_axis`: the angle and the unit axis (angle, nx, ny, nz)
- `rotation_vector`: angle times axis
- twelve Euler sequences such as `zyx`: intrinsic, in the order of application, `C = Cz(a) Cy(b) Cx(c)`; `ZYX` is the
  same. (In SciPy only capitals are intrinsic.)

    convert_rotation([0.1, 0.2, 0.3], "zyx", "quaternion")
    matrix_from_quaternion(quaternions)  # (1000, 4) to (1000, 3, 3)

Everything works on floats, lists, rows of many, and symbols (unless it says otherwise): choices are made by `where`,
and what is not chosen is kept finite. Angles in rad.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import asin, atan2, greater_equal, less, maximum, minimum, where
from footfall.errors import InvalidInput, UnknownName
from footfall.math.rows import check_rotation, rowwise
from footfall.math.spatial import cross, skew

EULER_SEQUENCES: tuple[str, ...] = tuple(
    "".join(axes) for axes in product("xyz", repeat=3) if axes[0] != axes[1] and axes[1] != axes[2]
)
ROTATION_KINDS: tuple[str, ...] = ("matrix", "quaternion", "angle_axis", "rotation_vector", *EULER_SEQUENCES)
_TINY = 1e-16  # squares below it: the next term of a series is lost in rounding


# Elementary rotations


@rowwise(angle=())
def rotation_x(angle: Any) -> Array:
    """Turn (3, 3) about x, RSL 2022, (2.26)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


@rowwise(angle=())
def rotation_y(angle: Any) -> Array:
    """Turn (3, 3) about y, RSL 2022, (2.27)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


@rowwise(angle=())
def rotation_z(angle: Any) -> Array:
    """Turn (3, 3) about z, RSL 2022, (2.28)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


ELEMENTARY = {"x": rotation_x, "y": rotation_y, "z": rotation_z}


@rowwise(matrix=(3, 3))
def unskew(matrix: Array) -> Array:
    """The vector (3,) of the antisymmetric part of a matrix: `unskew(skew(a)) = a`."""
    c = matrix
    return np.array([c[2, 1] - c[1, 2], c[0, 2] - c[2, 0], c[1, 0] - c[0, 1]]) / 2


def is_rotation(matrix: Array, *, tolerance: float = 1e-9) -> bool:
    """Whether a matrix of floats is orthonormal and right-handed."""
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.shape != (3, 3):
        return False
    orthonormal = np.allclose(matrix.T @ matrix, np.eye(3), rtol=0.0, atol=tolerance)
    return bool(orthonormal and np.linalg.det(matrix) > 0.0)


def nearest_rotation(matrix: Array) -> Array:
    """The rotation matrix closest to a matrix of floats, in the Frobenius norm."""
    u, _, vt = np.linalg.svd(np.asarray(matrix, dtype=np.float64))
    return np.asarray(u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt)


# Quaternions


@rowwise(a=4, b=4)
def quaternion_product(a: Array, b: Array) -> Array:
    """`q_AC` (4,) from `q_AB` and `q_BC`, RSL 2022, (2.57)."""
    scalar = a[0] * b[0] - (a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
    return np.concatenate([[scalar], a[0] * b[1:] + b[0] * a[1:] + cross(a[1:], b[1:])])


@rowwise(q=4)
def quaternion_inverse(q: Array) -> Array:
    """`q_BA` (4,) from the unit quaternion `q_AB`, RSL 2022, (2.56)."""
    return np.array([q[0], -q[1], -q[2], -q[3]])


@rowwise(a=4)
def left_matrix(a: Array) -> Array:
    """Matrix (4, 4) with `left_matrix(a) @ b = a b`, RSL 2022, (2.59)."""
    return np.block([[a[0], -a[None, 1:]], [a[1:, None], a[0] * np.eye(3) + skew(a[1:])]])


@rowwise(b=4)
def right_matrix(b: Array) -> Array:
    """Matrix (4, 4) with `right_matrix(b) @ a = a b`, RSL 2022, (2.61)."""
    return np.block([[b[0], -b[None, 1:]], [b[1:, None], b[0] * np.eye(3) - skew(b[1:])]])


@rowwise(q=4, vector=3)
def rotate_by_quaternion(q: Array, vector: Array) -> Array:
    """Components in A (3,) of a vector given in B, for `q_AB`, RSL 2022, (2.62)-(2.64)."""
    half = cross(q[1:], vector)
    rotated: Array = vector + 2 * (q[0] * half + cross(q[1:], half))
    return rotated


@rowwise(q=4)
def normalised(q: Array) -> Array:
    """The same direction with norm one."""
    unit: Array = q / np.sqrt(q @ q)
    return unit


@rowwise("q", q=4)
def matrix_from_quaternion(q: Array) -> Array:
    """Rotation matrix (3, 3) of a unit quaternion (4,), RSL 2022, (2.54)."""
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


@rowwise("matrix", matrix=(3, 3))
def quaternion_from_matrix(matrix: Array) -> Array:
    """Unit quaternion (4,) with a scalar part of at least zero; accurate for every rotation.

    The matrix `4 q q^T` is linear in the entries of C: its row with the largest diagonal is accurate.
    """
    c = matrix
    a, b, d = c[2, 1] - c[1, 2], c[0, 2] - c[2, 0], c[1, 0] - c[0, 1]
    xy, xz, yz = c[0, 1] + c[1, 0], c[0, 2] + c[2, 0], c[1, 2] + c[2, 1]
    rows = [
        np.array([1.0 + c[0, 0] + c[1, 1] + c[2, 2], a, b, d]),
        np.array([a, 1.0 + c[0, 0] - c[1, 1] - c[2, 2], xy, xz]),
        np.array([b, xy, 1.0 - c[0, 0] + c[1, 1] - c[2, 2], yz]),
        np.array([d, xz, yz, 1.0 - c[0, 0] - c[1, 1] + c[2, 2]]),
    ]
    best, largest = rows[0], rows[0][0]
    for index in (1, 2, 3):
        best = where(greater_equal(largest, rows[index][index]), best, rows[index])
        largest = maximum(largest, rows[index][index])
    return _with_positive_scalar(best / (2 * np.sqrt(largest)))


def _with_positive_scalar(q: Array) -> Array:
    """Of q and -q the one whose scalar part is not negative."""
    chosen: Array = where(less(q[0], 0.0), -q, q)
    return chosen


def quaternion_from_matrix_by_signs(matrix: Array) -> Array:
    """The closed form RSL 2022, (2.55), floats only: short, but wrong at half turns about axes with mixed signs."""
    c = np.asarray(matrix, dtype=np.float64)
    squares = 1.0 + np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) @ np.diag(c)
    vector = [c[2, 1] - c[1, 2], c[0, 2] - c[2, 0], c[1, 0] - c[0, 1]]
    signs = np.array([1.0, *(1.0 if entry >= 0.0 else -1.0 for entry in vector)])
    return np.asarray(signs * np.sqrt(np.maximum(squares, 0.0)) / 2)


# Rotation vectors: the exponential map and its inverse


def sine_over_angle(square: Any) -> Any:
    """sin(x) / x as a function of x^2."""
    small = less(square, _TINY)
    x = np.sqrt(where(small, 1.0, square))
    return where(small, 1.0 - square / 6, np.sin(x) / x)


@rowwise(vector=3)
def quaternion_from_rotation_vector(vector: Array) -> Array:
    """Unit quaternion (4,) of a rotation vector (3,), RSL 2022, (2.52); smooth at zero."""
    quarter = (vector @ vector) / 4  # square of the half angle
    small = less(quarter, _TINY)
    half = np.sqrt(where(small, 1.0, quarter))
    scalar = where(small, 1.0 - quarter / 2, np.cos(half))
    factor = where(small, 0.5 - quarter / 12, np.sin(half) / (2 * half))
    return np.concatenate([[scalar], factor * vector])


@rowwise(q=4)
def rotation_vector_from_quaternion(q: Array) -> Array:
    """Rotation vector (3,) with an angle of at most pi, of a unit quaternion of either sign."""
    q = _with_positive_scalar(q)
    square = q[1:] @ q[1:]
    small = less(square, _TINY)
    norm = np.sqrt(where(small, 1.0, square))
    vector: Array = where(small, 2.0 + square / 3, 2 * atan2(norm, q[0]) / norm) * q[1:]
    return vector


@rowwise(vector=3)
def matrix_from_rotation_vector(vector: Array) -> Array:
    """Rotation matrix (3, 3): the exponential of skew(vector), RSL 2022, (2.46)-(2.50)."""
    square = vector @ vector
    first = sine_over_angle(square)
    half = sine_over_angle(square / 4)  # (1 - cos x) / x^2 = (sin(x/2) / (x/2))^2 / 2 does not cancel
    turn = skew(vector)
    matrix: Array = np.eye(3) + first * turn + (half * half / 2) * (turn @ turn)
    return matrix


@rowwise("matrix", matrix=(3, 3))
def rotation_vector_from_matrix(matrix: Array) -> Array:
    """Rotation vector (3,) with an angle of at most pi: the logarithm, accurate up to half turns."""
    return rotation_vector_from_quaternion(quaternion_from_matrix(matrix))


# Angle and axis


@rowwise("parameters", parameters=4)
def matrix_from_angle_axis(parameters: Array) -> Array:
    """Rotation matrix (3, 3) of (angle, unit axis) (4,), RSL 2022, (2.48)."""
    c, s = np.cos(parameters[0]), np.sin(parameters[0])
    n = parameters[1:]
    matrix: Array = c * np.eye(3) + (1.0 - c) * np.outer(n, n) + s * skew(n)
    return matrix


@rowwise("matrix", matrix=(3, 3))
def angle_axis_from_matrix(matrix: Array) -> Array:
    """(angle in [0, pi], unit axis) (4,); the axis is x where there is no turn, and +-n at half turns."""
    q = quaternion_from_matrix(matrix)
    square = q[1:] @ q[1:]
    none = less(square, 1e-300)
    norm = np.sqrt(where(none, 1.0, square))
    axis = where(none, np.array([1.0, 0.0, 0.0]), q[1:] / norm)
    return np.concatenate([[where(none, 0.0, 2 * atan2(norm, q[0]))], axis])


# Euler angles


def _axes(sequence: str) -> tuple[int, int, int, float]:
    """First, second and remaining axis of a sequence; +1 if they are right-handed in this order, else -1."""
    if sequence not in EULER_SEQUENCES:
        raise UnknownName("Euler sequence", sequence, EULER_SEQUENCES)
    i, j = "xyz".index(sequence[0]), "xyz".index(sequence[1])
    return i, j, 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0


@rowwise(angles=3)
def matrix_from_euler(sequence: str, angles: Array) -> Array:
    """Rotation matrix (3, 3) of intrinsic Euler angles (3,), such as `zyx`, RSL 2022, (2.33)-(2.44)."""
    sequence = sequence.lower()
    _axes(sequence)
    first, second, third = (ELEMENTARY[axis](angle) for axis, angle in zip(sequence, angles, strict=True))
    return np.asarray(first @ second @ third)


@rowwise("matrix", matrix=(3, 3))
def euler_from_matrix(sequence: str, matrix: Array) -> Array:
    """Intrinsic Euler angles (3,) of a rotation matrix, RSL 2022, (2.35)-(2.45).

    The middle angle lies in [0, pi] where first and third axis are the same, else in [-pi/2, pi/2]. The third
    angle is read off after the first one has been undone: it makes up for what the first one lacks, so that
    the angles give the matrix back to rounding even at the singularity, where the third is set to zero.
    """
    sequence = sequence.lower()
    i, j, k, e = _axes(sequence)
    c = matrix
    proper = sequence[0] == sequence[2]
    if proper:
        sine, cosine = c[j, i], -e * c[k, i]
        length = sine * sine + cosine * cosine
        second = atan2(np.sqrt(length), c[i, i])
    else:
        sine, cosine = -e * c[j, k], c[k, k]
        length = sine * sine + cosine * cosine
        second = atan2(e * c[i, k], np.sqrt(length))
    singular = less(length, 1e-30)
    first = where(singular, atan2(e * c[k, j], c[j, j]), atan2(sine, cosine))
    rest = np.cos(first) * c[j] + e * np.sin(first) * c[k]  # row j of the matrix without the first turn
    third = atan2(-e * rest[k] if proper else e * rest[i], rest[j])
    return np.array([first, second, where(singular, 0.0, third)])


# Roll, pitch and yaw: the angles of `zyx` in the order of x, y, z


@rowwise(q=4)
def yaw_of(q: Array) -> Any:
    """Angle about z of the z-y-x angles of a unit quaternion (4,), rad."""
    w, x, y, z = q
    return atan2(2 * (w * z + x * y), 1.0 - 2 * (y * y + z * z))


@rowwise(q=4)
def roll_pitch_yaw(q: Array) -> Array:
    """z-y-x angles as (roll, pitch, yaw) (3,), rad, of a unit quaternion (4,); Seiwald 2023, (D.7)-(D.9)."""
    w, x, y, z = q
    roll = atan2(2 * (w * x + y * z), 1.0 - 2 * (x * x + y * y))
    pitch = asin(maximum(minimum(2 * (w * y - z * x), 1.0), -1.0))
    return np.array([roll, pitch, yaw_of(q)])


@rowwise(angles=3)
def quaternion_from_roll_pitch_yaw(angles: Array) -> Array:
    """Unit quaternion (4,) of z-y-x angles given as (roll, pitch, yaw) (3,), rad; Seiwald 2023, (D.1)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles / 2), np.sin(angles / 2)
    return np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )


# All kinds


def rotation_kind(kind: str) -> str:
    """The name of a kind of parameters; Euler sequences may be in capitals, which mean the same."""
    known = kind.lower() if kind.lower() in EULER_SEQUENCES else kind
    if known not in ROTATION_KINDS:
        raise UnknownName("rotation parameterisation", kind, ROTATION_KINDS)
    return known


def matrix_from_parameters(kind: str, parameters: Array) -> Array:
    """Rotation matrix (3, 3) of parameters of any kind; for rows of them, a matrix each."""
    kind, parameters = rotation_kind(kind), np.asarray(parameters)
    if parameters.dtype != object and not np.isfinite(parameters).all():
        raise InvalidInput(f"{kind} is {parameters}; all numbers must be finite")
    if kind == "matrix" and parameters.shape[-2:] == (3, 3):
        check_rotation("matrix", parameters)
        return parameters
    size = {"matrix": 9, "quaternion": 4, "angle_axis": 4}.get(kind, 3)
    if parameters.shape[-1:] != (size,):
        raise InvalidInput(f"{kind} has shape {parameters.shape}, needed is ({size},), or rows of such")
    match kind:
        case "matrix":
            matrix = parameters.reshape(*parameters.shape[:-1], 3, 3)
            check_rotation("matrix", matrix)
            return matrix
        case "quaternion":
            return matrix_from_quaternion(parameters)
        case "angle_axis":
            return matrix_from_angle_axis(parameters)
        case "rotation_vector":
            return matrix_from_rotation_vector(parameters)
    return matrix_from_euler(kind, parameters)


def parameters_from_matrix(kind: str, matrix: Array) -> Array:
    """Parameters of any kind (3,), (4,) or (9,) of a rotation matrix (3, 3); of rows of them, parameters each."""
    match rotation_kind(kind):
        case "matrix":
            given = np.asarray(matrix)
            return given.reshape(*given.shape[:-2], 9)
        case "quaternion":
            return quaternion_from_matrix(matrix)
        case "angle_axis":
            return angle_axis_from_matrix(matrix)
        case "rotation_vector":
            return rotation_vector_from_matrix(matrix)
    return euler_from_matrix(kind, matrix)


def convert_rotation(parameters: Array, source: str, target: str) -> Array:
    """Parameters of one kind from those of another; also for rows of them."""
    return parameters_from_matrix(target, matrix_from_parameters(source, parameters))


# Differences of rotations


@rowwise("matrix", matrix=(3, 3), step=3)
def boxplus(matrix: Array, step: Array) -> Array:
    """The rotation (3, 3) composed with a rotation vector (3,) in reference axes, RSL 2022, (2.251)."""
    return matrix_from_rotation_vector(step) @ matrix


@rowwise(target=(3, 3), start=(3, 3))
def boxminus(target: Array, start: Array) -> Array:
    """The rotation vector (3,) in reference axes that turns `start` into `target`, RSL 2022, (2.251)."""
    return rotation_vector_from_matrix(target @ start.T)


@rowwise("matrix", matrix=(3, 3), step=3)
def boxplus_local(matrix: Array, step: Array) -> Array:
    """The rotation (3, 3) composed with a rotation vector (3,) in its own axes, RSL 2022, (2.249)."""
    return matrix @ matrix_from_rotation_vector(step)


@rowwise(target=(3, 3), start=(3, 3))
def boxminus_local(target: Array, start: Array) -> Array:
    """The rotation vector (3,) in the axes of `start` that turns it into `target`, RSL 2022, (2.250)."""
    return rotation_vector_from_matrix(start.T @ target)
