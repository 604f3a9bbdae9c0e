"""Boxes with edges along the world's axes around shapes, now and over a step.

Two boxes: the axis that separates them best among the fifteen that can (Gottschalk 1996).
"""

from __future__ import annotations

import math

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3, routine
from footfall.contact.detection.axes import UNKNOWN, Axis
from footfall.contact.detection.shapes import Bodies, ContactMemory, Kind, Shape, ShapeTable
from footfall.math.transform import Transform

_EDGES = 1e-10  # m: crossing edges must be better than faces by so much
_PARALLEL = 1e-12  # squared sine of the angle of edges that do not cross


@routine
def box_axis(size: Vector3, other_size: Vector3, turn: Matrix3, way: Vector3, limit: float) -> Axis:
    """The best axis in the frame of the first box; turn, way: pose of the second in it. limit: m; if faces separate
    them by more, nothing else is looked at. Where edges cross, the point is on the edge of the first box."""
    spread = np.abs(turn)
    seen = turn.T @ way  # of the way, in the axes of the second
    mine = np.abs(way) - size - spread @ other_size
    theirs = np.abs(seen) - other_size - spread.T @ size
    best, number = mine[0], 0
    for k in (1, 2):
        if mine[k] > best:
            best, number = mine[k], k
    for k in (0, 1, 2):
        if theirs[k] > best + _EDGES:
            best, number = theirs[k], 3 + k
    if best > limit:
        return Axis(np.zeros(3), best, np.zeros(3), UNKNOWN, UNKNOWN)
    for i in (0, 1, 2):
        for j in (0, 1, 2):
            square = 1.0 - turn[i, j] * turn[i, j]
            if square > _PARALLEL:
                apart = abs(way[(i + 2) % 3] * turn[(i + 1) % 3, j] - way[(i + 1) % 3] * turn[(i + 2) % 3, j])
                reach = (
                    size[(i + 1) % 3] * spread[(i + 2) % 3, j]
                    + size[(i + 2) % 3] * spread[(i + 1) % 3, j]
                    + other_size[(j + 1) % 3] * spread[i, (j + 2) % 3]
                    + other_size[(j + 2) % 3] * spread[i, (j + 1) % 3]
                )
                # The axis is shorter than one: where it overlaps, the true overlap is at least as large.
                if apart - reach > min(best, 0.0):
                    length = math.sqrt(square)
                    if apart - reach > (best + _EDGES) * length:
                        best, number = (apart - reach) / length, 6 + 3 * i + j
    normal: Vector3 = np.zeros(3)
    if number < 6:
        for k in (0, 1, 2):
            if number == k:
                normal = np.array([float(k == 0), float(k == 1), float(k == 2)])
            if number == 3 + k:
                normal = turn[:, k].copy()
        normal = -normal if normal @ way > 0.0 else normal
        return Axis(normal, best, np.zeros(3), UNKNOWN, UNKNOWN)
    return _crossing(size, other_size, turn, way, best, (number - 6) // 3, (number - 6) % 3)


@routine
def _crossing(
    size: Vector3, other_size: Vector3, turn: Matrix3, way: Vector3, best: float, i: int, j: int
) -> Axis:
    """Edge i of the first box against edge j of the second."""
    edge = np.array([float(i == 0), float(i == 1), float(i == 2)])
    other_edge = turn[:, 0] if j == 0 else turn[:, 1] if j == 1 else turn[:, 2]
    normal = np.cross(edge, other_edge)
    normal = normal / math.sqrt(normal @ normal)
    normal = -normal if normal @ way > 0.0 else normal
    middle = np.where(normal > 0.0, -size, size) * (1.0 - edge)
    local = turn.T @ normal
    mask = np.array([float(j != 0), float(j != 1), float(j != 2)])
    other_middle = turn @ (np.where(local > 0.0, other_size, -other_size) * mask) + way
    # Closest points of the two lines; the axis is separating, so that they lie on the edges.
    apart = other_middle - middle
    cosine = edge @ other_edge
    along = (apart @ edge - cosine * (apart @ other_edge)) / (1.0 - cosine * cosine)
    return Axis(normal, best, middle + along * edge, 0, 0)


_LOOSE = 0.1  # of a shape's radius: so far it may move before its neighbours are looked for again
_STEPS_AHEAD = 5.0  # steps, at its present speed


@routine
def half_extent(kind: int, size: Vector3, radius: float, rotation: Matrix3) -> Vector3:
    """Half edges of the box around a shape, m."""
    if kind == Kind.CYLINDER:
        axis = rotation[:, 2]
        return np.abs(axis) * size[2] + size[0] * np.sqrt(np.maximum(1.0 - axis * axis, 0.0))
    return np.abs(rotation) @ size + radius


@routine
def reaches_plane(lower: Vector3, upper: Vector3, plane: Transform) -> bool:
    """Whether a box has points on or below the plane z = 0 of a frame."""
    normal = plane.rotation[:, 2]
    lowest = np.minimum(normal * (lower - plane.translation), normal * (upper - plane.translation))
    return bool(lowest[0] + lowest[1] + lowest[2] <= 0.0)


@routine
def place_fixed(table: ShapeTable, memory: ContactMemory, k: int) -> None:
    """A shape that does not move."""
    shape = table.shapes[k]
    memory.places[k] = Transform(shape.rotation, shape.position)
    half = _half(shape, shape.rotation)
    memory.lower[k], memory.upper[k] = shape.position - half, shape.position + half
    memory.loose_lower[k], memory.loose_upper[k] = shape.position - half, shape.position + half
    memory.drift[k] = np.zeros(3)
    memory.spin[k] = 0.0


@routine
def _half(shape: Shape, rotation: Matrix3) -> Vector3:
    if shape.bound == np.inf:
        return np.full(3, np.inf)
    return half_extent(shape.kind, shape.size, shape.radius, rotation)


@routine
def place_moving(
    table: ShapeTable, memory: ContactMemory, bodies: Bodies, k: int, dt: float, reach: float, anew: bool
) -> bool:
    """Where a shape on a body is, and the box that holds it over the step; whether that has left its loose box, which
    then is made anew. anew: make it anyway."""
    shape = table.shapes[k]
    body = shape.body
    turn = bodies.rotation[body]
    arm = turn @ shape.position
    place = Transform(turn @ shape.rotation, bodies.position[body] + arm)
    memory.places[k] = place
    omega = bodies.angular[body]
    drift = dt * (bodies.linear[body] + np.cross(omega, arm))
    spin = dt * np.sqrt(omega @ omega) * shape.bound if shape.bound < np.inf else 0.0
    memory.drift[k] = drift
    memory.spin[k] = spin
    half = _half(shape, place.rotation) + spin + reach
    lower = place.translation - half + np.minimum(drift, 0.0)
    upper = place.translation + half + np.maximum(drift, 0.0)
    memory.lower[k], memory.upper[k] = lower, upper
    if not anew and np.all(memory.loose_lower[k] <= lower) and np.all(upper <= memory.loose_upper[k]):
        return False
    wide = _LOOSE * shape.bound + reach + _STEPS_AHEAD * spin
    memory.loose_lower[k] = lower - wide + np.minimum(_STEPS_AHEAD * drift, 0.0)
    memory.loose_upper[k] = upper + wide + np.maximum(_STEPS_AHEAD * drift, 0.0)
    return True
