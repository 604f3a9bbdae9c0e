"""Swept-sphere volumes around given shapes: few elements that hold all of it with little air.

The elements descend on a smooth cost (`swept_cover`): the air that they fill, while points of the surface pull at them
that stick out. What is left uncovered then is found exactly, triangle by triangle, and radii grow by it, so that
nothing protrudes: a triangle is covered if it lies in one element, or if each of its quarters is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import GeometryError
from footfall.geometry.solid import Solid
from footfall.geometry.swept_cover import (
    COLUMNS,
    Samples,
    Softness,
    covering_cost,
    element_distances,
    raise_forces,
)
from footfall.geometry.swept_coverage import SMALL, drafts_of, piece_distances, uncovered
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume

COUNTS = (1, 2, 4, 8, 16)  # of elements that are tried
_WORTH = 0.99  # what an element more must leave of the volume
_STARTS = 2
_ROUNDING = 1e-9  # of the size; added to radii so that what lies on the surface counts as inside
_THIN = 0.01  # of the size: height of a triangle that becomes a line, length of a line that becomes a point
_COARSE = 0.012  # of the size: pieces that pull in the last steps
_RADIUS = 0.002  # of the size, at least


@dataclass(frozen=True)
class _Descent:
    """How the elements go down, in units of the shape's size. From the first step to the last, widths and steps become
    smaller and springs harder; what sticks out is looked for from the step `watched` on, every so many `between`."""

    steps: int = 320
    length: tuple[float, float] = (0.012, 0.0006)
    width: tuple[float, float] = (0.03, 0.0036)
    hardness: tuple[float, float] = (1800.0, 45000.0)  # of all points of the surface together
    watched: int = 140
    between: int = 20
    sticking: float = 0.0007
    most: int = 150
    last_rounds: int = 3
    last_steps: int = 50


class Fit(NamedTuple):
    """A volume, and the room that it takes, m3."""

    volume: SweptVolume
    size: float


def fit_swept_volume(solid: Solid, *, most: int = 8, seed: int = 0) -> SweptVolume:
    """A volume that holds all of a shape, of at most that many elements; more only where they pay.

    seed: of the places that the elements start from.
    """
    fits = fit_swept_volumes(solid, most=most, seed=seed)
    return min(fits, key=lambda fit: fit.size * _WORTH ** -len(fit.volume)).volume


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
    fits = []
    for count in sorted({min(most, each) for each in COUNTS}):
        starts = [_start(shape, count, flat, np.random.default_rng([seed, flat])) for flat in range(_STARTS)]
        reached = [_Covering(shape, start) for start in starts[: 1 if count == 1 else _STARTS]]
        best = min((each.descend() for each in reached), key=lambda each: each.size)
        drafts = covered(_simplified(best.finished()), shape)
        fits.append(_fit(drafts, shape, solid))
    return fits


def covered(drafts: Array, shape: Solid) -> Array:
    """Drafts (n, 10) whose radii have grown until nothing of a shape sticks out; those that nothing needs are gone."""
    pieces = uncovered(drafts, shape.triangles, SMALL * shape.size)
    drafts = drafts.copy()
    distances = piece_distances(drafts, pieces)
    while distances.size and (missing := distances.min(axis=0)).max() > 0.0:  # a step covers many pieces
        place = int(missing.argmax())
        nearest = int(distances[:, place].argmin())
        drafts[nearest, -1] += missing[place]
        distances[nearest] -= missing[place]
    for place in reversed(range(len(drafts))):
        rest = np.delete(drafts, place, axis=0)
        if len(rest) and _holds(rest, shape):
            drafts = rest
    drafts[:, -1] += _ROUNDING * shape.size
    return drafts


def _holds(drafts: Array, shape: Solid) -> bool:
    if element_distances(drafts, shape.dense_points).min(axis=0).max() > 0.0:  # most often, and quickly seen
        return False
    return not len(uncovered(drafts, shape.triangles, SMALL * shape.size))


def grown_around(volume: SweptVolume, solid: Solid) -> SweptVolume:
    """A volume with radii that have grown until nothing of a shape sticks out; elements that nothing needs are gone."""
    drafts = drafts_of(volume)
    return SweptVolume(tuple(_element(row, 1.0, np.zeros(3)) for row in covered(drafts, solid)))


def filled_volume(drafts: Array, solid: Solid) -> float:
    """What elements fill together of the box around a shape, m3, to about 1 %."""
    inside = element_distances(drafts, solid.box_points).min(axis=0) <= 0.0
    return float(inside.sum()) * solid.box_share


class _Covering:
    """Elements on their way down."""

    def __init__(self, shape: Solid, drafts: Array) -> None:
        self.shape, self.drafts, self.plan = shape, drafts, _Descent()
        points = shape.spread_points
        air = np.ascontiguousarray(shape.box_points[~shape.inside])
        room = max(shape.hull_volume, 1e-3)
        self.samples = Samples(points, np.zeros(len(points)), air, shape.box_share / room)
        self.hardness = 1.0 / len(points)
        self.first, self.second, self.taken = np.zeros_like(drafts), np.zeros_like(drafts), 0

    @property
    def size(self) -> float:
        """Volume of the elements once they cover all of the points."""
        drafts = self.drafts.copy()
        drafts[:, -1] += max(0.0, float(element_distances(drafts, self.shape.dense_points).min(axis=0).max()))
        return filled_volume(drafts, self.shape)

    def descend(self) -> _Covering:
        """From far to near."""
        plan = self.plan
        for step in range(plan.steps):
            share = step / plan.steps
            softness = Softness(_between(plan.width, share), self.hardness * _between(plan.hardness, share))
            self._step(softness, _between(plan.length, share))
            if step >= plan.watched and step % plan.between == 0:
                raise_forces(self.drafts, self.samples, softness.hardness)
                distances = element_distances(self.drafts, self.shape.dense_points).min(axis=0)
                worst = np.argsort(-distances)[: plan.most]
                self._watch(self.shape.dense_points[worst[distances[worst] > plan.sticking]])
        return self

    def finished(self) -> Array:
        """The last steps, with what sticks out between the points: drafts (n, 10)."""
        plan = self.plan
        softness = Softness(plan.width[1], self.hardness * plan.hardness[1])
        for _ in range(plan.last_rounds):
            pieces = uncovered(self.drafts, self.shape.triangles, _COARSE)
            if not len(pieces):
                break
            middles = np.unique(pieces.mean(axis=1).round(3), axis=0)
            self._watch(middles[np.linspace(0, len(middles) - 1, min(len(middles), 400)).astype(int)])
            for step in range(plan.last_steps):
                self._step(softness, plan.length[1])
                if step % 10 == 0:
                    raise_forces(self.drafts, self.samples, softness.hardness)
        return self.drafts

    def _watch(self, points: Array) -> None:
        samples = self.samples
        self.samples = samples._replace(
            surface=np.concatenate([samples.surface, points]),
            forces=np.concatenate([samples.forces, np.zeros(len(points))]),
        )

    def _step(self, softness: Softness, length: float) -> None:
        """A step of Adam (Kingma and Ba 2015)."""
        slopes = np.empty_like(self.drafts)
        covering_cost(self.drafts, self.samples, softness, slopes)
        self.taken += 1
        self.first += 0.1 * (slopes - self.first)
        self.second += 0.02 * (slopes**2 - self.second)
        mean, square = self.first / (1.0 - 0.9**self.taken), self.second / (1.0 - 0.98**self.taken)
        self.drafts = self.drafts - length * mean / (np.sqrt(square) + 1e-8)
        self.drafts[:, -1] = np.maximum(self.drafts[:, -1], _RADIUS)


def _between(ends: tuple[float, float], share: float) -> float:
    return float(ends[0] * (ends[1] / ends[0]) ** share)


def _start(shape: Solid, count: int, flat: int, rng: np.random.Generator) -> Array:
    """Elements (count, 10) to start from, one in each cluster of points; flat: two of them are a plate through all."""
    from scipy.cluster.vq import kmeans2

    cloud = np.concatenate([shape.spread_points, shape.box_points[shape.inside]])
    plates = _plate(cloud)[:count] if flat and count > 1 else np.zeros((0, COLUMNS))
    rest = count - len(plates)
    if rest <= 1:
        labels = np.zeros(len(cloud), dtype=int)
    else:
        _, labels = kmeans2(cloud, rest, minit="++", seed=rng)
    clusters = [cloud[labels == k] for k in range(rest)]
    triangles = [_triangle(each if len(each) > 3 else cloud[rng.choice(len(cloud), 8)]) for each in clusters]
    return np.concatenate([plates, np.array(triangles).reshape(-1, COLUMNS)])


def _principal(cloud: Array) -> tuple[Array, Array, Array]:
    """Middle (3,), axes (3, 3) as columns along which points spread from most to least, and half widths (3,)."""
    middle = cloud.mean(axis=0)
    axes = np.linalg.eigh((cloud - middle).T @ (cloud - middle))[1][:, ::-1]
    return middle, axes, np.percentile(np.abs((cloud - middle) @ axes), 90, axis=0)


def _triangle(cloud: Array) -> Array:
    middle, axes, half = _principal(cloud)
    radius = max(float(half[2]), 0.01)
    along, across = (max(float(each) - 0.8 * radius, 0.01) for each in half[:2])
    x, y = along * axes[:, 0], across * axes[:, 1]
    return np.concatenate([middle - x - y / 2, middle + x - y / 2, middle + y, [0.9 * radius]])


def _plate(cloud: Array) -> Array:
    """A rectangle as two triangles (2, 10)."""
    middle, axes, half = _principal(cloud)
    radius = max(float(half[2]), 0.01)
    along, across = (max(float(each) - 0.5 * radius, 0.01) for each in half[:2])
    x, y = along * axes[:, 0], across * axes[:, 1]
    first, second, third, fourth = (middle + i * x + j * y for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return np.array(
        [np.concatenate([first, second, third, [radius]]), np.concatenate([first, third, fourth, [radius]])]
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
