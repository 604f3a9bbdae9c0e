"""The surface of a shape as triangles: cut into small pieces, sampled, and the air around it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.errors import GeometryError
from footfall.geometry.mesh import TriangleMesh, merge_vertices
from footfall.geometry.mesh_distance import signed_distances

_AT_ONCE = 32  # points that are compared with the faces of a hull
_AIR_AROUND = 0.12  # of the size: how far around a shape the air is looked at
_FAR_ROOM = 0.4  # of the size: how far few points of the air are looked at
_AIR = 2**13  # points in the box around a shape
_FAR_AIR = 2**12  # points in the larger box
_CORNERS = 400  # of the hull that are looked at, at most
_SPREAD = 1200  # points over the surface
_DENSE = 8000  # points that are looked at for what sticks out
_SPACING = 0.035  # of the size, between them


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles (m, 3, 3) in m that bound a shape, one or several parts, closed or not."""

    triangles: Array

    def __post_init__(self) -> None:
        triangles = np.asarray(self.triangles, dtype=np.float64)
        subject = ("swept volume", "shape")
        if triangles.ndim != 3 or triangles.shape[1:] != (3, 3) or not len(triangles):
            raise GeometryError(
                f"triangles have shape {triangles.shape}; they must be (m, 3, 3)", subject=subject
            )
        if not np.isfinite(triangles).all():
            raise GeometryError("a corner is not finite", subject=subject)
        object.__setattr__(self, "triangles", triangles)

    @cached_property
    def bounds(self) -> Array:
        """Least and greatest coordinates (2, 3), m."""
        corners = self.triangles.reshape(-1, 3)
        return np.array([corners.min(axis=0), corners.max(axis=0)])

    @cached_property
    def size(self) -> float:
        """Diagonal of the box around it, m."""
        return float(np.linalg.norm(self.bounds[1] - self.bounds[0]))

    @cached_property
    def normalised(self) -> Solid:
        """The same shape about the origin, of size one."""
        return Solid((self.triangles - self.bounds.mean(axis=0)) / max(self.size, 1e-12))

    @cached_property
    def hull_volume(self) -> float:
        """Of the convex hull, m3; zero for what is flat."""
        return float(self._hull.volume) if self._hull is not None else 0.0

    @cached_property
    def hull_corners(self) -> Array:
        """Corners (n, 3) of the convex hull; of what is flat, those of all triangles."""
        if self._hull is None:
            return np.unique(self.triangles.reshape(-1, 3), axis=0)
        return np.asarray(self._hull.points[self._hull.vertices])

    @cached_property
    def volume(self) -> float:
        """What the triangles enclose, m3, if they are closed; of several parts that overlap the sum."""
        a, b, c = (self.triangles[:, k] - self.bounds[0] for k in range(3))
        return abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6

    @cached_property
    def dense_points(self) -> Array:
        """Points (n, 3) on all of the surface, at most 3.5 % of the size apart where they are not too many."""
        pieces = cut(self.triangles, _SPACING * self.size, levels=6)
        return _some(np.unique(pieces.reshape(-1, 3), axis=0), _DENSE)

    @cached_property
    def spread_points(self) -> Array:
        """Points (n, 3) evenly over the surface, and corners of the hull."""
        rng = np.random.default_rng(0)
        a, b, c = (self.triangles[:, k] for k in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        if area.sum() > 0.0:
            which = rng.choice(len(a), _SPREAD, p=area / area.sum())
            share = rng.random((_SPREAD, 2))
            share = np.where(share.sum(axis=1, keepdims=True) > 1.0, 1.0 - share, share)
            points = a[which] + share[:, :1] * (b - a)[which] + share[:, 1:] * (c - a)[which]
        else:
            points = a
        return np.concatenate([points, _some(self.hull_corners, _CORNERS)])

    @cached_property
    def box_points(self) -> Array:
        """Points (n, 3) evenly in a box around it."""
        from scipy.stats import qmc

        low, high = self.box
        return np.asarray(qmc.scale(qmc.Sobol(3, seed=0).random(_AIR), low, high))

    @cached_property
    def far_points(self) -> Array:
        """Points (n, 3) evenly around that box; each stands for `far_share`, m3."""
        from scipy.stats import qmc

        low, high = self._far_box
        points = np.asarray(qmc.scale(qmc.Sobol(3, seed=0).random(_FAR_AIR), low, high))
        beyond: Flags = ((points < self.box[0]) | (points > self.box[1])).any(axis=1)
        return np.asarray(points[beyond])

    @cached_property
    def far_share(self) -> float:
        """Volume that each of the points around the box stands for, m3."""
        return float(np.prod(self._far_box[1] - self._far_box[0])) / _FAR_AIR

    @cached_property
    def box_share(self) -> float:
        """Volume that each of the points in the box stands for, m3."""
        return float(np.prod(self.box[1] - self.box[0])) / _AIR

    @cached_property
    def inside(self) -> Flags:
        """Which of the points in the box (n,) are inside of the shape, as far as it is closed."""
        return self.holds(self.box_points)

    def holds(self, points: Array) -> Flags:
        """Which of the points (n, 3) are inside of the shape, as far as it is closed."""
        within = np.zeros(len(points), dtype=bool)
        if self._hull is None:
            return within
        near = np.flatnonzero(self._in_hull(points))
        if len(near):
            within[near] = signed_distances(self._mesh, points[near])[:, 0] < 0.0
        return within

    def _in_hull(self, points: Array) -> Flags:
        """Which of the points (n, 3) are in the hull; a few at a time, so that products with all faces stay at hand."""
        normals, offsets = self._hull.equations[:, :3].T, self._hull.equations[:, 3]
        parts = np.split(points, range(_AT_ONCE, len(points), _AT_ONCE))
        return np.concatenate([(part @ normals + offsets).max(axis=1) <= 0.0 for part in parts])

    @cached_property
    def box(self) -> Array:
        """Least and greatest coordinates (2, 3) of the box whose air is looked at, m."""
        return np.asarray(self.bounds + _AIR_AROUND * self.size * np.array([[-1.0], [1.0]]))

    @cached_property
    def _far_box(self) -> Array:
        return np.asarray(self.bounds + _FAR_ROOM * self.size * np.array([[-1.0], [1.0]]))

    @cached_property
    def _mesh(self) -> TriangleMesh:
        return TriangleMesh(*merge_vertices(*_indexed(self.triangles)), name="shape of a body")

    @cached_property
    def _hull(self) -> Any:
        """SciPy's hull, or None for what is flat."""
        from scipy.spatial import ConvexHull, QhullError

        try:
            return ConvexHull(np.unique(self.triangles.reshape(-1, 3), axis=0))
        except (QhullError, ValueError):  # flat
            return None


def cut(triangles: Array, longest: float, *, levels: int) -> Array:
    """Triangles (m, 3, 3) cut into quarters until no edge is longer, m, or as often as levels say."""
    done = []
    for _ in range(levels):
        edges = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1)
        done.append(triangles[edges <= longest])
        triangles = quarters(triangles[edges > longest])
    return np.concatenate([*done, triangles])


def quarters(triangles: Array) -> Array:
    """Each of the triangles (m, 3, 3) as four of half the size (4 m, 3, 3)."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.concatenate([np.stack(part, axis=1) for part in parts])


def _some(points: Array, most: int) -> Array:
    if len(points) <= most:
        return points
    return points[np.random.default_rng(1).choice(len(points), most, replace=False)]


def _indexed(triangles: Array) -> tuple[Array, Integers]:
    return triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
