"""Native loops over phases: support areas, and the control points of the zero-moment point between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.math.polygon_loops import centroid, closest, closest_on_segment, connection, hull

Array = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]


@native_loop
def sole_corners(rows: Array, soles: Array) -> Array:
    """Corners (n, 2, 4, 2) of the soles in contact in poses (n, 50), projected to the ground, m.

    soles (2, 4): rear, front, right, left of the whole sole and of the toe pad.
    """
    corners = np.empty((len(rows), 2, 4, 2))
    for n in range(len(rows)):
        for foot in range(2):
            column = 1 + 7 * foot
            sole = soles[0] if rows[n, 27 + foot] == 0.0 else soles[1]
            w, x, y, z = rows[n, column + 3], rows[n, column + 4], rows[n, column + 5], rows[n, column + 6]
            for corner in range(4):
                a = sole[0] if corner in (0, 3) else sole[1]
                b = sole[2] if corner < 2 else sole[3]
                corners[n, foot, corner, 0] = (
                    rows[n, column] + (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y - w * z) * b
                )
                corners[n, foot, corner, 1] = (
                    rows[n, column + 1] + 2.0 * (w * z + x * y) * a + (1.0 - 2.0 * (x * x + z * z)) * b
                )
    return corners


@native_loop
def sole_gaps(corners: Array) -> Array:
    """Distance (n,) of both soles in the plane, m, for corners (n, 2, 4, 2); how deep they overlap if negative."""
    gaps = np.empty(len(corners))
    for n in range(len(corners)):
        separation, nearest = -np.inf, np.inf
        for one in range(2):
            polygon, other = corners[n, one], corners[n, 1 - one]
            for i in range(4):
                a, b = polygon[i], polygon[(i + 1) % 4]
                dx, dy = b[0] - a[0], b[1] - a[1]
                length = np.sqrt(dx * dx + dy * dy)
                least = np.inf
                for k in range(4):
                    # Outward is to the right of the edges of a polygon that runs counter-clockwise.
                    least = min(least, ((other[k, 0] - a[0]) * dy - (other[k, 1] - a[1]) * dx) / length)
                separation = max(separation, least)
                for k in range(4):
                    place = closest_on_segment(a, b, other[k])
                    nearest = min(nearest, np.hypot(place[0] - other[k, 0], place[1] - other[k, 1]))
        gaps[n] = separation if separation < 0.0 else nearest
    return gaps


@native_loop
def phase_poses(
    begin: Array, end: Array, transition: Integers, motion: Flags, moving: Flags
) -> tuple[Array, Flags]:
    """Poses (P, 50) that tell the support of each phase, and which feet stand in all of it (P, 2)."""
    rows, standing = np.empty((len(motion), begin.shape[1])), np.empty((len(motion), 2), dtype=np.bool_)
    for p in range(len(motion)):
        k = transition[p]
        rows[p] = end[k] if motion[p] else begin[k]
        for foot in range(2):
            standing[p, foot] = rows[p, 23 + foot] > 0.5 and not (motion[p] and moving[k, foot])
    return rows, standing


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


@native_loop
def zmp_pieces(
    begin: Array,
    end: Array,
    transition: Integers,
    motion: Flags,
    points: Array,
    height: float,
    continues: bool,
) -> Array:
    """Coefficients (P, 6, 3) of the zero-moment point between control points (P + 1, 2); 003c section 5.3.

    height: at the begin. It changes in load switches, to that of the stance foot.
    """
    count = len(motion)
    pieces = np.zeros((count, 6, 3))
    for p in range(count):
        for d in range(2):
            way = points[p + 1, d] - points[p, d]
            pieces[p, 5, d] = points[p, d]
            if count == 1:  # only standing
                pieces[p, 0, d], pieces[p, 1, d], pieces[p, 2, d] = 6.0 * way, -15.0 * way, 10.0 * way
            elif p == 0 and not continues:  # 003c section 4.4: cubics that start and end at rest
                pieces[p, 2, d] = way
            elif p == count - 1:
                pieces[p, 2, d], pieces[p, 3, d], pieces[p, 4, d] = way, -3.0 * way, 3.0 * way
            else:
                pieces[p, 4, d] = way
        reached = height
        if not motion[p]:
            row = end[transition[p]] if p == count - 1 else begin[transition[p]]
            reached = row[3 + 7 * int(row[0])]
        way = reached - height
        pieces[p, 0, 2], pieces[p, 1, 2], pieces[p, 2, 2] = 6.0 * way, -15.0 * way, 10.0 * way
        pieces[p, 5, 2] = height
        height = reached
    return pieces
