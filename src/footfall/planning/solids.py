"""Things around the robot: whether its body or arms would be inside of them, and which of them its hands reach.

A thing is the swept-sphere volume of an object; the robot's volumes are capsules (Seiwald 2023, 5.3.2).

Which things may matter to a robot on a cell of the map: most are too far away to be looked at.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Vector3, as_records, routine
from footfall.environment.distances import packed_volumes
from footfall.environment.model import Environment
from footfall.geometry.swept_sphere import SweptVolume
from footfall.geometry.triangle import Triangle, line_to_line, on_triangle
from footfall.planning.biped import Biped
from footfall.planning.ground import Bytes
from footfall.planning.step_set import GUIDE_CELL


class Nearby(NamedTuple):
    """Numbers of the things near each cell (nx, ny), from a corner (x, y) on, m: those of cell (i, j) are items[first]
    to items[last - 1], where first and last are firsts[i * ny + j] and the next one."""

    x: float
    y: float
    cell: float  # m
    nx: int
    ny: int
    firsts: Integers
    items: Integers


def nearby(
    boxes: Array, distance: float, corner: tuple[float, float], cell: float, shape: tuple[int, int]
) -> Nearby:
    """Things (n) by their boxes (n, 4), m: least x, y, greatest x, y. distance: up to which they count, m."""
    counts = np.zeros(shape[0] * shape[1] + 1, np.int64)
    blank = Nearby(*corner, cell, *shape, counts, np.empty(0, np.int64))
    visit_cells(blank, boxes, distance, False)
    firsts = np.cumsum(counts) - counts  # of the last entry, which counts nothing, it is the sum
    filled = blank._replace(firsts=firsts.copy(), items=np.empty(int(firsts[-1]), np.int64))
    visit_cells(filled, boxes, distance, True)
    return filled._replace(firsts=firsts)


@routine(quick=True)
def visit_cells(cells: Nearby, boxes: Array, distance: float, fill: bool) -> None:
    """Count the things near each cell in `firsts`, or fill in their numbers, by which `firsts` move on."""
    for n in range(len(boxes)):
        i_first = max(int((boxes[n, 0] - distance - cells.x) / cells.cell), 0)
        i_last = min(int((boxes[n, 2] + distance - cells.x) / cells.cell) + 1, cells.nx)
        j_first = max(int((boxes[n, 1] - distance - cells.y) / cells.cell), 0)
        j_last = min(int((boxes[n, 3] + distance - cells.y) / cells.cell) + 1, cells.ny)
        for i in range(i_first, i_last):
            x = cells.x + (i + 0.5) * cells.cell
            dx = max(boxes[n, 0] - x, x - boxes[n, 2], 0.0)
            for j in range(j_first, j_last):
                y = cells.y + (j + 0.5) * cells.cell
                dy = max(boxes[n, 1] - y, y - boxes[n, 3], 0.0)
                if dx * dx + dy * dy <= distance * distance:
                    here = i * cells.ny + j
                    if fill:
                        cells.items[cells.firsts[here]] = n
                    cells.firsts[here] += 1


@routine
def cell_below(cells: Nearby, x: float, y: float) -> int:
    """Number of the cell at a place, m; of the nearest one beyond the map."""
    i = min(max(int((x - cells.x) / cells.cell), 0), cells.nx - 1)
    j = min(max(int((y - cells.y) / cells.cell), 0), cells.ny - 1)
    return i * cells.ny + j


_CORE = 0.8  # of half the width of the body
_MAP_BORDER = 1.5 * GUIDE_CELL  # m beyond the extent of the robot: it may be anywhere on a cell


class Solid(NamedTuple):
    """An element of an object's volume: a triangle (lines and points have equal corners) with a radius, m; its box of
    coordinates, and the unit normal of its plane, zero if it has none."""

    triangle: Triangle
    radius: float
    low: Vector3
    high: Vector3
    normal: Vector3


class Solids(NamedTuple):
    """Elements of all objects; owners: number of the object of each. touchable: whether a hand may touch it. solid:
    whether it is in the way, as floors are not. near: those that a robot on a cell may be in or reach."""

    elements: ArrayOf[Solid]
    owners: Integers
    touchable: Flags
    solid: Flags
    near: Nearby


class Capsule(NamedTuple):
    """A line swept by a sphere, m."""

    start: Vector3
    end: Vector3
    radius: float


class Volumes(NamedTuple):
    """The robot's capsules, turned for each half heading: n = heading * count + k. body, arms and reach of both
    sides one after the other; `hands` is 2 or 0. core: one that stands upright, nearly as wide as the body."""

    core: ArrayOf[Capsule]
    body: ArrayOf[Capsule]
    arms: ArrayOf[Capsule]
    reach: ArrayOf[Capsule]
    body_count: int
    arm_count: int
    reach_count: int
    hands: int
    body_extent: float  # m, how far from the middle between the feet the body's volume gets
    arm_extent: float
    reach_extent: float
    lateral: float  # m, half of the distance of the feet


class Cells(NamedTuple):
    """Cells of the guide: corner of the first, m, and how many there are along x and y."""

    corner: tuple[float, float]
    shape: tuple[int, int]


def packed_solids(
    environment: Environment,
    volumes: Volumes,
    cells: Cells,
    *,
    touchable: Collection[str],
    floors: Collection[str] = ("floor",),
) -> tuple[Solids, tuple[str, ...]]:
    """All objects but floors for routines, and their ids. touchable: ids of those that hands may touch."""
    ids = tuple(
        each.id
        for each in environment.objects.values()
        if each.category not in floors or each.id in touchable
    )
    packed = packed_volumes(environment, ids)
    corners = packed.corners.reshape(-1, 3, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.empty((len(corners), 19))
    rows[:, :9] = packed.corners
    rows[:, 9] = packed.radii
    rows[:, 10:13] = corners.min(axis=1, initial=np.inf) - packed.radii[:, None]
    rows[:, 13:16] = corners.max(axis=1, initial=-np.inf) + packed.radii[:, None]
    rows[:, 16:] = np.where(sizes > 1e-12, normals / np.maximum(sizes, 1e-300), 0.0)
    touch = np.array([id in touchable for id in ids], dtype=bool)
    solid = np.array([environment.object(id).category not in floors for id in ids], dtype=bool)
    owners = packed.owners
    boxes = np.ascontiguousarray(rows[:, [10, 11, 13, 14]])
    farthest = max(volumes.body_extent, volumes.arm_extent, volumes.reach_extent) + _MAP_BORDER
    near = nearby(boxes, farthest, cells.corner, GUIDE_CELL, cells.shape)
    return Solids(as_records(Solid, rows), owners, touch[owners], solid[owners], near), ids


def turned_volumes(biped: Biped, yaws: int) -> Volumes:
    """The volumes of a biped for as many headings."""
    arms, reach = list(biped.arms), list(biped.reach)
    return Volumes(
        _core(biped.body),
        _turned([biped.body], yaws),
        _turned(arms, yaws),
        _turned(reach, yaws),
        len(biped.body),
        len(arms[0]) if arms else 0,
        len(reach[0]) if reach else 0,
        biped.hands,
        _extent([biped.body]),
        _extent(arms),
        _extent(reach),
        biped.foot_distance / 2,
    )


def _core(body: SweptVolume) -> ArrayOf[Capsule]:
    corners = np.concatenate([element.corners for element in body.elements])
    half = max(float(np.abs(element.corners[:, 1]).max()) + element.radius for element in body.elements)
    low, high = corners[:, 2].min(), corners[:, 2].max()
    rows = np.array([[0.0, 0.0, low, 0.0, 0.0, high, _CORE * half]])
    core: ArrayOf[Capsule] = as_records(Capsule, rows)
    return core


def _turned(volumes: list[SweptVolume], yaws: int) -> ArrayOf[Capsule]:
    elements = [element for volume in volumes for element in volume.elements]
    rows = np.empty((yaws, len(elements), 7))
    for k in range(yaws):
        yaw = 2 * np.pi * k / yaws
        turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
        for n, element in enumerate(elements):
            rows[k, n, :6] = (element.corners @ turn.T).reshape(6)
            rows[k, n, 6] = element.radius
    capsules: ArrayOf[Capsule] = as_records(Capsule, rows.reshape(-1, 7))
    return capsules


def _extent(volumes: list[SweptVolume]) -> float:
    sizes = [
        float(np.linalg.norm(element.corners[:, :2], axis=1).max()) + element.radius
        for volume in volumes
        for element in volume.elements
    ]
    return max(sizes, default=0.0)


@routine
def moved_capsule(capsule: Capsule, place: Vector3, yaw: float) -> Capsule:
    """A capsule given in the frame between the feet, in the world."""
    c, s = np.cos(yaw), np.sin(yaw)
    a, b = capsule.start, capsule.end
    start = np.array([c * a[0] - s * a[1], s * a[0] + c * a[1], a[2]]) + place
    end = np.array([c * b[0] - s * b[1], s * b[0] + c * b[1], b[2]]) + place
    return Capsule(start, end, capsule.radius)


@routine
def pierces(start: Vector3, end: Vector3, triangle: Triangle) -> bool:
    """Whether a line goes through the inside of a triangle."""
    normal: Vector3 = np.cross(triangle.b - triangle.a, triangle.c - triangle.a)
    before, behind = normal @ (start - triangle.a), normal @ (end - triangle.a)
    if before * behind >= 0.0:
        return False
    point: Vector3 = start + before / (before - behind) * (end - start)
    for a, b in ((triangle.a, triangle.b), (triangle.b, triangle.c), (triangle.c, triangle.a)):
        if np.cross(b - a, point - a) @ normal < 0.0:
            return False
    return True


@routine
def core_gap(start: Vector3, end: Vector3, triangle: Triangle) -> float:
    """Distance of a line and a triangle, m; 0 where they cross, Seiwald 2023, appendix C."""
    if pierces(start, end, triangle):
        return 0.0
    best = min(on_triangle(triangle, start).square, on_triangle(triangle, end).square)
    for a, b in ((triangle.a, triangle.b), (triangle.b, triangle.c), (triangle.c, triangle.a)):
        best = min(best, line_to_line(start, end, a, b).square)
    return float(np.sqrt(best))


@routine
def capsule_gap(capsule: Capsule, place: Vector3, solid: Solid, enough: float) -> float:
    """Distance of a capsule at a place to an element, m, or any number above `enough` if it is farther."""
    start, end, radius = capsule.start + place, capsule.end + place, capsule.radius
    for k in (0, 1, 2):  # boxes around both
        low, high = min(start[k], end[k]) - radius, max(start[k], end[k]) + radius
        if max(solid.low[k] - high, low - solid.high[k]) > enough:
            return np.inf
    before, behind = solid.normal @ (start - solid.triangle.a), solid.normal @ (end - solid.triangle.a)
    if before * behind > 0.0 and min(abs(before), abs(behind)) - radius - solid.radius > enough:
        return np.inf  # on one side of its plane
    return core_gap(start, end, solid.triangle) - radius - solid.radius


@routine
def collides(
    solids: Solids, capsules: ArrayOf[Capsule], first: int, count: int, place: Vector3, depth: float
) -> int:
    """Number of an element that is deeper in one of the capsules at a place than `depth`, m, -1 if there is none."""
    cell = cell_below(solids.near, place[0], place[1])
    for m in range(solids.near.firsts[cell], solids.near.firsts[cell + 1]):
        n = solids.near.items[m]
        if not solids.solid[n]:
            continue
        element = solids.elements[n]
        for k in range(first, first + count):
            if capsule_gap(capsules[k], place, element, -depth) < -depth:
                return int(n)
    return -1


@routine
def reaches(solids: Solids, capsules: ArrayOf[Capsule], first: int, count: int, place: Vector3) -> bool:
    """Whether something that hands may touch is in one of the capsules at a place."""
    cell = cell_below(solids.near, place[0], place[1])
    for m in range(solids.near.firsts[cell], solids.near.firsts[cell + 1]):
        n = solids.near.items[m]
        if not solids.touchable[n]:
            continue
        element = solids.elements[n]
        for k in range(first, first + count):
            if capsule_gap(capsules[k], place, element, 0.0) <= 0.0:
                return True
    return False


class Support(NamedTuple):
    """What hands find around a stance. missing: hands without support. blocked: number of the element that body or arms
    would be in, -1 if they are free."""

    missing: int
    blocked: int


class Hands(NamedTuple):
    """Whether the right and the left hand reach something, or support a stance."""

    right: bool
    left: bool


@routine
def reached(solids: Solids, volumes: Volumes, heading: int, place: Vector3) -> Hands:
    """Which hands find something to touch around a place of the middle between the feet."""
    count = volumes.reach_count
    first = 2 * heading * count
    right = reaches(solids, volumes.reach, first, count, place)
    return Hands(right, reaches(solids, volumes.reach, first + count, count, place))


@routine
def supporting(hands: Hands, stance: int) -> Hands:
    """Which of the hands that reach something support a stance on the right (0) or left (1) foot: only with the one
    opposite to it, Seiwald 2023, 5.5.4; -1: any."""
    if stance == 0:
        return Hands(hands.right and hands.left, hands.left)
    if stance == 1:
        return Hands(hands.right, hands.right and hands.left)
    return hands


@routine
def arm_in(solids: Solids, volumes: Volumes, heading: int, side: int, place: Vector3, depth: float) -> int:
    """Number of the element that an arm (0 right, 1 left) would be in, -1 if it is free."""
    count = volumes.arm_count
    return collides(solids, volumes.arms, (2 * heading + side) * count, count, place, depth)


@routine
def either_arm_in(solids: Solids, volumes: Volumes, heading: int, place: Vector3, depth: float) -> int:
    """Number of the element that one of the arms would be in, -1 if both are free.

    Arms count whether their hands touch something or not, other than in the source: a hand that leaves a wall swings
    back beside the body, and elbows struck walls that the hands of both sides were on."""
    found = arm_in(solids, volumes, heading, 0, place, depth)
    return found if found >= 0 else arm_in(solids, volumes, heading, 1, place, depth)


@routine
def support(
    solids: Solids, volumes: Volumes, heading: int, place: Vector3, stance: int, touches: bool
) -> Support:
    """Hands and collisions of a robot whose middle between the feet is at a place.

    heading: in halves of those of the search. stance: see `supporting`. touches: whether there may be something to
    touch; else both arms hang.
    """
    count = volumes.body_count
    blocked = collides(solids, volumes.body, heading * count, count, place, 0.0)
    if blocked >= 0 or volumes.hands == 0:
        return Support(volumes.hands, blocked)
    blocked = either_arm_in(solids, volumes, heading, place, 0.0)
    if blocked >= 0 or not touches:
        return Support(volumes.hands, blocked)
    hands = supporting(reached(solids, volumes, heading, place), stance)
    return Support(volumes.hands - (1 if hands.right else 0) - (1 if hands.left else 0), -1)


class BothStances(NamedTuple):
    """Hands without support of the stances on the right and on the left foot at one place. blocked: whether body or
    arms are in something."""

    right: int
    left: int
    blocked: bool


@routine
def both_supports(
    solids: Solids, volumes: Volumes, heading: int, place: Vector3, depth: float, touches: bool
) -> BothStances:
    """As `support`, for both feet at once."""
    count, none = volumes.body_count, volumes.hands
    if collides(solids, volumes.body, heading * count, count, place, depth) >= 0:
        return BothStances(none, none, True)
    if none == 0 or either_arm_in(solids, volumes, heading, place, depth) >= 0:
        return BothStances(none, none, none > 0)
    if not touches:
        return BothStances(none, none, False)
    hands = reached(solids, volumes, heading, place)
    if hands.right and hands.left:
        return BothStances(0, 0, False)
    return BothStances(1 if hands.left else 2, 1 if hands.right else 2, False)


@routine(quick=True)
def find_nearness(solids: Solids, volumes: Volumes, flags: Bytes) -> None:
    """Fill in what may be around each cell: 1 for something to touch, 2 for something solid."""
    cells = solids.near
    for i in range(cells.nx):
        for j in range(cells.ny):
            x, y = cells.x + (i + 0.5) * cells.cell, cells.y + (j + 0.5) * cells.cell
            touched, solid = np.inf, np.inf
            for m in range(cells.firsts[i * cells.ny + j], cells.firsts[i * cells.ny + j + 1]):
                n = cells.items[m]
                element = solids.elements[n]
                dx = max(element.low[0] - x, x - element.high[0], 0.0)
                dy = max(element.low[1] - y, y - element.high[1], 0.0)
                away = np.sqrt(dx * dx + dy * dy)
                touched = min(touched, away if solids.touchable[n] else np.inf)
                solid = min(solid, away if solids.solid[n] else np.inf)
            flags[i, j] = (1 if touched <= volumes.reach_extent + _MAP_BORDER else 0) + (
                2 if solid <= max(volumes.body_extent, volumes.arm_extent) + _MAP_BORDER else 0
            )
