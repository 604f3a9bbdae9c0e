"""Rolling over seams costs nothing, and fast things stop at thin ones."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.geometry.height_map import HeightMap
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Sphere
from footfall.scene.model import Material, Scene, SceneObject, free_body
from footfall.scene.shapes import Triangles
from tests.contact.detection.test_facets import grid_mesh
from tests.simulation.world.worlds import TestWorld

RADIUS, SPEED = 0.1, 2.0


def at(x: float, y: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def boxes() -> list[SceneObject]:
    return [SceneObject(str(k), Box((0.5, 2.0, 0.2)), at(0.5 * k, 0.0, -0.1)) for k in range(-2, 8)]


def triangles() -> list[SceneObject]:
    mesh = grid_mesh(np.zeros((41, 41)), 0.13)
    shape = Triangles(tuple(map(tuple, mesh.vertices)), tuple(map(tuple, mesh.triangles.tolist())))
    return [SceneObject("mesh", shape)]


def cells() -> list[SceneObject]:
    return [SceneObject("terrain", HeightMap(np.zeros((41, 41)), (0.13, 0.13)))]


def energy(v: Array) -> float:
    """Of a ball of 1 kg, whose inertia is 2/5 r^2."""
    return 0.5 * float(v[:3] @ v[:3]) + 0.2 * RADIUS**2 * float(v[3:6] @ v[3:6])


@pytest.mark.parametrize("floor", [boxes, triangles, cells])
def test_a_ball_rolls_over_seams_without_a_bump(floor: object) -> None:
    """Height and energy stay: a bump would lift it by what the seam is felt, and friction would take the spin."""
    ball = Sphere(RADIUS)
    spin = (SPEED, 0.3, 0.0, -0.3 / RADIUS, SPEED / RADIUS, 0.0)  # rolls askew over the grid
    thing = SceneObject(
        "ball", ball, at(-0.3, 0.05, RADIUS), Material(friction=0.8), free=free_body(ball, 1.0, velocity=spin)
    )
    world = TestWorld(None, Scene("floor", (*floor(), thing)))  # type: ignore[operator]
    start = energy(world.state.v)
    highest, least, most = 0.0, start, start
    for _ in range(1000):
        world.step()
        highest = max(highest, abs(float(world.state.q[2]) - RADIUS))
        least, most = min(least, energy(world.state.v)), max(most, energy(world.state.v))
    print(f"height {highest:.2g} m, energy {least / start - 1:.2g} to {most / start - 1:.2g}")
    assert world.state.q[0] > 1.5
    assert highest < 1e-9
    assert most / start - 1.0 < 1e-6
    assert 1.0 - least / start < 1e-6


@pytest.mark.parametrize("beside", [0.0, 0.23])
def test_a_fast_ball_stops_at_a_thin_plate_and_flies_past_another(beside: float) -> None:
    """2 cm at 50 m/s, 5 cm a step, against 1 cm; 3 cm beside its rim the speed stays what it was."""
    ball = Sphere(0.01)
    flight = (50.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for start in np.linspace(-0.31, -0.26, 7):
        thing = SceneObject("ball", ball, at(start, beside, 0.0), free=free_body(ball, 0.1, velocity=flight))
        plate = SceneObject("plate", Box((0.01, 0.4, 0.4)))
        world = TestWorld(None, Scene("shot", (plate, thing)), gravity=np.zeros(3))
        world.run(0.02)
        if beside:
            assert world.state.v[0] == 50.0
            assert world.state.q[0] == pytest.approx(start + 1.0)
        else:
            assert world.state.q[0] == pytest.approx(-0.015, abs=1e-6)
