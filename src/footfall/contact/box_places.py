"""Where two boxes touch: corners of one over faces of the other, and edges that cross.

Of all these places the nearest eight are kept: a patch in which two rectangles overlap has no more corners. They are
searched for in one call a pair of boxes. Every one of them is a point of a box, whichever is chosen: none is a contact
that is not there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import NativeFunction, call, greater, maximum, minimum, sqrt, where
from footfall.compiler.graph import ACTIVE, Graph
from footfall.compiler.once import once
from footfall.compiler.routines import (
    ArrayOf,
    Matrix3,
    RoutineCallback,
    Vector3,
    as_records,
    new_records,
    record_dtype,
    routine,
)
from footfall.compiler.symbols import Symbol, node_index
from footfall.math.spatial import cross
from footfall.math.transform import Transform

# One native call for all candidates that need its results.

# Nodes of the calls that a trace has made; no symbols, which would keep their graph alive.
_made: WeakKeyDictionary[Graph, dict[tuple[Any, ...], list[int]]] = WeakKeyDictionary()


def shared_call(function: NativeFunction, inputs: Array) -> Array:
    """Results (n,) of a function for symbols (m,), as one node of the graph however often it is asked for."""
    graph = ACTIVE.get()
    assert graph is not None
    key = (function.name, graph.open_regions[-1], *(node_index(graph, value) for value in inputs))
    known = _made.setdefault(graph, {})
    if key not in known:
        known[key] = [symbol.index for symbol in call(function, inputs)]
    return np.array([Symbol(graph, index) for index in known[key]], dtype=object)


# Where an axis, that of a capsule or of a cylinder, comes over a face of a box, leaves it or crosses an edge.
#
# A bar that lies across a beam touches it with points of its mantle that move along it with every step, so they are
# searched for, one call an axis and a box. Each of them may touch, whichever is chosen: none of them is a contact that
# is not there.

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
def _axis_callback() -> RoutineCallback:
    return RoutineCallback(find_axis_crossings)


@cache
def native_axis_crossings(data: bytes) -> NativeFunction:
    """For half the length of an axis and the half edges of a box; other sizes are another function."""
    callback, name = _axis_callback(), f"axis_crossings_{data.hex()}"
    return NativeFunction(
        name, callback.address, NUMBERS * AXIS_PLACES, data=np.frombuffer(data), owner=callback
    )


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
def _box_callback() -> RoutineCallback:
    return RoutineCallback(find_box_places)


@cache
def native_box_places(data: bytes) -> NativeFunction:
    """For the half edges of two boxes and their roundings; other sizes are another function."""
    callback, name = _box_callback(), f"box_places_{data.hex()}"
    return NativeFunction(name, callback.address, NUMBERS * PLACES, data=np.frombuffer(data), owner=callback)


# Points of a shape that touch and move along it: on the rims and the mantle of a cylinder, on the axis of a capsule.
#
# A wheel touches the ground with the lowest point of its rims, which is another one in every step. Two bars that cross
# touch where their axes are nearest. For numbers and for symbols.

DistanceAt = Callable[[Array], tuple[Any, Array]]

RIM_PLACES = 4
_UPRIGHT = 1e-12  # square of the sine of the tilt below which all points of a rim are as near
_BEYOND = 0.1  # of the radius of a rim
_PARALLEL = 1e-9  # square of the sine of the angle between two axes


@dataclass(frozen=True)
class RimPoint:
    """A point on a rim of a cylinder: that nearest to the surface, and at quarters of the rim from it.

    radius: of the rim, m. height: of its middle along z of `placement` in the body, m. quarter: from 0, the nearest,
    to `RIM_PLACES`; of a cylinder that stands upright they are at rest in the body.
    """

    radius: float
    height: float
    placement: Transform
    quarter: int


@dataclass(frozen=True)
class AxisPoint:
    """The point of an axis that is nearest to another axis.

    length: of the axis along z of `placement` in the body, m. other: length of the other axis, along z of its shape.
    mantle: radius, m, of a cylinder about the axis, whose mantle touches there; 0: the axis itself does.
    """

    length: float
    placement: Transform
    other: float
    mantle: float


def rim_point(rim: RimPoint, pose: Transform, distance_at: DistanceAt, *, searches: int) -> Array:
    """The point (3,) in the world.

    pose: of the cylinder. distance_at: distance (m) and normal (3,) of the surface for a point in the world. searches:
    how often the nearest point is sought from the last one; once is enough for a plane.
    """
    axis = pose.rotation[:, 2]
    middle = pose.translation + rim.height * axis
    point, away = middle, pose.rotation[:, 0]
    for _ in range(searches):
        distance, normal = distance_at(point)
        # to where the surface is nearest, or a little beyond, so that there is a way to go from inside of it too
        onto = point - (maximum(distance, 0.0) + _BEYOND * rim.radius) * normal
        direction, tilted = _across(axis, (middle - onto) / rim.radius)
        away = where(tilted, direction, away)
        point = middle - rim.radius * away
    direction = (-away, -cross(axis, away), away, cross(axis, away))[rim.quarter]
    return np.asarray(middle + rim.radius * direction)


def axis_point(place: AxisPoint, pose: Transform, other: Transform, distance_at: DistanceAt) -> Array:
    """The point (3,) in the world; pose, other: of the shapes with the two axes."""
    axis, across = pose.rotation[:, 2], other.rotation[:, 2]
    between = pose.translation - other.translation
    cosine, own, far = axis @ across, axis @ between, across @ between
    sine = 1.0 - cosine * cosine
    crossing = greater(sine, _PARALLEL)
    along = _within(where(crossing, (cosine * far - own) / where(crossing, sine, 1.0), 0.0), place.length)
    opposite = _within(cosine * along + far, place.other)
    along = _within(cosine * opposite - own, place.length)
    point = pose.translation + along * axis
    return (
        np.asarray(point)
        if place.mantle == 0.0
        else mantle_point(point, axis, distance_at(point)[1], place.mantle)
    )


def mantle_point(center: Array, axis: Array, normal: Array, radius: float) -> Array:
    """The point (3,) of the circle about an axis that is farthest against a normal (3,); its centre if these are
    parallel."""
    away, tilted = _across(axis, normal)
    return np.asarray(where(tilted, center - radius * away, center))


def _across(axis: Array, normal: Array) -> tuple[Array, Any]:
    """Direction (3,) of the part of a normal across an axis, and whether there is one."""
    part = normal - (normal @ axis) * axis
    square = part @ part
    tilted = greater(square, _UPRIGHT)
    return part / sqrt(where(tilted, square, 1.0)), tilted


def _within(along: Any, length: float) -> Any:
    return maximum(minimum(along, length / 2), -length / 2)
