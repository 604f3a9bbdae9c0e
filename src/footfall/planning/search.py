"""A search from a pose to a goal: its states, its guide, its course, and the path that it finds.

What a search of footsteps learns about its guide: steps of the middle between the feet that no footsteps make.

The guide looks at cells of 8 cm with some tolerance, so it may lead into a gap that no feet get through. The search
then takes up one stance after another in front of it. After some thousand of them it looks at what it has seen: a state
of the guide whose stances were taken up and led to no stance of the next state has no step there. Without such steps
the guide is made anew, and leads elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.gait.poses import FEET, FootState, Hand, RobotPose, mean_foot_frame
from footfall.math.rotations import yaw_of
from footfall.planning.contacts import Blockage, Goal
from footfall.planning.footsteps import (
    CLOSED,
    FOUND,
    INVALID,
    NEW,
    RATED,
    RUNNING,
    Nodes,
    Problem,
    SearchProgress,
    SearchState,
    Target,
    can_stop,
    estimate,
    is_goal,
    middle_of,
    number_of,
    run_search,
    state_of,
)
from footfall.planning.ground import known_cost
from footfall.planning.guide import Guide, GuideWorld, Place, Pose2, Rates, guide_state, least_ways, run_guide
from footfall.planning.heap import Heap, kept_heap, push
from footfall.planning.kept_guide import KeptGuide, with_kept_guide
from footfall.planning.step_set import CELL, GUIDE_CELL, GUIDE_TURN, GuideSteps
from footfall.planning.surroundings import Surroundings
from footfall.planning.tables import Tables
from footfall.planning.watch import Watch
from footfall.planning.workspace import workspace

REACHED, TAKEN = 1, 2  # of a state of the guide: stances of it were reached, or were taken up and led on


@routine
def mark_seen(problem: Problem, nodes: Nodes) -> None:
    """Fill in which states of the guide footsteps have got to."""
    ground, seen = problem.ground, problem.guide.seen
    headings = seen.shape[0]
    for number in range(len(nodes.status)):
        status = nodes.status[number]
        if status == NEW or status > CLOSED or nodes.costs[number] == np.inf:
            continue
        state = state_of(ground, number)
        middle = middle_of(ground, problem.volumes, state)
        i, j = int((middle[0] - ground.x) / GUIDE_CELL), int((middle[1] - ground.y) / GUIDE_CELL)
        yaw = state.yaw // GUIDE_TURN
        if state.yaw % GUIDE_TURN > 0:  # between two headings of the guide
            seen[yaw, i, j] = max(seen[yaw, i, j], REACHED)
            yaw = (yaw + 1) % headings
            seen[yaw, i, j] = max(seen[yaw, i, j], REACHED)
        else:
            seen[yaw, i, j] = max(seen[yaw, i, j], TAKEN if status == CLOSED else REACHED)


@routine
def renew_estimates(problem: Problem, nodes: Nodes, heap: Heap) -> None:
    """Order the open list by a guide that has changed."""
    count = heap.size[0]
    heap.size[0] = 0
    for n in range(count):  # entries are put back at places that were read already
        number = heap.items[n]
        if nodes.status[number] < CLOSED and nodes.costs[number] < np.inf:
            nodes.estimates[number] = problem.weight * estimate(problem, state_of(problem.ground, number))
            push(heap, nodes.costs[number] + nodes.estimates[number], number)


_PASSING = 20_000  # states that are explored on the way to a point to pass: there are others
_DOUBT = 4_000  # states that are taken up before the guide is doubted, then twice as many
_HASTE = 1.25  # by which estimates count more from then on: a way soon is better than the best one late
_DESPERATE = 20_000  # states that are explored where the guide knows no way
_SLICE = 400  # states that are expanded between two looks at the clock
_FOCUS = 1.2  # of the distance from the start, while the guide is made
_TIGHT = 3.0  # how much longer ways count where the body hardly has room
_SLACK = 1.0  # cost by which paths may be worse whose estimates the guide still knows
_ALIKE = 0.02  # m: feet at rest are side by side within this
_ALL = 3_000_000  # states of a search without guide: it looks at many, but finds the best path
_NO_HORIZON = 30_000  # steps: no horizon


class Aim(NamedTuple):
    """What a search aims at: a goal to stop at, or, with a radius (m) and an angle (rad), a region to pass through.
    way: places (x, y) between which the way there is known to lie, m."""

    goal: Goal
    radius: float = 0.0
    angle: float = 0.0
    way: tuple[tuple[float, float], ...] = ()


class SearchOptions(NamedTuple):
    """guided: whether the guide orders the search. weight: of estimates. horizon: steps, None for all. kept_hands: that
    stay where they are in the pose that it begins with, for the first step."""

    guided: bool = True
    weight: float = 1.0
    horizon: int | None = None
    kept_hands: tuple[Hand, ...] = ()


@dataclass
class Search:
    """A search: what it looks at, and how far it is. cost, at_goal: of the path that was found. kept: states that
    may be explored with the guide of an earlier one, 0 if it has its own. allowed: states that guide and search may
    still look at."""

    around: Surroundings
    tables: Tables
    start: RobotPose
    aim: Aim
    problem: Problem
    starts: tuple[int, ...]
    refused: Blockage | None = None
    guide_nodes: int = 0
    guide_cost: float = math.inf
    nodes: Nodes | None = None
    course: SearchProgress | None = None
    explored: int = 0
    cost: float = math.inf
    at_goal: bool = False
    kept: int = 0
    allowed: int = _ALL
    kept_hands: tuple[Hand, ...] = ()

    def run(self, banned: set[int], watch: Watch) -> int:
        """Search anew without some states; FOUND, or what ended it."""
        ground, most = self.problem.ground, self.allowed
        nodes, course = self._fresh_nodes(), SearchProgress(np.zeros(4, np.int64), np.array([np.inf, 0.0]))
        nodes.status[list(banned)] = INVALID
        if self.problem.guided and not math.isfinite(self.guide_cost):
            most = min(most, _DESPERATE)
        if self.kept:
            most = min(most, self.kept)
        if self.problem.target.region:
            most = min(most, _PASSING)
        heap = kept_heap(8 * most + 4096)
        for number in self.starts:
            nodes.status[number] = RATED
            nodes.steps[number], nodes.costs[number], nodes.depths[number] = -1, 0.0, 0
            state = state_of(ground, number)
            nodes.estimates[number] = self.problem.weight * estimate(self.problem, state)
            push(heap, float(nodes.estimates[number]), number)
        whole = float(nodes.estimates[list(self.starts)].min())
        self.nodes, self.course = nodes, course
        outcome, until = RUNNING, _DOUBT
        while outcome == RUNNING:
            outcome = run_search(self.problem, nodes, heap, course, _SLICE)
            watch.tell(int(course.counts[1]), float(course.closest[0]), whole)
            if outcome == RUNNING and (watch.stopped or course.counts[1] > most):
                break
            if outcome == RUNNING and self._learns and course.counts[0] >= until:
                until *= 2
                self.problem = self.problem._replace(weight=self.problem.weight * _HASTE)
                before = self.guide_nodes
                self._learn(heap)
                most -= self.guide_nodes - before
                if not math.isfinite(self.guide_cost):
                    most = min(most, int(course.counts[1]) + _DESPERATE)
        self.explored += int(course.counts[1])
        if outcome == FOUND:
            self.cost = float(nodes.costs[course.counts[3]])
            self.at_goal = bool(is_goal(self.problem, int(course.counts[3])))
        return outcome

    @property
    def _learns(self) -> bool:
        """Whether the guide is this search's own, and knows a way that may be none."""
        return self.problem.guided and not self.kept and math.isfinite(self.guide_cost)

    def _learn(self, heap: Heap) -> None:
        """Make the guide anew without steps that footsteps have shown not to be possible."""
        assert self.nodes is not None
        mark_seen(self.problem, self.nodes)
        count, self.guide_cost = fill_guide(self)
        self.guide_nodes += count
        renew_estimates(self.problem, self.nodes, heap)

    def _fresh_nodes(self) -> Nodes:
        ground = self.problem.ground
        size = (2 * ground.yaws * ground.nx * ground.ny,)
        return Nodes(
            workspace("costs", size, np.float64, zeroed=False),
            workspace("estimates", size, np.float32, zeroed=False),
            workspace("closer", size, np.float32, zeroed=False),
            workspace("steps", size, np.int32, zeroed=False),
            workspace("depths", size, np.int16, zeroed=False),
            workspace("status", size, np.uint8),
        )

    @property
    def bound(self) -> float:
        """Cost that no path is below; known after a search without guide and weight."""
        if self.course is None or self.problem.guided or self.problem.weight > 1.0:
            return 0.0
        return float(self.course.closest[1])

    @property
    def closest(self) -> int | None:
        """Number of the state nearest to the goal, if there is one beyond the start."""
        if self.course is None or not np.isfinite(self.course.closest[0]):
            return None
        number = int(self.course.counts[3])
        return None if number in self.starts else number

    @property
    def guide_kind(self) -> str:
        """Whether the guide has found a way."""
        return "full" if math.isfinite(self.guide_cost) else "none"


class Path(NamedTuple):
    """The stances of a path: the pose in which it begins with the stance foot of its first step, then numbers and
    states of the stances after each step, with costs."""

    pose: RobotPose
    numbers: tuple[int, ...]
    states: tuple[SearchState, ...]
    costs: tuple[float, ...]


def new_search(
    around: Surroundings, tables: Tables, start: RobotPose, aim: Aim, options: SearchOptions
) -> Search:
    """A search that has not begun."""
    ground = around.ground
    goals = (
        ()
        if aim.radius > 0.0
        else tuple(number_of(ground, _beside_middle(around, tables, aim.goal, foot)) for foot in range(2))
    )
    rest = _at_rest(start, tables.biped.foot_distance)
    problem = Problem(
        ground,
        around.terrain.packed,
        tables.refinement,
        tables.steps,
        around.solids,
        tables.volumes,
        _empty_guide(around, tables, start, stops=aim.radius == 0.0),
        tables.cost_rules,
        np.array(goals, dtype=np.int64),
        _target(around, tables, aim, goals),
        options.guided,
        options.weight,
        _NO_HORIZON if options.horizon is None else options.horizon,
        tables.parameters.search.whole_swings,
        tables.parameters.search.swept_body,
        rest,
        np.array(
            [number_of(ground, _state_below(around, foot, 1 - n)) for n, foot in enumerate(start.feet[::-1])]
        ),
    )
    starts = [
        number_of(ground, _state_below(around, start.foot(name), foot))
        for foot, name in enumerate(FEET)
        if rest or name == start.stance
    ]
    search = Search(around, tables, start, aim, problem, tuple(starts), kept_hands=options.kept_hands)
    search.refused = _refusal(search)
    return search


def _target(around: Surroundings, tables: Tables, aim: Aim, goals: tuple[int, ...]) -> Target:
    ground, goal, yaws = around.ground, aim.goal, around.ground.yaws
    hands = 0.0 if around.touchable else tables.cost_rules.hand * tables.volumes.hands
    if not goals:
        tolerance = math.floor(aim.angle / (2 * math.pi) * yaws)
        return Target(
            goal.x, goal.y, _heading(goal.yaw, yaws), 0.0, aim.radius, math.inf, tolerance, hands, True
        )
    states = [state_of(ground, number) for number in goals]
    middles = [middle_of(ground, tables.volumes, state) for state in states]
    heights = np.nan_to_num([float(ground.mean[state.i, state.j]) for state in states])
    off = max(math.hypot(middle[0] - goal.x, middle[1] - goal.y) for middle in middles)
    height = float(heights.mean())
    rough = float(np.abs(heights - height).max())
    return Target(goal.x, goal.y, _heading(goal.yaw, yaws), height, off, rough, 0, hands, False)


def _refusal(search: Search) -> Blockage | None:
    """Why a search need not begin."""
    ground, goal = search.problem.ground, search.aim.goal
    if search.problem.target.region or _can_end(search, goal):
        return None
    i, j = _cell(search.around, goal.x, goal.y)
    seen = ground.sure[i, j] > 0.0
    reason = "is too uneven or too uncertain for both feet" if seen else "has not been seen"
    return Blockage("goal", "foothold", f"the ground at the goal ({goal.x:.2f}, {goal.y:.2f}) {reason}")


def _can_end(search: Search, goal: Goal) -> bool:
    """Whether a foot can come to stand at a goal, and the other one beside it."""
    ground = search.problem.ground
    for foot in range(2):
        state = _beside_middle(search.around, search.tables, goal, foot)
        if known_cost(ground, state.yaw, state.i, state.j) >= 0.0 and can_stop(search.problem, state):
            return True
    return False


def standable_goal(search: Search) -> Goal | None:
    """The place nearest to a goal on which feet find no ground where they do, None if it is too far."""
    goal, most = search.aim.goal, search.tables.parameters.search.goal_off_m
    cells = int(most / CELL)
    shifts = [(a, b) for a in range(-cells, cells + 1) for b in range(-cells, cells + 1)]
    for a, b in sorted(shifts, key=lambda shift: math.hypot(*shift)):
        moved = replace(goal, x=goal.x + CELL * a, y=goal.y + CELL * b)
        if math.hypot(a, b) * CELL <= most and _can_end(search, moved):
            return moved
    return None


def _heading(yaw: float, yaws: int) -> int:
    return round(yaw / (2 * math.pi) * yaws) % yaws


def _cell(around: Surroundings, x: float, y: float) -> tuple[int, int]:
    return math.floor((x - around.ground.x) / CELL), math.floor((y - around.ground.y) / CELL)


def _beside_middle(around: Surroundings, tables: Tables, goal: Goal, foot: int) -> SearchState:
    """The state of a foot that stands beside a middle between the feet."""
    side = -tables.volumes.lateral if foot == 0 else tables.volumes.lateral
    x, y = goal.x - side * math.sin(goal.yaw), goal.y + side * math.cos(goal.yaw)
    return SearchState(foot, _heading(goal.yaw, around.ground.yaws), *_cell(around, x, y))


def _state_below(around: Surroundings, foot: FootState, number: int) -> SearchState:
    yaw = float(yaw_of(np.array(foot.rotation)))
    return SearchState(
        number, _heading(yaw, around.ground.yaws), *_cell(around, foot.position[0], foot.position[1])
    )


def _at_rest(pose: RobotPose, foot_distance: float) -> bool:
    """Whether the feet stand side by side, so that either can move first."""
    yaw = float(yaw_of(mean_foot_frame(*pose.feet)[1]))
    across = np.array([-math.sin(yaw), math.cos(yaw)])
    way = (np.array(pose.left_foot.position) - np.array(pose.right_foot.position))[:2]
    return bool(np.abs(way - foot_distance * across).max() < _ALIKE)


def _empty_guide(around: Surroundings, tables: Tables, start: RobotPose, *, stops: bool) -> Guide:
    ground = around.ground
    headings = ground.yaws // GUIDE_TURN
    shape = (headings, ground.nx // 2, ground.ny // 2)
    hands = 0.0 if around.touchable else tables.cost_rules.hand * tables.volumes.hands
    middle, turn = mean_foot_frame(*start.feet)
    return Guide(
        workspace("guide costs", shape, np.float32),
        workspace("guide sides", shape, np.uint8, zeroed=False),
        workspace("guide heights", shape, np.float32, zeroed=False),
        workspace("guide tops", shape, np.float32, zeroed=False),
        workspace("guide togo", shape, np.float32),
        workspace("guide closed", shape, np.uint8),
        workspace("guide seen", shape, np.uint8),
        around.peaks,
        around.touched,
        around.near,
        Pose2(float(middle[0]), float(middle[1]), _heading(float(yaw_of(turn)), headings)),
        np.empty(shape[1:]),
        _rate(tables.guide_steps, hands),
        _turning(tables.guide_steps, hands),
        _FOCUS,
        stops,
        np.zeros(1),
    )


def _rate(steps: GuideSteps, hands: float) -> float:
    """Cost of a metre, at least. hands: what they cost in each state at least."""
    moving = steps.steps[steps.steps["length"] > 0.0]
    return float(((moving["cost"] + hands) / moving["length"]).min())


def _turning(steps: GuideSteps, hands: float) -> float:
    """Cost of a turn in place by a heading of the guide. hands: as above."""
    standing = steps.steps[steps.steps["length"] == 0.0]
    return float(standing["cost"].max() + hands)


def guide_for(search: Search, kept: KeptGuide | None = None) -> Search:
    """The search with its guide filled in, or with an earlier one if that will do."""
    _measure_ways(search)
    if kept is not None and (ready := with_kept_guide(search, kept)) is not None:
        return ready
    count, cost = fill_guide(search)
    return replace(search, guide_nodes=count, guide_cost=cost, kept=0)


def _world_of(search: Search) -> GuideWorld:
    problem, tables = search.problem, search.tables
    return GuideWorld(
        problem.guide, problem.ground, problem.solids, problem.volumes, tables.guide_steps, tables.cost_rules
    )


def _measure_ways(search: Search) -> None:
    """Fill in what ways from the start cost."""
    steps, hands = search.tables.guide_steps, search.tables.cost_rules.hand * search.tables.volumes.hands
    rates = Rates(_rate(steps, hands), _rate(steps, hands / 2), _TIGHT)
    least_ways(_world_of(search), rates, _guide_start(search), _guide_heap(search))


def _guide_start(search: Search) -> Place:
    """The state of the guide where it begins."""
    start, ground = search.problem.guide.start, search.problem.ground
    i, j = math.floor((start.x - ground.x) / GUIDE_CELL), math.floor((start.y - ground.y) / GUIDE_CELL)
    return Place(start.yaw, i, j)


def _guide_heap(search: Search) -> Heap:
    return kept_heap(search.problem.ground.nx * search.problem.ground.ny * 16, "guide heap")


def fill_guide(search: Search) -> tuple[int, float]:
    """Find what it costs to go on to the goal: how many states were looked at, and the cost from the start."""
    world, guide, heap = _world_of(search), search.problem.guide, _guide_heap(search)
    guide.togo[:], guide.closed[:] = 0.0, 0
    # The guide may not be able to stand where it begins, on stairs say, but is as high as the feet there.
    guide.heights[_guide_start(search)] = min(foot.position[2] for foot in search.start.feet)
    nx, ny = guide.costs.shape[1:]
    for yaw, i, j in _guide_goals(search):
        if guide_state(world, Place(yaw, i, j)) >= 0.0:
            guide.togo[yaw, i, j] = 1.0
            push(heap, 0.0, (yaw * nx + i) * ny + j)
    return run_guide(world, heap, _SLACK)


def _guide_goals(search: Search) -> list[tuple[int, int, int]]:
    """Headings and cells of the guide from which nothing is left to go."""
    ground, goal = search.problem.ground, search.aim.goal
    headings, nx, ny = search.problem.guide.costs.shape
    a, b = ((value - corner) / GUIDE_CELL - 0.5 for value, corner in ((goal.x, ground.x), (goal.y, ground.y)))
    yaw = _heading(goal.yaw, headings)
    if not search.problem.target.region:
        i, j = math.floor(a), math.floor(b)
        return [(yaw, i, j), (yaw, i + 1, j), (yaw, i, j + 1), (yaw, i + 1, j + 1)]
    reach, turns = (
        math.ceil(search.aim.radius / GUIDE_CELL),
        math.floor(search.aim.angle / (2 * math.pi) * headings),
    )
    found = []
    for i in range(max(round(a) - reach, 0), min(round(a) + reach + 1, nx)):
        for j in range(max(round(b) - reach, 0), min(round(b) + reach + 1, ny)):
            if math.hypot(i - a, j - b) * GUIDE_CELL <= search.aim.radius:
                found += [((yaw + turn) % headings, i, j) for turn in range(-turns, turns + 1)]
    return found


def path_of(search: Search) -> Path:
    """The path that a search has found."""
    assert search.course is not None
    return path_to(search, int(search.course.counts[3]))


def guide_anew(search: Search) -> Search:
    """The search with a guide of its own, instead of an earlier one's that has led nowhere."""
    search.problem.guide.costs[:] = 0.0
    return guide_for(search)


def explored_places(search: Search) -> Array:
    """x, y in m and cost so far (n, 3) of the stances that the last search took up, in that order."""
    if search.nodes is None:
        return np.empty((0, 3))
    nodes, ground = search.nodes, search.problem.ground
    numbers = np.flatnonzero(nodes.status == CLOSED)
    order = np.argsort(nodes.costs[numbers] + nodes.estimates[numbers], kind="stable")
    numbers = numbers[order]
    i, j = numbers // ground.ny % ground.nx, numbers % ground.ny
    x, y = ground.x + (i + 0.5) * CELL, ground.y + (j + 0.5) * CELL
    return np.column_stack([x, y, nodes.costs[numbers]])


def states_around(search: Search, number: int, cells: int) -> set[int]:
    """Numbers of a state and of all others of its foot within some cells of it, whatever their heading; without cells
    of the state alone. Goals are not among the others."""
    ground = search.problem.ground
    state = state_of(ground, number)
    if cells == 0:
        return {number}
    around = range(-cells, cells + 1)
    found = {
        int(number_of(ground, SearchState(state.foot, yaw, state.i + a, state.j + b)))
        for a in around
        for b in around
        if a * a + b * b <= cells * cells and 0 <= state.i + a < ground.nx and 0 <= state.j + b < ground.ny
        for yaw in range(ground.yaws)
    }
    return found - set(search.problem.goals.tolist()) | {number}


def path_to(search: Search, number: int) -> Path:
    """The path to an explored state."""
    assert search.nodes is not None
    nodes, ground = search.nodes, search.problem.ground
    numbers: list[int] = []
    while nodes.steps[number] > 0:
        numbers.append(number)
        step = search.tables.steps.steps[nodes.steps[number] - 1]
        state = state_of(ground, number)
        before = SearchState(
            1 - state.foot,
            (state.yaw - int(step["turn"])) % ground.yaws,
            state.i - int(step["dx"]),
            state.j - int(step["dy"]),
        )
        number = number_of(ground, before)
    first = FEET[state_of(ground, number).foot]
    numbers.reverse()
    return Path(
        search.start.with_stance(first),
        tuple(numbers),
        tuple(state_of(ground, each) for each in numbers),
        tuple(float(nodes.costs[each]) for each in numbers),
    )


def place_of(search: Search, number: int) -> Array:
    """Where (2,) the middle between the feet is in a state, m."""
    ground = search.problem.ground
    return np.array(middle_of(ground, search.tables.volumes, state_of(ground, number)))
