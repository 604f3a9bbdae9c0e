"""Worlds of loose things whose behaviour is known: slopes, stacks, cards, dominoes, cradles, seams, rings, plates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall import Material, Scene, SceneObject, free_body
from footfall.arrays import Array
from footfall.geometry.plane import Plane
from footfall.math.rotations import rotation_x, rotation_y, rotation_z
from footfall.math.transform import Transform
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Sphere
from footfall.scene.model import SceneRobot
from footfall.scene.shapes import triangles_shape

Shape = Box | Capsule | Cylinder | Sphere
CARD = (0.0003, 0.063, 0.088)  # m: thickness, width, length
LEAN = np.radians(20.0)  # of cards


def at(position: Sequence[float] | Array, rotation: Array | None = None) -> Transform:
    """A pose from a position (3,), m."""
    return Transform(np.eye(3) if rotation is None else rotation, np.array(position, dtype=np.float64))


def ground(slope: float = 0.0, **material: float) -> SceneObject:
    """A plane through the origin that falls towards +x, rad."""
    return SceneObject("ground", Plane(), at((0.0, 0.0, 0.0), rotation_y(slope)), Material(**material))


def loose(
    name: str,
    shape: Shape,
    pose: Transform,
    *,
    mass: float = 1.0,
    velocity: Sequence[float] = (0.0,) * 6,
    **material: float,
) -> SceneObject:
    """A free body."""
    return SceneObject(
        name, shape, pose, Material(**material), free=free_body(shape, mass, velocity=velocity)
    )


def block_on_slope(share: float, friction: float) -> tuple[Scene, float]:
    """A cube on a slope of this share of the angle of friction; and the slope, rad."""
    slope = share * float(np.arctan(friction))
    turn = rotation_y(slope)
    block = loose("block", Box((0.2, 0.2, 0.2)), at(0.1 * turn[:, 2], turn), friction=friction)
    return Scene("slope", (ground(slope, friction=friction), block)), slope


def stack(count: int = 10) -> Scene:
    """Boxes on each other, each a little beside the one below."""
    boxes = (
        loose(f"box{k}", Box((0.2, 0.2, 0.1)), at((0.005 * (k % 3), 0.004 * (k % 2), 0.05 + 0.1 * k)))
        for k in range(count)
    )
    return Scene("stack", (ground(), *boxes))


def card_house() -> Scene:
    """Two pairs of cards that lean against each other, a card across them, a pair on top."""
    thick, _, length = CARD
    half_width = (length * np.sin(LEAN) + thick * np.cos(LEAN)) / 2
    half_height = (length * np.cos(LEAN) + thick * np.sin(LEAN)) / 2
    apart = 2 * half_width  # of the middles of the two lower pairs: feet touch
    cards: list[SceneObject] = []

    def pair(x: float, z: float) -> None:
        for side in (-1.0, 1.0):
            pose = at((x + side * half_width, 0.0, z + half_height), rotation_y(-side * LEAN))
            cards.append(loose(f"card{len(cards)}", Box(CARD), pose, mass=1.8e-3))

    pair(-1.001 * apart, 0.0)
    pair(1.001 * apart, 0.0)
    level = 2 * half_height
    flat = Box((4.2 * half_width, CARD[1], thick))  # a longer one, which bridges both
    cards.append(loose("bridge", flat, at((0.0, 0.0, level + thick / 2)), mass=3e-3))
    pair(0.0, level + thick)
    return Scene("card house", (ground(), *cards))


def dominoes(count: int = 50) -> Scene:
    """Dominoes in a row; the first is about to fall."""
    size = (0.008, 0.024, 0.048)
    pieces = [
        loose(
            f"domino{k}",
            Box(size),
            at((0.024 * k, 0.0, size[2] / 2)),
            mass=0.01,
            # about the lower edge: the middle moves along
            velocity=(0.168, 0.0, 0.0, 0.0, 7.0, 0.0) if k == 0 else (0.0,) * 6,
            friction=0.3,
        )
        for k in range(count)
    ]
    return Scene("dominoes", (ground(friction=0.5), *pieces))


def cradle(gap: float, count: int = 5, *, moving: int = 1, restitution: float = 1.0) -> Scene:
    """Balls in a row without weight, the first ones moving at 1 m/s towards the others; gap between these, m."""
    balls = []
    for k in range(count):
        x = -0.1 + 0.04 * (k - moving + 1) if k < moving else (k - moving) * (0.04 + gap)
        speed = (float(k < moving), 0.0, 0.0, 0.0, 0.0, 0.0)
        ball = loose(
            f"ball{k}", Sphere(0.02), at((x, 0.0, 0.0)), velocity=speed, restitution=restitution, friction=0.0
        )
        balls.append(ball)
    return Scene("cradle", tuple(balls), gravity=(0.0, 0.0, 0.0))


def rolling_ball(ground_of: str, *, heading: float = 0.2, radius: float = 0.05) -> Scene:
    """A ball that rolls at 1 m/s over two boxes side by side ("boxes") or the triangles of a mesh ("mesh")."""
    c, s = np.cos(heading), np.sin(heading)
    ball = loose(
        "ball",
        Sphere(radius),
        at((-0.5, -0.1, radius)),
        velocity=(c, s, 0.0, -s / radius, c / radius, 0.0),
        friction=0.8,
    )
    rough = Material(friction=0.8)
    if ground_of == "boxes":
        fixed = [
            SceneObject(f"slab{k}", Box((1.0, 1.0, 0.1)), at((k - 0.5, 0.0, -0.05)), rough) for k in range(2)
        ]
        return Scene("seam", (*fixed, ball))
    lines = np.linspace(-1.0, 1.0, 9)
    vertices = np.array([(x, y, 0.0) for x in lines for y in lines])
    squares = [
        (9 * i + j, 9 * (i + 1) + j, 9 * (i + 1) + j + 1, 9 * i + j + 1) for i in range(8) for j in range(8)
    ]
    triangles = np.array([each for a, b, c, d in squares for each in ((a, b, c), (a, c, d))])
    return Scene(
        "triangles", (SceneObject("sheet", triangles_shape(vertices, triangles), at((0, 0, 0)), rough), ball)
    )


def rolling_cylinder(speed: float = 1.0) -> Scene:
    """A cylinder that rolls on a plane."""
    radius = 0.1
    pose = at((0.0, 0.0, radius), rotation_x(np.pi / 2))
    roller = loose(
        "roller",
        Cylinder(radius, 0.3),
        pose,
        velocity=(speed, 0.0, 0.0, 0.0, speed / radius, 0.0),
        friction=0.8,
    )
    return Scene("roller", (ground(friction=0.8), roller))


RING, WIRE, SIDES = 0.03, 0.004, 12  # m, m: radii of rings of capsules and of these
LINK = 0.02  # kg


def ring() -> Robot:
    """A closed ring of capsules in the x-z plane, as a floating robot of one body."""
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    middle, length = RING * np.cos(np.pi / SIDES), 2 * RING * np.sin(np.pi / SIDES)
    shapes = tuple(
        Geometry(
            Capsule(WIRE, length),  # along its z axis, which is turned along the ring
            Transform(rotation_y(-angle), middle * np.array([np.cos(angle), 0.0, np.sin(angle)])),
        )
        for angle in angles
    )
    inertia = LINK * RING**2 * np.diag([0.5, 1.0, 0.5])
    body = Body("ring", mass=LINK, center_of_mass=np.zeros(3), inertia=inertia, collisions=shapes)
    return Robot("ring", bodies=(body,), joints=(Joint("root", JointType.FLOATING, "world", "ring"),))


def chain_of_rings(count: int = 8) -> Scene:
    """Rings that hang in each other, across each other in turn, the first on a bar."""
    link, inner = ring(), RING * np.cos(np.pi / SIDES)
    rings = tuple(
        SceneRobot(
            f"ring{k}", link, at((0.0, 0.0, -k * (2 * inner - 2 * WIRE)), rotation_z(np.pi / 2 * (k % 2)))
        )
        for k in range(count)
    )
    bar = SceneObject("bar", Cylinder(WIRE, 0.2), at((0.0, 0.0, inner - 2 * WIRE), rotation_x(np.pi / 2)))
    return Scene("rings", (bar,), robots=rings)


def shot(beside: float | None = None) -> Scene:
    """A ball of 2 cm at 50 m/s towards a plate of 1 cm; or past its edge, this far beside it, m."""
    plate = SceneObject("plate", Box((0.01, 0.4, 0.4)), at((0.0, 0.0, 0.0)))
    y = 0.0 if beside is None else 0.2 + 0.01 + beside
    ball = loose("ball", Sphere(0.01), at((-0.487, y, 0.0)), mass=0.03, velocity=(50.0, 0, 0, 0, 0, 0))
    return Scene("shot", (plate, ball), gravity=(0.0, 0.0, 0.0))


def pressed_cube() -> Scene:
    """A cube of 1 kg at a wall, friction 1."""
    wall = SceneObject("wall", Box((0.2, 2.0, 2.0)), at((0.1, 0.0, 0.0)), Material(friction=1.0))
    cube = loose("cube", Box((0.2, 0.2, 0.2)), at((-0.1, 0.0, 0.0)), friction=1.0)
    return Scene("wall", (wall, cube))


def pile(count: int, *, seed: int = 0, friction: float = 0.5) -> Scene:
    """Boxes of random sizes that fall onto each other, layer by layer, four in each."""
    rng = np.random.default_rng(seed)
    boxes = []
    for k in range(count):
        size = tuple(rng.uniform(0.08, 0.16, 3))
        layer, place = divmod(k, 4)
        x, y = 0.24 * (place % 2) - 0.12, 0.24 * (place // 2) - 0.12
        turn = rotation_x(rng.uniform(-0.5, 0.5)) @ rotation_y(rng.uniform(-0.5, 0.5))
        pose = at((x + rng.uniform(-0.02, 0.02), y + rng.uniform(-0.02, 0.02), 0.15 + 0.24 * layer), turn)
        boxes.append(loose(f"box{k}", Box(size), pose, mass=1000 * float(np.prod(size)), friction=friction))
    return Scene("pile", (ground(friction=friction), *boxes))
