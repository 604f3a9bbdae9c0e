"""What it costs to cover a shape with swept spheres, and how the cost changes with their corners and radii.

The cost is the air that the elements fill, beside what they leave uncovered. It is what `swept_fitting` descends on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, as_records, new_records, routine
from footfall.geometry.triangle import Triangle, on_triangle

COLUMNS = 10  # numbers of a draft
_FADED = 6.0  # widths from a surface, where a point is inside or outside for good
_SLIVER = 1e-12  # square of height over length of a triangle that counts as a line


class Draft(NamedTuple):
    """An element while it is fitted: a triangle, which may be thin or a point, and a radius."""

    a: Vector3
    b: Vector3
    c: Vector3
    radius: float


class Ball(NamedTuple):
    """A ball around an element."""

    middle: Vector3
    radius: float


class Samples(NamedTuple):
    """What is looked at: points of the surface, the force that each pulls an element with, points in the air.

    air_share: what an air point counts.
    """

    surface: ArrayOf[Vector3]
    forces: Array
    air: ArrayOf[Vector3]
    air_share: float


class Softness(NamedTuple):
    """width: over which an air point goes from outside to inside. hardness: force of a point a unit outside."""

    width: float
    hardness: float


@routine
def _distance(draft: Draft, point: Vector3) -> float:
    return math.sqrt(on_triangle(Triangle(draft.a, draft.b, draft.c), point).square) - draft.radius


@routine
def _balls(drafts: ArrayOf[Draft]) -> ArrayOf[Ball]:
    """Balls around the elements."""
    balls: ArrayOf[Ball] = new_records(Ball, len(drafts))
    for k in range(len(drafts)):
        draft = drafts[k]
        middle: Vector3 = (draft.a + draft.b + draft.c) / 3.0
        square = 0.0
        for corner in (draft.a, draft.b, draft.c):
            square = max(square, (corner - middle) @ (corner - middle))
        balls[k] = Ball(middle, math.sqrt(square) + draft.radius)
    return balls


@routine
def _nearest(drafts: ArrayOf[Draft], balls: ArrayOf[Ball], point: Vector3) -> tuple[int, float]:
    """The element that a point is deepest in, or closest to, and its distance."""
    best, least = 0, np.inf
    for k in range(len(drafts)):
        way: Vector3 = point - balls[k].middle
        beyond = least + balls[k].radius
        if beyond < 0.0 or way @ way > beyond * beyond:
            continue
        distance = _distance(drafts[k], point)
        if distance < least:
            best, least = k, distance
    return best, least


@routine
def _shares(draft: Draft, point: Vector3) -> Vector3:
    """Barycentric coordinates of the point of the triangle that is closest to a point."""
    w: Vector3 = on_triangle(Triangle(draft.a, draft.b, draft.c), point).point - draft.a
    u, v = draft.b - draft.a, draft.c - draft.a
    uu, vv, uv, uw, vw = u @ u, v @ v, u @ v, u @ w, v @ w
    area = uu * vv - uv * uv
    if area > _SLIVER * uu * vv:
        s, t = (uw * vv - vw * uv) / area, (vw * uu - uw * uv) / area
        return np.array([1.0 - s - t, s, t])
    if uu >= vv and uu > 0.0:
        return np.array([1.0 - uw / uu, uw / uu, 0.0])
    if vv > 0.0:
        return np.array([1.0 - vw / vv, 0.0, vw / vv])
    return np.array([1.0, 0.0, 0.0])


@routine
def _pull(draft: Draft, slope: Draft, point: Vector3, force: float) -> Draft:
    """The slope of a cost that grows by `force` a unit of distance of that point, added to that of an element."""
    shares = _shares(draft, point)
    way: Vector3 = point - (shares[0] * draft.a + shares[1] * draft.b + shares[2] * draft.c)
    pull: Vector3 = force / max(math.sqrt(way @ way), 1e-9) * way
    return Draft(
        slope.a - shares[0] * pull,
        slope.b - shares[1] * pull,
        slope.c - shares[2] * pull,
        slope.radius - force,
    )


@routine(fused=True)
def covering_cost(numbers: Array, samples: Samples, softness: Softness, slopes: Array) -> float:
    """Air that is filled and what sticks out, for drafts (n, 10); slopes (n, 10) gets the gradient.

    Points of the surface that stick out are held by an augmented Lagrangian: by a force that `raise_forces` raises,
    and by a spring.
    """
    drafts: ArrayOf[Draft] = as_records(Draft, numbers)
    gradient: ArrayOf[Draft] = as_records(Draft, slopes)
    for k in range(len(drafts)):
        slopes[k] = 0.0
    balls = _balls(drafts)
    total = 0.0
    for point in samples.air:
        k, distance = _nearest(drafts, balls, point)
        x = distance / softness.width
        if abs(x) < _FADED:
            inside = 1.0 / (1.0 + math.exp(x))
            force = -samples.air_share * inside * (1.0 - inside) / softness.width
            total += samples.air_share * inside
            gradient[k] = _pull(drafts[k], gradient[k], point, force)
        elif x < 0.0:
            total += samples.air_share
    for i in range(len(samples.surface)):
        point = samples.surface[i]
        k, distance = _nearest(drafts, balls, point)
        force = samples.forces[i] + softness.hardness * distance
        if force > 0.0:
            total += 0.5 * force * force / softness.hardness
            gradient[k] = _pull(drafts[k], gradient[k], point, force)
    return total


@routine
def raise_forces(numbers: Array, samples: Samples, hardness: float) -> None:
    """Let points that stick out pull harder, and those inside less."""
    drafts: ArrayOf[Draft] = as_records(Draft, numbers)
    balls = _balls(drafts)
    for i in range(len(samples.surface)):
        _, distance = _nearest(drafts, balls, samples.surface[i])
        samples.forces[i] = max(0.0, samples.forces[i] + hardness * distance)


@routine
def element_distances(numbers: Array, points: ArrayOf[Vector3]) -> Array:
    """Signed distances (elements, points) of points (n, 3) to each of the drafts (elements, 10)."""
    drafts: ArrayOf[Draft] = as_records(Draft, numbers)
    distances = np.empty((len(drafts), len(points)))
    for k in range(len(drafts)):
        for i, point in enumerate(points):
            distances[k, i] = _distance(drafts[k], point)
    return distances
