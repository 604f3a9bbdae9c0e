"""Native loops over phases: support areas, and the control points of the zero-moment point between them."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine
from footfall.math.polygons import centroid, closest, connection, hull


@routine
def sole_corner(rows: Array, n: int, foot: int, soles: Array, corner: int) -> tuple[float, float]:
    """A corner of the sole in contact in pose n, projected to the ground, m; counter-clockwise from rear right.

    soles (2, 4): rear, front, right, left of the whole sole and of the toe pad.
    """
    kind, column = 0 if rows[n, 27 + foot] == 0.0 else 1, 1 + 7 * foot
    a = soles[kind, 0] if corner == 0 or corner == 3 else soles[kind, 1]
    b = soles[kind, 2] if corner < 2 else soles[kind, 3]
    w, x, y, z = rows[n, column + 3], rows[n, column + 4], rows[n, column + 5], rows[n, column + 6]
    return (
        rows[n, column] + (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y - w * z) * b,
        rows[n, column + 1] + 2.0 * (w * z + x * y) * a + (1.0 - 2.0 * (x * x + z * z)) * b,
    )


@routine
def sole_corners(rows: Array, soles: Array, corners: Array) -> None:
    """Fill corners (n, 2, 4, 2) of the soles in contact in poses (n, 50), see `sole_corner`."""
    for n in range(len(rows)):
        for foot in range(2):
            for corner in range(4):
                x, y = sole_corner(rows, n, foot, soles, corner)
                corners[n, foot, corner, 0], corners[n, foot, corner, 1] = x, y


@routine
def sole_gap(corners: Array, n: int) -> float:
    """Distance of both soles in the plane in pose n, m, for corners (n, 2, 4, 2); how deep they overlap if negative."""
    separation, nearest = -np.inf, np.inf
    for one in range(2):
        for i in range(4):
            x, y = corners[n, one, i, 0], corners[n, one, i, 1]
            dx, dy = corners[n, one, (i + 1) % 4, 0] - x, corners[n, one, (i + 1) % 4, 1] - y
            square = dx * dx + dy * dy
            least = np.inf
            for k in range(4):
                px, py = corners[n, 1 - one, k, 0] - x, corners[n, 1 - one, k, 1] - y
                # Outward is to the right of the edges of a polygon that runs counter-clockwise.
                least = min(least, px * dy - py * dx)
                share = min(max((px * dx + py * dy) / square, 0.0), 1.0)
                nearest = min(nearest, (px - share * dx) ** 2 + (py - share * dy) ** 2)
            separation = max(separation, least / np.sqrt(square))
    return separation if separation < 0.0 else float(np.sqrt(nearest))


@routine
def support_hulls(
    begin: Array,
    end: Array,
    transition: Integers,
    motion: Flags,
    moving: Flags,
    soles: Array,
    hulls: Array,
    sizes: Integers,
) -> None:
    """Fill hulls (P, 8, 2) of the soles that stand in all of a phase, and their numbers of corners (P,).

    A motion phase has the contacts of the pose in which it ends.
    """
    points = np.empty((8, 2))
    for p in range(len(motion)):
        k, size = transition[p], 0
        for foot in range(2):
            closed = end[k, 23 + foot] if motion[p] else begin[k, 23 + foot]
            if closed > 0.5 and not (motion[p] and moving[k, foot]):
                for corner in range(4):
                    if motion[p]:
                        x, y = sole_corner(end, k, foot, soles, corner)
                    else:
                        x, y = sole_corner(begin, k, foot, soles, corner)
                    points[size, 0], points[size, 1] = x, y
                    size += 1
        sizes[p] = 0
        if size > 0:
            found = hull(points[:size])
            sizes[p] = len(found)
            for i in range(len(found)):
                hulls[p, i] = found[i]


@routine
def zmp_control_points(
    hulls: Array, sizes: Integers, motion: Flags, start: Array, continues: bool, points: Array
) -> None:
    """Fill where the zero-moment point is at the begin and end of every phase, (P + 1, 2); 003c section 5.3.1.

    start (2,): where it is at the begin, if it continues a plan.
    """
    count = len(motion)
    points[0] = centroid(hulls[0, : sizes[0]])
    if continues:
        points[0, 0], points[0, 1] = start[0], start[1]
    points[count] = centroid(hulls[count - 1, : sizes[count - 1]])
    for p in range(count):
        if motion[p]:
            continue
        before, after = p > 0, p < count - 1
        if before and after:
            between = connection(hulls[p - 1, : sizes[p - 1]], hulls[p + 1, : sizes[p + 1]])
            points[p], points[p + 1] = between.start, between.end
        elif after:
            points[p + 1] = closest(hulls[p + 1, : sizes[p + 1]], points[p])
        elif before:
            points[p] = closest(hulls[p - 1, : sizes[p - 1]], points[p + 1])


@routine
def zmp_pieces(
    begin: Array,
    end: Array,
    transition: Integers,
    motion: Flags,
    points: Array,
    height: float,
    continues: bool,
    pieces: Array,
) -> None:
    """Fill coefficients (P, 6, 3) of the zero-moment point between control points (P + 1, 2); 003c section 5.3.

    height: at the begin. It changes in load switches, to that of the stance foot.
    """
    count = len(motion)
    for p in range(count):
        for d in range(3):
            for power in range(5):
                pieces[p, power, d] = 0.0
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
            k = transition[p]
            stance = end[k, 0] if p == count - 1 else begin[k, 0]
            foot = 3 + 7 * int(stance)
            reached = end[k, foot] if p == count - 1 else begin[k, foot]
        way = reached - height
        pieces[p, 0, 2], pieces[p, 1, 2], pieces[p, 2, 2] = 6.0 * way, -15.0 * way, 10.0 * way
        pieces[p, 5, 2] = height
        height = reached
