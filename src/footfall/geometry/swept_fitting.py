"""Swept-sphere volumes around given shapes: few elements that hold all of it with little air.

A shape is a set of convex cells, each the hull of balls: a triangle of a mesh, the two ends of a capsule, the corners
of a box. An element is convex, so it holds a cell if it holds its balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import GeometryError
from footfall.geometry.swept_distance import swept_distances
from footfall.geometry.swept_sphere import (
    SweptSphere,
    SweptVolume,
    pack,
    swept_line,
    swept_point,
    swept_triangle,
)

_WORTH = 0.96  # what an element more must leave of the volume
_ROUNDING = 1e-12  # of the size; added to radii so that what lies on the surface counts as inside
_STEPS = 250  # of the search for a plate
_SAMPLES = 2**13  # points that measure a volume


@dataclass(frozen=True, eq=False)
class Cell:
    """The hull of balls: points (n, 3), m, and the radius of all of them, m."""

    points: Array
    radius: float = 0.0


class Coverage(NamedTuple):
    """How a volume holds a shape, 000 section 6.9.

    protrusion: m, by how much corners and balls of the shape stick out; not positive if none does. volume, hull: m3, of
    the volume and of the shape's convex hull. excess: what the volume has more than the hull, relative to it; negative
    where the volume follows a shape that is not convex.
    """

    protrusion: float
    volume: float
    hull: float

    @property
    def excess(self) -> float:
        return self.volume / self.hull - 1.0 if self.hull > 0.0 else np.inf


class _Plate(NamedTuple):
    """A rectangle swept by a sphere: axes (3, 3) as columns, half lengths along the first two. A line or a point if
    these are zero."""

    center: Array
    axes: Array
    half: Array
    radius: float

    @property
    def volume(self) -> float:
        a, b = self.half
        r = self.radius
        return float(8 * a * b * r + 2 * np.pi * r**2 * (a + b) + 4 / 3 * np.pi * r**3)

    @property
    def cost(self) -> float:
        """What makes a fit worse: volume and elements."""
        return self.volume * _WORTH ** -len(self.elements())

    def elements(self) -> list[SweptSphere]:
        (a, b), r = self.half, self.radius
        x, y = a * self.axes[:, 0], b * self.axes[:, 1]
        if a == 0.0 and b == 0.0:
            return [swept_point(self.center, r)]
        if b == 0.0 or a == 0.0:
            return [swept_line(self.center - x - y, self.center + x + y, r)]
        first, second, third, fourth = (
            self.center + i * x + j * y for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )
        return [swept_triangle(first, second, third, r), swept_triangle(first, third, fourth, r)]


class _Group:
    """Cells that share a plate. flat: whether it may be a rectangle, which takes two elements."""

    def __init__(self, cells: Sequence[Cell], *, flat: bool) -> None:
        self.cells, self.flat = cells, flat
        points = np.concatenate([cell.points for cell in cells])
        radii = np.concatenate([np.full(len(cell.points), cell.radius) for cell in cells])
        self.points, self.radii = _outermost(points, radii)

    @cached_property
    def plate(self) -> _Plate:
        """The smallest plate, line or sphere that was found."""
        if len(self.points) <= 2 and np.ptp(self.radii) == 0.0:
            return _between(self.points[0], self.points[-1], float(self.radii[0]))
        size = float(np.ptp(self.points, axis=0).max() + self.radii.max())
        spans = [(False, False), (True, False), (True, True)][: 3 if self.flat else 2]
        best = min((self._searched(each) for each in spans), key=lambda plate: plate.cost)
        return best._replace(radius=self._radius(best) + _ROUNDING * size)

    @cached_property
    def halves(self) -> list[tuple[_Group, _Group]]:
        """The cells on both sides of planes across the principal axes; and a capsule or sphere against the others."""
        middles = np.array([cell.points.mean(axis=0) for cell in self.cells])
        partitions = [
            np.arange(len(self.cells)) == k for k, cell in enumerate(self.cells) if cell.radius > 0.0
        ]
        for along in (middles @ _principal_axes(self.points)).T:
            partitions += [along <= np.median(along), along <= (along.min() + along.max()) / 2]
        found = {}
        for one in partitions:
            if not one.all() and one.any():
                sides = [[self.cells[k] for k in np.flatnonzero(side).tolist()] for side in (one, ~one)]
                found[one.tobytes()] = _Group(sides[0], flat=self.flat), _Group(sides[1], flat=self.flat)
        return list(found.values())

    def _radius(self, plate: _Plate) -> float:
        local = np.abs((self.points - plate.center) @ plate.axes)
        local[:, :2] = np.maximum(local[:, :2] - plate.half, 0.0)
        return float((np.sqrt((local**2).sum(axis=1)) + self.radii).max())

    def _searched(self, spans: tuple[bool, bool]) -> _Plate:
        """The smallest plate that extends along its axes as asked, from the box along principal axes on."""
        from scipy.optimize import minimize  # slow to import
        from scipy.spatial.transform import Rotation

        axes = _principal_axes(self.points)
        local = self.points @ axes
        low, high = (local - self.radii[:, None]).min(axis=0), (local + self.radii[:, None]).max(axis=0)
        center, half = axes @ ((low + high) / 2), (high - low) / 2
        size = float(half.max())
        kept = np.array(spans)
        start = np.where(kept, np.maximum(half[:2] - half[2], 0.0), 0.0)

        def plate(x: Array) -> _Plate:
            turned = axes @ Rotation.from_rotvec(x[3:6]).as_matrix()
            lengths = np.where(kept, np.abs(x[6:8]) * size, 0.0)
            made = _Plate(center + size * x[:3], turned, lengths, 0.0)
            return made._replace(radius=self._radius(made))

        best = np.concatenate([np.zeros(6), start / size])
        free = np.concatenate([np.full(6, True), kept])

        def volume(y: Array) -> float:
            x = best.copy()
            x[free] = y
            return plate(x).volume

        for step in (0.1, 0.03):  # a second simplex, as the first one may have collapsed
            y = best[free]
            simplex = np.vstack([y, y + step * np.eye(len(y))])
            options = {"initial_simplex": simplex, "maxfev": _STEPS, "xatol": 1e-4, "fatol": 1e-12 * size**3}
            best[free] = minimize(volume, y, method="Nelder-Mead", options=options).x
        return plate(best)


def fit_swept_volume(cells: Sequence[Cell], *, most: int = 4) -> SweptVolume:
    """A volume that holds all cells, of at most that many elements; flat parts take two."""
    if not cells:
        raise GeometryError("has no cell; there must be one at least", subject=("swept volume", "shape"))
    if most < 1:
        raise GeometryError(f"most is {most}; it must be at least 1", subject=("swept volume", "shape"))
    stages = []
    for flat in (False, True) if most > 1 else (False,):
        groups: list[_Group] | None = [_Group(cells, flat=flat)]
        while groups is not None:  # a split may be worth it only after the next one
            stages.append(groups)
            groups = _split(groups, most)
    best = min(stages, key=lambda stage: sum(g.plate.volume for g in stage) * _WORTH ** -_count(stage))
    return SweptVolume(tuple(each for group in best for each in group.plate.elements()))


def _count(groups: Sequence[_Group]) -> int:
    return sum(len(group.plate.elements()) for group in groups)


def _split(groups: list[_Group], most: int) -> list[_Group] | None:
    """One group halved, the one that saves most volume, or None if that makes too many elements."""
    best, gain = None, -np.inf
    for place, group in enumerate(groups):
        for halves in group.halves:
            split = [*groups[:place], *halves, *groups[place + 1 :]]
            saved = group.plate.volume - sum(half.plate.volume for half in halves)
            if saved > gain and _count(split) <= most:
                best, gain = split, saved
    return best


def coverage(volume: SweptVolume, cells: Sequence[Cell]) -> Coverage:
    """How well a volume holds a shape: by how much it sticks out, and how much air there is."""
    from scipy.spatial import ConvexHull, QhullError
    from scipy.stats import qmc

    group = _Group(cells, flat=False)
    rows = volume.packed
    points = np.concatenate([cell.points for cell in cells])
    radii = np.concatenate([np.full(len(cell.points), cell.radius) for cell in cells])
    protrusion = float((_depths(rows, points).min(axis=0) + radii).max())
    low, high = volume.bounds
    samples = qmc.scale(qmc.Sobol(3, seed=0).random(_SAMPLES), low, high)
    inside = float((_depths(rows, samples).min(axis=0) <= 0.0).mean())
    try:
        directions = _sphere_directions()
        balls = (group.points[:, None] + group.radii[:, None, None] * directions).reshape(-1, 3)
        hull = float(ConvexHull(balls).volume)
    except (QhullError, ValueError):
        hull = 0.0
    return Coverage(protrusion, inside * float(np.prod(high - low)), hull)


def _depths(rows: Array, points: Array) -> Array:
    """Signed distances (elements, points) of points to packed elements."""
    corners = pack([swept_point(np.zeros(3), 0.0)]).repeat(len(points), axis=0)
    corners[:, 3:] = np.tile(points, 4)
    return np.array(
        [swept_distances(row[None].repeat(len(points), axis=0), corners).distance for row in rows]
    )


def _between(start: Array, end: Array, radius: float) -> _Plate:
    length = float(np.linalg.norm(end - start))
    axes = _principal_axes(np.array([start, end])) if length > 0.0 else np.eye(3)
    return _Plate((start + end) / 2, axes, np.array([length / 2, 0.0]), radius)


def _principal_axes(points: Array) -> Array:
    """Axes as columns, along which points spread from most to least; right-handed."""
    offsets = points - points.mean(axis=0)
    axes = np.linalg.eigh(offsets.T @ offsets)[1][:, ::-1]
    return np.asarray(axes * np.array([1.0, 1.0, np.linalg.det(axes)]))


def _outermost(points: Array, radii: Array) -> tuple[Array, Array]:
    """Without balls inside of the hull of others, where they are many and alike."""
    from scipy.spatial import ConvexHull, QhullError

    points, index = np.unique(points, axis=0, return_index=True)
    radii = radii[index]
    if len(points) < 12 or np.ptp(radii) > 0.0:
        return points, radii
    try:
        kept = ConvexHull(points).vertices
    except QhullError:  # flat
        return points, radii
    return points[kept], radii[kept]


def _sphere_directions() -> Array:
    """Unit vectors (m, 3), evenly spread: the golden spiral."""
    count = 200
    z = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    angle = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    flat = np.sqrt(1.0 - z**2)
    return np.stack([flat * np.cos(angle), flat * np.sin(angle), z], axis=1)
