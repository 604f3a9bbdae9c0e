"""The search for places where an edge or an axis crosses a box, as native code."""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.arrays import Array
from footfall.compiler import NativeFunction
from footfall.compiler.routines import RoutineCallback, routine
from footfall.contact.axis_crossings import AXIS_PLACES

FAR = 1e3  # m, where a place is that is not needed
_SMALL = 1e-9  # of a box: what is rounding


@routine
def find_axis_crossings(inputs: Array, result: Array, data: Array) -> None:
    """The places of `axis_crossings`. inputs: direction (3) and middle (3) of the axis. data: half of its length, and
    half edges of the box."""
    places = np.empty((AXIS_PLACES, 7))
    count = add_edge(inputs[3:6], inputs[0:3], data[0], data[1:4], places, 0)
    for place in range(AXIS_PLACES):
        for i in range(7):
            far = FAR if i == 2 or i == 6 else 1.0 if i == 5 else 0.0
            result[7 * place + i] = places[place, i] if place < count else far


@routine
def add_edge(middle: Array, direction: Array, reach: float, half: Array, places: Array, count: int) -> int:
    """Add up to two places inside of an edge; how many there are then.

    Where the edge passes over a face of the box: where it comes over it and where it leaves it. Where it is nearest to
    an edge of the box: that place, and the farther end of the part over the face.
    """
    tolerance = _SMALL * (half[0] + half[1] + half[2])
    first, last = _over(middle, direction, reach, half, -1)
    nearest = (first + last) / 2 if first < last else _nearest(middle, direction, reach, half)
    outside, face, most = 0, 0, -np.inf
    for i in range(3):
        beyond = abs(middle[i] + nearest * direction[i]) - half[i]
        outside += 1 if beyond > tolerance else 0
        if beyond > most:
            most, face = beyond, i
    first, last = _over(middle, direction, reach, half, face)
    inner = reach - tolerance
    if outside > 1:
        if abs(nearest) < inner:
            count = _add_place(middle, direction, nearest, half, -1, places, count)
        far = first if abs(first - nearest) > abs(last - nearest) else last
        if first < last and abs(far) < inner:
            count = _add_place(middle, direction, far, half, face, places, count)
        return count
    if first < last:
        if first > -inner:
            count = _add_place(middle, direction, first, half, face, places, count)
        if last < inner:
            count = _add_place(middle, direction, last, half, face, places, count)
    return count


@routine
def _over(middle: Array, direction: Array, reach: float, half: Array, face: int) -> tuple[float, float]:
    """From where to where an edge is between the faces of the box along all axes but one; inside of it if -1."""
    first, last = -reach, reach
    for i in range(3):
        if i == face:
            continue
        if abs(direction[i]) > _SMALL:
            one, other = (-half[i] - middle[i]) / direction[i], (half[i] - middle[i]) / direction[i]
            first, last = max(first, min(one, other)), min(last, max(one, other))
        elif abs(middle[i]) > half[i]:
            return 0.0, 0.0
    return first, last


@routine
def _add_place(
    middle: Array, direction: Array, along: float, half: Array, face: int, places: Array, count: int
) -> int:
    """Add a place; its distance is that to a face, or if -1 to the nearest edge or corner of the box."""
    square = 0.0
    for i in range(3):
        place = middle[i] + along * direction[i]
        places[count, i] = place
        beyond = place - min(max(place, -half[i]), half[i])
        places[count, 3 + i] = beyond if face < 0 else 0.0
        square += beyond * beyond
    if face < 0:
        distance = np.sqrt(square)
        for i in range(3):
            places[count, 3 + i] /= distance
        places[count, 6] = distance
    else:
        places[count, 3 + face] = 1.0 if places[count, face] >= 0.0 else -1.0
        places[count, 6] = abs(places[count, face]) - half[face]
    return count + 1


@routine
def _nearest(middle: Array, direction: Array, reach: float, half: Array) -> float:
    """Where an edge is nearest to the box, as a length from its middle.

    Half the squared distance grows along the edge at a rate that never falls and is linear between the places where
    the edge crosses the planes of the box's faces.
    """
    before, after = -reach, reach
    falling, rising = _rate(middle, direction, before, half), _rate(middle, direction, after, half)
    if falling >= 0.0:
        return before
    if rising <= 0.0:
        return after
    for i in range(3):
        if abs(direction[i]) <= _SMALL:
            continue
        for side in range(2):
            along = ((2.0 * side - 1.0) * half[i] - middle[i]) / direction[i]
            if before < along < after:
                rate = _rate(middle, direction, along, half)
                if rate < 0.0:
                    before, falling = along, rate
                else:
                    after, rising = along, rate
    return before - falling * (after - before) / (rising - falling)


@routine
def _rate(middle: Array, direction: Array, along: float, half: Array) -> float:
    total = 0.0
    for i in range(3):
        place = middle[i] + along * direction[i]
        total += direction[i] * (place - min(max(place, -half[i]), half[i]))
    return total


@cache
def _callback() -> RoutineCallback:
    return RoutineCallback(find_axis_crossings)


@cache
def native_axis_crossings(data: bytes) -> NativeFunction:
    """For half the length of an axis and the half edges of a box; other sizes are another function."""
    callback = _callback()
    name = f"axis_crossings_{data.hex()}"
    return NativeFunction(name, callback.address, 7 * AXIS_PLACES, data=np.frombuffer(data), owner=callback)
