"""Quaternions as numbers: arrays (..., 4), scalar first (Seiwald 2023, appendix B).

`footfall.math.rotations` has their product and what they mean as rotations. Here is the rest of their algebra; norms
need not be one unless it says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.rotations import quaternion_product

_SMALL = 1e-12


def dot(a: Any, b: Any) -> Array:
    """Product of the components (...), Seiwald 2023, (B.8)."""
    return np.asarray(np.einsum("...i,...i->...", a, b))


def modulus(q: Any) -> Array:
    """Norm (...)."""
    return np.asarray(np.sqrt(dot(q, q)))


def conjugate(q: Any) -> Array:
    """The same scalar, the opposite vector (B.14): the inverse of a quaternion of norm one."""
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def inverse(q: Any) -> Array:
    """`quaternion_product(inverse(q), q)` is one, Seiwald 2023, (B.15)."""
    return np.asarray(conjugate(q) / dot(q, q)[..., None])


def pure(vector: Any) -> Array:
    """The quaternion (..., 4) without scalar part."""
    vector = np.asarray(vector, dtype=np.float64)
    return np.concatenate([np.zeros((*vector.shape[:-1], 1)), vector], axis=-1)


def exponential(q: Any) -> Array:
    """e to the power of a quaternion, Seiwald 2023, (B.16)."""
    q = np.asarray(q, dtype=np.float64)
    vector = q[..., 1:]
    size = np.sqrt(dot(vector, vector))
    scale = np.exp(q[..., 0])
    return np.concatenate(
        [(scale * np.cos(size))[..., None], (scale * np.sinc(size / np.pi))[..., None] * vector], axis=-1
    )


def logarithm(q: Any) -> Array:
    """The principal logarithm (..., 4), Seiwald 2023, (B.17); raises for zero and for negative real numbers."""
    q = np.asarray(q, dtype=np.float64)
    vector = q[..., 1:]
    size = np.sqrt(dot(vector, vector))
    whole = modulus(q)
    small = size <= _SMALL * whole
    if np.any(small & (q[..., 0] <= 0.0)):
        wrong = q[small & (q[..., 0] <= 0.0)].reshape(-1, 4)[0]
        raise InvalidInput(f"{wrong} has no logarithm: it must not be zero, nor real and negative")
    scalar = np.where(small, q[..., 0], 1.0)
    factor = np.where(small, 1.0 / scalar, np.arctan2(size, q[..., 0]) / np.where(small, 1.0, size))
    return np.concatenate([np.log(whole)[..., None], factor[..., None] * vector], axis=-1)


def power(base: Any, exponent: Any) -> Array:
    """base (..., 4) to a real power (...) or a quaternion (..., 4), Seiwald 2023, (B.18)-(B.20)."""
    base, exponent = np.asarray(base, dtype=np.float64), np.asarray(exponent, dtype=np.float64)
    if exponent.ndim == base.ndim and exponent.shape[-1:] == (4,):
        return exponential(quaternion_product(logarithm(base), exponent))
    return exponential(exponent[..., None] * logarithm(base))


# Rotations, by quaternions of norm one


def from_axis_angle(axis: Any, angle: Any) -> Array:
    """A turn about a unit axis (..., 3) by an angle (...), rad, Seiwald 2023, (B.25)."""
    angle = np.asarray(angle, dtype=np.float64)
    axis = np.broadcast_to(np.asarray(axis, dtype=np.float64), (*angle.shape, 3))
    return np.concatenate([np.cos(angle / 2)[..., None], np.sin(angle / 2)[..., None] * axis], axis=-1)


def axis_and_angle(q: Any) -> tuple[Array, Array]:
    """Axis (..., 3) and angle (...) in [0, 2 pi], Seiwald 2023, (B.26); the axis is x where nothing turns."""
    q = np.asarray(q, dtype=np.float64)
    vector = q[..., 1:]
    size = np.sqrt(dot(vector, vector))
    still = size < _SMALL
    axis = np.where(still[..., None], [1.0, 0.0, 0.0], vector / np.where(still, 1.0, size)[..., None])
    return axis, np.where(still, 0.0, 2 * np.arctan2(size, q[..., 0]))


def angular_velocity(q: Any, rate: Any) -> Array:
    """In parent axes (..., 3), rad/s, from q of norm one and its rate, Seiwald 2023, (B.22)."""
    return 2 * quaternion_product(rate, conjugate(q))[..., 1:]


def angular_acceleration(q: Any, rate: Any, second: Any) -> Array:
    """In parent axes (..., 3), rad/s2, Seiwald 2023, (B.23)."""
    return 2 * (quaternion_product(second, conjugate(q)) + quaternion_product(rate, conjugate(rate)))[..., 1:]


def aligned(keyframes: Any) -> Array:
    """The same orientations (n, 4) with signs so that neighbours are close, Seiwald 2023, algorithm B.1."""
    keys = np.array(keyframes, dtype=np.float64)
    signs = np.where(dot(keys[:-1], keys[1:]) < 0.0, -1.0, 1.0)
    keys[1:] *= np.cumprod(signs)[:, None]
    return keys
