"""Pairs of swept-sphere volumes: of single elements, of whole volumes at poses, and how velocities change distances.

A model holds volumes and the pairs of them that count. It is records of floats, so that it can be laid out in one array
that traced kernels carry along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.once import once
from footfall.compiler.routines import (
    ArrayOf,
    Matrix3,
    RoutineCallback,
    Vector3,
    as_records,
    new_records,
    routine,
)
from footfall.geometry.swept_blocks import (
    PairDistance,
    Placed,
    Waiting,
    measure,
    measure_all,
    new_queue,
    room_for,
    wait,
)
from footfall.geometry.swept_sphere import Element, SweptVolume

_TINY = 1e-12  # square of the sine between axes of boxes that span no plane
_ROUNDING = 1e-9  # m; distances of middles that differ by less decide nothing
_HEADER = 5  # threshold, and how many numbers elements, volumes, pairs and columns are


class Pose(NamedTuple):
    """Where a frame stands."""

    position: Vector3
    rotation: Matrix3

    def point(self, local: Vector3) -> Vector3:
        """Where a point of the frame is."""
        return self.position + self.rotation @ local  # type: ignore[no-any-return]


class Volume(NamedTuple):
    """A volume: the number of the pose that moves it, its first element and how many it has, and its box in its frame.

    middle, half: of the box and its edges, m. diagonal: half of the box's, m.
    """

    pose: float
    first: float
    elements: float
    middle: Vector3
    half: Vector3
    diagonal: float


class Pair(NamedTuple):
    """Numbers of two volumes, and which columns are theirs."""

    first: float
    second: float
    columns: float
    column_count: float


class Column(NamedTuple):
    """A velocity that changes the distance of a pair; sign: 1 if it carries the second volume, -1 if the first."""

    velocity: float
    sign: float


class Model(NamedTuple):
    """Volumes and their pairs; threshold: m, farther pairs need no exact distance."""

    threshold: float
    elements: ArrayOf[Element]
    volumes: ArrayOf[Volume]
    pairs: ArrayOf[Pair]
    columns: ArrayOf[Column]


def pack_model(
    volumes: Sequence[SweptVolume],
    poses: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    *,
    threshold: float,
    columns: Sequence[Sequence[tuple[int, float]]],
) -> Model:
    """The model of volumes whose pairs count.

    poses: for each volume the number of the pose that moves it. threshold: m; farther pairs need no exact distance.
    columns: for each pair the velocities that change its distance, with 1 if they carry the second volume, -1 if the
    first.
    """
    starts = np.cumsum([0, *(len(volume) for volume in volumes)])
    boxes = [(volume.bounds.mean(axis=0), np.diff(volume.bounds, axis=0)[0] / 2) for volume in volumes]
    volume_rows = [
        [pose, start, len(volume), *middle, *half, np.linalg.norm(half)]
        for pose, start, volume, (middle, half) in zip(poses, starts, volumes, boxes, strict=False)
    ]
    offsets = np.cumsum([0, *(len(each) for each in columns)])
    pair_rows = [
        [i, j, offset, len(own)] for (i, j), offset, own in zip(pairs, offsets, columns, strict=False)
    ]
    return Model(
        threshold,
        as_records(Element, np.concatenate([volume.packed for volume in volumes])),
        as_records(Volume, np.array(volume_rows, dtype=np.float64)),
        as_records(Pair, np.array(pair_rows, dtype=np.float64)),
        as_records(Column, np.array([c for own in columns for c in own], dtype=np.float64)),
    )


def in_one_array(model: Model) -> Array:
    """The model as floats; `_opened` takes them apart again."""
    records: list[Any] = [model.elements, model.volumes, model.pairs, model.columns]
    parts = [each.view(np.float64) for each in records]
    return np.concatenate([[model.threshold, *(len(part) for part in parts)], *parts])


@routine
def _opened(data: Array) -> Model:
    volumes = _HEADER + int(data[1])
    pairs = volumes + int(data[2])
    columns = pairs + int(data[3])
    return Model(
        data[0],
        as_records(Element, data[_HEADER:volumes]),
        as_records(Volume, data[volumes:pairs]),
        as_records(Pair, data[pairs:columns]),
        as_records(Column, data[columns : columns + int(data[4])]),
    )


@routine
def _place_all(model: Model, poses: ArrayOf[Pose], placed: Placed) -> None:
    """Put all elements where they are at these poses."""
    for volume in model.volumes:
        pose, first = poses[int(volume.pose)], int(volume.first)
        for k in range(first, first + int(volume.elements)):
            element = model.elements[k]
            a, b, c = element.corners
            corners = np.array([pose.point(a), pose.point(b), pose.point(c)])
            placed.elements[k] = element._replace(middle=pose.point(element.middle), corners=corners)


@routine
def _seem_closest(one: Volume, other: Volume, placed: Placed) -> tuple[int, int]:
    """The elements of two volumes that seem to be the closest ones: by the squares of tangents of balls around them."""
    e, f, least = int(one.first), int(other.first), np.inf
    for i in range(int(one.first), int(one.first + one.elements)):
        first = placed.elements[i]
        for j in range(int(other.first), int(other.first + other.elements)):
            second = placed.elements[j]
            apart = first.middle - second.middle
            within = first.radius + second.radius + 0.5 * (first.reach + second.reach)
            power = apart @ apart - within * within
            if power < least:
                e, f, least = i, j, power
    return e, f


@routine
def _balls_apart(placed: Placed, e: int, f: int) -> float:
    """A bound from below for the distance of two elements: that of balls around them, m."""
    first, second = placed.elements[e], placed.elements[f]
    apart = first.middle - second.middle
    return math.sqrt(apart @ apart) - float(first.radius + second.radius + first.reach + second.reach)


@routine
def _let_wait(queue: Waiting, placed: Placed, e: int, f: int, k: int, out: ArrayOf[PairDistance]) -> None:
    """Let two elements of the k-th pair wait; when there are eight of their kind, measure them."""
    full = wait(queue, placed, e, f, k)
    if full >= 0:
        measure(queue, placed, full, out)


@routine
def _find_extents(volume: Volume, placed: Placed, normal: Vector3, extents: Array) -> None:
    """How far each element of a volume reaches along a direction, m."""
    for e in range(int(volume.first), int(volume.first + volume.elements)):
        element = placed.elements[e]
        a, b, c = element.corners
        extents[e] = max(a @ normal, b @ normal, c @ normal) + element.radius


@routine
def _let_others_wait(
    model: Model, k: int, queue: Waiting, placed: Placed, out: ArrayOf[PairDistance]
) -> None:
    """Let those elements of the k-th pair wait that may be closer than the ones that were measured.

    Two elements are not closer than what is between them along any direction; that between the elements that seemed
    to be the closest ones leaves few others.
    """
    pair, best = model.pairs[k], out[k]
    one, other = model.volumes[int(pair.first)], model.volumes[int(pair.second)]
    if one.elements * other.elements == 1.0:
        return
    known = best.exact > 0.0
    if known:
        _find_extents(one, placed, best.normal, queue.extents)
        _find_extents(other, placed, -best.normal, queue.extents)
    first, last = int(other.first), int(other.first + other.elements)
    for e in range(int(one.first), int(one.first + one.elements)):
        for f in range(first, last):
            bound = -queue.extents[e] - queue.extents[f] if known else _balls_apart(placed, e, f)
            if bound < best.distance and not (best.elements[0] == e and best.elements[1] == f):
                _let_wait(queue, placed, e, f, k, out)


@routine
def volume_distances(
    model: Model, poses: ArrayOf[Pose], placed: Placed, queue: Waiting, out: ArrayOf[PairDistance]
) -> None:
    """Distances (pairs,) of all pairs of a model; placed: room for its elements."""
    _place_all(model, poses, placed)
    zero: Vector3 = np.zeros(3)
    for k, pair in enumerate(model.pairs):
        one, other = model.volumes[int(pair.first)], model.volumes[int(pair.second)]
        far = model.threshold
        if model.threshold < np.inf:
            far = max(far, box_gap(one, other, poses[int(one.pose)], poses[int(other.pose)], far))
        e, f = int(one.first), int(other.first)
        if far == model.threshold:
            e, f = _seem_closest(one, other, placed)
        out[k] = PairDistance(far, zero, zero, zero, 0.0, 0.0, np.array([float(e), float(f)]))
        if far == model.threshold and _balls_apart(placed, e, f) < far:
            _let_wait(queue, placed, e, f, k, out)
    measure_all(queue, placed, out)
    for k in range(len(model.pairs)):
        if out[k].distance <= model.threshold:
            _let_others_wait(model, k, queue, placed, out)
    measure_all(queue, placed, out)
    for k, pair in enumerate(model.pairs):
        starts = np.array([model.volumes[int(pair.first)].first, model.volumes[int(pair.second)].first])
        elements = out[k].elements - starts if out[k].exact > 0.0 else np.array([0.0, 0.0])
        out[k] = out[k]._replace(elements=elements)


@routine
def box_gap(first: Volume, second: Volume, pose: Pose, other_pose: Pose, threshold: float) -> float:
    """A bound from below for the distance of two volumes: a gap between their boxes, Schwienbacher 2014, chapter 6.

    Along the axes of both and those across one of each, until one is as wide as the threshold: then boxes that are
    enlarged by half of it do not meet.
    """
    apart = other_pose.point(second.middle) - pose.point(first.middle)
    widest = math.sqrt(apart @ apart) - first.diagonal - second.diagonal  # of spheres around them
    if widest >= threshold:
        return widest
    axes: ArrayOf[Vector3] = np.empty((6, 3))
    for i in (0, 1, 2):
        axes[i], axes[3 + i] = pose.rotation[:, i], other_pose.rotation[:, i]
    for k in range(15):
        normal = axes[k] if k < 6 else np.cross(axes[k % 3], axes[k // 3 + 1])
        square = normal @ normal
        if square < _TINY:
            continue
        gap = abs(normal @ apart)
        for i in (0, 1, 2):
            gap -= first.half[i] * abs(normal @ axes[i])
            gap -= second.half[i] * abs(normal @ axes[3 + i])
        widest = max(widest, gap / math.sqrt(square))
        if widest >= threshold:
            break
    return widest


@routine
def distance_rows(model: Model, motions: Array, found: ArrayOf[PairDistance], rows: Array) -> None:
    """How velocities change distances: rows (pairs, velocities), zero where a distance is not exact.

    motions: (6, velocities) of the joints, [v; w] at the origin of the world. Schwienbacher 2014, (5.6) in its robust
    form: a joint that carries both volumes changes nothing.
    """
    for k, pair in enumerate(model.pairs):
        rows[k] = 0.0
        if found[k].exact == 0.0:
            continue
        normal = found[k].normal
        moment = np.cross(found[k].first_point, normal)  # any point along the normal has the same moment
        first = int(pair.columns)
        for column in model.columns[first : first + int(pair.column_count)]:
            v = int(column.velocity)
            linear = np.array([motions[0, v], motions[1, v], motions[2, v]])
            angular = np.array([motions[3, v], motions[4, v], motions[5, v]])
            rows[k, v] = column.sign * (normal @ linear + moment @ angular)


class DistanceRows(NamedTuple):
    """Room for what `SweptDistances` has, row by row."""

    distance: Array
    normal: Array
    first_point: Array
    second_point: Array
    core_distance: Array
    exact: Flags
    elements: Integers


class VolumeDistances(NamedTuple):
    """Distances of pairs of volumes, first axis of all arrays; in front of it that of a batch, if there is one.

    distance (pairs,) in m, negative in overlap; normal (pairs, 3) from the first to the second; first_point,
    second_point (pairs, 3) on their surfaces in the world, m; core_distance (pairs,) m; exact (pairs,), false where a
    threshold spared the search; elements (pairs, 2): see `footfall.geometry.swept_distance.SweptDistances`.
    jacobian: (pairs, nv), `d distance / dt = jacobian @ v`; zero where a distance is not exact.
    """

    distance: Array
    normal: Array
    first_point: Array
    second_point: Array
    core_distance: Array
    exact: Flags
    elements: Integers
    jacobian: Array


@routine
def _tell(found: ArrayOf[PairDistance], results: DistanceRows, first: int) -> None:
    """Write what was found for all pairs, from a row on."""
    for k, each in enumerate(found):
        results.distance[first + k] = each.distance
        results.normal[first + k] = each.normal
        results.first_point[first + k] = each.first_point
        results.second_point[first + k] = each.second_point
        results.core_distance[first + k] = each.core_distance
        results.exact[first + k] = each.exact > 0.0
        results.elements[first + k, 0], results.elements[first + k, 1] = (
            int(each.elements[0]),
            int(each.elements[1]),
        )


@routine(fused=True)
def all_distances(
    model: Model,
    positions: ArrayOf[Vector3],
    rotations: ArrayOf[Matrix3],
    motions: Array,
    results: DistanceRows,
    rows: Array,
) -> None:
    """Distances and rows (velocities) of all pairs at one configuration after another, in as many rows.

    positions, rotations: of all poses, one configuration after another. motions: (6, velocities) for each of them.
    """
    pairs = len(model.pairs)
    batch = len(results.distance) // pairs
    many = len(positions) // batch
    placed, poses, queue = (
        room_for(len(model.elements)),
        new_records(Pose, many),
        new_queue(len(model.elements)),
    )
    out = new_records(PairDistance, pairs)
    for b in range(batch):
        for p in range(many):
            poses[p] = Pose(positions[b * many + p], rotations[b * many + p])
        volume_distances(model, poses, placed, queue, out)
        _tell(out, results, b * pairs)
        if motions.shape[1] > 0:
            distance_rows(model, motions[6 * b : 6 * b + 6], out, rows[b * pairs : b * pairs + pairs])


@routine(fused=True)
def distances_at(
    model: Model, positions: ArrayOf[Vector3], rotations: ArrayOf[Matrix3], motions: Array
) -> VolumeDistances:
    """Distances and rows of all pairs at one configuration, see `all_distances`."""
    count = len(model.pairs)
    results = DistanceRows(
        np.empty(count),
        np.empty((count, 3)),
        np.empty((count, 3)),
        np.empty((count, 3)),
        np.empty(count),
        np.empty(count, dtype=np.bool_),
        np.empty((count, 2), dtype=np.int64),
    )
    rows = np.empty((count, motions.shape[1]))
    all_distances(model, positions, rotations, motions, results, rows)
    return VolumeDistances(
        results.distance,
        results.normal,
        results.first_point,
        results.second_point,
        results.core_distance,
        results.exact,
        results.elements,
        rows,
    )


class Hit(NamedTuple):
    """The first configuration with volumes too close, and which pair is closest there; -1 if there is none."""

    place: int
    pair: int
    distance: float


@routine(fused=True)
def first_hit(model: Model, positions: Array, rotations: Array, clearance: float) -> Hit:
    """The first of a batch of configurations with a pair of volumes closer than that, m; none after it is looked at.

    positions: (batch, poses, 3). rotations: (batch, poses, 3, 3). The model's threshold is at least the clearance.
    """
    placed, poses = room_for(len(model.elements)), new_records(Pose, positions.shape[1])
    queue, out = new_queue(len(model.elements)), new_records(PairDistance, len(model.pairs))
    for b in range(len(positions)):
        for p in range(len(poses)):
            poses[p] = Pose(positions[b, p], rotations[b, p])
        volume_distances(model, poses, placed, queue, out)
        closest = Hit(-1, -1, clearance)
        for k in range(len(out)):
            if out[k].exact > 0.0 and out[k].distance < closest.distance:
                closest = Hit(b, k, out[k].distance)
        if closest.place >= 0:
            return closest
    return Hit(-1, -1, clearance)


@routine(fused=True)
def _answer(inputs: Array, outputs: Array, data: Array) -> None:
    model = _opened(data)
    placed, queue = room_for(len(model.elements)), new_queue(len(model.elements))
    volume_distances(model, as_records(Pose, inputs), placed, queue, as_records(PairDistance, outputs))


@once
def callback() -> RoutineCallback:
    """The pairs of a model as a C function: poses in, results out, the model as data."""
    return RoutineCallback(_answer)
