"""Footsteps on cells of 4 cm (Seiwald 2023, section 5.5.4): one stance foot after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from footfall.planning import PlannerParameters
from tests.planning.reference.body import Surroundings
from tests.planning.reference.first_level import remaining_cost
from tests.planning.reference.footprints import (
    HeightLayer,
    Sole,
    cells_below,
    cells_passed,
    rectangle_distance,
)
from tests.planning.reference.grid import LEFT, RIGHT, Grid, Pose, State, turn_between
from tests.planning.reference.guide import GuideMap

LONGEST = 0.64  # m, of the middle between the feet in a step


class Step(NamedTuple):
    """From a stance foot to the next: cells, steps of heading; forward along the arc and to the left, m."""

    x: int
    y: int
    turn: int
    forward: float
    left: float


@dataclass(eq=False)
class SecondLevel:
    """A problem for A*. sole, toes: what of a foot may stand. guide: what the first level found, None without."""

    grid: Grid
    layer: HeightLayer
    sole: Sole
    toes: Sole
    parameters: PlannerParameters
    start: State
    goals: frozenset[State]
    guide: GuideMap | None = None
    surroundings: Surroundings | None = None

    def successors(self, state: State) -> Iterable[State]:
        """Every cell that the other foot may step to."""
        for step in self.steps(state.foot, state.yaw):
            yaw = (state.yaw + step.turn) % self.grid.yaws
            yield State(1 - state.foot, state.x + step.x, state.y + step.y, yaw)

    @cache  # noqa: B019
    def steps(self, foot: int, yaw: int) -> list[Step]:
        """Steps from a stance foot that keep all limits by themselves."""
        limits, cell = self.parameters.step, self.grid.cell
        unit = 2 * math.pi / self.grid.yaws
        most = math.floor(math.radians(limits.turn_deg) / unit + 1e-9)
        reach = math.ceil((limits.forward_m + limits.outward_m + 2 * self.grid.half) / cell)
        here, outward = Pose(0.0, 0.0, yaw * unit), 1.0 if foot == RIGHT else -1.0
        found = []
        for turn in range(-most, most + 1):
            for x in range(-reach, reach + 1):
                for y in range(-reach, reach + 1):
                    there = Pose(x * cell, y * cell, (yaw + turn) * unit)
                    forward, left = arc_lengths(here, there, outward * self.grid.half)
                    out = outward * left
                    if (
                        -1e-9 <= forward <= limits.forward_m + 1e-9
                        and -1e-9 <= out <= limits.outward_m + 1e-9
                        and forward / limits.forward_m + out / limits.outward_m <= 1.0 + 1e-9
                        and rectangle_distance(self.sole, here, there) >= limits.feet_apart_m - 1e-9
                    ):
                        found.append(Step(x, y, turn, forward, left))
        return found

    def state_cost(self, state: State) -> float:
        """Of a foot on the ground there."""
        cost, middle = self.parameters.cost, self.grid.middle(state)
        if not self.layer.seen((state.x, state.y)):
            return math.inf
        total = self.foothold_cost(state)
        if math.isinf(total):
            return math.inf
        ends = state == self.start or state in self.goals
        if self.guide is not None and not ends and not self.guide.allows(middle):
            return math.inf
        if self.surroundings is not None:
            hands, free = self.surroundings.support(middle, self.height(state), state.foot)
            if not free:
                return math.inf
            total += cost.hand * (2 - hands)
        return total

    def foothold_cost(self, state: State) -> float:
        """Of the ground below the whole sole or, if that does not do, below the toes."""
        limits, cost = self.parameters.foothold, self.parameters.cost
        pose = self.grid.pose(state)
        whole = self.layer.below(cells_below(self.sole, pose, self.grid.cell))
        toes = self.layer.below(cells_below(self.toes, pose, self.grid.cell))
        for ground, penalty in ((whole, 0.0), (toes, cost.partial)):
            good = ground.uneven <= limits.uneven_m and ground.sure >= limits.least_confidence
            if good and ground.highest >= (whole.highest if ground is toes else -math.inf):
                uncertain = (1.0 - ground.sure) / (1.0 - limits.least_confidence)
                return penalty + cost.uneven * ground.uneven / limits.uneven_m + cost.uncertain * uncertain
        return math.inf

    def height(self, state: State) -> float:
        """Of the ground, m."""
        return self.layer.height((state.x, state.y))

    def transition_cost(self, before: State, after: State) -> float:
        """Of a step."""
        limits, cost = self.parameters.step, self.parameters.cost
        begin, end = self.grid.pose(before), self.grid.pose(after)
        half = self.grid.half if before.foot == RIGHT else -self.grid.half
        forward, left = arc_lengths(begin, end, half)
        one, other = self.grid.middle(before), self.grid.middle(after)
        way = math.hypot(other.x - one.x, other.y - one.y)
        rise = abs(self.height(after) - self.height(before))
        if (before == self.start or after in self.goals) and forward > limits.first_last_m + 1e-9:
            return math.inf
        if rise > limits.vertical_m:
            return math.inf
        # Which way the swing foot came from is not known here: both feet go half of a swing beside the robot.
        obstacles = [
            self.obstacle(before, after, begin, self.grid.beside(after)),
            self.obstacle(before, after, self.grid.beside(before), end),
        ]
        if max(obstacles) > limits.obstacle_m:
            return math.inf
        noticeable = max(rise, *obstacles) > limits.noticeable_m
        if noticeable and forward > limits.careful_m + 1e-9:
            return math.inf
        turn = turn_between(begin.yaw, end.yaw)
        return (
            cost.step
            + cost.path_per_m * way
            + cost.length_per_m * abs(forward - cost.desired_m)
            + cost.turn_per_rad2 * turn**2
            + cost.vertical_per_m * rise
            + cost.lateral_per_m * abs(left)
            + cost.obstacle_per_m * sum(obstacles)
        )

    def obstacle(self, before: State, after: State, begin: Pose, end: Pose) -> float:
        """How high what a half swing passes over is above both stance feet, m."""
        ground = self.layer.below(cells_passed(self.sole, begin, end, self.grid.cell))
        above = ground.highest - max(self.height(before), self.height(after))
        return max(0.0, above) if above == above else 0.0

    def heuristic(self, state: State) -> float:
        """As on the first level, or along the guide."""
        here = self.grid.middle(state)
        goals = [(goal, self.grid.middle(goal)) for goal in self.goals]
        rise = min(abs(self.height(state) - self.height(goal)) for goal, _ in goals)
        if self.guide is not None:
            way, turn = self.guide.left(here)
        else:
            way = min(math.hypot(here.x - goal.x, here.y - goal.y) for _, goal in goals)
            turn = min(abs(turn_between(here.yaw, goal.yaw)) for _, goal in goals)
        return remaining_cost(self.parameters, way, turn, rise, LONGEST)


def arc_lengths(before: Pose, after: Pose, half: float) -> tuple[float, float]:
    """Forward along the arc and to the left, m: the middle of the feet goes along an arc, the foot stands beside it.

    half: half of the distance of the feet, m, positive if the right foot is the one before.
    """
    x, y = after.seen_from(before)
    turn = turn_between(before.yaw, after.yaw)
    # The middle is at (x, y) minus the foot's place beside it, minus where it began.
    mx = x + half * math.sin(turn)
    my = y - half * math.cos(turn) - half
    # mx = forward sin/turn - left sin, my = forward (1 - cos)/turn + left cos
    along = math.sin(turn) / turn if turn else 1.0
    across = (1.0 - math.cos(turn)) / turn if turn else 0.0
    determinant = along * math.cos(turn) + across * math.sin(turn)
    forward = (mx * math.cos(turn) + my * math.sin(turn)) / determinant
    left = (along * my - across * mx) / determinant
    return forward, left


def stance_goals(grid: Grid, goal: Pose) -> frozenset[State]:
    """Both feet beside the middle that shall be reached."""
    return frozenset(
        {
            grid.state(RIGHT, goal.moved(0.0, -grid.half)),
            grid.state(LEFT, goal.moved(0.0, grid.half)),
        }
    )
