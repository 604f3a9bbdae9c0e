"""Friction cones as pyramids: directions that span them, and inequalities that bound them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.control.actuation import InvalidRequest, checked_array

Array = np.ndarray[Any, np.dtype[np.float64]]


def contact_axes(normal: Sequence[float] | Array) -> Array:
    """Axes (3, 3) of a contact as columns (t1, t2, n): t1 is the world's x axis in the plane, or y if x is normal."""
    along = checked_array("normal", normal, (3,))
    length = float(np.linalg.norm(along))
    if length == 0.0:
        raise InvalidRequest("a normal of zeros has no direction")
    n = along / length
    hint = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    t1 = hint - (hint @ n) * n
    t1 = t1 / np.linalg.norm(t1)
    return np.column_stack([t1, np.cross(n, t1), n])


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
    middles = _angles(friction, facets) + np.pi / facets  # of the faces, between the edges
    bound = friction * np.cos(np.pi / facets) if inside else friction
    local = np.column_stack([-np.cos(middles), -np.sin(middles), np.full(facets, bound)])
    return np.asarray(local @ contact_axes(normal).T, dtype=np.float64)


def _angles(friction: float, facets: int) -> Array:
    if not isinstance(facets, int) or facets < 3:
        raise InvalidRequest(f"a pyramid has {facets} facets; it needs at least 3, a whole number")
    if not (np.isfinite(friction) and friction >= 0.0):
        raise InvalidRequest(f"friction is {friction}; it must be finite and not negative")
    return np.asarray(2.0 * np.pi * np.arange(facets) / facets, dtype=np.float64)
