"""Native loops over pairs of swept-sphere volumes: elements, whole volumes at poses, and rows of Jacobians.

A model packs volumes and the pairs of them that count into one array, so that traced kernels can carry it along.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import RoutineCallback, routine
from footfall.geometry.swept_cores import core_distance
from footfall.geometry.swept_sphere import WIDTH, SweptVolume

POSE = 12  # position, rotation by rows
RESULT = 14  # distance, normal (3), points on the surfaces (3, 3), distance of the cores, exact, elements (2)
ROOM = 18  # of numbers that `core_distance` may write
_PAIR = 8  # first element and number of elements of both, first column and number of columns, volumes
_CORNERS = 6  # where the corners stand in a row
_FAR = -1.0  # in place of `exact`: need not be searched
# Header: size of the array, numbers of poses, volumes, elements and pairs, threshold, where volumes, pairs and columns
# begin; elements follow the header.
_HEADER = 9
_VOLUME = (
    10  # pose, first element, number of elements, middle (3), half lengths (3) and half diagonal of the box
)
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
        [pose, start, len(volume), *middle, *half, np.linalg.norm(half)]
        for pose, start, volume, (middle, half) in zip(poses, starts, volumes, boxes, strict=False)
    ]
    offsets = np.cumsum([0, *(len(each) for each in columns)])
    pair_records = [
        [starts[i], len(volumes[i]), starts[j], len(volumes[j]), offset, len(own), i, j]
        for (i, j), offset, own in zip(pairs, offsets, columns, strict=False)
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


@routine
def place_elements(model: Array, poses: Array, data: Array) -> None:
    """Rows of all elements, moved to poses (poses * POSE,)."""
    for volume in range(int(model[2])):
        v = int(model[6]) + volume * _VOLUME
        p = int(model[v]) * POSE
        for e in range(int(model[v + 1]), int(model[v + 1]) + int(model[v + 2])):
            row, place = _HEADER + e * WIDTH, e * WIDTH
            for k in range(3):
                data[place + k] = model[row + k]
            for k in range(3, WIDTH, 3):
                x, y, z = model[row + k], model[row + k + 1], model[row + k + 2]
                for i in range(3):
                    r = p + 3 + 3 * i
                    data[place + k + i] = poses[p + i] + poses[r] * x + poses[r + 1] * y + poses[r + 2] * z


@routine
def least_distance(
    data: Array, start: int, count: int, other: int, others: int, room: int, out: Array, k: int
) -> None:
    """The least distance of `count` elements from `start` on to `others` from `other` on; the result begins at k.

    Searched is for what is closer than the distance that stands in the result.
    """
    best = out[k]
    for e in range(start, start + count):
        for f in range(other, other + others):
            i, j, p, q, sign = e * WIDTH, f * WIDTH, k + 4, k + 7, 1.0
            if data[i] > data[j]:
                i, j, p, q, sign = j, i, q, p, -1.0
            r, s = data[i + 1], data[j + 1]
            x, y, z = data[i + 3] - data[j + 3], data[i + 4] - data[j + 4], data[i + 5] - data[j + 5]
            reach = best + r + s + data[i + 2] + data[j + 2]
            if reach <= 0.0 or x * x + y * y + z * z > reach * reach:
                continue  # spheres around them are farther apart than that
            core, nx, ny, nz, px, py, pz, qx, qy, qz = core_distance(
                data, i + _CORNERS, int(data[i]), j + _CORNERS, int(data[j]), room
            )
            if core - (r + s) < best:
                best = core - (r + s)  # 000 (6.12)
                out[k], out[k + 10], out[k + 11] = best, core, 1.0
                out[k + 1], out[k + 2], out[k + 3] = sign * nx, sign * ny, sign * nz
                out[p], out[p + 1], out[p + 2] = px + r * nx, py + r * ny, pz + r * nz  # 000 (6.9)
                out[q], out[q + 1], out[q + 2] = qx - s * nx, qy - s * ny, qz - s * nz
                out[k + 12], out[k + 13] = e - start, f - other


@routine
def element_distances(data: Array, count: int, out: Array) -> None:
    """Distances of many pairs of elements, results (count * RESULT,).

    data: packed rows of the first elements, of the second ones, and room for `core_distance`.
    """
    for pair in range(count):
        out[RESULT * pair] = np.inf
        least_distance(data, pair, 1, count + pair, 1, 2 * count * WIDTH, out, RESULT * pair)


@routine
def spare_far_pairs(model: Array, poses: Array, out: Array) -> None:
    """Results as they are before a search: the threshold, and a bound where boxes are farther apart than that."""
    threshold, volumes = model[5], int(model[6])
    for pair in range(int(model[4])):
        k, record = RESULT * pair, int(model[7]) + _PAIR * pair
        for i in range(1, RESULT):
            out[k + i] = 0.0
        out[k] = threshold
        if threshold < np.inf:
            first = volumes + int(model[record + 6]) * _VOLUME
            second = volumes + int(model[record + 7]) * _VOLUME
            gap = box_gap(model, first, second, poses, threshold)
            if gap >= threshold:
                out[k], out[k + 11] = gap, _FAR


@routine
def volume_distances(model: Array, poses: Array, data: Array, out: Array) -> None:
    """Distances of all pairs of a model, (pairs * RESULT,), at poses (poses * POSE,).

    data: room for the rows of all elements and for `core_distance`.
    """
    place_elements(model, poses, data)
    spare_far_pairs(model, poses, out)
    for pair in range(int(model[4])):
        k, record = RESULT * pair, int(model[7]) + _PAIR * pair
        if out[k + 11] == _FAR:
            out[k + 11] = 0.0
            continue
        start, other = int(model[record]), int(model[record + 2])
        count, others = int(model[record + 1]), int(model[record + 3])
        least_distance(data, start, count, other, others, int(model[3]) * WIDTH, out, k)


@routine
def box_gap(model: Array, first: int, second: int, poses: Array, threshold: float) -> float:
    """A bound from below for the distance of two volumes: a gap between their boxes, 000 section 6.10.

    Along the axes of both and those across one of each, until one is as wide as the threshold: then boxes that are
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
    widest = (
        np.sqrt(cx * cx + cy * cy + cz * cz) - model[first + 9] - model[second + 9]
    )  # of spheres around them
    for axis in range(15):
        if widest >= threshold:
            break
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


@routine
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
        record = pairs + _PAIR * pair
        start = columns + 2 * int(model[record + 4])
        for c in range(start, start + 2 * int(model[record + 5]), 2):
            v = int(model[c])
            linear = nx * motions[v] + ny * motions[velocities + v] + nz * motions[2 * velocities + v]
            angular = (
                mx * motions[3 * velocities + v]
                + my * motions[4 * velocities + v]
                + mz * motions[5 * velocities + v]
            )
            rows[row + v] = model[c + 1] * (linear + angular)


@routine
def all_distances(
    model: Array, positions: Array, rotations: Array, motions: Array, velocities: int, out: Array, rows: Array
) -> None:
    """Distances (batch * pairs * RESULT,) and rows (batch * pairs * velocities,) of a batch of configurations.

    positions: (batch * poses * 3,). rotations: (batch * poses * 9,). motions: (batch * 6 * velocities,).
    """
    data = np.empty(int(model[3]) * WIDTH + ROOM)
    count, pairs = int(model[1]), int(model[4])
    poses = np.empty(count * POSE)
    for b in range(len(positions) // (3 * count)):
        for p in range(count):
            for i in range(3):
                poses[POSE * p + i] = positions[3 * (b * count + p) + i]
            for i in range(9):
                poses[POSE * p + 3 + i] = rotations[9 * (b * count + p) + i]
        found = out[b * pairs * RESULT : (b + 1) * pairs * RESULT]
        volume_distances(model, poses, data, found)
        if velocities > 0:
            own = motions[6 * b * velocities : 6 * (b + 1) * velocities]
            distance_rows(model, own, velocities, found, rows[b * pairs * velocities :])


@routine
def _answer(inputs: Array, outputs: Array, data: Array) -> None:
    work = np.empty(int(data[3]) * WIDTH + ROOM)
    volume_distances(data, inputs, work, outputs)


@cache
def callback() -> RoutineCallback:
    """The pairs of a model as a C function: poses in, results out, the model as data."""
    return RoutineCallback(_answer)
