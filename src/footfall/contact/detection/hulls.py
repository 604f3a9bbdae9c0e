"""Convex hulls of points, with faces, and who borders whom, as detection needs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.kept_arrays import kept_arrays
from footfall.errors import GeometryError

MOST_CORNERS = 256  # of the hull of a mesh: about 0.6 % of its size is lost where it is round
_THIN = 2  # times as many corners as are kept: hulls of more are thinned out before their faces are looked at
_FLAT = 1e-9  # of the size: points within such a distance of a plane or line are in it
_SAME_PLANE = 1e-12  # one minus the cosine of the angle between triangles that are one face


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """The convex hull of points: a body, a flat polygon (two faces), a segment or a point.

    points: (n, 3) its corners, m. normals: (k, 3) of its faces, outwards; faces: for each its corners, as numbers of
    points, counter-clockwise seen from outside.
    """

    points: Array
    normals: Array
    faces: tuple[Integers, ...]

    @property
    def neighbours(self) -> list[Integers]:
        """For each point those at the other ends of its edges."""
        corners, following, _ = _edges(self.faces)
        ends = np.column_stack([np.concatenate([corners, following]), np.concatenate([following, corners])])
        return _by_first(np.unique(ends, axis=0), len(self.points))

    @property
    def faces_around(self) -> list[Integers]:
        """For each point its faces."""
        corners, _, numbers = _edges(self.faces)
        order = np.argsort(corners, kind="stable")
        return _by_first(np.column_stack([corners, numbers])[order], len(self.points))


def _edges(faces: Sequence[Integers]) -> tuple[Integers, Integers, Integers]:
    """Of all faces one after the other: corners, those that follow them around the face, and numbers of the faces."""
    corners = np.concatenate([*faces, np.zeros(0, np.int64)])
    sizes = np.array([len(face) for face in faces], dtype=np.int64)
    ends = np.cumsum(sizes)
    following = np.arange(1, len(corners) + 1)
    following[ends - 1] = ends - sizes
    return corners, corners[following], np.repeat(np.arange(len(faces)), sizes)


def _by_first(pairs: Integers, count: int) -> list[Integers]:
    """For each of `count` numbers the second of all pairs (n, 2) that begin with it; pairs are in that order."""
    return _parts(pairs[:, 1], np.searchsorted(pairs[:, 0], np.arange(1, count)))


def _parts(values: Integers, starts: Integers) -> list[Integers]:
    """`np.split`, which takes ten times as long for thousands of parts."""
    bounds = [0, *starts.tolist(), len(values)]
    return [values[first:last] for first, last in pairwise(bounds)]


def convex_hull(points: Array) -> ConvexHull:
    """The convex hull of points (n, 3), m; they may lie in a plane or in line."""
    points = np.unique(np.asarray(points, dtype=np.float64).reshape(-1, 3), axis=0)
    if not len(points) or not np.isfinite(points).all():
        raise GeometryError(
            f"points are {points.tolist()[:3]}; a convex hull needs at least one, all of them finite",
            subject=("shape", "convex hull"),
        )
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    size = float(np.abs(points - centre).max())
    _, _, axes = np.linalg.svd(points - centre, full_matrices=False)
    spread = np.array([float(np.ptp((points - centre) @ axis)) for axis in axes])
    if len(points) < 4 or len(spread) < 3 or spread.min() <= _FLAT * size:
        return _flat_hull(points, axes[np.argsort(-spread)], np.sort(spread)[::-1], size)
    return _solid_hull(points)


class SimplerHull(NamedTuple):
    """A hull with fewer corners, all of them corners of the whole one, and how far that reaches out of it, m."""

    hull: ConvexHull
    lost: float


def simpler_hull(points: Array, most: int = MOST_CORNERS) -> SimplerHull:
    """The convex hull of points (n, 3), with at most so many corners: those that reach farthest in evenly spread
    directions, seen in units of the extent along each axis."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    make = partial(_simplified, points, most)
    corners, normals, ring, sizes, lost = kept_arrays(make, __name__, str(most).encode(), points.tobytes())
    faces = tuple(_parts(ring, np.cumsum(sizes)[:-1])) if len(sizes) else ()
    return SimplerHull(ConvexHull(corners, normals, faces), float(lost))


def _simplified(points: Array, most: int) -> tuple[Any, ...]:
    """Corners, normals, corners of all faces, sizes of the faces, and what is lost."""
    hull, lost = _simpler(points, most)
    sizes = np.array([len(face) for face in hull.faces], dtype=np.int64)
    return (
        hull.points,
        hull.normals,
        np.concatenate([*hull.faces, np.zeros(0, np.int64)]),
        sizes,
        np.array(lost),
    )


def _simpler(points: Array, most: int) -> SimplerHull:
    corners = _outer_points(points, _THIN * most)
    if len(corners) <= _THIN * most:
        whole = convex_hull(corners)
        if len(whole.points) <= most:
            return SimplerHull(whole, 0.0)
        corners = whole.points
    low, high = corners.min(axis=0), corners.max(axis=0)
    extent = np.where(high > low, high - low, 1.0)
    scaled = (corners - (low + high) / 2) / extent
    taken = np.unique(np.argmax(scaled @ _directions(most - 6).T, axis=0))
    outermost = np.concatenate([corners.argmin(axis=0), corners.argmax(axis=0)])
    hull = convex_hull(corners[np.union1d(taken, outermost)])
    if not len(hull.faces):
        return SimplerHull(hull, 0.0)
    levels = np.array(
        [normal @ hull.points[face[0]] for normal, face in zip(hull.normals, hull.faces, strict=True)]
    )
    return SimplerHull(hull, max(float((corners @ hull.normals.T - levels).max()), 0.0))


def _outer_points(points: Array, most: int) -> Array:
    """Of more points (n, 3) than so many those that their hull needs; faces of thousands of triangles take long."""
    if len(points) <= most:
        return points
    from scipy.spatial import ConvexHull as Qhull  # slow to import
    from scipy.spatial import QhullError

    try:
        return np.asarray(points[np.sort(Qhull(points).vertices)])
    except (QhullError, ValueError):  # flat, or not finite, which others tell
        return points


def _directions(count: int) -> Array:
    """Unit vectors (count, 3), evenly spread: the spiral of Fibonacci."""
    k = np.arange(count) + 0.5
    height, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    wide = np.sqrt(1.0 - height**2)
    return np.column_stack([wide * np.cos(angle), wide * np.sin(angle), height])


def thinned_ring(corners: Array, most: int) -> Integers:
    """Of the corners (n, 3) around a face, in their order, at most so many: those that reach farthest in its plane."""
    if len(corners) <= most:
        return np.arange(len(corners))
    flat = corners - corners.mean(axis=0)
    axes = np.linalg.svd(flat, full_matrices=False)[2][:2]
    angles = 2 * np.pi * np.arange(most) / most
    return np.unique(np.argmax(flat @ (np.column_stack([np.cos(angles), np.sin(angles)]) @ axes).T, axis=0))


def _solid_hull(points: Array) -> ConvexHull:
    from scipy.spatial import ConvexHull as Qhull  # slow to import
    from scipy.spatial import QhullError

    try:
        hull = Qhull(points)
    except QhullError as error:
        message = f"{len(points)} points have no convex hull: {str(error).splitlines()[0]}"
        raise GeometryError(message, subject=("shape", "convex hull")) from None
    triangles = hull.simplices.astype(np.int64)
    a, b, c = (hull.points[triangles[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    groups = _coplanar(hull)
    rings = [_ring(triangles[group]) if len(group) > 1 else triangles[group[0]] for group in groups]
    used = np.unique(np.concatenate(rings))
    number = np.full(len(points), -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    normals = _normals(points, rings)
    return ConvexHull(points[used], normals, tuple(number[ring] for ring in rings))


def _coplanar(hull: Any) -> list[Integers]:
    """Triangles of a hull that are one face: those that share an edge and a plane."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    count = len(hull.simplices)
    pairs = np.column_stack([np.repeat(np.arange(count), 3), hull.neighbors.reshape(-1)])
    normals = hull.equations[:, :3]
    cosine = np.einsum("ij,ij->i", normals[pairs[:, 0]], normals[pairs[:, 1]])
    alike = pairs[cosine > 1.0 - _SAME_PLANE]
    graph = coo_array((np.ones(len(alike)), (alike[:, 0], alike[:, 1])), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    return _parts(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _ring(triangles: Integers) -> Integers:
    """Corners around a face that consists of triangles, those in line with their neighbours left out by the caller."""
    edges = {(int(triangle[k]), int(triangle[(k + 1) % 3])) for triangle in triangles for k in range(3)}
    following = {a: b for a, b in edges if (b, a) not in edges}
    start = min(following)
    ring = [start]
    while following[ring[-1]] != start and len(ring) <= len(following):
        ring.append(following[ring[-1]])
    return np.array(ring, dtype=np.int64)


def _normals(points: Array, faces: Sequence[Integers]) -> Array:
    """Unit normals of polygons, by their areas (Newell): all corners count."""
    corners, following, numbers = _edges(faces)
    origins = points[np.array([face[0] for face in faces])][numbers]
    areas = np.cross(points[corners] - origins, points[following] - origins)
    starts = np.searchsorted(numbers, np.arange(len(faces)))
    normals = np.add.reduceat(areas, starts, axis=0)
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))


def _flat_hull(points: Array, axes: Array, spread: Array, size: float) -> ConvexHull:
    """Of points in a plane, in line, or at one place."""
    empty: tuple[Integers, ...] = ()
    if len(points) == 1 or spread[0] <= _FLAT * size:
        return ConvexHull(points[:1], np.zeros((0, 3)), empty)
    along = (points - points[0]) @ axes[0]
    if len(spread) < 2 or spread[1] <= _FLAT * size:
        ends = points[[int(along.argmin()), int(along.argmax())]]
        return ConvexHull(ends, np.zeros((0, 3)), empty)
    corners = points[_flat_ring(np.column_stack([along, (points - points[0]) @ axes[1]]))]
    order = np.arange(len(corners))
    (normal,) = _normals(corners, [order])
    return ConvexHull(corners, np.array([normal, -normal]), (order, order[::-1].copy()))


def _flat_ring(flat: Array) -> Integers:
    """Corners of the convex hull of points (n, 2), counterclockwise."""
    if len(flat) == 3:
        one, other = flat[1] - flat[0], flat[2] - flat[0]
        return np.array([0, 1, 2] if one[0] * other[1] > one[1] * other[0] else [0, 2, 1])
    from scipy.spatial import ConvexHull as Qhull  # slow to import

    return np.asarray(Qhull(flat).vertices, dtype=np.int64)
