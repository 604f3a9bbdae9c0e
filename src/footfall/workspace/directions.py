"""Directions spread evenly over the sphere, and which of them one is nearest to."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import floor, minimum, where
from footfall.errors import InvalidInput

MOST = 64  # directions: a bit each
SIDE = 64  # of the table that finds the nearest one


def spiral_points(count: int) -> Array:
    """Directions (count, 3) spread evenly over the sphere, two at least (Saff and Kuijlaars 1997)."""
    if count < 2:
        raise InvalidInput(f"count is {count}; a spiral has two points at least")
    height = np.linspace(-1.0, 1.0, count)
    turn = np.zeros(count)
    turn[1:-1] = np.cumsum(3.6 / np.sqrt(count) / np.sqrt(1.0 - height[1:-1] ** 2))
    radius = np.sqrt(np.maximum(1.0 - height**2, 0.0))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)


def octahedral_bin(direction: Array) -> Any:
    """Number of the field of a square of SIDE by SIDE that a unit vector (3,) falls into, as a float; numbers or
    symbols. The sphere is laid out as an octahedron, the square its unfolded sides (Meyer et al. 2010)."""
    x, y, z = direction
    size = abs(x) + abs(y) + abs(z)
    u, v = x / size, y / size
    # The lower half is folded outwards.
    across, along = (1.0 - abs(v)) * where(u < 0.0, -1.0, 1.0), (1.0 - abs(u)) * where(v < 0.0, -1.0, 1.0)
    u, v = where(z < 0.0, across, u), where(z < 0.0, along, v)
    fields = [minimum(floor((each + 1.0) * (0.5 * SIDE)), SIDE - 1.0) for each in (u, v)]
    return fields[0] * float(SIDE) + fields[1]


@cache
def nearest_table(count: int) -> Integers:
    """For each field of `octahedral_bin` the spiral point, out of `count`, that its middle is nearest to."""
    middles = (np.arange(SIDE) + 0.5) * 2.0 / SIDE - 1.0
    u, v = np.meshgrid(middles, middles, indexing="ij")
    z = 1.0 - np.abs(u) - np.abs(v)
    across = (1.0 - np.abs(v)) * np.where(u < 0.0, -1.0, 1.0)
    along = (1.0 - np.abs(u)) * np.where(v < 0.0, -1.0, 1.0)
    points = np.stack([np.where(z < 0.0, across, u), np.where(z < 0.0, along, v), z], axis=-1)
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    return np.ascontiguousarray((points.reshape(-1, 3) @ spiral_points(count).T).argmax(axis=1))
