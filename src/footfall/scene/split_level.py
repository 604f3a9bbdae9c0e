"""A building on two heights of floor, none above another: one height map shows all of it."""

from __future__ import annotations

import numpy as np

from footfall.errors import SceneError
from footfall.scene.buildings import WALL_THICKNESS, furniture
from footfall.scene.model import Scene, SceneObject
from footfall.scene.parts import FLOOR, WALL, Span, at, block, check_between, check_counts, check_lengths

_BEHIND = 1.0  # m between start or goal and the outer wall
_BESIDE = 0.3  # m of wall at least, beside doors and stairs


def split_level(
    *,
    seed: int = 0,
    rooms: int = 11,
    room: float = 4.0,
    width: float = 5.0,
    door: float = 1.4,
    risers: int = 6,
    riser: float = 0.12,
    tread: float = 0.3,
    stairs: float = 2.0,
    wall: float = 2.0,
) -> Scene:
    """Rooms in a row on two heights of floor: doors, furniture, and stairs up and down between them.

    seed: of furniture and of where doors and stairs are. rooms: their number; each second passage is a flight of
    stairs, up and down in turn. room: length of a room, m. width: of the rooms, m. door: width of doors, m. risers: of
    a flight. riser: height of a step, m. tread: length of a step, m. stairs: width of a flight, m. wall: height of
    walls above the upper floor, m. Start and goal are in the first and the last room, which are not furnished.
    """
    check_lengths("split-level", room=room, width=width, riser=riser, tread=tread, wall=wall)
    check_counts("split-level", 100, rooms=rooms, risers=risers)
    check_between("split-level", 3.0, 20.0, room=room, width=width)
    check_between("split-level", 0.6, width - 2 * _BESIDE, door=door, stairs=stairs)
    check_between("split-level", 0, 2**32, seed=seed)
    if rooms < 2:
        raise SceneError("rooms is 1; a way needs two at least", subject=("scene", "split-level"))
    rng = np.random.default_rng(seed)
    upper = risers * riser
    z, half = (0.0, upper + wall), width / 2
    objects: list[SceneObject] = []
    begin, level = -_BEHIND, 0.0
    for k in range(rooms):
        end = begin + room
        objects.append(block(f"floor-{k + 1}", FLOOR, (begin, end), (-half, half), (-0.2, level)))
        objects += _wall_around(f"outer-{k + 1}", (begin, end), (-half, half), half + WALL_THICKNESS, z)
        if 0 < k < rooms - 1:
            objects += furniture(f"{k + 1}", (begin + room / 2, 0.0), level, min(room, width), rng)
        begin = end
        if k == rooms - 1:
            break
        if k % 2 == 0:
            opening = _opening(door, half, rng)
            x = (begin - WALL_THICKNESS / 2, begin + WALL_THICKNESS / 2)
            objects += _wall_around(f"door-{k + 1}", x, opening, half, z)
        else:
            opening, after = _opening(stairs, half, rng), upper - level
            objects += _flight(f"stairs-{k + 1}", begin, opening, (level, after), (risers, tread))
            x, level = (begin, begin + (risers - 1) * tread), after
            objects += _wall_around(f"stairs-{k + 1}", x, opening, half, z)
            begin = x[1]
    for name, low in (("begin", -_BEHIND - WALL_THICKNESS), ("end", begin)):
        objects.append(block(f"outer-{name}", WALL, (low, low + WALL_THICKNESS), (-half, half), z))
    return Scene("split-level", tuple(objects), start=at(0.0, 0.0), goal=at(begin - _BEHIND, 0.0, level))


def _opening(wide: float, half: float, rng: np.random.Generator) -> Span:
    """y of a passage somewhere in a wall."""
    low = float(rng.uniform(_BESIDE - half, half - _BESIDE - wide))
    return low, low + wide


def _wall_around(name: str, x: Span, opening: Span, half: float, z: Span) -> list[SceneObject]:
    """Wall to the right and to the left of a passage."""
    return [
        block(f"{name}-right", WALL, x, (-half, opening[0]), z),
        block(f"{name}-left", WALL, x, (opening[1], half), z),
    ]


def _flight(name: str, begin: float, y: Span, levels: Span, measures: tuple[int, float]) -> list[SceneObject]:
    """Steps from one level to another, the last riser of which is the edge of the higher floor. measures: number of
    risers and tread."""
    risers, tread = measures
    heights = np.linspace(*levels, risers + 1)[1:-1].tolist()
    return [
        block(f"{name}-{k + 1}", FLOOR, (begin + k * tread, begin + (k + 1) * tread), y, (-0.2, height))
        for k, height in enumerate(heights)
    ]
