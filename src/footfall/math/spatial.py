"""Spatial vectors and inertias, linear part first, on floats and on symbols.

A motion is `[v; w]` (velocity of the frame's origin, angular velocity), a force `[f; n]` (force, moment about
the origin), both in the axes of the frame that carries them. (Featherstone has the angular part first.) An
inertia is the (6, 6) map from motion to momentum `[[M, H], [H^T, J]]`. Symmetric results are computed once and
mirrored: traced code does no work twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform

Turn = Callable[[Any, Any, Array], Array]
Rotate = Callable[[Array, Array], Array]

# Vectors


def skew(a: Array) -> Array:
    """Matrix (3, 3) with `skew(a) @ b = a x b`."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Array, b: Array) -> Array:
    """Cross product of two (3,) vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def axial_difference(matrix: Array) -> Array:
    """Vector a (3,) with `skew(a) = matrix - matrix.T`; of `sum y x^T` it is `sum cross(x, y)`."""
    return np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])


def acceleration_gradient(w: Array, alpha: Array) -> Array:
    """Matrix G (3, 3): a point at x of a body whose origin accelerates with a has the acceleration `a + G x`.

    `G = skew(alpha) + skew(w) skew(w)` for angular velocity w and angular acceleration alpha, Schwienbacher 2014,
    (2.17).
    """
    x, y, z = w
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    return np.array(
        [
            [-(yy + zz), xy - alpha[2], xz + alpha[1]],
            [xy + alpha[2], -(xx + zz), yz - alpha[0]],
            [xz - alpha[1], yz + alpha[0], -(xx + yy)],
        ]
    )


def motion_cross_force(a: Array, b: Array) -> Array:
    """Rate of change (6,) of force b carried along by a frame that moves with a."""
    return np.concatenate([cross(a[3:], b[:3]), cross(a[3:], b[3:]) + cross(a[:3], b[:3])])


def motion_to_child(pose: Transform, motion: Array) -> Array:
    """A motion (6,) in B from the same motion in A; pose: X_AB."""
    linear = motion[:3] + cross(motion[3:], pose.translation)
    return np.concatenate([pose.rotation.T @ linear, pose.rotation.T @ motion[3:]])


def rotate(rotation: Array, vector: Array) -> Array:
    """A motion or force (6,) in axes A from the same in axes B; rotation: C_AB."""
    return np.concatenate([rotation @ vector[:3], rotation @ vector[3:]])


def shift_force(translation: Array, force: Array) -> Array:
    """A force (6,) about the origin O from the same force about a point P; translation: from O to P, m."""
    return np.concatenate([force[:3], force[3:] + cross(translation, force[:3])])


def force_to_parent(pose: Transform, force: Array) -> Array:
    """A force (6,) in A from the same force in B; pose: X_AB."""
    return shift_force(pose.translation, rotate(pose.rotation, force))


# Matrices


def symmetric(n: int, entry: Callable[[int, int], Any]) -> Array:
    """Symmetric matrix (n, n) with `entry(row, column)` called for the lower triangle only."""
    lower = [[entry(row, column) for column in range(row + 1)] for row in range(n)]
    return np.array([[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)])


def congruence(a: Array, matrix: Array) -> Array:
    """`a @ matrix @ a.T` of a symmetric matrix, each entry computed once."""
    half = a @ matrix
    return symmetric(len(a), lambda i, j: half[i] @ a[j])


def turn_symmetric(cosine: Any, sine: Any, matrix: Array) -> Array:
    """`R @ matrix @ R.T` for the turn R about z and a symmetric (3, 3) matrix.

    With e = sin(q) (a - d) + 2 cos(q) b the upper left [[a, b], [b, d]] becomes
    [[a - sin(q) e, cos(q) e - b], [., d + sin(q) e]]: less than half the work of two products.
    """
    a, b, d = matrix[0, 0], matrix[1, 0], matrix[1, 1]
    x, y = matrix[2, 0], matrix[2, 1]
    e = sine * (a - d) + (2 * cosine) * b
    mixed = sine * e
    off = cosine * e - b
    u, v = cosine * x - sine * y, sine * x + cosine * y
    return np.array([[a - mixed, off, u], [off, d + mixed, v], [u, v, matrix[2, 2]]])


def turn_matrix(cosine: Any, sine: Any, matrix: Array) -> Array:
    """`R @ matrix @ R.T` for the turn R about z and any (3, 3) matrix; see `turn_symmetric`."""
    a, b, c, d = matrix[0, 0], matrix[0, 1], matrix[1, 0], matrix[1, 1]
    e = sine * (a - d) + cosine * (b + c)
    mixed, off = sine * e, cosine * e
    (p, q), (x, y) = matrix[:2, 2], matrix[2, :2]
    return np.array(
        [
            [a - mixed, off - c, cosine * p - sine * q],
            [off - b, d + mixed, sine * p + cosine * q],
            [cosine * x - sine * y, sine * x + cosine * y, matrix[2, 2]],
        ]
    )


def rotate_constant(rotation: Array, matrix: Array, turn: Turn, rotate: Rotate) -> Array:
    """A matrix in axes A from that in axes B, for a constant rotation C_AB = Rz(beta) Rx(alpha), or by right angles.

    turn(cosine, sine, matrix): what a turn about z does; rotate(rotation, matrix): what any rotation does. One turn
    after the other costs less than their product; turns by right angles cost nothing.
    """
    if _is_right(rotation):
        return rotate(rotation, matrix)
    lean = np.array(
        [[1.0, 0.0, 0.0], [0.0, rotation[2, 2], -rotation[2, 1]], [0.0, rotation[2, 1], rotation[2, 2]]]
    )
    about_z = np.array(
        [[rotation[0, 0], -rotation[1, 0], 0.0], [rotation[1, 0], rotation[0, 0], 0.0], [0.0, 0.0, 1.0]]
    )
    if _is_right(lean):
        leant = rotate(lean, matrix)
    else:  # a turn about x is one about z where the axes are called y, z, x
        order = np.concatenate([_FROM_X + start for start in range(0, len(matrix), 3)])
        leant = turn(lean[1, 1], lean[2, 1], matrix[np.ix_(order, order)])
        back = np.argsort(order)
        leant = leant[np.ix_(back, back)]
    return rotate(about_z, leant) if _is_right(about_z) else turn(about_z[0, 0], about_z[1, 0], leant)


_FROM_X = np.array([1, 2, 0])


def _is_right(rotation: Array) -> bool:
    """Whether a constant rotation is by right angles only."""
    return bool(np.all((rotation == 0.0) | (np.abs(rotation) == 1.0)))


# Inertias


def rigid_inertia(mass: Any, first_moment: Array, rotational: Array) -> Array:
    """Inertia (6, 6) of a body: mass, mass times centre (3,), inertia (3, 3) about the origin.

    Schwienbacher 2014, (2.18).
    """
    offset = skew(first_moment)
    return np.block([[mass * np.eye(3), -offset], [offset, rotational]])


def shift_inertia(translation: Array, inertia: Array) -> Array:
    """An inertia (6, 6) about the origin O from that about a point P; translation: from O to P, m."""
    mass, coupling = inertia[:3, :3], inertia[:3, 3:]
    x = skew(translation)
    shifted = coupling - mass @ x
    rotational = symmetric(
        3, lambda i, j: inertia[3 + i, 3 + j] + (x[i] @ shifted[:, j] - coupling[:, i] @ x[:, j])
    )
    return np.block([[mass, shifted], [shifted.T, rotational]])


def rotate_inertia(rotation: Array, inertia: Array) -> Array:
    """An inertia (6, 6) in axes A from that in axes B; rotation: C_AB."""
    coupling = rotation @ inertia[:3, 3:] @ rotation.T
    mass, rotational = congruence(rotation, inertia[:3, :3]), congruence(rotation, inertia[3:, 3:])
    return np.block([[mass, coupling], [coupling.T, rotational]])


def turn_inertia(cosine: Any, sine: Any, inertia: Array) -> Array:
    """`rotate_inertia` by a turn about z."""
    coupling = turn_matrix(cosine, sine, inertia[:3, 3:])
    mass, rotational = (turn_symmetric(cosine, sine, block) for block in (inertia[:3, :3], inertia[3:, 3:]))
    return np.block([[mass, coupling], [coupling.T, rotational]])
