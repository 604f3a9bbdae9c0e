"""Distances of swept-sphere volumes: of two, and of many pairs in one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.threads import share_rows
from footfall.errors import GeometryError
from footfall.geometry.swept_lanes import ROWS
from footfall.geometry.swept_pairs import DistanceRows, all_distances, pack_model
from footfall.geometry.swept_rows import PointRows, element_distances
from footfall.geometry.swept_sphere import WIDTH, SweptSphere, SweptVolume, pack
from footfall.math.transform import Transform, identity_transform

_PAIRS_A_PIECE = 4096  # pairs that a thread measures at a time, in a tenth of a millisecond or so


class SweptDistances(NamedTuple):
    """How far volumes are apart, for one pair or for arrays of them with leading axes (...).

    distance: (...), m; negative where they overlap, minus the least way that parts the two closest elements. normal:
    (..., 3) unit vector from the first to the second. first_point, second_point: (..., 3) on their surfaces, m; the
    second is the first plus distance times normal. core_distance: (...), m, of points, lines and triangles without
    their radii; zero or below where these touch or cross. exact: (...), false where a threshold spared the search:
    then distance is a bound from below and the rest zero. elements: (..., 2) which of each are closest.
    """

    distance: Any
    normal: Array
    first_point: Array
    second_point: Array
    core_distance: Any
    exact: Any
    elements: Integers

    @property
    def bounded_distance(self) -> Any:
        """Distance (...), m, with cores that cross counted as touching: never below minus both radii.

        Seiwald 2023, appendix C.
        """
        return self.distance - np.minimum(self.core_distance, 0.0)


def swept_distance(
    first: SweptSphere | SweptVolume,
    second: SweptSphere | SweptVolume,
    *,
    first_pose: Transform | None = None,
    second_pose: Transform | None = None,
    threshold: float = math.inf,
) -> SweptDistances:
    """Distance of two volumes with closest points, Schwienbacher 2014, (6.7) to (6.12).

    first_pose, second_pose: where their frames stand; by default both are given in one frame. threshold: m; volumes
    whose boxes are farther apart are not searched.
    """
    volumes = [each if isinstance(each, SweptVolume) else SweptVolume((each,)) for each in (first, second)]
    poses = [identity_transform() if pose is None else pose for pose in (first_pose, second_pose)]
    model = pack_model(volumes, (0, 1), [(0, 1)], threshold=checked_threshold(threshold), columns=[()])
    positions = np.array([pose.translation for pose in poses], dtype=np.float64)
    rotations = np.array([pose.rotation for pose in poses], dtype=np.float64)
    if not (np.isfinite(positions).all() and np.isfinite(rotations).all()):
        raise GeometryError(f"poses are {poses}; all must be finite", subject=("swept volume", "pose"))
    found = new_rows(1)
    all_distances(model, positions, rotations, np.empty((6, 0)), found, np.empty((1, 0)))
    return SweptDistances(
        float(found.distance[0]),
        found.normal[0],
        found.first_point[0],
        found.second_point[0],
        float(found.core_distance[0]),
        bool(found.exact[0]),
        found.elements[0],
    )


def swept_distances(
    first: Sequence[SweptSphere] | Array, second: Sequence[SweptSphere] | Array, *, threads: int | None = None
) -> SweptDistances:
    """Distances of many pairs of elements, the k-th of both, in one native call.

    first, second: elements of one frame, or what `footfall.geometry.swept_sphere.pack` makes of them. threads: how many
    share the work (default: all cores).
    """
    ones, others = _both(first, second)
    count = len(ones) // ROWS
    # One piece of memory, as the next call will want it: many small ones go back to the system, and come back slowly.
    room = np.empty(11 * count)
    distance, points = room[:count], room[2 * count :].reshape(3, count, 3)
    core_distance, (normal, first_point, second_point) = room[count : 2 * count], points
    rows = PointRows(core_distance, normal, first_point, second_point)
    _measure(ones, others, distance, rows, threads)
    exact, elements = np.ones(count, dtype=bool), np.zeros((count, 2), dtype=np.int64)
    return SweptDistances(distance, normal, first_point, second_point, core_distance, exact, elements)


def swept_gaps(
    first: Sequence[SweptSphere] | Array, second: Sequence[SweptSphere] | Array, *, threads: int | None = None
) -> Array:
    """Distances (n,) alone of many pairs of elements, m: as `swept_distances`, without points and normals."""
    ones, others = _both(first, second)
    distance = np.empty(len(ones) // ROWS)
    _measure(ones, others, distance, None, threads)
    return distance


def _measure(
    ones: Array, others: Array, distance: Array, points: PointRows | None, threads: int | None
) -> None:
    """Fill the rows of all pairs."""
    if len(distance) <= _PAIRS_A_PIECE:
        element_distances(ones, others, distance, points)
        return

    def measure(part: slice) -> None:
        vectors = slice(ROWS * part.start, ROWS * part.stop)
        own = None if points is None else PointRows(*(each[part] for each in points))
        element_distances(ones[vectors], others[vectors], distance[part], own)

    share_rows(measure, len(distance), piece=_PAIRS_A_PIECE, threads=threads)


def _both(first: Sequence[SweptSphere] | Array, second: Sequence[SweptSphere] | Array) -> tuple[Array, Array]:
    """The numbers of as many elements of both as vectors."""
    ones, others = _packed(first), _packed(second)
    if len(ones) != len(others):
        message = f"{len(ones)} elements against {len(others)}; there must be as many of both"
        raise GeometryError(message, subject=("swept volume", "pairs"))
    return ones.reshape(-1, 3), others.reshape(-1, 3)


def new_rows(count: int) -> DistanceRows:
    """Room for what is found for so many pairs."""
    return DistanceRows(
        np.empty(count),
        np.empty((count, 3)),
        np.empty((count, 3)),
        np.empty((count, 3)),
        np.empty(count),
        np.empty(count, bool),
        np.empty((count, 2), np.int64),
    )


def checked_threshold(threshold: float) -> float:
    """A distance beyond which none need be exact, m."""
    if not threshold > 0.0:
        message = f"threshold is {threshold}; it must be positive (infinite for exact distances of all)"
        raise GeometryError(message, subject=("swept volume", "pairs"))
    return float(threshold)


def _packed(elements: Sequence[SweptSphere] | Array) -> Array:
    if not isinstance(elements, np.ndarray):
        return pack(elements)
    if elements.ndim != 2 or elements.shape[1] != WIDTH or elements.dtype != np.float64:
        message = f"packed elements are {elements.dtype} {elements.shape}; they must be float64 (n, {WIDTH})"
        raise GeometryError(message, subject=("swept volume", "pairs"))
    return np.ascontiguousarray(elements)
