"""Which of many boxes overlap: three methods behind one interface (Ayit 2015, chapter 2).

All give the same pairs. Exhaustive search costs n^2 but little; sweep and prune remembers the order of the last
call and is fast while things move little; the hashed grid needs no memory of the last call and takes boxes of very
different sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.contact.distance_functions import Surface
from footfall.errors import GeometryError, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.scene.shapes import MeshShape

# Axis-aligned boxes around shapes.


def bounding_box(shape: Surface, pose: Transform) -> tuple[Array, Array]:
    """Least and greatest coordinates (3,) in the world of a shape at a pose, m.

    Ground that does not end has infinite ones: a plane on the sides where it does not end, a height map throughout.
    """
    rotation, center = np.asarray(pose.rotation), np.asarray(pose.translation)
    match shape:
        case Sphere(radius):
            half = np.full(3, radius)
        case Box(size):
            half = np.abs(rotation) @ np.array(size) / 2
        case Capsule(radius, length):
            half = np.abs(rotation[:, 2]) * length / 2 + radius
        case Cylinder(radius, length):
            axis = rotation[:, 2]
            half = np.abs(axis) * length / 2 + radius * np.sqrt(np.maximum(0.0, 1.0 - axis**2))
        case Mesh(path, scale):
            from footfall.geometry.mesh import load_mesh  # slow to import

            points = load_mesh(path, scale=scale).corners.reshape(-1, 3) @ rotation.T + center
            return points.min(axis=0), points.max(axis=0)
        case MeshShape():
            points = shape.mesh.corners.reshape(-1, 3) @ rotation.T + center
            return points.min(axis=0), points.max(axis=0)
        case Plane():
            return _half_space(rotation[:, 2], center)
        case HeightMap():
            return np.full(3, -np.inf), np.full(3, np.inf)
        case _:
            raise GeometryError(f"a {type(shape).__name__} has no bounding box", subject=("shape", "bounds"))
    return center - half, center + half


def swept_bounds(lower: Array, upper: Array, velocities: Array, dt: float) -> tuple[Array, Array]:
    """Boxes (n, 3) that hold over a time dt (s) of motion with velocities (n, 3) in m/s (Ayit 2015, chapter 2)."""
    reach = np.abs(np.asarray(velocities)) * dt
    return lower - reach, upper + reach


def _half_space(normal: Array, point: Array) -> tuple[Array, Array]:
    lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
    axis = int(np.abs(normal).argmax())
    if abs(normal[axis]) == 1.0:
        side = upper if normal[axis] > 0.0 else lower
        side[axis] = point[axis]
    return lower, upper


class BroadPhase(Protocol):
    """A method that finds overlapping boxes."""

    def pairs(self, lower: Array, upper: Array) -> Integers:
        """Pairs (m, 2) of indices, the smaller first, sorted; boxes from lower (n, 3) to upper (n, 3) that touch count.

        Infinite boxes are allowed.
        """


class Exhaustive:
    """Compare each box with each other one."""

    def pairs(self, lower: Array, upper: Array) -> Integers:
        """See `BroadPhase.pairs`."""
        lower, upper = _checked(lower, upper)
        overlap = np.ones((len(lower), len(lower)), dtype=bool)
        for axis in range(3):
            overlap &= lower[:, None, axis] <= upper[None, :, axis]
        overlap &= overlap.T
        return np.argwhere(np.triu(overlap, 1))


class SweepAndPrune:
    """Keep the ends of all boxes sorted along each axis.

    From call to call the order changes little, so insertion sort repairs it in about linear time, and each swap of a
    lower with an upper end changes whether one pair overlaps on that axis. It needs n^2 bytes.
    """

    _MOST = 20_000

    def __init__(self) -> None:
        self._count = -1
        self._ends: Integers = np.zeros((3, 0), dtype=np.int64)
        self._axes: np.ndarray[Any, np.dtype[np.uint8]] = np.zeros((0, 0), dtype=np.uint8)
        self._overlapping: set[tuple[int, int]] = set()

    def pairs(self, lower: Array, upper: Array) -> Integers:
        """See `BroadPhase.pairs`. Another number of boxes than before starts anew."""
        lower, upper = _checked(lower, upper)
        count = len(lower)
        if count > self._MOST:
            raise GeometryError(
                f"{count} boxes are too many for sweep and prune, which takes {self._MOST}; use the grid",
                subject=("broad phase", "sweep"),
            )
        if count != self._count:
            self._start(count)
        changed = sort_endpoints(lower, upper, self._ends, self._axes)
        for first, second in changed.tolist():
            if self._axes[first, second] == 3:
                self._overlapping.add((first, second))
            else:
                self._overlapping.discard((first, second))
        result = np.array(sorted(self._overlapping), dtype=np.int64)
        return result.reshape(-1, 2)

    def _start(self, count: int) -> None:
        """Boxes one after another on each axis, none overlapping: a state that sorting can start from."""
        self._count = count
        self._ends = np.tile(np.arange(2 * count), (3, 1))
        self._axes = np.zeros((count, count), dtype=np.uint8)
        self._overlapping = set()


class HashedGrid:
    """Cells of sizes that double from level to level, found by hashing.

    A box is stored in the cells it meets on the level whose cells are just larger than it, eight at most, and meets
    those stored in its own cells on this and all coarser levels.
    """

    def pairs(self, lower: Array, upper: Array) -> Integers:
        """See `BroadPhase.pairs`."""
        lower, upper = _checked(lower, upper)
        finite = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
        bounded, endless = np.flatnonzero(finite), np.flatnonzero(~finite)
        found = [_bounded_pairs(lower[bounded], upper[bounded], bounded)]
        everything = np.arange(len(lower))
        found += [np.column_stack([np.full(len(everything), k), everything]) for k in endless]
        return _overlapping(np.concatenate(found), lower, upper)


def _bounded_pairs(lower: Array, upper: Array, names: Integers) -> Integers:
    """Candidate pairs of finite boxes, by their names."""
    if len(names) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    edges = (upper - lower).max(axis=1)
    extent = max(float((upper.max(axis=0) - lower.min(axis=0)).max()), 1e-300)
    positive = edges[edges > 1e-6 * extent]
    smallest = float(positive.min()) if len(positive) else extent
    levels = np.ceil(np.log2(np.maximum(edges, smallest) / smallest) - 1e-9).astype(np.int64)
    origin = lower.min(axis=0)
    found = []
    for level in np.unique(levels):
        size = smallest * 2.0 ** float(level) * (1 + 1e-6)  # a box may be exactly as large as a cell
        first = np.floor((lower - origin) / size).astype(np.int64)
        last = np.floor((upper - origin) / size).astype(np.int64)
        stored_keys, stored = _cells(first, last, np.flatnonzero(levels == level))
        asked_keys, asked = _cells(first, last, np.flatnonzero(levels <= level))
        order = np.argsort(stored_keys, kind="stable")
        begin = np.searchsorted(stored_keys[order], asked_keys, side="left")
        end = np.searchsorted(stored_keys[order], asked_keys, side="right")
        counts = end - begin
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        partners = stored[order][np.repeat(begin, counts) + within]
        found.append(np.column_stack([names[np.repeat(asked, counts)], names[partners]]))
    return np.concatenate(found)


def _cells(first: Integers, last: Integers, members: Integers) -> tuple[Integers, Integers]:
    """Keys of the cells that the members meet, at most two along each axis, and the members they belong to."""
    keys, owners = [], []
    for corner in range(8):
        shift = np.array([corner & 1, corner >> 1 & 1, corner >> 2])
        cell = first[members] + shift
        inside = (cell <= last[members]).all(axis=1)
        x, y, z = cell[inside].T
        # Different cells may share a key: that costs a comparison, nothing else.
        keys.append(x * 73856093 ^ y * 19349663 ^ z * 83492791)
        owners.append(members[inside])
    return np.concatenate(keys), np.concatenate(owners)


def _overlapping(pairs: Integers, lower: Array, upper: Array) -> Integers:
    """Those pairs that do overlap, each once, sorted."""
    pairs = np.sort(pairs, axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    a, b = pairs[:, 0], pairs[:, 1]
    overlap = ((lower[a] <= upper[b]) & (lower[b] <= upper[a])).all(axis=1)
    return np.unique(pairs[overlap], axis=0)


BROAD_PHASES: dict[str, Callable[[], BroadPhase]] = {
    "exhaustive": Exhaustive,
    "sweep": SweepAndPrune,
    "grid": HashedGrid,
}


def broad_phase(method: str = "sweep") -> BroadPhase:
    """A broad phase of one of `BROAD_PHASES`."""
    if method not in BROAD_PHASES:
        raise UnknownName("broad phase", method, BROAD_PHASES, "footfall")
    return BROAD_PHASES[method]()


def _checked(lower: Array, upper: Array) -> tuple[Array, Array]:
    lower = np.ascontiguousarray(lower, dtype=np.float64)
    upper = np.ascontiguousarray(upper, dtype=np.float64)
    if lower.ndim != 2 or lower.shape[1] != 3 or lower.shape != upper.shape:
        message = f"boxes have shapes {lower.shape} and {upper.shape}; both must be (n, 3)"
        raise GeometryError(message, subject=("broad phase", "boxes"))
    wrong = ~(lower <= upper).all(axis=1)
    if wrong.any():
        index = int(np.argmax(wrong))
        message = f"box {index} goes from {lower[index].tolist()} to {upper[index].tolist()}; it must not be inverted"
        raise GeometryError(message, subject=("broad phase", "boxes"))
    return lower, upper


@routine
def sort_endpoints(lower: Array, upper: Array, ends: Integers, axes: Any) -> Integers:
    """Sort the ends (3, 2n) of n boxes along each axis, 2 k for the lower and 2 k + 1 for the upper end of box k.

    axes: (n, n), on how many axes a pair overlaps, the smaller index first; kept up to date. Gives the pairs (m, 2)
    that changed, some more than once. A lower end comes before an upper one at the same place, since touching counts.
    """
    changed: list[tuple[int, int]] = []
    for axis in range(3):
        order = ends[axis]
        for k in range(1, len(order)):
            moving = order[k]
            box, high = moving >> 1, moving & 1
            value = upper[box, axis] if high else lower[box, axis]
            place = k
            while place > 0:
                left = order[place - 1]
                other, other_high = left >> 1, left & 1
                other_value = upper[other, axis] if other_high else lower[other, axis]
                if other_value < value or (other_value == value and other_high <= high):
                    break
                if other_high != high:
                    first, second = min(box, other), max(box, other)
                    if other_high:
                        axes[first, second] += 1
                    else:
                        axes[first, second] -= 1
                    changed.append((first, second))
                order[place] = left
                place -= 1
            order[place] = moving
    result = np.empty((len(changed), 2), dtype=np.int64)
    for k in range(len(changed)):
        result[k, 0], result[k, 1] = changed[k]
    return result
