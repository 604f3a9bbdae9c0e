"""The search of footsteps: A* over stances, each a foot on a cell of 4 cm with one of 48 headings.

Seiwald 2023, 5.5.4. A foothold is rated when a step first leads there; how the sole lies on cells of 1 cm, what hands
reach and what body and arms are in is looked at when the stance is taken from the open list, since that only adds to
the cost and most stances never come so far. All states lie in arrays: nothing is made while it runs.

States of the search: stances by the cell, the heading and the side of the foot that stands.

The body on its way from one stance to the next.

While a foot swings, the middle between the feet goes half of its way: from midway between the feet before the step to
midway between them after it, and its heading turns from one mean to the other. Those places lie on cells of half the
size and on headings twice as fine, so that volumes need not be turned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import Vector2, routine
from footfall.environment.patch import CELL as FINE_CELL
from footfall.environment.terrain import PackedTerrain
from footfall.planning.ground import Bytes, Ground, Singles, is_even, known_cost, known_top, turned, wide_top
from footfall.planning.guide import CostRules, Guide, guide_value
from footfall.planning.heap import Heap, pop, push
from footfall.planning.refinement import POORLY, WELL, Refinement, footing
from footfall.planning.solids import Solids, Volumes, support
from footfall.planning.step_set import CELL, GUIDE_CELL, SWEEP, TURNS, StepSet

_PITCH = 0.06  # m between places that are looked at: a corner between two gets 2 mm into a body with a radius of 0.2 m
_SOLID = 2  # flag of a cell that has something solid around it, see `find_nearness`


class BodyPlace(NamedTuple):
    """The middle between the feet: x, y, z in m, and its heading, in halves of those of the search."""

    x: float
    y: float
    z: float
    heading: int


@routine
def refined_middle(x: float) -> float:
    """Middle of the cell of 1 cm at a coordinate, m: there refinement puts a foot that it need not move."""
    return float((np.floor(x / FINE_CELL) + 0.5) * FINE_CELL)


@routine
def standing_at(ground: Ground, state: SearchState) -> Vector2:
    """Where a foot will stand, m, unless refinement finds something better around."""
    x, y = ground.x + (state.i + 0.5) * CELL, ground.y + (state.j + 0.5) * CELL
    return np.array([refined_middle(x), refined_middle(y)])


@routine
def between_feet(ground: Ground, one: SearchState, other: SearchState) -> BodyPlace:
    """Midway between two footholds, as high as the lower one."""
    half = ground.yaws // 2
    turn = turned(other.yaw - one.yaw + half, ground.yaws) - half
    middle = (standing_at(ground, one) + standing_at(ground, other)) / 2.0
    return BodyPlace(
        middle[0],
        middle[1],
        min(ground.mean[one.i, one.j], ground.mean[other.i, other.j]),
        turned(2 * one.yaw + turn, 2 * ground.yaws),
    )


@routine
def place_between(begin: BodyPlace, end: BodyPlace, share: float, yaws: int) -> BodyPlace:
    """Where the middle between the feet is on its way, as high as the lower end. yaws: headings of the search."""
    turn = turned(end.heading - begin.heading + yaws, 2 * yaws) - yaws
    return BodyPlace(
        begin.x + share * (end.x - begin.x),
        begin.y + share * (end.y - begin.y),
        min(begin.z, end.z),
        turned(begin.heading + int(np.floor(share * turn + 0.5)), 2 * yaws),
    )


@routine
def pieces_between(begin: BodyPlace, end: BodyPlace) -> int:
    """How many places on a way are looked at."""
    dx, dy = end.x - begin.x, end.y - begin.y
    return int(np.sqrt(dx * dx + dy * dy) / _PITCH) + 2


@routine
def body_passes(
    ground: Ground,
    solids: Solids,
    volumes: Volumes,
    near: Bytes,
    before: SearchState,
    standing: SearchState,
    after: SearchState,
) -> bool:
    """Whether body and arms are in nothing while a foot swings from one foothold to another, and the other one stands.
    Where the way begins is not looked at."""
    begin, end = between_feet(ground, before, standing), between_feet(ground, standing, after)
    pieces = pieces_between(begin, end)
    for n in range(1, pieces + 1):
        here = place_between(begin, end, n / pieces, ground.yaws)
        flags = near[int((here.x - ground.x) / GUIDE_CELL), int((here.y - ground.y) / GUIDE_CELL)]
        if flags < _SOLID:
            continue
        place = np.array([here.x, here.y, here.z])
        if support(solids, volumes, here.heading, place, -1, False).blocked >= 0:
            return False
    return True


class SearchState(NamedTuple):
    """A stance by its numbers; foot: 0 right, 1 left."""

    foot: int
    yaw: int
    i: int
    j: int


@routine
def number_of(ground: Ground, state: SearchState) -> int:
    """Number of a state."""
    return ((state.foot * ground.yaws + state.yaw) * ground.nx + state.i) * ground.ny + state.j


@routine
def state_of(ground: Ground, number: int) -> SearchState:
    """The state with a number."""
    row = number // ground.ny
    heading = row // ground.nx
    return SearchState(heading // ground.yaws, heading % ground.yaws, row % ground.nx, number % ground.ny)


@routine
def middle_of(ground: Ground, volumes: Volumes, state: SearchState) -> Vector2:
    """Middle between the feet if the other foot stood beside, m."""
    angle = 2.0 * np.pi * state.yaw / ground.yaws
    side = volumes.lateral if state.foot == 0 else -volumes.lateral
    x = ground.x + (state.i + 0.5) * CELL - side * np.sin(angle)
    y = ground.y + (state.j + 0.5) * CELL + side * np.cos(angle)
    return np.array([x, y])


# Of a state. RATED: it was looked at closely. STRICT: a way there was not free, so each is looked at at once.
NEW, OPEN, RATED, STRICT, CLOSED, INVALID = 0, 1, 2, 3, 4, 5
RUNNING, FOUND, EXHAUSTED, FULL = 0, 1, 2, 3  # of a search
_SAME = 1e-9  # costs that differ by less are the same
_DETOUR = 50.0  # cost of where the guide knows no way


class Nodes(NamedTuple):
    """States, numbered ((foot * yaws + yaw) * nx + i) * ny + j, so that steps in one direction lie together.

    costs: from the start. estimates: to the goal. closer: what a closer look adds, see `look_closely`. steps: number of
    the step that leads there plus one, -1 for a start. depths: how many steps led there. status: see NEW and the like.
    """

    costs: Array
    estimates: Singles
    closer: Singles
    steps: np.ndarray[Any, np.dtype[np.int32]]
    depths: np.ndarray[Any, np.dtype[np.int16]]
    status: Bytes


class Target(NamedTuple):
    """Where the middle between the feet shall be: x, y in m, number of the heading, height in m; by how much it may be
    off, m and headings; what hands cost in each state at least. region: whether any stance within `off` will do, on the
    way to somewhere else; else only the goals' cells."""

    x: float
    y: float
    yaw: int
    height: float
    off: float
    off_height: float
    off_yaw: int
    hands: float
    region: bool


class Problem(NamedTuple):
    """All that a search looks at. terrain, refinement: for a closer look at footholds. goals: numbers of the states to
    reach. guided: whether the guide's costs are used. weight: of estimates."""

    ground: Ground
    terrain: PackedTerrain
    refinement: Refinement
    steps: StepSet
    solids: Solids
    volumes: Volumes
    guide: Guide
    rules: CostRules
    goals: Integers
    target: Target
    guided: bool
    weight: float
    horizon: int  # steps after which any stance will do
    whole_swings: bool  # whether swings are looked at from the last foothold on
    swept_body: bool  # whether the body is looked at between stances
    at_rest: bool  # whether the robot stands still at the start
    others: Integers  # numbers of the states of the left and right foot at the start, beside the right and left one


class SearchProgress(NamedTuple):
    """How far a search has come. counts: expanded, explored, invalid states, closest state so far. closest: its
    estimate. bound: least sum of cost and estimate among open states."""

    counts: Integers
    closest: Array


@routine
def straight_estimate(problem: Problem, yaw: int, middle: Vector2, height: float) -> float:
    """Cost to the goal at least: as many steps as distance or turn need, on level ground; Seiwald 2023, 5.5.4."""
    rules, goal = problem.rules, problem.target
    way = max(np.hypot(middle[0] - goal.x, middle[1] - goal.y) - goal.off, 0.0)
    turn = abs(yaw - goal.yaw)
    turn = max(min(turn, problem.ground.yaws - turn) - goal.off_yaw, 0)
    steps = max(np.ceil(way / rules.longest - 1e-9), np.ceil(turn / rules.most_turn - 1e-9))
    rise = max(abs(height - goal.height) - goal.off_height, 0.0)
    level = steps * (rules.step + goal.hands) + rules.path * way + turn * rules.turn
    return float(level + rules.vertical * rise)


@routine
def estimate(problem: Problem, state: SearchState) -> float:
    """Cost to the goal from a state."""
    middle = middle_of(problem.ground, problem.volumes, state)
    height = problem.ground.mean[state.i, state.j]
    straight = straight_estimate(problem, state.yaw, middle, height)
    if not problem.guided:
        return straight
    value = guide_value(problem.guide, problem.ground, problem.rules, state.yaw, middle)
    return max(value, straight) if value < np.inf else straight + _DETOUR


@routine
def near_flag(problem: Problem, middle: Vector2) -> int:
    """What may be around, see `find_nearness`."""
    i = int((middle[0] - problem.ground.x) / GUIDE_CELL)
    j = int((middle[1] - problem.ground.y) / GUIDE_CELL)
    return int(problem.guide.near[i, j])


@routine
def half_swing(problem: Problem, state: SearchState, first: int, base: float) -> float:
    """How far the ground rises above a height below the way of a foot, m, or any rise that is too high."""
    ground = problem.ground
    top = base
    for n in range(first, first + SWEEP):
        place = problem.steps.sweeps[n]
        i, j = state.i + place.dx, state.j + place.dy
        if problem.guide.touched[i // 2, j // 2] > top:  # most places need no closer look
            top = max(top, known_top(ground, turned(state.yaw + place.turn, ground.yaws), i, j))
            if top - base > problem.rules.most_obstacle:
                break
    return top - base


@routine
def swing_cost(problem: Problem, state: SearchState, step: int, base: float, forward: float) -> float:
    """Cost of what both half swings pass over; infinite if that is too high."""
    rules, taken = problem.rules, problem.steps.steps[step]
    i, j = (2 * state.i + taken.dx) // 4, (2 * state.j + taken.dy) // 4
    if problem.guide.peaks[i, j] <= base + rules.ignored:
        return 0.0
    cost = 0.0
    for first in (2 * SWEEP * step, 2 * SWEEP * step + SWEEP):
        rise = half_swing(problem, state, first, base)
        if rise > rules.most_obstacle or (rise > rules.noticeable and forward > rules.careful):
            return np.inf
        cost += rules.obstacle * max(rise - rules.ignored, 0.0)
    return cost


@routine
def previous(problem: Problem, nodes: Nodes, number: int, state: SearchState) -> SearchState:
    """Where the other foot stands while the robot is on a stance."""
    step = nodes.steps[number]
    if step < 0:
        return state_of(problem.ground, problem.others[state.foot])
    taken = problem.steps.steps[step - 1]
    yaw = turned(state.yaw - taken.turn, problem.ground.yaws)
    return SearchState(1 - state.foot, yaw, state.i - taken.dx, state.j - taken.dy)


@routine
def swings_free(problem: Problem, begin: SearchState, end: SearchState) -> bool:
    """Whether nothing too high is below a foot, or nearly so, on its straight way from one foothold to the next."""
    ground = problem.ground
    base = max(ground.mean[begin.i, begin.j], ground.mean[end.i, end.j])
    peaks = problem.guide.peaks
    highest = max(peaks[begin.i // 2, begin.j // 2], peaks[end.i // 2, end.j // 2])
    if highest - base <= problem.rules.most_obstacle:
        return True
    di, dj, turn = end.i - begin.i, end.j - begin.j, end.yaw - begin.yaw
    half = ground.yaws // 2
    turn = turned(turn + half, ground.yaws) - half
    pieces = max(abs(di), abs(dj)) + 1
    for n in range(pieces + 1):
        share = n / pieces
        i, j = begin.i + int(np.floor(share * di + 0.5)), begin.j + int(np.floor(share * dj + 0.5))
        yaw = turned(begin.yaw + int(np.floor(share * turn + 0.5)), ground.yaws)
        if wide_top(ground, yaw, i, j) - base > problem.rules.most_obstacle:
            return False
    return True


@routine
def footing_cost(problem: Problem, state: SearchState) -> float:
    """What a sole costs that does not lie well; infinite if it cannot stand, which cells of 1 cm show."""
    ground = problem.ground
    if problem.rules.bump == 0.0 or is_even(ground, state.yaw, state.i, state.j):
        return 0.0
    place = np.array([ground.x + (state.i + 0.5) * CELL, ground.y + (state.j + 0.5) * CELL])
    found = footing(problem.terrain, problem.refinement, place, 2 * state.yaw)
    return 0.0 if found == WELL else problem.rules.bump if found == POORLY else np.inf


@routine
def hands_cost(problem: Problem, state: SearchState) -> float:
    """What hands without support cost; infinite if body or arms are in something."""
    middle = middle_of(problem.ground, problem.volumes, state)
    near = near_flag(problem, middle)
    if near == 0:
        return problem.rules.hand * problem.volumes.hands
    place = np.array([middle[0], middle[1], problem.ground.mean[state.i, state.j]])
    found = support(problem.solids, problem.volumes, 2 * state.yaw, place, state.foot, near % 2 == 1)
    return problem.rules.hand * found.missing if found.blocked < 0 else np.inf


@routine
def look_closely(problem: Problem, nodes: Nodes, number: int, state: SearchState) -> float:
    """What a closer look at sole, hands and body adds to the cost of a state, infinite if it is not possible."""
    cost = hands_cost(problem, state)
    if cost < np.inf:
        cost += footing_cost(problem, state)
    if cost == np.inf:
        nodes.status[number] = INVALID
        return np.inf
    added = cost - nodes.closer[number]
    nodes.closer[number] = cost
    nodes.status[number] = RATED
    return float(added)


@routine
def is_goal(problem: Problem, number: int) -> bool:
    """Whether a state is to be reached."""
    found = False
    for goal in problem.goals:
        found = found or goal == number
    return found


@routine
def within_region(problem: Problem, state: SearchState) -> bool:
    """Whether a stance will do for a target that is a region."""
    target = problem.target
    if not target.region:
        return False
    middle = middle_of(problem.ground, problem.volumes, state)
    turn = abs(state.yaw - target.yaw)
    near = np.hypot(middle[0] - target.x, middle[1] - target.y) <= target.off
    return bool(near and min(turn, problem.ground.yaws - turn) <= target.off_yaw)


@routine
def beside(problem: Problem, state: SearchState) -> SearchState:
    """Where the other foot would stand beside a stance."""
    ground = problem.ground
    angle = 2.0 * np.pi * state.yaw / ground.yaws
    width = 2.0 * problem.volumes.lateral * (1.0 if state.foot == 0 else -1.0)
    i = state.i + int(np.floor(0.5 - width * np.sin(angle) / CELL))
    j = state.j + int(np.floor(0.5 + width * np.cos(angle) / CELL))
    return SearchState(1 - state.foot, state.yaw, i, j)


@routine
def can_stop(problem: Problem, state: SearchState) -> bool:
    """Whether the other foot finds ground beside a stance, as the closing step puts it there."""
    other = beside(problem, state)
    rise = abs(problem.ground.mean[other.i, other.j] - problem.ground.mean[state.i, state.j])
    if not rise <= problem.rules.noticeable:
        return False
    return known_cost(problem.ground, other.yaw, other.i, other.j) >= 0.0


@routine
def ends_horizon(problem: Problem, nodes: Nodes, number: int, state: SearchState) -> bool:
    """Whether a stance is far enough, and the robot can stop there."""
    return nodes.depths[number] >= problem.horizon and can_stop(problem, state)


@routine
def ground_cost(problem: Problem, begin: SearchState, step: int, end: SearchState) -> float:
    """What the ground adds to the cost of a step from one stance to the next; infinite if it cannot be made."""
    ground, rules, taken = problem.ground, problem.rules, problem.steps.steps[step]
    low, high = ground.mean[begin.i, begin.j], ground.mean[end.i, end.j]
    rise = abs(high - low)
    if rise > rules.most_vertical or (rise > rules.noticeable and taken.forward > rules.careful):
        return np.inf
    return float(rules.vertical * rise + swing_cost(problem, begin, step, max(low, high), taken.forward))


@routine
def way_free(problem: Problem, nodes: Nodes, number: int, begin: SearchState, end: SearchState) -> bool:
    """Whether a swinging foot passes over nothing too high and the body is in nothing while the robot goes on from a
    stance (with its number) to the next."""
    before = previous(problem, nodes, number, begin)
    if problem.whole_swings and not swings_free(problem, before, end):
        return False
    return not problem.swept_body or body_passes(
        problem.ground, problem.solids, problem.volumes, problem.guide.near, before, begin, end
    )


@routine
def expand(problem: Problem, nodes: Nodes, heap: Heap, course: SearchProgress, number: int) -> None:
    """Put all that can be reached by a step on the open list."""
    ground, rules = problem.ground, problem.rules
    state = state_of(ground, number)
    begins = nodes.steps[number] < 0 and problem.at_rest
    cost = nodes.costs[number]
    foot = 1 - state.foot
    for n in range(
        problem.steps.first[state.foot, state.yaw], problem.steps.first[state.foot, state.yaw + 1]
    ):
        step = problem.steps.steps[n]
        reached = SearchState(
            foot, turned(state.yaw + step.turn, ground.yaws), state.i + step.dx, state.j + step.dy
        )
        after = number_of(ground, reached)
        status = nodes.status[after]
        if status >= CLOSED:
            continue
        if status != NEW and cost + step.cost >= nodes.costs[after]:
            continue
        standing = known_cost(ground, reached.yaw, reached.i, reached.j)
        if standing < 0.0:
            nodes.status[after] = INVALID
            course.counts[2] += 1
            continue
        if step.forward > rules.first_last and (begins or is_goal(problem, after)):
            continue
        closer = nodes.closer[after]
        if status == NEW:
            near = near_flag(problem, middle_of(ground, problem.volumes, reached))
            closer = 0.0 if near % 2 == 1 else rules.hand * problem.volumes.hands
        total = cost + step.cost + standing + closer
        if status != NEW and total >= nodes.costs[after] - _SAME:
            continue
        total += ground_cost(problem, state, n, reached)
        if total == np.inf or (status != NEW and total >= nodes.costs[after] - _SAME):
            continue
        if status == STRICT and not way_free(problem, nodes, number, state, reached):
            continue
        if status == NEW:
            nodes.estimates[after] = problem.weight * estimate(problem, reached)
            nodes.closer[after] = closer
            nodes.status[after] = OPEN
            course.counts[1] += 1
        nodes.costs[after] = total
        nodes.steps[after] = n + 1
        nodes.depths[after] = nodes.depths[number] + 1
        push(heap, total + nodes.estimates[after], after)


@routine
def came_freely(problem: Problem, nodes: Nodes, number: int, state: SearchState) -> bool:
    """Whether the way to a stance from the one that led there is free."""
    if nodes.steps[number] < 0:
        return True
    before = previous(problem, nodes, number, state)
    return way_free(problem, nodes, number_of(problem.ground, before), before, state)


@routine
def come_otherwise(problem: Problem, nodes: Nodes, heap: Heap, number: int, state: SearchState) -> None:
    """Find the best free way to a stance from all others that were taken up: the one that led there is not free. Later
    ones are looked at as they are found."""
    ground, rules = problem.ground, problem.rules
    arriving = known_cost(ground, state.yaw, state.i, state.j) + nodes.closer[number]
    best, chosen, depth = np.inf, 0, 0
    for turn in range(-TURNS, TURNS + 1):
        foot, yaw = 1 - state.foot, turned(state.yaw - turn, ground.yaws)
        for n in range(problem.steps.first[foot, yaw], problem.steps.first[foot, yaw + 1]):
            step = problem.steps.steps[n]
            before = SearchState(foot, yaw, state.i - step.dx, state.j - step.dy)
            if step.turn != turn or before.i < 0 or before.j < 0:
                continue
            if before.i >= ground.nx or before.j >= ground.ny:
                continue
            other = number_of(ground, before)
            if nodes.status[other] != CLOSED or nodes.costs[other] + step.cost + arriving >= best:
                continue
            begins = nodes.steps[other] < 0 and problem.at_rest
            if step.forward > rules.first_last and (begins or is_goal(problem, number)):
                continue
            total = nodes.costs[other] + step.cost + arriving + ground_cost(problem, before, n, state)
            if total < best and way_free(problem, nodes, other, before, state):
                best, chosen, depth = total, n + 1, nodes.depths[other] + 1
    nodes.status[number] = STRICT
    nodes.costs[number], nodes.steps[number], nodes.depths[number] = best, chosen, depth
    if best < np.inf:
        push(heap, best + nodes.estimates[number], number)


@routine
def run_search(problem: Problem, nodes: Nodes, heap: Heap, course: SearchProgress, most: int) -> int:
    """Expand up to `most` states; RUNNING, FOUND (the goal is counts[3]), EXHAUSTED or FULL."""
    ground = problem.ground
    left = most
    while heap.size[0] > 0:
        if left == 0:
            return RUNNING
        if heap.size[0] + 1024 > len(heap.keys):
            return FULL
        entry = pop(heap)
        number = entry.item
        status = nodes.status[number]
        if status >= CLOSED or entry.key > nodes.costs[number] + nodes.estimates[number] + _SAME:
            continue
        if nodes.costs[number] == np.inf:  # the entry of a way that was not free, and no other is known yet
            continue
        state = state_of(ground, number)
        if status == OPEN:
            added = look_closely(problem, nodes, number, state)
            if added == np.inf:
                course.counts[2] += 1
                continue
            if added > _SAME:
                nodes.costs[number] += added
                push(heap, nodes.costs[number] + nodes.estimates[number], number)
                continue
        if status != STRICT and not came_freely(problem, nodes, number, state):
            come_otherwise(problem, nodes, heap, number, state)
            continue
        nodes.status[number] = CLOSED
        if nodes.estimates[number] < course.closest[0]:
            course.closest[0] = nodes.estimates[number]
            course.counts[3] = number
        course.closest[1] = entry.key
        course.counts[0] += 1
        left -= 1
        if (
            is_goal(problem, number)
            or within_region(problem, state)
            or ends_horizon(problem, nodes, number, state)
        ):
            course.counts[3] = number
            return FOUND
        expand(problem, nodes, heap, course, number)
    return EXHAUSTED
