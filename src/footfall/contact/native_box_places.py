"""The search for places in which two boxes touch, as native code."""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import NativeFunction
from footfall.compiler.routines import RoutineCallback, routine
from footfall.contact.box_places import PLACES
from footfall.contact.native_crossings import FAR, add_edge

_MOST = 8 + 8 + 24  # corners of both, and two places for each edge
_TIE = 1e-9  # of a box: places that differ by less in their gaps are chosen by their number
_NEAR = 1e-2  # of a box: places whose rows must not depend on what is farther away


@routine
def find_box_places(inputs: Array, result: Array, data: Array) -> None:
    """The places of `box_places`. inputs: rotation (9) and translation (3) of the box. data: half edges of both, and
    the radii of their corners."""
    half, other = data[0:3], data[3:6]
    own_radius, other_radius = data[6], data[7]
    places = np.empty((_MOST, 7))
    number = np.empty(_MOST, dtype=np.int64)  # of each place, the same in every step
    for corner in range(8):
        _add_own_corner(corner, inputs, half, other, own_radius, places[corner])
        _add_other_corner(corner, inputs, half, other, other_radius, places[8 + corner])
        number[corner], number[8 + corner] = corner, 8 + corner
    count = _add_edges(inputs, half, other, own_radius, places, number)
    taken = np.empty(PLACES, dtype=np.int64)
    for row in range(PLACES):
        taken[row] = -1
    _choose(places, number, count, half[0] + half[1] + half[2], taken)
    for row in range(PLACES):
        for i in range(7):
            far = FAR if i == 2 or i == 6 else 1.0 if i == 5 else 0.0
            result[7 * row + i] = places[taken[row], i] if taken[row] >= 0 else far


@routine
def _choose(places: Array, number: Integers, count: int, size: float, taken: Integers) -> None:
    """Which place stands in each row: the nearest ones. Those that may carry choose first, in the order of their
    numbers, so that they keep their rows whatever is farther away."""
    rank = np.zeros(count, dtype=np.int64)
    nearest = np.inf
    for k in range(count):
        key = places[k, 6] + _TIE * size * number[k]
        nearest = min(nearest, key)
        for j in range(count):
            if places[j, 6] + _TIE * size * number[j] < key:
                rank[k] += 1
    for turn in range(2):
        for k in range(count):
            near = places[k, 6] < nearest + _NEAR * size
            if rank[k] < PLACES and (near if turn == 0 else not near):
                row = number[k] % PLACES
                while taken[row] >= 0:
                    row = (row + 1) % PLACES
                taken[row] = k


@routine
def _add_own_corner(corner: int, inputs: Array, half: Array, box: Array, radius: float, place: Array) -> None:
    """A corner of the box, over the other one."""
    for i in range(3):
        place[i] = inputs[9 + i]
        for k in range(3):
            place[i] += inputs[3 * i + k] * (half[k] - radius) * _sign(corner, k)
    place[6] = _box_distance(place[0:3], box, place[3:6]) - radius
    for i in range(3):
        place[i] -= radius * place[3 + i]


@routine
def _add_other_corner(
    corner: int, inputs: Array, box: Array, half: Array, radius: float, place: Array
) -> None:
    """A corner of the other box, over this one."""
    local, normal = np.zeros(3), np.empty(3)
    for i in range(3):
        place[i] = (half[i] - radius) * _sign(corner, i)
        for k in range(3):
            local[k] += inputs[3 * i + k] * (place[i] - inputs[9 + i])
    place[6] = _box_distance(local, box, normal) - radius
    for i in range(3):
        place[3 + i] = -(
            inputs[3 * i] * normal[0] + inputs[3 * i + 1] * normal[1] + inputs[3 * i + 2] * normal[2]
        )
        place[i] += radius * place[3 + i]


@routine
def _add_edges(inputs: Array, half: Array, box: Array, radius: float, places: Array, number: Integers) -> int:
    """Add the places inside of the edges of the box after the 16 corners; how many there are then."""
    middle, direction = np.empty(3), np.empty(3)
    count = 16
    for axis in range(3):
        second, third = (axis + 1) % 3, (axis + 2) % 3
        for signs in range(4):
            b = (half[second] - radius) * _sign(signs, 0)
            c = (half[third] - radius) * _sign(signs, 1)
            for i in range(3):
                direction[i] = inputs[3 * i + axis]
                middle[i] = inputs[9 + i] + b * inputs[3 * i + second] + c * inputs[3 * i + third]
            before = count
            count = add_edge(middle, direction, half[axis] - radius, box, places, count)
            for k in range(before, count):
                number[k] = 16 + 2 * (4 * axis + signs) + k - before
                places[k, 6] -= radius
                for i in range(3):
                    places[k, i] -= radius * places[k, 3 + i]
    return count


@routine
def _sign(corner: int, axis: int) -> float:
    """On which side of a box a corner lies: the bits of its number say it."""
    bit = corner // 4 if axis == 2 else corner // 2 if axis == 1 else corner
    return 1.0 if bit % 2 == 1 else -1.0


@routine
def _box_distance(point: Array, half: Array, normal: Array) -> float:
    """Signed distance of a point to a box, and its normal; inside along the nearest face, z before y before x."""
    square, most, face = 0.0, -np.inf, 2
    for k in range(3):
        i = 2 - k
        beyond = abs(point[i]) - half[i]
        sign = -1.0 if point[i] < 0.0 else 1.0
        normal[i] = sign * max(beyond, 0.0)
        square += normal[i] * normal[i]
        if beyond > most:
            most, face = beyond, i
    if square > 1e-24:
        distance = np.sqrt(square)
        for i in range(3):
            normal[i] /= distance
        return float(distance)
    for i in range(3):
        normal[i] = 0.0
    normal[face] = -1.0 if point[face] < 0.0 else 1.0
    return float(most)


@cache
def _callback() -> RoutineCallback:
    return RoutineCallback(find_box_places)


@cache
def native_box_places(data: bytes) -> NativeFunction:
    """For the half edges of two boxes and their roundings; other sizes are another function."""
    callback = _callback()
    name = f"box_places_{data.hex()}"
    return NativeFunction(name, callback.address, 7 * PLACES, data=np.frombuffer(data), owner=callback)
