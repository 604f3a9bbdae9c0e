"""What it costs to cover a shape with swept spheres, and the way down to where it costs less.

The cost is the air that the elements fill, beside what they leave uncovered. Points are looked at eight at a time,
those that lie together: elements that are too far from all eight are passed over.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import (
    ArrayOf,
    Lanes,
    LanesOfVector3,
    Vector3,
    as_records,
    new_records,
    routine,
)

COLUMNS = 10  # numbers of a draft
_WIDTH = 8  # points side by side
_SLIVER = 1e-12  # square of height over length of a triangle that counts as its edges
_CELLS = 1024  # along each axis, for the order of points


class Draft(NamedTuple):
    """An element while it is fitted: a triangle, which may be thin or a point, and a radius."""

    a: Vector3
    b: Vector3
    c: Vector3
    radius: float


class _Frame(NamedTuple):
    """What distances from a draft share: a corner, edges from there, their products and one over those, and a ball
    around the triangle (middle, reach)."""

    a: Vector3
    u: Vector3
    v: Vector3
    uu: float
    vv: float
    uv: float
    by_area: float
    by_u: float
    by_v: float
    by_third: float
    flat: float
    radius: float
    middle: Vector3
    reach: float


class _Foot(NamedTuple):
    """Distances of eight points from a triangle, the ways from there, and shares of its second and third corner."""

    distance: Lanes
    way: LanesOfVector3
    s: Lanes
    t: Lanes


class Cloud(NamedTuple):
    """Points in blocks of eight that lie together (n, 3, 8), what each counts (n, 8), and balls around the blocks."""

    points: ArrayOf[LanesOfVector3]
    weights: ArrayOf[Lanes]
    middles: ArrayOf[Vector3]
    reaches: Array


class Pull(NamedTuple):
    """Forces of the points of a surface (n, 8) that stick out, which `descend` raises.

    margin: by how much they are wanted inside.
    """

    forces: ArrayOf[Lanes]
    margin: float


class DescentSchedule(NamedTuple):
    """Steps from one state of softness to another, both given as (first, last) in units of the shape's size.

    width: over which an air point goes from outside to inside. hardness: force of a point a unit outside. length: of
    steps. raised: steps from one raising of forces to the next; 0: none. least: radius.
    """

    steps: int
    width: tuple[float, float]
    hardness: tuple[float, float]
    length: tuple[float, float]
    raised: int
    least: float


def in_blocks(points: Array, weight: float) -> Cloud:
    """Points (n, 3) in blocks, each of them with that weight."""
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    points = points[_nearby_together(points)] if len(points) else points
    count = -(-len(points) // _WIDTH)
    padded = np.concatenate([points, np.repeat(points[-1:], count * _WIDTH - len(points), axis=0)])
    weights = np.zeros(count * _WIDTH)
    weights[: len(points)] = weight
    blocks = padded.reshape(count, _WIDTH, 3)
    middles = (blocks.min(axis=1) + blocks.max(axis=1)) / 2
    reaches = np.linalg.norm(blocks - middles[:, None], axis=2).max(axis=1, initial=0.0)
    lanes = np.ascontiguousarray(blocks.transpose(0, 2, 1))
    return Cloud(lanes, weights.reshape(count, _WIDTH), np.ascontiguousarray(middles), reaches)


def joined(first: Cloud, second: Cloud) -> Cloud:
    """The blocks of both."""
    return Cloud(
        *(
            np.concatenate([np.asarray(one), np.asarray(other)])
            for one, other in zip(first, second, strict=True)
        )
    )


def _nearby_together(points: Array) -> Integers:
    """An order in which neighbours are close: by the bits of their cells, one axis after the other (Morton 1966)."""
    low, high = points.min(axis=0), points.max(axis=0)
    cells = ((points - low) / max(float((high - low).max()), 1e-300) * (_CELLS - 1)).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= (cells[:, axis] >> bit & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")


@routine
def _frame(draft: Draft) -> _Frame:
    u, v = draft.b - draft.a, draft.c - draft.a
    uu, vv, uv = u @ u, v @ v, u @ v
    third = uu - 2.0 * uv + vv
    normal = np.cross(u, v)
    area = float(normal @ normal)
    longest = max(uu, vv, third)
    flat = area <= _SLIVER * longest * longest
    middle: Vector3 = (draft.a + draft.b + draft.c) / 3.0
    square = 0.0
    for corner in (draft.a, draft.b, draft.c):
        square = max(square, (corner - middle) @ (corner - middle))
    return _Frame(
        draft.a, u, v, uu, vv, uv,
        0.0 if flat else 1.0 / area,
        1.0 / uu if uu > 0.0 else 0.0,
        1.0 / vv if vv > 0.0 else 0.0,
        1.0 / third if third > 0.0 else 0.0,
        1.0 if flat else 0.0,
        draft.radius, middle, math.sqrt(square),
    )  # fmt: skip


@routine
def _frames(numbers: Array) -> ArrayOf[_Frame]:
    drafts: ArrayOf[Draft] = as_records(Draft, numbers)
    frames: ArrayOf[_Frame] = new_records(_Frame, len(drafts))
    for k in range(len(drafts)):
        frames[k] = _frame(drafts[k])
    return frames


@routine(fused=True)
def _clamped(x: Lanes) -> Lanes:
    return np.minimum(np.maximum(x, 0.0), 1.0)


@routine(fused=True)
def _foot(frame: _Frame, points: LanesOfVector3) -> _Foot:
    """Closest points of a triangle: of the face, or of the closest edge. Squares of distances are compared without
    what they have in common, the square from the first corner."""
    w = points - frame.a
    p, q = w @ frame.u, w @ frame.v
    s, t = (p * frame.vv - q * frame.uv) * frame.by_area, (q * frame.uu - p * frame.uv) * frame.by_area
    beside = np.minimum(np.minimum(s, t), 1.0 - s - t) < frame.flat
    along_u, along_v = _clamped(p * frame.by_u), _clamped(q * frame.by_v)
    along = _clamped((q - p - frame.uv + frame.uu) * frame.by_third)
    rest = 1.0 - along
    least = along_u * (along_u * frame.uu - 2.0 * p)
    by_v = along_v * (along_v * frame.vv - 2.0 * q)
    by_third = rest * (rest * frame.uu - 2.0 * p) + along * (
        along * frame.vv - 2.0 * q + 2.0 * rest * frame.uv
    )
    closer = by_v < least
    edge_s, edge_t = np.where(closer, 0.0, along_u), np.where(closer, along_v, 0.0)
    closer = by_third < np.where(closer, by_v, least)
    edge_s, edge_t = np.where(closer, rest, edge_s), np.where(closer, along, edge_t)
    s, t = np.where(beside, edge_s, s), np.where(beside, edge_t, t)
    way = w - s * frame.u - t * frame.v
    return _Foot(np.sqrt(way @ way), way, s, t)


class _Nearest(NamedTuple):
    """Signed distances of eight points to the elements that they are deepest in, or closest to, and which those are."""

    distance: Lanes
    which: Lanes


@routine(fused=True)
def _nearest(frames: ArrayOf[_Frame], cloud: Cloud, n: int, farthest: float) -> _Nearest:
    """farthest: distances from which on elements do not count."""
    points = cloud.points[n]
    best: Lanes = np.where(points[0] == points[0], farthest, farthest)
    which: Lanes = np.where(points[0] == points[0], -1.0, -1.0)
    most = farthest
    for k in range(len(frames)):
        apart: Vector3 = cloud.middles[n] - frames[k].middle
        beyond = most + frames[k].reach + frames[k].radius + cloud.reaches[n]
        if beyond < 0.0 or apart @ apart > beyond * beyond:
            continue
        distance = _foot(frames[k], points).distance - frames[k].radius
        closer = distance < best
        best, which = np.where(closer, distance, best), np.where(closer, float(k), which)
        most = -np.inf
        for lane in range(8):
            most = max(most, best[lane])
    return _Nearest(best, which)


@routine(fused=True)
def _pull(
    frames: ArrayOf[_Frame], points: LanesOfVector3, which: Lanes, force: Lanes, sums: ArrayOf[Lanes]
) -> None:
    """Add slopes of a cost that grows by `force` a unit of distance of the points to the elements that count."""
    for k in range(len(frames)):
        own = which == float(k)
        if not np.any(own):
            continue
        foot = _foot(frames[k], points)
        mine = np.where(own, force, 0.0)
        pull = mine / np.maximum(foot.distance, 1e-9) * foot.way
        first = 1.0 - foot.s - foot.t
        for i in (0, 1, 2):
            sums[10 * k + i] -= first * pull[i]
            sums[10 * k + 3 + i] -= foot.s * pull[i]
            sums[10 * k + 6 + i] -= foot.t * pull[i]
        sums[10 * k + 9] -= mine


@routine(fused=True)
def covering_cost(
    numbers: Array, air: Cloud, surface: Cloud, pull: Pull, width: float, hardness: float, slopes: Array
) -> float:
    """Air that is filled and what sticks out, for drafts (n, 10); slopes (n, 10) gets the gradient.

    Points of the surface that stick out are held by an augmented Lagrangian: by a force that `descend` raises from
    time to time, and by a spring.
    """
    frames = _frames(numbers)
    sums: ArrayOf[Lanes] = np.zeros((len(numbers) * 10, 8))
    total = 0.0
    wide = 3.0 * width  # a cubic step as steep as exp(-x / width)
    for n in range(len(air.reaches)):
        near = _nearest(frames, air, n, wide)
        share = _clamped(0.5 - near.distance * (0.5 / wide))  # 0 outside, 1 inside
        total += np.sum(air.weights[n] * share * share * (3.0 - 2.0 * share))
        force = air.weights[n] * share * (1.0 - share) * (-3.0 / wide)
        if np.any(force < 0.0):
            _pull(frames, air.points[n], near.which, force, sums)
    for n in range(len(surface.reaches)):
        near = _nearest(frames, surface, n, 10.0)
        wanted = pull.forces[n] + hardness * (near.distance + pull.margin)
        force = surface.weights[n] * np.maximum(wanted, 0.0)
        if np.any(force > 0.0):
            total += np.sum(force * wanted) * 0.5 / hardness
            _pull(frames, surface.points[n], near.which, force, sums)
    for k in range(len(numbers)):
        for i in range(10):
            slopes[k, i] = np.sum(sums[10 * k + i])
    return total


@routine(fused=True)
def _raise_forces(numbers: Array, surface: Cloud, pull: Pull, hardness: float) -> None:
    """Let points that stick out pull harder, and those inside less."""
    frames = _frames(numbers)
    for n in range(len(surface.reaches)):
        near = _nearest(frames, surface, n, 10.0)
        pull.forces[n] = np.maximum(pull.forces[n] + hardness * (near.distance + pull.margin), 0.0)


@routine
def _between(ends: tuple[float, float], share: float) -> float:
    return ends[0] * math.exp(share * math.log(ends[1] / ends[0]))


@routine(fused=True)
def descend(
    numbers: Array, moments: Array, air: Cloud, surface: Cloud, pull: Pull, course: DescentSchedule
) -> float:
    """Steps of Adam (Kingma and Ba 2015) on the cost for drafts (n, 10), which they change; the last cost.

    moments (2, n, 10): means of slopes and of their squares, zeros at first.
    """
    count = len(numbers)
    slopes = np.zeros((count, 10))
    cost, left_first, left_second = 0.0, 1.0, 1.0
    for step in range(course.steps):
        share = step / course.steps
        width, hardness = _between(course.width, share), _between(course.hardness, share)
        length = _between(course.length, share)
        cost = covering_cost(numbers, air, surface, pull, width, hardness, slopes)
        left_first, left_second = 0.9 * left_first, 0.98 * left_second
        for k in range(count):
            for i in range(10):
                slope = slopes[k, i]
                moments[0, k, i] += 0.1 * (slope - moments[0, k, i])
                moments[1, k, i] += 0.02 * (slope * slope - moments[1, k, i])
                size = math.sqrt(moments[1, k, i] / (1.0 - left_second)) + 1e-8
                numbers[k, i] -= length * moments[0, k, i] / (1.0 - left_first) / size
            numbers[k, 9] = max(numbers[k, 9], course.least)
        if course.raised > 0 and step % course.raised == course.raised - 1:
            _raise_forces(numbers, surface, pull, hardness)
    return cost


@routine(fused=True)
def cloud_distances(numbers: Array, cloud: Cloud) -> Array:
    """Signed distances (blocks, 8) of points to the closest of the drafts (elements, 10), or deepest around them."""
    frames = _frames(numbers)
    distances = np.empty((len(cloud.reaches), 8))
    rows: ArrayOf[Lanes] = distances
    for n in range(len(cloud.reaches)):
        rows[n] = _nearest(frames, cloud, n, 10.0).distance
    return distances


@routine(fused=True)
def _corner_distances(frame: _Frame, block: Array, corner: int) -> Lanes:
    """Distances of a corner of eight pieces from the triangle of an element; block: three rows for each corner."""
    x: Lanes = block[3 * corner]
    y: Lanes = block[3 * corner + 1]
    z: Lanes = block[3 * corner + 2]
    return _foot(frame, np.array([x, y, z])).distance


@routine(fused=True)
def _farthest(frame: _Frame, block: Array) -> Lanes:
    """How far the farthest corners of eight pieces are from an element."""
    most = _corner_distances(frame, block, 0)
    for corner in range(1, len(block) // 3):
        most = np.maximum(most, _corner_distances(frame, block, corner))
    return most - frame.radius


@routine(fused=True)
def _measured(numbers: Array, rows: Array) -> Array:
    """Distances (elements, m) of the farthest of the corners in each of the rows (m, 3 corners)."""
    frames = _frames(numbers)
    count, columns = rows.shape
    distances = np.empty((len(frames), count))
    block = np.empty((columns, 8))
    for begin in range(0, count, 8):
        for lane in range(8):
            for i in range(columns):
                block[i, lane] = rows[min(begin + lane, count - 1), i]
        for k in range(len(frames)):
            found = _farthest(frames[k], block)
            for lane in range(min(8, count - begin)):
                distances[k, begin + lane] = found[lane]
    return distances


def element_distances(numbers: Array, points: Array) -> Array:
    """Signed distances (elements, points) of points (n, 3) to each of the drafts (elements, 10)."""
    return _measured(numbers, np.ascontiguousarray(points, dtype=np.float64))


def piece_distances(numbers: Array, pieces: Array) -> Array:
    """How far each piece (m, 3, 3) sticks out of each element, (n, m): an element is convex, so corners decide."""
    return _measured(numbers, np.ascontiguousarray(pieces, dtype=np.float64).reshape(-1, 9))
