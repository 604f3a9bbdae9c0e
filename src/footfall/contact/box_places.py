"""Where two boxes touch: corners of one over faces of the other, and edges that cross.

Of all these places the nearest eight are kept: a patch in which two rectangles overlap has no more corners. They are
searched for in one call a pair of boxes. Every one of them is a point of a box, whichever is chosen: none is a contact
that is not there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import NativeFunction
from footfall.compiler.once import once
from footfall.compiler.routines import (
    ArrayOf,
    Matrix3,
    RoutineCallback,
    Vector3,
    as_records,
    new_records,
    routine,
)
from footfall.contact.axis_crossings import NUMBERS, Edge, Place, add_edge, far_place
from footfall.contact.shared_calls import shared_call
from footfall.math.transform import Transform

PLACES = 8
_MOST = 8 + 8 + 24  # corners of both, and two places for each edge
_TIE = 1e-9  # of a box: places that differ by less in their gaps are chosen by their number
_NEAR = 1e-2  # of a box: places whose rows must not depend on what is farther away


@dataclass(frozen=True)
class BoxPlace:
    """One of the `PLACES` in which a box touches another one.

    size: edge lengths of the box, m, at `placement` in its body. place: which, from 0.
    """

    size: tuple[float, float, float]
    placement: Transform
    place: int


def box_places(size: Any, other: Any, pose: Transform, *, rounding: Any) -> Array:
    """Places (PLACES, 7) in which a box may touch another one, all in the frame of that one: point (3), normal (3)
    towards the box and gap, m. A place keeps its row from step to step; those that are not needed are far away.

    size, other: edge lengths (3,) of both, m. pose: of the box in the frame of the other; numbers or symbols.
    rounding: (2,) radii of the corners of both and of the edges of the first, m.
    """
    halves = np.concatenate([np.asarray(size, float), np.asarray(other, float)]) / 2
    data = np.concatenate([halves, np.asarray(rounding, float)])
    inputs = np.concatenate([np.ravel(pose.rotation), pose.translation])
    if inputs.dtype != object:
        result = np.empty((PLACES, NUMBERS))
        find_box_places(inputs.astype(float), result.reshape(-1), data)
        return result
    return shared_call(native_box_places(data.tobytes()), inputs).reshape(PLACES, NUMBERS)


class _Boxes(NamedTuple):
    """Half edges of both boxes, and the radii of their corners, m."""

    half: Vector3
    other: Vector3
    radius: float
    other_radius: float


class _Pose(NamedTuple):
    """Of the box in the frame of the other one."""

    rotation: Matrix3
    translation: Vector3

    def point(self, local: Vector3) -> Vector3:
        """Where a point of the box is."""
        turn = self.rotation
        return self.translation + local[0] * turn[:, 0] + local[1] * turn[:, 1] + local[2] * turn[:, 2]  # type: ignore[no-any-return]


class _Found(NamedTuple):
    """A place and its number, which is the same in every step."""

    place: Place
    number: int


class _Surface(NamedTuple):
    """Signed distance of a point to a box, m, and the normal there."""

    distance: float
    normal: Vector3


@routine
def find_box_places(inputs: Array, result: Array, data: Array) -> None:
    """The places of `box_places`; inputs: a `_Pose`, data: `_Boxes`."""
    pose, boxes = as_records(_Pose, inputs)[0], as_records(_Boxes, data)[0]
    found = new_records(_Found, _MOST)
    for corner in range(8):
        found[corner] = _Found(_own_corner(corner, pose, boxes), corner)
        found[8 + corner] = _Found(_other_corner(corner, pose, boxes), 8 + corner)
    count = _add_edges(pose, boxes, found)
    taken = np.full(PLACES, -1)
    _choose(found[:count], boxes.half[0] + boxes.half[1] + boxes.half[2], taken)
    places: ArrayOf[Place] = as_records(Place, result)
    for row in range(PLACES):
        places[row] = found[taken[row]].place if taken[row] >= 0 else far_place()


@routine
def _choose(found: ArrayOf[_Found], size: float, taken: Integers) -> None:
    """Which place stands in each row: the nearest ones. Those that may carry choose first, in the order of their
    numbers, so that they keep their rows whatever is farther away."""
    keys, nearest = np.empty(len(found)), np.inf
    for k in range(len(found)):
        keys[k] = found[k].place.gap + _TIE * size * found[k].number
        nearest = min(nearest, keys[k])
    rank = np.zeros(len(found), dtype=np.int64)
    for k in range(len(found)):
        for j in range(len(found)):
            if keys[j] < keys[k]:
                rank[k] += 1
    for near_ones in (True, False):
        for k in range(len(found)):
            near = found[k].place.gap < nearest + _NEAR * size
            if rank[k] < PLACES and near == near_ones:
                row = found[k].number % PLACES
                while taken[row] >= 0:
                    row = (row + 1) % PLACES
                taken[row] = k


@routine
def _corner(number: int, half: Vector3, radius: float) -> Vector3:
    """Centre of a rounded corner: the bits of its number say on which side it lies."""
    x, y, z = half - radius
    return np.array([x * _sign(number, 0), y * _sign(number, 1), z * _sign(number, 2)])


@routine
def _sign(bits: int, k: int) -> float:
    return 1.0 if bits >> k & 1 else -1.0


@routine
def _own_corner(number: int, pose: _Pose, boxes: _Boxes) -> Place:
    """A corner of the box, over the other one."""
    point = pose.point(_corner(number, boxes.half, boxes.radius))
    surface = _surface(point, boxes.other)
    return Place(point - boxes.radius * surface.normal, surface.normal, surface.distance - boxes.radius)


@routine
def _other_corner(number: int, pose: _Pose, boxes: _Boxes) -> Place:
    """A corner of the other box, over this one."""
    point = _corner(number, boxes.other, boxes.other_radius)
    surface = _surface(pose.rotation.T @ (point - pose.translation), boxes.half)
    normal = -(pose.rotation @ surface.normal)
    return Place(point + boxes.other_radius * normal, normal, surface.distance - boxes.other_radius)


@routine
def _add_edges(pose: _Pose, boxes: _Boxes, found: ArrayOf[_Found]) -> int:
    """Add the places inside of the edges of the box after the 16 corners; how many there are then."""
    count, places = 16, new_records(Place, 2)
    turn, half, radius = pose.rotation, boxes.half, boxes.radius
    for i in (0, 1, 2):
        second, third = turn[:, (i + 1) % 3], turn[:, (i + 2) % 3]
        for signs in range(4):
            b = (half[(i + 1) % 3] - radius) * _sign(signs, 0)
            c = (half[(i + 2) % 3] - radius) * _sign(signs, 1)
            middle = pose.translation + b * second + c * third
            edge = Edge(turn[:, i], middle, half[i] - radius)
            for n in range(add_edge(edge, boxes.other, places, 0)):
                place = places[n]
                point = place.point - radius * place.normal
                number = 16 + 2 * (4 * i + signs) + n
                found[count] = _Found(Place(point, place.normal, place.gap - radius), number)
                count += 1
    return count


@routine
def _surface(point: Vector3, half: Vector3) -> _Surface:
    """Signed distance of a point to a box; inside along the nearest face, z before y before x."""
    way: Vector3 = np.zeros(3)
    square, most, face = 0.0, -np.inf, 2
    for i in (2, 1, 0):
        beyond = abs(point[i]) - half[i]
        way[i] = (-1.0 if point[i] < 0.0 else 1.0) * max(beyond, 0.0)
        square += way[i] * way[i]
        if beyond > most:
            most, face = beyond, i
    if square > 1e-24:
        distance = math.sqrt(square)
        return _Surface(distance, way / distance)
    normal: Vector3 = np.zeros(3)
    normal[face] = -1.0 if point[face] < 0.0 else 1.0
    return _Surface(most, normal)


@once
def _callback() -> RoutineCallback:
    return RoutineCallback(find_box_places)


@cache
def native_box_places(data: bytes) -> NativeFunction:
    """For the half edges of two boxes and their roundings; other sizes are another function."""
    callback, name = _callback(), f"box_places_{data.hex()}"
    return NativeFunction(name, callback.address, NUMBERS * PLACES, data=np.frombuffer(data), owner=callback)
