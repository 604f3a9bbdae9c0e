"""Scenes made at random: obstacles on a floor, and buildings with corridors, doors, furniture and stairs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.errors import SceneError
from footfall.robot.shapes import Box, Cylinder
from footfall.scene.model import Scene, SceneObject
from footfall.scene.parts import (
    FLOOR,
    OBSTACLE,
    TABLE,
    WALL,
    at,
    block,
    check_between,
    check_counts,
    check_lengths,
    floor,
)

WALL_THICKNESS = 0.1  # m, thickness of inner walls
_SLAB = 0.2  # m, of floors
_LANDING = 1.2  # m, before and behind stairs
_TRIES = 200  # places that are tried for each obstacle


def random_obstacles(
    *,
    seed: int = 0,
    count: int = 20,
    length: float = 8.0,
    width: float = 5.0,
    highest: float = 0.6,
    clearance: float = 0.6,
) -> Scene:
    """Boxes, plates and posts at random places, none of them near start or goal.

    seed: the same seed makes the same scene. count: of obstacles. length, width: of the area. highest: obstacle.
    clearance: around start and goal, and between tall obstacles.
    """
    check_lengths("random-obstacles", length=length, width=width, highest=highest, clearance=clearance)
    check_counts("random-obstacles", 5000, count=count)
    check_between("random-obstacles", 0, 2**32, seed=seed)
    rng = np.random.default_rng(seed)
    ends = np.array([[0.0, 0.0], [length, 0.0]])
    objects, taken = [floor()], [(end, 0.3) for end in ends]
    for k in range(count):
        for _ in range(_TRIES):
            place = np.array([rng.uniform(-0.5, length + 0.5), rng.uniform(-width / 2, width / 2)])
            kind = rng.choice(["box", "plate", "post"], p=[0.5, 0.3, 0.2])
            size = rng.uniform(0.15, 0.7, 2)
            reach = float(np.hypot(*size)) / 2
            gap = 0.05 if kind == "plate" else clearance
            if all(np.hypot(*(place - other)) > reach + radius + gap for other, radius in taken):
                break
        else:
            message = f"no place for obstacle {k + 1} of {count}; make the area larger or clearance smaller"
            raise SceneError(message, subject=("scene", "random-obstacles"))
        taken.append((place, reach))
        low = 0.02 if kind == "plate" else 0.16
        height = float(rng.uniform(low, 0.12 if kind == "plate" else max(highest, 0.17)))
        category = FLOOR if kind == "plate" else OBSTACLE
        yaw = float(rng.uniform(-math.pi, math.pi))
        shape = (
            Cylinder(reach / 2, height) if kind == "post" else Box((float(size[0]), float(size[1]), height))
        )
        pose = at(float(place[0]), float(place[1]), height / 2, yaw)
        objects.append(SceneObject(f"{kind}-{k + 1}", shape, pose, category=category))
    return Scene("random-obstacles", tuple(objects), start=at(0.0, 0.0), goal=at(length, 0.0))


def building(
    *,
    seed: int = 0,
    floors: int = 2,
    rooms: int = 4,
    room: float = 4.0,
    corridor: float = 2.0,
    storey: float = 3.0,
    door: float = 1.0,
    riser: float = 0.13,
    tread: float = 0.3,
) -> Scene:
    """Storeys with a corridor between two rows of rooms, doors, furniture, and stairs from floor to floor.

    seed: of doors and furniture. floors: number of storeys. rooms: on each side of a corridor. room: their edge.
    corridor: its width. storey: height from floor to floor. door: width of doors. riser, tread: of the stairs; a
    riser at most, as high as LOLA's legs step up and down. Start and goal are at the beginning of the lowest and of the
    topmost corridor.
    """
    check_lengths(
        "building", room=room, corridor=corridor, storey=storey, door=door, riser=riser, tread=tread
    )
    check_counts("building", 20, floors=floors, rooms=rooms)
    check_between("building", 1.6, 20.0, room=room, corridor=corridor)
    check_between("building", 0.6, room - 0.6, door=door)
    check_between("building", 2.2, 6.0, storey=storey)
    check_between("building", 0, 2**32, seed=seed)
    length, half = rooms * room, corridor / 2 + room
    flight = _Flight(storey, math.ceil(round(storey / riser, 9)), tread, length - _LANDING, corridor / 2)
    if floors > 1 and flight.low < _LANDING:
        message = f"{flight.risers} risers of {tread:g} m do not fit into {length:g} m; more rooms or a shorter tread"
        raise SceneError(message, subject=("scene", "building"))
    rng = np.random.default_rng(seed)
    objects: list[SceneObject] = []
    for level in range(floors):
        ground = level * storey
        objects += _slab(level, ground, length, half, flight)
        objects += _walls(level, ground, storey - _SLAB, rooms, room, corridor, door, rng)
        for side in (1.0, -1.0):
            for k in range(rooms):
                middle = ((k + 0.5) * room, side * (corridor / 2 + room / 2))
                name = f"{level}-{'left' if side > 0 else 'right'}-{k + 1}"
                objects += furniture(name, middle, ground, room, rng)
        if level < floors - 1:
            objects += flight.steps(level)
    top = (floors - 1) * storey
    return Scene("building", tuple(objects), start=at(0.5, corridor / 4), goal=at(0.5, corridor / 4, top))


class _Flight(NamedTuple):
    """Stairs of all storeys: in the right half of the corridor towards the start, and from the next floor on in the
    left half back, so that one turns around from flight to flight.

    storey: height. risers: of a flight. tread: m. high: x where the lowest step of the first one begins. wide: m.
    """

    storey: float
    risers: int
    tread: float
    high: float
    wide: float

    @property
    def low(self) -> float:
        """x where the first flight ends."""
        return self.high - (self.risers - 1) * self.tread

    def side(self, level: int) -> tuple[float, float]:
        """y of the flight that leads upwards from a level."""
        return (0.0, self.wide) if level % 2 else (-self.wide, 0.0)

    def steps(self, level: int) -> list[SceneObject]:
        rise, ground = self.storey / self.risers, level * self.storey
        found = []
        for k in range(self.risers - 1):
            begin = self.low + k * self.tread if level % 2 else self.high - (k + 1) * self.tread
            z = (ground, ground + (k + 1) * rise)
            name = f"stairs-{level}-{k + 1}"
            found.append(block(name, FLOOR, (begin, begin + self.tread), self.side(level), z))
        return found


def _slab(level: int, ground: float, length: float, half: float, flight: _Flight) -> list[SceneObject]:
    """The floor of a storey, around the hole that stairs come up through."""
    z = (ground - _SLAB, ground)
    if level == 0:
        return [block("floor-0", FLOOR, (0.0, length), (-half, half), z)]
    low, high = flight.side(level - 1)
    pieces = [
        ("left", (0.0, length), (high, half)),
        ("right", (0.0, length), (-half, low)),
        ("near", (0.0, flight.low), (low, high)),
        ("far", (flight.high, length), (low, high)),
    ]
    return [block(f"floor-{level}-{name}", FLOOR, x, y, z) for name, x, y in pieces]


def _walls(
    level: int,
    ground: float,
    height: float,
    rooms: int,
    room: float,
    corridor: float,
    door: float,
    rng: np.random.Generator,
) -> list[SceneObject]:
    """Outer walls, walls between rooms, and walls along the corridor with a door to each room."""
    length, half, z = rooms * room, corridor / 2 + room, (ground, ground + height)
    walls = []
    for name, side in (("left", 1.0), ("right", -1.0)):
        outer = sorted((side * half, side * (half - WALL_THICKNESS)))
        walls.append(block(f"wall-{level}-{name}-outer", WALL, (0.0, length), (outer[0], outer[1]), z))
        for k in range(rooms + 1):
            x = min(max(k * room - WALL_THICKNESS / 2, 0.0), length - WALL_THICKNESS)
            y = sorted((side * (corridor / 2 + WALL_THICKNESS), side * (half - WALL_THICKNESS)))
            walls.append(
                block(f"wall-{level}-{name}-between-{k}", WALL, (x, x + WALL_THICKNESS), (y[0], y[1]), z)
            )
        inner = sorted((side * corridor / 2, side * (corridor / 2 + WALL_THICKNESS)))
        for k in range(rooms):
            begin, end = k * room, (k + 1) * room
            left = begin + float(rng.uniform(0.3, room - door - 0.3))
            for part, low, high in (("a", begin, left), ("b", left + door, end)):
                walls.append(
                    block(f"wall-{level}-{name}-{k + 1}{part}", WALL, (low, high), (inner[0], inner[1]), z)
                )
            above = (ground + min(2.1, height - 0.05), ground + height)
            walls.append(
                block(
                    f"lintel-{level}-{name}-{k + 1}", WALL, (left, left + door), (inner[0], inner[1]), above
                )
            )
    return walls


def furniture(
    name: str, middle: tuple[float, float], ground: float, room: float, rng: np.random.Generator
) -> list[SceneObject]:
    """A table with legs, and up to two chairs."""
    free = room / 2 - 1.0  # between the middle of the table and the walls
    x, y = (float(value) for value in np.array(middle) + rng.uniform(-0.4, 0.4, 2) * max(free, 0.0))
    length, depth, height = (float(value) for value in rng.uniform((0.8, 0.6, 0.7), (1.2, 0.8, 0.95)))
    span_x, span_y = (x - length / 2, x + length / 2), (y - depth / 2, y + depth / 2)
    parts = [block(f"table-{name}", TABLE, span_x, span_y, (ground + height - 0.04, ground + height))]
    for k, (i, j) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        cx, cy = (span_x[i] + (0.05, -0.05)[i]), (span_y[j] + (0.05, -0.05)[j])
        leg = (cx - 0.025, cx + 0.025), (cy - 0.025, cy + 0.025)
        parts.append(block(f"leg-{name}-{k + 1}", TABLE, *leg, (ground, ground + height - 0.04)))
    for k in range(int(rng.integers(0, 3))):
        side = 1.0 if k else -1.0
        cx, cy = x + float(rng.uniform(-0.2, 0.2)), y + side * (depth / 2 + 0.3)
        seat = (cx - 0.2, cx + 0.2), (cy - 0.2, cy + 0.2)
        parts.append(block(f"chair-{name}-{k + 1}", "chair", *seat, (ground, ground + 0.45)))
    return parts
