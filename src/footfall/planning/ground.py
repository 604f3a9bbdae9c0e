"""Where a foot can stand: the terrain around start and goal on cells of 4 cm, and what a foothold on it costs.

Footholds are looked at when the search first asks for them, and kept: most of the map is never asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.routines import routine
from footfall.environment.terrain import Terrain
from footfall.planning.footprints import Stamps
from footfall.planning.parameters import PlannerParameters
from footfall.planning.step_set import CELL
from footfall.planning.workspace import workspace

Singles = np.ndarray[Any, np.dtype[np.float32]]
_LEVEL = 4  # of the terrain's tree: cells of 4 cm
_OFFSET = 1000.0  # m, above all heights


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

    costs (nx, ny, yaws): of a foothold, plus one; 0 where nobody has asked, -1 where no foot can stand. tops: of the
    cells below the sole, m, where costs is not 0. wide_stamps, wide_tops: the same for a wider sole, plus _OFFSET, 0
    where nobody has asked.
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
    costs: Singles
    tops: Singles
    wide_stamps: Stamps
    wide_tops: Singles


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
    size = (nx, ny, yaws)
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
        workspace("foothold costs", size, np.float32),
        workspace("foothold tops", size, np.float32, zeroed=False),
        wide_stamps,
        workspace("wide tops", size, np.float32),
    )


class Foothold(NamedTuple):
    """cost: of standing there, negative if no foot can. top: highest cell below the sole, m. partial: only the toe pad
    stands."""

    cost: float
    top: float
    partial: bool


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
def foothold(ground: Ground, yaw: int, i: int, j: int) -> Foothold:
    """What a foot finds on a cell: the whole sole, else the toe pad if nothing below the heel is higher."""
    first, last = ground.stamps.first[yaw], ground.stamps.first[yaw + 1]
    toes = first + ground.stamps.toes[yaw]
    low, high, trust = np.inf, -np.inf, 0.0
    toe_low, toe_high, toe_trust = np.inf, -np.inf, 0.0
    for n in range(first, last):
        if n == toes:
            toe_low, toe_high, toe_trust = low, high, trust
        a, b = i + ground.stamps.cells[n, 0], j + ground.stamps.cells[n, 1]
        low = min(low, ground.lowest[a, b])
        high = max(high, ground.highest[a, b])
        trust += ground.sure[a, b]
    if ground.sure[i, j] <= 0.0:
        return Foothold(-1.0, high, False)
    cost = rated(low, high, trust / (last - first), ground.rules)
    if cost >= 0.0 or toes == last:
        return Foothold(cost, high, False)
    if toe_high >= high:
        cost = rated(toe_low, toe_high, toe_trust / (toes - first), ground.rules)
        if cost >= 0.0:
            cost += ground.rules.partial_cost
    return Foothold(cost, high, True)


@routine
def known_cost(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Cost of a foothold, negative if no foot can stand there; looked at once. Cells of the border are not asked."""
    kept = ground.costs[i, j, yaw]
    if kept == 0.0:
        b = ground.border
        if i < b or j < b or i >= ground.nx - b or j >= ground.ny - b:
            ground.tops[i, j, yaw] = -np.inf
            ground.costs[i, j, yaw] = -1.0
            return -1.0
        found = foothold(ground, yaw, i, j)
        kept = found.cost + 1.0 if found.cost >= 0.0 else -1.0
        ground.tops[i, j, yaw] = found.top
        ground.costs[i, j, yaw] = kept
    return kept - 1.0 if kept > 0.0 else -1.0


@routine
def known_top(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Highest cell below a sole, m; minus infinity where nothing was seen."""
    if ground.costs[i, j, yaw] == 0.0:
        known_cost(ground, yaw, i, j)
    return float(ground.tops[i, j, yaw])


@routine
def wide_top(ground: Ground, yaw: int, i: int, j: int) -> float:
    """Highest cell below a wider sole, m; minus infinity where nothing was seen."""
    kept = ground.wide_tops[i, j, yaw]
    if kept == 0.0:
        kept = -np.inf
        for n in range(ground.wide_stamps.first[yaw], ground.wide_stamps.first[yaw + 1]):
            a, b = i + ground.wide_stamps.cells[n, 0], j + ground.wide_stamps.cells[n, 1]
            if a >= 0 and b >= 0 and a < ground.nx and b < ground.ny:
                kept = max(kept, ground.highest[a, b] + _OFFSET)
        ground.wide_tops[i, j, yaw] = kept
    return float(kept - _OFFSET)
