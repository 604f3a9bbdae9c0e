"""Pairs of swept-sphere volumes: of single elements, of whole volumes at poses, and how velocities change distances.

A model holds volumes and the pairs of them that count. It is records of floats, so that it can be laid out in one array
that traced kernels carry along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
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
    put,
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
            put(placed, k, element._replace(middle=pose.point(element.middle), corners=corners))


@routine
def _most_centers(model: Model) -> int:
    """How many pairs of elements two volumes of the model have at most."""
    most = 1
    for volume in model.volumes:
        most = max(most, int(volume.elements))
    return most * most


@routine
def _enqueue(model: Model, k: int, queue: Waiting, placed: Placed, out: ArrayOf[PairDistance]) -> None:
    """Let those elements of the k-th pair wait that can be the closest ones and closer than `out[k]` says.

    Middles lie on cores: elements are not farther apart than these, and not closer than spheres around them.
    """
    pair = model.pairs[k]
    one, other = model.volumes[int(pair.first)], model.volumes[int(pair.second)]
    e0, f0, many = int(one.first), int(other.first), int(other.elements)
    most = out[k].distance
    for i in range(int(one.elements)):
        shell = placed.shells[e0 + i]
        for j in range(many):
            second = placed.shells[f0 + j]
            apart = shell.middle - second.middle
            center = math.sqrt(apart @ apart) - (shell.radius + second.radius)
            queue.centers[many * i + j] = center
            most = min(most, center + _ROUNDING)
    for i in range(int(one.elements)):
        reach = placed.shells[e0 + i].reach
        for j in range(many):
            if queue.centers[many * i + j] - (reach + placed.shells[f0 + j].reach) < most:
                full = wait(queue, placed, e0 + i, f0 + j, k)
                if full >= 0:
                    measure(queue, placed, full, out)


@routine
def volume_distances(
    model: Model, poses: ArrayOf[Pose], placed: Placed, queue: Waiting, out: ArrayOf[PairDistance]
) -> None:
    """Distances (pairs,) of all pairs of a model; placed: room for its elements."""
    _place_all(model, poses, placed)
    nothing: Vector3 = np.zeros(3)
    for k, pair in enumerate(model.pairs):
        first, second = model.volumes[int(pair.first)], model.volumes[int(pair.second)]
        gap = model.threshold
        if model.threshold < np.inf:
            gap = box_gap(first, second, poses[int(first.pose)], poses[int(second.pose)], model.threshold)
        out[k] = PairDistance(
            max(gap, model.threshold), nothing, nothing, nothing, 0.0, 0.0, np.array([0.0, 0.0])
        )
        if gap < model.threshold or model.threshold == np.inf:
            _enqueue(model, k, queue, placed, out)
    measure_all(queue, placed, out)
    for k, pair in enumerate(model.pairs):
        if out[k].exact > 0.0:
            starts = np.array([model.volumes[int(pair.first)].first, model.volumes[int(pair.second)].first])
            out[k] = out[k]._replace(elements=out[k].elements - starts)


@routine
def box_gap(first: Volume, second: Volume, pose: Pose, other_pose: Pose, threshold: float) -> float:
    """A bound from below for the distance of two volumes: a gap between their boxes, 000 section 6.10.

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

    motions: (6, velocities) of the joints, [v; w] at the origin of the world. 000 (5.6) in its robust form: a joint
    that carries both volumes changes nothing.
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


@routine(fused=True)
def all_distances(
    model: Model,
    positions: Array,
    rotations: Array,
    motions: Array,
    out: ArrayOf[PairDistance],
    rows: Array,
) -> None:
    """Distances (batch, pairs) and rows (batch, pairs, velocities) of a batch of configurations.

    positions: (batch, poses, 3). rotations: (batch, poses, 3, 3). motions: (batch, 6, velocities).
    """
    placed, poses = room_for(len(model.elements)), new_records(Pose, positions.shape[1])
    queue = new_queue(_most_centers(model))
    for b in range(len(positions)):
        for p in range(len(poses)):
            poses[p] = Pose(positions[b, p], rotations[b, p])
        volume_distances(model, poses, placed, queue, out[b])
        if motions.shape[2] > 0:
            distance_rows(model, motions[b], out[b], rows[b])


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
    queue, out = new_queue(_most_centers(model)), new_records(PairDistance, len(model.pairs))
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
    placed, queue = room_for(len(model.elements)), new_queue(_most_centers(model))
    volume_distances(model, as_records(Pose, inputs), placed, queue, as_records(PairDistance, outputs))


@cache
def callback() -> RoutineCallback:
    """The pairs of a model as a C function: poses in, results out, the model as data."""
    return RoutineCallback(_answer)
