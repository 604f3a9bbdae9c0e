"""Worlds to race in: robots among things, stacks, piles, chains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import footfall
from footfall import Box, Material, Plane, Robot, Scene, SceneObject, Sphere, Transform, free_body
from footfall.arrays import Array
from footfall.bench.robots import example_file
from footfall.math.rotations import matrix_from_quaternion
from footfall.robot.model import Body, Geometry, Joint
from footfall.robot.shapes import Capsule
from footfall.simulation.start import standing_start


@dataclass(frozen=True)
class WorldScene:
    """What is raced. kp, kd: gains that hold the joints at the start, 0: limp. settle: s before it is measured at rest.
    fall: s from the start that are measured, 0: none. turned: rad by which joints are off at the start, so that it
    rocks. raised: m above the ground at the start. lying: where the robot starts (nq,), else as in "idle"."""

    name: str
    robot: Robot | None
    scene: Scene
    dt: float = 1e-3
    kp: float = 0.0
    kd: float = 0.0
    settle: float = 2.0
    fall: float = 0.0
    turned: float = 0.0
    raised: float = 0.0
    self_contact: bool = True
    lying: Array | None = None

    def start(self) -> Array | None:
        """q (nq,) of the robot."""
        if self.robot is None:
            return None
        q = np.array(self.robot.configurations["idle"] if self.lying is None else self.lying)
        if self.turned:
            rng = np.random.default_rng(5)
            q[7:] += rng.normal(0.0, self.turned, len(q) - 7)
        q[2] += self.raised
        return q


_MATERIAL = Material(friction=0.5)
_GROUND = SceneObject("ground", Plane(), material=_MATERIAL)


def _lola(place: str, kind: str) -> WorldScene:
    options: dict[str, Any] = {
        "standing": {"settle": 5.0},
        "rocking": {"settle": 0.0, "fall": 0.2, "turned": 1e-3},
        "dropped": {"settle": 0.0, "fall": 0.5, "raised": 0.05},
    }[kind]
    robot = footfall.load("lola")
    return WorldScene(
        f"LOLA {kind}, {place}", robot, footfall.load_scene(place), kp=4000.0, kd=100.0, **options
    )


def loose(
    name: str, shape: Any, position: Array, rotation: Array | None = None, *, mass: float = 1.0
) -> SceneObject:
    """A free thing."""
    place = Transform(np.eye(3) if rotation is None else rotation, np.asarray(position, dtype=np.float64))
    return SceneObject(name, shape, place, _MATERIAL, free=free_body(shape, mass))


def _stack(count: int) -> WorldScene:
    boxes = [
        loose(f"box{k}", Box((0.2, 0.2, 0.1)), np.array([0.0, 0.0, 0.05 + 0.1 * k])) for k in range(count)
    ]
    return WorldScene(f"stack of {count}", None, Scene("stack", (_GROUND, *boxes)), settle=1.0)


def _pile(count: int) -> WorldScene:
    """Boxes that fall onto each other."""
    boxes = falling_boxes(count, seed=0)
    return WorldScene(
        f"pile of {count}", None, Scene("pile", (_GROUND, *boxes)), dt=2e-3, settle=8.0, fall=1.0
    )


def falling_boxes(count: int, seed: int) -> list[SceneObject]:
    """Boxes of random sizes and turns in a grid, 15 cm above the ground, that fall onto each other."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(count ** (1 / 3)))
    boxes = []
    for k in range(count):
        cell = np.array([k % side, (k // side) % side, k // side**2])
        place = 0.16 * cell + rng.uniform(-0.02, 0.02, 3) - [0.08 * side, 0.08 * side, -0.15]
        turn = rng.normal(size=4)
        size = 2 * rng.uniform(0.03, 0.06, 3)
        rotation = matrix_from_quaternion(turn / np.linalg.norm(turn))
        mass = 1000.0 * float(np.prod(size))
        boxes.append(loose(f"box{k}", Box(tuple(size)), place, rotation, mass=mass))
    return boxes


def _hopper(count: int) -> WorldScene:
    """Balls that fall between four walls."""
    rng = np.random.default_rng(1)
    walls = [SceneObject(f"wall{k}", Box((2.0, 0.1, 4.0)), _turned(k), _MATERIAL) for k in range(4)]
    balls = []
    for k in range(count):
        cell = np.array([k % 8, (k // 8) % 8, k // 64])
        place = 0.11 * cell - [0.385, 0.385, -0.06] + rng.uniform(-0.004, 0.004, 3)
        balls.append(loose(f"ball{k}", Sphere(0.05), place, mass=0.5))
    scene = Scene("hopper", (_GROUND, *walls, *balls))
    return WorldScene(f"{count} balls in a hopper", None, scene, dt=2e-3, settle=3.0, fall=0.5)


def _turned(quarter: int) -> Transform:
    c, s = np.cos(quarter * np.pi / 2), np.sin(quarter * np.pi / 2)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return Transform(rotation, rotation @ np.array([0.0, 0.55, 2.0]))


def _wall(rows: int, columns: int, *, hit: bool) -> WorldScene:
    """Bricks, and perhaps a heavy ball that hits them."""
    size = np.array([0.2, 0.1, 0.1])
    bricks = []
    for row in range(rows):
        for column in range(columns):
            x = (column - columns / 2 + 0.5 * (row % 2)) * size[0]
            bricks.append(
                loose(f"brick{row}-{column}", Box(tuple(size)), np.array([x, 0.0, (row + 0.5) * size[2]]))
            )
    name = f"wall of {rows * columns} bricks"
    if not hit:
        return WorldScene(name, None, Scene("wall", (_GROUND, *bricks)), dt=2e-3, settle=0.3)
    ball = SceneObject(
        "ball",
        Sphere(0.2),
        Transform(np.eye(3), np.array([0.0, -1.0, 0.5 * rows * size[2]])),
        _MATERIAL,
        free=free_body(Sphere(0.2), 50.0, velocity=(0.0, 8.0, 0.0, 0.0, 0.0, 0.0)),
    )
    scene = Scene("wall", (_GROUND, *bricks, ball))
    return WorldScene(f"{name}, hit", None, scene, dt=2e-3, settle=0.0, fall=0.6)


def _islands(count: int) -> WorldScene:
    boxes = [
        loose(f"box{k}", Box((0.2, 0.2, 0.1)), np.array([0.5 * (k % 30), 0.5 * (k // 30), 0.05]))
        for k in range(count)
    ]
    return WorldScene(f"{count} boxes apart", None, Scene("apart", (_GROUND, *boxes)), settle=0.5)


def _chain(count: int) -> WorldScene:
    """A chain of capsules, limp on the ground, in a curve."""
    length = 0.1
    shape = (Geometry(Capsule(0.02, length)),)
    bodies = tuple(Body(f"link{k}", 0.1, np.zeros(3), 1e-4 * np.eye(3), (), shape) for k in range(count))
    joints = [Joint("root", footfall.JointType.FLOATING, "world", bodies[0].name)]
    for k in range(1, count):
        place = Transform(np.eye(3), np.array([0.0, 0.0, length + 0.05]))
        axis = (1.0, 0.0, 0.0) if k % 2 else (0.0, 1.0, 0.0)
        joints.append(
            Joint(
                f"joint{k}", footfall.JointType.REVOLUTE, bodies[k - 1].name, bodies[k].name, place, axis=axis
            )
        )
    q = np.zeros(7 + count - 1)
    q[:7] = [0.0, 0.0, 0.021, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0]  # every other axis is upright
    q[7::2] = 0.1 * np.sin(0.5 * np.arange(len(q[7::2])))
    robot = Robot(f"chain{count}", bodies, tuple(joints))
    scene = Scene("ground", (_GROUND,))
    return WorldScene(f"chain of {count} links", robot, scene, settle=3.0, lying=q)


def _example(name: str, kp: float, kd: float) -> WorldScene:
    robot = footfall.load(example_file(name), floating_base=True)
    scene = footfall.load_scene("flat")
    q = standing_start(robot, scene).q
    return WorldScene(f"{name} with its meshes", robot, scene, kp=kp, kd=kd, settle=2.0, lying=q)


def _building(count: int) -> WorldScene:
    rng = np.random.default_rng(2)
    things = []
    for k in range(count):
        angle, far = rng.uniform(0.0, 2 * np.pi), rng.uniform(1.5, 30.0)
        place = np.array([far * np.cos(angle), far * np.sin(angle), 0.5])
        things.append(SceneObject(f"thing{k}", Box((0.4, 0.4, 1.0)), Transform(np.eye(3), place)))
    scene = Scene("building", (SceneObject("floor", Plane()), *things))
    return WorldScene(
        f"LOLA among {count} things", footfall.load("lola"), scene, kp=4000.0, kd=100.0, settle=5.0
    )


SCENES: dict[str, Callable[[], WorldScene]] = {
    **{
        f"lola-{kind}-{place}": partial(_lola, place, kind)
        for place in ("flat", "stairs", "platform", "obstacles")
        for kind in ("standing", "rocking", "dropped")
    },
    "stack-10": lambda: _stack(10),
    "pile-20": lambda: _pile(20),
    "pile-100": lambda: _pile(100),
    "hopper-1000": lambda: _hopper(1000),
    "wall-200": lambda: _wall(20, 10, hit=True),
    "standing-wall-200": lambda: _wall(20, 10, hit=False),
    "chain-40": lambda: _chain(40),
    "chain-80": lambda: _chain(80),
    "islands-10": lambda: _islands(10),
    "islands-100": lambda: _islands(100),
    "islands-900": lambda: _islands(900),
    "go2": lambda: _example("go2", 200.0, 5.0),
    "g1": lambda: _example("g1", 500.0, 10.0),
    "building-0": lambda: _building(0),
    "building-2000": lambda: _building(2000),
}
