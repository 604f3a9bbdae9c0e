"""The guide: what it costs to go on from anywhere to the goal, for the middle between the feet.

Seiwald 2023 (5.5.3, 5.5.4) searches a path of the middle between the feet and lets the footsteps stay near a spline
through it. Here the same search runs from the goal backwards, and the costs that it finds are kept: they order the
search of footsteps everywhere, not only near one path. A place counts if at least one foot can stand, on its whole sole
or on the toe pad, so the guide passes wherever feet do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector2, Vector3, routine
from footfall.planning.ground import Bytes, Ground, Singles, known_cost, known_top, turned, wide_top
from footfall.planning.heap import Heap, pop, push
from footfall.planning.solids import BothStances, Solids, Volumes, both_supports, collides
from footfall.planning.step_set import CELL, GUIDE_CELL, GUIDE_TURN, GuideSteps

_DEPTH = 0.03  # m that the body may be in something: within its cell there may be a better place
_WITHIN = tuple((a, b) for a in (-0.03, 0.0, 0.03) for b in (-0.03, 0.0, 0.03) if a != 0.0 or b != 0.0)  # m
_GRAZE = 0.006  # m that the body may be in something at such a place: others lie between
_TIGHT = 2.0  # cost of a state where only that lets the body pass, or feet scrape past something: steps are short there
_BLOCKED = -2.0  # instead of a cost: body or arms would be in something
_TAKEN = 2  # stances of a state were taken up by the search of footsteps, see `learning`
_DOUBT = 4_000  # states after which the way from the start counts more, then twice as many
_HASTE = 1.5  # by how much more: a way soon is better than the best one late
_MOST_STATES = 60_000  # states at most: what is behind a closed door need not all be known
_LEAST_STATES = 1200  # states of a guide: on an easy way few are on good paths, and the search leaves them
_CROSS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))  # cells of footsteps that one of the guide stands for
_JUMP = 2.0  # in costs of a cell: neighbours that differ by more are not compared


class CostRules(NamedTuple):
    """Costs and limits that depend on the ground, see `StepCosts` and `StepLimits`."""

    step: float
    path: float
    turn: float  # for one heading
    hand: float
    bump: float  # for a sole that does not lie well
    vertical: float
    obstacle: float
    most_vertical: float
    most_obstacle: float
    noticeable: float
    ignored: float
    careful: float
    first_last: float
    guide_first_last: float
    longest: float  # m, way of the middle between the feet in one step
    most_turn: int  # headings in one step


class Pose2(NamedTuple):
    """Where the middle between the feet is: x, y in m, and number of its heading."""

    x: float
    y: float
    yaw: int


class Guide(NamedTuple):
    """States (headings, nx, ny) of the middle between the feet on cells of 8 cm, from the corner of the ground on.

    costs: of a state, plus one; 0 where not yet asked for, -1 where no foot can stand, -2 where the body is in
    something. sides: which feet can stand there, 1 for the right, 2 for the left one. heights: of the feet, tops:
    highest ground below both soles, m. togo: cost to the goal, plus one; 0 where none is known. closed: whether it is
    the least. seen: how far footsteps have got, see `learning`. peaks, touched (nx, ny): highest ground within a step,
    and below any sole. near (nx, ny): see `find_nearness`. ways (nx, ny): cost from the start, about at least; rate: of
    a metre, at least; turning: of a turn in place by a heading. focus: how much more the way from the start counts
    at first. stops: whether the robot stops at the goal, after a short step. missed: what the cost of a path through
    any other state exceeds.
    """

    costs: Singles
    sides: Bytes
    heights: Singles
    tops: Singles
    togo: Singles
    closed: Bytes
    seen: Bytes
    peaks: Singles
    touched: Singles
    near: Bytes
    start: Pose2
    ways: Array
    rate: float
    turning: float
    focus: float
    stops: bool
    missed: Array


class GuideWorld(NamedTuple):
    """All that a guide is made from, and the guide itself."""

    guide: Guide
    ground: Ground
    solids: Solids
    volumes: Volumes
    steps: GuideSteps
    rules: CostRules


class Place(NamedTuple):
    """A state of the guide by its numbers."""

    yaw: int
    i: int
    j: int


@routine
def peaks_within(highest: Array, reach: int, peaks: Singles) -> None:
    """Highest ground within `reach` cells of 8 cm of each (nx, ny), from cells of 4 cm."""
    nx, ny = peaks.shape[0], peaks.shape[1]
    rows = np.full((nx, ny), -np.inf)
    for i in range(nx):
        for j in range(ny):
            best = max(highest[2 * i, 2 * j], highest[2 * i + 1, 2 * j])
            rows[i, j] = max(best, highest[2 * i, 2 * j + 1], highest[2 * i + 1, 2 * j + 1])
    columns = np.full((nx, ny), -np.inf)
    for i in range(nx):
        for j in range(ny):
            best = -np.inf
            for b in range(max(j - reach, 0), min(j + reach + 1, ny)):
                best = max(best, rows[i, b])
            columns[i, j] = best
    for i in range(nx):
        for j in range(ny):
            best = -np.inf
            for a in range(max(i - reach, 0), min(i + reach + 1, nx)):
                best = max(best, columns[a, j])
            peaks[i, j] = best


@routine
def guide_centre(ground: Ground, i: int, j: int) -> Vector2:
    """Middle of a cell of the guide, m."""
    return np.array([ground.x + (i + 0.5) * GUIDE_CELL, ground.y + (j + 0.5) * GUIDE_CELL])


@routine
def heading(guide: Guide, yaw: int) -> float:
    """Angle of a heading of the guide, rad."""
    return float(2.0 * np.pi * yaw / guide.costs.shape[0])


class Foothold(NamedTuple):
    """Cost of a foothold, negative if there is none, and its height, m."""

    cost: float
    height: float


@routine
def foothold_about(ground: Ground, yaw: int, foot: Vector2) -> Foothold:
    """The foothold of a foot at about a place, m: any cell that a cell of the guide stands for will do."""
    i, j = int((foot[0] - ground.x) / CELL), int((foot[1] - ground.y) / CELL)
    if i >= 1 and j >= 1 and i < ground.nx - 1 and j < ground.ny - 1:
        for di, dj in _CROSS:
            cost = known_cost(ground, yaw, i + di, j + dj)
            if cost >= 0.0:
                return Foothold(cost, ground.mean[i + di, j + dj])
    return Foothold(-1.0, 0.0)


@routine
def top_below(ground: Ground, yaw: int, foot: Vector2) -> float:
    """Highest ground below the sole of a foot at a place, m."""
    i, j = int((foot[0] - ground.x) / CELL), int((foot[1] - ground.y) / CELL)
    return known_top(ground, yaw, i, j)


@routine
def scrapes(world: GuideWorld, place: Place, highest: float) -> bool:
    """Whether something above a height is below soles that are a little wider than the robot's, in a state."""
    guide, ground = world.guide, world.ground
    if guide.peaks[place.i, place.j] <= highest:
        return False
    middle, angle = guide_centre(ground, place.i, place.j), heading(guide, place.yaw)
    aside = world.volumes.lateral * np.array([-np.sin(angle), np.cos(angle)])
    for foot in (middle - aside, middle + aside):
        i, j = int((foot[0] - ground.x) / CELL), int((foot[1] - ground.y) / CELL)
        if wide_top(ground, GUIDE_TURN * place.yaw, i, j) > highest:
            return True
    return False


@routine
def free_within(world: GuideWorld, yaw: int, at: Vector3, touches: bool) -> BothStances:
    """Hands and collisions at a free place of a cell around its middle, m, if there is one: a door may be narrower
    than the robot by less than a cell."""
    found = both_supports(world.solids, world.volumes, 2 * yaw, at, _DEPTH, touches)
    for dx, dy in _WITHIN:
        if found.blocked:
            break
        there = np.array([at[0] + dx, at[1] + dy, at[2]])
        best = both_supports(world.solids, world.volumes, 2 * yaw, there, _GRAZE, touches)
        if not best.blocked:
            return best
    return found._replace(blocked=True)


@routine
def guide_state(world: GuideWorld, place: Place) -> float:
    """Cost of a state of the guide, in the mean of the feet that can stand there; negative if none can. Looked at
    once."""
    guide, ground, volumes = world.guide, world.ground, world.volumes
    kept = guide.costs[place.yaw, place.i, place.j]
    if kept != 0.0:
        return float(kept - 1.0 if kept > 0.0 else kept)
    guide.costs[place.yaw, place.i, place.j] = -1.0
    guide.sides[place.yaw, place.i, place.j] = 0
    middle = guide_centre(ground, place.i, place.j)
    angle, yaw = heading(guide, place.yaw), GUIDE_TURN * place.yaw
    aside = volumes.lateral * np.array([-np.sin(angle), np.cos(angle)])
    guide.tops[place.yaw, place.i, place.j] = max(
        top_below(ground, yaw, middle - aside), top_below(ground, yaw, middle + aside)
    )
    right, left = foothold_about(ground, yaw, middle - aside), foothold_about(ground, yaw, middle + aside)
    if right.cost < 0.0 and left.cost < 0.0:
        return -1.0
    height = right.height if left.cost < 0.0 or 0.0 <= right.cost < left.cost else left.height
    hands = BothStances(volumes.hands, volumes.hands, False)
    tight = scrapes(world, place, height + world.rules.most_obstacle)
    if guide.near[place.i, place.j] > 0:
        at = np.array([middle[0], middle[1], height])
        touches = guide.near[place.i, place.j] % 2 == 1
        hands = both_supports(world.solids, volumes, 2 * yaw, at, 0.0, touches)
        if hands.blocked:
            tight, hands = True, free_within(world, yaw, at, touches)
        if hands.blocked:
            guide.costs[place.yaw, place.i, place.j] = _BLOCKED
            return _BLOCKED
    sides, total = 0, 0.0
    if right.cost >= 0.0:
        sides, total = 1, right.cost + world.rules.hand * hands.right
    if left.cost >= 0.0:
        sides, total = sides + 2, total + left.cost + world.rules.hand * hands.left
    cost = (total / 2.0 if sides == 3 else total) + (_TIGHT if tight else 0.0)
    guide.costs[place.yaw, place.i, place.j] = cost + 1.0
    guide.sides[place.yaw, place.i, place.j] = sides
    guide.heights[place.yaw, place.i, place.j] = height
    return cost


@routine
def other_foot(sides_before: int, sides_after: int) -> bool:
    """Whether one foot can stand in a state and the other one in the next: a robot steps from foot to foot."""
    return (sides_before % 2 == 1 and sides_after >= 2) or (sides_before >= 2 and sides_after % 2 == 1)


_LONGER = 0.9733  # shortest ways over 16 directions are longer than straight ones by up to 2.75 %
_MOVES = tuple(
    (a, b)
    for a in (-2, -1, 0, 1, 2)
    for b in (-2, -1, 0, 1, 2)
    if max(abs(a), abs(b)) == 1 or abs(a * b) == 2
)


class Rates(NamedTuple):
    """Cost of a metre, about at least: in the open, with something to touch around, and how many times as much where
    the body hardly has room."""

    open: float
    touching: float
    tight: float


@routine
def rate_of(world: GuideWorld, rates: Rates, i: int, j: int) -> float:
    """Cost of a metre on a cell of 8 cm."""
    near, ground = world.guide.near[i, j], world.ground
    rate = rates.touching if near % 2 == 1 else rates.open
    height = ground.mean[2 * i, 2 * j]
    if near >= 2 and height == height:
        middle = guide_centre(ground, i, j)
        place = np.array([middle[0], middle[1], height])
        if collides(world.solids, world.volumes.core, 0, 1, place, 0.0) >= 0:
            rate *= rates.tight
    return float(rate)


@routine
def least_ways(world: GuideWorld, rates: Rates, begin: Place, heap: Heap) -> None:
    """Fill in costs of ways from a cell of 8 cm to all others, about at least. A change of height from one cell to the
    next of more than a step up and over something together is impassable."""
    ways, highest = world.guide.ways, world.ground.highest
    steepest = world.rules.most_vertical + world.rules.most_obstacle
    nx, ny = ways.shape[0], ways.shape[1]
    tops = np.full((nx, ny), -np.inf)
    for i in range(nx):
        for j in range(ny):
            top = max(highest[2 * i, 2 * j], highest[2 * i + 1, 2 * j])
            tops[i, j] = max(top, highest[2 * i, 2 * j + 1], highest[2 * i + 1, 2 * j + 1])
            ways[i, j] = np.inf
    ways[begin.i, begin.j] = 0.0
    push(heap, 0.0, begin.i * ny + begin.j)
    while heap.size[0] > 0 and heap.size[0] + len(_MOVES) <= len(heap.keys):
        entry = pop(heap)
        i, j = entry.item // ny, entry.item % ny
        if entry.key > ways[i, j] + 1e-6:
            continue
        rate = _LONGER * GUIDE_CELL * rate_of(world, rates, i, j)
        for di, dj in _MOVES:
            a, b = i + di, j + dj
            if a < 0 or b < 0 or a >= nx or b >= ny:
                continue
            cost = entry.key + rate * np.sqrt(1.0 * (di * di + dj * dj))
            if cost < ways[a, b] - 1e-6:
                rise = tops[a, b] - tops[i, j]
                if abs(rise) > steepest and tops[a, b] > -np.inf and tops[i, j] > -np.inf:
                    continue
                ways[a, b] = cost
                push(heap, cost, a * ny + b)


@routine
def from_start(guide: Guide, rules: CostRules, place: Place) -> float:
    """Cost from the start to a state, about at least."""
    headings = guide.costs.shape[0]
    turn = abs(place.yaw - guide.start.yaw)
    facing = GUIDE_TURN * rules.turn * min(turn, headings - turn)
    return float(guide.ways[place.i, place.j] + facing)


@routine
def top_between(world: GuideWorld, begin: Place, step: int) -> float:
    """Highest ground below the soles on the way of a step, m; infinite if the body is in something there."""
    top = -np.inf
    for n in range(world.steps.between_first[step], world.steps.between_first[step + 1]):
        cell = world.steps.between[n]
        place = Place(begin.yaw, begin.i + cell.dx, begin.j + cell.dy)
        if guide_state(world, place) == _BLOCKED:
            return np.inf
        top = max(top, world.guide.tops[place.yaw, place.i, place.j])
    return top


@routine
def ground_on_way(
    guide: Guide, rules: CostRules, begin: Place, end: Place, length: float, top: float
) -> float:
    """What the ground adds to the cost of a step from one state to the next; infinite if it cannot be made."""
    low = guide.heights[begin.yaw, begin.i, begin.j]
    high = guide.heights[end.yaw, end.i, end.j]
    rise, over = abs(high - low), max(top - max(low, high), 0.0)
    if rise > rules.most_vertical or over > rules.most_obstacle:
        return np.inf
    if max(rise, over) > rules.noticeable and length > rules.careful:
        return np.inf
    return float(rules.vertical * rise + 2.0 * rules.obstacle * max(over - rules.ignored, 0.0))


@routine
def order_anew(guide: Guide, rules: CostRules, heap: Heap, focus: float) -> None:
    """Order the open list by another focus."""
    nx, ny = guide.costs.shape[1], guide.costs.shape[2]
    size = heap.size[0]
    heap.size[0] = 0
    for n in range(size):  # entries are put back at places that were read already
        item = heap.items[n]
        place = Place(item // (nx * ny), (item // ny) % nx, item % ny)
        if guide.closed[place.yaw, place.i, place.j] == 0:
            togo = guide.togo[place.yaw, place.i, place.j] - 1.0
            push(heap, togo + focus * from_start(guide, rules, place), item)


@routine
def run_guide(world: GuideWorld, heap: Heap, slack: float) -> tuple[int, float]:
    """Fill in costs to the goal from the entries of the heap on, until the start is reached and all states are known
    that may be on a path `slack` costs worse, and some more on short ways. Gives how many states were closed, and the
    cost from the start, infinite if there is no way."""
    guide, ground, steps, rules = world.guide, world.ground, world.steps, world.rules
    headings, nx, ny = guide.costs.shape[0], guide.costs.shape[1], guide.costs.shape[2]
    count, found, worst = 0, np.inf, np.inf
    focus, doubt = guide.focus, _DOUBT
    start = Place(
        guide.start.yaw,
        int((guide.start.x - ground.x) / GUIDE_CELL),
        int((guide.start.y - ground.y) / GUIDE_CELL),
    )
    guide.missed[0] = np.inf
    while heap.size[0] > 0:
        entry = pop(heap)
        if entry.key > worst or count >= _MOST_STATES or heap.size[0] + 64 > len(heap.keys):
            guide.missed[0] = entry.key
            break
        here = Place(entry.item // (nx * ny), (entry.item // ny) % nx, entry.item % ny)
        if guide.closed[here.yaw, here.i, here.j] != 0:
            continue
        guide.closed[here.yaw, here.i, here.j] = 1
        count += 1
        if count == doubt:
            doubt, focus = 2 * doubt, _HASTE * focus
            order_anew(guide, rules, heap, focus)
        togo = guide.togo[here.yaw, here.i, here.j] - 1.0
        if here.yaw == start.yaw and here.i == start.i and here.j == start.j:
            found = togo
        if found < np.inf and count >= _LEAST_STATES:
            worst = found + slack
        not_seen = guide.seen[here.yaw, here.i, here.j] == 0
        entering = togo + guide_state(world, here)
        for n in range(steps.first[here.yaw], steps.first[here.yaw + 1]):
            step = steps.steps[n]
            yaw, i, j = turned(here.yaw - step.turn, headings), here.i - step.dx, here.j - step.dy
            if i < 0 or j < 0 or i >= nx or j >= ny or guide.closed[yaw, i, j] != 0:
                continue
            if guide.stops and togo == 0.0 and step.length > rules.guide_first_last:
                continue
            if guide.seen[yaw, i, j] == _TAKEN and not_seen:
                continue  # footsteps have shown it unreachable
            tentative = entering + step.cost
            known = guide.togo[yaw, i, j]
            if known != 0.0 and tentative + 1.0 >= known:
                continue
            before = Place(yaw, i, j)
            ahead = focus * from_start(guide, rules, before)
            if tentative + ahead > worst:
                continue
            is_start = yaw == start.yaw and i == start.i and j == start.j
            if guide_state(world, before) < 0.0 and not is_start:
                guide.closed[yaw, i, j] = 2
                continue
            if not is_start and not other_foot(guide.sides[yaw, i, j], guide.sides[here.yaw, here.i, here.j]):
                continue
            top = -np.inf
            if guide.near[i, j] >= 2 or guide.peaks[i, j] > guide.heights[here.yaw, here.i, here.j]:
                top = top_between(world, before, n)
            tentative += ground_on_way(guide, rules, before, here, step.length, top)
            if tentative < np.inf and (known == 0.0 or tentative + 1.0 < known):
                guide.togo[yaw, i, j] = tentative + 1.0
                push(heap, tentative + ahead, (yaw * nx + i) * ny + j)
    return count, found


@routine
def guide_value(guide: Guide, ground: Ground, rules: CostRules, yaw: int, place: Vector2) -> float:
    """Cost to the goal of a middle between the feet at a place (m) with a heading of the footsteps."""
    one = value_between(guide, ground, rules, yaw // GUIDE_TURN, place)
    if yaw % GUIDE_TURN == 0:
        return one
    other = value_between(guide, ground, rules, (yaw // GUIDE_TURN + 1) % guide.costs.shape[0], place)
    low, high, jump = min(one, other), max(one, other), _JUMP * GUIDE_CELL * guide.rate
    # From between two headings as many steps lead to the goal as from the dearer one, unless that is behind a corner.
    if high - low <= jump:
        return (low + high) / 2.0
    return high if high - low <= guide.turning + jump else low + jump / 2.0


@routine
def value_between(guide: Guide, ground: Ground, rules: CostRules, yaw: int, place: Vector2) -> float:
    """Cost to the goal between the cells around a place (m), for a heading of the guide."""
    a = (place[0] - ground.x) / GUIDE_CELL - 0.5
    b = (place[1] - ground.y) / GUIDE_CELL - 0.5
    i, j = int(a), int(b)
    s, t = a - i, b - j
    least = np.inf
    for di, dj in ((0, 0), (0, 1), (1, 0), (1, 1)):
        if guide.closed[yaw, i + di, j + dj] == 1:
            least = min(least, guide.togo[yaw, i + di, j + dj] - 1.0)
    # Beside the goal and behind corners costs jump: there the least one counts.
    most = least + _JUMP * GUIDE_CELL * guide.rate
    total, weight = 0.0, 0.0
    for di, dj in ((0, 0), (0, 1), (1, 0), (1, 1)):
        if guide.closed[yaw, i + di, j + dj] == 1:
            share = (s if di == 1 else 1.0 - s) * (t if dj == 1 else 1.0 - t)
            total += share * min(guide.togo[yaw, i + di, j + dj] - 1.0, most)
            weight += share
    if weight > 1e-6:
        return total / weight
    if guide.missed[0] == np.inf:
        return np.inf
    return float(max(guide.missed[0] - from_start(guide, rules, Place(yaw, i, j)), 0.0))
