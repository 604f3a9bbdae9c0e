"""Swept-sphere volumes around given shapes: few elements that hold all of it with little air.

The elements descend on a smooth cost (`swept_cover`) from many places: the air that they fill, while points of the
shape pull at them that stick out. The best go on with more points, and the best of those with what still sticks out
between them. What is left uncovered then is found exactly, triangle by triangle, and radii grow by it, so that nothing
protrudes: a triangle is covered if it lies in one element, or if each of its quarters is.

Elements start in clusters of the points, one in each, or in layers of plates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import GeometryError
from footfall.geometry.solid import Solid
from footfall.geometry.swept_cover import (
    COLUMNS,
    Cloud,
    DescentSchedule,
    Pull,
    cloud_distances,
    descend,
    element_distances,
    in_blocks,
    joined,
    piece_distances,
)
from footfall.geometry.swept_coverage import SMALL, drafts_of, filled_volume, uncovered
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume

STYLES = 4  # kinds of starts
_FEW_POINTS = 50  # points inside, with fewer of which those of the surface count
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
    if style == 1 or len(inner) < _FEW_POINTS:
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


COUNTS = (1, 2, 4, 8, 16)  # of elements that are tried
_WORTH = 0.995  # what an element more must leave of the volume
_ROUNDING = 1e-9  # of the size; added to radii so that what lies on the surface counts as inside
_THIN = 0.01  # of the size: height of a triangle that becomes a line, length of a line that becomes a point
_RADIUS = 0.002  # of the size, at least
_INNER = 300  # points inside of a shape that are wanted covered too: a shell around nothing is no volume
_FINE = 0.006  # of the size: pieces that are looked at in the last rounds
_NEW = 800  # points that are added in a round, at most
_MARGIN = 0.0007  # of the size: how far inside points are wanted in the last rounds

# From far to near, in units of the shape's size: 150 steps from each start, 300 for the best, rounds of 80 for one.
_COARSE = DescentSchedule(
    150, width=(0.03, 0.012), hardness=(2.0, 10.0), length=(0.012, 0.004), raised=0, least=_RADIUS
)
_CLOSER = DescentSchedule(
    300, width=(0.012, 0.006), hardness=(4.0, 12.0), length=(0.004, 0.0008), raised=20, least=_RADIUS
)
_LAST = DescentSchedule(
    80, width=(0.006, 0.0042), hardness=(12.0, 96.0), length=(8e-4, 5e-5), raised=8, least=_RADIUS
)
_FITTING_ROUNDS = 6


class _Effort(NamedTuple):
    """How many starts there are, and how many of them go on."""

    starts: int
    kept: int


class Fit(NamedTuple):
    """A volume, and the room that it takes with what it holds, m3."""

    volume: SweptVolume
    size: float


def fit_swept_volume(solid: Solid, *, most: int = 8, seed: int = 0) -> SweptVolume:
    """A volume that holds all of a shape, of at most that many elements; more only where they pay.

    seed: of the places that the elements start from.
    """
    return best_fit(fit_swept_volumes(solid, most=most, seed=seed)).volume


def best_fit(fits: list[Fit]) -> Fit:
    """The fit with the least room, where each element more must save half a hundredth of it."""
    return min(fits, key=lambda fit: fit.size * _WORTH ** -len(fit.volume))


def fit_swept_volumes(solid: Solid, *, most: int = 8, seed: int = 0) -> list[Fit]:
    """Volumes of more and more elements, up to that many, each of which holds all of a shape."""
    if not isinstance(most, int) or most < 1:
        raise GeometryError(
            f"most is {most}; it must be a whole number, at least 1", subject=("swept volume", "shape")
        )
    if solid.size == 0.0:
        point = SweptSphere(solid.triangles[0, :1], 0.0)
        return [Fit(SweptVolume((point,)), 0.0)]
    shape = solid.normalised
    views = _Views(shape)
    fits = []
    for count in sorted({min(most, each) for each in COUNTS}):
        tried = _tightened(_simplified(_fitted(shape, views, count, seed)), shape)
        tried += [_grown(_capsule(shape), shape)] if count == 1 else []
        tightest = min(tried, key=lambda each: _room(each, shape))
        fits.append(_fit(_needed(tightest, shape), shape, solid))
    return fits


class _Views:
    """What all descents around a shape look at."""

    def __init__(self, shape: Solid) -> None:
        inner = shape.box_points[shape.inside]
        room = max(shape.hull_volume, 1e-3)
        far = in_blocks(shape.far_points, shape.far_share / room)
        # Of a Sobol sequence: as even as all.
        half = np.arange(len(shape.box_points)) < len(shape.box_points) // 2
        near, some = (
            in_blocks(shape.box_points[~shape.inside & part], share * shape.box_share / room)
            for part, share in ((True, 1.0), (half, 2.0))
        )
        self.air, self.some_air = joined(near, far), joined(some, far)
        self.few = in_blocks(np.concatenate([shape.spread_points, _every(inner, _INNER)]), 1.0)
        self.dense = in_blocks(shape.dense_points, 1.0)


class _Descent:
    """Elements on their way down."""

    def __init__(self, shape: Solid, views: _Views, drafts: Array) -> None:
        self.shape, self.views, self.surface = shape, views, views.few
        self.drafts = np.ascontiguousarray(drafts)
        self.forces = np.zeros_like(self.surface.weights)

    def go(self, course: DescentSchedule, margin: float = 0.0) -> None:
        moments = np.zeros((2, *self.drafts.shape))
        air = self.views.some_air if course is _COARSE else self.views.air
        descend(self.drafts, moments, air, self.surface, Pull(self.forces, margin), course)

    def watch(self, points: Cloud) -> None:
        """Let more points pull."""
        self.surface = joined(self.surface, points)
        self.forces = np.concatenate([self.forces, np.zeros_like(points.weights)])

    def size(self) -> float:
        """Volume of the elements once they cover all of the points."""
        drafts = self.drafts.copy()
        drafts[:, -1] += max(0.0, float(cloud_distances(drafts, self.views.dense).max()))
        return filled_volume(drafts, self.shape)


def _fitted(shape: Solid, views: _Views, count: int, seed: int) -> Array:
    """Elements (count, 10) that cover a shape but for a little."""
    effort = _Effort(4 * STYLES, 4) if count > 4 else _Effort(STYLES, 2)
    tried = []
    for k in range(effort.starts):
        drafts = start(shape, count, k % STYLES, np.random.default_rng([seed, k]))
        tried.append(_Descent(shape, views, drafts))
        tried[-1].go(_COARSE)
    tried = sorted(tried, key=lambda each: each.size())[: effort.kept]
    for each in tried:
        each.watch(views.dense)
        each.go(_CLOSER)
    best = min(tried, key=lambda each: each.size())
    for k in range(_FITTING_ROUNDS):
        pieces = uncovered(best.drafts, shape.triangles, _FINE)
        if not len(pieces):
            break
        best.watch(in_blocks(_every(pieces.reshape(-1, 3), _NEW), 1.0))
        best.go(_part(_LAST, k / _FITTING_ROUNDS, (k + 1) / _FITTING_ROUNDS), _MARGIN)
    return best.drafts


def _part(course: DescentSchedule, begin: float, end: float) -> DescentSchedule:
    """A course from one share to another of what changes on it."""
    hardness, length = (
        (ends[0] * (ends[1] / ends[0]) ** begin, ends[0] * (ends[1] / ends[0]) ** end)
        for ends in (course.hardness, course.length)
    )
    return course._replace(hardness=hardness, length=length)


def _every(points: Array, most: int) -> Array:
    """At most so many of the points, evenly."""
    return np.asarray(points[np.linspace(0, len(points) - 1, min(len(points), most)).astype(int)])


def _tightened(drafts: Array, shape: Solid) -> list[Array]:
    """Drafts that cover a shape, with all, half and none of the margin that they were fitted with."""
    tried = []
    for share in (0.0, 0.5, 1.0):
        tighter = drafts.copy()
        tighter[:, -1] = np.maximum(tighter[:, -1] - share * _MARGIN, _RADIUS)
        tried.append(_grown(tighter, shape))
    return tried


def _room(drafts: Array, shape: Solid) -> float:
    """Volume of elements, that of one exactly."""
    return _element(drafts[0], 1.0, np.zeros(3)).volume if len(drafts) == 1 else filled_volume(drafts, shape)


def _capsule(shape: Solid) -> Array:
    """A line (1, 10) along which a shape is longest, with the least radius that holds it, and as short as that lets."""
    corners = shape.hull_corners
    axes = np.linalg.eigh(np.cov(corners.T))[1]
    along = corners @ axes[:, 2]
    across = corners @ axes[:, :2]
    middle = (across.min(axis=0) + across.max(axis=0)) / 2
    square = ((across - middle) ** 2).sum(axis=1)
    radius = np.sqrt(square.max())
    reach = np.sqrt(np.maximum(radius**2 - square, 0.0))  # of the ends beyond the line, where a corner lies
    end, start = (along - reach).max(), (along + reach).min()
    start, end = (start, end) if start < end else ((start + end) / 2, (start + end) / 2)
    ends = np.array([[*middle, each] for each in (start, end, end)]) @ axes.T
    return np.array([[*ends.ravel(), radius]])


def _grown(drafts: Array, shape: Solid) -> Array:
    """Drafts (n, 10) whose radii have grown until nothing of a shape sticks out."""
    pieces = uncovered(drafts, shape.triangles, SMALL * shape.size)
    drafts = drafts.copy()
    distances = piece_distances(drafts, pieces)
    while distances.size and (missing := distances.min(axis=0)).max() > 0.0:  # a step covers many pieces
        place = int(missing.argmax())
        nearest = int(distances[:, place].argmin())
        drafts[nearest, -1] += missing[place]
        distances[nearest] -= missing[place]
    drafts[:, -1] += _ROUNDING * shape.size
    return drafts


def _needed(drafts: Array, shape: Solid) -> Array:
    """Drafts without those that nothing needs."""
    for place in reversed(range(len(drafts))):
        rest = np.delete(drafts, place, axis=0)
        if len(rest) and _holds(rest, shape):
            drafts = rest
    return drafts


def _holds(drafts: Array, shape: Solid) -> bool:
    if element_distances(drafts, shape.dense_points).min(axis=0).max() > 0.0:  # most often, and quickly seen
        return False
    return not len(uncovered(drafts, shape.triangles, SMALL * shape.size))


def grown_around(volume: SweptVolume, solid: Solid) -> SweptVolume:
    """A volume with radii that have grown until nothing of a shape sticks out; elements that nothing needs are gone."""
    drafts = drafts_of(volume)
    return SweptVolume(
        tuple(_element(row, 1.0, np.zeros(3)) for row in _needed(_grown(drafts, solid), solid))
    )


def _simplified(drafts: Array) -> Array:
    """Drafts with thin triangles made lines and short lines made points: their corners coincide."""
    simple = drafts.copy()
    for row in simple:
        corners = row[:9].reshape(3, 3)
        edges = corners[[1, 2, 0]] - corners[[0, 1, 2]]
        lengths = np.linalg.norm(edges, axis=1)
        longest = int(lengths.argmax())
        area = float(np.linalg.norm(np.cross(edges[0], edges[1])))
        if lengths[longest] < _THIN:
            row[:9] = np.tile(corners.mean(axis=0), 3)
        elif area / lengths[longest] < _THIN:
            start, end = corners[longest], corners[(longest + 1) % 3]
            row[:9] = np.concatenate([start, end, end])
    return simple


def _fit(drafts: Array, shape: Solid, solid: Solid) -> Fit:
    elements = [_element(row, solid.size, solid.bounds.mean(axis=0)) for row in drafts]
    return Fit(SweptVolume(tuple(elements)), filled_volume(drafts, shape) * solid.size**3)


def _element(row: Array, size: float, middle: Array) -> SweptSphere:
    """The element of a draft of size one about the origin."""
    corners, distinct = row[:9].reshape(3, 3) * size + middle, 3
    if (row[:3] == row[3:6]).all():
        distinct = 1
    elif (row[3:6] == row[6:9]).all():
        distinct = 2
    return SweptSphere(corners[:distinct], float(row[9]) * size)
