"""States on the grid: where a foot, or the middle between both feet, stands and where it looks."""

from __future__ import annotations

import math
from typing import NamedTuple

RIGHT, LEFT = 0, 1


class State(NamedTuple):
    """A stance foot (or RIGHT for the middle between the feet), its cell, and its heading in steps of the grid."""

    foot: int
    x: int
    y: int
    yaw: int


class Pose(NamedTuple):
    """x, y in m, yaw in rad."""

    x: float
    y: float
    yaw: float

    def moved(self, ahead: float, left: float, turn: float = 0.0) -> Pose:
        """The pose at a place that is given in its own axes."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return Pose(self.x + c * ahead - s * left, self.y + s * ahead + c * left, self.yaw + turn)

    def seen_from(self, other: Pose) -> tuple[float, float]:
        """Where it is ahead and to the left of another pose, m."""
        c, s = math.cos(other.yaw), math.sin(other.yaw)
        x, y = self.x - other.x, self.y - other.y
        return c * x + s * y, c * y - s * x


class Grid(NamedTuple):
    """cell: m. yaws: headings in a full turn. half: half of the lateral distance of parallel feet, m."""

    cell: float
    yaws: int
    half: float

    def pose(self, state: State) -> Pose:
        """Centre of the cell; index i covers [i, i + 1) cells."""
        return Pose(
            (state.x + 0.5) * self.cell, (state.y + 0.5) * self.cell, 2 * math.pi * state.yaw / self.yaws
        )

    def state(self, foot: int, pose: Pose) -> State:
        """The state that a pose falls into."""
        x, y = (math.floor(round(value / self.cell, 9)) for value in (pose.x, pose.y))
        return State(foot, x, y, round(pose.yaw * self.yaws / (2 * math.pi)) % self.yaws)

    def beside(self, state: State) -> Pose:
        """The other foot of the same robot, parallel: the conjugate state."""
        side = 1.0 if state.foot == RIGHT else -1.0
        return self.pose(state).moved(0.0, 2 * side * self.half)

    def middle(self, state: State) -> Pose:
        """The middle between the stance foot and the other one beside it."""
        side = 1.0 if state.foot == RIGHT else -1.0
        return self.pose(state).moved(0.0, side * self.half)


def key(state: State) -> int:
    """The state in one number of 41 bits: 1 for the foot, 16 for x and y each, 8 for the heading."""
    return state.foot | (state.x & 0xFFFF) << 1 | (state.y & 0xFFFF) << 17 | state.yaw << 33


def state_of(number: int) -> State:
    """The state of a key."""
    x, y = (number >> 1) & 0xFFFF, (number >> 17) & 0xFFFF
    return State(number & 1, x - 0x10000 * (x >= 0x8000), y - 0x10000 * (y >= 0x8000), (number >> 33) & 0xFF)


def turn_between(first: float, second: float) -> float:
    """From one angle to another the shorter way, in (-pi, pi]."""
    return math.pi - (math.pi - (second - first)) % (2 * math.pi)
