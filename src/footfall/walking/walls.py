"""Walls beside a robot, as its controller knows them: boxes around things that it believes in, the nearest ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import maximum, minimum
from footfall.environment.model import Environment
from footfall.environment.objects import EnvironmentObject
from footfall.math.transform import Transform

MOST_WALLS = 6
WALL_NUMBERS = 16  # whether it counts, middle, rotation, half of its size
_ROUNDED = 0.05  # m, radius of edges: something that is less deep in a box than this knows the way out
_TINY = 1e-12  # m2: in the middle there is no way out
_LOOK_ASIDE = 1.0  # m beside the robot


class Wall(NamedTuple):
    """A box with round edges. counts: 1, 0 if there is none. middle (3,), half (3,): m. rotation (3, 3)."""

    counts: Any
    middle: Array
    rotation: Array
    half: Array

    def distance(self, point: Array) -> tuple[Any, Array]:
        """Of a point (3,) from its faces, m, and the direction away from it (3,); may be symbols."""
        local = self.rotation.T @ (point - self.middle)
        radius = minimum(minimum(self.half[0], self.half[1]), minimum(self.half[2], _ROUNDED))
        away = []
        for k in range(3):
            inner = self.half[k] - radius
            away.append(local[k] - maximum(minimum(local[k], inner), -inner))
        length = np.sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + _TINY)
        return length - radius, self.rotation @ np.array([each / length for each in away])


def wall_of(numbers: Array, k: int) -> Wall:
    """The wall of a number among (MOST_WALLS * WALL_NUMBERS,) of them."""
    own = numbers[WALL_NUMBERS * k : WALL_NUMBERS * (k + 1)]
    return Wall(own[0], own[1:4], own[4:13].reshape(3, 3), own[13:16])


def no_walls() -> Array:
    """Of a robot that has not looked."""
    walls = np.zeros((MOST_WALLS, WALL_NUMBERS))
    walls[:, 4:13] = np.eye(3).reshape(9)
    return walls.reshape(-1)


def walls_around(environment: Environment, place: Array, height: float) -> Array:
    """The nearest boxes around things beside a place (3,) on the ground, m, as numbers (MOST_WALLS * WALL_NUMBERS,);
    height: up to which they count, m. Boxes that the place is in say nothing of where the thing is."""
    found = []
    for thing in environment.objects.values():
        lower, upper = thing.box
        if any(lower[k] > place[k] + _LOOK_ASIDE or upper[k] < place[k] - _LOOK_ASIDE for k in range(2)):
            continue
        wall = _box(thing)
        local = wall.rotation.T @ (np.array([place[0], place[1], wall.middle[2]]) - wall.middle)
        away = float(np.linalg.norm(np.maximum(np.abs(local) - wall.half, 0.0)))
        low = wall.middle[2] - float(np.abs(wall.rotation[2]) @ wall.half)
        high = wall.middle[2] + float(np.abs(wall.rotation[2]) @ wall.half)
        if 0.0 < away < _LOOK_ASIDE and low < place[2] + height and high > place[2]:
            found.append((away, thing.id, wall))
    numbers = no_walls().reshape(MOST_WALLS, WALL_NUMBERS)
    for k, (_, _, wall) in enumerate(sorted(found, key=lambda each: each[:2])[:MOST_WALLS]):
        numbers[k] = np.concatenate([[1.0], wall.middle, wall.rotation.reshape(9), wall.half])
    return numbers.reshape(-1)


def moved_walls(numbers: Array, motion: Transform) -> Array:
    """Walls, as numbers, that a motion has taken elsewhere."""
    rows = numbers.reshape(MOST_WALLS, WALL_NUMBERS).copy()
    rows[:, 1:4] = rows[:, 1:4] @ motion.rotation.T + motion.translation
    rows[:, 4:13] = (motion.rotation @ rows[:, 4:13].reshape(-1, 3, 3)).reshape(-1, 9)
    return rows.reshape(-1)


def _box(thing: EnvironmentObject) -> Wall:
    (low, high), rotation = thing.surface.mesh.bounds, thing.placement.rotation
    middle = rotation @ ((low + high) / 2) + thing.placement.translation
    return Wall(1.0, middle, np.array(rotation), (high - low) / 2)
