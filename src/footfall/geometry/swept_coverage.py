"""How a swept-sphere volume holds a shape: what sticks out, and how much air there is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.geometry.solid import Solid, quarters
from footfall.geometry.swept_cover import element_distances, piece_distances
from footfall.geometry.swept_sphere import SweptVolume

SMALL = 0.003  # of the size: pieces that are not cut further
_LEVELS = 9  # how often a triangle is cut at most
_MOST_PIECES = 50_000  # that are cut further
_SAMPLES = 2**13  # points that measure a volume


class Coverage(NamedTuple):
    """How a volume holds a shape, Schwienbacher 2014, chapter 6.

    protrusion: m, by how much the shape sticks out at most, from above to 0.3 % of its size; not positive if nothing
    does. volume, hull, mesh: m3, of the volume with what it holds, of the shape's convex hull and of what its triangles
    enclose. excess: what the volume has more than the hull, relative to it; negative where it follows a shape that is
    not convex. hollow: share of the room inside of the shape that no element fills.
    """

    protrusion: float
    volume: float
    hull: float
    mesh: float
    hollow: float

    @property
    def excess(self) -> float:
        return self.volume / self.hull - 1.0 if self.hull > 0.0 else np.inf


def coverage(volume: SweptVolume, solid: Solid) -> Coverage:
    """How well a volume holds a shape; volumes are measured to about 1 %."""
    from scipy.stats import qmc

    low, high = volume.bounds
    room = float(np.prod(high - low))
    samples = low + qmc.Sobol(3, seed=1).random(_SAMPLES) * (high - low)
    filled = element_distances(drafts_of(volume), samples).min(axis=0) <= 0.0
    within = solid.holds(samples)
    hollow = float((within & ~filled).mean())
    return Coverage(
        protrusion(volume, solid),
        (float(filled.mean()) + hollow) * room,
        solid.hull_volume,
        solid.volume,
        hollow / max(float(within.mean()), 1.0 / _SAMPLES),
    )


def filled_volume(drafts: Array, solid: Solid) -> float:
    """What elements fill together, and the shape, m3, to about 1 %."""
    corners, radius = drafts[:, :9].reshape(-1, 3, 3), drafts[:, 9, None, None]
    low = np.minimum((corners - radius).min(axis=(0, 1)), solid.bounds[0])
    high = np.maximum((corners + radius).max(axis=(0, 1)), solid.bounds[1])
    beyond = (low < solid.box[0]).any() or (high > solid.box[1]).any()
    if not beyond:
        inside = element_distances(drafts, solid.box_points).min(axis=0) <= 0.0
        return float((inside | solid.inside).sum()) * solid.box_share
    share = (solid.box_points - solid.box[0]) / (solid.box[1] - solid.box[0])
    points = low + share * (high - low)
    inside = element_distances(drafts, points).min(axis=0) <= 0.0
    return float(inside.mean() * np.prod(high - low))


def uncovered(drafts: Array, triangles: Array, small: float) -> Array:
    """Pieces (m, 3, 3) of triangles that no single element holds, with edges of at most `small`, m."""
    for _ in range(_LEVELS):
        triangles = triangles[piece_distances(drafts, triangles).min(axis=0) > 0.0]
        large = (
            np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1, initial=0.0) > small
        )
        if not large.any() or len(triangles) > _MOST_PIECES:
            break
        triangles = np.concatenate([triangles[~large], quarters(triangles[large])])
    left: Array = triangles[piece_distances(drafts, triangles).min(axis=0) > 0.0]
    return left


def protrusion(volume: SweptVolume, solid: Solid) -> float:
    """By how much a shape sticks out of a volume at the most, m; zero or less if nothing does.

    From above, to 0.3 % of the shape's size.
    """
    drafts = drafts_of(volume)
    pieces = uncovered(drafts, solid.triangles, SMALL * solid.size)
    if len(pieces):
        return float(piece_distances(drafts, pieces).min(axis=0).max())
    return float(element_distances(drafts, solid.dense_points).min(axis=0).max())


def drafts_of(volume: SweptVolume) -> Array:
    """The elements of a volume as drafts (n, 10)."""
    rows = []
    for element in volume.elements:
        corners = element.corners[[min(k, len(element.corners) - 1) for k in range(3)]]
        rows.append([*corners.ravel(), element.radius])
    return np.array(rows, dtype=np.float64)
