"""Three numbers in native loops: NumPy's own products are slow to compile there."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop

Array = np.ndarray[Any, np.dtype[np.float64]]


@native_loop
def dot(a: Array, b: Array) -> float:
    """Scalar product of (3,) arrays."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@native_loop
def cross(a: Array, b: Array) -> Array:
    """Vector product of (3,) arrays."""
    result = np.empty(3)
    result[0] = a[1] * b[2] - a[2] * b[1]
    result[1] = a[2] * b[0] - a[0] * b[2]
    result[2] = a[0] * b[1] - a[1] * b[0]
    return result


@native_loop
def minus(a: Array, b: Array) -> Array:
    """a - b of (3,) arrays."""
    result = np.empty(3)
    for k in range(3):
        result[k] = a[k] - b[k]
    return result


@native_loop
def along(a: Array, scale: float, b: Array) -> Array:
    """a + scale * b of (3,) arrays."""
    result = np.empty(3)
    for k in range(3):
        result[k] = a[k] + scale * b[k]
    return result


@native_loop
def copy(source: Array, target: Array) -> None:
    """Write the numbers of one array into another of the same length."""
    for k in range(len(source)):
        target[k] = source[k]
