"""Fast things: where two shapes will first touch within a step.

Something that moves by more than a part of its own thickness may hit another part of what it meets than that which is
nearest now, or nothing at all. Both shapes are moved ahead along their velocities, each time by no more than is certain
to leave them apart (Mirtich 1996), until they touch or the step ends. The points found there are carried back to the
start of the step, with the normal that they have when they touch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, routine
from footfall.contact.detection.convex_pairs import Found
from footfall.contact.detection.memory import Search, ShapeTable
from footfall.contact.detection.narrow import motion_between, pair_spots
from footfall.contact.detection.shapes import Bodies, Kind, Spot
from footfall.math.transform import Transform

_FAST = 0.2  # of the thinner shape's half thickness: motion within a step from which on things are fast
_THIN = 1e-3  # m: thinner ones count as this
_TOUCHING = 1e-6  # m: gap at which they touch, if `reach` is smaller
_STEPS = 30


class Motion(NamedTuple):
    """How a body moves: a point it turns about, its velocity (m/s), and the angular velocity (rad/s), world axes."""

    origin: Vector3
    linear: Vector3
    angular: Vector3


@routine
def is_fast(table: ShapeTable, one: int, other: int, motion: float) -> bool:
    """Whether two shapes move by so much (m) relative to each other that the nearest points now say little. Over a
    plane they say all."""
    if table.shapes[other].kind == Kind.PLANE:
        return False
    inner = min(table.shapes[one].inner, table.shapes[other].inner)
    return motion > _FAST * max(inner, _THIN)


@routine
def motion_of(table: ShapeTable, bodies: Bodies, number: int) -> Motion:
    """The motion of the body that carries a shape."""
    body = table.shapes[number].body
    if body < 0:
        return Motion(np.zeros(3), np.zeros(3), np.zeros(3))
    return Motion(bodies.position[body], bodies.linear[body], bodies.angular[body])


@routine
def impact_spots(search: Search, margin: float, spots: ArrayOf[Spot], near: Found) -> Found:
    """Points of a pair that is fast; near: those within `margin` (m) now, which `spots` holds.

    Pairs that touch already keep them.
    """
    table, memory, bodies, dt = search.table, search.memory, search.bodies, search.dt
    one, other = near.pair.first, near.pair.second
    touching = max(search.reach, _TOUCHING)
    if _least(spots, near.points) <= touching:
        return near
    place, other_place = memory.places[one], memory.places[other]
    motion, other_motion = motion_of(table, bodies, one), motion_of(table, bodies, other)
    turning = memory.spin[one] + memory.spin[other]
    found, time = near, 0.0
    for _ in range(_STEPS):
        time += _certain(motion, other_motion, spots, found.points, turning / dt, 0.5 * touching)
        if time >= dt:
            found = Found(0, found.pair)
            break
        memory.places[one] = _moved(place, motion, time)
        memory.places[other] = _moved(other_place, other_motion, time)
        found = pair_spots(table, memory, found.pair, margin, spots)
        if _least(spots, found.points) <= touching:
            break
    memory.places[one], memory.places[other] = place, other_place
    # Points that are farther away when the first one touches may be reached in the rest of the step, also because the
    # impact turns the bodies. Along their arcs they are no nearer now than their velocities say.
    rest = (1.0 - min(time / dt, 1.0)) * motion_between(memory, one, other)
    kept = 0
    for k in range(found.points):
        then, spot = spots[k].gap, _before(spots[k], motion, other_motion, time)
        if then > 2.0 * touching:
            apart = velocity_at(motion, spot.position) - velocity_at(other_motion, spot.position)
            approach = -(spot.normal @ apart)
            if then > 2.0 * touching + rest or approach <= 0.0:
                continue
            spot = spot._replace(gap=max(spot.gap, then + time * approach))
        spots[kept] = spot
        kept += 1
    return Found(kept, near.pair)


@routine
def _least(spots: ArrayOf[Spot], count: int) -> float:
    least = np.inf
    for k in range(count):
        least = min(least, spots[k].gap)
    return least


@routine
def _certain(
    motion: Motion, other: Motion, spots: ArrayOf[Spot], count: int, turning: float, touching: float
) -> float:
    """Time (s) that passes at least until a gap is as small as `touching` (m). turning: m/s, how much faster than the
    points found others of the shapes may be."""
    least = np.inf
    for k in range(count):
        point = spots[k].position
        approach = turning - spots[k].normal @ (velocity_at(motion, point) - velocity_at(other, point))
        if approach > 0.0:
            least = min(least, (spots[k].gap - touching) / approach)
    return least


@routine
def velocity_at(motion: Motion, point: Vector3) -> Vector3:
    """Of a point that moves with a body, m/s."""
    return motion.linear + np.cross(motion.angular, point - motion.origin)


@routine
def _moved(place: Transform, motion: Motion, time: float) -> Transform:
    turn = _turned(motion.angular, time)
    arm = turn @ (place.translation - motion.origin)
    return Transform(turn @ place.rotation, motion.origin + time * motion.linear + arm)


@routine
def _before(spot: Spot, motion: Motion, other: Motion, time: float) -> Spot:
    """A point as it is at the start of the step: both shapes carried back, the normal as it is."""
    point = _carried_back(spot.position, motion, time)
    opposite = _carried_back(spot.position - spot.gap * spot.normal, other, time)
    return Spot(point, spot.normal, float(spot.normal @ (point - opposite)), spot.feature)


@routine
def _carried_back(point: Vector3, motion: Motion, time: float) -> Vector3:
    turn = _turned(motion.angular, time)
    return motion.origin + turn.T @ (point - motion.origin - time * motion.linear)


@routine
def _turned(angular: Vector3, time: float) -> Matrix3:
    """The turn of a body in some time (Rodrigues)."""
    speed = math.sqrt(angular @ angular)
    c, s = math.cos(speed * time), math.sin(speed * time)
    x, y, z = angular / max(speed, 1e-300)
    d = 1.0 - c
    return np.array(
        [
            [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
            [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
            [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
        ]
    )
