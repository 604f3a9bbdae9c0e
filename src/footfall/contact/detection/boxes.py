"""Boxes with edges along the world's axes around shapes, now and over a step."""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3, routine
from footfall.contact.detection.shapes import Bodies, ContactMemory, Kind, Shape, ShapeTable
from footfall.math.transform import Transform

_LOOSE = 0.1  # of a shape's radius: so far it may move before its neighbours are looked for again
_AHEAD = 5.0  # steps, at its present speed


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
    wide = _LOOSE * shape.bound + reach + _AHEAD * spin
    memory.loose_lower[k] = lower - wide + np.minimum(_AHEAD * drift, 0.0)
    memory.loose_upper[k] = upper + wide + np.maximum(_AHEAD * drift, 0.0)
    return True
