"""A search from a pose to a goal: its states, its guide, its course, and the path that it finds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.gait.poses import FEET, FootState, RobotPose, mean_foot_frame
from footfall.math.rotations import yaw_of
from footfall.planning.contacts import Blockage, Goal, SearchEffort
from footfall.planning.footsteps import (
    CLOSED,
    FOUND,
    INVALID,
    RATED,
    RUNNING,
    Course,
    Nodes,
    Problem,
    State,
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
from footfall.planning.guide import Guide, Place, Pose2, guide_state, run_guide, shortest_ways
from footfall.planning.heap import kept_heap, push
from footfall.planning.step_set import CELL, GUIDE_CELL, GUIDE_TURN, GuideSteps
from footfall.planning.surroundings import Surroundings
from footfall.planning.tables import Tables
from footfall.planning.workspace import workspace

if TYPE_CHECKING:
    from footfall.planning.planner import Watch

_SLICE = 2000  # states that are expanded between two looks at the clock
_FOCUS = 1.25  # of the distance from the start, while the guide is made
_SLACK = 2.0  # cost by which paths may be worse whose estimates the guide still knows
_ALIKE = 0.02  # m, rad: feet at rest are parallel within this
_FAR = 30_000  # steps: no horizon


@dataclass
class Search:
    """A search: what it looks at, and how far it is. cost, at_goal: of the path that was found."""

    around: Surroundings
    tables: Tables
    start: RobotPose
    goal: Goal
    problem: Problem
    starts: tuple[int, ...]
    refused: Blockage | None = None
    guide_nodes: int = 0
    guide_cost: float = math.inf
    nodes: Nodes | None = None
    course: Course | None = None
    explored: int = 0
    cost: float = math.inf
    at_goal: bool = False

    def run(self, banned: set[int], watch: Watch) -> int:
        """Search anew without some states; FOUND, or what ended it."""
        ground = self.problem.ground
        size = 2 * ground.yaws * ground.nx * ground.ny
        nodes = Nodes(
            workspace("costs", (size,), np.float64, zeroed=False),
            workspace("estimates", (size,), np.float32, zeroed=False),
            workspace("hands", (size,), np.float32, zeroed=False),
            workspace("steps", (size,), np.int32, zeroed=False),
            workspace("depths", (size,), np.int16, zeroed=False),
            workspace("status", (size,), np.uint8),
        )
        nodes.status[list(banned)] = INVALID
        capacity = self.tables.parameters.search.most_nodes + 4096
        heap = kept_heap(capacity)
        course = Course(np.zeros(4, np.int64), np.array([np.inf, 0.0]))
        for number in self.starts:
            nodes.status[number] = RATED
            nodes.steps[number], nodes.costs[number], nodes.depths[number] = -1, 0.0, 0
            state = state_of(ground, number)
            nodes.estimates[number] = self.problem.weight * estimate(self.problem, state)
            push(heap, float(nodes.estimates[number]), number)
        self.nodes, self.course = nodes, course
        outcome = RUNNING
        while outcome == RUNNING:
            outcome = run_search(self.problem, nodes, heap, course, _SLICE)
            if outcome == RUNNING and watch.stopped:
                break
        self.explored += int(course.counts[1])
        if outcome == FOUND:
            self.cost = float(nodes.costs[course.counts[3]])
            self.at_goal = bool(is_goal(self.problem, int(course.counts[3])))
        return outcome

    def explanation(self) -> Blockage:
        """Why there is no way."""
        return Blockage("limit", "map", "no sequence of steps leads to the goal on the ground that is known")

    def effort(self, milliseconds: dict[str, float], repairs: int) -> SearchEffort:
        """What it took so far."""
        guide = "full" if math.isfinite(self.guide_cost) else "none"
        return SearchEffort(self.guide_nodes, self.explored, repairs, dict(milliseconds), guide=guide)


class Path(NamedTuple):
    """The stances of a path: the pose in which it begins with the stance foot of its first step, then numbers and
    states of the stances after each step, with costs."""

    pose: RobotPose
    numbers: tuple[int, ...]
    states: tuple[State, ...]
    costs: tuple[float, ...]


def new_search(
    around: Surroundings,
    tables: Tables,
    start: RobotPose,
    goal: Goal,
    *,
    guided: bool,
    weight: float,
    horizon: int | None,
) -> Search:
    """A search that has not begun."""
    ground, volumes = around.ground, tables.volumes
    goal_yaw = _heading(goal.yaw, ground.yaws)
    goals = tuple(
        number_of(ground, _beside_middle(around, tables, (goal.x, goal.y), goal.yaw, foot))
        for foot in range(2)
    )
    middles = [middle_of(ground, volumes, state_of(ground, number)) for number in goals]
    heights = [float(ground.mean[state_of(ground, number)[2:]]) for number in goals]
    off = max(math.hypot(middle[0] - goal.x, middle[1] - goal.y) for middle in middles)
    height = float(np.nan_to_num(np.nanmean(heights))) if not np.isnan(heights).all() else 0.0
    rough = (
        float(np.nanmax(np.abs(np.array(heights) - height), initial=0.0))
        if not np.isnan(heights).all()
        else 0.0
    )
    hands = 0.0 if around.touchable else tables.cost_rules.hand * volumes.hands
    target = Target(goal.x, goal.y, goal_yaw, height, off, rough, hands)
    middle, turn = mean_foot_frame(*start.feet)
    problem = Problem(
        ground,
        tables.steps,
        around.solids,
        volumes,
        _empty_guide(around, tables, middle, float(yaw_of(turn))),
        tables.cost_rules,
        np.array(goals),
        target,
        guided,
        weight,
        _FAR if horizon is None else horizon,
        tables.parameters.search.whole_swings,
        np.array(
            [number_of(ground, _state_below(around, foot, 1 - n)) for n, foot in enumerate(start.feet[::-1])]
        ),
    )
    starts = []
    for number, name in enumerate(FEET):
        if name == start.stance or _at_rest(start, tables.biped.foot_distance):
            starts.append(number_of(ground, _state_below(around, start.foot(name), number)))
    search = Search(around, tables, start, goal, problem, tuple(starts))
    search.refused = _refusal(search)
    return search


def _refusal(search: Search) -> Blockage | None:
    """Why a search need not begin."""
    ground, goal = search.problem.ground, search.goal
    for number in search.problem.goals.tolist():
        state = state_of(ground, number)
        if known_cost(ground, state.yaw, state.i, state.j) >= 0.0 and can_stop(search.problem, state):
            return None
    seen = ground.sure[state.i, state.j] > 0.0
    reason = "is too uneven or too uncertain for both feet" if seen else "has not been seen"
    return Blockage("goal", "foothold", f"the ground at the goal ({goal.x:.2f}, {goal.y:.2f}) {reason}")


def _heading(yaw: float, yaws: int) -> int:
    return round(yaw / (2 * math.pi) * yaws) % yaws


def _cell(around: Surroundings, x: float, y: float) -> tuple[int, int]:
    return math.floor((x - around.ground.x) / CELL), math.floor((y - around.ground.y) / CELL)


def _beside_middle(
    around: Surroundings, tables: Tables, middle: tuple[float, float], yaw: float, foot: int
) -> State:
    """The state of a foot that stands beside a middle between the feet."""
    side = -tables.volumes.lateral if foot == 0 else tables.volumes.lateral
    x, y = middle[0] - side * math.sin(yaw), middle[1] + side * math.cos(yaw)
    return State(foot, _heading(yaw, around.ground.yaws), *_cell(around, x, y))


def _state_below(around: Surroundings, foot: FootState, number: int) -> State:
    yaw = float(yaw_of(np.array(foot.rotation)))
    return State(
        number, _heading(yaw, around.ground.yaws), *_cell(around, foot.position[0], foot.position[1])
    )


def _at_rest(pose: RobotPose, foot_distance: float) -> bool:
    """Whether the feet stand side by side, so that either can move first."""
    yaw = float(yaw_of(mean_foot_frame(*pose.feet)[1]))
    across = np.array([-math.sin(yaw), math.cos(yaw)])
    way = (np.array(pose.left_foot.position) - np.array(pose.right_foot.position))[:2]
    return bool(np.abs(way - foot_distance * across).max() < _ALIKE)


def _empty_guide(around: Surroundings, tables: Tables, middle: np.ndarray, yaw: float) -> Guide:
    ground = around.ground
    headings = ground.yaws // GUIDE_TURN
    shape = (headings, ground.nx // 2, ground.ny // 2)
    hands = 0.0 if around.touchable else tables.cost_rules.hand * tables.volumes.hands
    return Guide(
        workspace("guide costs", shape, np.float32),
        workspace("guide heights", shape, np.float32, zeroed=False),
        workspace("guide togo", shape, np.float32),
        workspace("guide closed", shape, np.uint8),
        around.peaks,
        around.near,
        Pose2(float(middle[0]), float(middle[1]), _heading(yaw, headings)),
        np.empty(shape[1:], np.float32),
        _rate(tables.guide_steps, hands),
        _FOCUS,
        np.zeros(1),
    )


def _rate(steps: GuideSteps, hands: float) -> float:
    """Cost of a metre, at least. hands: what they cost in each state at least."""
    moving = steps.steps[steps.steps["length"] > 0.0]
    return float(((moving["cost"] + hands) / moving["length"]).min())


def guide_for(search: Search) -> Search:
    """Fill in the guide of a search."""
    problem, rules = search.problem, search.tables.cost_rules
    guide, ground = problem.guide, problem.ground
    heap = kept_heap(ground.nx * ground.ny * 16)
    begin = np.array(
        [
            math.floor((guide.start.x - ground.x) / GUIDE_CELL),
            math.floor((guide.start.y - ground.y) / GUIDE_CELL),
        ]
    )
    shortest_ways(
        ground.highest, begin.astype(float), rules.most_vertical + rules.most_obstacle, heap, guide.lengths
    )
    heap.size[0] = 0
    nx, ny = guide.costs.shape[1:]
    a = math.floor((search.goal.x - ground.x) / GUIDE_CELL - 0.5)
    b = math.floor((search.goal.y - ground.y) / GUIDE_CELL - 0.5)
    yaw = _heading(search.goal.yaw, guide.costs.shape[0])
    for i, j in ((a, b), (a + 1, b), (a, b + 1), (a + 1, b + 1)):
        if guide_state(guide, ground, problem.solids, problem.volumes, rules, Place(yaw, i, j)) >= 0.0:
            guide.togo[yaw, i, j] = 1.0
            push(heap, 0.0, (yaw * nx + i) * ny + j)
    count, cost = run_guide(
        guide, ground, problem.solids, problem.volumes, search.tables.guide_steps, rules, heap, _SLACK
    )
    return replace(search, guide_nodes=count, guide_cost=cost)


def path_of(search: Search) -> Path:
    """The path that a search has found."""
    assert search.nodes is not None
    assert search.course is not None
    return path_to(search, int(search.course.counts[3]))


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


def path_to(search: Search, number: int) -> Path:
    """The path to an explored state."""
    assert search.nodes is not None
    nodes, ground = search.nodes, search.problem.ground
    numbers: list[int] = []
    while nodes.steps[number] > 0:
        numbers.append(number)
        step = search.tables.steps.steps[nodes.steps[number] - 1]
        state = state_of(ground, number)
        before = State(
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
