"""Where elements start from that are to cover a shape: one in each cluster of its points, or layers of plates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.geometry.solid import Solid
from footfall.geometry.swept_cover import COLUMNS

STYLES = 4  # kinds of starts
_FEW = 50  # points inside, with fewer of which those of the surface count
_STRETCH = 0.5  # how differently clouds are stretched before they fall into clusters: of the logarithm


class _Principal(NamedTuple):
    """Middle (3,), axes (3, 3) as columns along which points spread from most to least, and half widths (3,)."""

    middle: Array
    axes: Array
    half: Array


def start(shape: Solid, count: int, style: int, rng: np.random.Generator) -> Array:
    """Elements (count, 10) to start from. style: 0 to 3, clusters of all points, of those on the surface, of those
    inside, or layers of plates."""
    cloud = _cloud(shape, style)
    if count == 1:
        return _triangle(cloud, 1.0)[None]
    if style == STYLES - 1:
        return _layers(cloud, count, rng)
    from scipy.cluster.vq import kmeans2

    stretched = cloud * np.exp(_STRETCH * rng.normal(size=3))
    _, labels = kmeans2(stretched, count, minit="++", seed=rng)
    rows = []
    for k in range(count):
        own = cloud[labels == k]
        own = own if len(own) > 3 else cloud[rng.choice(len(cloud), 8)]
        rows.append(_triangle(own, float(rng.choice([-1.0, 1.0]))))
    return np.array(rows)


def _cloud(shape: Solid, style: int) -> Array:
    surface, inner = shape.spread_points, shape.box_points[shape.inside]
    if style == 1 or len(inner) < _FEW:
        return surface
    return np.concatenate([surface, inner]) if style == 0 else inner


def _layers(cloud: Array, count: int, rng: np.random.Generator) -> Array:
    """Two triangles for each of several layers across an axis, and one for what is left of the count."""
    axes = _principal(cloud).axes
    along = cloud @ axes[:, rng.integers(3)]
    pairs = count // 2
    layer = np.minimum((along.argsort().argsort() * pairs) // len(along), pairs - 1)
    rows = [_plate(cloud[layer == k], rng) for k in range(pairs)]
    if count % 2:
        rows.append(_triangle(cloud, 1.0)[None])
    return np.concatenate(rows)


def _principal(cloud: Array) -> _Principal:
    middle = cloud.mean(axis=0)
    axes = np.linalg.eigh((cloud - middle).T @ (cloud - middle))[1][:, ::-1]
    return _Principal(middle, axes, np.percentile(np.abs((cloud - middle) @ axes), 90, axis=0))


def _triangle(cloud: Array, side: float) -> Array:
    """A triangle within a cloud, with its tip on this side (-1, 1)."""
    middle, axes, half = _principal(cloud)
    radius = max(float(half[2]), 0.01)
    along, across = (max(float(each) - 0.8 * radius, 0.01) for each in half[:2])
    x, y = along * axes[:, 0], side * across * axes[:, 1]
    return np.concatenate([middle - x - y / 2, middle + x - y / 2, middle + y, [0.9 * radius]])


def _plate(cloud: Array, rng: np.random.Generator) -> Array:
    """A rectangle as two triangles (2, 10), cut along one of its diagonals."""
    middle, axes, half = _principal(cloud)
    radius = max(float(half[2]), 0.01)
    along, across = (max(float(each) - 0.5 * radius, 0.01) for each in half[:2])
    x, y = along * axes[:, 0], float(rng.choice([-1.0, 1.0])) * across * axes[:, 1]
    first, second, third, fourth = (middle + i * x + j * y for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    rows = np.array([[first, second, third], [first, third, fourth]]).reshape(2, COLUMNS - 1)
    return np.column_stack([rows, np.full(2, radius)])
