"""Passive worlds gain no energy: bodies that spin far in a step, and rebounds of several contacts at once."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.lab.known_worlds import at, ground, loose
from footfall import Material, Scene, SceneObject, Simulation, free_body
from footfall.math.rotations import matrix_from_quaternion, rotation_x, rotation_y
from footfall.robot.shapes import Box, Sphere
from footfall.scene.shapes import triangles_shape

G = 9.81


def box_inertia(mass: float, size: tuple[float, float, float]) -> np.ndarray:
    x, y, z = np.square(size)
    return mass / 12.0 * np.array([y + z, x + z, x + y])


@pytest.mark.parametrize("turn", [0.2, 1.0, 4.0])  # rad in a step
def test_a_free_body_keeps_its_energy_of_rotation_however_fast_it_spins(turn: float) -> None:
    """Euler's equations keep w^T I w. In parts of 0.1 rad Runge and Kutta's error is about 1e-5 / 120 of it each; the
    midpoint, which slower bodies take, has (0.2)^3 / 12 at 0.2 rad, to and fro."""
    dt, size, mass = 0.005, (0.2, 0.07, 0.13), 2.0
    spin = turn / dt * np.array([0.3, 0.8, np.sqrt(1 - 0.73)])
    thing = loose("box", Box(size), at((0, 0, 9)), mass=mass, velocity=(1.0, 0.0, 0.0, *spin))
    simulation = Simulation(None, Scene("space", (ground(), thing), gravity=(0.0, 0.0, 0.0)), dt=dt)
    trajectory = simulation.run(simulation.zero_command, 5.0)
    energy = (box_inertia(mass, size) * np.square(trajectory.v[:, 3:])).sum(axis=1)
    assert np.abs(energy / energy[0] - 1.0).max() < (0.02 if turn < 0.3 else 3e-3)
    np.testing.assert_allclose(trajectory.v[-1, :3], [1.0, 0.0, 0.0], atol=1e-12)


def test_a_body_that_spins_about_a_point_beside_its_centre_keeps_the_centres_velocity() -> None:
    """The body's origin lies at an end of it; the centre of mass flies on with the velocity that it has."""
    mass, length, dt = 1.0, 0.4, 0.005
    half = np.array([length / 2, 0.03, 0.02])
    corners = np.array([(x, y, z) for x in (0, 1) for y in (-1, 1) for z in (-1, 1)]) * [
        length,
        half[1],
        half[2],
    ]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])
    shape = triangles_shape(corners, triangles)
    spin, center = np.array([0.0, 40.0, 300.0]), np.array([length / 2, 0.0, 0.0])
    velocity = np.array([2.0, 0.0, 0.0]) - np.cross(spin, center)
    free = free_body(shape, mass, velocity=(*velocity, *spin))
    thing = SceneObject("bar", shape, at((0, 0, 9)), Material(), free=free)
    simulation = Simulation(None, Scene("space", (ground(), thing), gravity=(0.0, 0.0, 0.0)), dt=dt)
    for _ in range(200):
        simulation.step()
        turned = matrix_from_quaternion(simulation.q[3:7])
        moving = simulation.v[:3] + turned @ np.cross(simulation.v[3:], center)
        np.testing.assert_allclose(moving, [2.0, 0.0, 0.0], atol=1e-9)


def thrown(seed: int) -> tuple[Scene, list[np.ndarray]]:
    """Two things, balls or boxes, thrown into a room of walls that rebound; and mass and inertia (4,) of each."""
    rng = np.random.default_rng(seed)
    material = {"friction": float(rng.uniform(0.0, 1.2)), "restitution": float(rng.uniform(0.0, 1.0))}
    turns = {
        "east": ((1.1, 0, 1), rotation_y(np.pi / 2)),
        "west": ((-1.1, 0, 1), rotation_y(np.pi / 2)),
        "north": ((0, 1.1, 1), rotation_x(np.pi / 2)),
        "south": ((0, -1.1, 1), rotation_x(np.pi / 2)),
        "above": ((0, 0, 2.1), np.eye(3)),
    }
    walls = [
        SceneObject(name, Box((2.4, 2.4, 0.2)), at(place, turn), Material(**material))
        for name, (place, turn) in turns.items()
    ]
    things, inertias = [], []
    for k in range(2):
        mass, size = float(rng.uniform(0.1, 5.0)), rng.uniform(0.06, 0.2, 3)
        round_one = rng.random() < 0.5
        shape = Sphere(size[0] / 2) if round_one else Box(tuple(size))
        own = np.full(3, 0.1 * mass * size[0] ** 2) if round_one else box_inertia(mass, tuple(size))
        motion = (*rng.normal(size=3) * 20.0, *rng.normal(size=3) * 10.0)
        things.append(
            loose(f"thing{k}", shape, at((0.3 * k, 0, 0.4)), mass=mass, velocity=motion, **material)
        )
        inertias.append(np.array([mass, *own]))
    return Scene("room", (ground(**material), *walls, *things)), inertias


def energies(q: np.ndarray, v: np.ndarray, inertias: list[np.ndarray]) -> np.ndarray:
    total = np.zeros(len(q))
    for k, (mass, *own) in enumerate(inertias):
        linear, angular = v[:, 6 * k : 6 * k + 3], v[:, 6 * k + 3 : 6 * k + 6]
        total += 0.5 * mass * np.square(linear).sum(axis=1) + 0.5 * (own * np.square(angular)).sum(axis=1)
        total += mass * G * q[:, 7 * k + 2]
    return total


@pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")
@pytest.mark.parametrize("dt", [0.001, 0.005, 0.01])
def test_what_is_thrown_into_a_room_gains_nothing(dt: float) -> None:
    """Restitution and friction of all kinds at up to 50 m/s. With Newton's law alone, and gyroscopic forces once a
    step, these gained up to 18 times their energy (7 and 84 at 1 ms, 1 and 105 at 5 ms) or diverged (13 at 10 ms). A
    step moves things by v dt before gravity's change of v counts, m g v dt: 2e-3 of the energy allows for it."""
    for seed in (1, 7, 13, 84, 105):
        scene, inertias = thrown(seed)
        simulation = Simulation(None, scene, dt=dt)
        start = energies(simulation.q[None], simulation.v[None], inertias)[0]
        trajectory = simulation.run(simulation.zero_command, 0.5)
        assert energies(trajectory.q, trajectory.v, inertias).max() < 1.002 * start, seed
