"""The guide path: the middle between the feet on cells of 8 cm, forward along arcs (Seiwald 2023, section 5.5.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from footfall.planning import PlannerParameters
from tests.planning.reference.body import Surroundings
from tests.planning.reference.footprints import HeightLayer, Sole, cells_below, cells_passed
from tests.planning.reference.grid import RIGHT, Grid, State, turn_between


@dataclass(eq=False)
class FirstLevel:
    """A problem for A*. soles: the rectangle around both parallel feet."""

    grid: Grid
    layer: HeightLayer
    soles: Sole
    parameters: PlannerParameters
    start: State
    goals: frozenset[State]
    surroundings: Surroundings | None = None

    def successors(self, state: State) -> Iterable[State]:
        """Poses ahead."""
        for x, y, turn in self.arcs(state.yaw):
            yield State(RIGHT, state.x + x, state.y + y, (state.yaw + turn) % self.grid.yaws)

    @cache  # noqa: B019
    def arcs(self, yaw: int) -> list[tuple[int, int, int]]:
        """Cells and turns that arcs of whole cells' length lead to from a heading, rounded to the grid."""
        step, cell = self.parameters.step, self.grid.cell
        unit = 2 * math.pi / self.grid.yaws
        most = math.floor(math.radians(step.turn_deg) / unit + 1e-9)
        heading, found = yaw * unit, {}
        for k in range(round(step.guide_least_m / cell), math.floor(step.forward_m / cell + 1e-9) + 1):
            for turn in range(-most, most + 1):
                phi, length = turn * unit, k * cell
                ahead = length * (math.sin(phi) / phi if turn else 1.0)
                left = length * ((1.0 - math.cos(phi)) / phi if turn else 0.0)
                x = math.cos(heading) * ahead - math.sin(heading) * left
                y = math.sin(heading) * ahead + math.cos(heading) * left
                found[_nearest(x / cell), _nearest(y / cell), turn] = None
        return [each for each in found if each[:2] != (0, 0)]

    @cached_property
    def longest(self) -> float:
        """The longest way of all successors, m: rounding makes some longer than the longest arc."""
        return max(
            self.grid.cell * math.hypot(x, y) for yaw in range(self.grid.yaws) for x, y, _ in self.arcs(yaw)
        )

    def state_cost(self, state: State) -> float:
        """Of both soles on the ground there."""
        limits, cost = self.parameters.foothold, self.parameters.cost
        if not self.layer.seen((state.x, state.y)):
            return math.inf
        ground = self.layer.below(cells_below(self.soles, self.grid.pose(state), self.grid.cell))
        if not (ground.uneven <= limits.uneven_m and ground.sure >= limits.least_confidence):
            return math.inf
        total = cost.uneven * ground.uneven / limits.uneven_m
        total += cost.uncertain * (1.0 - ground.sure) / (1.0 - limits.least_confidence)
        if self.surroundings is not None:
            hands, free = self.surroundings.support(self.grid.pose(state), self.height(state), None)
            if not free:
                return math.inf
            total += cost.hand * (2 - hands)
        return total

    def height(self, state: State) -> float:
        """Of the ground, m."""
        return self.layer.height((state.x, state.y))

    def transition_cost(self, before: State, after: State) -> float:
        """Of a step of the middle between the feet."""
        step, cost = self.parameters.step, self.parameters.cost
        begin, end = self.grid.pose(before), self.grid.pose(after)
        way = math.hypot(end.x - begin.x, end.y - begin.y)
        rise = abs(self.height(after) - self.height(before))
        ground = self.layer.below(cells_passed(self.soles, begin, end, self.grid.cell))
        obstacle = max(0.0, ground.highest - max(self.height(before), self.height(after)))
        if (before == self.start or after in self.goals) and way > step.guide_first_last_m + 1e-9:
            return math.inf
        if rise > step.vertical_m or obstacle > step.obstacle_m:
            return math.inf
        turn = turn_between(begin.yaw, end.yaw)
        return (
            cost.step
            + cost.path_per_m * way
            + cost.length_per_m * abs(way - cost.desired_m)
            + cost.turn_per_rad2 * turn**2
            + cost.vertical_per_m * rise
            + 2 * cost.obstacle_per_m * obstacle
        )

    def heuristic(self, state: State) -> float:
        """Straight to the nearest goal, in the fewest steps, turning as gently as possible."""
        return lower_bound(self, state, self.longest)


def _nearest(value: float) -> int:
    """The nearest whole number, halves away from zero, so that turned sets are turned sets."""
    return math.floor(abs(value) + 0.5 + 1e-9) * (1 if value > 0 else -1)


def lower_bound(level: FirstLevel, state: State, longest: float) -> float:
    """Seiwald 2023, section 5.5.4, with the longest rounded step instead of the nominal one."""
    here = level.grid.pose(state)
    goals = [level.grid.pose(goal) for goal in level.goals]
    way = min(math.hypot(here.x - goal.x, here.y - goal.y) for goal in goals)
    turn = min(abs(turn_between(here.yaw, goal.yaw)) for goal in goals)
    rise = min(abs(level.height(state) - level.height(goal)) for goal in level.goals)
    return remaining_cost(level.parameters, way, turn, rise, longest)


def remaining_cost(
    parameters: PlannerParameters, way: float, turn: float, rise: float, longest: float
) -> float:
    """Least cost of what is left to go, turn and rise, in steps that are not longer than the longest."""
    costs, unit = parameters.cost, 2 * math.pi / parameters.grid.yaws
    sharpest = math.radians(parameters.step.turn_deg)
    steps = max(math.ceil(way / longest - 1e-9), math.ceil(turn / sharpest - 1e-9))
    return (
        steps * costs.step
        + costs.path_per_m * way
        + turn / unit * costs.turn_per_rad2 * unit**2
        + costs.vertical_per_m * rise
    )
