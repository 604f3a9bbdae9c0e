"""Footholds made better on cells of 1 cm, and the plane that each foot stands on (Seiwald 2023, 5.5.5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.environment.patch import CELL as FINE_CELL
from footfall.environment.patch import SIDE, UNSEEN
from footfall.environment.sampling import cell_at, slot_at
from footfall.environment.terrain import PackedTerrain
from footfall.motion.pose_checks import sole_gap
from footfall.planning.footprints import Stamps
from footfall.planning.ground import FootholdRules, rated
from footfall.planning.parameters import PlannerParameters

NONE, POORLY, WELL = 0, 1, 2  # how a sole lies
_WIDER = 2  # times the usual shift, for footholds that have none: treads hardly longer than soles


class Refinement(NamedTuple):
    """How footholds are refined. shifts (n, 3): cells along x and y, and headings, with prices (n,): first the `usual`
    ones, then wider ones for footholds that have none of these, the cheapest of either first. samples: numbers of some
    that say enough of all.
    sole (4, 2): corners, counter-clockwise, m. apart: least distance of the soles, m. bump: how far the ground may
    stick out of the plane below a sole, m."""

    stamps: Stamps
    rules: FootholdRules
    shifts: Integers
    prices: Array
    usual: int
    samples: Integers
    sole: Array
    apart: float
    yaws: int
    bump: float


class Plane(NamedTuple):
    """What a sole lies on: height at the foot's frame, m, upward normal, and how far the ground sticks out of it, m."""

    height: float
    normal: Vector3
    bump: float


class RefinedFoot(NamedTuple):
    """A foothold. place: x, y, z in m. yaw: rad. normal: of the plane below the sole. partial: whether only the toe pad
    stands. valid: whether there is one at all."""

    place: Vector3
    yaw: float
    normal: Vector3
    partial: bool
    valid: bool


def refinement_for(
    stamps: Stamps, sole: Array, rules: FootholdRules, parameters: PlannerParameters
) -> Refinement:
    """The refinement of a robot's footholds; stamps: on cells of 1 cm, for twice as many headings as the search."""
    limits, cost = parameters.foothold, parameters.cost
    yaws = 2 * parameters.grid.yaws
    cells, turns = round(limits.shift_m / FINE_CELL), round(limits.turn_deg / (360.0 / yaws))
    wider = range(-_WIDER * cells, _WIDER * cells + 1)
    shifts = np.array([(a, b, c) for a in wider for b in wider for c in range(-turns, turns + 1)])
    prices = cost.shift_per_cm * np.abs(shifts[:, :2]).sum(axis=1) + cost.turn_per_step * np.abs(shifts[:, 2])
    wide = np.abs(shifts[:, :2]).max(axis=1) > cells
    order = np.lexsort([prices, wide])
    sampled = (shifts[:, :2] % max(cells, 1) == 0).all(axis=1) & (shifts[:, 2] == 0)
    return Refinement(
        stamps,
        rules,
        shifts[order],
        prices[order],
        int((~wide).sum()),
        np.flatnonzero(sampled[order]),
        sole,
        parameters.step.refined_feet_apart_m,
        yaws,
        limits.bump_m,
    )


class Patch(NamedTuple):
    """Cells of 1 cm around a foothold, (n, n): heights, m, minus infinity where nothing was seen, and confidences.
    middle: number of the middle one, which is cell (i, j) counted from the origin."""

    heights: Array
    confidence: Array
    middle: int
    i: int
    j: int


@routine
def patch_below(terrain: PackedTerrain, how: Refinement, place: Vector2) -> Patch:
    """A copy of the cells below all soles around a place, m."""
    i, j = int(np.floor(place[0] / FINE_CELL)), int(np.floor(place[1] / FINE_CELL))
    reach = how.stamps.reach + abs(how.shifts[len(how.shifts) - 1, 0]) + 1
    size = 2 * reach + 1
    heights, confidence = np.full((size, size), -np.inf), np.zeros((size, size))
    for a in range(size):
        row, b = i - reach + a, 0
        while b < size:  # along a row of a patch of the terrain
            column = j - reach + b
            after = min(b + SIDE - column % SIDE, size)
            slot = slot_at(terrain, row, column)
            if slot >= 0:
                for k in range(b, after):
                    height = terrain.heights[slot, row % SIDE, (column + k - b) % SIDE]
                    heights[a, k] = 0.001 * height if height != UNSEEN else -np.inf
                    confidence[a, k] = terrain.confidence[slot, row % SIDE, (column + k - b) % SIDE] / 255.0
            b = after
    return Patch(heights, confidence, reach, i, j)


class Rating(NamedTuple):
    """cost: negative if no foot can stand. cells: how many cells of the stamp carry it."""

    cost: float
    cells: int
    partial: bool


class Heights(NamedTuple):
    """Lowest and highest cell below a foot that were seen, m, sum of confidences, whether all cells were seen."""

    low: float
    high: float
    trust: float
    seen: bool


@routine
def rate_fine(
    patch: Patch, stamps: Stamps, rules: FootholdRules, yaw: int, di: int, dj: int, strict: bool
) -> Rating:
    """What a foot finds that is shifted by cells from the middle of a patch; strict: all that carries it must have been
    seen. Most of what cannot be is known before all cells were looked at."""
    first, last = stamps.first[yaw], stamps.first[yaw + 1]
    toes = first + stamps.toes[yaw]
    found = Heights(np.inf, -np.inf, 0.0, True)
    toe = found
    for n in range(first, last):
        if n == toes:
            toe = found
            if toe.high - toe.low > rules.uneven or (strict and not toe.seen):
                return Rating(-1.0, 0, False)
        a, b = patch.middle + di + stamps.cells[n, 0], patch.middle + dj + stamps.cells[n, 1]
        height, trust = patch.heights[a, b], found.trust + patch.confidence[a, b]
        if height > -np.inf:
            low, high = min(found.low, height), max(found.high, height)
            if n > toes and high > toe.high and high - low > rules.uneven:
                return Rating(-1.0, 0, False)  # uneven, and the heel would hit the ground
            found = Heights(low, high, trust, found.seen)
        else:
            found = Heights(found.low, found.high, trust, False)
    cost = rated(found.low, found.high, found.trust / (last - first), rules)
    if strict and not found.seen:
        cost = -1.0
    if cost >= 0.0 or toes == last or toe.high < found.high:
        return Rating(cost, last - first, False)
    cost = rated(toe.low, toe.high, toe.trust / (toes - first), rules)
    return Rating(cost + rules.partial_cost if cost >= 0.0 else -1.0, toes - first, True)


@routine
def plane_below(patch: Patch, stamps: Stamps, yaw: int, di: int, dj: int, cells: int) -> Plane:
    """The plane that is closest to the cells below a foot."""
    first = stamps.first[yaw]
    count, x, y, z = 0.0, 0.0, 0.0, 0.0
    xx, xy, yy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(first, first + cells):
        i, j = stamps.cells[n, 0], stamps.cells[n, 1]
        height = patch.heights[patch.middle + di + i, patch.middle + dj + j]
        if height > -np.inf:
            u, v = i * FINE_CELL, j * FINE_CELL
            count, x, y, z = count + 1.0, x + u, y + v, z + height
            xx, xy, yy, xz, yz = xx + u * u, xy + u * v, yy + v * v, xz + u * height, yz + v * height
    x, y, z = x / count, y / count, z / count
    xx, xy, yy = xx - count * x * x, xy - count * x * y, yy - count * y * y
    xz, yz = xz - count * x * z, yz - count * y * z
    whole = xx * yy - xy * xy
    a, b = 0.0, 0.0
    if whole > 1e-12:
        a, b = (xz * yy - yz * xy) / whole, (yz * xx - xz * xy) / whole
    level, bump = z - a * x - b * y, 0.0
    for n in range(first, first + cells):
        i, j = stamps.cells[n, 0], stamps.cells[n, 1]
        height = patch.heights[patch.middle + di + i, patch.middle + dj + j]
        bump = max(bump, height - level - a * i * FINE_CELL - b * j * FINE_CELL)
    return Plane(level, np.array([-a, -b, 1.0]) / np.sqrt(a * a + b * b + 1.0), bump)


@routine
def sole_at(sole: ArrayOf[Vector2], place: Vector2, yaw: float, moved: ArrayOf[Vector2]) -> None:
    """Put the corners of a sole where a foot stands."""
    c, s = np.cos(yaw), np.sin(yaw)
    for k in range(4):
        corner = sole[k]
        moved[k] = place + np.array([c * corner[0] - s * corner[1], s * corner[0] + c * corner[1]])


@routine
def best_foot(patch: Patch, how: Refinement, yaw: int, before: ArrayOf[Vector2], strict: bool) -> RefinedFoot:
    """The best foothold around the middle of a patch; strict: of those only on which a sole lies well.
    before: corners (4, 2) of the other sole."""
    corners: ArrayOf[Vector2] = np.empty((4, 2))
    best = np.inf
    found = RefinedFoot(np.zeros(3), 0.0, np.array([0.0, 0.0, 1.0]), False, False)
    for n in range(len(how.prices)):
        if how.prices[n] >= best or (n >= how.usual and found.valid):
            break
        di, dj = how.shifts[n, 0], how.shifts[n, 1]
        turned = (yaw + how.shifts[n, 2] + how.yaws) % how.yaws
        rating = rate_fine(patch, how.stamps, how.rules, turned, di, dj, strict)
        if rating.cost < 0.0 or rating.cost + how.prices[n] >= best:
            continue
        here = np.array([(patch.i + di + 0.5) * FINE_CELL, (patch.j + dj + 0.5) * FINE_CELL])
        sole_at(how.sole, here, 2.0 * np.pi * turned / how.yaws, corners)
        if sole_gap(before, corners) < how.apart:
            continue
        plane = plane_below(patch, how.stamps, turned, di, dj, rating.cells)
        if strict and plane.bump > how.bump:
            continue
        best = rating.cost + how.prices[n]
        spot = np.array([here[0], here[1], plane.height])
        found = RefinedFoot(spot, 2.0 * np.pi * turned / how.yaws, plane.normal, rating.partial, True)
    return found


@routine
def refine_foot(
    terrain: PackedTerrain, how: Refinement, place: Vector2, yaw: int, before: ArrayOf[Vector2]
) -> RefinedFoot:
    """The best foothold around a place (m) and heading on which a sole lies well, else the best of the others; before:
    corners (4, 2) of the other sole."""
    patch = patch_below(terrain, how, place)
    found = best_foot(patch, how, yaw, before, True)
    return found if found.valid else best_foot(patch, how, yaw, before, False)


@routine
def footing(terrain: PackedTerrain, how: Refinement, place: Vector2, yaw: int) -> int:
    """What refinement will find around a place (m) and heading, whatever the other foot does: WELL, POORLY or NONE.
    Some of the shifts tell."""
    patch = patch_below(terrain, how, place)
    for n in how.samples:
        di, dj = how.shifts[n, 0], how.shifts[n, 1]
        rating = rate_fine(patch, how.stamps, how.rules, yaw, di, dj, True)
        if rating.cost < 0.0:
            continue
        if plane_below(patch, how.stamps, yaw, di, dj, rating.cells).bump <= how.bump:
            return WELL
    for n in range(len(how.prices)):
        di, dj = how.shifts[n, 0], how.shifts[n, 1]
        turned = (yaw + how.shifts[n, 2] + how.yaws) % how.yaws
        if rate_fine(patch, how.stamps, how.rules, turned, di, dj, False).cost >= 0.0:
            return POORLY
    return NONE


@routine
def swing_top(
    terrain: PackedTerrain, how: Refinement, begin: Vector2, end: Vector2, yaws: Vector2, base: float
) -> float:
    """How far the ground rises above a height below a foot that swings from one place to another, m. yaws: headings
    at begin and end, rad, not more than half a turn apart."""
    way = end - begin
    pieces = int(np.sqrt(way @ way) / (3.0 * FINE_CELL)) + 1
    top = base
    for n in range(pieces + 1):
        share = n / pieces
        here = begin + share * way
        yaw = yaws[0] + share * (yaws[1] - yaws[0])
        k = int(np.floor(yaw / (2.0 * np.pi) * how.yaws + 0.5)) % how.yaws
        i, j = int(np.floor(here[0] / FINE_CELL)), int(np.floor(here[1] / FINE_CELL))
        for m in range(how.stamps.first[k], how.stamps.first[k + 1]):
            cell = cell_at(terrain, i + how.stamps.cells[m, 0], j + how.stamps.cells[m, 1])
            if cell.height != UNSEEN:
                top = max(top, 0.001 * cell.height)
    return top - base


@routine
def refine_path(
    terrain: PackedTerrain,
    how: Refinement,
    start: ArrayOf[Vector2],
    places: ArrayOf[Vector2],
    yaws: Integers,
    found: ArrayOf[RefinedFoot],
) -> int:
    """Refine footholds (n, 2) one after the other from the sole (4, 2) on that stands first; yaws: in numbers of fine
    headings. Gives the number of the first that cannot be, or n."""
    before: ArrayOf[Vector2] = np.empty((4, 2))
    for k in range(4):
        before[k] = start[k]
    for n in range(len(places)):
        foot = refine_foot(terrain, how, places[n], yaws[n], before)
        found[n] = foot
        if not foot.valid:
            return n
        sole_at(how.sole, np.array([foot.place[0], foot.place[1]]), foot.yaw, before)
    return len(places)
