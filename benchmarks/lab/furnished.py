"""Furnished scenes that nobody tuned to: houses, rooms, corridors with people, doorways with rails, from a seed.

Each has a start and a goal at places that are free. What is asked of a planner there is how long it takes
(`benchmarks/autonomy.md`), of a walk whether it arrives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Cylinder
from footfall.scene import make_scene
from footfall.scene.model import Scene, SceneObject

_CLEAR = 0.55  # m around start and goal that is free of everything
_TRIES = 500


def furnished(seed: int) -> Scene:
    """The scene of a seed: kinds take turns."""
    kinds = list(KINDS.values())
    return kinds[seed % len(kinds)](np.random.default_rng(seed))


def kind_of(seed: int) -> str:
    """Which kind of scene a seed has."""
    return list(KINDS)[seed % len(KINDS)]


def house(rng: np.random.Generator) -> Scene:
    """One storey of a building; from one room or the corridor into another room."""
    rooms, corridor = int(rng.integers(2, 5)), float(rng.uniform(1.6, 2.4))
    scene = make_scene(
        "building",
        floors=1,
        rooms=rooms,
        seed=int(rng.integers(2**31)),
        room=float(rng.uniform(3.2, 4.5)),
        corridor=corridor,
        door=float(rng.uniform(0.9, 1.2)),
    )
    return with_ends(scene, rng, *rooms_of(scene, rng))


def rooms_of(scene: Scene, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Boxes (2, 2) of two different rooms of one storey, or of the corridor and a room, x and y in m."""
    tables = [each for each in scene.objects if each.name.startswith("table-")]
    chosen = rng.choice(len(tables), 2, replace=False)
    boxes = []
    for k in chosen:
        x, y, _ = tables[int(k)].placement.translation
        boxes.append(np.array([[x - 1.8, y - 1.8], [x + 1.8, y + 1.8]]))
    return boxes[0], boxes[1]


def living_room(rng: np.random.Generator) -> Scene:
    """A room of 5 to 8 m with shelves, tables, chairs and boxes anywhere; from one end to the other."""
    length, width = float(rng.uniform(5.0, 8.0)), float(rng.uniform(3.5, 5.0))
    objects = [_block("floor", "floor", (-1.0, length + 1.0), (-width / 2, width / 2), (-0.1, 0.0))]
    for name, y in (("wall-left", width / 2), ("wall-right", -width / 2 - 0.1)):
        objects.append(_block(name, "wall", (-1.0, length + 1.0), (y, y + 0.1), (0.0, 2.5)))
    ends = [np.array([0.0, 0.0]), np.array([length, 0.0])]
    taken = [(end, 0.75) for end in ends]
    for k in range(int(rng.integers(4, 10))):
        kind = str(rng.choice(["table", "shelf", "chair", "box"]))
        size = rng.uniform(
            *{
                "table": ((0.8, 0.6), (1.6, 0.9)),
                "shelf": ((0.8, 0.3), (1.6, 0.45)),
                "chair": ((0.4, 0.4), (0.5, 0.5)),
                "box": ((0.2, 0.2), (0.6, 0.6)),
            }[kind]
        )
        height = float({"table": 0.75, "shelf": 1.8, "chair": 0.45, "box": rng.uniform(0.1, 0.6)}[kind])
        place = np.array([rng.uniform(0.3, length - 0.3), rng.uniform(-width / 2 + 0.3, width / 2 - 0.3)])
        reach = float(np.hypot(*size)) / 2
        if any(np.hypot(*(place - other)) < reach + radius for other, radius in taken):
            continue
        category = {"table": "table", "shelf": "furniture", "chair": "chair", "box": "obstacle"}[kind]
        yaw = float(rng.choice([0.0, math.pi / 2, rng.uniform(-math.pi, math.pi)]))
        pose = Transform(rotation_z(yaw), np.array([*place, height / 2]))
        objects.append(SceneObject(f"{kind}-{k}", Box((*size.tolist(), height)), pose, category=category))
        taken.append((place, reach - 0.2))
    return Scene("living-room", tuple(objects), start=_at(ends[0], 0.0), goal=_at(ends[1], 0.0))


def busy_corridor(rng: np.random.Generator) -> Scene:
    """A corridor of 1.4 to 2.4 m with people in it, and a cart at its side."""
    length, width = float(rng.uniform(5.0, 9.0)), float(rng.uniform(1.4, 2.4))
    objects = [_block("floor", "floor", (-1.0, length + 1.0), (-width / 2, width / 2), (-0.1, 0.0))]
    for name, y in (("wall-left", width / 2), ("wall-right", -width / 2 - 0.1)):
        objects.append(_block(name, "wall", (-1.0, length + 1.0), (y, y + 0.1), (0.0, 2.5)))
    x, side = 1.3, float(rng.choice([-1.0, 1.0]))
    for k in range(int(rng.integers(1, 4))):
        if x > length - 1.2:
            break
        radius = float(rng.uniform(0.18, 0.25))
        y = side * (width / 2 - radius - float(rng.uniform(0.02, 0.15)))
        pose = Transform(np.eye(3), np.array([x, y, 0.85]))
        objects.append(SceneObject(f"person-{k}", Cylinder(radius, 1.7), pose, category="obstacle"))
        x, side = x + float(rng.uniform(1.2, 2.5)), -side if rng.random() < 0.7 else side
    return Scene(
        "busy-corridor",
        tuple(objects),
        start=_at(np.zeros(2), 0.0),
        goal=_at(np.array([length, 0.0]), 0.0),
    )


def doorway(rng: np.random.Generator) -> Scene:
    """Two rooms with a door of 0.85 to 1.1 m between them, aside of the straight way, a rail before it or behind."""
    door, aside = float(rng.uniform(0.85, 1.1)), float(rng.uniform(-1.0, 1.0))
    wall = float(rng.uniform(1.8, 2.6))
    objects = [_block("floor", "floor", (-1.5, 6.0), (-2.5, 2.5), (-0.1, 0.0))]
    for name, low, high in (("right", -2.5, aside - door / 2), ("left", aside + door / 2, 2.5)):
        objects.append(_block(f"wall-{name}", "wall", (wall, wall + 0.12), (low, high), (0.0, 2.5)))
    lintel = (aside - door / 2, aside + door / 2)
    objects.append(_block("lintel", "wall", (wall, wall + 0.12), lintel, (2.05, 2.5)))
    side = float(rng.choice([-1.0, 1.0]))
    for name, x in (("before", wall - 0.9), ("behind", wall + 0.3)):
        if rng.random() < 0.7:
            y = aside + side * (door / 2 + float(rng.uniform(0.0, 0.1)))
            objects.append(_block(f"rail-{name}", "rail", (x, x + 0.7), (y - 0.02, y + 0.02), (0.86, 0.92)))
    goal = _at(np.array([4.5, float(rng.uniform(-1.0, 1.0))]), 0.0)
    return Scene("doorway", tuple(objects), start=_at(np.zeros(2), 0.0), goal=goal)


def plates(rng: np.random.Generator) -> Scene:
    """Boxes, plates and posts at random places."""
    return make_scene("random-obstacles", seed=int(rng.integers(2**31)), count=int(rng.integers(8, 22)))


KINDS: dict[str, Callable[[np.random.Generator], Scene]] = {
    "house": house,
    "living room": living_room,
    "busy corridor": busy_corridor,
    "doorway": doorway,
    "plates": plates,
}


def with_ends(scene: Scene, rng: np.random.Generator, begin: np.ndarray, end: np.ndarray) -> Scene:
    """The scene with a start and a goal at free places of two boxes (2, 2), x and y in m."""
    chosen = []
    for box in (begin, end):
        place = free_place(scene, rng, box)
        chosen.append(_at(place, float(rng.choice(4)) * math.pi / 2))
    return replace(scene, start=chosen[0], goal=chosen[1])


def free_place(scene: Scene, rng: np.random.Generator, box: np.ndarray) -> np.ndarray:
    """A place (2,) in a box (2, 2), x and y in m, with nothing but floor around it."""
    for _ in range(_TRIES):
        place: np.ndarray = rng.uniform(box[0], box[1])
        if _free(scene, place):
            return place
    raise ValueError(f"no free place between {box[0]} and {box[1]} in {scene.name}")


def _free(scene: Scene, place: np.ndarray) -> bool:
    """Whether nothing but floor is near a place, and there is floor."""
    floors = False
    for each in scene.objects:
        size = np.array(getattr(each.shape, "size", (0.5, 0.5, 1.0)))[:2]
        away = np.abs(place - each.placement.translation[:2]) - size / 2
        if each.category == "floor":
            floors = floors or bool((away < -_CLEAR).all())
        elif np.hypot(*np.maximum(away, 0.0)) < _CLEAR:
            return False
    return floors


def _at(place: np.ndarray, yaw: float) -> Transform:
    return Transform(rotation_z(yaw), np.array([place[0], place[1], 0.0]))


def _block(
    name: str, category: str, x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]
) -> SceneObject:
    size = tuple(float(high - low) for low, high in (x, y, z))
    middle = np.array([(low + high) / 2 for low, high in (x, y, z)])
    return SceneObject(
        name, Box((size[0], size[1], size[2])), Transform(np.eye(3), middle), category=category
    )
