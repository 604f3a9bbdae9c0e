"""Friction cones as pyramids: directions that span them, and inequalities that bound them.

What is in axes, `unit_axes` and `rows_in_axes`, works on floats and on symbols; the rest checks its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import less, sqrt, where
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput
from footfall.math.spatial import cross


def contact_axes(normal: Sequence[float] | Array) -> Array:
    """Axes (3, 3) of a contact as columns (t1, t2, n): t1 is the world's x axis in the plane, or y if x is normal."""
    along = checked_array("normal", normal, (3,))
    length = float(np.linalg.norm(along))
    if length == 0.0:
        raise InvalidInput("a normal of zeros has no direction")
    return unit_axes(along / length)


def unit_axes(normal: Array) -> Array:
    """The same for a normal (3,) of length one, on floats or symbols."""
    hint = where(less(normal[0] * normal[0], 0.81), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    t1 = hint - (hint @ normal) * normal
    t1 = t1 / sqrt(t1 @ t1)
    return np.stack([t1, cross(normal, t1), normal], axis=1)


def pyramid_edges(
    normal: Sequence[float] | Array, friction: float, *, facets: int = 4, inside: bool = True
) -> Array:
    """Edges (facets, 3) of the pyramid, each with one unit along the normal (3,); forces are sums of them.

    inside: the pyramid lies in the cone, its edges on it; otherwise it lies around the cone.
    """
    angles = _angles(friction, facets)
    reach = friction if inside else friction / np.cos(np.pi / facets)
    local = np.column_stack([reach * np.cos(angles), reach * np.sin(angles), np.ones(facets)])
    return np.asarray(local @ contact_axes(normal).T, dtype=np.float64)


def pyramid_rows(
    normal: Sequence[float] | Array, friction: float, *, facets: int = 4, inside: bool = True
) -> Array:
    """Rows A (facets, 3) with `A f >= 0` for all forces f in the pyramid of `pyramid_edges`."""
    _angles(friction, facets)
    rows = rows_in_axes(contact_axes(normal), friction, facets=facets, inside=inside)
    return np.asarray(rows, dtype=np.float64)


def rows_in_axes(axes: Array, friction: Any, *, facets: int = 4, inside: bool = True) -> Array:
    """The same for axes (3, 3) of a contact, on floats or symbols."""
    bound = friction * np.cos(np.pi / facets) if inside else friction
    middles = 2.0 * np.pi * np.arange(facets) / facets + np.pi / facets  # of the faces, between the edges
    return np.array([bound * axes[:, 2] - np.cos(m) * axes[:, 0] - np.sin(m) * axes[:, 1] for m in middles])


def _angles(friction: float, facets: int) -> Array:
    if not isinstance(facets, int) or facets < 3:
        raise InvalidInput(f"a pyramid has {facets} facets; it needs at least 3, a whole number")
    if not (np.isfinite(friction) and friction >= 0.0):
        raise InvalidInput(f"friction is {friction}; it must be finite and not negative")
    return np.asarray(2.0 * np.pi * np.arange(facets) / facets, dtype=np.float64)
