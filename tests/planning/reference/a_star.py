"""A* as in Seiwald 2023, algorithm 5.1: costs of states beside those of transitions, and closed nodes stay closed."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from tests.planning.reference.grid import State


class Problem(Protocol):
    """What a level of the search is made of; costs are infinite where something is not allowed."""

    start: State
    goals: frozenset[State]

    def successors(self, state: State) -> Iterable[State]:
        """Where one step leads, allowed or not."""

    def state_cost(self, state: State) -> float:
        """Of standing there; the same whichever way one came."""

    def transition_cost(self, before: State, after: State) -> float:
        """Of the step between two states."""

    def heuristic(self, state: State) -> float:
        """A lower bound for what is left, without the cost of the goal's state."""


@dataclass
class Counts:
    """How often the lists were used; names as in the source's table."""

    insert: int = 0
    extract: int = 0
    update: int = 0
    closed_insert: int = 0
    closed_contains: int = 0
    invalid_states: int = 0
    invalid_transitions: int = 0


@dataclass
class Found:
    """path: from start to goal, empty without one. cost: of the way without the state of the start."""

    path: list[State]
    cost: float
    counts: Counts
    expanded: list[State] = field(default_factory=list)


@dataclass
class _Node:
    state: State
    before: State | None
    state_cost: float
    cost: float
    left: float


def a_star(problem: Problem, *, reopen: bool = False, blind: bool = False) -> Found:
    """The cheapest way. reopen: nodes that were closed too early are looked at again. blind: no heuristic, Dijkstra."""
    counts = Counts()
    goal_costs = [problem.state_cost(goal) for goal in problem.goals]
    begin = problem.state_cost(problem.start)
    if math.isinf(begin) or min(goal_costs, default=math.inf) == math.inf:
        return Found([], math.inf, counts)
    cheapest_goal = min(goal_costs)

    def left(state: State) -> float:
        return 0.0 if blind or state in problem.goals else problem.heuristic(state) + cheapest_goal

    nodes = {problem.start: _Node(problem.start, None, 0.0, 0.0, left(problem.start))}
    order = [(nodes[problem.start].left, problem.start)]
    closed: set[State] = set()
    expanded: list[State] = []
    state_costs: dict[State, float] = {}
    counts.insert += 1
    while order:
        total, state = heapq.heappop(order)
        node = nodes[state]
        if state in closed or total > node.cost + node.left:
            continue  # an older entry of a node that has become cheaper
        counts.extract += 1
        if state in problem.goals:
            return Found(_path(nodes, state), node.cost, counts, expanded)
        closed.add(state)
        counts.closed_insert += 1
        expanded.append(state)
        for after in problem.successors(state):
            counts.closed_contains += 1
            if after in closed and not (reopen and after in nodes):
                continue
            if after not in state_costs:
                state_costs[after] = problem.state_cost(after)
                if math.isinf(state_costs[after]):
                    counts.invalid_states += 1
                    counts.closed_insert += 1
                    closed.add(after)
                    continue
            if math.isinf(state_costs[after]):
                continue
            step = problem.transition_cost(state, after)
            if math.isinf(step):
                counts.invalid_transitions += 1
                continue
            cost = node.cost + step + state_costs[after]
            known = nodes.get(after)
            if known is None:
                nodes[after] = _Node(after, state, state_costs[after], cost, left(after))
                counts.insert += 1
            elif cost < known.cost:
                known.before, known.cost = state, cost
                counts.update += 1
                closed.discard(after)
            else:
                continue
            heapq.heappush(order, (cost + nodes[after].left, after))
    return Found([], math.inf, counts, expanded)


def _path(nodes: dict[State, _Node], last: State) -> list[State]:
    path: list[State] = []
    here: State | None = last
    while here is not None:
        path.append(here)
        here = nodes[here].before
    return path[::-1]


def costs_to_goal(problem: Problem, states: Iterable[State]) -> dict[State, float]:
    """Exact cost from each of some states to a goal, by relaxing all edges until nothing changes (Bellman and Ford);
    ways that leave these states do not count. Shares nothing with A* but the problem."""
    inside = {state: cost for state in states if not math.isinf(cost := problem.state_cost(state))}
    edges = [
        (state, after, step + inside[after])
        for state in inside
        for after in problem.successors(state)
        if after in inside and not math.isinf(step := problem.transition_cost(state, after))
    ]
    costs = {state: 0.0 if state in problem.goals else math.inf for state in inside}
    changed = True
    while changed:
        changed = False
        for state, after, step in edges:
            if step + costs[after] < costs[state] - 1e-12:
                costs[state] = step + costs[after]
                changed = True
    return costs
