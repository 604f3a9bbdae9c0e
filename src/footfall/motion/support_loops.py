"""Native loops over phases: support areas, and the control points of the zero-moment point between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.math.polygon_loops import centroid, closest, connection, hull

Array = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]


@native_loop
def support_hulls(corners: Array, used: Flags) -> tuple[Array, Integers]:
    """Hulls (P, 8, 2) and their numbers of corners (P,), of the soles in use: corners (P, 2, 4, 2), used (P, 2)."""
    count = len(corners)
    hulls = np.zeros((count, 8, 2))
    sizes = np.zeros(count, dtype=np.int64)
    points = np.empty((8, 2))
    for p in range(count):
        size = 0
        for foot in range(2):
            if used[p, foot]:
                for corner in range(4):
                    points[size, 0] = corners[p, foot, corner, 0]
                    points[size, 1] = corners[p, foot, corner, 1]
                    size += 1
        if size > 0:
            found = hull(points[:size])
            sizes[p] = len(found)
            hulls[p, : len(found)] = found
    return hulls, sizes


@native_loop
def zmp_control_points(hulls: Array, sizes: Integers, motion: Flags, start: Array, continues: bool) -> Array:
    """Where the zero-moment point is at the begin and end of every phase, (P + 1, 2); 003c section 5.3.1.

    start (2,): where it is at the begin, if it continues a plan.
    """
    count = len(motion)
    points = np.empty((count + 1, 2))
    first = hulls[0, : sizes[0]]
    points[0] = start if continues else centroid(first)
    points[count] = centroid(hulls[count - 1, : sizes[count - 1]])
    for p in range(count):
        if motion[p]:
            continue
        before = p > 0
        after = p < count - 1
        if before and after:
            ends = connection(hulls[p - 1, : sizes[p - 1]], hulls[p + 1, : sizes[p + 1]])
            points[p] = ends[0]
            points[p + 1] = ends[1]
        elif after:
            points[p + 1] = closest(hulls[p + 1, : sizes[p + 1]], points[p])
        elif before:
            points[p] = closest(hulls[p - 1, : sizes[p - 1]], points[p + 1])
    if motion[0] and count > 1:  # a plan that is continued may go on with a motion phase
        points[0] = start
    return points
