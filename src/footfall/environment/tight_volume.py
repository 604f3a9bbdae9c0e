"""A volume around triangles that leaves little air: upright boxes, halved where that saves some, as swept spheres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.environment.objects import box_volume
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.math.rotations import rotation_z

_TURNS = np.linspace(0.0, np.pi / 2, 30, endpoint=False)  # rad about z that boxes are tried at
_AXES = np.array([rotation_z(turn)[:2, :2] for turn in _TURNS])
_CUTS = (0.12, 0.3, 0.5, 0.7, 0.88)  # of a length
_AHEAD = 2  # cuts
_FEWEST = 8  # triangles in a box
_SAVED = 0.5  # what the pieces may have of the volume of the whole
_THIN = 0.1  # m; what is thinner counts as that thick when volumes are compared


class _Box(NamedTuple):
    """Around triangles: their corners (m, 3, 3), the turn of its axes, rad, and its corners in these axes."""

    triangles: Array
    turn: float
    lower: Array
    upper: Array

    @property
    def size(self) -> float:
        return float(np.maximum(self.upper - self.lower, _THIN).prod())

    @property
    def filled(self) -> float:
        """m3 of cubes of that thickness with triangles in them: about the least that pieces could have."""
        cubes = np.floor(self.triangles.mean(axis=1) / _THIN).astype(np.int64)
        keys = (cubes - cubes.min(axis=0)) @ np.array([2**40, 2**20, 1])
        return float(len(np.unique(keys))) * _THIN**3


def tight_volume(triangles: Array, *, most: int = 8) -> SweptVolume:
    """A volume that holds triangles with corners (m, 3, 3), m.

    most: boxes; each has one element, or two where it is flat. The corner of two walls gets a box for each.
    """
    boxes = [_box(np.asarray(triangles, np.float64))]
    done: list[_Box] = []
    while boxes:
        box = boxes.pop(0)
        parts = _parts(box, _AHEAD)
        saves = sum(part.size for part in parts) < _SAVED * box.size
        if saves and len(boxes) + len(done) + len(parts) <= most:
            boxes.extend(parts)
        else:
            done.append(box)
    return SweptVolume(tuple(element for box in done for element in _elements(box)))


def _box(triangles: Array) -> _Box:
    """The smallest upright box of those tried."""
    points = triangles.reshape(-1, 3)
    outline = points[_outline(points[:, :2]), :2]
    local = outline @ _AXES  # turn, point, axis
    lower, upper = local.min(axis=1), local.max(axis=1)
    best = int(np.maximum(upper - lower, _THIN).prod(axis=1).argmin())
    bottom, top = points[:, 2].min(), points[:, 2].max()
    return _Box(triangles, float(_TURNS[best]), np.append(lower[best], bottom), np.append(upper[best], top))


def _outline(points: Array) -> Integers:
    """Numbers of the points (n, 2) on their convex hull; all, if they lie in line."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(ConvexHull(points).vertices, np.int64)
    except (QhullError, ValueError):
        return np.arange(len(points))


def _parts(box: _Box, ahead: int) -> list[_Box]:
    """The box in pieces whose volumes add up to least, by as many cuts in a row as are looked ahead.

    More than one, as the first cut of three walls around a yard saves nothing.
    """
    if ahead == 0 or box.filled > _SAVED * box.size:
        return [box]
    middles = box.triangles.mean(axis=1) @ rotation_z(box.turn)
    best, least = [box], box.size
    for axis in range(3):
        length = box.upper[axis] - box.lower[axis]
        for share in _CUTS:
            below = middles[:, axis] <= box.lower[axis] + share * length
            if min(below.sum(), (~below).sum()) < _FEWEST:
                continue
            sides = _box(box.triangles[below]), _box(box.triangles[~below])
            parts = [part for side in sides for part in _parts(side, ahead - 1)]
            size = sum(part.size for part in parts)
            if size < least:
                best, least = parts, size
    return best


def _elements(box: _Box) -> list[SweptSphere]:
    turn = rotation_z(box.turn)
    volume = box_volume(box.lower, box.upper)
    return [SweptSphere(element.corners @ turn.T, element.radius) for element in volume.elements]
