"""Vectors of three numbers in routines, also the first three of longer rows."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine


@routine
def dot(a: Array, b: Array) -> float:
    """Scalar product of (3,) arrays."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@routine
def cross(a: Array, b: Array) -> Array:
    """Vector product of (3,) arrays."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@routine
def minus(a: Array, b: Array) -> Array:
    """a - b of (3,) arrays."""
    return np.array([a[0] - b[0], a[1] - b[1], a[2] - b[2]])


@routine
def along(a: Array, scale: float, b: Array) -> Array:
    """a + scale * b of (3,) arrays."""
    return np.array([a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]])
