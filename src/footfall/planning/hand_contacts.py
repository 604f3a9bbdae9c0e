"""Where hands touch things: the best point of all surfaces within reach (Seiwald 2023, 5.5.5, (5.11) to (5.13)).

A point is good if the surface is trusted there and the hand reaches it during the whole step. On a triangle trust
changes linearly, and the distance to a line is convex, so that the best point on the way up the slope of trust is found
by golden sections.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, new_records, routine
from footfall.environment.model import Environment
from footfall.geometry.triangle import Triangle, line_to_line, on_triangle, point_to_line
from footfall.motion.hand_space import HandSpace
from footfall.planning.biped import Biped
from footfall.planning.parameters import HandParameters
from footfall.planning.solids import Capsule, moved_capsule, pierces
from footfall.planning.surfaces import TouchSurface

Cells = np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]
Bounds = tuple[tuple[float, float], tuple[float, float]]
EVERYWHERE: Bounds = ((-np.inf, -np.inf), (np.inf, np.inf))
_HAND_REACH = 1.2  # m that hands get from the middle between the feet, and the longest edge of a triangle
_ARM_SHARE = 0.96  # of the stretched arm, within which contacts are sought
_UPRIGHT = 0.7  # z of a normal: what is flatter is a table or a rail, over which arms swing
_ELBOW = 0.5  # of the stretched arm: as far elbows get beside the shoulder as a hand is raised
_EDGE = 0.15  # m, longest of a triangle
_RETURNING = 3  # stances after a contact in which the arm swings back
_FACING = 0.85  # cosine, between the way to the nearest place of a wall and its normal: less is an edge
_GOLDEN = 0.6180339887498949
_SECTIONS = 24  # the way is then known to 1e-5 of its length


class TouchTriangle(NamedTuple):
    """A triangle that a hand may touch: corners in the world, m, outward normal, confidence at the corners."""

    corners: Triangle
    normal: Vector3
    confidence: Vector3


class Touchables(NamedTuple):
    """Triangles of all objects that hands may touch; owners (m,): number of the object of each."""

    triangles: ArrayOf[TouchTriangle]
    owners: Integers


class HandRules(NamedTuple):
    """What a good contact is, see `HandParameters`; angles in rad, radius of the hand in m. aside: how far a wall is
    from the middle between the feet at least, m."""

    least_confidence: float
    confidence_weight: float
    distance_cost: float
    frontal: Vector2
    transverse: Vector2
    radius: float
    aside: float


class Touch(NamedTuple):
    """A point on a surface, m, with its normal. cost: infinite if there is none."""

    cost: float
    point: Vector3
    normal: Vector3
    confidence: float
    owner: int


def hand_rules(parameters: HandParameters, radius: float, arm: float) -> HandRules:
    """Rules for a hand of a radius on an arm of a length, m."""
    return HandRules(
        parameters.least_confidence,
        parameters.confidence_weight,
        parameters.distance_per_m,
        np.deg2rad(parameters.frontal_deg),
        np.deg2rad(parameters.transverse_deg),
        radius,
        parameters.aside_arms * arm,
    )


def touchables(
    environment: Environment,
    surface_of: Callable[[str], TouchSurface | None],
    ids: tuple[str, ...],
    bounds: Bounds = EVERYWHERE,
) -> Touchables:
    """Surfaces where their objects stand, as far as hands get from places in a rectangle (x, y); owners count in
    `ids`. surface_of: the surface of an object, None if hands do not touch it; asked for what is near only."""
    low, high = (
        np.array(corner) + side * _HAND_REACH for corner, side in zip(bounds, (-1.0, 1.0), strict=True)
    )
    corners, confidence, owners = [np.zeros((0, 3, 3))], [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for number, id in enumerate(ids):
        each = environment.object(id)
        if any(each.box[1][k] < low[k] or each.box[0][k] > high[k] for k in range(2)):
            continue
        surface, pose = surface_of(id), each.placement
        if surface is None:
            continue
        world = surface.vertices @ pose.rotation.T + pose.translation
        near = np.all((world[:, :2] >= low) & (world[:, :2] <= high), axis=1)
        triangles = surface.triangles[near[surface.triangles].all(axis=1)]
        corners.append(world[triangles])
        confidence.append(surface.confidence[triangles])
        owners.append(np.full(len(triangles), number))
    points = np.concatenate(corners)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    found = new_records(TouchTriangle, len(points))
    for k, name in enumerate(Triangle._fields):
        found["corners"][name] = points[:, k]
    found["normal"], found["confidence"] = normals, np.concatenate(confidence)
    return Touchables(found, np.concatenate(owners).astype(np.int64))


@routine
def within_cone(normal: Vector3, yaw: float, side: int, rules: HandRules) -> bool:
    """Whether a hand (0 right, 1 left) of an upright body can lean on a surface with this outward normal."""
    c, s = np.cos(yaw), np.sin(yaw)
    ahead = c * normal[0] + s * normal[1]
    inward = c * normal[1] - s * normal[0]
    if side == 1:
        inward = -inward
    frontal = np.arctan2(normal[2], inward)
    if frontal < rules.frontal[0] or frontal > rules.frontal[1]:
        return False
    if np.hypot(ahead, inward) <= 0.3:
        return True
    transverse = np.arctan2(ahead, inward)
    return bool(transverse >= rules.transverse[0] and transverse <= rules.transverse[1])


@routine
def nearest_on_triangle(start: Vector3, end: Vector3, triangle: Triangle) -> Vector3:
    """The point of a triangle that is closest to a line."""
    if pierces(start, end, triangle):
        normal: Vector3 = np.cross(triangle.b - triangle.a, triangle.c - triangle.a)
        before, behind = normal @ (start - triangle.a), normal @ (end - triangle.a)
        crossing: Vector3 = start + before / (before - behind) * (end - start)
        return crossing
    one, other = on_triangle(triangle, start), on_triangle(triangle, end)
    best, point = one.square, one.point
    if other.square < best:
        best, point = other.square, other.point
    for a, b in ((triangle.a, triangle.b), (triangle.b, triangle.c), (triangle.c, triangle.a)):
        found = line_to_line(start, end, a, b)
        if found.square < best:
            best, point = found.square, found.second
    return point


@routine
def confidence_slope(touch: TouchTriangle) -> Vector3:
    """How confidence grows along the plane of a triangle, 1/m."""
    a, b, c = touch.corners.a, touch.corners.b, touch.corners.c
    normal: Vector3 = np.cross(b - a, c - a)
    square = normal @ normal
    # A corner's share grows across the opposite edge, by one over its height.
    slope_a: Vector3 = np.cross(normal, c - b)
    slope_b: Vector3 = np.cross(normal, a - c)
    slope_c: Vector3 = np.cross(normal, b - a)
    total = touch.confidence[0] * slope_a + touch.confidence[1] * slope_b + touch.confidence[2] * slope_c
    slope: Vector3 = total / square
    return slope


@routine
def confidence_at(touch: TouchTriangle, slope: Vector3, point: Vector3) -> float:
    """Confidence at a point of a triangle."""
    return float(touch.confidence[0] + slope @ (point - touch.corners.a))


@routine
def way_out(triangle: Triangle, point: Vector3, way: Vector3) -> float:
    """How many times a way can be gone from a point of a triangle before it leaves the triangle."""
    normal: Vector3 = np.cross(triangle.b - triangle.a, triangle.c - triangle.a)
    most = np.inf
    for a, b in ((triangle.a, triangle.b), (triangle.b, triangle.c), (triangle.c, triangle.a)):
        inward: Vector3 = np.cross(normal, b - a)
        speed = inward @ way
        if speed < 0.0:
            most = min(most, max((inward @ (a - point)) / speed, 0.0))
    return most if most < np.inf else 0.0


@routine
def reach_distance(capsule: Capsule, point: Vector3, radius: float) -> float:
    """Distance of a hand that touches a point to a volume of reach, m; negative inside."""
    away = float(np.sqrt(point_to_line(point, capsule.start, capsule.end).square))
    return away - capsule.radius - radius


@routine
def point_cost(
    capsule: Capsule, touch: TouchTriangle, slope: Vector3, point: Vector3, rules: HandRules
) -> float:
    """(5.11) without its bounds."""
    doubt = 1.0 - confidence_at(touch, slope, point)
    return rules.confidence_weight * doubt + rules.distance_cost * reach_distance(
        capsule, point, rules.radius
    )


@routine
def best_of_triangle(capsule: Capsule, touch: TouchTriangle, rules: HandRules, owner: int) -> Touch:
    """The best point on the way from the closest one up the slope of confidence."""
    begin = nearest_on_triangle(capsule.start, capsule.end, touch.corners)
    none = Touch(np.inf, begin, touch.normal, 0.0, owner)
    if reach_distance(capsule, begin, rules.radius) > 0.0:
        return none
    slope = confidence_slope(touch)
    way: Vector3 = way_out(touch.corners, begin, slope) * slope
    grown = float(slope @ way)
    low, high = 0.0, 1.0
    lacking = rules.least_confidence - confidence_at(touch, slope, begin)
    if lacking > 0.0:
        if grown < lacking:
            return none
        low = lacking / grown
    if reach_distance(capsule, begin + way, rules.radius) > 0.0:
        inside = 0.0
        for _ in range(_SECTIONS):
            middle = (inside + high) / 2.0
            if reach_distance(capsule, begin + middle * way, rules.radius) > 0.0:
                high = middle
            else:
                inside = middle
        high = inside
    if low > high:
        return none
    one, other = low, high
    left, right = other - _GOLDEN * (other - one), one + _GOLDEN * (other - one)
    for _ in range(_SECTIONS):
        at_left = point_cost(capsule, touch, slope, begin + left * way, rules)
        at_right = point_cost(capsule, touch, slope, begin + right * way, rules)
        if at_left <= at_right:
            other, right = right, left
            left = other - _GOLDEN * (other - one)
        else:
            one, left = left, right
            right = one + _GOLDEN * (other - one)
    best, share = np.inf, low
    for candidate in (low, (one + other) / 2.0, high):
        cost = point_cost(capsule, touch, slope, begin + candidate * way, rules)
        if cost < best:
            best, share = cost, candidate
    point: Vector3 = begin + share * way
    return Touch(best, point, touch.normal, confidence_at(touch, slope, point), owner)


@routine
def best_touch(
    things: Touchables, capsules: ArrayOf[Capsule], rules: HandRules, place: Vector3, yaw: float, side: int
) -> Touch:
    """The best point of all for a hand (0 right, 1 left); capsules: of that hand, in the frame between the feet."""
    best = Touch(np.inf, place, place, 0.0, -1)
    for k in range(len(capsules)):
        capsule = moved_capsule(capsules[k], place, yaw)
        middle = (capsule.start + capsule.end) / 2.0
        half = capsule.end - middle
        far = np.sqrt(half @ half) + capsule.radius + rules.radius
        for n in range(len(things.owners)):
            touch = things.triangles[n]
            corner, span = touch.corners.a - middle, 0.0
            for other in (touch.corners.b, touch.corners.c):
                span = max(span, (other - touch.corners.a) @ (other - touch.corners.a))
            reach = far + np.sqrt(span)
            if corner @ corner > reach * reach:
                continue
            if max(touch.confidence[0], touch.confidence[1], touch.confidence[2]) < rules.least_confidence:
                continue
            if not within_cone(touch.normal, yaw, side, rules):
                continue
            found = best_of_triangle(capsule, touch, rules, things.owners[n])
            if found.cost < best.cost:
                best = found
    return best


class Standing(NamedTuple):
    """The middle between the feet at a stance: x, y, z in m, yaw in rad; stance foot, 0 right, 1 left; heading of the
    upper body then, which is that of both feet in the mean, rad."""

    place: Vector3
    yaw: float
    foot: int
    torso: float


class Arms(NamedTuple):
    """Shoulders (2, 3) in the frame between the feet, m, and how far hands get from them, m. cells, corner, size: where
    the right hand gets, see `HandSpace`; no cells where only the length is known."""

    shoulders: Array
    reach: float
    cells: Cells
    corner: Vector3
    size: float


def arms_of(biped: Biped, space: HandSpace | None) -> Arms:
    """The arms of a biped."""
    right = np.array(biped.shoulder)
    shoulders = np.stack([right, right * [1.0, -1.0, 1.0]])
    if space is None:
        return Arms(shoulders, _ARM_SHARE * biped.arm, np.zeros((0, 0, 0), np.bool_), np.zeros(3), 1.0)
    return Arms(shoulders, _ARM_SHARE * biped.arm, space.cells, space.corner, space.size)


@routine
def shoulder_at(standing: Standing, arms: Arms, side: int) -> Vector3:
    """Where a shoulder is at a stance, m."""
    c, s = np.cos(standing.yaw), np.sin(standing.yaw)
    x, y, z = arms.shoulders[side, 0], arms.shoulders[side, 1], arms.shoulders[side, 2]
    place: Vector3 = standing.place + np.array([c * x - s * y, s * x + c * y, z])
    return place


@routine
def arm_reaches(standing: Standing, arms: Arms, side: int, hand: Vector3) -> bool:
    """Whether a hand is within the length of its arm, and where the limits of the arm's joints and the robot itself let
    it get."""
    c, s = np.cos(standing.yaw), np.sin(standing.yaw)
    way: Vector3 = hand - shoulder_at(standing, arms, side)
    if way @ way > arms.reach * arms.reach:
        return False
    if len(arms.cells) == 0:
        return True
    left = c * way[1] - s * way[0]
    place = np.array([c * way[0] + s * way[1], -left if side == 1 else left, way[2]]) - arms.corner
    i, j, k = (
        int(np.floor(place[0] / arms.size)),
        int(np.floor(place[1] / arms.size)),
        int(np.floor(place[2] / arms.size)),
    )
    nx, ny, nz = arms.cells.shape[0], arms.cells.shape[1], arms.cells.shape[2]
    if i < 0 or j < 0 or k < 0 or i >= nx or j >= ny or k >= nz:
        return False
    return bool(arms.cells[i, j, k])


@routine
def touched_owner(things: Touchables, point: Vector3, most: float) -> int:
    """Number of the object whose surface is nearest to a point, -1 if none is nearer than `most`, m."""
    best, owner = most * most, -1
    for n in range(len(things.owners)):
        square = on_triangle(things.triangles[n].corners, point).square
        if square < best:
            best, owner = square, things.owners[n]
    return owner


@routine
def away_from(touch: Touch, place: Vector3) -> float:
    """How far a place is from the wall that a hand touches, m, seen from above: a normal that was seen a little aslant
    must not count the height of the hand."""
    level = np.hypot(touch.normal[0], touch.normal[1])
    along = touch.normal[0] * (place[0] - touch.point[0]) + touch.normal[1] * (place[1] - touch.point[1])
    return float(along / level)


@routine
def too_near(touch: Touch, rules: HandRules, before: Standing, stances: ArrayOf[Standing], n: int) -> bool:
    """Whether a wall is so near that the body, which sways towards it in slow steps with hands, or an elbow would
    strike it: at the stance before the contact, where the hand sets out (in a door, the plane of the wall beside it is
    next to the shoulder), at that of the contact, and while the arm swings back after it, at the next two."""
    if touch.normal[2] > _UPRIGHT:
        return False
    start = stances[n - 1] if n > 0 else before
    nearest = away_from(touch, start.place)
    for k in range(n, min(n + 3, len(stances))):
        nearest = min(nearest, away_from(touch, stances[k].place))
    return nearest < rules.aside


@routine
def around_edge(things: Touchables, touch: Touch, start: Standing, arms: Arms, side: int) -> bool:
    """Whether the arm would go around the edge of a wall to a contact, as in a door to the wall beside it: the shoulder
    that it sets out from is next to the wall, and what is nearest of it is its edge. The elbow, which
    sticks out as the hand is raised, would strike the edge."""
    if touch.normal[2] > _UPRIGHT:
        return False
    shoulder = shoulder_at(start, arms, side)
    place: Vector3 = np.array([shoulder[0], shoulder[1], touch.point[2]])
    nearest, way = np.inf, place
    for n in range(len(things.owners)):
        if things.owners[n] == touch.owner:
            found = on_triangle(things.triangles[n].corners, place)
            if found.square < nearest:
                nearest, way = found.square, found.point - place
    away = np.sqrt(nearest)
    if away > _ELBOW * arms.reach:
        return False
    level = np.hypot(touch.normal[0], touch.normal[1])
    towards = -(touch.normal[0] * way[0] + touch.normal[1] * way[1])
    return bool(towards < _FACING * level * away)


@routine
def narrows(things: Touchables, touch: Touch, standing: Standing, arms: Arms, side: int) -> bool:
    """Whether another wall is next to a shoulder at a stance, as in a door. An arm that swings back from a contact has
    no room there, and its hand stays behind on the wrong side of the post."""
    shoulder = shoulder_at(standing, arms, side)
    place = np.array([shoulder[0], shoulder[1], touch.point[2]])
    room = _ELBOW * arms.reach
    for n in range(len(things.owners)):
        corners = things.triangles[n].corners
        way: Vector3 = corners.a - place
        near = things.owners[n] != touch.owner and way @ way < (room + _EDGE) * (room + _EDGE)
        if near and on_triangle(corners, place).square < room * room:
            return True
    return False


@routine
def find_touches(
    things: Touchables,
    capsules: ArrayOf[Capsule],
    rules: HandRules,
    arms: Arms,
    begin: Standing,
    stances: ArrayOf[Standing],
    found: ArrayOf[Touch],
) -> None:
    """Fill in (2 n,) touches of the right and left hand at each of n stances; owners of held ones are -2 - owner, of
    none -1; what is held from before, from the stance `begin`, is there already.

    A hand opposite to the stance foot must take part. What is touched is held until after the next step, so both
    stances must be in reach; before the last stance all hands are free again.
    """
    half = len(capsules) // 2
    for n in range(len(stances) - 1):
        stance = stances[n]
        opposite = 1 - stance.foot
        supported = False
        for side in (opposite, 1 - opposite):
            if found[2 * n + side].owner != -1:  # held
                supported = supported or side == opposite
                continue
            if side != opposite and not supported:
                continue
            if n + 2 >= len(stances):
                continue
            touch = best_touch(
                things, capsules[side * half : (side + 1) * half], rules, stance.place, stance.yaw, side
            )
            if touch.cost == np.inf:
                continue
            hand = touch.point + rules.radius * touch.normal
            later = stances[n + 1]
            if not arm_reaches(stance, arms, side, hand) or not arm_reaches(later, arms, side, hand):
                continue
            start = stances[n - 1] if n > 0 else begin
            turning = False  # the body turns while the hand sets out and holds
            for yaw in (start.torso, stance.torso, later.yaw, later.torso):
                turning = turning or not within_cone(touch.normal, yaw, side, rules)
            if turning or too_near(touch, rules, begin, stances, n):
                continue
            if around_edge(things, touch, start, arms, side) or around_edge(
                things, touch, stance, arms, side
            ):
                continue
            narrow = False  # while the arm swings back
            for k in range(n + 2, min(n + 2 + _RETURNING, len(stances))):
                narrow = narrow or narrows(things, touch, stances[k], arms, side)
            if narrow:
                continue
            found[2 * n + side] = touch
            found[2 * n + 2 + side] = touch._replace(owner=-2 - touch.owner)
            supported = supported or side == opposite
