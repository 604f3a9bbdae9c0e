"""Native loops over pairs of swept-sphere volumes: elements, whole volumes at poses, and rows of Jacobians.

A model packs volumes and the pairs of them that count into one array, so that traced kernels can carry it along.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from footfall.compiler.native_loops import native_callback, native_loop
from footfall.geometry.swept_cores import core_distance
from footfall.geometry.swept_sphere import WIDTH, SweptVolume

Array = np.ndarray[Any, np.dtype[np.float64]]

POSE = 12  # position, rotation by rows
RESULT = 14  # distance, normal (3), points on the surfaces (3, 3), distance of the cores, exact, elements (2)
_CORNERS = 6  # where the corners stand in a row
ROOM = 18  # of numbers that `core_distance` may write
# Header: size of the array, numbers of poses, volumes, elements and pairs, threshold, where volumes, pairs and columns
# begin; elements follow the header.
_HEADER = 9
_VOLUME = 9  # pose, first element, number of elements, middle (3) and half lengths (3) of the box
_PAIR = 4  # volumes, first column, number of columns
_TINY = 1e-12  # square of the sine between axes of boxes that span no plane


def pack_model(
    volumes: Sequence[SweptVolume],
    poses: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    *,
    threshold: float,
    columns: Sequence[Sequence[tuple[int, float]]],
) -> Array:
    """The model as one array.

    poses: for each volume the number of the pose that moves it. threshold: m; farther pairs need no exact distance.
    columns: for each pair the velocities that change its distance, with 1 if they carry the second volume, -1 if the
    first.
    """
    elements = np.concatenate([volume.packed for volume in volumes]).ravel()
    starts = np.cumsum([0, *(len(volume) for volume in volumes)])
    boxes = [(volume.bounds.mean(axis=0), np.diff(volume.bounds, axis=0)[0] / 2) for volume in volumes]
    records = [
        [pose, start, len(volume), *middle, *half]
        for pose, start, volume, (middle, half) in zip(poses, starts, volumes, boxes, strict=False)
    ]
    offsets = np.cumsum([0, *(len(each) for each in columns)])
    pair_records = [
        [i, j, offset, len(own)] for (i, j), offset, own in zip(pairs, offsets, columns, strict=False)
    ]
    body = [
        elements,
        np.ravel(records),
        np.ravel(pair_records),
        np.ravel([c for own in columns for c in own]),
    ]
    ends = _HEADER + np.cumsum([len(part) for part in body])
    counts = [max(poses) + 1, len(volumes), starts[-1], len(pairs)]
    header = [ends[-1], *counts, threshold, *ends[:3]]
    return np.concatenate([header, *body]).astype(np.float64)


@native_loop
def place_element(source: Array, row: int, pose: Array, p: int, target: Array, place: int) -> None:
    """Copy the element whose row begins at `row`, moved by the pose that begins at p."""
    for k in range(3):
        target[place + k] = source[row + k]
    for k in range(3, WIDTH, 3):
        x, y, z = source[row + k], source[row + k + 1], source[row + k + 2]
        for i in range(3):
            r = p + 3 + 3 * i
            target[place + k + i] = pose[p + i] + pose[r] * x + pose[r + 1] * y + pose[r + 2] * z


@native_loop
def write_distance(data: Array, i: int, j: int, room: int, out: Array, k: int) -> float:
    """Distance of the elements whose rows begin at i and j; it and what belongs to it go to out, from k on."""
    p, q, sign = k + 4, k + 7, 1.0
    if data[i] > data[j]:
        i, j, p, q, sign = j, i, q, p, -1.0
    core, nx, ny, nz, px, py, pz, qx, qy, qz = core_distance(
        data, i + _CORNERS, int(data[i]), j + _CORNERS, int(data[j]), room
    )
    r, s = data[i + 1], data[j + 1]
    out[k], out[k + 10] = core - (r + s), core  # 000 (6.12)
    out[k + 1], out[k + 2], out[k + 3] = sign * nx, sign * ny, sign * nz
    out[p], out[p + 1], out[p + 2] = px + r * nx, py + r * ny, pz + r * nz  # 000 (6.9)
    out[q], out[q + 1], out[q + 2] = qx - s * nx, qy - s * ny, qz - s * nz
    return float(core - (r + s))


@native_loop
def element_distances(data: Array, out: Array) -> None:
    """Distances of many pairs of elements, results (n * RESULT,).

    data: packed rows of the first elements, of the second ones and room for `core_distance`, in one array.
    """
    count = len(out) // RESULT
    second, room = count * WIDTH, 2 * count * WIDTH
    for row in range(count):
        k = RESULT * row
        write_distance(data, row * WIDTH, second + row * WIDTH, room, out, k)
        out[k + 11], out[k + 12], out[k + 13] = 1.0, 0.0, 0.0


@native_loop
def volume_distances(model: Array, poses: Array, data: Array, out: Array) -> None:
    """Distances of all pairs of a model, (pairs * RESULT,), at poses (poses * POSE,).

    data: room for all elements, for `core_distance` and for one result.
    """
    threshold, volumes, pairs = model[5], int(model[6]), int(model[7])
    for v in range(volumes, volumes + int(model[2]) * _VOLUME, _VOLUME):
        for e in range(int(model[v + 1]), int(model[v + 1]) + int(model[v + 2])):
            place_element(model, _HEADER + e * WIDTH, poses, int(model[v]) * POSE, data, e * WIDTH)
    room = int(model[3]) * WIDTH
    for pair in range(int(model[4])):
        k = RESULT * pair
        first = volumes + int(model[pairs + _PAIR * pair]) * _VOLUME
        second = volumes + int(model[pairs + _PAIR * pair + 1]) * _VOLUME
        for i in range(1, RESULT):
            out[k + i] = 0.0
        out[k] = threshold
        if threshold < np.inf:
            gap = box_gap(model, first, second, poses)
            if gap >= threshold:
                out[k] = gap
                continue
        _least_of_pair(model, first, second, data, room, out, k)


@native_loop
def _least_of_pair(model: Array, first: int, second: int, data: Array, room: int, out: Array, k: int) -> None:
    """The least distance of elements of two volumes, where it is below what stands in out[k] already."""
    start, other_start = int(model[first + 1]), int(model[second + 1])
    for e in range(start, start + int(model[first + 2])):
        i = e * WIDTH
        for f in range(other_start, other_start + int(model[second + 2])):
            j = f * WIDTH
            apart = (
                (data[i + 3] - data[j + 3]) ** 2
                + (data[i + 4] - data[j + 4]) ** 2
                + (data[i + 5] - data[j + 5]) ** 2
            )
            reach = out[k] + data[i + 1] + data[j + 1] + data[i + 2] + data[j + 2]
            if reach <= 0.0 or apart > reach * reach:
                continue  # spheres around them are farther apart than that
            candidate = room + ROOM
            if write_distance(data, i, j, room, data, candidate) < out[k]:
                for n in range(11):
                    out[k + n] = data[candidate + n]
                out[k + 11], out[k + 12], out[k + 13] = 1.0, e - start, f - other_start


@native_loop
def box_gap(model: Array, first: int, second: int, poses: Array) -> float:
    """A bound from below for the distance of two volumes: the widest gap between their boxes, 000 section 6.10.

    Along the axes of both and those across one of each; where one gap is as wide as the threshold, boxes that are
    enlarged by half of it do not meet.
    """
    p, q = POSE * int(model[first]), POSE * int(model[second])
    cx = cy = cz = 0.0
    for sign, box, pose in ((-1.0, first, p), (1.0, second, q)):
        x, y, z = model[box + 3], model[box + 4], model[box + 5]
        r = pose + 3
        cx += sign * (poses[pose] + poses[r] * x + poses[r + 1] * y + poses[r + 2] * z)
        cy += sign * (poses[pose + 1] + poses[r + 3] * x + poses[r + 4] * y + poses[r + 5] * z)
        cz += sign * (poses[pose + 2] + poses[r + 6] * x + poses[r + 7] * y + poses[r + 8] * z)
    widest = -np.inf
    for axis in range(15):
        i, j = axis % 3, axis // 3 - 2
        if axis < 3:
            nx, ny, nz = poses[p + 3 + i], poses[p + 6 + i], poses[p + 9 + i]
        elif axis < 6:
            nx, ny, nz = poses[q + 3 + i], poses[q + 6 + i], poses[q + 9 + i]
        else:
            ux, uy, uz = poses[p + 3 + i], poses[p + 6 + i], poses[p + 9 + i]
            vx, vy, vz = poses[q + 3 + j], poses[q + 6 + j], poses[q + 9 + j]
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        square = nx * nx + ny * ny + nz * nz
        if square < _TINY:
            continue
        gap = abs(nx * cx + ny * cy + nz * cz)
        for k in range(3):
            gap -= model[first + 6 + k] * abs(
                nx * poses[p + 3 + k] + ny * poses[p + 6 + k] + nz * poses[p + 9 + k]
            )
            gap -= model[second + 6 + k] * abs(
                nx * poses[q + 3 + k] + ny * poses[q + 6 + k] + nz * poses[q + 9 + k]
            )
        widest = max(widest, gap / np.sqrt(square))
    return float(widest)


@native_loop
def distance_rows(model: Array, motions: Array, velocities: int, out: Array, rows: Array) -> None:
    """How velocities change the distances in `out`: rows (pairs * velocities,), zero where a distance is not exact.

    motions: (6 * velocities,) of the joints, [v; w] at the origin of the world. 000 (5.6) in its robust form: a joint
    that carries both volumes changes nothing.
    """
    pairs, columns = int(model[7]), int(model[8])
    for pair in range(int(model[4])):
        row, k = pair * velocities, RESULT * pair
        for n in range(row, row + velocities):
            rows[n] = 0.0
        if out[k + 11] == 0.0:
            continue
        nx, ny, nz = out[k + 1], out[k + 2], out[k + 3]
        x, y, z = (
            out[k + 4],
            out[k + 5],
            out[k + 6],
        )  # a point of the line along the normal: any has the same moment
        mx, my, mz = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
        start = columns + 2 * int(model[pairs + _PAIR * pair + 2])
        for c in range(start, start + 2 * int(model[pairs + _PAIR * pair + 3]), 2):
            v = int(model[c])
            linear = nx * motions[v] + ny * motions[velocities + v] + nz * motions[2 * velocities + v]
            angular = (
                mx * motions[3 * velocities + v]
                + my * motions[4 * velocities + v]
                + mz * motions[5 * velocities + v]
            )
            rows[row + v] = model[c + 1] * (linear + angular)


@native_loop
def all_distances(
    model: Array, positions: Array, rotations: Array, motions: Array, out: Array, rows: Array
) -> None:
    """Distances (batch, pairs, RESULT) and rows (batch, pairs, velocities) of a batch of configurations.

    positions: (batch, poses, 3). rotations: (batch, poses, 3, 3). motions: (batch, 6, velocities).
    """
    data = np.empty(int(model[3]) * WIDTH + ROOM + RESULT)
    poses = np.empty(int(model[1]) * POSE)
    velocities = motions.shape[2]
    for b in range(len(positions)):
        for p in range(int(model[1])):
            for i in range(3):
                poses[POSE * p + i] = positions[b, p, i]
                for j in range(3):
                    poses[POSE * p + 3 + 3 * i + j] = rotations[b, p, i, j]
        found = out[b].reshape(-1)
        volume_distances(model, poses, data, found)
        if velocities > 0:
            distance_rows(model, motions[b].reshape(-1), velocities, found, rows[b].reshape(-1))


def _answer(inputs: Any, outputs: Any, data: Any) -> None:
    model = carray(data, (int(data[0]),))
    work = np.empty(int(data[3]) * WIDTH + ROOM + RESULT)
    poses = carray(inputs, (int(data[1]) * POSE,))
    volume_distances(model, poses, work, carray(outputs, (int(data[4]) * RESULT,)))


@cache
def callback() -> Any:
    """The pairs of a model as a C function: poses in, results out, the model as data."""
    return native_callback(_answer)
