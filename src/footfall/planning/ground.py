"""Where a foot can stand: the terrain around start and goal on cells of 4 cm, and what a foothold on it costs.

Footholds are looked at when the search first asks for them, and kept: most of the map is never asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, as_records, routine
from footfall.environment.terrain import Terrain
from footfall.planning.footprints import Stamps
from footfall.planning.parameters import PlannerParameters
from footfall.planning.step_set import CELL
from footfall.planning.workspace import workspace

Singles = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
_TREE_LEVEL = 4  # of the terrain's tree: cells of 4 cm
_ROW = 8  # footholds that are rated together
_FULL_CONFIDENCE = 0.99  # confidence of a cell of which all was seen well


class FootholdRules(NamedTuple):
    """What makes a foothold: see `FootholdLimits` and `StepCosts`."""

    uneven: float  # m, the most
    confidence: float  # the least
    uneven_cost: float
    uncertain_cost: float
    partial_cost: float


class PlaneFit(NamedTuple):
    """How the plane closest to heights z of cells (x, y) follows from them: with the middle (x, y) of the cells its
    slopes are xx, xy; xy, yy times the sums of (x - middle) z and (y - middle) z."""

    x: float
    y: float
    xx: float
    xy: float
    yy: float


def plane_fits(stamps: Stamps) -> ArrayOf[PlaneFit]:
    """Of the cells of each heading."""
    rows = []
    for k in range(len(stamps.toes)):
        cells = stamps.of(k)
        middle = cells.mean(axis=0)
        inverse = np.linalg.inv((cells - middle).T @ (cells - middle))
        rows.append([*middle, inverse[0, 0], inverse[0, 1], inverse[1, 1]])
    fits: ArrayOf[PlaneFit] = as_records(PlaneFit, np.array(rows))
    return fits


class Ground(NamedTuple):
    """Terrain as arrays (nx, ny), cell (0, 0) with its corner at (x, y), m; unseen cells have a highest of minus and a
    lowest of plus infinity. border: cells at each side on which nothing stands.

    costs (yaws, nx, ny): of a foothold, -1 where no foot can stand. tops: of the cells below the sole, m. Both are
    known where rated (yaws, nx, rows) is not 0. wide_stamps, wide_tops, wide_rated: tops of a wider sole. wide_even:
    whether all below it was seen and is nearly in a plane, to `even` m.
    """

    x: float
    y: float
    nx: int
    ny: int
    border: int
    yaws: int
    lowest: Array
    highest: Array
    mean: Singles
    sure: Array
    stamps: Stamps
    rules: FootholdRules
    costs: Array
    tops: Singles
    rated: Bytes
    wide_stamps: Stamps
    wide_planes: ArrayOf[PlaneFit]
    wide_tops: Singles
    wide_even: Bytes
    wide_rated: Bytes
    even: float


def ground_within(
    terrain: Terrain,
    lower: tuple[float, float],
    upper: tuple[float, float],
    *,
    border: int,
    stamps: Stamps,
    wide_stamps: Stamps,
    wide_planes: ArrayOf[PlaneFit],
    parameters: PlannerParameters,
) -> Ground:
    """The ground of a rectangle (x, y), m, with a border of unknown cells."""
    pair = 2 * CELL  # cells of the guide are two by two of these
    low = [np.floor(value / pair) * pair - border * CELL for value in lower]
    high = [np.ceil(value / pair) * pair + border * CELL for value in upper]
    window = terrain.window((low[0], low[1]), (high[0], high[1]), level=_TREE_LEVEL)
    lowest, highest = window.lowest.astype(np.float64), window.highest.astype(np.float64)
    lowest[np.isnan(lowest)] = np.inf
    highest[np.isnan(highest)] = -np.inf
    sure = window.sure.astype(np.float64)
    for edge in (np.s_[:border], np.s_[-border:], np.s_[:, :border], np.s_[:, -border:]):
        sure[edge], highest[edge], lowest[edge] = 0.0, -np.inf, np.inf
    nx, ny = window.mean.shape
    limits, cost, yaws = parameters.foothold, parameters.cost, parameters.grid.yaws
    rules = FootholdRules(limits.uneven_m, limits.least_confidence, cost.uneven, cost.uncertain, cost.partial)
    size, rows = (yaws, nx, ny), (yaws, nx, -(-ny // _ROW))
    return Ground(
        window.x,
        window.y,
        nx,
        ny,
        border,
        yaws,
        lowest,
        highest,
        window.mean,
        sure,
        stamps,
        rules,
        workspace("foothold costs", size, np.float64, zeroed=False),
        workspace("foothold tops", size, np.float32, zeroed=False),
        workspace("rated footholds", rows, np.uint8),
        wide_stamps,
        wide_planes,
        workspace("wide tops", size, np.float32, zeroed=False),
        workspace("wide even", size, np.uint8, zeroed=False),
        workspace("rated wide tops", rows, np.uint8),
        limits.bump_m,
    )


@routine
def turned(yaw: int, count: int) -> int:
    """A heading that is at most one turn beyond its range, brought back into it; a division would take longer."""
    return yaw - count if yaw >= count else yaw + count if yaw < 0 else yaw


@routine
def rated(low: float, high: float, trust: float, rules: FootholdRules) -> float:
    """Cost of cells between two heights with a mean confidence; negative if no foot can stand on them."""
    uneven = high - low
    if not uneven <= rules.uneven or trust < rules.confidence:
        return -1.0
    doubt = (1.0 - trust) / max(1.0 - rules.confidence, 1e-9)
    return rules.uneven_cost * uneven / rules.uneven + rules.uncertain_cost * doubt


class Below(NamedTuple):
    """What is below eight soles side by side: heights, m, and the sum of confidences."""

    low: Lanes
    high: Lanes
    trust: Lanes


@routine
def below(ground: Ground, i: int, j: int, first: int, last: int, so_far: Below) -> Below:
    """The cells of some rows of the stamps below soles on cells (i, j) to (i, j + 7), beside what is known so far."""
    low, high, trust = so_far
    for n in range(first, last):
        a, b = i + ground.stamps.cells[n, 0], j + ground.stamps.cells[n, 1]
        lowest: Lanes = ground.lowest[a, b : b + 8]
        highest: Lanes = ground.highest[a, b : b + 8]
        sure: Lanes = ground.sure[a, b : b + 8]
        low, high, trust = np.minimum(low, lowest), np.maximum(high, highest), trust + sure
    return Below(low, high, trust)


@routine
def rate_eight(ground: Ground, yaw: int, i: int, j: int) -> None:
    """Rate the footholds of the cells (i, j) to (i, j + 7): the whole sole, else the toe pad if nothing below the heel
    is higher. Side by side they take little longer than one of them."""
    first, last = ground.stamps.first[yaw], ground.stamps.first[yaw + 1]
    toes = first + ground.stamps.toes[yaw]
    nothing = Below(np.full(8, np.inf), np.full(8, -np.inf), np.zeros(8))
    toe = below(ground, i, j, first, toes, nothing)
    whole = below(ground, i, j, toes, last, toe)
    for k in range(8):
        cost = -1.0
        if ground.sure[i, j + k] > 0.0:
            cost = rated(whole.low[k], whole.high[k], whole.trust[k] / (last - first), ground.rules)
            if cost < 0.0 and toes < last and toe.high[k] >= whole.high[k]:
                cost = rated(toe.low[k], toe.high[k], toe.trust[k] / (toes - first), ground.rules)
                cost += ground.rules.partial_cost if cost >= 0.0 else 0.0
        ground.tops[yaw, i, j + k] = whole.high[k]
        ground.costs[yaw, i, j + k] = cost


@routine
def on_border(ground: Ground, i: int, j: int) -> bool:
    """Whether a cell cannot be stood on because it is on the border."""
    edge = ground.border
    return i < edge or j < edge or i >= ground.nx - edge or j >= ground.ny - edge


@routine
def known_cost(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Cost of a foothold, negative if no foot can stand there, as nowhere on the border; looked at once."""
    if on_border(ground, i, j):
        return -1.0
    row = j // _ROW
    if ground.rated[yaw, i, row] == 0:
        ground.rated[yaw, i, row] = 1
        rate_eight(ground, yaw, i, _ROW * row)
    return float(ground.costs[yaw, i, j])


@routine
def known_top(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Highest cell below a sole, m; minus infinity where nothing was seen, and on the border."""
    if on_border(ground, i, j):
        return -np.inf
    known_cost(ground, yaw, i, j)
    return float(ground.tops[yaw, i, j])


@routine
def look_wider(ground: Ground, yaw: int, i: int, j: int) -> None:
    """Find out what is below a wider sole on a cell that is not on the border; looked at once, eight side by side."""
    row = j // _ROW
    if ground.wide_rated[yaw, i, row] != 0:
        return
    ground.wide_rated[yaw, i, row] = 1
    stamps = ground.wide_stamps
    first, last = stamps.first[yaw], stamps.first[yaw + 1]
    plane = ground.wide_planes[yaw]
    top: Lanes = np.full(8, -np.inf)
    least: Lanes = np.full(8, np.inf)
    z: Lanes = np.zeros(8)
    xz: Lanes = np.zeros(8)
    yz: Lanes = np.zeros(8)
    for n in range(first, last):
        x, y = stamps.cells[n, 0], stamps.cells[n, 1]
        highest: Lanes = ground.highest[i + x, _ROW * row + y : _ROW * row + y + 8]
        sure: Lanes = ground.sure[i + x, _ROW * row + y : _ROW * row + y + 8]
        top, least = np.maximum(top, highest), np.minimum(least, sure)
        z, xz, yz = z + highest, xz + (x - plane.x) * highest, yz + (y - plane.y) * highest
    bump: Lanes = np.zeros(8)
    a, b, c = plane.xx * xz + plane.xy * yz, plane.xy * xz + plane.yy * yz, z / (last - first)
    for n in range(first, last):
        x, y = stamps.cells[n, 0], stamps.cells[n, 1]
        high: Lanes = ground.highest[i + x, _ROW * row + y : _ROW * row + y + 8]
        bump = np.maximum(bump, np.abs(high - c - (x - plane.x) * a - (y - plane.y) * b))
    for k in range(8):
        ground.wide_tops[yaw, i, _ROW * row + k] = top[k]
        even = bump[k] <= ground.even and least[k] >= _FULL_CONFIDENCE
        ground.wide_even[yaw, i, _ROW * row + k] = 1 if even else 0


@routine
def wide_top(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Highest cell below a wider sole, m; minus infinity where nothing was seen, and on the border."""
    if on_border(ground, i, j):
        return -np.inf
    look_wider(ground, yaw, i, j)
    return float(ground.wide_tops[yaw, i, j])


@routine
def is_even(ground: Ground, yaw: int, i: int, j: int) -> bool:
    """Whether a sole lies well on a cell, or does if it is moved a little away from what is beside it."""
    if on_border(ground, i, j):
        return False
    rules = ground.rules
    if 0.0 <= known_cost(ground, yaw, i, j) <= rules.uneven_cost * ground.even / rules.uneven:
        return True
    look_wider(ground, yaw, i, j)
    return bool(ground.wide_even[yaw, i, j] != 0)
