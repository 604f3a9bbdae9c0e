"""Where an axis, that of a capsule or of a cylinder, comes over a face of a box, leaves it or crosses an edge.

A bar that lies across a beam touches it with points of its mantle that move along it with every step, so they are
searched for, one call an axis and a box. Each of them may touch, whichever is chosen: none of them is a contact that is
not there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import NativeFunction
from footfall.compiler.once import once
from footfall.compiler.routines import ArrayOf, RoutineCallback, Vector3, as_records, record_dtype, routine
from footfall.contact.shared_calls import shared_call
from footfall.math.transform import Transform

AXIS_PLACES = 2  # a line enters and leaves a face
_FAR = 1e3  # m, where a place is that is not needed
_SMALL = 1e-9  # of a box: what is rounding


class Place(NamedTuple):
    """Where something may touch a box, in the box's frame: point, normal away from the box, and gap, m."""

    point: Vector3
    normal: Vector3
    gap: float


NUMBERS = record_dtype(Place).itemsize // 8  # of a place


class Edge(NamedTuple):
    """A straight edge, or an axis, in the frame of a box; reach: half its length, m."""

    direction: Vector3
    middle: Vector3
    reach: float

    def at(self, along: float) -> Vector3:
        """The point so far from the middle."""
        return self.middle + along * self.direction


@dataclass(frozen=True)
class AxisCrossing:
    """One of the `AXIS_PLACES` in which an axis crosses a box.

    length: of the axis, m, along z of `placement` in its body. place: which, from 0. mantle: radius, m, of a cylinder
    about the axis, whose mantle touches there; 0: the axis itself does.
    """

    length: float
    placement: Transform
    place: int
    mantle: float


def axis_crossings(length: float, box: Any, pose: Transform) -> Array:
    """Places (AXIS_PLACES, 7) on an axis, all in the frame of the box: point (3), normal (3) towards the axis and
    distance, m. Those that are not needed are far away.

    length: of the axis, along z of `pose` in the frame of the box; numbers or symbols. box: edge lengths (3,), m.
    """
    data = np.concatenate([[length], np.asarray(box, float)]) / 2
    inputs = np.concatenate([pose.rotation[:, 2], pose.translation])
    if inputs.dtype != object:
        result = np.empty((AXIS_PLACES, NUMBERS))
        find_axis_crossings(inputs.astype(float), result.reshape(-1), data)
        return result
    return shared_call(native_axis_crossings(data.tobytes()), inputs).reshape(AXIS_PLACES, NUMBERS)


class _Sizes(NamedTuple):
    """Half the length of an axis, and half the edges of a box, m."""

    reach: float
    half: Vector3


class _Axis(NamedTuple):
    direction: Vector3
    middle: Vector3


@routine
def find_axis_crossings(inputs: Array, result: Array, data: Array) -> None:
    """The places of `axis_crossings`; inputs: an `_Axis`, data: `_Sizes`."""
    axis, sizes = as_records(_Axis, inputs)[0], as_records(_Sizes, data)[0]
    places: ArrayOf[Place] = as_records(Place, result)
    edge = Edge(axis.direction, axis.middle, sizes.reach)
    for k in range(add_edge(edge, sizes.half, places, 0), AXIS_PLACES):
        places[k] = far_place()


@routine
def far_place() -> Place:
    """A place that is not needed."""
    return Place(np.array([0.0, 0.0, _FAR]), np.array([0.0, 0.0, 1.0]), _FAR)


@routine
def add_edge(edge: Edge, half: Vector3, places: ArrayOf[Place], count: int) -> int:
    """Add up to two places inside of an edge; how many there are then.

    Where the edge passes over a face of the box: where it comes over it and where it leaves it. Where it is nearest to
    an edge of the box: that place, and the farther end of the part over the face.
    """
    tolerance = _SMALL * (half[0] + half[1] + half[2])
    first, last = _over(edge, half, -1)
    nearest = (first + last) / 2 if first < last else _nearest(edge, half)
    point = edge.at(nearest)
    outside, face, most = 0, 0, -np.inf
    for i in (0, 1, 2):
        beyond = abs(point[i]) - half[i]
        outside += 1 if beyond > tolerance else 0
        if beyond > most:
            most, face = beyond, i
    first, last = _over(edge, half, face)
    inner = edge.reach - tolerance
    if outside > 1:
        if abs(nearest) < inner:
            places[count] = _over_edge(point, half)
            count += 1
        far = first if abs(first - nearest) > abs(last - nearest) else last
        if first < last and abs(far) < inner:
            places[count] = _over_face(edge.at(far), half, face)
            count += 1
        return count
    if first < last:
        if first > -inner:
            places[count] = _over_face(edge.at(first), half, face)
            count += 1
        if last < inner:
            places[count] = _over_face(edge.at(last), half, face)
            count += 1
    return count


@routine
def _over(edge: Edge, half: Vector3, face: int) -> tuple[float, float]:
    """From where to where an edge is between the faces of the box along all axes but one; inside of it if -1."""
    first, last = -edge.reach, edge.reach
    for i in (0, 1, 2):
        if i == face:
            continue
        if abs(edge.direction[i]) > _SMALL:
            one = (-half[i] - edge.middle[i]) / edge.direction[i]
            other = (half[i] - edge.middle[i]) / edge.direction[i]
            first, last = max(first, min(one, other)), min(last, max(one, other))
        elif abs(edge.middle[i]) > half[i]:
            return 0.0, 0.0
    return first, last


@routine
def _beyond(point: Vector3, half: Vector3) -> Vector3:
    """The way to a point from the nearest one of a box."""
    return point - np.minimum(np.maximum(point, -half), half)


@routine
def _over_edge(point: Vector3, half: Vector3) -> Place:
    """A place nearest to an edge or a corner of the box."""
    beyond = _beyond(point, half)
    distance = math.sqrt(beyond @ beyond)
    return Place(point, beyond / distance, distance)


@routine
def _over_face(point: Vector3, half: Vector3, face: int) -> Place:
    normal: Vector3 = np.zeros(3)
    normal[face] = 1.0 if point[face] >= 0.0 else -1.0
    return Place(point, normal, abs(point[face]) - half[face])


@routine
def _nearest(edge: Edge, half: Vector3) -> float:
    """Where an edge is nearest to the box, as a length from its middle.

    Half the squared distance grows along the edge at a rate that never falls and is linear between the places where
    the edge crosses the planes of the box's faces.
    """
    before, after = -edge.reach, edge.reach
    falling, rising = _rate(edge, before, half), _rate(edge, after, half)
    if falling >= 0.0:
        return before
    if rising <= 0.0:
        return after
    for i in (0, 1, 2):
        if abs(edge.direction[i]) <= _SMALL:
            continue
        for side in (-1.0, 1.0):
            along = (side * half[i] - edge.middle[i]) / edge.direction[i]
            if before < along < after:
                rate = _rate(edge, along, half)
                if rate < 0.0:
                    before, falling = along, rate
                else:
                    after, rising = along, rate
    return before - falling * (after - before) / (rising - falling)


@routine
def _rate(edge: Edge, along: float, half: Vector3) -> float:
    return float(edge.direction @ _beyond(edge.at(along), half))


@once
def _callback() -> RoutineCallback:
    return RoutineCallback(find_axis_crossings)


@cache
def native_axis_crossings(data: bytes) -> NativeFunction:
    """For half the length of an axis and the half edges of a box; other sizes are another function."""
    callback, name = _callback(), f"axis_crossings_{data.hex()}"
    return NativeFunction(
        name, callback.address, NUMBERS * AXIS_PLACES, data=np.frombuffer(data), owner=callback
    )
