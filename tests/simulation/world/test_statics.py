"""Statics with Coulomb's law at a limit that is known: just within it nothing moves, just beyond it things fall."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

from benchmarks.lab.known_worlds import at, ground, loose
from footfall import Material, Scene, SceneObject, Simulation, free_body
from footfall.math.rotations import rotation_y
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Geometry
from footfall.scene.shapes import triangles_shape

G = 9.81
LENGTH, THICK, WIDTH = 2.0, 0.06, 0.4  # m, of a ladder


def motion(simulation: Simulation, seconds: float) -> float:
    """How far anything has come in that time, m and parts of quaternions."""
    before = simulation.q.copy()
    simulation.run(simulation.zero_command, seconds)
    return float(np.abs(simulation.q - before).max())


def ladder(angle: float, friction: float) -> Scene:
    """A board that leans against a wall on the right at an angle to the floor, rad; its lower corner is the origin."""
    along, across = (
        np.array([np.cos(angle), 0.0, np.sin(angle)]),
        np.array([-np.sin(angle), 0.0, np.cos(angle)]),
    )
    middle = LENGTH / 2 * along + THICK / 2 * across
    board = loose("ladder", Box((LENGTH, WIDTH, THICK)), at(middle, rotation_y(-angle)), friction=friction)
    face = LENGTH * np.cos(angle)
    wall = SceneObject("wall", Box((0.2, 4.0, 6.0)), at((face + 0.1, 0.0, 3.0)), Material(friction=friction))
    return Scene("ladder", (ground(friction=friction), wall, board))


def ladder_limit(friction: float) -> float:
    """Both ends about to slide: N_wall = mu N_floor, so N_wall = mu m g / (1 + mu^2); moments about the lower corner:
    N_wall L (sin a + mu cos a) = m g (L cos a - t sin a) / 2."""

    def excess(a: float) -> float:
        pressed = friction / (1.0 + friction**2)
        return (
            pressed * LENGTH * (np.sin(a) + friction * np.cos(a))
            - (LENGTH * np.cos(a) - THICK * np.sin(a)) / 2
        )

    return float(brentq(excess, 0.1, 1.5))


@pytest.mark.parametrize("friction", [0.3, 0.6])
def test_a_ladder_stands_down_to_its_angle(friction: float) -> None:
    limit = ladder_limit(friction)
    assert motion(Simulation(None, ladder(1.0005 * limit, friction)), 1.0) < 1e-9
    assert motion(Simulation(None, ladder(0.998 * limit, friction)), 1.0) > 1e-4


# Arches of wedges, a half circle of middle radius 1 m; joints are radial and carry pressure and friction.

FRICTION = 0.7


def wedges(count: int, thickness: float) -> list[np.ndarray]:
    """Corners (4, 2) of each stone, x and z, m: inner and outer of one joint, outer and inner of the next."""
    angles = np.pi * np.arange(count + 1) / count
    inner, outer = 1.0 - thickness / 2, 1.0 + thickness / 2
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    return [np.array([inner * a, outer * a, outer * b, inner * b]) for a, b in pairwise(directions)]


def area_and_middle(corners: np.ndarray) -> tuple[float, np.ndarray]:
    """Of a polygon (the shoelace formula)."""
    following = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]
    return float(cross.sum() / 2), (cross[:, None] * (corners + following)).sum(axis=0) / (3 * cross.sum())


def can_stand(count: int, thickness: float) -> bool:
    """Limit analysis: whether forces at the ends of all joints, pressure and friction, balance all weights."""
    stones = wedges(count, thickness)
    rows = np.zeros(
        (3 * count, 4 * (count + 1))
    )  # of each joint: normal and tangent at its inner and outer end
    weights = np.zeros(3 * count)
    for k, corners in enumerate(stones):
        area, middle = area_and_middle(corners)
        weights[3 * k + 1] = area
        for joint, sign in ((k, 1.0), (k + 1, -1.0)):
            angle = np.pi * joint / count
            radial, around = (
                np.array([np.cos(angle), np.sin(angle)]),
                np.array([-np.sin(angle), np.cos(angle)]),
            )
            for end, radius in enumerate((1.0 - thickness / 2, 1.0 + thickness / 2)):
                arm = radius * radial - middle
                for part, direction in enumerate((sign * around, sign * radial)):
                    column = 4 * joint + 2 * end + part
                    rows[3 * k : 3 * k + 2, column] = direction
                    rows[3 * k + 2, column] = arm[0] * direction[1] - arm[1] * direction[0]
    cones = np.zeros((4 * (count + 1), 4 * (count + 1)))  # |tangent| <= mu normal
    for row in range(2 * (count + 1)):
        cones[2 * row, [2 * row, 2 * row + 1]] = -FRICTION, 1.0
        cones[2 * row + 1, [2 * row, 2 * row + 1]] = -FRICTION, -1.0
    bounds = [(0.0, None), (None, None)] * (2 * (count + 1))
    found = linprog(np.zeros(rows.shape[1]), cones, np.zeros(len(cones)), rows, weights, bounds)
    return bool(found.status == 0)


def arch(count: int, thickness: float) -> Scene:
    stones = []
    for k, corners in enumerate(wedges(count, thickness)):
        area, middle = area_and_middle(corners)
        flat = corners - middle
        points = np.array([(x, y, z) for y in (-0.15, 0.15) for x, z in flat])
        sides = [(i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4)]
        quads = [(3, 2, 1, 0), (4, 5, 6, 7), *sides]
        triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
        triangles = _outwards(points, triangles)
        shape = triangles_shape(points, triangles)
        body = free_body(shape, 2000.0 * area * 0.3)
        material = Material(friction=FRICTION)
        stones.append(SceneObject(f"stone{k}", shape, at((middle[0], 0.0, middle[1])), material, free=body))
    return Scene("arch", (ground(friction=FRICTION), *stones))


def _outwards(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), a + b + c) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return triangles


@pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")  # while it falls
@pytest.mark.parametrize("count", [7, 15, 21])
def test_an_arch_stands_down_to_the_thickness_of_limit_analysis(count: int) -> None:
    low, high = 0.02, 0.3
    assert can_stand(count, high)
    assert not can_stand(count, low)
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (low, middle) if can_stand(count, middle) else (middle, high)
    assert high < 0.1079  # that of a continuous arch (Milankovitch): more joints can only open in more places
    assert motion(Simulation(None, arch(count, 1.03 * high)), 0.5) < 1e-6
    assert motion(Simulation(None, arch(count, 0.95 * high)), 0.5) > 1e-3


def gripper(friction: float) -> tuple[Robot, Scene]:
    """Two fingers on rails along x, and a cube of 1 kg between them."""
    finger = Geometry(Box((0.02, 0.1, 0.1)), friction=friction)
    bodies = tuple(
        Body(name, mass=0.2, center_of_mass=np.zeros(3), inertia=1e-3 * np.eye(3), collisions=(finger,))
        for name in ("left", "right")
    )
    joints = tuple(
        Joint(
            f"{body.name}_rail",
            JointType.PRISMATIC,
            "world",
            body.name,
            axis=np.array([1.0, 0.0, 0.0]),
            placement=at((side * 0.06, 0.0, 1.0)),
        )
        for body, side in zip(bodies, (-1.0, 1.0), strict=True)
    )
    cube = loose("cube", Box((0.1, 0.1, 0.1)), at((0.0, 0.0, 1.0)), friction=friction)
    return Robot("gripper", bodies=bodies, joints=joints), Scene("cube", (cube,))


@pytest.mark.parametrize("share", [1.0005, 0.998, 0.5])
def test_a_gripper_holds_what_friction_carries(share: float) -> None:
    """Two faces carry 2 mu F; less than the weight lets the cube fall with g - 2 mu F / m."""
    friction, mass, seconds = 0.4, 1.0, 0.1
    force = share * mass * G / (2 * friction)
    simulation = Simulation(*gripper(friction))
    simulation.run(np.array([force, -force]), seconds)
    speed = -float(simulation.v[4])  # of the cube, whose velocities follow the two rails
    expected = max(G - 2 * friction * force / mass, 0.0) * seconds
    assert speed == pytest.approx(expected, rel=1e-6, abs=1e-9)
