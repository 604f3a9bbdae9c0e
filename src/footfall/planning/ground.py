"""Where a foot can stand: the terrain around start and goal on cells of 4 cm, and what a foothold on it costs.

Footholds are looked at when the search first asks for them, and kept: most of the map is never asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.environment.terrain import Terrain
from footfall.planning.footprints import Stamps
from footfall.planning.parameters import PlannerParameters
from footfall.planning.step_set import CELL
from footfall.planning.workspace import workspace

Singles = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
_LEVEL = 4  # of the terrain's tree: cells of 4 cm
_ROW = 16  # footholds that are rated together


class FootholdRules(NamedTuple):
    """What makes a foothold: see `FootholdLimits` and `StepCosts`."""

    uneven: float  # m, the most
    confidence: float  # the least
    uneven_cost: float
    uncertain_cost: float
    partial_cost: float


class Ground(NamedTuple):
    """Terrain as arrays (nx, ny), cell (0, 0) with its corner at (x, y), m; unseen cells have a highest of minus and a
    lowest of plus infinity. border: cells at each side on which nothing stands.

    costs (yaws, nx, ny): of a foothold, -1 where no foot can stand. tops: of the cells below the sole, m. Both are
    known where rated (yaws, nx, rows) is not 0. wide_stamps, wide_tops, wide_rated: tops of a wider sole.
    """

    x: float
    y: float
    nx: int
    ny: int
    border: int
    yaws: int
    lowest: Singles
    highest: Singles
    mean: Singles
    sure: Singles
    stamps: Stamps
    rules: FootholdRules
    costs: Array
    tops: Singles
    rated: Bytes
    wide_stamps: Stamps
    wide_tops: Singles
    wide_rated: Bytes


def ground_within(
    terrain: Terrain,
    lower: tuple[float, float],
    upper: tuple[float, float],
    *,
    border: int,
    stamps: Stamps,
    wide_stamps: Stamps,
    parameters: PlannerParameters,
) -> Ground:
    """The ground of a rectangle (x, y), m, with a border of unknown cells."""
    pair = 2 * CELL  # cells of the guide are two by two of these
    low = [np.floor(value / pair) * pair - border * CELL for value in lower]
    high = [np.ceil(value / pair) * pair + border * CELL for value in upper]
    window = terrain.window((low[0], low[1]), (high[0], high[1]), level=_LEVEL)
    lowest, highest = window.lowest.copy(), window.highest.copy()
    lowest[np.isnan(lowest)] = np.inf
    highest[np.isnan(highest)] = -np.inf
    sure = window.sure.copy()
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
        workspace("wide tops", size, np.float32, zeroed=False),
        workspace("rated wide tops", rows, np.uint8),
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


@routine
def rate_row(ground: Ground, yaw: int, i: int, begin: int) -> None:
    """Rate the footholds of _ROW cells from (i, begin) on: the whole sole, else the toe pad if nothing below the heel
    is higher. Side by side they take little longer than one of them."""
    first, last = ground.stamps.first[yaw], ground.stamps.first[yaw + 1]
    toes = first + ground.stamps.toes[yaw]
    low, high, trust = np.full(_ROW, np.inf), np.full(_ROW, -np.inf), np.zeros(_ROW)
    toe_low, toe_high, toe_trust = np.empty(_ROW), np.empty(_ROW), np.empty(_ROW)
    edge = ground.border
    skip, end = max(edge - begin, 0), min(_ROW, ground.ny - edge - begin)
    if i < edge or i >= ground.nx - edge:
        end = 0
    for n in range(first, last):
        if n == toes:
            for k in range(_ROW):
                toe_low[k], toe_high[k], toe_trust[k] = low[k], high[k], trust[k]
        a, b = i + ground.stamps.cells[n, 0], begin + ground.stamps.cells[n, 1]
        for k in range(skip, end):
            low[k] = min(low[k], ground.lowest[a, b + k])
            high[k] = max(high[k], ground.highest[a, b + k])
            trust[k] += ground.sure[a, b + k]
    for k in range(min(_ROW, ground.ny - begin)):
        cost = -1.0
        if skip <= k < end and ground.sure[i, begin + k] > 0.0:
            cost = rated(low[k], high[k], trust[k] / (last - first), ground.rules)
            if cost < 0.0 and toes < last and toe_high[k] >= high[k]:
                cost = rated(toe_low[k], toe_high[k], toe_trust[k] / (toes - first), ground.rules)
                cost += ground.rules.partial_cost if cost >= 0.0 else 0.0
        ground.tops[yaw, i, begin + k] = high[k]
        ground.costs[yaw, i, begin + k] = cost


@routine
def known_cost(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Cost of a foothold, negative if no foot can stand there, as nowhere on the border; looked at once."""
    row = j // _ROW
    if ground.rated[yaw, i, row] == 0:
        ground.rated[yaw, i, row] = 1
        rate_row(ground, yaw, i, _ROW * row)
    return float(ground.costs[yaw, i, j])


@routine
def known_top(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Highest cell below a sole, m; minus infinity where nothing was seen, and on the border."""
    known_cost(ground, yaw, i, j)
    return float(ground.tops[yaw, i, j])


@routine
def wide_top(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Highest cell below a wider sole, m; minus infinity where nothing was seen, and on the border."""
    row, edge = j // _ROW, ground.border
    if ground.wide_rated[yaw, i, row] == 0:
        ground.wide_rated[yaw, i, row] = 1
        begin, high = _ROW * row, np.full(_ROW, -np.inf)
        skip, end = max(edge - begin, 0), min(_ROW, ground.ny - edge - begin)
        if i < edge or i >= ground.nx - edge:
            end = 0
        for n in range(ground.wide_stamps.first[yaw], ground.wide_stamps.first[yaw + 1]):
            a, b = i + ground.wide_stamps.cells[n, 0], begin + ground.wide_stamps.cells[n, 1]
            for k in range(skip, end):
                high[k] = max(high[k], ground.highest[a, b + k])
        for k in range(min(_ROW, ground.ny - begin)):
            ground.wide_tops[yaw, i, begin + k] = high[k]
    return float(ground.wide_tops[yaw, i, j])
