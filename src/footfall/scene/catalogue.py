"""Scenes by name, with measures to choose: those the contact planner is measured on, and more that try its limits.

Each function makes a scene; `footfall scene NAME` has its measures as options. Lengths in m, angles in rad. Where the
robot starts and where it is to go stands in the scene.

A building on two heights of floor, none above another: one height map shows all of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from footfall.errors import SceneError, UnknownName
from footfall.math.rotations import rotation_x, rotation_y
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Cylinder
from footfall.scene.buildings import WALL_THICKNESS, building, furniture, random_obstacles
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Scene, SceneObject
from footfall.scene.parts import (
    FLOOR,
    OBSTACLE,
    TABLE,
    WALL,
    Span,
    at,
    block,
    check_between,
    check_counts,
    check_lengths,
    floor,
)
from footfall.scene.shapes import Rectangle, triangles_shape
from footfall.scene.terrain import random_terrain

_BEHIND = 1.0  # m between start or goal and the outer wall
_WALL_BESIDE = 0.3  # m of wall at least, beside doors and stairs


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
    check_between("split-level", 0.6, width - 2 * _WALL_BESIDE, door=door, stairs=stairs)
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
    low = float(rng.uniform(_WALL_BESIDE - half, half - _WALL_BESIDE - wide))
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


_THICK = 0.05  # of walls


def _scene(name: str, objects: list[SceneObject], goal: float) -> Scene:
    if not 0.0 < goal <= 1000.0:
        raise SceneError(f"goal is {goal:g}; it must be positive and at most 1000 m", subject=("scene", name))
    return Scene(name, tuple(objects), start=at(0.0, 0.0), goal=at(goal, 0.0))


def platform(
    *,
    height: float = 0.125,
    length: float = 1.31,
    width: float = 1.2,
    distance: float = 1.44,
    wall_distance: float = 0.7,
    wall_height: float = 2.0,
    goal: float = 4.0,
) -> Scene:
    """A platform to step on and off, with a wall to the left before and after it.

    height, length, width: of the platform. distance: to its edge. wall_distance: from the way to the walls.
    wall_height: of the walls. goal: distance to the goal.
    """
    check_lengths("platform", height=height, length=length, width=width, distance=distance)
    check_lengths("platform", wall_distance=wall_distance, wall_height=wall_height)
    end = distance + length
    y, z = (wall_distance, wall_distance + _THICK), (0.0, wall_height)
    objects = [
        floor(),
        block("platform", FLOOR, (distance, end), (-width / 2, width / 2), (0.0, height)),
        block("left-wall", WALL, (distance - 0.24, distance + 0.36), y, z),
        block("second-wall", WALL, (end + 0.05, end + 0.65), y, z),
    ]
    return _scene("platform", objects, goal)


def right_wall(
    *,
    wall_distance: float = 0.7,
    length: float = 0.8,
    height: float = 2.0,
    distance: float = 1.1,
    goal: float = 3.0,
) -> Scene:
    """A wall to the right.

    wall_distance: from the way to the wall. length, height: of the wall. distance: to where it begins. goal: distance
    to the goal.
    """
    check_lengths("right-wall", wall_distance=wall_distance, length=length, height=height, distance=distance)
    y = (-wall_distance - _THICK, -wall_distance)
    wall = block("right-wall", WALL, (distance, distance + length), y, (0.0, height))
    return _scene("right-wall", [floor(), wall], goal)


def right_table(
    *,
    height: float = 0.95,
    table_distance: float = 0.52,
    length: float = 0.8,
    depth: float = 0.83,
    distance: float = 1.0,
    goal: float = 3.0,
) -> Scene:
    """A table to the right.

    height: of its top. table_distance: from the way to its edge. length, depth: of the top. distance: to where it
    begins. goal: distance to the goal.
    """
    check_lengths("right-table", height=height, table_distance=table_distance, length=length, depth=depth)
    check_lengths("right-table", distance=distance)
    y, z = (-table_distance - depth, -table_distance), (max(height - 0.04, 0.0), height)
    return _scene("right-table", [floor(), block("table", TABLE, (distance, distance + length), y, z)], goal)


def corridor(
    *,
    wall_distance: float = 0.7,
    length: float = 0.8,
    height: float = 2.0,
    distance: float = 1.1,
    goal: float = 3.0,
) -> Scene:
    """Walls on both sides.

    wall_distance: from the way to each wall. length, height: of the walls. distance: to where they begin. goal:
    distance to the goal.
    """
    check_lengths("corridor", wall_distance=wall_distance, length=length, height=height, distance=distance)
    x, z = (distance, distance + length), (0.0, height)
    left = block("left-wall", WALL, x, (wall_distance, wall_distance + _THICK), z)
    right = block("right-wall", WALL, x, (-wall_distance - _THICK, -wall_distance), z)
    return _scene("corridor", [floor(), left, right], goal)


def obstacles(
    *,
    bar_height: float = 0.08,
    bar_thickness: float = 0.1,
    box_height: float = 0.3,
    box_width: float = 1.4,
    goal: float = 4.5,
) -> Scene:
    """A bar to step over, and two boxes to walk around.

    bar_height, bar_thickness: of the bar. box_height, box_width: of the boxes, each of which reaches 0.2 m beyond the
    way. goal: distance to the goal.
    """
    check_lengths("obstacles", bar_height=bar_height, bar_thickness=bar_thickness)
    check_lengths("obstacles", box_height=box_height, box_width=box_width)
    bar = (1.25 - bar_thickness / 2, 1.25 + bar_thickness / 2)
    objects = [
        floor(),
        block("bar", OBSTACLE, bar, (-1.5, 1.5), (0.0, bar_height)),
        block("left-box", OBSTACLE, (2.2, 2.6), (-0.2, box_width - 0.2), (0.0, box_height)),
        block("right-box", OBSTACLE, (3.6, 4.0), (0.2 - box_width, 0.2), (0.0, box_height)),
    ]
    return _scene("obstacles", objects, goal)


def ramps(
    *,
    slope: float = 0.1,
    length: float = 1.2,
    top: float = 0.6,
    width: float = 1.2,
    distance: float = 1.2,
    goal: float = 4.5,
) -> Scene:
    """A ramp up, a level top and a ramp down.

    slope: rise over run. length: of each ramp along the floor. top: length of the level part. width: of all. distance:
    to the first ramp. goal: distance to the goal.
    """
    check_lengths("ramps", length=length, top=top, width=width, distance=distance)
    check_between("ramps", 0.001, 1.0, slope=slope)
    rise, angle, thick = slope * length, math.atan(slope), 0.1
    up, down = distance, distance + 2 * length + top
    objects = [
        floor(),
        _ramp("ramp-up", up, length, angle, width, thick, 1.0),
        block("top", FLOOR, (up + length, up + length + top), (-width / 2, width / 2), (0.0, rise)),
        _ramp("ramp-down", down, length, angle, width, thick, -1.0),
    ]
    return _scene("ramps", objects, goal)


def _ramp(
    name: str, foot: float, length: float, angle: float, width: float, thick: float, way: float
) -> SceneObject:
    """A slab whose upper edge begins on the floor at `foot` and rises along x times `way`."""
    slant = length / math.cos(angle)
    turn = rotation_y(-way * angle)
    surface = np.array([foot + way * length / 2, 0.0, length * math.tan(angle) / 2])
    middle = surface - turn[:, 2] * thick / 2
    return SceneObject(name, Box((slant, width, thick)), Transform(turn, middle), category=FLOOR)


def _stairs(
    name: str, riser: float, treads: list[float], width: float, distance: float, goal: float
) -> Scene:
    """Stairs with these treads, as many risers up as down."""
    check_lengths(name, riser=riser, tread=min(treads), width=width, distance=distance)
    objects, begin = [floor()], distance
    for k, tread in enumerate(treads):
        height = riser * min(k + 1, len(treads) - k)
        span = (round(begin, 12), round(begin + tread, 12))
        objects.append(block(f"step-{k + 1}", FLOOR, span, (-width / 2, width / 2), (0.0, height)))
        begin += tread
    return _scene(name, objects, goal)


def stairs(
    *,
    riser: float = 0.1,
    tread: float = 0.4,
    count: int = 3,
    width: float = 1.2,
    distance: float = 1.2,
    goal: float = 3.5,
) -> Scene:
    """Stairs up and down again, with treads as long as a foot or longer.

    riser: height of a step. tread: length of a step. count: risers up, and as many down. width: of the stairs.
    distance: to the first riser. goal: distance to the goal.
    """
    check_counts("stairs", 100, count=count)
    return _stairs("stairs", riser, [tread] * (2 * count - 1), width, distance, goal)


def stairs_partial(
    *,
    riser: float = 0.1,
    tread: float = 0.22,
    top: float = 0.44,
    down_tread: float = 0.4,
    count: int = 3,
    width: float = 1.2,
    distance: float = 1.2,
    goal: float = 3.5,
) -> Scene:
    """Stairs up with treads shorter than a foot, which only the front of it stands on, and down again.

    riser: height of a step. tread: length of a step up. top: length of the highest one. down_tread: length of a step
    down; shorter than a foot it cannot be, since the heel would be in the step behind. count: risers up, and as many
    down. width: of the stairs. distance: to the first riser. goal: distance to the goal.
    """
    check_counts("stairs-partial", 100, count=count)
    check_lengths("stairs-partial", top=top, down_tread=down_tread)
    treads = [tread] * (count - 1) + [top] + [down_tread] * (count - 1)
    return _stairs("stairs-partial", riser, treads, width, distance, goal)


def trap(
    *, depth: float = 2.0, width: float = 2.0, height: float = 0.5, distance: float = 1.5, goal: float = 4.5
) -> Scene:
    """Three walls that open towards the robot, a box beside them, and the goal behind.

    depth, width, height: of the trap. distance: to its opening. goal: distance to the goal.
    """
    check_lengths("trap", depth=depth, width=width, height=height, distance=distance)
    x, y, z, end = (distance, distance + depth), width / 2, (0.0, height), distance + depth
    objects = [
        floor(),
        block("left-wall", WALL, x, (y, y + _THICK), z),
        block("right-wall", WALL, x, (-y - _THICK, -y), z),
        block("back-wall", WALL, (end, end + _THICK), (-y - _THICK, y + _THICK), z),
        block("box", OBSTACLE, (distance + 0.5, distance + 1.0), (-y - 0.9, -y - 0.4), (0.0, 0.8 * height)),
    ]
    return _scene("trap", objects, goal)


def empty_floor(*, goal: float = 3.0, lateral: float = 0.0, yaw: float = 0.0) -> Scene:
    """A floor and nothing on it: the shortest way is known.

    goal: distance to the goal. lateral: of the goal, to the left. yaw: of the goal.
    """
    check_between("empty-floor", -1000.0, 1000.0, goal=goal, lateral=lateral, yaw=yaw)
    return Scene("empty-floor", (floor(),), start=at(0.0, 0.0), goal=at(goal, lateral, 0.0, yaw))


def gap(
    *, gap: float = 0.6, height: float = 1.5, depth: float = 0.4, distance: float = 1.5, goal: float = 3.5
) -> Scene:
    """Two tall boxes with a gap between them, wide as the way they block.

    gap: between them. height, depth: of the boxes. distance: to them. goal: distance to the goal.
    """
    check_lengths("gap", gap=gap, height=height, depth=depth, distance=distance)
    x, z = (distance, distance + depth), (0.0, height)
    left = block("left-box", OBSTACLE, x, (gap / 2, gap / 2 + 2.0), z)
    right = block("right-box", OBSTACLE, x, (-gap / 2 - 2.0, -gap / 2), z)
    return _scene("gap", [floor(), left, right], goal)


def long_floor(*, length: float = 12.0, every: float = 3.0, height: float = 0.3) -> Scene:
    """A long way with a box beside it now and then, for planning bit by bit.

    length: to the goal. every: distance between boxes. height: of the boxes.
    """
    check_lengths("long-floor", length=length, every=every, height=height)
    check_counts("long-floor", 1000, boxes=max(1, int(length / every)))
    objects = [floor()]
    for k in range(1, math.ceil(length / every)):
        side = 1.0 if k % 2 else -1.0
        y = sorted((side * 0.15, side * 0.75))
        x = (k * every - 0.2, k * every + 0.2)
        objects.append(block(f"box-{k}", OBSTACLE, x, (y[0], y[1]), (0.0, height)))
    return _scene("long-floor", objects, length)


def moved_box(*, time: float = 4.0, speed: float = 0.5, height: float = 0.4, goal: float = 4.0) -> Scene:
    """A box beside the way that moves into it while the robot walks.

    time: when it begins to move, s. speed: of the box, m/s. height: of the box. goal: distance to the goal.
    """
    check_lengths("moved-box", time=time, speed=speed, height=height)
    x, far, near = goal / 2, 1.6, 0.0
    places = np.array([[x, far, height / 2], [x, near, height / 2]])
    motion = GivenMotion(np.array([time, time + (far - near) / speed]), places)
    box = SceneObject("box", Box((0.5, 0.8, height)), category=OBSTACLE, motion=motion)
    return _scene("moved-box", [floor(), box], goal)


def unseen_stripe(*, width: float = 0.3, distance: float = 1.5, goal: float = 3.5) -> Scene:
    """A floor with a stripe across it that can be stood on and not be seen.

    width: of the stripe along the way. distance: to it. goal: distance to the goal.
    """
    check_lengths("unseen-stripe", width=width, distance=distance)
    after = distance + width
    spans = (("near-floor", -2.0, distance), ("stripe", distance, after), ("far-floor", after, goal + 2.0))
    objects = []
    for name, low, high in spans:
        place = at(round((low + high) / 2, 12), 0.0)
        shape = Rectangle((round(high - low, 12), 4.0))
        objects.append(SceneObject(name, shape, place, category=FLOOR, visible=name != "stripe"))
    return _scene("unseen-stripe", objects, goal)


def ripple(*, height: float = 0.04, wavelength: float = 0.4, seed: int = 0, goal: float = 3.0) -> Scene:
    """A floor with waves, as poor depth cameras see a level one.

    height: from valleys to crests. wavelength: of the waves. seed: of their phases. goal: distance to the goal.
    """
    check_lengths("ripple", height=height, wavelength=wavelength)
    terrain = random_terrain(
        "waves",
        size=(goal + 4.0, 4.0),
        spacing=0.02,
        amplitude=height / 2,
        wavelength=wavelength,
        seed=seed,
    )
    waves = SceneObject("floor", terrain, at(goal / 2, 0.0), category=FLOOR)
    return _scene("ripple", [waves], goal)


def handrail(
    *,
    radius: float = 0.025,
    height: float = 0.95,
    rail_distance: float = 0.6,
    length: float = 2.0,
    goal: float = 3.0,
) -> Scene:
    """A round rail to the right, along the way.

    radius: of the rail. height: of its axis. rail_distance: from the way to its axis. length: of the rail. goal:
    distance to the goal.
    """
    check_lengths("handrail", radius=radius, height=height, rail_distance=rail_distance, length=length)
    turn = Transform(rotation_y(math.pi / 2), np.array([goal / 2, -rail_distance, height]))
    rail = SceneObject("rail", Cylinder(radius, length), turn, category="rail")
    return _scene("handrail", [floor(), rail], goal)


def trough(
    *,
    radius: float = 0.1,
    height: float = 0.95,
    trough_distance: float = 0.6,
    length: float = 2.0,
    goal: float = 3.0,
) -> Scene:
    """A hollow rail to the right, open upwards: a hand lies well in it.

    radius: of the hollow. height: of its lowest line. trough_distance: from the way to its middle. length: of the
    trough. goal: distance to the goal.
    """
    check_lengths("trough", radius=radius, height=height, trough_distance=trough_distance, length=length)
    angle = np.linspace(-math.pi / 2, math.pi / 2, 25)
    profile = np.column_stack([radius * np.sin(angle), radius * (1.0 - np.cos(angle))])
    along = np.linspace(-length / 2, length / 2, max(2, int(length / 0.05) + 1))
    shape = triangles_shape(*_sheet(along, profile))
    hollow = SceneObject("trough", shape, at(goal / 2, -trough_distance, height), category="rail")
    return _scene("trough", [floor(), hollow], goal)


def _sheet(along: np.ndarray, profile: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a profile (n, 2) in y and z that is drawn along x."""
    count = len(profile)
    x = np.repeat(along, count)
    vertices = np.column_stack([x, np.tile(profile, (len(along), 1))])
    first = (np.arange(len(along) - 1)[:, None] * count + np.arange(count - 1)).reshape(-1)
    lower = np.column_stack([first, first + count, first + count + 1])
    upper = np.column_stack([first, first + count + 1, first + 1])
    return vertices, np.concatenate([lower, upper])


def saddle(
    *,
    half: float = 0.2,
    bend: float = 5.0,
    height: float = 1.2,
    wall_distance: float = 0.65,
    goal: float = 3.0,
) -> Scene:
    """A saddle to the right that faces the way: z = bend (x^2 - y^2) / 2, a hyperbolic paraboloid.

    half: half of its edges. bend: its principal curvatures, 1/m. height: of its middle. wall_distance: from the way to
    it. goal: distance to the goal.
    """
    check_lengths("saddle", half=half, bend=bend, height=height, wall_distance=wall_distance)
    line = np.linspace(-half, half, 33)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = bend * (x * x - y * y) / 2
    _, triangles = _sheet(line, np.zeros((33, 2)))
    shape = triangles_shape(np.column_stack([x.ravel(), y.ravel(), z.ravel()]), triangles)
    turn = Transform(rotation_x(-math.pi / 2), np.array([goal / 2, -wall_distance, height]))
    return _scene("saddle", [floor(), SceneObject("saddle", shape, turn, category=WALL)], goal)


SCENES: dict[str, Callable[..., Scene]] = {
    "platform": platform,
    "right-wall": right_wall,
    "right-table": right_table,
    "corridor": corridor,
    "obstacles": obstacles,
    "ramps": ramps,
    "stairs": stairs,
    "stairs-partial": stairs_partial,
    "trap": trap,
    "empty-floor": empty_floor,
    "gap": gap,
    "long-floor": long_floor,
    "moved-box": moved_box,
    "unseen-stripe": unseen_stripe,
    "ripple": ripple,
    "handrail": handrail,
    "trough": trough,
    "saddle": saddle,
    "random-obstacles": random_obstacles,
    "building": building,
    "split-level": split_level,
}


def make_scene(name: str, **measures: float) -> Scene:
    """A scene of the catalogue with measures of your own: `make_scene("stairs", riser=0.12)`.

    `footfall scene` lists names and measures.
    """
    if name not in SCENES:
        raise UnknownName("scene", name, SCENES, "the catalogue")
    try:
        return SCENES[name](**measures)
    except TypeError:
        known = SCENES[name].__kwdefaults__ or {}
        wrong = [each for each in measures if each not in known]
        if not wrong:
            raise SceneError(
                f"measures are {measures}; all must be numbers", subject=("scene", name)
            ) from None
        raise UnknownName("measure", wrong[0], known, f"scene {name!r}") from None
