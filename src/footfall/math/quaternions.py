"""Quaternions as numbers, many at a time: arrays (..., 4), scalar first (spec 003c sections 8.1-8.3).

`footfall.math.rotations` has the functions for single rotations that can be traced; here everything is
vectorised over leading axes, and quaternions need not have norm one unless it says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import NoLogarithm

_SMALL = 1e-12


def product(a: Any, b: Any) -> Array:
    """Hamilton's product (..., 4), 003c (B.7)."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def dot(a: Any, b: Any) -> Array:
    """Product of the components (...), 003c (B.8)."""
    return np.asarray(np.einsum("...i,...i->...", a, b))


def modulus(q: Any) -> Array:
    """Norm (...)."""
    return np.asarray(np.sqrt(dot(q, q)))


def unit(q: Any) -> Array:
    """The same direction with norm one, 003c (B.13)."""
    return np.asarray(q / modulus(q)[..., None])


def conjugate(q: Any) -> Array:
    """The same scalar, the opposite vector (B.14): the inverse of a quaternion of norm one."""
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def inverse(q: Any) -> Array:
    """`product(inverse(q), q)` is one, 003c (B.15)."""
    return np.asarray(conjugate(q) / dot(q, q)[..., None])


def pure(vector: Any) -> Array:
    """The quaternion (..., 4) without scalar part."""
    vector = np.asarray(vector, dtype=np.float64)
    return np.concatenate([np.zeros((*vector.shape[:-1], 1)), vector], axis=-1)


def exponential(q: Any) -> Array:
    """e to the power of a quaternion, 003c (B.16)."""
    q = np.asarray(q, dtype=np.float64)
    vector = q[..., 1:]
    size = np.sqrt(dot(vector, vector))
    scale = np.exp(q[..., 0])
    return np.concatenate(
        [(scale * np.cos(size))[..., None], (scale * np.sinc(size / np.pi))[..., None] * vector], axis=-1
    )


def logarithm(q: Any) -> Array:
    """The principal logarithm (..., 4), 003c (B.17); raises for zero and for negative real numbers."""
    q = np.asarray(q, dtype=np.float64)
    vector = q[..., 1:]
    size = np.sqrt(dot(vector, vector))
    whole = modulus(q)
    small = size <= _SMALL * whole
    if np.any(small & (q[..., 0] <= 0.0)):
        wrong = q[small & (q[..., 0] <= 0.0)].reshape(-1, 4)[0]
        raise NoLogarithm(f"{wrong} has no logarithm: it must not be zero, nor real and negative")
    scalar = np.where(small, q[..., 0], 1.0)
    factor = np.where(small, 1.0 / scalar, np.arctan2(size, q[..., 0]) / np.where(small, 1.0, size))
    return np.concatenate([np.log(whole)[..., None], factor[..., None] * vector], axis=-1)


def power(base: Any, exponent: Any) -> Array:
    """base (..., 4) to a real power (...) or a quaternion (..., 4), 003c (B.18)-(B.20)."""
    base, exponent = np.asarray(base, dtype=np.float64), np.asarray(exponent, dtype=np.float64)
    if exponent.ndim == base.ndim and exponent.shape[-1:] == (4,):
        return exponential(product(logarithm(base), exponent))
    return exponential(exponent[..., None] * logarithm(base))


# Rotations, by quaternions of norm one


def rotate(q: Any, vector: Any) -> Array:
    """Components in the parent (..., 3) of vectors in the child, 003c (B.21)."""
    return product(product(q, pure(vector)), conjugate(q))[..., 1:]


def rotation_matrices(q: Any) -> Array:
    """Matrices (..., 3, 3), 003c (B.24)."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (w * y + x * z)],
        [2 * (w * z + x * y), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (w * x + y * z), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_axis_angle(axis: Any, angle: Any) -> Array:
    """A turn about a unit axis (..., 3) by an angle (...), rad, 003c (B.25)."""
    angle = np.asarray(angle, dtype=np.float64)
    axis = np.broadcast_to(np.asarray(axis, dtype=np.float64), (*angle.shape, 3))
    return np.concatenate([np.cos(angle / 2)[..., None], np.sin(angle / 2)[..., None] * axis], axis=-1)


def axis_and_angle(q: Any) -> tuple[Array, Array]:
    """Axis (..., 3) and angle (...) in [0, 2 pi], 003c (B.26); the axis is x where nothing turns."""
    q = np.asarray(q, dtype=np.float64)
    vector = q[..., 1:]
    size = np.sqrt(dot(vector, vector))
    still = size < _SMALL
    axis = np.where(still[..., None], [1.0, 0.0, 0.0], vector / np.where(still, 1.0, size)[..., None])
    return axis, np.where(still, 0.0, 2 * np.arctan2(size, q[..., 0]))


def from_rotation_vectors(vectors: Any) -> Array:
    """Quaternions (..., 4) of rotation vectors (..., 3), rad, 003c (B.27)."""
    return exponential(pure(np.asarray(vectors, dtype=np.float64) / 2))


def rotation_vectors(q: Any) -> Array:
    """Rotation vectors (..., 3) of at most half a turn; the sign of q does not matter, 003c (B.28)."""
    q = np.asarray(q, dtype=np.float64)
    return 2 * logarithm(np.where(q[..., :1] < 0.0, -q, q))[..., 1:]


def angular_velocity(q: Any, rate: Any) -> Array:
    """In parent axes (..., 3), rad/s, from q of norm one and its rate, 003c (B.22)."""
    return 2 * product(rate, conjugate(q))[..., 1:]


def angular_acceleration(q: Any, rate: Any, second: Any) -> Array:
    """In parent axes (..., 3), rad/s2, 003c (B.23)."""
    return 2 * (product(second, conjugate(q)) + product(rate, conjugate(rate)))[..., 1:]


def aligned(keyframes: Any) -> Array:
    """The same orientations (n, 4) with signs so that neighbours are close, 003c Algorithm B.1."""
    keys = np.array(keyframes, dtype=np.float64)
    signs = np.where(dot(keys[:-1], keys[1:]) < 0.0, -1.0, 1.0)
    keys[1:] *= np.cumprod(signs)[:, None]
    return keys
