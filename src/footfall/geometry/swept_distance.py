"""Distances of swept-sphere volumes: of two, and of many pairs in one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import as_records, record_dtype
from footfall.compiler.threads import share_rows
from footfall.errors import GeometryError
from footfall.geometry.swept_blocks import PairDistance, element_distances, element_gaps
from footfall.geometry.swept_pairs import all_distances, pack_model
from footfall.geometry.swept_sphere import WIDTH, Element, SweptSphere, SweptVolume, pack
from footfall.math.transform import Transform, identity_transform

_PIECE = 4096  # pairs that a thread measures at a time, in a tenth of a millisecond or so


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
    elements: Array

    @property
    def bounded_distance(self) -> Any:
        """Distance (...), m, with cores that cross counted as touching: never below minus both radii, 003b 7.1."""
        return self.distance - np.minimum(self.core_distance, 0.0)


def swept_distance(
    first: SweptSphere | SweptVolume,
    second: SweptSphere | SweptVolume,
    *,
    first_pose: Transform | None = None,
    second_pose: Transform | None = None,
    threshold: float = math.inf,
) -> SweptDistances:
    """Distance of two volumes with closest points, 000 (6.7) to (6.12).

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
    out = np.empty(1, record_dtype(PairDistance))
    still = np.empty((1, 6, 0))
    all_distances(model, positions[None], rotations[None], still, out[None], np.empty((1, 1, 0)))
    return unpacked(out[0])


def swept_distances(
    first: Sequence[SweptSphere] | Array, second: Sequence[SweptSphere] | Array, *, threads: int | None = None
) -> SweptDistances:
    """Distances of many pairs of elements, the k-th of both, in one native call.

    first, second: elements of one frame, or what `footfall.geometry.swept_sphere.pack` makes of them. threads: how many
    share the work (default: all cores).
    """
    ones, others = _both(first, second)
    out = np.empty(len(ones), record_dtype(PairDistance))

    def measure(part: slice) -> None:
        element_distances(ones[part], others[part], out[part])

    share_rows(measure, len(out), piece=_PIECE, threads=threads)
    return unpacked(out)


def swept_gaps(
    first: Sequence[SweptSphere] | Array, second: Sequence[SweptSphere] | Array, *, threads: int | None = None
) -> Array:
    """Distances (n,) alone of many pairs of elements, m: as `swept_distances`, without points and normals."""
    ones, others = _both(first, second)
    out = np.empty(len(ones))

    def measure(part: slice) -> None:
        element_gaps(ones[part], others[part], out[part])

    share_rows(measure, len(out), piece=_PIECE, threads=threads)
    return out


def _both(first: Sequence[SweptSphere] | Array, second: Sequence[SweptSphere] | Array) -> tuple[Any, Any]:
    """Elements of pairs as records, as many of both."""
    ones, others = (as_records(Element, _packed(each)) for each in (first, second))
    if len(ones) != len(others):
        message = f"{len(ones)} elements against {len(others)}; there must be as many of both"
        raise GeometryError(message, subject=("swept volume", "pairs"))
    return ones, others


def unpacked(results: Any) -> SweptDistances:
    """Results (...) of `PairDistance` as they are told to users."""
    many = results.ndim > 0
    return SweptDistances(
        results["distance"] if many else float(results["distance"]),
        results["normal"],
        results["first_point"],
        results["second_point"],
        results["core_distance"] if many else float(results["core_distance"]),
        results["exact"] > 0.0 if many else bool(results["exact"] > 0.0),
        results["elements"].astype(np.int64),
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
